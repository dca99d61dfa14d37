//! The query: may a pass start now? Pure, constant time, and the only place where guards refuse.

use crate::{
    config::{Line, Lines},
    policy::{
        Action, Block, Blocked, Decision, Hold, Means, Observation, Pass, Phase, State, Trigger, Wait,
        limits::{ATTEMPT_CAP, CAP_RENEWAL, REFILL_CALLS, VERDICT_WAIT},
        recovery, settle,
    },
    time::Timestamp,
    tokens::{Tokens, permille},
};

/// May a pass start by itself? The first reason that applies, in the order of design section 3.
pub fn decide(state: &State, seen: &Observation, now: Timestamp) -> Decision {
    answer(seen, action(state, seen, now))
}

/// Whether [`decide`] lets a pass start: for callers that ask often and want no numbers.
#[must_use]
pub fn due(state: &State, seen: &Observation, now: Timestamp) -> bool {
    matches!(action(state, seen, now), Action::Compact(_))
}

/// May a pass start after the provider refused the current view as too long (rule 10)? A transient cooldown gives way
/// once per user turn; where no model may be called, the last resort remains. A verdict still pending is taken as given.
pub fn decide_overflow(state: &State, seen: &Observation, now: Timestamp) -> Decision {
    if !seen.enabled {
        return answer(seen, Action::Hold(Hold::Disabled));
    }
    if let Some(wait) = in_progress(state, now) {
        return answer(seen, wait);
    }
    let settled = settle::all(state, seen, now);
    let pass = |means, probe| Pass { trigger: Trigger::Overflow, probe, means, line: Line::Emergency };
    let guards = &settled.guards;
    let pass = match guards.failures.cooldown.filter(|cooldown| now < cooldown.until) {
        Some(cooldown) if cooldown.class.needs_a_person() => pass(Means::LastResort, None),
        _ if cap_reached(&settled, now).is_some() => pass(Means::LastResort, None),
        _ if cooldown_until(&settled, now).is_some() && guards.overflow_pass_spent => pass(Means::LastResort, None),
        _ if guards.tripped() => match recovery::open_exit(guards, seen, now) {
            Some(exit) => pass(Means::Model, Some(exit)),
            None => pass(Means::LastResort, None),
        },
        _ => pass(Means::Model, None),
    };
    answer(seen, Action::Compact(pass))
}

/// May a pass start because a person or the model asked (rule 4 e)? Only one that is going on stands in the way.
pub fn decide_manual(state: &State, seen: &Observation, now: Timestamp) -> Decision {
    if !seen.enabled {
        return answer(seen, Action::Hold(Hold::Disabled));
    }
    let pass = Pass { trigger: Trigger::Manual, probe: None, means: Means::Model, line: Line::Emergency };
    answer(seen, in_progress(state, now).unwrap_or(Action::Compact(pass)))
}

/// The transient or lasting cooldown in force, by when it ends (rules 7 and 12).
pub(super) fn cooldown_until(state: &State, now: Timestamp) -> Option<Timestamp> {
    let failure = state.guards.failures.cooldown.map(|cooldown| cooldown.until);
    // None is less than any instant.
    failure.max(state.guards.interrupted.until).filter(|until| now < *until)
}

/// Whether three passes in a row were each refilled within three model calls (rule 9).
fn refilling(state: &State, seen: &Observation) -> bool {
    let close = |earlier: u32, later: u32| later.checked_sub(earlier).is_some_and(|calls| calls <= REFILL_CALLS);
    match state.guards.commit_ordinals[..] {
        [first, second, third] => close(first, second) && close(second, third) && close(third, seen.model_calls),
        _ => false,
    }
}

struct Gate<'a> {
    state: &'a State,
    seen: &'a Observation,
    lines: Lines,
    now: Timestamp,
}

