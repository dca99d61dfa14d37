//! What may happen in the small world.

use compaction_governor::policy::FailureClass;

/// What may happen next. A tab is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// A model call after so many new tokens; its usage is reported at once.
    Step(usize, u32),
    /// The same; no usage comes with it.
    Silent(usize, u32),
    /// The same; its usage comes later.
    Late(usize, u32),
    /// The late usage arrives.
    Arrive(usize),
    /// Decide, and claim at once.
    Go(usize),
    /// Decide and remember the answer.
    Decide(usize),
    /// Claim on the answer remembered.
    Claim(usize),
    /// A person asks.
    Manual(usize),
    /// After a proven overflow: claim, or the last resort.
    Overflowed(usize),
    /// The summariser answers.
    End(usize, Answer),
    /// The summariser answers, and the acknowledgement is lost: the event is applied twice.
    EndTwice(usize, Answer),
    /// The attempt going on says that it is alive.
    Renew(usize),
    /// The page is loaded again; what was going on in it is gone.
    Reload(usize),
    /// A tab sees that the attempt's owner is gone.
    Abandon(usize),
    /// Time passes.
    Pass(u64),
    /// The clock jumps back.
    Back(u64),
    /// A tab writes what time alone made due.
    Tick(usize),
    /// Another model is in force.
    Model(u8),
    /// A user speaks.
    User(usize),
    /// Other credentials.
    Credentials(usize),
    /// The plan was refused.
    NoPlan(usize),
    /// Everything is forgotten by hand.
    Reset(usize),
}

/// How the summariser answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Lands far below.
    Good,
    /// Saves one token.
    Weak,
    /// Lands one below the threshold.
    WeakBelow,
    /// Saves 11 %, still at or above the threshold.
    StillOver,
    /// A plain summary that lands far below.
    Fallback,
    /// A plain summary that saves one token.
    WeakFallback,
    /// Larger than its slice.
    Grew,
    /// Fails with a class.
    Fails(FailureClass),
}
