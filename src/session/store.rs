//! Calls that concern the store alone: a look at what is in it, and removal.

use crate::{
    session::{Operation, Session, Step, Steps, StoreCommand, StoreReply},
    store::{Snapshot, StoreError},
    time::Timestamp,
};

/// What is in the store now, without taking it.
#[derive(Debug, Default)]
pub struct Peek {
    found: Option<Result<Option<Snapshot>, StoreError>>,
}

/// Removes the session's records, whatever their revision.
#[derive(Debug, Default)]
pub struct Remove {
    removed: Option<Result<(), StoreError>>,
}

impl Steps for Peek {
    fn begin(&mut self, _: &mut Session, _: Timestamp) -> Step {
        Step::Store(StoreCommand::Load)
    }

    fn resume(&mut self, _: &mut Session, reply: StoreReply, _: Timestamp) -> Step {
        if let StoreReply::Loaded(found) = reply {
            self.found = Some(found);
        }
        Step::Done
    }
}

impl Operation for Peek {
    type Output = Result<Option<Snapshot>, StoreError>;

    fn finish(self, _: &mut Session) -> Self::Output {
        self.found.unwrap_or(Ok(None))
    }
}

impl Steps for Remove {
    fn begin(&mut self, _: &mut Session, _: Timestamp) -> Step {
        Step::Store(StoreCommand::Remove)
    }

    fn resume(&mut self, _: &mut Session, reply: StoreReply, _: Timestamp) -> Step {
        if let StoreReply::Removed(removed) = reply {
            self.removed = Some(removed);
        }
        Step::Done
    }
}

impl Operation for Remove {
    type Output = Result<(), StoreError>;

    fn finish(self, session: &mut Session) -> Self::Output {
        let removed = self.removed.unwrap_or(Ok(()));
        if removed.is_ok() {
            session.forget();
        }
        removed
    }
}
