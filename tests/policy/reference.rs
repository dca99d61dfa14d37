//! The rules of the policy once more, written from the design's text alone and apart from `src/policy`: plain numbers,
//! no cleverness, one function per rule. What the text leaves open is marked `choice:`.
//!
//! It shares the words of the policy (events, observations, actions) and none of its code.

use compaction_governor::config::{Line, Lines};
use compaction_governor::policy::{
    Action, Block, Blocked, Claim, Confidence, Event, Exit, Failure, FailureClass, Hold, Ignored, Kind, Means,
    Observation, Pass, Phase, RefusedKind, Report, State, Trigger, Verdict, Wait,
};
use compaction_governor::time::Timestamp;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// An attempt, as far as a rule speaks of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Try {
    pub(crate) id: u64,
    pub(crate) owner: u64,
    pub(crate) kind: Kind,
    pub(crate) probe: Option<Exit>,
    pub(crate) model: u64,
    pub(crate) before: u64,
    pub(crate) line: Line,
    pub(crate) deadline: u64,
}

/// The phase. A pending verdict keeps its line, its revision, its time and the silent steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Idle,
    Compacting(Try),
    Awaiting { of: Try, line: u64, revision: u64, at: u64, silent: u64 },
}

/// Rule 4's clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clock {
    pub(crate) deadline: u64,
    pub(crate) rung: u64,
    pub(crate) probes: u64,
}

/// Everything, in plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    pub(crate) stage: Stage,
    pub(crate) revision: u64,
    pub(crate) ineffective: u64,
    pub(crate) weak: u64,
    pub(crate) strike_line: Option<u64>,
    pub(crate) struck: Vec<u64>,
    pub(crate) fallbacks: u64,
    pub(crate) streaks: Vec<u64>,
    pub(crate) cooldown: Option<(FailureClass, u64)>,
    pub(crate) clock: Option<Clock>,
    pub(crate) baseline: Option<u64>,
    pub(crate) emergency_spent: bool,
    /// Kind, occupancy, floor, until.
    pub(crate) refused: Option<(RefusedKind, u64, u64, u64)>,
    pub(crate) commits: Vec<u64>,
    pub(crate) interrupted: u64,
    pub(crate) interrupted_until: Option<u64>,
    pub(crate) attempts: u64,
    pub(crate) overflow_spent: bool,
    pub(crate) last_end: Option<u64>,
    pub(crate) last_commit: Option<u64>,
    pub(crate) after_last_resort: bool,
    pub(crate) reported_entries: u64,
    pub(crate) user_turn: u64,
    pub(crate) limit: Option<u64>,
    pub(crate) accepted: Option<u64>,
}

/// What the reference says came of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Came {
    Taken,
    Ignored(Ignored),
    Refused(Action),
}

/// Attempt, verdict, net, estimated.
pub(crate) type Judged = (u64, Verdict, u64, bool);

impl Reference {
    /// The numbers of a real state, for comparing.
    pub(crate) fn of(state: &State) -> Self {
        let g = &state.guards;
        Self {
            stage: stage_of(&state.phase),
            revision: state.view_revision.into(),
            ineffective: g.ineffective_streak.into(),
            weak: g.weak_streak.into(),
            strike_line: g.strike_threshold.map(u64::from),
            struck: g.struck_models.iter().map(|model| model.0).collect(),
            fallbacks: g.fallback_streak.into(),
            streaks: g.failures.streaks.iter().map(|streak| u64::from(*streak)).collect(),
            cooldown: g.failures.cooldown.map(|cooldown| (cooldown.class, cooldown.until.0)),
            clock: g.recovery.map(|recovery| Clock {
                deadline: recovery.deadline.0,
                rung: recovery.rung.into(),
                probes: recovery.probes.into(),
            }),
            baseline: g.baseline_tokens.map(u64::from),
            emergency_spent: g.emergency_spent,
            refused: g.refused.map(|r| (r.kind, r.at_tokens.into(), r.floor.into(), r.until.0)),
            commits: g.commit_ordinals.iter().map(|ordinal| u64::from(*ordinal)).collect(),
            interrupted: g.interrupted.streak.into(),
            interrupted_until: g.interrupted.until.map(|until| until.0),
            attempts: g.attempts_without_progress.into(),
            overflow_spent: g.overflow_pass_spent,
            last_end: g.last_attempt_end.map(|at| at.0),
            last_commit: g.last_commit_at.map(|at| at.0),
            after_last_resort: g.after_last_resort,
            reported_entries: g.reported_entries.into(),
            user_turn: g.user_turn.into(),
            limit: g.window.limit.map(u64::from),
            accepted: g.window.accepted.map(u64::from),
        }
    }

