//! A small world around the real policy: two tabs with a memory each, one store behind compare-and-swap, a clock that
//! jumps, a summariser that lies, and the truth about every pass.

use std::rc::Rc;

use compaction_governor::config::{Config, Line, Lines};
use compaction_governor::id::{AttemptId, ModelId, OwnerId};
use compaction_governor::policy::{
    Applied, Claim, Confidence, Event, Failure, FailureClass, Kind, Means, Observation, Outcome, Phase, RefusedKind,
    Report, Settled, State, Verdict, apply, check, decide, decide_overflow,
};
use compaction_governor::time::{Millis, Timestamp};

pub(crate) const SECOND: u64 = 1_000;
pub(crate) const DAY: u64 = 86_400 * SECOND;
const START: u64 = 100 * DAY;
const WINDOWS: [u32; 2] = [1_000, 700];
const FLOOR: u32 = 100;
const GOOD: u32 = 250;

/// What may happen next. A tab is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// A model call after so many new tokens; its usage is reported at once.
    Step(usize, u32),
    /// The same; no usage comes with it.
    Silent(usize, u32),
    /// The same; its usage comes later.
    Late(usize, u32),
    /// The late usage arrives.
    Arrive(usize),
    /// Decide, and claim at once.
    Go(usize),
    /// Decide and remember the answer.
    Decide(usize),
    /// Claim on the answer remembered.
    Claim(usize),
    /// A person asks.
    Manual(usize),
    /// After a proven overflow: claim, or the last resort.
    Overflowed(usize),
    /// The summariser answers.
    End(usize, Answer),
    /// The summariser answers, and the acknowledgement is lost: the event is applied twice.
    EndTwice(usize, Answer),
    /// The attempt going on says that it is alive.
    Renew(usize),
    /// The page is loaded again; what was going on in it is gone.
    Reload(usize),
    /// A tab sees that the attempt's owner is gone.
    Abandon(usize),
    /// Time passes.
    Pass(u64),
    /// The clock jumps back.
    Back(u64),
    /// A tab writes what time alone made due.
    Tick(usize),
    /// Another model is in force.
    Model(u8),
    /// A user speaks.
    User(usize),
    /// Other credentials.
    Credentials(usize),
    /// The plan was refused.
    NoPlan(usize),
    /// Everything is forgotten by hand.
    Reset(usize),
}

/// How the summariser answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Lands far below.
    Good,
    /// Saves one token.
    Weak,
    /// Lands one below the threshold.
    WeakBelow,
    /// Saves 11 %, still at or above the threshold.
    StillOver,
    /// A plain summary that lands far below.
    Fallback,
    /// A plain summary that saves one token.
    WeakFallback,
    /// Larger than its slice.
    Grew,
    /// Fails with a class.
    Fails(FailureClass),
}

/// An attempt in the store, and what is true of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pass {
    id: u64,
    by_threshold: bool,
    manual: bool,
    before: u32,
    added_at_claim: u32,
    line: Line,
}

/// A committed pass whose verdict is still to come, and what it has to be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pending {
    id: u64,
    useless: bool,
    by_threshold: bool,
    added_at_claim: u32,
}

/// A usage report under way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Travelling {
    prompt: u32,
    view: u32,
    sent_at: u64,
    entries: u32,
    added: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Tab {
    memory: Rc<State>,
    knows: u32,
    call: Option<u64>,
    decided: Option<u32>,
    late: Option<Travelling>,
    overflowed: bool,
}

/// Everything that a continuation depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Scope {
    store: Rc<State>,
    revision: u32,
    tabs: [Tab; 2],
    now: u64,
    model: u8,
    ids: u64,
    turns: u32,
    calls: u32,
    entries: u32,
    added: u32,
    removed: Vec<u32>,
    open: Option<Pass>,
    pending: Option<Pending>,
    /// Useless passes started by the threshold since the last exit.
    useless: u8,
    /// Whether the truth about passes is held against verdicts.
    watched: bool,
}

/// What went wrong.
pub(crate) type Violation = String;

