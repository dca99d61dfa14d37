//! Opening: the record is read once; whatever is found, the session can be used.

use crate::{
    policy::State,
    record::{self, Loaded, Root},
    session::{Notice, Operation, Session, Settle, Step, Steps, StoreCommand, StoreReply, link::Health, write::Write},
    store::{Mark, Part, Snapshot, StoreError, StoreErrorKind},
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
    /// Its record, older than the one that was acknowledged last: what came after counts as one strike.
    RolledBack,
    /// No record, though one was acknowledged: the history is gone and counts as one strike.
    Lost,
    /// Something that could not be read and is in quarantine. A record: the guards are tripped and armed. A summary: the view
    /// shows an older one or the transcript.
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
                if let Some(loss) = session.loss(None, None) {
                    self.found = Found::Lost;
                    session.lose(loss, false, now);
                }
                self.settle(session, now)
            }
            Ok(Some(snapshot)) => {
                session.attach();
                session.set_revision(Some(snapshot.revision));
                self.read(session, &snapshot, now)
            }
            Err(error) if error.kind == StoreErrorKind::Corrupt => {
                session.attach();
                self.found = Found::Quarantined;
                session.write_over(now);
                self.settle(session, now)
            }
            Err(error) => {
                self.found = Found::Unknown;
                if !session.link().chosen_as_memory() {
                    session.edit_root(|root| root.state = State::unknown_history());
                    session.link_mut().assumed_strike = true;
                }
                session.detach(error, now);
                Step::Done
            }
        }
    }

    fn read(&mut self, session: &mut Session, snapshot: &Snapshot, now: Timestamp) -> Step {
        let bytes = snapshot.part(Part::Root);
        match record::load_root(bytes, session.id(), now) {
            Loaded::Absent => self.settle(session, now),
            Loaded::Found { root, repaired } => {
                self.take(session, root, repaired, snapshot, now);
                self.set_aside(session, now)
            }
            Loaded::Future { .. } => {
                session.change_link(|session| session.link_mut().health = Health::ReadOnly);
                self.found = Found::ReadOnly;
                Step::Done
            }
            Loaded::Foreign { session: whose } => {
                session.notify(Notice::ForeignRecord { session: whose });
                session.keep_aside(Part::Root, bytes);
                self.set_aside(session, now)
            }
            Loaded::Corrupt { root, .. } => {
                self.found = Found::Quarantined;
                let incarnation = session.root().incarnation;
                session.replace_root(Root { incarnation, ..root });
                session.set_root_aside(bytes);
                self.set_aside(session, now)
            }
        }
    }

    fn take(&mut self, session: &mut Session, root: Root, repaired: bool, snapshot: &Snapshot, now: Timestamp) {
        let loss = session.loss(None, Some(Mark { incarnation: root.incarnation, revision: snapshot.revision }));
        session.link_mut().unsaved = false;
        let whole = session.take_root(root, snapshot, now);
        self.found = if whole { Found::Existing } else { Found::Quarantined };
        session.link_mut().unsaved |= repaired;
        if let Some(loss) = loss {
            self.found = Found::RolledBack;
            session.lose(loss, false, now);
        }
    }

    /// What cannot be read is kept before it is written over.
    fn set_aside(&mut self, session: &mut Session, now: Timestamp) -> Step {
        match session.quarantine_next() {
            Some(step) => step,
            None => self.settle(session, now),
        }
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
            (StoreReply::Quarantined, None) => self.set_aside(session, now),
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
            Self::RolledBack => "rolled_back",
            Self::Lost => "lost",
            Self::Quarantined => "quarantined",
            Self::ReadOnly => "read_only",
        }
    }
}
