//! What time and evidence settle: verdicts (rule 3) and attempts that never ended (rule 12).

use std::borrow::Cow;

use crate::{
    config::Line,
    policy::{
        Attempt, Confidence, Kind, Observation, Phase, Settled, State, Verdict,
        limits::{self, LEAST_SAVING_PERMILLE, VERDICT_WAIT},
        recovery,
    },
    time::Timestamp,
    tokens::Tokens,
};

/// What a verdict is given by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The whole prompt.
    pub reading: Tokens,
    /// Of it, appended since the claim: not the pass's to answer for.
    pub appended: Tokens,
    /// An estimate, for want of a report.
    pub estimated: bool,
}

impl Evidence {
    /// The session's own estimate of the next prompt.
    fn estimate(seen: &Observation) -> Self {
        Self { reading: seen.occupancy, appended: seen.appended_since_claim, estimated: true }
    }

    fn net(self) -> Tokens {
        self.reading.saturating_sub(self.appended)
    }
}

/// `state` with everything settled that is due at `now`; borrowed where nothing is.
pub(super) fn due<'a>(state: &'a State, seen: &Observation, now: Timestamp) -> Cow<'a, State> {
    let expired = expired_attempt(state, now).is_some();
    if !expired && !verdict_due(state, seen, now) {
        return Cow::Borrowed(state);
    }
    let mut settled = state.clone();
    settle_due(&mut settled, seen, now);
    Cow::Owned(settled)
}

/// `state` with everything settled that is pending, due or not: what a claim that waits for no verdict decides on.
pub(super) fn all<'a>(state: &'a State, seen: &Observation, now: Timestamp) -> Cow<'a, State> {
    let mut settled = due(state, seen, now);
    if matches!(settled.phase, Phase::AwaitingVerdict { .. }) {
        verdict_by_estimate(settled.to_mut(), seen, now);
    }
    settled
}

/// Settles in place everything that is due at `now`, dated when it became due; the verdict, if one was given.
pub(super) fn settle_due(state: &mut State, seen: &Observation, now: Timestamp) -> Option<Settled> {
    if let Some(attempt) = expired_attempt(state, now) {
        interrupt(state, &attempt, now);
    }
    if verdict_due(state, seen, now) { verdict_by_estimate(state, seen, now) } else { None }
}

/// Gives the pending verdict by the session's own estimate, if one is pending. Dated no later than it was due: a query
/// settles again each time it is asked, and a deadline counted from the asking would never come.
pub(super) fn verdict_by_estimate(state: &mut State, seen: &Observation, now: Timestamp) -> Option<Settled> {
    let Phase::AwaitingVerdict { committed_at, .. } = state.phase else { return None };
    verdict(state, seen, Evidence::estimate(seen), now.min(committed_at.after(VERDICT_WAIT)))
}

/// Gives the pending verdict on `evidence`, if one is pending.
pub(super) fn verdict(state: &mut State, seen: &Observation, evidence: Evidence, now: Timestamp) -> Option<Settled> {
    let Phase::AwaitingVerdict { attempt, line_tokens, .. } = state.phase else { return None };
    let net_tokens = evidence.net();
    let verdict = judge(&attempt, line_tokens, net_tokens);
    state.phase = Phase::Idle;
    state.guards.baseline_tokens = Some(evidence.reading);
    match verdict {
        Verdict::Effective => clear_strikes(state),
        Verdict::Ineffective => {
            state.guards.ineffective_streak = state.guards.ineffective_streak.saturating_add(1);
            strike(state, &attempt, line_tokens);
        }
        Verdict::Weak => {
            let moved = std::mem::take(&mut state.guards.ineffective_streak).saturating_add(1);
            state.guards.weak_streak = state.guards.weak_streak.saturating_add(moved);
            strike(state, &attempt, line_tokens);
        }
    }
    if verdict != Verdict::Effective && attempt.probe.is_some() {
        recovery::rearm(&mut state.guards, false, now);
    }
    recovery::keep_in_step(&mut state.guards, seen, now);
    Some(Settled { attempt: attempt.id, verdict, net_tokens, estimated: evidence.estimated })
}

