//! The clock is jumpy: no stored instant may be further away than its own length (design, section 3).

use crate::{
    policy::{
        Failures, Phase, State,
        limits::{self, ATTEMPT_DEADLINE, REPLAN_AFTER},
        recovery,
    },
    time::{Millis, Timestamp},
};

/// Sets back every instant that is further away than its own length; a past that lies in the future becomes now.
pub(super) fn instants(state: &mut State, now: Timestamp) {
    let ahead = |instant: &mut Timestamp, length: Millis| *instant = (*instant).min(now.after(length));
    let past = |instant: &mut Timestamp| *instant = (*instant).min(now);
    match &mut state.phase {
        Phase::Idle => {}
        Phase::Compacting { attempt } => ahead(&mut attempt.deadline, ATTEMPT_DEADLINE),
        Phase::AwaitingVerdict { committed_at, .. } => past(committed_at),
    }
    let guards = &mut state.guards;
    cooldown(&mut guards.failures, now);
    if let Some(until) = &mut guards.interrupted.until {
        ahead(until, limits::interrupted(guards.interrupted.streak).unwrap_or_default());
    }
    if let Some(recovery) = &mut guards.recovery {
        ahead(&mut recovery.deadline, recovery::rung_length(recovery.rung));
    }
    if let Some(refused) = &mut guards.refused {
        ahead(&mut refused.until, REPLAN_AFTER);
    }
    guards.last_commit_at.iter_mut().for_each(past);
    guards.last_attempt_end.iter_mut().for_each(past);
}

/// Sets the standing cooldown back to what its class and streak can mean.
pub(super) fn cooldown(failures: &mut Failures, now: Timestamp) {
    if let Some(cooldown) = &mut failures.cooldown {
        let streak = failures.streaks[cooldown.class as usize];
        let longest = now.after(limits::longest_cooldown(cooldown.class, streak));
        cooldown.until = cooldown.until.min(longest);
    }
}
