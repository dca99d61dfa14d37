//! A provider's count: whether it can be trusted, and what it settles (rules 2 and 3).

use crate::{
    policy::{
        Ignored, Observation, Phase, Report, Settled, State,
        limits::AGREEMENT_PART,
        recovery,
        settle::{self, Evidence},
    },
    time::Timestamp,
    tokens::Tokens,
};

/// Takes a report: the pending verdict is given by it, or it is an ordinary reading.
pub(super) fn take(
    state: &mut State,
    report: &Report,
    seen: &Observation,
    now: Timestamp,
) -> Result<Option<Settled>, Ignored> {
    fresh(state, report)?;
    possible(report, seen)?;
    learn_window(state, report, seen);
    state.guards.reported_entries = report.entries;
    let below = seen.lines.is_some_and(|lines| report.prompt_tokens < lines.threshold);
    state.guards.emergency_spent &= !below;
    if matches!(state.phase, Phase::AwaitingVerdict { .. }) {
        let evidence =
            Evidence { reading: report.prompt_tokens, appended: report.appended_since_claim, estimated: false };
        return Ok(settle::verdict(state, seen, evidence, now));
    }
    ordinary(state, report.prompt_tokens, below, seen, now);
    Ok(None)
}

/// A report is void when its view is older than the last commit, or covers fewer entries than one already counted.
/// Without a revision it counts by when its request was sent, never by its arrival.
fn fresh(state: &State, report: &Report) -> Result<(), Ignored> {
    let current = match report.view_revision {
        Some(revision) => revision == state.view_revision,
        None => state.guards.last_commit_at.is_none_or(|commit| report.sent_at >= commit),
    };
    if !current {
        return Err(Ignored::StaleView);
    }
    if report.entries < state.guards.reported_entries {
        return Err(Ignored::FewerEntries);
    }
    Ok(())
}

fn possible(report: &Report, seen: &Observation) -> Result<(), Ignored> {
    let above = seen.lines.is_some_and(|lines| report.prompt_tokens > lines.window);
    if report.prompt_tokens == 0 || (above && exceeds_estimate(report)) {
        return Err(Ignored::Impossible);
    }
    Ok(())
}

/// Whether the figure is more than a quarter above the estimate of the same prompt. One that is below it is no sum of several
/// prompts: where the window was understated, it may be the first to say that the fixed part has shrunk.
fn exceeds_estimate(report: &Report) -> bool {
    let above = u64::from(report.prompt_tokens.saturating_sub(report.estimated));
    above * AGREEMENT_PART > u64::from(report.estimated)
}

/// An accepted prompt proves that the window holds it (rules 2 and 10).
fn learn_window(state: &mut State, report: &Report, seen: &Observation) {
    let window = &mut state.guards.window;
    window.limit = window.limit.filter(|limit| report.prompt_tokens <= *limit);
    if seen.lines.is_some_and(|lines| report.prompt_tokens > lines.window) {
        window.accepted = Some(report.prompt_tokens);
    }
}

fn ordinary(state: &mut State, reading: Tokens, below: bool, seen: &Observation, now: Timestamp) {
    let guards = &mut state.guards;
    guards.baseline_tokens = guards.baseline_tokens.map(|baseline| baseline.min(reading));
    let below_strikes = guards.strike_threshold.is_none_or(|line| reading < line);
    if below && below_strikes && !guards.after_last_resort && guards.ineffective_streak > 0 {
        guards.ineffective_streak = 0;
        recovery::keep_in_step(guards, seen, now);
    }
}