impl Scope {
    pub(crate) fn new(state: State, occupancy: u32) -> Self {
        let store = Rc::new(state);
        let tab = Tab { memory: store.clone(), knows: 0, call: None, decided: None, late: None, overflowed: false };
        Self {
            store,
            revision: 0,
            tabs: [tab.clone(), tab],
            now: START,
            model: 0,
            ids: 0,
            turns: 0,
            calls: 0,
            entries: 1,
            added: occupancy,
            removed: vec![0],
            open: None,
            pending: None,
            useless: 0,
            watched: true,
        }
    }

    /// When a new world begins.
    pub(crate) fn start() -> Timestamp {
        Timestamp(START)
    }

    /// The world after `next`; `None` where it cannot happen.
    pub(crate) fn after(&self, next: Move) -> Result<Option<Self>, Violation> {
        let mut world = self.clone();
        Ok((world.happens(next)? && world.useful_so_far()?).then_some(world))
    }

    fn happens(&mut self, next: Move) -> Result<bool, Violation> {
        match next {
            Move::Step(tab, tokens) => self.step(tab, tokens, How::Reported)?,
            Move::Silent(tab, tokens) => self.step(tab, tokens, How::Silent)?,
            Move::Late(tab, tokens) => self.step(tab, tokens, How::Late)?,
            Move::Arrive(tab) => return self.arrives(tab),
            Move::Go(tab) => return self.go(tab),
            Move::Decide(tab) => return Ok(self.decides(tab)),
            Move::Claim(tab) => return self.claims_what_it_decided(tab),
            Move::Manual(tab) => {
                return self.claim(tab, Kind::Manual, Line::Emergency, self.observe(tab)).map(|()| true);
            }
            Move::Overflowed(tab) => return self.after_overflow(tab),
            Move::End(tab, answer) => return self.ends(tab, answer, 1),
            Move::EndTwice(tab, answer) => return self.ends(tab, answer, 2),
            Move::Renew(tab) => {
                let Some(id) = self.tabs[tab].call else { return Ok(false) };
                self.event(tab, Event::Renewed { attempt: AttemptId(id) })?;
            }
            Move::Reload(tab) => self.reload(tab),
            Move::Abandon(tab) => return self.abandons(tab),
            Move::Pass(length) => self.now += length,
            Move::Back(length) => self.now -= length,
            Move::Tick(tab) => self.event(tab, Event::TimePassed)?,
            Move::Model(model) => {
                let changed = self.model != model;
                self.model = model;
                if changed {
                    self.event(0, Event::ModelChanged)?;
                }
            }
            Move::User(tab) => {
                self.turns += 1;
                self.event(tab, Event::UserTurn { ordinal: self.turns })?;
            }
            Move::Credentials(tab) => self.event(tab, Event::CredentialsChanged)?,
            Move::NoPlan(tab) => return self.plan_is_refused(tab),
            Move::Reset(tab) => {
                self.read(tab);
                (self.open, self.pending, self.useless) = (None, None, 0);
                self.event(tab, Event::Reset)?;
            }
        }
        Ok(true)
    }

    // ---- what a tab sees ------------------------------------------------------------------------------------------

    fn prompt(&self, view: u32) -> u32 {
        self.added - self.removed[view as usize]
    }

    fn lines_for(&self, state: &State) -> Option<Lines> {
        let window = state.window(Some(WINDOWS[usize::from(self.model)]))?;
        Some(Config::default().lines(window, self.entries))
    }

    pub(crate) fn observe(&self, tab: usize) -> Observation {
        let memory = &self.tabs[tab].memory;
        let pending =
            self.pending.as_ref().filter(|pending| memory.attempt().is_some_and(|attempt| attempt.id.0 == pending.id));
        Observation {
            enabled: true,
            lines: self.lines_for(memory),
            occupancy: self.prompt(memory.view_revision),
            confidence: Confidence::Reported,
            floor: FLOOR,
            appended_since_claim: pending.map_or(0, |pending| self.added - pending.added_at_claim),
            model: ModelId(1 + u64::from(self.model)),
            view_revision: memory.view_revision,
            entries: self.entries,
            model_calls: self.calls,
            open_calls: false,
        }
    }

