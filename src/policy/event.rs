//! What changes the state: events, and what came of applying one.

use crate::{
    config::Line,
    id::{AttemptId, OwnerId},
    policy::{Decision, FailureClass, Kind, RefusedKind},
    time::{Millis, Timestamp},
    tokens::Tokens,
};

/// Everything that can change the state. Applying is pure; twice is once where an attempt id fences it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A model call completed and its provider counted the prompt.
    UsageReported(Report),
    /// A model call from the view `view_revision` completed and no usage came with it.
    StepWithoutUsage {
        /// The revision that the request was stamped with.
        view_revision: u32,
    },
    /// An attempt wants to begin. Decided again here, on this state: it may be refused.
    Claimed(Claim),
    /// A compaction that the host or its provider made by itself begins: nothing is asked, its commit is judged like any
    /// other.
    Adopted(Claim),
    /// The attempt is still being worked on: its deadline moves.
    Renewed {
        /// Which.
        attempt: AttemptId,
    },
    /// The attempt's summary is live.
    Committed {
        /// Which.
        attempt: AttemptId,
        /// Whether the summary was written without a model.
        fallback: bool,
    },
    /// The attempt ended without a summary.
    Failed {
        /// Which.
        attempt: AttemptId,
        /// How.
        failure: Failure,
    },
    /// The attempt's owner is gone, or its deadline passed.
    Abandoned {
        /// Which.
        attempt: AttemptId,
    },
    /// No plan was worth a model call.
    PlanRefused {
        /// Why.
        kind: RefusedKind,
    },
    /// The provider refused a prompt of the view `view_revision` as too long.
    OverflowProven {
        /// The revision that the request was stamped with.
        view_revision: u32,
        /// The limit that the error stated, in tokens.
        limit: Option<Tokens>,
    },
    /// Old entries were dropped without a model because nothing else would let the conversation go on (rule 10).
    LastResort,
    /// A person took the live summary back, or wrote it anew: the view is another one from now on, and a pending verdict
    /// is void, since nobody will ever read a prompt of the view it was to judge. No strike, and none cleared.
    Undone,
    /// Old entries were cleared without a model, by a pass that was allowed: the view is another one from now on. Settles a
    /// pending verdict as a claim does; no attempt, no strike.
    Pruned,
    /// A user spoke. `ordinal` counts the real user turns of the transcript; a host's own turns are not events (rule 11).
    UserTurn {
        /// Counted from 1.
        ordinal: u32,
    },
    /// Another model is in force from now on.
    ModelChanged,
    /// The host says that its credentials changed.
    CredentialsChanged,
    /// Does what time alone has made due: sets back every instant that is further away than its own length, arms a
    /// tripped guard that has no deadline, abandons an attempt past its deadline, gives a verdict that is due by
    /// estimate. Written, never done by a query.
    TimePassed,
    /// The host cut or edited its transcript: what follows is new.
    TranscriptCut {
        /// Entries that are left.
        entries: u32,
        /// Real user turns that are left.
        user_turns: u32,
    },
    /// Forget everything but the view, how fresh its reports are, and what was learned about the window.
    Reset,
}

/// A provider's count for one whole prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it counted, cache reads included.
    pub prompt_tokens: Tokens,
    /// The revision that the request was stamped with; `None` where the host cannot say.
    pub view_revision: Option<u32>,
    /// When the request was sent: decides where there is no revision.
    pub sent_at: Timestamp,
    /// Entries of the transcript that the prompt covered.
    pub entries: u32,
    /// Estimate of the same prompt, from the parts.
    pub estimated: Tokens,
    /// Estimate of the entries in the prompt that were appended since the claim of the pass awaiting its verdict.
    pub appended_since_claim: Tokens,
}

/// What an attempt needs to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The attempt's identity.
    pub attempt: AttemptId,
    /// The session object that claims.
    pub owner: OwnerId,
    /// Why.
    pub kind: Kind,
    /// The view that the plan was made on.
    pub view_revision: u32,
    /// The line that the plan was accepted for.
    pub line: Line,
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The class, which sets the cooldown.
    pub class: FailureClass,
    /// The summary was not smaller than its slice: a weak strike as well (rule 6).
    pub grew: bool,
    /// What the provider asked to wait.
    pub retry_after: Option<Millis>,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The state from now on.
    pub state: super::State,
    /// What a listener may want to hear.
    pub outcome: Outcome,
    /// The verdict that this event settled, if one was pending and due.
    pub verdict: Option<Settled>,
}

/// What an event did, apart from settling a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken.
    Taken,
    /// It changed nothing, and why.
    Ignored(Ignored),
    /// The claim was refused: this is what holds on the state that was found.
    Refused(Box<Decision>),
}

/// Why an event changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ignored {
    /// The figure belongs to a view older than the last commit.
    StaleView,
    /// The figure covers fewer entries of this view than one already counted.
    FewerEntries,
    /// No prompt can have had that many tokens: above the window, and far from the estimate.
    Impossible,
    /// The attempt it speaks of is not the one going on.
    NotThisAttempt,
    /// The view has changed since the claim was planned.
    StaleClaim,
    /// It had been seen before.
    AlreadySeen,
}

/// A settled verdict: was the last compaction worth it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Which compaction.
    pub attempt: AttemptId,
    /// The verdict.
    pub verdict: Verdict,
    /// The prompt it was judged by, less what was appended since the claim.
    pub net_tokens: Tokens,
    /// Whether an estimate judged, for want of a report.
    pub estimated: bool,
}

/// Was a compaction worth it (rule 3)?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Below its line, and at least 10 % saved.
    Effective,
    /// Below its line, but less than 10 % saved.
    Weak,
    /// Still at or above its line.
    Ineffective,
}

impl Verdict {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Effective => "effective",
            Self::Weak => "weak",
            Self::Ineffective => "ineffective",
        }
    }
}

impl Ignored {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::StaleView => "stale_view",
            Self::FewerEntries => "fewer_entries",
            Self::Impossible => "impossible",
            Self::NotThisAttempt => "not_this_attempt",
            Self::StaleClaim => "stale_claim",
            Self::AlreadySeen => "already_seen",
        }
    }
}
