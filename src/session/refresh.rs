//! A look at the store because somebody hinted that it has changed. Nothing is written, and nothing depends on it.

use crate::{
    session::{Operation, Session, Step, Steps, StoreCommand, StoreReply, link::Health},
    store::{StoreError, StoreErrorKind},
    time::Timestamp,
};

/// Takes what another writer left in the store since this object last read it; where nothing is new, nothing changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refresh {
    changed: bool,
}

impl Refresh {
    /// A look at the store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Steps for Refresh {
    fn begin(&mut self, session: &mut Session, _: Timestamp) -> Step {
        // What was never opened has nothing to refresh, and a store that fails is tried again by who needs it.
        match session.link().health {
            Health::Attached => Step::Store(StoreCommand::Load),
            _ => Step::Done,
        }
    }

    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Step {
        match reply {
            StoreReply::Loaded(Ok(found)) => self.changed = session.reread(found, now),
            // What cannot be read was put aside.
            StoreReply::Quarantined => {}
            StoreReply::Loaded(Err(error)) => session.detach(error, now),
            _ => session.detach(StoreError::maybe_applied(StoreErrorKind::Indeterminate), now),
        }
        session.quarantine_next().unwrap_or(Step::Done)
    }
}

impl Operation for Refresh {
    /// Whether there was something new.
    type Output = bool;

    fn finish(self, _: &mut Session) -> bool {
        self.changed
    }
}
