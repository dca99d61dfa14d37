//! A session at the policy's level: one state, a clock, a prompt; what a test says happens.

use compaction_governor::config::{Config, Line, Lines};
use compaction_governor::id::{AttemptId, ModelId, OwnerId};
use compaction_governor::policy::{
    Action, Applied, Block, Claim, Confidence, Decision, Event, Exit, Failure, FailureClass, Kind, Means, Observation,
    Outcome, RefusedKind, Report, Settled, State, Verdict, apply, check, decide, decide_manual, decide_overflow,
};
use compaction_governor::time::{Millis, Timestamp};

/// Window 1,000, threshold 800, emergency line 950.
pub(crate) const THRESHOLD: u32 = 800;
pub(crate) const EMERGENCY: u32 = 950;
pub(crate) const DAY: u64 = 86_400;

pub(crate) struct Session {
    pub(crate) state: State,
    /// In seconds since the session began.
    pub(crate) now: u64,
    pub(crate) prompt: u32,
    pub(crate) appended: u32,
    pub(crate) floor: u32,
    pub(crate) model: u64,
    pub(crate) window: u32,
    pub(crate) calls: u32,
    pub(crate) entries: u32,
    ids: u64,
    turns: u32,
}

impl Session {
    /// Fresh, with the prompt at the threshold.
    pub(crate) fn new() -> Self {
        Self::from(State::default())
    }

    pub(crate) fn from(state: State) -> Self {
        Self {
            state,
            now: 0,
            prompt: THRESHOLD,
            appended: 0,
            floor: 100,
            model: 1,
            window: 1_000,
            calls: 0,
            entries: 1,
            ids: 0,
            turns: 0,
        }
    }

    /// Tripped by two useless passes at the threshold, at 0 s; the baseline is the threshold.
    pub(crate) fn tripped() -> Self {
        let mut session = Self::new();
        session.useless();
        session.useless();
        assert!(session.state.guards.struck_out());
        session
    }

    pub(crate) fn now(&self) -> Timestamp {
        at(self.now)
    }

    pub(crate) fn lines(&self) -> Option<Lines> {
        let window = self.state.window((self.window > 0).then_some(self.window))?;
        Some(Config::default().lines(window, self.entries))
    }

    pub(crate) fn sees(&self) -> Observation {
        Observation {
            enabled: true,
            lines: self.lines(),
            occupancy: self.prompt,
            confidence: Confidence::Reported,
            floor: self.floor,
            appended_since_claim: self.appended,
            model: ModelId(self.model),
            view_revision: self.state.view_revision,
            entries: self.entries,
            model_calls: self.calls,
            open_calls: false,
        }
    }

    pub(crate) fn event(&mut self, event: Event) -> Applied {
        let applied = apply(&self.state, event, &self.sees(), self.now());
        check(&applied.state).expect("every state can be");
        self.state = applied.state.clone();
        applied
    }

    pub(crate) fn decides(&self) -> Decision {
        decide(&self.state, &self.sees(), self.now())
    }

    pub(crate) fn overflow_decides(&self) -> Means {
        let decision = decide_overflow(&self.state, &self.sees(), self.now());
        decision.pass().expect("after an overflow something is done").means
    }

    /// The guard that refuses, if one does.
    pub(crate) fn blocked(&self) -> Option<Block> {
        match self.decides().action {
            Action::Blocked(blocked) => Some(blocked.reason),
            _ => None,
        }
    }

