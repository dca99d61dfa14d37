//! A state that contradicts itself is settled against the session: what the contradiction may have hidden counts.

use crate::{
    config::MIN_WINDOW,
    policy::{Guards, Kind, Phase, State, TRIP_AT},
};

/// Settles every contradiction, and whether there was one. A tripped guard without a deadline is none of them: time arms it.
pub(super) fn settle(state: &mut State) -> bool {
    let struck = strikes_that_left_traces(&mut state.guards);
    let judged = attempt_that_is_judged(&mut state.phase, &mut state.view_revision);
    let limit = &mut state.guards.window.limit;
    // No error can have taught a window that holds nothing.
    let taught = limit.take_if(|limit| *limit < MIN_WINDOW).is_some();
    struck | judged | taught
}

/// A deadline exists only while a guard is tripped, the line of the strikes only while one stands.
fn strikes_that_left_traces(guards: &mut Guards) -> bool {
    if guards.recovery.is_some() && !guards.tripped() {
        guards.weak_streak = TRIP_AT;
        return true;
    }
    let lost = guards.strike_threshold.is_some() && guards.ineffective_streak == 0 && guards.weak_streak == 0;
    guards.weak_streak += u8::from(lost);
    lost
}

/// What probes or awaits a verdict was not manual, and its verdict is that of the newest view.
fn attempt_that_is_judged(phase: &mut Phase, newest: &mut u32) -> bool {
    let awaited = matches!(phase, Phase::AwaitingVerdict { .. });
    let mut contradicts = false;
    if let Phase::AwaitingVerdict { view_revision, .. } = phase {
        contradicts = view_revision != newest;
        *newest = (*newest).max(*view_revision);
        *view_revision = *newest;
    }
    if let Phase::Compacting { attempt } | Phase::AwaitingVerdict { attempt, .. } = phase
        && attempt.kind == Kind::Manual
        && (awaited || attempt.probe.is_some())
    {
        attempt.kind = Kind::Auto;
        contradicts = true;
    }
    contradicts
}
