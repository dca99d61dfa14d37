//! Another writer's attempt that nobody works on any more.

use crate::{
    id::AttemptId,
    policy::{Event, Phase},
    session::{
        Session,
        write::{Mutated, Mutation},
    },
    time::Timestamp,
};

/// Ends the attempt that the store shows as running: the caller holds the session's lock, so that nobody works on it.
/// It counts as interrupted, once. The same is done by a [`Claim::alone`](super::Claim::alone), in the same commit.
#[derive(Clone, Copy, Debug, Default)]
pub struct TakeOver;

impl Mutation for TakeOver {
    /// Whether there was one.
    type Output = bool;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<bool> {
        session.pass_time(now);
        Mutated::root_only(session.abandon_orphan(now))
    }
}

impl Session {
    /// Whether `attempt` is the one that runs, as far as memory knows.
    #[must_use]
    pub fn runs(&self, attempt: AttemptId) -> bool {
        matches!(self.state().phase, Phase::Compacting { attempt: running } if running.id == attempt)
    }

    /// Abandons the running attempt, unless this object is the one that works on it.
    pub(super) fn abandon_orphan(&mut self, now: Timestamp) -> bool {
        let Phase::Compacting { attempt } = self.state().phase else { return false };
        if self.planned().is_some_and(|planned| planned.attempt == attempt.id) {
            return false;
        }
        self.apply(Event::Abandoned { attempt: attempt.id }, now);
        true
    }
}
