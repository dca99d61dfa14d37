//! The guard state: one phase that owns its data, and the counters.

use arrayvec::ArrayVec;

use crate::{
    config::Line,
    id::{AttemptId, ModelId, OwnerId},
    time::Timestamp,
    tokens::Tokens,
};

/// Everything the policy knows of a session. Durable: it is what the root record carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// What is going on.
    pub phase: Phase,
    /// What was learned.
    pub guards: Guards,
    /// How many commits the view has had: the revision that a request is stamped with.
    pub view_revision: u32,
}

/// What is going on in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// An attempt was claimed; a summary is being written.
    Compacting {
        /// The attempt.
        attempt: Attempt,
    },
    /// A summary was committed; the next fresh reading says whether it helped.
    AwaitingVerdict {
        /// The attempt that committed.
        attempt: Attempt,
        /// The line it is judged against, in tokens, as it stood at the commit.
        line_tokens: Tokens,
        /// The view revision that the commit made.
        view_revision: u32,
        /// When it was committed.
        committed_at: Timestamp,
        /// Completed model calls since the commit whose provider reported no usage.
        steps_without_usage: u8,
    },
}

/// One try at compacting, from claim to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// Its identity, which fences its commit, failure and renewal.
    pub id: AttemptId,
    /// The session object that claimed it.
    pub owner: OwnerId,
    /// Why it was claimed.
    pub kind: Kind,
    /// The exit of a tripped guard that it tries, if it is a probe.
    pub probe: Option<Exit>,
    /// The model in force at the claim.
    pub model: ModelId,
    /// Occupancy at the claim.
    pub before: Tokens,
    /// Entries of the transcript at the claim: what came later is not this pass's to answer for.
    pub entries: u32,
    /// The line its plan was accepted for.
    pub line: Line,
    /// When it counts as interrupted unless it was renewed.
    pub deadline: Timestamp,
}

/// Why an attempt was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The threshold (or emergency line) was reached.
    Auto,
    /// A person or the model asked: gives no strike, moves no counter.
    Manual,
    /// The provider refused a prompt as too long.
    Overflow,
}

/// A way out of a tripped guard (rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// The recovery deadline passed (4 a).
    Time,
    /// The prompt grew by a fifth since the last attempt (4 b).
    Growth,
    /// The prompt crossed the emergency line (4 b).
    Emergency,
    /// The model now in force has no strike in this trip (4 d).
    Model,
}

/// The counters and deadlines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guards {
    /// Passes in a row after which the prompt was still at or above its line (A2).
    pub ineffective_streak: u8,
    /// Passes in a row that saved less than 10 % (C1), or whose summary was not smaller.
    pub weak_streak: u8,
    /// The lowest line a standing strike was earned at: a reading must be below it to clear strikes.
    pub strike_threshold: Option<Tokens>,
    /// Models with a strike, a fallback summary or a probe that did not help, as long as any of these counters stands.
    pub struck_models: StruckModels,
    /// Passes in a row that had to be summarised without a model.
    pub fallback_streak: u8,
    /// Failures, per class.
    pub failures: Failures,
    /// Exists exactly while a guard is tripped.
    pub recovery: Option<Recovery>,
    /// Occupancy at the claim of the last attempt, then its verdict's reading or a lower later one. `None`: never attempted.
    pub baseline_tokens: Option<Tokens>,
    /// The emergency line already opened a guard; spent until a reading below the threshold (4 b).
    pub emergency_spent: bool,
    /// The last plan that was refused.
    pub refused: Option<Refused>,
    /// The model calls, counted in the transcript, at which the last three passes were committed; oldest first (rule 9).
    pub commit_ordinals: ArrayVec<u32, 3>,
    /// Attempts in a row that never ended.
    pub interrupted: Interrupted,
    /// Attempts since something last helped (rule 10).
    pub attempts_without_progress: u8,
    /// A transient cooldown was passed for a proven overflow in this user turn (rule 10).
    pub overflow_pass_spent: bool,
    /// When the last attempt ended. `None`: never attempted.
    pub last_attempt_end: Option<Timestamp>,
    /// When the view last changed by a commit.
    pub last_commit_at: Option<Timestamp>,
    /// A last resort made the prompt small: low readings prove nothing until a pass helps.
    pub after_last_resort: bool,
    /// Entries of this view that the freshest report covered; rides along, never written alone.
    pub reported_entries: u32,
    /// The newest real user turn that was seen, by its ordinal in the transcript.
    pub user_turn: u32,
    /// What providers have taught about the window.
    pub window: LearnedWindow,
}

/// Models with a strike in the current trip. A full list counts every model as struck.
pub type StruckModels = ArrayVec<ModelId, MAX_STRUCK_MODELS>;

/// How the summariser failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FailureClass {
    /// It wrote something that is no summary (rule 6).
    BadSummary = 0,
    /// Anything without a class of its own.
    Other = 1,
    /// It did not answer in time.
    Timeout = 2,
    /// It asked to wait.
    RateLimit = 3,
    /// There is none.
    NoSummarizer = 4,
    /// It refused the credentials.
    Auth = 5,
    /// The account is empty.
    Quota = 6,
}

/// Failures in a row per class, and the cooldown they earned (rule 7).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failures {
    /// Failures of each class since the last healthy commit, indexed by [`FailureClass`].
    pub streaks: [u8; FailureClass::COUNT],
    /// The longest standing cooldown.
    pub cooldown: Option<Cooldown>,
}

