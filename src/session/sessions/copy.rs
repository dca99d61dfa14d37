//! The parts of one session under another name.

use crate::{
    record::{self, Archive, Loaded, Renamed, Root},
    session::{StoreReply, sessions::SessionsError},
    store::{Batch, Part, StoreErrorKind},
    time::Timestamp,
};

/// What a load of `session` found, as one archive.
pub(super) fn archive(session: &str, answer: StoreReply) -> Result<Archive, SessionsError> {
    let snapshot = match answer {
        StoreReply::Loaded(Ok(Some(snapshot))) => snapshot,
        StoreReply::Loaded(Err(error)) if error.kind == StoreErrorKind::Corrupt => {
            return Err(SessionsError::Unreadable);
        }
        StoreReply::Loaded(Err(error)) => return Err(error.into()),
        _ => return Err(SessionsError::Unknown),
    };
    let mut archive = Archive { session: session.to_owned(), root: Vec::new(), numbered: Vec::new() };
    for (part, bytes) in snapshot.parts {
        match part {
            Part::Root => archive.root = bytes,
            // What the engine holds and cannot read has no bytes.
            Part::Generation(number) if !bytes.is_empty() => archive.numbered.push((number, bytes)),
            Part::Generation(_) => {}
        }
    }
    Ok(archive)
}

/// The root record of `archive`, if this build can read it as its own.
pub(super) fn readable(archive: &Archive, now: Timestamp) -> Result<Root, SessionsError> {
    match record::load_root(Some(&archive.root), &archive.session, now) {
        Loaded::Found { root, .. } => Ok(root),
        Loaded::Future { min_reader } => Err(SessionsError::Newer { min_reader }),
        Loaded::Absent | Loaded::Foreign { .. } | Loaded::Corrupt { .. } => Err(SessionsError::Unreadable),
    }
}

/// All parts as they are.
pub(super) fn as_it_is(archive: Archive) -> Batch {
    let mut batch = Batch::root(archive.root);
    for (number, bytes) in archive.numbered {
        batch.puts.push((Part::Generation(number), bytes));
    }
    batch
}

/// All parts as those of `to`: a session of its own, with another incarnation. A part that is damaged already stays behind;
/// one that only a later build can read is a reason to copy nothing.
///
/// An attempt belongs to whoever claimed it, who works on the original: in the copy it has ended as interrupted (rule 12),
/// and a probe's exit is armed anew. A verdict that is pending stays: the copy shows the same summary, and its own next
/// reading judges it. Strikes, cooldowns and deadlines stay, or a copy would be the way around them.
pub(super) fn renamed(archive: &Archive, to: &str, incarnation: u64, now: Timestamp) -> Result<Batch, SessionsError> {
    let mut root = readable(archive, now)?;
    root.session = to.to_owned();
    root.incarnation = incarnation;
    root.state.abandon(now);
    let mut batch = Batch::root(record::encode_root(&root));
    for (number, bytes) in &archive.numbered {
        match record::rename_part(bytes, &archive.session, to) {
            Renamed::Part(bytes) => batch.puts.push((Part::Generation(*number), bytes)),
            Renamed::Unreadable => {}
            Renamed::Future { min_reader } => return Err(SessionsError::Newer { min_reader }),
        }
    }
    Ok(batch)
}
