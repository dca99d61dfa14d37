//! Calls that concern the store alone: a look at what is in it, and removal.

use crate::{
    policy::{Event, State},
    record::Root,
    session::{Operation, Session, Status, Step, Steps, StoreCommand, StoreReply, writing::Writing},
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
            session.forget(State::default());
        }
        removed
    }
}

impl Session {
    /// The record that memory is based on is gone: removed elsewhere, or lost with everything that the store held. Nobody can
    /// tell which, so that both hold: no text of a removed conversation comes back, and no guard is weaker for a loss.
    ///
    /// Nothing is written here, and nothing by time alone later: a removed session stays removed until its user goes on.
    pub(super) fn lose_record(&mut self, now: Timestamp) {
        let mut state = self.state().clone();
        state.abandon(now);
        self.forget(state);
        // Whatever was to be judged is no part of the view any more.
        self.apply(Event::Undone, now);
    }

    /// Begins anew with `state`. Requests of the views before stay void, and the attempt that was running has ended.
    fn forget(&mut self, state: State) {
        let view_revision = self.state().view_revision.saturating_add(1);
        self.set_revision(None);
        self.link_mut().unsaved = false;
        self.link_mut().owed_tokens = 0;
        self.note_reported_here(false);
        if let Some(planned) = self.planned().cloned() {
            self.notify(planned.notice(Status::Cancelled, None, None));
        }
        self.set_planned(None);
        *self.writing_mut() = Writing::default();
        self.clear_texts();
        let incarnation = self.draw_op().0;
        let state = State { view_revision, ..state };
        self.replace_root(Root { state, ..Root::new(self.id(), incarnation) });
    }
}
