//! What a listener hears, in order, each once.

use crate::{
    id::AttemptId,
    policy::{Block, Settled, State, Trigger},
    session::{CarryRefusal, Durability, Loss, Session},
    time::Timestamp,
    tokens::Tokens,
};

/// Something worth telling a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A compaction began or ended.
    Compaction {
        /// Which.
        attempt: AttemptId,
        /// How it stands.
        status: Status,
        /// What started it.
        trigger: Trigger,
        /// When it was claimed.
        started_at: Timestamp,
        /// Occupancy at the claim.
        before: Tokens,
        /// Estimated occupancy after the commit.
        after: Option<Tokens>,
        /// The stable code of what went wrong.
        failure: Option<&'static str>,
    },
    /// A verdict was given.
    Verdict(Settled),
    /// A guard tripped or opened for good.
    Guard {
        /// Which.
        reason: Block,
        /// Whether it refuses from now on.
        tripped: bool,
        /// When its time exit opens.
        retry_at: Option<Timestamp>,
    },
    /// A pass was committed without what the host wanted to stand behind it.
    CarryRefused {
        /// Which pass.
        attempt: AttemptId,
        /// Why, with both numbers.
        refusal: CarryRefusal,
    },
    /// What the state survives has changed.
    Storage(Durability),
    /// Something that was stored is not there any more, or cannot be read.
    Loss(Loss),
    /// Another session's record lay under this session's key.
    ForeignRecord {
        /// Whose it was.
        session: String,
    },
}

/// How a compaction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Claimed; its summary is being written.
    InProgress,
    /// Committed.
    Completed,
    /// Ended without a summary.
    Failed,
    /// Ended because the transcript or another tab overtook it.
    Cancelled,
}

impl Status {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Session {
    pub(super) fn note_verdict(&mut self, settled: Settled) {
        self.edit_root(|root| {
            if let Some(generation) = root.generations.iter_mut().find(|judged| judged.attempt == settled.attempt) {
                generation.verdict = Some(settled.verdict);
                generation.after_tokens = Some(settled.net_tokens);
            }
        });
        self.notify(Notice::Verdict(settled));
    }

    pub(super) fn note_guards(&mut self, next: &State) {
        let (before, after) = (&self.state().guards, &next.guards);
        let retry_at = after.recovery.map(|recovery| recovery.deadline);
        let ineffective = (before.struck_out(), after.struck_out());
        let fallen_back = (before.fallen_back(), after.fallen_back());
        for (reason, (was, is)) in [(Block::Ineffective, ineffective), (Block::FallbackStreak, fallen_back)] {
            if was != is {
                self.notify(Notice::Guard { reason, tripped: is, retry_at: retry_at.filter(|_| is) });
            }
        }
    }
}
