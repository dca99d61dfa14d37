//! The answer to "compact now?", with everything a person or a program may ask about it.

use crate::{
    config::{Line, Lines},
    id::ModelId,
    policy::Exit,
    time::Timestamp,
    tokens::Tokens,
};

/// What the session sees right now. Small, copied, assembled in constant time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Whether passes may start by themselves.
    pub enabled: bool,
    /// The lines of the window in force; `None` while no window is known.
    pub lines: Option<Lines>,
    /// Tokens of the next prompt.
    pub occupancy: Tokens,
    /// Where that figure comes from.
    pub confidence: Confidence,
    /// What no compaction can remove.
    pub floor: Tokens,
    /// Estimate of what the next prompt holds that was appended since the claim of the pass awaiting its verdict.
    pub appended_since_claim: Tokens,
    /// The model in force.
    pub model: ModelId,
    /// The view that this was observed on.
    pub view_revision: u32,
    /// Entries of the transcript.
    pub entries: u32,
    /// Completed model calls, counted in the transcript.
    pub model_calls: u32,
    /// The transcript ends in a tool call without its results.
    pub open_calls: bool,
}

/// Where a token figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// From the provider's own count, plus an estimate of what came after it.
    Reported,
    /// An estimate corrected by what the provider counted before.
    Calibrated,
    /// An estimate.
    Estimated,
    /// Nothing was observed yet.
    Unknown,
}

/// The answer, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// Tokens of the next prompt.
    pub used: Tokens,
    /// The lines it was held against.
    pub lines: Option<Lines>,
    /// What no compaction can remove.
    pub floor: Tokens,
    /// Where `used` comes from.
    pub confidence: Confidence,
}

/// What to do about compaction now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: no pass is due.
    Hold(Hold),
    /// Start a pass.
    Compact(Pass),
    /// A pass is due, and something that ends by itself comes first.
    Wait {
        /// For what.
        reason: Wait,
        /// When it has ended at the latest.
        retry_at: Option<Timestamp>,
    },
    /// A pass is due, and a guard refuses it.
    Blocked(Blocked),
}

/// A pass that may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// What started it.
    pub trigger: Trigger,
    /// The exit of a tripped guard that it tries.
    pub probe: Option<Exit>,
    /// How the slice is summarised.
    pub means: Means,
    /// The line that its plan has to satisfy.
    pub line: Line,
}

/// What started a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The threshold, or the emergency line where that is in force.
    Threshold,
    /// The provider refused the prompt as too long.
    Overflow,
    /// A person or the model asked.
    Manual,
    /// An exit of a tripped guard opened.
    Probe,
}

/// How a slice is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By the host's model.
    Model,
    /// Without a model, at once: nothing else lets the conversation go on (rule 10).
    LastResort,
}

/// Why no pass is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Passes do not start by themselves here.
    Disabled,
    /// The window is not known yet.
    WindowUnknown,
    /// The prompt is below the threshold.
    BelowThreshold,
}

/// What a due pass waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A pass is going on, here or in another tab.
    InProgress,
    /// The last pass has no verdict yet.
    AwaitingUsage,
    /// A probe of the tripped guard has no verdict yet.
    ProbeInProgress,
    /// The transcript ends in a tool call without its results.
    OpenToolCalls,
}

/// A refusal, with its exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The guard that refuses.
    pub reason: Block,
    /// The earliest time at which it can change by itself.
    pub retry_at: Option<Timestamp>,
    /// The prompt size at which it changes.
    pub unblocks_at_tokens: Option<Tokens>,
}

/// A guard that refuses a due pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Three attempts without progress (rule 10).
    TurnLimit,
    /// The summariser failed (rule 7) or attempts kept being interrupted (rule 12).
    Cooldown,
    /// Passes did not help (rule 4).
    Ineffective,
    /// Passes had to do without a model (rule 4).
    FallbackStreak,
    /// Passes helped, and the prompt refilled at once (rule 9).
    Refilling,
    /// What no compaction can remove leaves too little to save (rule 5).
    FloorBound,
    /// Nothing in reach that is not summarised already (rule 5).
    NothingToCompact,
}

impl Decision {
    /// The pass that may start, if one may.
    #[must_use]
    pub const fn pass(&self) -> Option<Pass> {
        match self.action {
            Action::Compact(pass) => Some(pass),
            _ => None,
        }
    }

    /// The stable reason code; the trigger's where a pass may start.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self.action {
            Action::Hold(hold) => hold.code(),
            Action::Compact(pass) => pass.trigger.code(),
            Action::Wait { reason, .. } => reason.code(),
            Action::Blocked(blocked) => blocked.reason.code(),
        }
    }

    /// The earliest time at which this answer can change by itself.
    #[must_use]
    pub const fn wake_at(&self) -> Option<Timestamp> {
        match self.action {
            Action::Wait { retry_at, .. } => retry_at,
            Action::Blocked(blocked) => blocked.retry_at,
            Action::Hold(_) | Action::Compact(_) => None,
        }
    }
}

impl Confidence {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Calibrated => "calibrated",
            Self::Estimated => "estimated",
            Self::Unknown => "unknown",
        }
    }
}

impl Trigger {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
            Self::Probe => "probe",
        }
    }
}

impl Hold {
    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::WindowUnknown => "window_unknown",
            Self::BelowThreshold => "below_threshold",
        }
    }
}

impl Wait {
    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::AwaitingUsage => "awaiting_usage",
            Self::ProbeInProgress => "probe_in_progress",
            Self::OpenToolCalls => "open_tool_calls",
        }
    }
}

impl Block {
    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TurnLimit => "turn_limit",
            Self::Cooldown => "cooldown",
            Self::Ineffective => "ineffective",
            Self::FallbackStreak => "fallback_streak",
            Self::Refilling => "refilling",
            Self::FloorBound => "floor_bound",
            Self::NothingToCompact => "nothing_to_compact",
        }
    }
}
