//! What the reference answers: guards, exits and refusals.

use compaction_governor::config::{Line, Lines};
use compaction_governor::policy::{
    Action, Block, Blocked, Exit, Hold, Means, Observation, Pass, RefusedKind, Trigger, Wait,
};
use compaction_governor::time::Timestamp;

use super::lengths::{HOUR, MINUTE, SECOND, doubled, person};
use super::{Reference, Stage, Try};

impl Reference {
    /// The automatic decision: first reason that applies.
    pub(crate) fn decide(&self, obs: &Observation, now: u64) -> Action {
        let mut state = self.clone();
        state.settle_due(obs, now);
        state.decide_settled(obs, now)
    }

    /// The decision after a proven overflow of the current view.
    pub(crate) fn decide_overflow(&self, obs: &Observation, now: u64) -> Action {
        let mut state = self.clone();
        state.settle_due(obs, now);
        state.settle_by_estimate(obs, now);
        state.overflow_settled(obs, now)
    }

    /// The decision for a request by hand: only a pass that is going on refuses it.
    pub(crate) fn decide_manual(&self, obs: &Observation, now: u64) -> Action {
        let mut state = self.clone();
        state.settle_due(obs, now);
        state.manual_settled(obs)
    }

    pub(super) fn decide_settled(&self, obs: &Observation, now: u64) -> Action {
        if !obs.enabled {
            return Action::Hold(Hold::Disabled);
        }
        if let Stage::Compacting(of) = &self.stage {
            return wait(Wait::InProgress, Some(of.deadline));
        }
        let Some(lines) = obs.lines else {
            return Action::Hold(Hold::WindowUnknown);
        };
        if obs.occupancy < lines.threshold {
            return Action::Hold(Hold::BelowThreshold);
        }
        if let Stage::Awaiting { of: Try { probe: None, .. }, at, .. } = &self.stage {
            return wait(Wait::AwaitingUsage, Some(at + 300 * SECOND));
        }
        if self.capped(now) {
            return blocked(Block::TurnLimit, self.last_end.map(|end| end + 15 * MINUTE), None);
        }
        if let Some(until) = self.cooling(now) {
            return blocked(Block::Cooldown, Some(until), None);
        }
        if let Stage::Awaiting { at, .. } = &self.stage {
            return wait(Wait::ProbeInProgress, Some(at + 300 * SECOND));
        }
        let probe = self.open_exit(obs, now);
        if self.tripped() && probe.is_none() {
            return self.tripped_block(obs, now);
        }
        if self.refilling(obs) && obs.occupancy < lines.emergency {
            return blocked(Block::Refilling, None, Some(lines.emergency.into()));
        }
        if let Some(refusal) = self.standing_refusal(obs, &lines, now) {
            return refusal;
        }
        if obs.open_calls {
            return wait(Wait::OpenToolCalls, None);
        }
        let trigger = if probe.is_some() { Trigger::Probe } else { Trigger::Threshold };
        Action::Compact(Pass { trigger, probe, means: Means::Model, line: line_now(obs) })
    }

    pub(super) fn overflow_settled(&self, obs: &Observation, now: u64) -> Action {
        if !obs.enabled {
            return Action::Hold(Hold::Disabled);
        }
        if let Stage::Compacting(of) = &self.stage {
            return wait(Wait::InProgress, Some(of.deadline));
        }
        let probe = self.open_exit(obs, now);
        let person = matches!(self.cooldown, Some((class, until)) if person(class) && until > now);
        let spent = self.cooling(now).is_some() && self.overflow_spent;
        let shut = self.tripped() && probe.is_none();
        let means = if person || self.capped(now) || spent || shut { Means::LastResort } else { Means::Model };
        let probe = probe.filter(|_| means == Means::Model);
        Action::Compact(Pass { trigger: Trigger::Overflow, probe, means, line: Line::Emergency })
    }

    pub(super) fn manual_settled(&self, obs: &Observation) -> Action {
        match &self.stage {
            _ if !obs.enabled => Action::Hold(Hold::Disabled),
            Stage::Compacting(of) => wait(Wait::InProgress, Some(of.deadline)),
            _ => Action::Compact(Pass {
                trigger: Trigger::Manual,
                probe: None,
                means: Means::Model,
                line: Line::Emergency,
            }),
        }
    }

    /// Rule 10's cap: three attempts without progress, renewed by 15 minutes.
    pub(super) fn capped(&self, now: u64) -> bool {
        let rested = self.last_end.is_some_and(|end| now.saturating_sub(end) >= 15 * MINUTE);
        self.attempts >= 3 && !rested
    }

    /// Rules 7 and 12, merged by maximum.
    pub(super) fn cooling(&self, now: u64) -> Option<u64> {
        let failed = self.cooldown.map(|(_, until)| until);
        [failed, self.interrupted_until].into_iter().flatten().filter(|until| *until > now).max()
    }

