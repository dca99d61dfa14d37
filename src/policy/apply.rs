//! The only way the state changes: one event, one pure function, fenced by attempt id.

use crate::{
    id::AttemptId,
    policy::{
        Applied, Attempt, Claim, Cooldown, Decision, Event, Exit, Failure, Failures, Ignored, Interrupted, Kind, Means,
        Observation, Outcome, Phase, Refused, RefusedKind, Settled, State, clamp,
        decide::{cooldown_until, decide, decide_manual, decide_overflow},
        limits::{self, ATTEMPT_DEADLINE, CAP_RENEWAL, REPLAN_AFTER},
        reading, recovery,
        settle::{self, Evidence},
    },
    time::Timestamp,
    tokens::Tokens,
};

/// Applies one event. Pure: the same state, event, observation and time give the same answer.
#[must_use]
pub fn apply(state: &State, event: Event, seen: &Observation, now: Timestamp) -> Applied {
    let mut change = Change { state: state.clone(), seen, now, verdict: None };
    let outcome = change.event(event);
    let Change { state, verdict, .. } = change;
    Applied { state, outcome, verdict }
}

struct Change<'a> {
    state: State,
    seen: &'a Observation,
    now: Timestamp,
    verdict: Option<Settled>,
}

impl Change<'_> {
    fn event(&mut self, event: Event) -> Outcome {
        match event {
            Event::UsageReported(report) => match reading::take(&mut self.state, &report, self.seen, self.now) {
                Ok(verdict) => self.taken_with(verdict),
                Err(why) => Outcome::Ignored(why),
            },
            Event::StepWithoutUsage { view_revision } => self.step_without_usage(view_revision),
            Event::Claimed(claim) => self.claimed(claim),
            Event::Adopted(claim) => self.adopted(claim),
            Event::Renewed { attempt } => self.renewed(attempt),
            Event::Committed { attempt, fallback } => self.committed(attempt, fallback),
            Event::Failed { attempt, failure } => self.failed(attempt, failure),
            Event::Abandoned { attempt } => self.abandoned(attempt),
            Event::PlanRefused { kind } => self.plan_refused(kind),
            Event::OverflowProven { view_revision, limit } => self.overflow_proven(view_revision, limit),
            Event::LastResort => self.last_resort(),
            Event::Undone => self.undone(),
            Event::Pruned => self.pruned(),
            Event::UserTurn { ordinal } => self.user_turn(ordinal),
            Event::ModelChanged | Event::CredentialsChanged => self.person_acted(),
            Event::TimePassed => self.time_passed(),
            Event::TranscriptCut { entries, user_turns } => self.transcript_cut(entries, user_turns),
            Event::Reset => self.reset(),
        }
    }

    fn claimed(&mut self, claim: Claim) -> Outcome {
        if claim.view_revision != self.state.view_revision {
            return Outcome::Ignored(Ignored::StaleClaim);
        }
        self.verdict = settle::settle_due(&mut self.state, self.seen, self.now);
        if claim.kind != Kind::Auto {
            self.settle_pending();
        }
        let decision = self.decide(claim.kind);
        match decision.pass() {
            Some(pass) if pass.means == Means::Model => {
                self.admit(claim, pass.probe);
                Outcome::Taken
            }
            _ => Outcome::Refused(Box::new(decision)),
        }
    }

    fn adopted(&mut self, claim: Claim) -> Outcome {
        self.verdict = settle::settle_due(&mut self.state, self.seen, self.now);
        self.settle_pending();
        if let Phase::Compacting { attempt } = self.state.phase {
            settle::interrupt(&mut self.state, &attempt, self.now);
        }
        self.admit(claim, None);
        Outcome::Taken
    }

    fn settle_pending(&mut self) {
        let pending = settle::verdict_by_estimate(&mut self.state, self.seen, self.now);
        self.verdict = self.verdict.or(pending);
    }

    fn decide(&self, kind: Kind) -> Decision {
        match kind {
            Kind::Auto => decide(&self.state, self.seen, self.now),
            Kind::Manual => decide_manual(&self.state, self.seen, self.now),
            Kind::Overflow => decide_overflow(&self.state, self.seen, self.now),
        }
    }

    fn admit(&mut self, claim: Claim, probe: Option<Exit>) {
        let attempt = Attempt {
            id: claim.attempt,
            owner: claim.owner,
            kind: claim.kind,
            probe,
            model: self.seen.model,
            before: self.seen.occupancy,
            entries: self.seen.entries,
            line: claim.line,
            deadline: self.now.after(ATTEMPT_DEADLINE),
        };
        self.state.phase = Phase::Compacting { attempt };
        if claim.kind != Kind::Manual {
            self.count_claim(&attempt);
        }
    }

    fn count_claim(&mut self, attempt: &Attempt) {
        let cooling = cooldown_until(&self.state, self.now).is_some();
        let guards = &mut self.state.guards;
        if guards.last_attempt_end.is_some_and(|end| self.now >= end.after(CAP_RENEWAL)) {
            guards.attempts_without_progress = 0;
        }
        guards.overflow_pass_spent |= cooling && attempt.kind == Kind::Overflow;
        guards.emergency_spent |= self.seen.lines.is_some_and(|lines| attempt.before >= lines.emergency);
        guards.baseline_tokens = Some(attempt.before);
        guards.refused = None;
        if let Some(recovery) = guards.recovery.as_mut().filter(|_| attempt.probe.is_some()) {
            recovery.probes = recovery.probes.saturating_add(1);
        }
    }

    fn renewed(&mut self, id: AttemptId) -> Outcome {
        match &mut self.state.phase {
            Phase::Compacting { attempt } if attempt.id == id => {
                attempt.deadline = self.now.after(ATTEMPT_DEADLINE);
                Outcome::Taken
            }
            _ => Outcome::Ignored(Ignored::NotThisAttempt),
        }
    }

    fn committed(&mut self, id: AttemptId, fallback: bool) -> Outcome {
        let Some(attempt) = self.compacting(id) else { return Outcome::Ignored(Ignored::NotThisAttempt) };
        self.new_view();
        self.state.guards.refused = None;
        if attempt.kind == Kind::Manual {
            self.state.phase = Phase::Idle;
            return if fallback { Outcome::Taken } else { self.person_acted() };
        }
        self.attempt_ended(&attempt);
        self.note_ordinal();
        let attempt = if fallback { self.fell_back(attempt) } else { self.healthy(attempt) };
        self.state.phase = Phase::AwaitingVerdict {
            attempt,
            line_tokens: settle::line_tokens(&attempt, self.seen),
            view_revision: self.state.view_revision,
            committed_at: self.now,
            steps_without_usage: 0,
        };
        recovery::keep_in_step(&mut self.state.guards, self.seen, self.now);
        Outcome::Taken
    }

    fn healthy(&mut self, attempt: Attempt) -> Attempt {
        self.state.guards.fallback_streak = 0;
        self.state.guards.failures = Failures::default();
        attempt
    }

    /// A fallback by a probe is a failed probe, counted once: from here on it is judged as an ordinary pass (rule 8).
    fn fell_back(&mut self, attempt: Attempt) -> Attempt {
        self.state.guards.fallback_streak = self.state.guards.fallback_streak.saturating_add(1);
        settle::note_model(&mut self.state, &attempt);
        if attempt.probe.is_some() {
            recovery::rearm(&mut self.state.guards, false, self.now);
        }
        Attempt { probe: None, ..attempt }
    }

    fn failed(&mut self, id: AttemptId, failure: Failure) -> Outcome {
        let Some(attempt) = self.compacting(id) else { return Outcome::Ignored(Ignored::NotThisAttempt) };
        self.state.phase = Phase::Idle;
        if attempt.kind == Kind::Manual {
            return Outcome::Taken;
        }
        self.attempt_ended(&attempt);
        self.cool_down(failure);
        if failure.grew {
            self.state.guards.weak_streak = self.state.guards.weak_streak.saturating_add(1);
            settle::strike(&mut self.state, &attempt, settle::line_tokens(&attempt, self.seen));
        }
        if attempt.probe.is_some() {
            settle::note_model(&mut self.state, &attempt);
            recovery::rearm(&mut self.state.guards, false, self.now);
        }
        recovery::keep_in_step(&mut self.state.guards, self.seen, self.now);
        Outcome::Taken
    }

    fn cool_down(&mut self, failure: Failure) {
        // What stands is compared as what it can mean: a clock may have left it far ahead.
        clamp::cooldown(&mut self.state.guards.failures, self.now);
        let failures = &mut self.state.guards.failures;
        let streak = &mut failures.streaks[failure.class as usize];
        *streak = streak.saturating_add(1);
        let until = self.now.after(limits::cooldown(failure.class, *streak, failure.retry_after));
        if failures.cooldown.is_none_or(|standing| standing.until < until) {
            failures.cooldown = Some(Cooldown { class: failure.class, until });
        }
    }

    fn attempt_ended(&mut self, attempt: &Attempt) {
        let guards = &mut self.state.guards;
        guards.last_attempt_end = Some(self.now);
        guards.interrupted = Interrupted::default();
        if attempt.probe.is_none() {
            guards.attempts_without_progress = guards.attempts_without_progress.saturating_add(1);
        }
    }

    fn note_ordinal(&mut self) {
        let ordinals = &mut self.state.guards.commit_ordinals;
        if ordinals.is_full() {
            ordinals.remove(0);
        }
        ordinals.push(self.seen.model_calls);
    }

    fn new_view(&mut self) {
        self.state.view_revision = self.state.view_revision.saturating_add(1);
        self.state.guards.last_commit_at = Some(self.now);
        self.state.guards.reported_entries = 0;
    }

    fn abandoned(&mut self, id: AttemptId) -> Outcome {
        let Some(attempt) = self.compacting(id) else { return Outcome::Ignored(Ignored::NotThisAttempt) };
        settle::interrupt(&mut self.state, &attempt, self.now);
        Outcome::Taken
    }

    fn plan_refused(&mut self, kind: RefusedKind) -> Outcome {
        let until = self.now.after(REPLAN_AFTER);
        let refused = Refused { kind, at_tokens: self.seen.occupancy, floor: self.seen.floor, until };
        self.state.guards.refused = Some(refused);
        Outcome::Taken
    }

    fn step_without_usage(&mut self, of_view: u32) -> Outcome {
        let Phase::AwaitingVerdict { view_revision, steps_without_usage, .. } = &mut self.state.phase else {
            return Outcome::Taken;
        };
        if *view_revision != of_view {
            return Outcome::Ignored(Ignored::StaleView);
        }
        *steps_without_usage = steps_without_usage.saturating_add(1);
        let verdict = settle::settle_due(&mut self.state, self.seen, self.now);
        self.taken_with(verdict)
    }

    fn overflow_proven(&mut self, of_view: u32, limit: Option<Tokens>) -> Outcome {
        if of_view != self.state.view_revision {
            return Outcome::Ignored(Ignored::StaleView);
        }
        self.learn_limit(limit);
        let verdict = match self.state.phase {
            Phase::AwaitingVerdict { line_tokens, .. } => {
                let reading = self.seen.occupancy.max(line_tokens);
                let evidence = Evidence { reading, appended: 0, estimated: false };
                settle::verdict(&mut self.state, self.seen, evidence, self.now)
            }
            _ => None,
        };
        self.taken_with(verdict)
    }

    /// An error that names no limit still proves that what was sent is too long: no prompt of that size counts as accepted
    /// any more (it may have been another model's), and where no window is known it is the best guess.
    fn learn_limit(&mut self, limit: Option<Tokens>) {
        let refused = self.seen.occupancy;
        let unknown = self.seen.lines.is_none().then_some(refused);
        let window = &mut self.state.guards.window;
        window.accepted = window.accepted.filter(|accepted| *accepted < limit.unwrap_or(refused));
        let Some(limit) = limit.or(unknown).filter(|limit| *limit >= crate::config::MIN_WINDOW) else { return };
        window.limit = Some(limit);
    }

    fn last_resort(&mut self) -> Outcome {
        match self.state.phase {
            Phase::Idle => {}
            Phase::Compacting { attempt } => settle::interrupt(&mut self.state, &attempt, self.now),
            Phase::AwaitingVerdict { attempt, .. } => self.void_verdict(&attempt),
        }
        self.new_view();
        self.state.guards.after_last_resort = true;
        Outcome::Taken
    }

    fn undone(&mut self) -> Outcome {
        match self.state.phase {
            Phase::Idle => {}
            Phase::Compacting { .. } => return Outcome::Ignored(Ignored::NotThisAttempt),
            Phase::AwaitingVerdict { attempt, .. } => self.void_verdict(&attempt),
        }
        self.new_view();
        Outcome::Taken
    }

    fn pruned(&mut self) -> Outcome {
        if matches!(self.state.phase, Phase::Compacting { .. }) {
            return Outcome::Ignored(Ignored::NotThisAttempt);
        }
        self.verdict = settle::settle_due(&mut self.state, self.seen, self.now);
        self.settle_pending();
        self.new_view();
        self.state.guards.refused = None;
        Outcome::Taken
    }

    /// Nobody will judge the pass of `attempt`. A probe has used its exit up all the same: it is armed again, at its length.
    fn void_verdict(&mut self, attempt: &Attempt) {
        self.state.phase = Phase::Idle;
        if attempt.probe.is_some() {
            recovery::rearm(&mut self.state.guards, true, self.now);
        }
    }

    fn user_turn(&mut self, ordinal: u32) -> Outcome {
        let guards = &mut self.state.guards;
        if ordinal <= guards.user_turn {
            return Outcome::Ignored(Ignored::AlreadySeen);
        }
        guards.user_turn = ordinal;
        guards.attempts_without_progress = 0;
        guards.overflow_pass_spent = false;
        Outcome::Taken
    }

    /// Credentials or model changed, or a pass by hand went well: what only a person could mend may be mended (rule 7).
    fn person_acted(&mut self) -> Outcome {
        let cooldown = &mut self.state.guards.failures.cooldown;
        *cooldown = cooldown.filter(|standing| !standing.class.needs_a_person());
        Outcome::Taken
    }

    fn time_passed(&mut self) -> Outcome {
        clamp::instants(&mut self.state, self.now);
        let verdict = settle::settle_due(&mut self.state, self.seen, self.now);
        recovery::keep_in_step(&mut self.state.guards, self.seen, self.now);
        recovery::arm_growth(&mut self.state.guards, self.seen);
        self.taken_with(verdict)
    }

    fn transcript_cut(&mut self, entries: u32, user_turns: u32) -> Outcome {
        let guards = &mut self.state.guards;
        guards.reported_entries = guards.reported_entries.min(entries);
        guards.user_turn = guards.user_turn.min(user_turns);
        Outcome::Taken
    }

    fn reset(&mut self) -> Outcome {
        let old = std::mem::take(&mut self.state);
        self.state.view_revision = old.view_revision;
        self.state.guards.last_commit_at = old.guards.last_commit_at;
        self.state.guards.reported_entries = old.guards.reported_entries;
        self.state.guards.window = old.guards.window;
        Outcome::Taken
    }

    fn compacting(&self, id: AttemptId) -> Option<Attempt> {
        match self.state.phase {
            Phase::Compacting { attempt } if attempt.id == id => Some(attempt),
            _ => None,
        }
    }

    fn taken_with(&mut self, verdict: Option<Settled>) -> Outcome {
        self.verdict = self.verdict.or(verdict);
        Outcome::Taken
    }
}
