//! A tripped guard and its exits (rule 4): each opens one probe, none is ever missing.

use crate::{
    policy::{
        Confidence, Exit, Guards, Observation, Recovery,
        limits::{GROWTH_PERMILLE, GROWTH_SPACING, LONGEST_RUNG, RECOVERY},
    },
    time::{Millis, Timestamp},
    tokens::Tokens,
};

/// The exit that is open now, if one is.
pub(super) fn open_exit(guards: &Guards, seen: &Observation, now: Timestamp) -> Option<Exit> {
    let recovery = guards.recovery?;
    if now >= recovery.deadline {
        return Some(Exit::Time);
    }
    if growth_counts(guards) && now >= spaced_from(guards, recovery) {
        if growth_line(guards).is_some_and(|line| seen.occupancy >= line) {
            return Some(Exit::Growth);
        }
        if emergency_line(guards, seen).is_some_and(|line| seen.occupancy >= line) {
            return Some(Exit::Emergency);
        }
    }
    another_model(guards, seen).then_some(Exit::Model)
}

/// When the next exit opens by itself, and at which prompt size one opens: where no exit is open now.
pub(super) fn next_exits(guards: &Guards, seen: &Observation, now: Timestamp) -> (Option<Timestamp>, Option<Tokens>) {
    let Some(recovery) = guards.recovery else { return (None, None) };
    if !growth_counts(guards) {
        return (Some(recovery.deadline), None);
    }
    let lines = [growth_line(guards), emergency_line(guards, seen)];
    let spaced = spaced_from(guards, recovery);
    let only_spaced = now < spaced && lines.iter().flatten().any(|line| seen.occupancy >= *line);
    let retry_at = if only_spaced { recovery.deadline.min(spaced) } else { recovery.deadline };
    (Some(retry_at), lines.into_iter().flatten().filter(|line| *line > seen.occupancy).min())
}

/// Makes the clock of the guards agree with the counters: armed while tripped, gone otherwise.
pub(super) fn keep_in_step(guards: &mut Guards, seen: &Observation, now: Timestamp) {
    match (guards.tripped(), guards.recovery) {
        (true, None) => {
            guards.recovery = Some(Recovery { deadline: now.after(RECOVERY), rung: 0, probes: 0 });
            arm_growth(guards, seen);
        }
        (false, Some(_)) => guards.recovery = None,
        _ => {}
    }
    if guards.ineffective_streak == 0 && guards.weak_streak == 0 {
        guards.strike_threshold = None;
        if guards.fallback_streak == 0 {
            guards.struck_models.clear();
        }
    }
}

/// Where no attempt was recorded growth counts from now (rule 4), once a size is known: from an unknown one any prompt grew.
pub(super) fn arm_growth(guards: &mut Guards, seen: &Observation) {
    if guards.tripped() && seen.confidence != Confidence::Unknown {
        guards.baseline_tokens.get_or_insert(seen.occupancy);
    }
}

/// A probe ended without helping: the time exit moves away by twice the length; by the same one if it was interrupted.
/// Never nearer: an attempt that expired is dated when it did, and the clock was armed since.
pub(super) fn rearm(guards: &mut Guards, interrupted: bool, now: Timestamp) {
    if let Some(recovery) = &mut guards.recovery {
        recovery.rung = recovery.rung.saturating_add(u8::from(!interrupted));
        recovery.deadline = recovery.deadline.max(now.after(rung_length(recovery.rung)));
    }
}

/// The length of the `rung`th time exit.
pub(super) fn rung_length(rung: u8) -> Millis {
    RECOVERY.doubled(rung, LONGEST_RUNG)
}

/// Where no model is known to have had its try (a rebuilt record) none is known to be another one.
fn another_model(guards: &Guards, seen: &Observation) -> bool {
    !guards.struck_models.is_empty() && !guards.struck(seen.model)
}

/// Growth says nothing about a summariser that does not answer (rule 4 b).
fn growth_counts(guards: &Guards) -> bool {
    !guards.fallen_back()
}

fn growth_line(guards: &Guards) -> Option<Tokens> {
    let line = (u64::from(guards.baseline_tokens?) * GROWTH_PERMILLE).div_ceil(1_000);
    Some(Tokens::try_from(line).unwrap_or(Tokens::MAX))
}

fn emergency_line(guards: &Guards, seen: &Observation) -> Option<Tokens> {
    seen.lines.filter(|_| !guards.emergency_spent).map(|lines| lines.emergency)
}

fn spaced_from(guards: &Guards, recovery: Recovery) -> Timestamp {
    match guards.last_attempt_end {
        Some(end) if recovery.probes > 0 => end.after(GROWTH_SPACING.doubled(recovery.rung, LONGEST_RUNG)),
        _ => Timestamp::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by simulation: another tab had armed the clock since, and the exit opened earlier than it had said.
    #[test]
    fn an_attempt_that_expired_long_ago_brings_no_time_exit_nearer() {
        let recovery = Recovery { deadline: Timestamp(1_000_000), rung: 0, probes: 1 };
        let mut guards = Guards { recovery: Some(recovery), ..Guards::default() };
        let deadline = |guards: &Guards| guards.recovery.map(|recovery| recovery.deadline);
        rearm(&mut guards, true, Timestamp(500_000));
        assert_eq!(deadline(&guards), Some(Timestamp(1_000_000)));
        rearm(&mut guards, false, Timestamp(900_000));
        assert_eq!(deadline(&guards), Some(Timestamp(900_000).after(rung_length(1))));
    }
}
