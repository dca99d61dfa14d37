//! What each event does to the reference.

use compaction_governor::policy::{
    Action, Claim, Confidence, Event, Exit, Failure, Ignored, Kind, Means, Observation, Report, State,
};
use compaction_governor::time::Timestamp;

use super::lengths::{HOUR, MINUTE, SECOND, doubled, failure_length, interrupted_length, person};
use super::{Came, Judged, Reference, Stage, Try};

impl Reference {
    /// Takes an event.
    pub(crate) fn apply(&mut self, event: &Event, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        match event {
            Event::UsageReported(report) => self.report(report, obs, now),
            Event::StepWithoutUsage { view_revision } => self.silent_step(u64::from(*view_revision), obs, now),
            Event::Claimed(claim) => self.claim(claim, obs, now),
            Event::Adopted(claim) => {
                let judged = self.settle_due(obs, now);
                let judged = judged.or_else(|| self.settle_by_estimate(obs, now));
                self.interrupt(now);
                self.begin(claim, None, obs, now);
                (Came::Taken, judged)
            }
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
            Event::Undone => (self.undone(now), None),
            Event::Pruned => self.pruned(obs, now),
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
            Kind::Manual => self.manual_settled(obs),
            Kind::Overflow => self.overflow_settled(obs, now),
        };
        match action {
            Action::Compact(pass) if pass.means == Means::Model => self.begin(claim, pass.probe, obs, now),
            _ => return (Came::Refused(action), judged),
        }
        (Came::Taken, judged)
    }

    fn begin(&mut self, claim: &Claim, probe: Option<Exit>, obs: &Observation, now: u64) {
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
        if let (Some(_), Some(clock)) = (probe, &mut self.clock) {
            clock.probes += 1;
        }
        self.stage = Stage::Compacting(Try {
            id: claim.attempt.0,
            owner: claim.owner.0,
            kind: claim.kind,
            probe,
            entries: obs.entries.into(),
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
        self.clamp_cooldown(now);
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
            // choice: a figure far below the estimate is no sum of several prompts, and is believed as well.
            if reading.saturating_sub(estimate) * 4 > estimate {
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

    /// A person's hand: what was to be judged is not shown any more; counters are as they were.
    fn undone(&mut self, now: u64) -> Came {
        match self.stage.clone() {
            Stage::Compacting(_) => return Came::Ignored(Ignored::NotThisAttempt),
            Stage::Awaiting { of, .. } if of.probe.is_some() => self.rearm_same(now),
            _ => {}
        }
        self.stage = Stage::Idle;
        self.revision += 1;
        self.last_commit = Some(now);
        self.reported_entries = 0;
        Came::Taken
    }

    fn pruned(&mut self, obs: &Observation, now: u64) -> (Came, Option<Judged>) {
        if matches!(self.stage, Stage::Compacting(_)) {
            return (Came::Ignored(Ignored::NotThisAttempt), None);
        }
        let judged = self.settle_due(obs, now).or_else(|| self.settle_by_estimate(obs, now));
        self.refused = None;
        self.revision += 1;
        self.last_commit = Some(now);
        self.reported_entries = 0;
        (Came::Taken, judged)
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
        self.clamp_cooldown(now);
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

    fn clamp_cooldown(&mut self, now: u64) {
        if let Some((class, until)) = &mut self.cooldown {
            *until = (*until).min(now + failure_length(*class, self.streaks[*class as usize], Some(HOUR)));
        }
    }
}

/// The tokens a pass is judged against; where no window is known, its own size.
fn line_of(of: &Try, obs: &Observation) -> u64 {
    obs.lines.map_or(of.before, |lines| lines.at(of.line).into())
}