/// Notes that a pass of `attempt` did not help: its model, and the line it was earned at.
pub(super) fn strike(state: &mut State, attempt: &Attempt, line_tokens: Tokens) {
    let lowest = state.guards.strike_threshold.map_or(line_tokens, |standing| standing.min(line_tokens));
    state.guards.strike_threshold = Some(lowest);
    note_model(state, attempt);
}

/// Notes that the model of `attempt` had its try in this trip.
pub(super) fn note_model(state: &mut State, attempt: &Attempt) {
    if !state.guards.struck(attempt.model) {
        state.guards.struck_models.push(attempt.model);
    }
}

/// Ends `attempt` as interrupted, at its deadline at the latest: no strike; its own counter and, from the third in a row,
/// a cooldown.
pub(super) fn interrupt(state: &mut State, attempt: &Attempt, now: Timestamp) {
    let now = now.min(attempt.deadline);
    state.phase = Phase::Idle;
    if attempt.kind == Kind::Manual {
        return;
    }
    let guards = &mut state.guards;
    guards.last_attempt_end = Some(now);
    guards.interrupted.streak = guards.interrupted.streak.saturating_add(1);
    guards.interrupted.until = limits::interrupted(guards.interrupted.streak).map(|length| now.after(length));
    if attempt.probe.is_some() {
        recovery::rearm(guards, true, now);
    }
}

impl State {
    /// Ends the attempt that is compacting, if one is, as interrupted (rule 12): for a state in which nobody can end it, because
    /// its owner works on another one.
    pub fn abandon(&mut self, now: Timestamp) {
        if let Phase::Compacting { attempt } = self.phase {
            interrupt(self, &attempt, now);
        }
    }
}

fn judge(attempt: &Attempt, line_tokens: Tokens, net: Tokens) -> Verdict {
    let saved = attempt.before.saturating_sub(net);
    let enough = u64::from(saved) * 1_000 >= u64::from(attempt.before) * u64::from(LEAST_SAVING_PERMILLE);
    match (net < line_tokens, enough) {
        (false, _) => Verdict::Ineffective,
        (true, true) => Verdict::Effective,
        (true, false) => Verdict::Weak,
    }
}

/// Rung and struck models go with the last counter (`recovery::keep_in_step`): a plain summary that helped must not
/// reopen, at its first length and for its own model, the guard that plain summaries tripped.
fn clear_strikes(state: &mut State) {
    let guards = &mut state.guards;
    guards.ineffective_streak = 0;
    guards.weak_streak = 0;
    guards.attempts_without_progress = 0;
    guards.after_last_resort = false;
    guards.strike_threshold = None;
}

fn expired_attempt(state: &State, now: Timestamp) -> Option<Attempt> {
    match state.phase {
        Phase::Compacting { attempt } if now >= attempt.deadline => Some(attempt),
        _ => None,
    }
}

/// Never where nothing was observed yet: an estimate of a transcript that no host has shown would find every pass effective.
fn verdict_due(state: &State, seen: &Observation, now: Timestamp) -> bool {
    let Phase::AwaitingVerdict { committed_at, steps_without_usage, .. } = state.phase else { return false };
    if seen.confidence == Confidence::Unknown {
        return false;
    }
    let at_emergency = seen.lines.is_some_and(|lines| seen.occupancy >= lines.emergency);
    at_emergency || steps_without_usage >= limits::STEPS_WITHOUT_USAGE || now >= committed_at.after(VERDICT_WAIT)
}

/// The line that a pass of `attempt` is judged against, as it stands now; its own size where no window is known.
pub(super) fn line_tokens(attempt: &Attempt, seen: &Observation) -> Tokens {
    seen.lines.map_or(attempt.before, |lines| match attempt.line {
        Line::Threshold => lines.threshold,
        Line::Emergency => lines.emergency,
    })
}