    // ---- how an event reaches the store ---------------------------------------------------------------------------

    /// Memory first; a durable change is written by compare-and-swap; a conflict re-reads and re-applies.
    fn event(&mut self, tab: usize, event: Event) -> Result<(), Violation> {
        let seen = self.observe(tab);
        let applied = apply(&self.tabs[tab].memory, event, &seen, Timestamp(self.now));
        if !self.tabs[tab].memory.differs_durably(&applied.state) {
            self.tabs[tab].memory = Rc::new(applied.state);
            return Ok(());
        }
        if self.tabs[tab].knows == self.revision {
            return self.written(tab, event, applied);
        }
        self.read(tab);
        let seen = self.observe(tab);
        let again = apply(&self.store, event, &seen, Timestamp(self.now));
        if self.store.differs_durably(&again.state) {
            return self.written(tab, event, again);
        }
        self.tabs[tab].memory = Rc::new(again.state);
        Ok(())
    }

    fn read(&mut self, tab: usize) {
        self.tabs[tab].memory = self.store.clone();
        self.tabs[tab].knows = self.revision;
    }

    fn written(&mut self, tab: usize, event: Event, applied: Applied) -> Result<(), Violation> {
        let before = std::mem::replace(&mut self.store, Rc::new(applied.state));
        self.revision += 1;
        self.read(tab);
        self.judge(&before, event, applied.verdict.as_ref())
    }

    // ---- what is true of a verdict --------------------------------------------------------------------------------

    /// No strike for a good pass, none missing for a useless one, no verdict lost.
    fn judge(&mut self, before: &State, event: Event, verdict: Option<&Settled>) -> Result<(), Violation> {
        if !self.watched {
            return Ok(());
        }
        let strikes = |state: &State| state.guards.ineffective_streak + state.guards.weak_streak;
        if let Some(settled) = verdict {
            let Some(pending) = self.pending.take() else { return Err(format!("a verdict of nothing: {settled:?}")) };
            let proven = matches!(event, Event::OverflowProven { .. });
            match (pending.useless, settled.verdict) {
                (false, Verdict::Effective) => self.useless = 0,
                // An overflow proves the prompt too large, whatever the pass did (rule 3).
                (false, _) if !proven => return Err(format!("a strike for a good pass: {settled:?} {pending:?}")),
                (true, Verdict::Effective) => return Err(format!("a useless pass was called effective: {pending:?}")),
                _ if strikes(&self.store) < strikes(before) + 1 => return Err("a strike went missing".into()),
                _ => {}
            }
        }
        self.cleared_by_a_reading(before, event);
        if event == Event::LastResort {
            self.useless -=
                u8::from(self.pending.as_ref().is_some_and(|pending| pending.useless && pending.by_threshold));
            (self.pending, self.open) = (None, None);
        }
        let awaited = match &self.store.phase {
            Phase::AwaitingVerdict { attempt, .. } => Some(attempt.id.0),
            _ => None,
        };
        match &self.pending {
            Some(pending) if awaited != Some(pending.id) => Err(format!("a verdict was lost: {pending:?}")),
            _ => Ok(()),
        }
    }

    /// Exit (c): a reading below the threshold takes ineffective strikes away; weak ones stand.
    fn cleared_by_a_reading(&mut self, before: &State, event: Event) {
        let cleared = self.store.guards.ineffective_streak < before.guards.ineffective_streak
            && self.store.guards.weak_streak == before.guards.weak_streak;
        if matches!(event, Event::UsageReported(_)) && cleared {
            self.useless = self.useless.min(self.store.guards.weak_streak);
        }
    }

    fn useful_so_far(&self) -> Result<bool, Violation> {
        if self.useless > 2 { Err("a third useless pass without an exit".into()) } else { Ok(true) }
    }

