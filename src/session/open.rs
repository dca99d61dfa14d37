//! Opening: the record is read once; whatever is found, the session can be used.

use crate::{
    policy::State,
    record::{self, Loaded, Root},
    session::{Notice, Operation, Session, Settle, Step, Steps, StoreCommand, StoreReply, link::Health, write::Write},
    store::{Part, Snapshot, StoreError, StoreErrorKind},
    time::Timestamp,
};

/// Loads the session's record and writes what loading had to mend.
#[derive(Debug)]
pub struct Open {
    found: Found,
    mend: Option<Write<Settle>>,
}

/// How a session was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No record.
    New,
    /// Its record.
    Existing,
    /// A record that could not be read: it is in quarantine, the guards are tripped and armed.
    Quarantined,
    /// A record of a newer release, or none could be read at all: nothing is overwritten.
    ReadOnly,
    /// The store did not answer: the history is unknown and counts as one strike (rule 14).
    Unknown,
}

impl Open {
    /// Opens.
    #[must_use]
    pub fn new() -> Self {
        Self { found: Found::New, mend: None }
    }

    fn loaded(&mut self, session: &mut Session, reply: Result<Option<Snapshot>, StoreError>, now: Timestamp) -> Step {
        match reply {
            Ok(None) => {
                session.attach();
                self.settle(session, now)
            }
            Ok(Some(snapshot)) => {
                session.attach();
                session.set_revision(Some(snapshot.revision));
                self.read(session, &snapshot, now)
            }
            Err(error) if error.kind == StoreErrorKind::Corrupt => {
                session.attach();
                self.rebuilt(session, now)
            }
            Err(_) => {
                self.found = Found::Unknown;
                if !session.link().chosen_as_memory() {
                    session.edit_root(|root| root.state = State::unknown_history());
                    session.link_mut().assumed_strike = true;
                }
                session.detach(now);
                Step::Done
            }
        }
    }

    fn read(&mut self, session: &mut Session, snapshot: &Snapshot, now: Timestamp) -> Step {
        let bytes = snapshot.part(Part::Root);
        match record::load_root(bytes, session.id(), now) {
            Loaded::Absent => self.settle(session, now),
            Loaded::Found { root, repaired } => {
                self.found = Found::Existing;
                session.link_mut().unsaved = false;
                session.take_root(root, snapshot, now);
                session.link_mut().unsaved = repaired;
                self.settle(session, now)
            }
            Loaded::Future { .. } => {
                session.link_mut().health = Health::ReadOnly;
                session.notify(Notice::Storage(session.durability()));
                self.found = Found::ReadOnly;
                Step::Done
            }
            Loaded::Foreign { session: whose } => {
                session.notify(Notice::ForeignRecord { session: whose });
                Self::quarantine(bytes)
            }
            Loaded::Corrupt { root, .. } => self.unreadable(session, root, bytes),
        }
    }

    fn unreadable(&mut self, session: &mut Session, root: Root, bytes: Option<&[u8]>) -> Step {
        self.found = Found::Quarantined;
        let incarnation = session.root().incarnation;
        session.replace_root(Root { incarnation, ..root });
        session.link_mut().unsaved = true;
        Self::quarantine(bytes)
    }

    /// The store itself could not read what it kept, and has put it aside.
    fn rebuilt(&mut self, session: &mut Session, now: Timestamp) -> Step {
        self.found = Found::Quarantined;
        session.edit_root(|root| root.state = State::rebuilt(now));
        session.link_mut().unsaved = true;
        self.settle(session, now)
    }

    fn quarantine(bytes: Option<&[u8]>) -> Step {
        Step::Store(StoreCommand::Quarantine { part: Part::Root, bytes: bytes.unwrap_or_default().to_vec() })
    }

    /// A clamp or an arming that loading made necessary is a written event.
    fn settle(&mut self, session: &mut Session, now: Timestamp) -> Step {
        self.mend.insert(Write::new(Settle)).begin(session, now)
    }
}

impl Default for Open {
    fn default() -> Self {
        Self::new()
    }
}

impl Steps for Open {
    fn begin(&mut self, _: &mut Session, _: Timestamp) -> Step {
        Step::Store(StoreCommand::Load)
    }

    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Step {
        match (reply, &mut self.mend) {
            (StoreReply::Loaded(reply), None) => self.loaded(session, reply, now),
            (StoreReply::Quarantined, None) => self.settle(session, now),
            (reply, Some(mend)) => mend.resume(session, reply, now),
            _ => Step::Done,
        }
    }
}

impl Operation for Open {
    type Output = Found;

    fn finish(self, _: &mut Session) -> Found {
        self.found
    }
}

impl Found {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::New | Self::Unknown => "new",
            Self::Existing => "existing",
            Self::Quarantined => "quarantined",
            Self::ReadOnly => "read_only",
        }
    }
}