    pub(super) fn struck_out(&self) -> bool {
        self.ineffective + self.weak >= 2
    }

    pub(super) fn tripped(&self) -> bool {
        self.struck_out() || self.fallbacks >= 2
    }

    /// Rule 4's exits that may start a pass by themselves, in its order.
    pub(super) fn open_exit(&self, obs: &Observation, now: u64) -> Option<Exit> {
        let clock = self.clock.as_ref()?;
        if now >= clock.deadline {
            return Some(Exit::Time);
        }
        if self.fallbacks < 2 && now >= self.growth_spaced_at() {
            if self.grown(obs) {
                return Some(Exit::Growth);
            }
            if self.crossed(obs) {
                return Some(Exit::Emergency);
            }
        }
        // choice: where no model is known to be struck (a rebuilt record) the fact is unknown, so it opens nothing.
        let fresh = !self.struck.is_empty() && self.struck.len() < 8 && !self.struck.contains(&obs.model.0);
        fresh.then_some(Exit::Model)
    }

    pub(super) fn grown(&self, obs: &Observation) -> bool {
        self.baseline.is_some_and(|baseline| u64::from(obs.occupancy) * 10 >= baseline * 12)
    }

    pub(super) fn crossed(&self, obs: &Observation) -> bool {
        !self.emergency_spent && obs.lines.is_some_and(|lines| obs.occupancy >= lines.emergency)
    }

    /// From the second probe of a trip on: not before 60 s × 2^rung, at most an hour, after the last attempt.
    pub(super) fn growth_spaced_at(&self) -> u64 {
        match (&self.clock, self.last_end) {
            (Some(clock), Some(end)) if clock.probes >= 1 => end + doubled(MINUTE, clock.rung, HOUR),
            _ => 0,
        }
    }

    pub(super) fn tripped_block(&self, obs: &Observation, now: u64) -> Action {
        let reason = if self.struck_out() { Block::Ineffective } else { Block::FallbackStreak };
        let deadline = self.clock.as_ref().map(|clock| clock.deadline);
        if self.fallbacks >= 2 {
            return blocked(reason, deadline, None);
        }
        let spaced = self.growth_spaced_at();
        let sized = (self.grown(obs) || self.crossed(obs)).then_some(spaced).filter(|at| *at > now);
        let grown_at = self.baseline.map(|baseline| (baseline * 12).div_ceil(10));
        let emergency = obs.lines.map(|lines| u64::from(lines.emergency)).filter(|_| !self.emergency_spent);
        let above = |size: &u64| *size > u64::from(obs.occupancy);
        let size = [grown_at, emergency].into_iter().flatten().filter(above).min();
        blocked(reason, [deadline, sized].into_iter().flatten().min(), size)
    }

    /// Rule 9: the last three passes and what follows the third each refilled within three model calls.
    pub(super) fn refilling(&self, obs: &Observation) -> bool {
        let [first, second, third] = self.commits[..] else {
            return false;
        };
        let calls = u64::from(obs.model_calls);
        // choice: a transcript that was cut below a pass says nothing about refilling.
        let soon = |earlier: u64, later: u64| later >= earlier && later - earlier <= 3;
        soon(third, calls) && soon(second, third) && soon(first, second)
    }

    /// Rule 5: a refused plan is not planned again before one of four things changed.
    pub(super) fn standing_refusal(&self, obs: &Observation, lines: &Lines, now: u64) -> Option<Action> {
        let (kind, at, floor, until) = self.refused?;
        let occupancy = u64::from(obs.occupancy);
        let emergency = u64::from(lines.emergency);
        let added = at + u64::from(lines.threshold) / 10;
        // choice: at the emergency line means reaching it; a plan refused there waits like any other.
        let reached = at < emergency && occupancy >= emergency;
        if now >= until || occupancy >= added || u64::from(obs.floor) < floor || reached {
            return None;
        }
        let reason = match kind {
            RefusedKind::FloorBound => Block::FloorBound,
            RefusedKind::NothingToCompact => Block::NothingToCompact,
        };
        let size = if at < emergency { added.min(emergency) } else { added };
        Some(blocked(reason, Some(until), Some(size)))
    }
}

fn line_now(obs: &Observation) -> Line {
    match obs.lines {
        Some(lines) if obs.occupancy >= lines.emergency => Line::Emergency,
        _ => Line::Threshold,
    }
}

fn wait(reason: Wait, retry_at: Option<u64>) -> Action {
    Action::Wait { reason, retry_at: retry_at.map(Timestamp) }
}

fn blocked(reason: Block, retry_at: Option<u64>, size: Option<u64>) -> Action {
    let tokens = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    Action::Blocked(Blocked { reason, retry_at: retry_at.map(Timestamp), unblocks_at_tokens: size.map(tokens) })
}