/// A time during which no pass starts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cooldown {
    /// The class that set it.
    pub class: FailureClass,
    /// When it ends.
    pub until: Timestamp,
}

/// The clock of a tripped guard (rule 4 a).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recovery {
    /// When the time exit opens.
    pub deadline: Timestamp,
    /// How often the length was doubled.
    pub rung: u8,
    /// Probes claimed in this trip.
    pub probes: u8,
}

/// A plan that was refused (rule 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refused {
    /// Why.
    pub kind: RefusedKind,
    /// Occupancy when it was refused.
    pub at_tokens: Tokens,
    /// The floor when it was refused.
    pub floor: Tokens,
    /// When it is planned again at the latest.
    pub until: Timestamp,
}

/// Why a plan was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusedKind {
    /// What no compaction can remove leaves too little to save.
    FloorBound,
    /// The slice holds nothing that is not summarised already.
    NothingToCompact,
}

/// Attempts that never ended (rule 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interrupted {
    /// How many in a row.
    pub streak: u8,
    /// The cooldown they earned, from the third on.
    pub until: Option<Timestamp>,
}

/// What providers have taught about the window (rules 2 and 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LearnedWindow {
    /// A limit stated by an overflow error; dropped when a larger prompt is accepted.
    pub limit: Option<Tokens>,
    /// The largest prompt that was accepted above the window that was stated.
    pub accepted: Option<Tokens>,
}

impl State {
    /// The state of a session whose store cannot be read: one strike, so that a reload buys at most one pass (rule 14).
    #[must_use]
    pub fn unknown_history() -> Self {
        Self { guards: Guards { weak_streak: 1, ..Guards::default() }, ..Self::default() }
    }

    /// The state rebuilt for a record that cannot be read: tripped, its time exit armed (design, section 5).
    #[must_use]
    pub fn rebuilt(now: Timestamp) -> Self {
        let mut state = Self::default();
        state.guards.weak_streak = TRIP_AT;
        state.guards.recovery = Some(Recovery { deadline: now.after(super::limits::RECOVERY), rung: 0, probes: 0 });
        state
    }

    /// The attempt that is compacting or awaiting its verdict.
    #[must_use]
    pub fn attempt(&self) -> Option<&Attempt> {
        match &self.phase {
            Phase::Idle => None,
            Phase::Compacting { attempt } | Phase::AwaitingVerdict { attempt, .. } => Some(attempt),
        }
    }

    /// The window in force: the smaller of what is stated and what an error taught, unless a larger prompt was accepted.
    #[must_use]
    pub fn window(&self, stated: Option<Tokens>) -> Option<Tokens> {
        let learned = self.guards.window;
        let least = match (stated, learned.limit) {
            (Some(stated), Some(limit)) => Some(stated.min(limit)),
            (one, other) => one.or(other),
        };
        least.map(|window| window.max(learned.accepted.unwrap_or(0)))
    }

    /// Whether going from this state to `next` has to be written. What merely rides along with the next write has not.
    #[must_use]
    pub fn differs_durably(&self, next: &Self) -> bool {
        self.without_riders() != next.without_riders()
    }

    fn without_riders(&self) -> Self {
        let mut bare = self.clone();
        bare.guards.baseline_tokens = None;
        bare.guards.reported_entries = 0;
        bare.guards.user_turn = 0;
        if let Phase::AwaitingVerdict { steps_without_usage, .. } = &mut bare.phase {
            *steps_without_usage = 0;
        }
        bare
    }
}

impl Guards {
    /// Whether strikes have tripped the guard (rule 4).
    #[must_use]
    pub fn struck_out(&self) -> bool {
        self.ineffective_streak.saturating_add(self.weak_streak) >= TRIP_AT
    }

    /// Whether fallback summaries have tripped the guard (rule 4).
    #[must_use]
    pub fn fallen_back(&self) -> bool {
        self.fallback_streak >= TRIP_AT
    }

    /// Whether any guard is tripped.
    #[must_use]
    pub fn tripped(&self) -> bool {
        self.struck_out() || self.fallen_back()
    }

    /// Whether `model` has a strike in this trip. A full list answers yes: it must not open an exit by forgetting.
    #[must_use]
    pub fn struck(&self, model: ModelId) -> bool {
        self.struck_models.is_full() || self.struck_models.contains(&model)
    }
}

impl FailureClass {
    /// How many classes there are.
    pub const COUNT: usize = 7;

    /// Every class, in the order of its number.
    pub const ALL: [Self; Self::COUNT] =
        [Self::BadSummary, Self::Other, Self::Timeout, Self::RateLimit, Self::NoSummarizer, Self::Auth, Self::Quota];

    /// The class with this stable word.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.code() == code)
    }

    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadSummary => "bad_summary",
            Self::Other => "other",
            Self::Timeout => "timeout",
            Self::RateLimit => "rate_limit",
            Self::NoSummarizer => "no_summarizer",
            Self::Auth => "auth",
            Self::Quota => "quota",
        }
    }

    /// Whether a person has to act before it can go away: no proven overflow passes it, changed credentials end it.
    #[must_use]
    pub const fn needs_a_person(self) -> bool {
        matches!(self, Self::Auth | Self::Quota)
    }
}

impl Exit {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Growth => "growth",
            Self::Emergency => "emergency",
            Self::Model => "model",
        }
    }
}

/// Strikes, or fallback summaries, in a row that trip the guard. One strike drops twice the text, three let more waste through.
pub const TRIP_AT: u8 = 2;
/// More models than any router alternates between; the list stays small in the record.
pub const MAX_STRUCK_MODELS: usize = 8;
