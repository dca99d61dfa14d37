//! The guard state machine. Pure: numbers, ids and times in, decisions out; it knows no message, no store and no clock.

mod apply;
mod check;
mod clamp;
mod decide;
mod decision;
mod event;
pub mod limits;
mod merge;
mod reading;
mod recovery;
mod sentence;
mod settle;
mod state;

pub use apply::apply;
pub use check::{Breach, check};
pub use decide::{decide, decide_manual, decide_overflow, due};
pub use decision::{Action, Block, Blocked, Confidence, Decision, Hold, Means, Observation, Pass, Trigger, Wait};
pub use event::{Applied, Claim, Event, Failure, Ignored, Outcome, Report, Settled, Verdict};
pub use merge::merge;
pub use sentence::sentence;
pub use state::{
    Attempt, Cooldown, Exit, FailureClass, Failures, Guards, Interrupted, Kind, LearnedWindow, MAX_STRUCK_MODELS,
    Phase, Recovery, Refused, RefusedKind, State, StruckModels, TRIP_AT,
};
