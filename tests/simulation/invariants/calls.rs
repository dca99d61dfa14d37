//! Model calls are bounded: a tripped guard allows none but a probe through an exit that is open, a cooldown none that starts
//! by itself, the cap none above three without progress. Counted on what is stored, not on what a tab believes.

use compaction_governor::{
    policy::{Attempt, Exit, Guards, Kind, limits},
    record::Root,
};

use super::{Commit, compacting};

/// The trip that is going on.
pub(super) struct Trip {
    since: u64,
    probes: u64,
}

pub(super) fn check(elapsed: u64, trip: &mut Option<Trip>, commit: &Commit<'_>) -> Result<(), String> {
    let claimed = compacting(commit.new).filter(|new| commit.live().is_none_or(|old| old.id != new.id));
    if let Some(attempt) = claimed.filter(|attempt| attempt.kind != Kind::Manual) {
        allowed(&attempt, commit)?;
        if let Some(trip) = trip.as_mut().filter(|_| attempt.probe.is_some()) {
            trip.probes += 1;
        }
    }
    follow(elapsed, trip, commit.new)
}

/// Probes of one trip: one by growth and one by emergency at once, one per model, then one a minute at most.
fn follow(elapsed: u64, trip: &mut Option<Trip>, new: &Root) -> Result<(), String> {
    if !new.state.guards.tripped() {
        *trip = None;
        return Ok(());
    }
    let trip = trip.get_or_insert(Trip { since: elapsed, probes: 0 });
    let most = AT_ONCE + (elapsed - trip.since) / limits::GROWTH_SPACING.0;
    if trip.probes > most { Err(format!("{} probes in one trip, {most} at most", trip.probes)) } else { Ok(()) }
}

fn allowed(attempt: &Attempt, commit: &Commit<'_>) -> Result<(), String> {
    if commit.ahead() {
        // More happened since it began than the claim alone.
        return Ok(());
    }
    let guards = &commit.new.state.guards;
    if guards.tripped() != attempt.probe.is_some() {
        return Err(format!("tripped: {}, but the attempt is {attempt:?}", guards.tripped()));
    }
    if guards.attempts_without_progress >= limits::ATTEMPT_CAP {
        return Err(format!("a fourth attempt without progress: {attempt:?}"));
    }
    let now = commit.by.now;
    let cooling = guards.failures.cooldown.filter(|cooldown| cooldown.until > now);
    if cooling.is_some_and(|cooldown| attempt.kind == Kind::Auto || cooldown.class.needs_a_person()) {
        return Err(format!("a call within the cooldown {cooling:?}: {attempt:?}"));
    }
    if attempt.kind == Kind::Auto && guards.interrupted.until.is_some_and(|until| until > now) {
        return Err(format!("a call within the cooldown of interrupted attempts: {attempt:?}"));
    }
    match attempt.probe {
        Some(exit) if !open(exit, attempt, guards, commit) => Err(format!("exit {exit:?} was shut\n  {guards:?}")),
        _ => Ok(()),
    }
}

fn open(exit: Exit, attempt: &Attempt, guards: &Guards, commit: &Commit<'_>) -> bool {
    let Some(recovery) = guards.recovery else { return false };
    let before = &commit.old.state.guards;
    match exit {
        Exit::Time => recovery.deadline <= commit.by.now,
        // The probe itself is counted already.
        Exit::Growth | Exit::Emergency => {
            let spacing = limits::GROWTH_SPACING.doubled(recovery.rung, limits::LONGEST_RUNG);
            let spaced = guards.last_attempt_end.is_none_or(|end| end.after(spacing) <= commit.by.now);
            !guards.fallen_back() && (recovery.probes <= 1 || spaced)
        }
        Exit::Model => !before.tripped() || !before.struck(attempt.model),
    }
}

/// Growth, emergency and the four models of a world, and one for the edge of a minute.
const AT_ONCE: u64 = 8;