    /// Whether a pass may start, and through which exit.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.decides().pass().and_then(|pass| pass.probe)
    }

    pub(crate) fn may_start(&self) -> bool {
        self.decides().pass().is_some()
    }

    pub(crate) fn manual_may_start(&self) -> bool {
        decide_manual(&self.state, &self.sees(), self.now()).pass().is_some()
    }

    pub(crate) fn seconds_until_retry(&self) -> Option<u64> {
        self.decides().wake_at().map(|wake| (wake.0 - self.now().0) / 1_000)
    }

    // ---- events ---------------------------------------------------------------------------------------------------

    pub(crate) fn claim_of(&mut self, kind: Kind) -> Claim {
        self.ids += 1;
        Claim {
            attempt: AttemptId(self.ids),
            owner: OwnerId(1),
            kind,
            view_revision: self.state.view_revision,
            line: if self.prompt >= EMERGENCY { Line::Emergency } else { Line::Threshold },
        }
    }

    /// Claims; whether it was taken.
    pub(crate) fn claims(&mut self, kind: Kind) -> bool {
        let claim = self.claim_of(kind);
        self.event(Event::Claimed(claim)).outcome == Outcome::Taken
    }

    pub(crate) fn begins(&mut self) {
        assert!(self.claims(Kind::Auto), "{:?}", self.decides());
    }

    pub(crate) fn attempt(&self) -> AttemptId {
        self.state.attempt().expect("an attempt is going on").id
    }

    /// The attempt commits and the prompt becomes `landing`.
    pub(crate) fn commits(&mut self, landing: u32) -> Applied {
        let attempt = self.attempt();
        self.prompt = landing;
        self.event(Event::Committed { attempt, fallback: false })
    }

    pub(crate) fn falls_back(&mut self, landing: u32) {
        let attempt = self.attempt();
        self.prompt = landing;
        let _ = self.event(Event::Committed { attempt, fallback: true });
    }

    pub(crate) fn fails(&mut self, class: FailureClass) {
        let failure = Failure { class, grew: false, retry_after: Some(Millis::secs(7)) };
        let attempt = self.attempt();
        let _ = self.event(Event::Failed { attempt, failure });
    }

    pub(crate) fn grows(&mut self) {
        let failure = Failure { class: FailureClass::BadSummary, grew: true, retry_after: None };
        let attempt = self.attempt();
        let _ = self.event(Event::Failed { attempt, failure });
    }

    pub(crate) fn abandons(&mut self) {
        let attempt = self.attempt();
        let _ = self.event(Event::Abandoned { attempt });
    }

    pub(crate) fn report(&self) -> Report {
        Report {
            prompt_tokens: self.prompt,
            view_revision: Some(self.state.view_revision),
            sent_at: self.now(),
            entries: self.entries,
            estimated: self.prompt,
            appended_since_claim: self.appended,
        }
    }

    /// A model call from the current view completes and its usage is reported.
    pub(crate) fn reports(&mut self) -> Option<Settled> {
        self.calls += 1;
        self.entries += 1;
        let report = self.report();
        self.event(Event::UsageReported(report)).verdict
    }

    pub(crate) fn silent_step(&mut self) -> Option<Settled> {
        self.calls += 1;
        let view_revision = self.state.view_revision;
        self.event(Event::StepWithoutUsage { view_revision }).verdict
    }

    pub(crate) fn overflows(&mut self) -> Option<Settled> {
        let view_revision = self.state.view_revision;
        self.event(Event::OverflowProven { view_revision, limit: None }).verdict
    }

    pub(crate) fn user_speaks(&mut self) {
        self.turns += 1;
        let _ = self.event(Event::UserTurn { ordinal: self.turns });
    }

    pub(crate) fn time_passes(&mut self) {
        let _ = self.event(Event::TimePassed);
    }

    pub(crate) fn no_plan(&mut self) {
        let _ = self.event(Event::PlanRefused { kind: RefusedKind::FloorBound });
    }

    // ---- whole passes ---------------------------------------------------------------------------------------------

    /// A pass started by the policy that saves one token, then its report; the prompt is back at the threshold after.
    pub(crate) fn useless(&mut self) {
        // Far enough apart that the passes do not count as refilling (rule 9).
        self.calls += 4;
        let before = self.prompt;
        self.begins();
        let _ = self.commits(before - 1);
        assert_ne!(self.reports().map(|settled| settled.verdict), Some(Verdict::Effective));
        self.prompt = before;
    }

    /// A pass that helps, and its report.
    pub(crate) fn useful(&mut self) {
        self.begins();
        let _ = self.commits(250);
        assert_eq!(self.reports().map(|settled| settled.verdict), Some(Verdict::Effective));
    }

    /// Passes that start within `minutes` while each summary is larger than its slice and the prompt does not move.
    pub(crate) fn useless_calls_within(&mut self, minutes: u64) -> u32 {
        let mut calls = 0;
        for _ in 0..minutes {
            if self.claims(Kind::Auto) {
                calls += 1;
                self.grows();
            }
            self.now += 60;
        }
        calls
    }
}

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp((1_000 * DAY + seconds) * 1_000)
}
