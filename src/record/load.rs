//! Loading: whatever the bytes are, the answer is a state that forgets no strike, never an error.

use core::cell::Cell;

use crate::{
    policy::State,
    record::{
        Root, Summary,
        fields::Fields,
        frame::{self, Fault},
        part, root, summary,
    },
    time::Timestamp,
};

/// What was found where a root record belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Nothing: a session without a record.
    Absent,
    /// The record.
    Found {
        /// What it says.
        root: Root,
        /// Something in it was out of range or unreadable and was replaced by what guards most; worth writing and saying.
        repaired: bool,
    },
    /// Another session's record. To this session it is absent; it is not to be overwritten as its own.
    Foreign {
        /// Whose it is.
        session: String,
    },
    /// Written by a later build that says this one cannot read it: the session is read-only, the record stays untouched.
    Future {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
    /// Unreadable: the bytes belong in quarantine, `root` in their place.
    Corrupt {
        /// Rebuilt: tripped, armed a rung from now, with incarnation 0 until the caller draws one.
        root: Root,
        /// What is wrong with the bytes.
        why: CorruptKind,
    },
}

/// What was found where a summary belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadedSummary {
    /// Nothing.
    Absent,
    /// The summary.
    Found(Box<Summary>),
    /// The summary of another session or generation.
    Foreign {
        /// Whose it is.
        session: String,
        /// Of which generation.
        number: u32,
    },
    /// Written by a later build that says this one cannot read it.
    Future {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
    /// Unreadable: the bytes belong in quarantine, the generation cannot be shown.
    Corrupt(CorruptKind),
}

/// What is wrong with the bytes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CorruptKind {
    /// Shorter or longer than their header says, or shorter than a header.
    Length,
    /// They do not begin as a part of this crate does.
    Magic,
    /// The checksum disagrees.
    Checksum,
    /// The checksum agrees and what it covers is no map of fields.
    Decode,
    /// A part of another kind: a summary where the root belongs, or the other way round.
    WrongPart,
}

impl CorruptKind {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Magic => "magic",
            Self::Checksum => "checksum",
            Self::Decode => "decode",
            Self::WrongPart => "wrong_part",
        }
    }
}

/// Reads the bytes that a store keeps as the root record of `session`.
///
/// A good checksum around odd values: missing, null and negative read as 0 or none; what is above its range or of another
/// type is replaced by the value that guards most, and `repaired` says so. Instants are taken as they are, however far
/// ahead: `Event::TimePassed` sets them back, and is written. `now` only dates what has to be rebuilt.
#[must_use]
pub fn load_root(bytes: Option<&[u8]>, session: &str, now: Timestamp) -> Loaded {
    let Some(bytes) = bytes else { return Loaded::Absent };
    let repaired = Cell::new(false);
    match open(bytes, part::ROOT, root::KNOWN, &repaired) {
        Ok(fields) => match fields.text(part::SESSION) {
            Some(other) if other != session => Loaded::Foreign { session: other.to_owned() },
            owner => {
                repaired.set(repaired.get() || owner.is_none());
                let root = root::decode(&fields, session, now);
                Loaded::Found { root, repaired: repaired.get() }
            }
        },
        Err(Fault::Future { min_reader }) => Loaded::Future { min_reader },
        Err(Fault::Corrupt(why)) => Loaded::Corrupt { root: rebuilt(session, now), why },
    }
}

/// Reads the bytes that a store keeps as the summary of generation `number` of `session`.
#[must_use]
pub fn load_summary(bytes: Option<&[u8]>, session: &str, number: u32) -> LoadedSummary {
    let Some(bytes) = bytes else { return LoadedSummary::Absent };
    match open(bytes, part::SUMMARY, summary::KNOWN, &Cell::new(false)).map(|fields| summary::decode(&fields)) {
        Ok(Some(found)) if found.session == session && found.number == number => LoadedSummary::Found(Box::new(found)),
        Ok(Some(Summary { session, number, .. })) => LoadedSummary::Foreign { session, number },
        Ok(None) => LoadedSummary::Corrupt(CorruptKind::Decode),
        Err(Fault::Future { min_reader }) => LoadedSummary::Future { min_reader },
        Err(Fault::Corrupt(why)) => LoadedSummary::Corrupt(why),
    }
}

pub(super) fn open<'b, 'r>(
    bytes: &'b [u8],
    kind: u8,
    known: u8,
    repaired: &'r Cell<bool>,
) -> Result<Fields<'b, 'r>, Fault> {
    let payload = frame::open(bytes)?;
    let fields = Fields::split(payload, known, repaired).ok_or(Fault::Corrupt(CorruptKind::Decode))?;
    match fields.number(part::KIND, 0) {
        0 => Ok(fields),
        found if found == kind => Ok(fields),
        _ => Err(Fault::Corrupt(CorruptKind::WrongPart)),
    }
}

fn rebuilt(session: &str, now: Timestamp) -> Root {
    Root { state: State::rebuilt(now), ..Root::new(session, 0) }
}