    /// What holds of every state: it can be, and asking changes neither it nor the answer.
    pub(crate) fn holds(&self) -> Result<(), Violation> {
        for state in [&self.store, &self.tabs[0].memory, &self.tabs[1].memory] {
            check(state).map_err(|breach| breach.to_string())?;
        }
        let (seen, state, now) = (self.observe(0), &self.tabs[0].memory, Timestamp(self.now));
        let before = State::clone(state);
        let asked = (decide(state, &seen, now), decide_overflow(state, &seen, now));
        if asked != (decide(state, &seen, now), decide_overflow(state, &seen, now)) || before != **state {
            return Err("asking changed the state or the answer".into());
        }
        Ok(())
    }

    // ---- moves ----------------------------------------------------------------------------------------------------

    fn step(&mut self, tab: usize, tokens: u32, how: How) -> Result<(), Violation> {
        self.added += tokens;
        self.entries += 1;
        let view = self.tabs[tab].memory.view_revision;
        let prompt = self.prompt(view);
        if prompt > WINDOWS[usize::from(self.model)] {
            self.tabs[tab].overflowed = true;
            return self.event(tab, Event::OverflowProven { view_revision: view, limit: None });
        }
        self.calls += 1;
        let report = Travelling { prompt, view, sent_at: self.now, entries: self.entries, added: self.added };
        match how {
            How::Reported => self.reported(tab, &report),
            How::Silent => self.event(tab, Event::StepWithoutUsage { view_revision: view }),
            How::Late => {
                self.tabs[tab].late = Some(report);
                Ok(())
            }
        }
    }

    fn reported(&mut self, tab: usize, report: &Travelling) -> Result<(), Violation> {
        let since = self.pending.as_ref().map_or(0, |pending| report.added.saturating_sub(pending.added_at_claim));
        let report = Report {
            prompt_tokens: report.prompt,
            view_revision: Some(report.view),
            sent_at: Timestamp(report.sent_at),
            entries: report.entries,
            estimated: report.prompt,
            appended_since_claim: since,
        };
        self.event(tab, Event::UsageReported(report))
    }

    fn arrives(&mut self, tab: usize) -> Result<bool, Violation> {
        let Some(report) = self.tabs[tab].late.take() else { return Ok(false) };
        self.reported(tab, &report).map(|()| true)
    }

    fn decides(&mut self, tab: usize) -> bool {
        let seen = self.observe(tab);
        let pass = decide(&self.tabs[tab].memory, &seen, Timestamp(self.now)).pass();
        self.tabs[tab].decided = pass.map(|_| seen.view_revision);
        pass.is_some()
    }

    fn claims_what_it_decided(&mut self, tab: usize) -> Result<bool, Violation> {
        let Some(view_revision) = self.tabs[tab].decided.take() else { return Ok(false) };
        let seen = Observation { view_revision, ..self.observe(tab) };
        self.claim(tab, Kind::Auto, line_of(&seen), seen).map(|()| true)
    }

    fn go(&mut self, tab: usize) -> Result<bool, Violation> {
        let seen = self.observe(tab);
        if decide(&self.tabs[tab].memory, &seen, Timestamp(self.now)).pass().is_none() {
            return Ok(false);
        }
        self.claim(tab, Kind::Auto, line_of(&seen), seen).map(|()| true)
    }

    /// A claim is decided again on what the store holds.
    fn claim(&mut self, tab: usize, kind: Kind, line: Line, seen: Observation) -> Result<(), Violation> {
        self.ids += 1;
        let id = self.ids;
        let claim =
            Claim { attempt: AttemptId(id), owner: OwnerId(tab as u64), kind, view_revision: seen.view_revision, line };
        self.read(tab);
        let appended_since_claim = self.observe(tab).appended_since_claim;
        let seen = Observation { appended_since_claim, ..seen };
        let before = self.store.clone();
        let applied = apply(&before, Event::Claimed(claim), &seen, Timestamp(self.now));
        let taken = applied.outcome == Outcome::Taken;
        if !taken && !before.differs_durably(&applied.state) {
            return Ok(());
        }
        self.written(tab, Event::Claimed(claim), applied)?;
        if taken { self.started(tab, &claim, &before, &seen) } else { Ok(()) }
    }

