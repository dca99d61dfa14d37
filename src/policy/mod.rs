//! The guard state machine. Pure: numbers, ids and times in, decisions out; it knows no message, no store and no clock.

mod decision;
mod event;
mod state;

pub use decision::{Action, Block, Blocked, Confidence, Decision, Hold, Means, Observation, Pass, Trigger, Wait};
pub use event::{Applied, Claim, Event, Failure, Ignored, Outcome, Report, Settled, Verdict};
pub use state::{
    Attempt, Cooldown, Exit, FailureClass, Failures, Guards, Interrupted, Kind, LearnedWindow, MAX_STRUCK_MODELS,
    Phase, Recovery, Refused, RefusedKind, State, StruckModels, TRIP_AT,
};

use crate::time::Millis;

/// From a trip to its first time exit (C2).
pub const RECOVERY: Millis = Millis::secs(300);