impl Gate<'_> {
    fn automatic(&self) -> Action {
        let probe = match self.refusal() {
            Err(refused) => return refused,
            Ok(probe) => probe,
        };
        let trigger = if probe.is_some() { Trigger::Probe } else { Trigger::Threshold };
        let line = if self.seen.occupancy >= self.lines.emergency { Line::Emergency } else { Line::Threshold };
        Action::Compact(Pass { trigger, probe, means: Means::Model, line })
    }

    /// The exit that a probe would try, or the first guard that refuses.
    fn refusal(&self) -> Result<Option<super::Exit>, Action> {
        self.ordinary_verdict()?;
        self.turn_limit()?;
        self.cooldown()?;
        self.probe_verdict()?;
        let exit = self.tripped()?;
        self.refilling()?;
        self.refused_plan()?;
        self.open_calls()?;
        Ok(exit)
    }

    fn ordinary_verdict(&self) -> Result<(), Action> {
        self.pending(false, Wait::AwaitingUsage)
    }

    fn probe_verdict(&self) -> Result<(), Action> {
        self.pending(true, Wait::ProbeInProgress)
    }

    fn pending(&self, of_a_probe: bool, reason: Wait) -> Result<(), Action> {
        match &self.state.phase {
            Phase::AwaitingVerdict { attempt, committed_at, .. } if attempt.probe.is_some() == of_a_probe => {
                Err(Action::Wait { reason, retry_at: Some(committed_at.after(VERDICT_WAIT)) })
            }
            _ => Ok(()),
        }
    }

    fn turn_limit(&self) -> Result<(), Action> {
        match cap_reached(self.state, self.now) {
            Some(renewed_at) => Err(blocked(Block::TurnLimit, Some(renewed_at), None)),
            None => Ok(()),
        }
    }

    fn cooldown(&self) -> Result<(), Action> {
        match cooldown_until(self.state, self.now) {
            Some(until) => Err(blocked(Block::Cooldown, Some(until), None)),
            None => Ok(()),
        }
    }

    fn tripped(&self) -> Result<Option<super::Exit>, Action> {
        let guards = &self.state.guards;
        if !guards.tripped() {
            return Ok(None);
        }
        if let Some(exit) = recovery::open_exit(guards, self.seen, self.now) {
            return Ok(Some(exit));
        }
        let reason = if guards.struck_out() { Block::Ineffective } else { Block::FallbackStreak };
        let (retry_at, unblocks_at_tokens) = recovery::next_exits(guards, self.seen, self.now);
        Err(blocked(reason, retry_at, unblocks_at_tokens))
    }

    fn refilling(&self) -> Result<(), Action> {
        if self.seen.occupancy < self.lines.emergency && refilling(self.state, self.seen) {
            return Err(blocked(Block::Refilling, None, Some(self.lines.emergency)));
        }
        Ok(())
    }

    fn refused_plan(&self) -> Result<(), Action> {
        let Some(refused) = self.state.guards.refused else { return Ok(()) };
        let grown = refused.at_tokens.saturating_add(permille(self.lines.threshold, super::limits::REPLAN_PERMILLE));
        let emergency = self.lines.emergency;
        let crosses = refused.at_tokens < emergency && self.seen.occupancy >= emergency;
        let again = self.now >= refused.until || self.seen.occupancy >= grown || self.seen.floor < refused.floor;
        if again || crosses {
            return Ok(());
        }
        let at_tokens = if refused.at_tokens < emergency { grown.min(emergency) } else { grown };
        Err(blocked(refused.kind.into(), Some(refused.until), Some(at_tokens)))
    }

    fn open_calls(&self) -> Result<(), Action> {
        match self.seen.open_calls {
            true => Err(Action::Wait { reason: Wait::OpenToolCalls, retry_at: None }),
            false => Ok(()),
        }
    }
}

fn action(state: &State, seen: &Observation, now: Timestamp) -> Action {
    match before_guards(state, seen, now) {
        Err(early) => early,
        Ok(lines) => Gate { state: &settle::due(state, seen, now), seen, lines, now }.automatic(),
    }
}

fn before_guards(state: &State, seen: &Observation, now: Timestamp) -> Result<Lines, Action> {
    if !seen.enabled {
        return Err(Action::Hold(Hold::Disabled));
    }
    if let Some(wait) = in_progress(state, now) {
        return Err(wait);
    }
    let lines = seen.lines.ok_or(Action::Hold(Hold::WindowUnknown))?;
    if seen.occupancy < lines.threshold {
        return Err(Action::Hold(Hold::BelowThreshold));
    }
    Ok(lines)
}

fn in_progress(state: &State, now: Timestamp) -> Option<Action> {
    match &state.phase {
        Phase::Compacting { attempt } if now < attempt.deadline => {
            Some(Action::Wait { reason: Wait::InProgress, retry_at: Some(attempt.deadline) })
        }
        _ => None,
    }
}

/// When the cap on attempts without progress is renewed, if it is reached (rule 10).
fn cap_reached(state: &State, now: Timestamp) -> Option<Timestamp> {
    let renewed_at = state.guards.last_attempt_end?.after(CAP_RENEWAL);
    (state.guards.attempts_without_progress >= ATTEMPT_CAP && now < renewed_at).then_some(renewed_at)
}

fn blocked(reason: Block, retry_at: Option<Timestamp>, unblocks_at_tokens: Option<Tokens>) -> Action {
    Action::Blocked(Blocked { reason, retry_at, unblocks_at_tokens })
}

fn answer(seen: &Observation, action: Action) -> Decision {
    Decision { action, used: seen.occupancy, lines: seen.lines, floor: seen.floor, confidence: seen.confidence }
}

impl From<super::RefusedKind> for Block {
    fn from(kind: super::RefusedKind) -> Self {
        match kind {
            super::RefusedKind::FloorBound => Self::FloorBound,
            super::RefusedKind::NothingToCompact => Self::NothingToCompact,
        }
    }
}
