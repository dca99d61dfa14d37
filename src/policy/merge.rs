//! Two histories of one session become one, after writes had to wait (rule 14).

use crate::policy::{Guards, Interrupted, Phase, State, clamp, recovery};
use crate::{policy::Observation, time::Timestamp};

/// The state of the store, joined by what memory learned while it could not be written: never fewer strikes, never an
/// earlier deadline; phase, probe and view are the store's. Both are set back to what they can mean at `now` first: an
/// instant that a clock left far ahead must not win over a true one, and be set back afterwards.
#[must_use]
pub fn merge(store: &State, memory: &State, seen: &Observation, now: Timestamp) -> State {
    let (mut merged, mut memory) = (store.clone(), memory.clone());
    clamp::instants(&mut merged, now);
    clamp::instants(&mut memory, now);
    supersede_views(&mut merged, &memory);
    join(&mut merged.guards, &memory.guards);
    recovery::keep_in_step(&mut merged.guards, seen, now);
    merged
}

/// What memory alone has committed is no view any more, and its number may be that of one of the store's: the store's goes on
/// under a number that nobody has handed out, so that what comes late of a lost view is void.
fn supersede_views(merged: &mut State, memory: &State) {
    let view = |state: &State| (state.view_revision, state.guards.last_commit_at);
    if memory.view_revision < merged.view_revision || view(memory) == view(merged) {
        return;
    }
    merged.view_revision = memory.view_revision.saturating_add(1);
    if let Phase::AwaitingVerdict { view_revision, .. } = &mut merged.phase {
        *view_revision = merged.view_revision;
    }
}

fn join(guards: &mut Guards, other: &Guards) {
    guards.ineffective_streak = guards.ineffective_streak.max(other.ineffective_streak);
    guards.weak_streak = guards.weak_streak.max(other.weak_streak);
    guards.fallback_streak = guards.fallback_streak.max(other.fallback_streak);
    guards.attempts_without_progress = guards.attempts_without_progress.max(other.attempts_without_progress);
    guards.strike_threshold = least(guards.strike_threshold, other.strike_threshold);
    for model in &other.struck_models {
        if !guards.struck(*model) {
            guards.struck_models.push(*model);
        }
    }
    for (streak, theirs) in guards.failures.streaks.iter_mut().zip(other.failures.streaks) {
        *streak = (*streak).max(theirs);
    }
    let rank = |cooldown: super::Cooldown| (cooldown.until, cooldown.class as u8);
    let later = |standing: &super::Cooldown| guards.failures.cooldown.is_none_or(|ours| rank(ours) < rank(*standing));
    if let Some(cooldown) = other.failures.cooldown.filter(later) {
        guards.failures.cooldown = Some(cooldown);
    }
    guards.interrupted = Interrupted {
        streak: guards.interrupted.streak.max(other.interrupted.streak),
        until: guards.interrupted.until.max(other.interrupted.until),
    };
    guards.recovery = match (guards.recovery, other.recovery) {
        (Some(ours), Some(theirs)) => Some(super::Recovery {
            deadline: ours.deadline.max(theirs.deadline),
            rung: ours.rung.max(theirs.rung),
            probes: ours.probes.max(theirs.probes),
        }),
        (one, two) => one.or(two),
    };
    guards.baseline_tokens = guards.baseline_tokens.max(other.baseline_tokens);
    guards.last_attempt_end = guards.last_attempt_end.max(other.last_attempt_end);
    guards.emergency_spent |= other.emergency_spent;
    guards.overflow_pass_spent |= other.overflow_pass_spent;
    guards.after_last_resort |= other.after_last_resort;
    guards.user_turn = guards.user_turn.max(other.user_turn);
    guards.window.limit = least(guards.window.limit, other.window.limit);
    guards.window.accepted = guards.window.accepted.max(other.window.accepted);
}

fn least<T: Ord>(one: Option<T>, two: Option<T>) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Config,
        id::ModelId,
        policy::{Confidence, Cooldown, FailureClass, check},
        time::Millis,
    };

    fn seen() -> Observation {
        Observation {
            enabled: true,
            lines: Some(Config::default().lines(32_768, 0)),
            occupancy: 20_000,
            confidence: Confidence::Reported,
            floor: 4_000,
            appended_since_claim: 0,
            model: ModelId::UNNAMED,
            view_revision: 0,
            entries: 10,
            model_calls: 5,
            open_calls: false,
        }
    }

    #[test]
    fn merging_never_loses_a_strike_and_trips_on_the_sum_of_what_both_knew() {
        let mut store = State::default();
        store.guards.ineffective_streak = 1;
        store.guards.strike_threshold = Some(26_000);
        let memory = State::unknown_history();
        let merged = merge(&store, &memory, &seen(), Timestamp(1_000));
        assert_eq!((merged.guards.ineffective_streak, merged.guards.weak_streak), (1, 1));
        let deadline = merged.guards.recovery.map(|recovery| recovery.deadline);
        assert_eq!(deadline, Some(Timestamp(1_000).after(Millis::secs(300))));
        assert_eq!(check(&merged), Ok(()));
    }

    // The fault: a cooldown that a clock left a day ahead won the merge, and was set back to its own thirty seconds after it.
    // What it cost: the longer cooldown of the other tab was forgotten, and a provider that had asked to wait was called.
    // What now holds: both are set back first; the longer of what is left stands.
    #[test]
    fn merging_a_cooldown_that_a_clock_left_far_ahead_keeps_the_one_that_is_true() {
        let with = |class, until| {
            let mut state = State::default();
            state.guards.failures.streaks[class as usize] = 1;
            state.guards.failures.cooldown = Some(Cooldown { class, until: Timestamp(until) });
            state
        };
        let (now, day) = (Timestamp(1_000_000), 86_400_000);
        let (ahead, asked) =
            (with(FailureClass::BadSummary, now.0 + day), with(FailureClass::RateLimit, now.0 + 47_000));
        for (store, memory) in [(&asked, &ahead), (&ahead, &asked)] {
            let merged = merge(store, memory, &seen(), now);
            assert_eq!(merged.guards.failures.cooldown, asked.guards.failures.cooldown);
        }
    }

    #[test]
    fn merging_is_idempotent_and_commutes_on_the_guards() {
        let mut one = State::rebuilt(Timestamp(5));
        one.guards.interrupted.streak = 2;
        let mut two = State::unknown_history();
        two.guards.fallback_streak = 1;
        let join = |a, b| merge(a, b, &seen(), Timestamp(9)).guards;
        assert_eq!(join(&one, &one), one.guards.clone());
        assert_eq!(join(&one, &two), join(&two, &one));
    }
}
