//! What is always true of a state. Checked after every event in tests, and on every record that is loaded.

use thiserror::Error;

use crate::policy::{Kind, Phase, State};

/// A state that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Breach {
    /// A guard is tripped and has no deadline, or has one without being tripped.
    #[error("a recovery deadline exists exactly while a guard is tripped")]
    RecoveryOutOfStep,
    /// Strikes and the line they were earned at are out of step.
    #[error("a strike threshold exists exactly while strikes stand")]
    StrikeThresholdOutOfStep,
    /// A manual pass is never judged and never a probe.
    #[error("a manual attempt neither probes nor awaits a verdict")]
    ManualJudged,
    /// The verdict that is awaited belongs to another view.
    #[error("the verdict awaited is that of the current view")]
    VerdictOfAnotherView,
}

/// Checks what is always true; the first breach in a fixed order.
///
/// # Errors
/// The [`Breach`] that was found.
pub fn check(state: &State) -> Result<(), Breach> {
    let guards = &state.guards;
    if guards.tripped() != guards.recovery.is_some() {
        return Err(Breach::RecoveryOutOfStep);
    }
    let strikes = guards.ineffective_streak > 0 || guards.weak_streak > 0;
    if guards.strike_threshold.is_some() && !strikes {
        return Err(Breach::StrikeThresholdOutOfStep);
    }
    match &state.phase {
        Phase::Compacting { attempt } if attempt.kind == Kind::Manual && attempt.probe.is_some() => {
            Err(Breach::ManualJudged)
        }
        Phase::AwaitingVerdict { attempt, .. } if attempt.kind == Kind::Manual => Err(Breach::ManualJudged),
        Phase::AwaitingVerdict { view_revision, .. } if *view_revision != state.view_revision => {
            Err(Breach::VerdictOfAnotherView)
        }
        _ => Ok(()),
    }
}