    fn started(&mut self, tab: usize, claim: &Claim, before: &State, seen: &Observation) -> Result<(), Violation> {
        let probe = self.store.attempt().and_then(|attempt| attempt.probe);
        let now_at = self.prompt(self.store.view_revision);
        let threshold = self.lines_for(before).map_or(0, |lines| lines.threshold);
        if claim.kind == Kind::Auto && now_at < threshold {
            return Err("a pass started on a stale decision".into());
        }
        if claim.kind != Kind::Manual && before.guards.tripped() && self.store.guards.tripped() && probe.is_none() {
            return Err("a pass started past a tripped guard".into());
        }
        if probe.is_some() {
            self.useless = 0;
        }
        self.tabs[tab].call = Some(claim.attempt.0);
        self.open = Some(Pass {
            id: claim.attempt.0,
            by_threshold: claim.kind == Kind::Auto && probe.is_none(),
            manual: claim.kind == Kind::Manual,
            before: seen.occupancy,
            added_at_claim: self.added,
            line: claim.line,
        });
        Ok(())
    }

    fn ends(&mut self, tab: usize, answer: Answer, times: u8) -> Result<bool, Violation> {
        let Some(id) = self.tabs[tab].call.take() else { return Ok(false) };
        let attempt = AttemptId(id);
        let fallback = matches!(answer, Answer::Fallback | Answer::WeakFallback);
        let event = match answer {
            Answer::Grew => failed(attempt, FailureClass::BadSummary, true),
            Answer::Fails(class) => failed(attempt, class, false),
            _ => Event::Committed { attempt, fallback },
        };
        let live = matches!(&self.store.phase, Phase::Compacting { attempt } if attempt.id.0 == id);
        if let Some(pass) = self.open.clone().filter(|pass| live && pass.id == id) {
            self.note_end(&pass, answer);
        }
        for _ in 0..times {
            self.event(tab, event)?;
        }
        Ok(true)
    }

    /// What is true of a pass as it ends: the new view's size, and whether it was worth it.
    fn note_end(&mut self, pass: &Pass, answer: Answer) {
        self.open = None;
        let Some(lines) = self.lines_for(&self.store) else { return };
        let landing = match answer {
            Answer::Good | Answer::Fallback => GOOD.min(pass.before),
            Answer::Weak | Answer::WeakFallback => pass.before - 1,
            Answer::WeakBelow => pass.before.min(lines.threshold - 1),
            Answer::StillOver => pass.before.min(lines.threshold.max(pass.before * 89 / 100)),
            Answer::Fails(_) => return,
            Answer::Grew => {
                self.useless += u8::from(pass.by_threshold);
                return;
            }
        };
        let last = self.removed.last().copied().unwrap_or(0);
        self.removed.push(last + (pass.before - landing));
        if pass.manual {
            return;
        }
        let helped = landing < lines.at(pass.line) && (pass.before - landing) * 10 >= pass.before;
        self.useless += u8::from(pass.by_threshold && !helped);
        self.pending = Some(Pending {
            id: pass.id,
            useless: !helped,
            by_threshold: pass.by_threshold,
            added_at_claim: pass.added_at_claim,
        });
    }

