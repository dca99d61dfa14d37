//! One seed's world: tabs on one store, a clock that jumps, a store that fails, a person who edits.

use std::collections::HashSet;

use compaction_governor::{
    config::{Config, Trigger},
    policy::{FailureClass, Verdict},
    record::{Loaded, Root, load_root},
    session::{Durability, Notice, Settings, Step, StoreCommand, StoreReply},
    store::{Part, StoreError, StoreErrorKind, UnavailableWhy},
    time::{Millis, Timestamp},
};

use crate::{
    invariants::{self, Commits},
    lock::Lock,
    op::{Op, What},
    rng::Rng,
    seen::Seen,
    store::{SESSION, SimStore, failed},
    tab::{Busy, Standing, Tab},
    talk::Talk,
    trace::Trace,
};

/// Long after the epoch, so that a clock can jump back.
const START: Timestamp = Timestamp(1_000 * DAY);
pub(crate) const DAY: u64 = 24 * 3_600_000;

pub(crate) struct World {
    pub(crate) rng: Rng,
    pub(crate) now: Timestamp,
    /// Steps for which the clock stands still.
    frozen: u64,
    pub(crate) store: SimStore,
    pub(crate) tabs: Vec<Tab>,
    pub(crate) talk: Talk,
    pub(crate) settings: Settings,
    /// What the provider really takes.
    pub(crate) window: u32,
    pub(crate) honest: u64,
    faulty: u64,
    /// How often in a hundred the store fills up, or is emptied.
    fills: u64,
    pub(crate) lock: Lock,
    /// Hosts that let their provider compact: how often in a hundred.
    pub(crate) adopts: u64,
    /// What such hosts said was covered.
    pub(crate) adopted: HashSet<String>,
    owners: u64,
    ghosts: Vec<Ghost>,
    pub(crate) commits: Commits,
    pub(crate) trace: Trace,
    pub(crate) seen: Seen,
}

/// A commit that an engine makes after it was given up.
struct Ghost {
    command: StoreCommand,
    made_by: MadeBy,
}

/// Whose commit it is, and what led to it.
#[derive(Clone)]
pub(crate) struct MadeBy {
    pub(crate) owner: u64,
    pub(crate) now: Timestamp,
    pub(crate) standing: Standing,
    /// Its host has shown it nothing yet.
    pub(crate) blank: bool,
    /// It holds the session's lock.
    pub(crate) alone: bool,
    /// What its memory holds: of a summary that had no room the store cannot say what it was.
    pub(crate) memory: Box<Root>,
    /// The root that was refused just now for want of room.
    pub(crate) refused: Option<Box<Root>>,
}

