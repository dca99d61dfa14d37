//! A state that contradicts itself is settled against the session: what the contradiction may have hidden counts.

use crate::{
    config::MIN_WINDOW,
    policy::{Kind, Phase, State, TRIP_AT},
};

/// Settles every contradiction, and whether there was one. A tripped guard without a deadline is none of them: time arms it.
pub(super) fn settle(state: &mut State) -> bool {
    let before = state.clone();
    strikes_that_left_traces(state);
    attempt_that_is_judged(state);
    windows_nobody_has(state);
    *state != before
}

/// A deadline exists only while a guard is tripped, the line of the strikes only while one stands.
fn strikes_that_left_traces(state: &mut State) {
    let guards = &mut state.guards;
    if guards.recovery.is_some() && !guards.tripped() {
        guards.weak_streak = TRIP_AT;
    }
    if guards.strike_threshold.is_some() && guards.ineffective_streak == 0 && guards.weak_streak == 0 {
        guards.weak_streak = 1;
    }
}

/// What probes or awaits a verdict was not manual, and its verdict is that of the newest view.
fn attempt_that_is_judged(state: &mut State) {
    match &mut state.phase {
        Phase::Idle => {}
        Phase::Compacting { attempt } => {
            if attempt.probe.is_some() && attempt.kind == Kind::Manual {
                attempt.kind = Kind::Auto;
            }
        }
        Phase::AwaitingVerdict { attempt, view_revision, .. } => {
            if attempt.kind == Kind::Manual {
                attempt.kind = Kind::Auto;
            }
            let newest = state.view_revision.max(*view_revision);
            (state.view_revision, *view_revision) = (newest, newest);
        }
    }
}

/// No error can have taught a window that holds nothing.
fn windows_nobody_has(state: &mut State) {
    let window = &mut state.guards.window;
    window.limit = window.limit.filter(|limit| *limit >= MIN_WINDOW);
}
