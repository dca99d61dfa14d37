//! One random history: the policy and its reference side by side, fed the same events.

use std::fmt;

use compaction_governor::config::{Config, Line, Lines};
use compaction_governor::id::{AttemptId, ModelId, OwnerId};
use compaction_governor::policy::{
    Applied, Claim, Confidence, Event, Failure, FailureClass, Kind, MAX_STRUCK_MODELS, Observation, Outcome,
    RefusedKind, Report, State, apply, check, decide, decide_manual, decide_overflow, due,
};
use compaction_governor::time::{Millis, Timestamp};

use crate::reference::{Came, Reference, Stage};
use crate::rng::Rng;
use crate::seen::Seen;

/// Long after the epoch, so that a clock can jump back.
const START: u64 = 1_000 * DAY;
const DAY: u64 = 24 * HOUR;
const HOUR: u64 = 3_600 * SECOND;
const SECOND: u64 = 1_000;
const WINDOWS: [Option<u32>; 8] =
    [Some(1_000), Some(1_000), Some(1_000), Some(1_000), Some(977), Some(700), Some(333), None];

/// A history so far.
pub(crate) struct World {
    state: State,
    reference: Reference,
    now: u64,
    ids: u64,
    turns: u32,
    calls: u32,
    entries: u32,
    stated: Option<u32>,
    model: u64,
    /// What happened, for a person; kept only where someone will read it.
    pub(crate) trace: Option<Vec<String>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let state = State::default();
        let reference = Reference::of(&state);
        Self {
            state,
            reference,
            now: START,
            ids: 0,
            turns: 0,
            calls: 1,
            entries: 10,
            stated: Some(1_000),
            model: 1,
            trace: None,
        }
    }

    /// One step drawn from its own seed: time passes, the prompt changes, an event comes, everything is compared.
    pub(crate) fn step(&mut self, seed: u64, seen: &mut Seen) -> Result<(), String> {
        let mut rng = Rng::new(seed);
        self.pass_time(&mut rng);
        self.change_world(&mut rng);
        if rng.percent(1) {
            self.start_over(&mut rng);
        }
        let obs = self.observe(&mut rng);
        let event = self.event(&obs, &mut rng);
        let after = self.now as i64 - START as i64;
        self.tell(|| format!("+{after} ms {event:?}\n    on {obs:?}"));
        self.compare_event(event, &obs, seen)?;
        self.compare_decisions(&obs, seen)?;
        let other = self.observe(&mut rng);
        self.compare_decisions(&other, seen)
    }

    fn tell(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(what());
        }
    }

    fn compare_event(&mut self, event: Event, obs: &Observation, seen: &mut Seen) -> Result<(), String> {
        let applied = apply(&self.state, event, obs, Timestamp(self.now));
        let (came, judged) = self.reference.apply(&event, obs, self.now);
        check(&applied.state).map_err(|breach| format!("breach: {breach:?}\n{:#?}", applied.state))?;
        let found = Reference::of(&applied.state);
        if found != self.reference {
            return Err(format!("policy:    {found:?}\nreference: {:?}\nbefore:    {:?}", self.reference, self.state));
        }
        same("outcome", came_of(&applied), came)?;
        same("verdict", applied.verdict.map(|v| (v.attempt.0, v.verdict, v.net_tokens.into(), v.estimated)), judged)?;
        let window = self.state.window(self.stated);
        seen.note(&applied, window != applied.state.window(self.stated));
        self.state = applied.state;
        same("window", self.state.window(self.stated).map(u64::from), self.reference.window(self.stated.map(u64::from)))
    }

    fn compare_decisions(&self, obs: &Observation, seen: &mut Seen) -> Result<(), String> {
        let now = Timestamp(self.now);
        let auto = decide(&self.state, obs, now);
        if due(&self.state, obs, now) != auto.pass().is_some() {
            return Err("due and decide disagree".to_owned());
        }
        seen.note_action(&auto.action);
        let overflow = decide_overflow(&self.state, obs, now).action;
        let manual = decide_manual(&self.state, obs, now).action;
        let asked = |what, policy, reference| {
            same(what, policy, reference).map_err(|told| format!("{told}\non {obs:?}\nin {:?}", self.state))
        };
        asked("decide", auto.action, self.reference.decide(obs, self.now))?;
        asked("decide_overflow", overflow, self.reference.decide_overflow(obs, self.now))?;
        asked("decide_manual", manual, self.reference.decide_manual(obs, self.now))?;
        same(
            "numbers",
            (auto.used, auto.floor, auto.lines, auto.confidence),
            (obs.occupancy, obs.floor, obs.lines, obs.confidence),
        )
    }

    // ---- what happens ---------------------------------------------------------------------------------------------

    fn pass_time(&mut self, rng: &mut Rng) {
        let lengths = [0, 1, SECOND, 30 * SECOND, 60 * SECOND, 300 * SECOND, 600 * SECOND, 900 * SECOND, HOUR];
        match rng.below(100) {
            0..40 => self.now += rng.pick(&lengths[..4]),
            40..70 => self.now += rng.pick(&lengths),
            70..95 => self.go_to_an_instant(rng),
            95..97 => self.now = self.now.saturating_sub(rng.pick(&[SECOND, 60 * SECOND, HOUR, DAY])),
            97..98 => self.now += DAY,
            _ => {}
        }
    }

    /// To a moment at which something changes, or a millisecond beside it.
    fn go_to_an_instant(&mut self, rng: &mut Rng) {
        let r = &self.reference;
        let mut instants = vec![];
        instants.extend(r.clock.as_ref().map(|clock| clock.deadline));
        instants.extend(r.cooldown.map(|(_, until)| until));
        instants.extend(r.interrupted_until);
        instants.extend(r.refused.map(|(.., until)| until));
        instants.extend(r.last_end.map(|end| end + 900 * SECOND));
        for rung in 0..3 {
            instants.extend(r.last_end.map(|end| end + ((60 * SECOND) << rung)));
        }
        match &r.stage {
            Stage::Idle => {}
            Stage::Compacting(of) => instants.push(of.deadline),
            Stage::Awaiting { at, .. } => instants.push(at + 300 * SECOND),
        }
        if !instants.is_empty() {
            let at = rng.pick(&instants);
            self.now = self.now.max(at + 1 - rng.below(3));
        }
    }

    fn change_world(&mut self, rng: &mut Rng) {
        if rng.percent(4) {
            self.stated = rng.pick(&WINDOWS);
        }
        if rng.percent(8) {
            let models = if rng.percent(10) { 12 } else { 3 };
            self.model = 1 + rng.below(models);
        }
        self.calls += rng.pick(&[0, 0, 1, 1, 1, 2, 3, 4]);
        self.entries += rng.below(3) as u32;
    }

    /// A reload, a rebuilt record or a store that cannot be read: nothing of it is an event.
    fn start_over(&mut self, rng: &mut Rng) {
        self.state = match rng.below(3) {
            0 => State::unknown_history(),
            1 => State::rebuilt(Timestamp(self.now)),
            _ => {
                let mut state = State::rebuilt(Timestamp(self.now));
                state.guards.struck_models.extend((1..MAX_STRUCK_MODELS as u64).map(ModelId));
                state
            }
        };
        self.reference = Reference::of(&self.state);
        let state = self.state.clone();
        self.tell(|| format!("starts over as {state:?}"));
    }

    fn lines(&self) -> Option<Lines> {
        let window = self.reference.window(self.stated.map(u64::from))?;
        Some(Config::default().lines(window as u32, self.entries))
    }

    fn observe(&self, rng: &mut Rng) -> Observation {
        let lines = self.lines();
        let occupancy = self.size(lines, rng);
        Observation {
            enabled: !rng.percent(3),
            lines,
            occupancy,
            confidence: if rng.percent(5) { Confidence::Unknown } else { Confidence::Reported },
            floor: rng.pick(&[0, 100, 300, 301]),
            appended_since_claim: rng.pick(&[0, 0, 1, 50, 400]),
            model: ModelId(self.model),
            view_revision: self.state.view_revision,
            entries: self.entries,
            model_calls: self.calls,
            open_calls: rng.percent(5),
        }
    }

    /// A prompt size, mostly one at which something changes or one beside it.
    fn size(&self, lines: Option<Lines>, rng: &mut Rng) -> u32 {
        let r = &self.reference;
        let mut sizes = vec![rng.below(1_100), 800];
        if let Some(lines) = lines {
            sizes.extend([lines.threshold, lines.threshold, lines.emergency, lines.window].map(u64::from));
        }
        sizes.extend(r.baseline.map(|baseline| baseline * 12 / 10));
        sizes.extend(r.strike_line);
        if let (Some((_, at, ..)), Some(lines)) = (r.refused, lines) {
            sizes.push(at + u64::from(lines.threshold / 10));
        }
        match &r.stage {
            Stage::Idle => {}
            Stage::Compacting(of) => sizes.push(of.before * 9 / 10),
            Stage::Awaiting { of, line, .. } => sizes.extend([*line, of.before * 9 / 10]),
        }
        (rng.pick(&sizes) + rng.below(3)).saturating_sub(1) as u32
    }

    fn event(&mut self, obs: &Observation, rng: &mut Rng) -> Event {
        let weights: &[(u64, What)] = match self.reference.stage {
            Stage::Idle => {
                &[(45, What::Claim), (10, What::Report), (8, What::World), (4, What::Overflow), (3, What::Ended)]
            }
            Stage::Compacting(_) => {
                &[(60, What::Ended), (8, What::World), (6, What::Claim), (5, What::Report), (3, What::Overflow)]
            }
            Stage::Awaiting { .. } => {
                &[(40, What::Report), (12, What::Claim), (10, What::World), (5, What::Overflow), (3, What::Ended)]
            }
        };
        match rng.weighted(weights) {
            What::Claim if rng.percent(3) => Event::Adopted(self.claim(rng)),
            What::Claim => Event::Claimed(self.claim(rng)),
            What::Report => self.report(obs, rng),
            What::Ended => self.ended(rng),
            What::Overflow => match rng.below(10) {
                0..7 => Event::OverflowProven { view_revision: self.view(rng), limit: self.limit(rng) },
                _ => Event::LastResort,
            },
            What::World => self.worldly(rng),
        }
    }

    fn claim(&mut self, rng: &mut Rng) -> Claim {
        if !rng.percent(4) {
            self.ids += 1;
        }
        Claim {
            attempt: AttemptId(self.ids),
            owner: OwnerId(1 + rng.below(2)),
            kind: rng.weighted(&[(70, Kind::Auto), (20, Kind::Overflow), (10, Kind::Manual)]),
            view_revision: self.view(rng),
            line: if rng.percent(80) { Line::Threshold } else { Line::Emergency },
        }
    }

    fn view(&self, rng: &mut Rng) -> u32 {
        let current = self.state.view_revision;
        if rng.percent(8) { current.saturating_sub(1) } else { current }
    }

    fn limit(&self, rng: &mut Rng) -> Option<u32> {
        [None, None, Some(600), Some(900), Some(1_500), Some(200)][rng.below(6) as usize]
    }

    fn report(&self, obs: &Observation, rng: &mut Rng) -> Event {
        if rng.percent(15) {
            return Event::StepWithoutUsage { view_revision: self.view(rng) };
        }
        let prompt_tokens = if rng.percent(5) { obs.occupancy + 900 } else { self.size(obs.lines, rng) };
        let quarter = prompt_tokens / 5 * 4;
        Event::UsageReported(Report {
            prompt_tokens,
            view_revision: (!rng.percent(20)).then(|| self.view(rng)),
            sent_at: Timestamp(self.now.saturating_sub(rng.pick(&[0, 0, 1, SECOND, 60 * SECOND]))),
            entries: self.entries.saturating_sub(rng.pick(&[0, 0, 0, 1, 5])),
            estimated: rng.pick(&[prompt_tokens, quarter, quarter.saturating_sub(1), quarter + 2, obs.occupancy]),
            appended_since_claim: rng.pick(&[0, 0, 0, 1, 40, 500]),
        })
    }

    fn ended(&self, rng: &mut Rng) -> Event {
        let attempt = match &self.reference.stage {
            Stage::Compacting(of) | Stage::Awaiting { of, .. } if !rng.percent(5) => AttemptId(of.id),
            _ => AttemptId(self.ids.saturating_sub(1)),
        };
        match rng.below(100) {
            0..55 => Event::Committed { attempt, fallback: rng.percent(20) },
            55..90 => Event::Failed { attempt, failure: failure(rng) },
            90..96 => Event::Abandoned { attempt },
            _ => Event::Renewed { attempt },
        }
    }

    fn worldly(&mut self, rng: &mut Rng) -> Event {
        match rng.below(100) {
            0..30 => {
                self.turns += rng.below(3) as u32;
                Event::UserTurn { ordinal: self.turns }
            }
            30..55 => Event::PlanRefused { kind: rng.pick(&[RefusedKind::FloorBound, RefusedKind::NothingToCompact]) },
            55..65 => Event::ModelChanged,
            65..72 => Event::CredentialsChanged,
            72..92 => Event::TimePassed,
            92..95 => Event::TranscriptCut { entries: self.entries / 2, user_turns: self.turns / 2 },
            95..97 => Event::Undone,
            97..98 => Event::Pruned,
            _ => Event::Reset,
        }
    }
}

#[derive(Clone, Copy)]
enum What {
    Claim,
    Report,
    Ended,
    Overflow,
    World,
}

fn failure(rng: &mut Rng) -> Failure {
    let class = if rng.percent(40) { FailureClass::BadSummary } else { rng.pick(&FailureClass::ALL) };
    Failure {
        class,
        grew: class == FailureClass::BadSummary && rng.percent(60),
        retry_after: [None, Some(1), Some(20 * SECOND), Some(2 * HOUR)][rng.below(4) as usize].map(Millis),
    }
}

fn came_of(applied: &Applied) -> Came {
    match &applied.outcome {
        Outcome::Taken => Came::Taken,
        Outcome::Ignored(why) => Came::Ignored(*why),
        Outcome::Refused(decision) => Came::Refused(decision.action),
    }
}

fn same<T: PartialEq + fmt::Debug>(what: &str, policy: T, reference: T) -> Result<(), String> {
    if policy == reference { Ok(()) } else { Err(format!("{what}\npolicy:    {policy:?}\nreference: {reference:?}")) }
}