type Checked = Result<(), String>;

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let window = rng.pick(&[4_000, 6_000, 8_000, 16_000]);
        let settings = settings(window, &mut rng);
        let (longest, fixed) = (u64::from(window) / rng.pick(&[12, 25, 50]), window / rng.pick(&[4, 8, 40]));
        let mut world = Self {
            now: START,
            frozen: 0,
            store: SimStore::default(),
            tabs: Vec::new(),
            talk: Talk::new(longest, fixed),
            settings,
            window,
            honest: rng.pick(&[95, 70, 40, 10]),
            faulty: rng.pick(&[0, 1, 4, 12]),
            fills: rng.pick(&[0, 0, 10, 40]),
            lock: Lock::new(rng.percent(40)),
            adopts: rng.pick(&[0, 0, 0, 0, 4]),
            adopted: HashSet::new(),
            owners: 0,
            ghosts: Vec::new(),
            commits: Commits::default(),
            trace: Trace::default(),
            seen: Seen::default(),
            rng,
        };
        for _ in 0..world.rng.pick(&[1, 2, 2, 3, 4]) {
            let tab = world.new_tab();
            world.tabs.push(tab);
        }
        world
    }

    fn new_tab(&mut self) -> Tab {
        self.owners += 1;
        Tab::new(self.owners, &self.settings)
    }

    /// One step: the world moves, or one tab takes one store call or begins something.
    pub(crate) fn step(&mut self) -> Checked {
        self.pass_time();
        if self.rng.percent(14) {
            return self.world_moves();
        }
        let at = self.rng.below(self.tabs.len() as u64) as usize;
        match self.tabs[at].busy {
            Some(_) => self.advance(at)?,
            None => self.act(at),
        }
        self.check_tab(at)
    }

    fn pass_time(&mut self) {
        self.frozen = self.frozen.saturating_sub(1);
        if self.frozen == 0 {
            self.now = self.now.after(Millis(self.rng.below(16_000)));
        }
    }

    fn world_moves(&mut self) -> Checked {
        match self.rng.below(100) {
            0..46 => self.talk.grow(&mut self.rng),
            46..52 => {
                let what = self.talk.edit(&mut self.rng);
                self.trace.note(|| format!("history {what}, {} entries", self.talk.entries.len()));
            }
            52..62 => self.jump(),
            62..72 => self.outage(),
            72..88 => self.fixed_part_changes(),
            88..94 => self.fill(),
            94..96 => self.honest = self.rng.pick(&[100, 95, 70, 40, 10]),
            _ => return self.ghost(),
        }
        Ok(())
    }

    /// Tools come and go: what spoils a pass, and what clears a strike.
    fn fixed_part_changes(&mut self) {
        self.talk.fixed = self.window / 100 * self.rng.pick(&[3, 8, 15, 30, 45, 60, 70]);
    }

    fn jump(&mut self) {
        let length = self.rng.pick(&[1_000, 60_000, 300_000, 660_000, 3_700_000, DAY]);
        match self.rng.below(10) {
            0..6 => self.now = self.now.after(Millis(length)),
            6..8 => self.now = Timestamp(self.now.0 - length),
            _ => self.frozen = 40,
        }
        self.trace.note(|| format!("the clock is at {:?}", self.now));
    }

    fn outage(&mut self) {
        let begins = self.store.outage.is_none() && self.faulty > 0 && self.rng.percent(20);
        self.store.outage = begins.then(|| any_kind(&mut self.rng));
        self.trace.note(|| format!("outage: {:?}", self.store.outage));
    }

    /// Other data takes all of the room but a little, or makes room again.
    fn fill(&mut self) {
        let full = self.store.room.is_none() && self.rng.percent(self.fills);
        let left = self.rng.pick(&[0, 40, 300, 2_000]);
        self.store.room = full.then(|| self.store.size() + left);
        self.trace.note(|| format!("room: {:?}", self.store.room));
    }

    fn ghost(&mut self) -> Checked {
        if self.ghosts.is_empty() {
            return Ok(());
        }
        let at = self.rng.below(self.ghosts.len() as u64) as usize;
        let Ghost { command, made_by } = self.ghosts.swap_remove(at);
        self.trace.note(|| format!("a commit of {} that was given up comes late", made_by.owner));
        if let Some(busy) =
            self.tabs.iter_mut().filter(|tab| tab.owner == made_by.owner).find_map(|tab| tab.busy.as_mut())
        {
            busy.met += 1;
        }
        self.execute(&command, &made_by).map(drop)
    }

    pub(crate) fn begin(&mut self, at: usize, mut op: Op) {
        let (tab, now) = (&mut self.tabs[at], self.now);
        if !tab.standing.ahead {
            tab.standing.since.clear();
            tab.standing.lowest = None;
            tab.standing.helped = false;
        }
        tab.standing.spoken_before = tab.standing.user_spoke;
        tab.standing.since.push(op.what);
        tab.standing.lowest = Some(tab.standing.lowest.map_or(now, |lowest| lowest.min(now)));
        self.trace.note(|| format!("{} begins {:?} at {now:?}", tab.owner, op.what));
        let step = op.begin(&mut tab.session, now);
        self.took(at, op, now, (0, 0), step);
    }

    /// The operation asks for its next store call, or has ended.
    fn took(&mut self, at: usize, op: Op, now: Timestamp, (calls, met): (u32, u32), step: Step) {
        match step {
            Step::Store(command) => {
                let refused = self.tabs[at].refused.take();
                self.tabs[at].busy = Some(Busy { op, command, reply: None, now, calls: calls + 1, met, refused });
            }
            Step::Done => {
                let tab = &mut self.tabs[at];
                tab.refused = None;
                let what = op.what;
                let came = op.finish(&mut tab.session);
                self.trace.note(|| format!("{} ended {what:?}: {came:?}, {:?}", tab.owner, tab.session.durability()));
                self.seen.note_end(&came, tab.session.durability());
                tab.standing.ahead =
                    matches!(tab.session.durability(), Durability::Degraded | Durability::CountersOnly);
                if !tab.standing.ahead && matches!(what, What::Settle | What::Claim(_)) {
                    // These take note of a user's turn; what takes none leaves it to the next.
                    tab.standing.user_spoke -= tab.standing.spoken_before;
                }
                tab.standing.helped |= tab.session.drain_notices().iter().any(says_effective);
                self.ended(at, what, came);
                self.let_go(at);
            }
        }
    }

    /// One store call of the operation that is on its way: executed, answered, or cut off.
    fn advance(&mut self, at: usize) -> Checked {
        match self.rng.below(1_000) {
            0..8 => return self.kill(at),
            // What was covered is counted, not compared: who adopts keeps the history still.
            8..30 if self.tabs[at].busy.as_ref().is_some_and(|busy| busy.op.what != What::Adopt) => {
                self.tabs[at].sync(&self.talk.entries);
            }
            _ => {}
        }
        let busy = self.tabs[at].busy.as_mut().expect("asked for busy tabs");
        if busy.reply.is_none() {
            let (command, made_by) = (busy.command.clone(), self.made_by(at));
            let (reply, faults) = self.answer(&command, &made_by)?;
            let busy = self.tabs[at].busy.as_mut().expect("still busy");
            busy.reply = Some(reply);
            busy.met += faults;
            if self.rng.percent(40) {
                return Ok(());
            }
        }
        self.deliver(at);
        Ok(())
    }

    pub(crate) fn deliver(&mut self, at: usize) {
        let tab = &mut self.tabs[at];
        let Busy { mut op, command, reply, now, calls, met, .. } = tab.busy.take().expect("asked for busy tabs");
        let reply = reply.expect("executed before");
        tab.refused = refused_root(&command, &reply, now);
        self.trace.note(|| format!("{} hears {}", tab.owner, told(&reply)));
        let step = op.resume(&mut tab.session, reply, now);
        self.took(at, op, now, (calls, met), step);
    }

    pub(crate) fn made_by(&self, at: usize) -> MadeBy {
        let tab = &self.tabs[at];
        let now = tab.busy.as_ref().map_or(self.now, |busy| busy.now);
        MadeBy {
            owner: tab.owner,
            now,
            standing: tab.standing.clone(),
            blank: tab.copy.is_empty(),
            alone: self.lock.is_held_by(tab.owner),
            memory: Box::new(tab.session.root().clone()),
            refused: tab.busy.as_ref().and_then(|busy| busy.refused.clone()),
        }
    }

    /// What the tab hears, and whether it is a fault that excuses further calls.
    fn answer(&mut self, command: &StoreCommand, made_by: &MadeBy) -> Result<(StoreReply, u32), String> {
        if let Some(kind) = self.store.outage.clone() {
            return Ok((failed(command, StoreError::not_applied(kind)), 0));
        }
        if !self.rng.percent(self.faulty) {
            return Ok((self.execute(command, made_by)?, 0));
        }
        let lost = if self.rng.percent(50) { StoreErrorKind::Timeout } else { StoreErrorKind::Indeterminate };
        let unknown = StoreError::maybe_applied(lost);
        let (what, reply) = match self.rng.below(6) {
            0 => ("fails", failed(command, StoreError::not_applied(any_kind(&mut self.rng)))),
            1 => ("is not answered", failed(command, unknown)),
            2 => {
                self.execute(command, made_by)?;
                ("is done and not answered", failed(command, unknown))
            }
            3 => {
                self.ghosts.push(Ghost { command: command.clone(), made_by: made_by.clone() });
                ("is given up", failed(command, unknown))
            }
            4 => {
                self.ghosts.push(Ghost { command: command.clone(), made_by: made_by.clone() });
                ("will come again", self.execute(command, made_by)?)
            }
            _ => {
                self.execute(command, made_by)?;
                ("is sent twice", self.execute(command, made_by)?)
            }
        };
        self.trace.note(|| format!("    the call of {} {what}", made_by.owner));
        self.seen.note(what);
        // A load that fails ends what asked for it: it is no reason to ask again.
        Ok((reply, u32::from(matches!(command, StoreCommand::Commit { .. }))))
    }

    pub(crate) fn execute(&mut self, command: &StoreCommand, made_by: &MadeBy) -> Result<StoreReply, String> {
        let (reply, change) = self.store.execute(command, made_by.now);
        if let Some(change) = change {
            let revision = self.store.revision().expect("just committed");
            self.trace.note(|| format!("    {} committed revision {revision}: {}", made_by.owner, summed(&change.new)));
            for tab in &mut self.tabs {
                if tab.owner != made_by.owner
                    && let Some(busy) = &mut tab.busy
                {
                    busy.met += 1;
                }
            }
            self.seen.note_change(&change);
            invariants::after_commit(&mut self.commits, &self.store, &change, made_by)?;
        }
        Ok(reply)
    }

    /// The page is gone, between its call and the answer: the call may have been made or not.
    fn kill(&mut self, at: usize) -> Checked {
        let made_by = self.made_by(at);
        let busy = self.tabs[at].busy.take().expect("asked for busy tabs");
        let fresh = self.new_tab();
        self.trace.note(|| format!("{} is killed in {:?}; {} comes", made_by.owner, busy.op.what, fresh.owner));
        self.seen.note("killed");
        self.lock.release(made_by.owner);
        self.tabs[at] = fresh;
        match (busy.reply, self.rng.below(3)) {
            (None, 0) => self.execute(&busy.command, &made_by).map(drop),
            (None, 1) => {
                self.ghosts.push(Ghost { command: busy.command, made_by });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn reload(&mut self, at: usize) {
        let fresh = self.new_tab();
        self.trace.note(|| format!("{} is reloaded as {}", self.tabs[at].owner, fresh.owner));
        self.lock.release(self.tabs[at].owner);
        self.tabs[at] = fresh;
    }

    pub(crate) fn check_tab(&self, at: usize) -> Checked {
        invariants::after_step(&self.tabs[at], &self.store, &self.adopted)
    }

    /// Takes the operation of a tab to its end.
    pub(crate) fn run_to_end(&mut self, at: usize) -> Checked {
        while let Some(busy) = &self.tabs[at].busy {
            if busy.reply.is_none() {
                let (command, made_by) = (busy.command.clone(), self.made_by(at));
                let reply = self.execute(&command, &made_by)?;
                self.tabs[at].busy.as_mut().expect("still busy").reply = Some(reply);
            }
            self.deliver(at);
            self.check_tab(at)?;
        }
        Ok(())
    }

    /// No fault from here on; what was given up comes now or never.
    pub(crate) fn calm_down(&mut self) -> Checked {
        self.store.outage = None;
        self.store.room = None;
        self.faulty = 0;
        self.frozen = 0;
        self.honest = 100;
        while !self.ghosts.is_empty() {
            self.ghost()?;
        }
        Ok(())
    }
}

fn settings(window: u32, rng: &mut Rng) -> Settings {
    let mut config = Config { context_window: Some(window), ..Config::default() };
    if rng.percent(10) {
        config.context_window = None;
    } else if rng.percent(15) {
        let trigger = Trigger { window_permille: Some(600), ..Trigger::default() };
        config.triggers = [trigger].into_iter().collect();
    } else if rng.percent(15) {
        config.max_output = Some(window / 4);
    }
    let fallback = match rng.below(5) {
        0 => FailureClass::ALL.to_vec(),
        1 => vec![FailureClass::Timeout, FailureClass::NoSummarizer],
        _ => Vec::new(),
    };
    Settings { config, fallback, keep_results: rng.percent(40), ..Settings::default() }
}

/// The root of a commit for which there was no room.
fn refused_root(command: &StoreCommand, reply: &StoreReply, now: Timestamp) -> Option<Box<Root>> {
    match (command, reply) {
        (StoreCommand::Commit { batch, .. }, StoreReply::Committed(Err(error)))
            if error.kind == StoreErrorKind::QuotaExceeded && batch.puts.len() > 1 =>
        {
            let (_, bytes) = batch.puts.iter().find(|(part, _)| *part == Part::Root)?;
            match load_root(Some(bytes), SESSION, now) {
                Loaded::Found { root, .. } => Some(Box::new(root)),
                other => panic!("a root that cannot be read as it was written: {other:?}"),
            }
        }
        _ => None,
    }
}

fn any_kind(rng: &mut Rng) -> StoreErrorKind {
    match rng.below(8) {
        // Not a full store, which is one of its own: what needs no room is taken (`fill`).
        0 => StoreErrorKind::Busy,
        1 => StoreErrorKind::KeyUnavailable,
        2 => StoreErrorKind::Unavailable { why: UnavailableWhy::Denied },
        3 => StoreErrorKind::Blocked,
        4 => StoreErrorKind::ConnectionClosed,
        5 => StoreErrorKind::Closed,
        6 => StoreErrorKind::Superseded,
        _ => StoreErrorKind::Backend { name: "UnknownError".to_owned() },
    }
}

fn says_effective(notice: &Notice) -> bool {
    matches!(notice, Notice::Verdict(settled) if settled.verdict == Verdict::Effective)
}

fn told(reply: &StoreReply) -> String {
    match reply {
        StoreReply::Loaded(Ok(found)) => format!("revision {:?}", found.as_ref().map(|found| found.revision)),
        other => format!("{other:?}"),
    }
}

fn summed(root: &compaction_governor::record::Root) -> String {
    let guards = &root.state.guards;
    let phase = match &root.state.phase {
        compaction_governor::policy::Phase::Idle => "idle".to_owned(),
        compaction_governor::policy::Phase::Compacting { attempt } => format!("compacting {}", attempt.id),
        compaction_governor::policy::Phase::AwaitingVerdict { attempt, .. } => format!("judging {}", attempt.id),
    };
    let generations: Vec<u32> = root.generations.iter().map(|generation| generation.number).collect();
    format!(
        "{phase}, view {}, strikes {}+{}, fallbacks {}, recovery {:?}, cooldown {:?}, generations {generations:?}",
        root.state.view_revision,
        guards.ineffective_streak,
        guards.weak_streak,
        guards.fallback_streak,
        guards.recovery,
        guards.failures.cooldown
    )
}