    fn after_overflow(&mut self, tab: usize) -> Result<bool, Violation> {
        if !std::mem::take(&mut self.tabs[tab].overflowed) {
            return Ok(false);
        }
        let seen = self.observe(tab);
        match decide_overflow(&self.tabs[tab].memory, &seen, Timestamp(self.now)).pass() {
            Some(pass) if pass.means == Means::LastResort => {
                let to = self.prompt(self.store.view_revision);
                let last = self.removed.last().copied().unwrap_or(0);
                self.removed.push(last + to.saturating_sub(GOOD));
                self.event(tab, Event::LastResort)?;
            }
            Some(pass) => self.claim(tab, Kind::Overflow, pass.line, seen)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    fn reload(&mut self, tab: usize) {
        self.read(tab);
        let fresh = &mut self.tabs[tab];
        (fresh.call, fresh.decided, fresh.late, fresh.overflowed) = (None, None, None, false);
    }

    fn abandons(&mut self, tab: usize) -> Result<bool, Violation> {
        let Some(attempt) = self.tabs[tab].memory.attempt().map(|attempt| attempt.id) else { return Ok(false) };
        if self.tabs.iter().any(|tab| tab.call == Some(attempt.0)) {
            return Ok(false);
        }
        self.event(tab, Event::Abandoned { attempt }).map(|()| true)
    }

    fn plan_is_refused(&mut self, tab: usize) -> Result<bool, Violation> {
        let seen = self.observe(tab);
        if decide(&self.tabs[tab].memory, &seen, Timestamp(self.now)).pass().is_none() {
            return Ok(false);
        }
        self.event(tab, Event::PlanRefused { kind: RefusedKind::FloorBound }).map(|()| true)
    }

    // ---- a healthy continuation -----------------------------------------------------------------------------------

    /// Minutes until a pass commits when from now on everything is well: tab 0 alone, a healthy summariser, the prompt
    /// held at the threshold, usage reported. What time made due is written once, at its start.
    pub(crate) fn minutes_to_a_pass(&self, credentials: bool) -> Result<u64, Violation> {
        let mut world = self.clone();
        world.tabs[0].call = None;
        // Holding the prompt takes text out of the view, which changes what is true of a pass still pending.
        world.watched = false;
        let start = world.now;
        world.event(0, Event::TimePassed)?;
        if credentials {
            world.event(0, Event::CredentialsChanged)?;
        }
        loop {
            world.hold_at_threshold();
            world.step(0, 0, How::Reported)?;
            let seen = world.observe(0);
            let now = Timestamp(world.now);
            let decision = decide(&world.tabs[0].memory, &seen, now);
            if decision.pass().is_some() {
                world.claim(0, Kind::Auto, line_of(&seen), seen)?;
                if world.ends(0, Answer::Good, 1)? {
                    return Ok((world.now - start).div_ceil(60 * SECOND));
                }
            }
            // Nothing is asked before the answer says that it may change: an answer that says too late is found out.
            let minute = world.now + 60 * SECOND;
            world.now = decision.wake_at().map_or(minute, |at| at.0.max(minute));
            if world.now - start > 30 * DAY {
                return Err(format!("blocked for ever: {decision:?}"));
            }
        }
    }

    /// A standing cooldown that only a person, or its own time, ends: minutes from now.
    pub(crate) fn person_needed(&self) -> Option<u64> {
        let longest = |state: &State| {
            let cooldown = state.guards.failures.cooldown.filter(|cooldown| cooldown.class.needs_a_person())?;
            let length = compaction_governor::policy::limits::cooldown(
                cooldown.class,
                state.guards.failures.streaks[cooldown.class as usize],
                None,
            );
            Some(length.0.min(cooldown.until.0.saturating_sub(self.now)).div_ceil(60 * SECOND))
        };
        [&self.store, &self.tabs[0].memory].into_iter().filter_map(|state| longest(state)).max()
    }

    /// What is missing is added, what is too much is taken out of the view.
    fn hold_at_threshold(&mut self) {
        let view = self.tabs[0].memory.view_revision;
        let threshold = self.lines_for(&self.tabs[0].memory).map_or(0, |lines| lines.threshold);
        self.added += threshold.saturating_sub(self.prompt(view));
        self.removed[view as usize] += self.prompt(view).saturating_sub(threshold);
    }
}

#[derive(Clone, Copy)]
enum How {
    Reported,
    Silent,
    Late,
}

fn failed(attempt: AttemptId, class: FailureClass, grew: bool) -> Event {
    let retry_after = (class == FailureClass::RateLimit).then_some(Millis::secs(7));
    Event::Failed { attempt, failure: Failure { class, grew, retry_after } }
}

fn line_of(seen: &Observation) -> Line {
    match seen.lines {
        Some(lines) if seen.occupancy >= lines.emergency => Line::Emergency,
        _ => Line::Threshold,
    }
}