    /// Rule 10: the stated window or a smaller learned one; rule 2: raised by an accepted larger prompt.
    pub(crate) fn window(&self, stated: Option<u64>) -> Option<u64> {
        let least = [stated, self.limit].into_iter().flatten().min()?;
        Some(least.max(self.accepted.unwrap_or(0)))
    }

    // ---- deciding -------------------------------------------------------------------------------------------------

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
        state.manual_settled()
    }

    fn decide_settled(&self, obs: &Observation, now: u64) -> Action {
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
        if let Stage::Awaiting { of, at, .. } = &self.stage {
            if of.probe.is_none() {
                return wait(Wait::AwaitingUsage, Some(at + 300 * SECOND));
            }
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

    fn overflow_settled(&self, obs: &Observation, now: u64) -> Action {
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

    fn manual_settled(&self) -> Action {
        match &self.stage {
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
    fn capped(&self, now: u64) -> bool {
        let rested = self.last_end.is_some_and(|end| now.saturating_sub(end) >= 15 * MINUTE);
        self.attempts >= 3 && !rested
    }

    /// Rules 7 and 12, merged by maximum.
    fn cooling(&self, now: u64) -> Option<u64> {
        let failed = self.cooldown.map(|(_, until)| until);
        [failed, self.interrupted_until].into_iter().flatten().filter(|until| *until > now).max()
    }

    fn struck_out(&self) -> bool {
        self.ineffective + self.weak >= 2
    }

    fn tripped(&self) -> bool {
        self.struck_out() || self.fallbacks >= 2
    }

    /// Rule 4's exits that may start a pass by themselves, in its order.
    fn open_exit(&self, obs: &Observation, now: u64) -> Option<Exit> {
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

    fn grown(&self, obs: &Observation) -> bool {
        self.baseline.is_some_and(|baseline| u64::from(obs.occupancy) * 10 >= baseline * 12)
    }

    fn crossed(&self, obs: &Observation) -> bool {
        !self.emergency_spent && obs.lines.is_some_and(|lines| obs.occupancy >= lines.emergency)
    }

    /// From the second probe of a trip on: not before 60 s × 2^rung, at most an hour, after the last attempt.
    fn growth_spaced_at(&self) -> u64 {
        match (&self.clock, self.last_end) {
            (Some(clock), Some(end)) if clock.probes >= 1 => end + doubled(MINUTE, clock.rung, HOUR),
            _ => 0,
        }
    }

    fn tripped_block(&self, obs: &Observation, now: u64) -> Action {
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
    fn refilling(&self, obs: &Observation) -> bool {
        let [first, second, third] = self.commits[..] else {
            return false;
        };
        let calls = u64::from(obs.model_calls);
        // choice: a transcript that was cut below a pass says nothing about refilling.
        let soon = |earlier: u64, later: u64| later >= earlier && later - earlier <= 3;
        soon(third, calls) && soon(second, third) && soon(first, second)
    }

    /// Rule 5: a refused plan is not planned again before one of four things changed.
    fn standing_refusal(&self, obs: &Observation, lines: &Lines, now: u64) -> Option<Action> {
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

    // ---- settling -------------------------------------------------------------------------------------------------

    /// What has become true by now: an attempt past its deadline is interrupted, a verdict that is due is given by the
    /// estimate. Dated when it became due, or it would move away each time it is asked.
    fn settle_due(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        if let Stage::Compacting(of) = &self.stage {
            if now >= of.deadline {
                self.interrupt(now);
            }
            return None;
        }
        let Stage::Awaiting { at, silent, .. } = &self.stage else {
            return None;
        };
        let crowded = obs.lines.is_some_and(|lines| obs.occupancy >= lines.emergency);
        if *silent >= 2 || now.saturating_sub(*at) >= 300 * SECOND || crowded {
            return self.settle_by_estimate(obs, now);
        }
        None
    }

    fn settle_by_estimate(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        let Stage::Awaiting { at, .. } = &self.stage else {
            return None;
        };
        let dated = now.min(at + 300 * SECOND);
        self.judge(obs.occupancy.into(), obs.appended_since_claim.into(), true, dated)
    }

    /// A proven overflow counts as at or above the line, whatever the session's own figure says.
    fn settle_overflow(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        let Stage::Awaiting { line, .. } = &self.stage else {
            return None;
        };
        self.judge(u64::from(obs.occupancy).max(*line), 0, false, now)
    }

    /// Rule 3.
    fn judge(&mut self, reading: u64, appended: u64, estimated: bool, now: u64) -> Option<Judged> {
        let Stage::Awaiting { of, line, .. } = self.stage.clone() else {
            return None;
        };
        self.stage = Stage::Idle;
        let net = reading.saturating_sub(appended);
        let saved = of.before.saturating_sub(net);
        let verdict = if net >= line {
            Verdict::Ineffective
        } else if saved * 10 >= of.before {
            Verdict::Effective
        } else {
            Verdict::Weak
        };
        self.baseline = Some(reading);
        match verdict {
            Verdict::Effective => {
                self.ineffective = 0;
                self.weak = 0;
                self.after_last_resort = false;
                self.attempts = 0;
            }
            Verdict::Weak => {
                self.weak += self.ineffective + 1;
                self.ineffective = 0;
                self.strike(&of, line);
            }
            Verdict::Ineffective => {
                self.ineffective += 1;
                self.strike(&of, line);
            }
        }
        if verdict != Verdict::Effective && of.probe.is_some() {
            self.probe_failed(&of, now);
        }
        self.tidy(now);
        Some((of.id, verdict, net, estimated))
    }

    fn strike(&mut self, of: &Try, line: u64) {
        self.strike_line = Some(self.strike_line.unwrap_or(line).min(line));
        self.add_struck(of.model);
    }

    fn add_struck(&mut self, model: u64) {
        if !self.struck.contains(&model) && self.struck.len() < 8 {
            self.struck.push(model);
        }
    }

    /// Rule 4 (a): a probe that was not effective doubles the length.
    fn probe_failed(&mut self, of: &Try, now: u64) {
        self.add_struck(of.model);
        if let Some(clock) = &mut self.clock {
            clock.rung += 1;
            clock.deadline = now + doubled(300 * SECOND, clock.rung, HOUR);
        }
    }

    /// What is always true: a clock exactly while tripped, no struck model and no strike line without a strike.
    fn tidy(&mut self, now: u64) {
        if self.ineffective + self.weak == 0 {
            self.strike_line = None;
            if self.fallbacks == 0 {
                self.struck.clear();
            }
        }
        // The rung goes with the clock: an effective pass that leaves the guard tripped (a fallback) frees no one.
        if !self.tripped() {
            self.clock = None;
        } else if self.clock.is_none() {
            self.clock = Some(Clock { deadline: now + 300 * SECOND, rung: 0, probes: 0 });
        }
    }

    /// Rule 12.
    fn interrupt(&mut self, now: u64) {
        let Stage::Compacting(of) = self.stage.clone() else {
            return;
        };
        self.stage = Stage::Idle;
        if of.kind == Kind::Manual {
            return;
        }
        let at = now.min(of.deadline);
        self.last_end = Some(at);
        self.interrupted += 1;
        if let Some(length) = interrupted_length(self.interrupted) {
            self.interrupted_until = Some(at + length);
        }
        if of.probe.is_some() {
            self.rearm_same(at);
        }
    }

    fn rearm_same(&mut self, now: u64) {
        if let Some(clock) = &mut self.clock {
            clock.deadline = now + doubled(300 * SECOND, clock.rung, HOUR);
        }
    }

    // ---- events ---------------------------------------------------------------------------------------------------

    /// Takes an event.
    pub(crate) fn apply(&mut self, event: &Event, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        match event {
            Event::UsageReported(report) => self.report(report, obs, now),
            Event::StepWithoutUsage { view_revision } => self.silent_step(u64::from(*view_revision), obs, now),
            Event::Claimed(claim) => self.claim(claim, obs, now),
            Event::Renewed { attempt } => (self.renew(attempt.0, now), None),
            Event::Committed { attempt, fallback } => (self.commit(attempt.0, *fallback, obs, now), None),
            Event::Failed { attempt, failure } => (self.fail(attempt.0, failure, obs, now), None),
            Event::Abandoned { attempt } => (self.abandon(attempt.0, now), None),
            Event::PlanRefused { kind } => {
                self.refused = Some((*kind, obs.occupancy.into(), obs.floor.into(), now + 300 * SECOND));
                (Came::Taken, None)
            }
            Event::OverflowProven { view_revision, limit } => {
                self.overflow(u64::from(*view_revision), limit.map(u64::from), obs, now)
            }
            Event::LastResort => (self.last_resort(now), None),
            Event::UserTurn { ordinal } => (self.turn(u64::from(*ordinal)), None),
            Event::ModelChanged | Event::CredentialsChanged => {
                self.person_acted();
                (Came::Taken, None)
            }
            Event::TimePassed => (Came::Taken, self.time_passed(obs, now)),
            Event::TranscriptCut { entries, user_turns } => {
                self.reported_entries = self.reported_entries.min(u64::from(*entries));
                self.user_turn = self.user_turn.min(u64::from(*user_turns));
                (Came::Taken, None)
            }
            Event::Reset => {
                let old = std::mem::replace(self, Self::of(&State::default()));
                (self.revision, self.last_commit) = (old.revision, old.last_commit);
                self.reported_entries = old.reported_entries;
                (self.limit, self.accepted) = (old.limit, old.accepted);
                (Came::Taken, None)
            }
        }
    }

    fn claim(&mut self, claim: &Claim, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        if u64::from(claim.view_revision) != self.revision {
            return (Came::Ignored(Ignored::StaleClaim), None);
        }
        // choice: a pass by the threshold waits for its verdict (`awaiting_usage`), so only what is due is settled for it.
        let mut judged = self.settle_due(obs, now);
        if claim.kind != Kind::Auto {
            judged = judged.or_else(|| self.settle_by_estimate(obs, now));
        }
        let action = match claim.kind {
            Kind::Auto => self.decide_settled(obs, now),
            Kind::Manual => self.manual_settled(),
            Kind::Overflow => self.overflow_settled(obs, now),
        };
        match action {
            Action::Compact(pass) if pass.means == Means::Model => self.begin(claim, pass, obs, now),
            _ => return (Came::Refused(action), judged),
        }
        (Came::Taken, judged)
    }

    fn begin(&mut self, claim: &Claim, pass: Pass, obs: &Observation, now: u64) {
        if claim.kind == Kind::Overflow && self.cooling(now).is_some() {
            self.overflow_spent = true;
        }
        if claim.kind != Kind::Manual {
            if self.last_end.is_some_and(|end| now.saturating_sub(end) >= 15 * MINUTE) {
                self.attempts = 0;
            }
            self.refused = None;
            self.baseline = Some(obs.occupancy.into());
            if obs.lines.is_some_and(|lines| obs.occupancy >= lines.emergency) {
                self.emergency_spent = true;
            }
        }
        if let (Some(_), Some(clock)) = (pass.probe, &mut self.clock) {
            clock.probes += 1;
        }
        self.stage = Stage::Compacting(Try {
            id: claim.attempt.0,
            owner: claim.owner.0,
            kind: claim.kind,
            probe: pass.probe,
            model: obs.model.0,
            before: obs.occupancy.into(),
            line: claim.line,
            deadline: now + 600 * SECOND,
        });
    }

    fn renew(&mut self, attempt: u64, now: u64) -> Came {
        match &mut self.stage {
            Stage::Compacting(of) if of.id == attempt => {
                of.deadline = now + 600 * SECOND;
                Came::Taken
            }
            _ => Came::Ignored(Ignored::NotThisAttempt),
        }
    }

    fn current(&self, attempt: u64) -> Option<Try> {
        match &self.stage {
            Stage::Compacting(of) if of.id == attempt => Some(of.clone()),
            _ => None,
        }
    }

    fn commit(&mut self, attempt: u64, fallback: bool, obs: &Observation, now: u64) -> Came {
        let Some(mut of) = self.current(attempt) else {
            return Came::Ignored(Ignored::NotThisAttempt);
        };
        self.revision += 1;
        self.last_commit = Some(now);
        self.reported_entries = 0;
        self.refused = None;
        if of.kind == Kind::Manual {
            self.stage = Stage::Idle;
            // Rule 7: auth and quota are ended by hand, which here means that a summary came; no counter moves.
            if !fallback {
                self.person_acted();
            }
            return Came::Taken;
        }
        self.ended(&of, now);
        self.commits.push(obs.model_calls.into());
        if self.commits.len() > 3 {
            self.commits.remove(0);
        }
        if fallback {
            self.fallbacks += 1;
            self.add_struck(of.model);
            if of.probe.take().is_some() {
                self.probe_failed(&of, now);
            }
        } else {
            self.fallbacks = 0;
            self.streaks = vec![0; 7];
            self.cooldown = None;
        }
        self.tidy(now);
        let line = line_of(&of, obs);
        self.stage = Stage::Awaiting { of, line, revision: self.revision, at: now, silent: 0 };
        Came::Taken
    }

    /// What every attempt that ended leaves behind, unless it was by hand.
    fn ended(&mut self, of: &Try, now: u64) {
        self.last_end = Some(now);
        self.interrupted = 0;
        self.interrupted_until = None;
        if of.probe.is_none() {
            self.attempts += 1;
        }
    }

    fn fail(&mut self, attempt: u64, failure: &Failure, obs: &Observation, now: u64) -> Came {
        let Some(of) = self.current(attempt) else {
            return Came::Ignored(Ignored::NotThisAttempt);
        };
        self.stage = Stage::Idle;
        if of.kind == Kind::Manual {
            return Came::Taken;
        }
        self.ended(&of, now);
        let class = failure.class;
        self.streaks[class as usize] += 1;
        let length = failure_length(class, self.streaks[class as usize], failure.retry_after.map(|wait| wait.0));
        if self.cooldown.is_none_or(|(_, until)| now + length > until) {
            self.cooldown = Some((class, now + length));
        }
        if failure.grew {
            // choice: no new prompt came of it that could clear an ineffective strike, so none is moved.
            self.weak += 1;
            self.strike(&of, line_of(&of, obs));
        }
        if of.probe.is_some() {
            self.probe_failed(&of, now);
        }
        self.tidy(now);
        Came::Taken
    }

    fn abandon(&mut self, attempt: u64, now: u64) -> Came {
        if self.current(attempt).is_none() {
            return Came::Ignored(Ignored::NotThisAttempt);
        }
        self.interrupt(now);
        Came::Taken
    }

    fn report(&mut self, report: &Report, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        let stale = match report.view_revision {
            Some(revision) => u64::from(revision) != self.revision,
            None => self.last_commit.is_some_and(|at| report.sent_at < Timestamp(at)),
        };
        if stale {
            return (Came::Ignored(Ignored::StaleView), None);
        }
        if u64::from(report.entries) < self.reported_entries {
            return (Came::Ignored(Ignored::FewerEntries), None);
        }
        let reading = u64::from(report.prompt_tokens);
        let estimate = u64::from(report.estimated);
        if reading == 0 {
            return (Came::Ignored(Ignored::Impossible), None);
        }
        if obs.lines.is_some_and(|lines| reading > u64::from(lines.window)) {
            if reading.abs_diff(estimate) * 4 > estimate {
                return (Came::Ignored(Ignored::Impossible), None);
            }
            self.accepted = self.accepted.max(Some(reading));
        }
        if self.limit.is_some_and(|limit| reading > limit) {
            self.limit = None;
        }
        self.reported_entries = report.entries.into();
        let below = obs.lines.is_some_and(|lines| reading < u64::from(lines.threshold));
        if below {
            self.emergency_spent = false;
        }
        if matches!(self.stage, Stage::Awaiting { .. }) {
            return (Came::Taken, self.judge(reading, report.appended_since_claim.into(), false, now));
        }
        self.baseline = self.baseline.map(|baseline| baseline.min(reading));
        if below {
            self.take_low_reading(reading, now);
        }
        (Came::Taken, None)
    }

    /// Rule 3's later reading: it clears ineffective strikes earned at a higher line.
    fn take_low_reading(&mut self, reading: u64, now: u64) {
        if self.after_last_resort {
            return;
        }
        if self.strike_line.is_none_or(|line| reading < line) {
            self.ineffective = 0;
        }
        self.tidy(now);
    }

    fn silent_step(&mut self, view: u64, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        let Stage::Awaiting { silent, revision, .. } = &mut self.stage else {
            return (Came::Taken, None);
        };
        if view != *revision {
            return (Came::Ignored(Ignored::StaleView), None);
        }
        *silent += 1;
        (Came::Taken, self.settle_due(obs, now))
    }

    fn overflow(&mut self, view: u64, limit: Option<u64>, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        if view != self.revision {
            return (Came::Ignored(Ignored::StaleView), None);
        }
        // Where no window is known, the prompt that was refused is the best that is known of it.
        let refused = limit.unwrap_or(obs.occupancy.into());
        self.accepted = self.accepted.filter(|accepted| *accepted < refused);
        let limit = limit.or(obs.lines.is_none().then_some(obs.occupancy.into()));
        if let Some(limit) = limit.filter(|limit| *limit >= 256) {
            self.limit = Some(limit);
        }
        (Came::Taken, self.settle_overflow(obs, now))
    }

    fn last_resort(&mut self, now: u64) -> Came {
        match self.stage.clone() {
            Stage::Idle => {}
            // choice: a summary of the view before it is of no use any more; the attempt never ends (rule 12).
            Stage::Compacting(_) => self.interrupt(now),
            // choice: a probe that was voided used its exit up; it is armed again at the same length.
            Stage::Awaiting { of, .. } => {
                self.stage = Stage::Idle;
                if of.probe.is_some() {
                    self.rearm_same(now);
                }
            }
        }
        self.after_last_resort = true;
        self.revision += 1;
        self.last_commit = Some(now);
        self.reported_entries = 0;
        Came::Taken
    }

    fn turn(&mut self, ordinal: u64) -> Came {
        if ordinal <= self.user_turn {
            return Came::Ignored(Ignored::AlreadySeen);
        }
        self.user_turn = ordinal;
        self.attempts = 0;
        self.overflow_spent = false;
        Came::Taken
    }

    /// What time alone makes due, written: instants set back, a tripped guard armed, attempts and verdicts settled.
    fn time_passed(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        self.clamp(now);
        let judged = self.settle_due(obs, now);
        self.tidy(now);
        // Growth is armed now where no attempt was recorded, from a size that is known.
        if self.tripped() && self.baseline.is_none() && obs.confidence != Confidence::Unknown {
            self.baseline = Some(obs.occupancy.into());
        }
        judged
    }

    fn person_acted(&mut self) {
        if self.cooldown.is_some_and(|(class, _)| person(class)) {
            self.cooldown = None;
        }
    }

    /// No time further away than its own length, no stored instant in the future.
    fn clamp(&mut self, now: u64) {
        match &mut self.stage {
            Stage::Idle => {}
            Stage::Compacting(of) => of.deadline = of.deadline.min(now + 600 * SECOND),
            Stage::Awaiting { at, .. } => *at = (*at).min(now),
        }
        if let Some((class, until)) = &mut self.cooldown {
            *until = (*until).min(now + failure_length(*class, self.streaks[*class as usize], Some(HOUR)));
        }
        if let (Some(until), Some(length)) = (&mut self.interrupted_until, interrupted_length(self.interrupted)) {
            *until = (*until).min(now + length);
        }
        if let Some(clock) = &mut self.clock {
            clock.deadline = clock.deadline.min(now + doubled(300 * SECOND, clock.rung, HOUR));
        }
        if let Some((_, _, _, until)) = &mut self.refused {
            *until = (*until).min(now + 300 * SECOND);
        }
        self.last_end = self.last_end.map(|at| at.min(now));
        self.last_commit = self.last_commit.map(|at| at.min(now));
    }
}

fn stage_of(phase: &Phase) -> Stage {
    let attempt = |a: &compaction_governor::policy::Attempt| Try {
        id: a.id.0,
        owner: a.owner.0,
        kind: a.kind,
        probe: a.probe,
        model: a.model.0,
        before: a.before.into(),
        line: a.line,
        deadline: a.deadline.0,
    };
    match phase {
        Phase::Idle => Stage::Idle,
        Phase::Compacting { attempt: of } => Stage::Compacting(attempt(of)),
        Phase::AwaitingVerdict { attempt: of, line_tokens, view_revision, committed_at, steps_without_usage } => {
            Stage::Awaiting {
                of: attempt(of),
                line: (*line_tokens).into(),
                revision: (*view_revision).into(),
                at: committed_at.0,
                silent: (*steps_without_usage).into(),
            }
        }
    }
}

/// Rule 7: how long the `streak`th failure in a row of its class keeps passes away.
fn failure_length(class: FailureClass, streak: u64, retry_after: Option<u64>) -> u64 {
    let times = streak.saturating_sub(1);
    match class {
        FailureClass::BadSummary => doubled(30 * SECOND, times, HOUR),
        FailureClass::Other => doubled(MINUTE, times, HOUR),
        FailureClass::Timeout => match streak {
            0 | 1 => MINUTE,
            2 => 5 * MINUTE,
            3 | 4 => 15 * MINUTE,
            _ => HOUR,
        },
        // choice: a rate limit without a time of its own waits like any other failure.
        FailureClass::RateLimit => retry_after.unwrap_or(MINUTE).min(HOUR),
        FailureClass::NoSummarizer => 10 * MINUTE,
        FailureClass::Auth | FailureClass::Quota => doubled(HOUR, times, 24 * HOUR),
    }
}

/// Rule 12: from the third interrupted attempt in a row on.
fn interrupted_length(streak: u64) -> Option<u64> {
    match streak {
        0..=2 => None,
        3 => Some(MINUTE),
        4 => Some(5 * MINUTE),
        _ => Some(15 * MINUTE),
    }
}

fn doubled(base: u64, times: u64, cap: u64) -> u64 {
    (0..times.min(40)).fold(base, |length, _| (length * 2).min(cap)).min(cap)
}

fn person(class: FailureClass) -> bool {
    class == FailureClass::Auth || class == FailureClass::Quota
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

/// The tokens a pass is judged against; where no window is known, its own size.
fn line_of(of: &Try, obs: &Observation) -> u64 {
    obs.lines.map_or(of.before, |lines| lines.at(of.line).into())
}
