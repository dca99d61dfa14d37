//! After the faults: what was in the way ends by itself. The store answers, memory and store agree, a paused guard opens by its
//! time, and a conversation above its line is compacted or says by name why not and when.

use compaction_governor::{
    policy::{Action, Block, Blocked, Decision, Hold, Kind, Wait},
    session::{Durability, Event, Pinnable, Report, Unpin},
    time::Millis,
};

use crate::{
    lock::Lock,
    op::Op,
    world::{DAY, World},
};

impl World {
    /// From here on nothing fails, and all is well within its time.
    pub(crate) fn recovers(&mut self) -> Result<(), String> {
        self.calm_down()?;
        for at in 0..self.tabs.len() {
            self.run_to_end(at)?;
            self.tabs[at].queue.clear();
        }
        self.lock = Lock::new(false);
        self.agree().map_err(|what| format!("liveness: {what}"))?;
        for _ in 0..2 {
            self.goes_on().map_err(|what| format!("liveness: {what}"))?;
        }
        Ok(())
    }

    /// Within a retry's time every tab has written what it had, and reads what the others wrote.
    fn agree(&mut self) -> Result<(), String> {
        // Two retries: a clock that was just set back makes one of them wait its time again. The third is for what a
        // store had no room for, which is tried again within the hour.
        for round in 0..4 {
            let length = if round == 2 { HOUR } else { Millis::secs(0) };
            self.now = self.now.after(length).after(LONGEST_RETRY);
            for at in 0..self.tabs.len() {
                let first = if self.tabs[at].opened { Op::look() } else { Op::open() };
                self.tabs[at].opened = true;
                self.run(at, first)?;
                if round > 2 && self.tabs[at].session.durability() != Durability::Durable {
                    return Err(format!("{} is still {:?}", self.tabs[at].owner, self.tabs[at].session.durability()));
                }
            }
        }
        for at in 0..self.tabs.len() {
            self.run(at, Op::look())?;
            let tab = &self.tabs[at];
            if tab.session.revision() != self.store.revision() {
                return Err(format!("{} is at {:?}, the store is not", tab.owner, tab.session.revision()));
            }
            let recovery = tab.session.state().guards.recovery;
            if recovery.is_some_and(|recovery| recovery.deadline > self.now.after(HOUR)) {
                return Err(format!("paused for longer than an hour: {recovery:?}"));
            }
        }
        Ok(())
    }

    fn run(&mut self, at: usize, op: Op) -> Result<(), String> {
        self.begin(at, op);
        self.run_to_end(at)?;
        self.check_tab(at)
    }

    /// The conversation grows above its line, and comes below it again.
    fn goes_on(&mut self) -> Result<(), String> {
        self.talk.fixed = self.window / 10;
        self.unpin_everything()?;
        for _ in 0..200 {
            self.talk.grow(&mut self.rng);
            self.tabs[0].sync(&self.talk.entries);
            if self.tabs[0].session.over_line() {
                break;
            }
        }
        self.call()?;
        let from = self.now;
        for _ in 0..ROUNDS {
            let decision = self.tabs[0].session.decide(self.now);
            if self.round(&decision)? {
                return Ok(());
            }
            if self.now.since(from).0 > 2 * DAY {
                return Err(format!("two days later: {decision:?}"));
            }
        }
        let decision = self.tabs[0].session.decide(self.now);
        Err(format!("{ROUNDS} rounds later: {decision:?}\n{:?}", self.tabs[0].session.state()))
    }

    /// Pins are a person's word, and may be all that stands in the way.
    fn unpin_everything(&mut self) -> Result<(), String> {
        while let Some(pin) = self.tabs[0].session.pins().entries.first().copied() {
            self.run(0, Op::unpin(Unpin(Pinnable::Entry(pin).id())))?;
        }
        Ok(())
    }

    /// What a host does with the answer; whether that was it.
    fn round(&mut self, decision: &Decision) -> Result<bool, String> {
        match decision.action {
            Action::Hold(Hold::BelowThreshold) => {
                self.seen.note("recovered: below the line");
                return Ok(true);
            }
            Action::Hold(Hold::WindowUnknown) => return Ok(true),
            Action::Hold(hold) => return Err(format!("held: {hold:?}")),
            Action::Compact(_) => {
                let op = self.claim(0, Kind::Auto);
                self.run(0, op)?;
                self.finish_job()?;
                self.call()?;
            }
            Action::Wait { reason: Wait::OpenToolCalls, .. } => {
                self.talk.grow(&mut self.rng);
                self.call()?;
            }
            Action::Wait { reason: Wait::AwaitingUsage | Wait::ProbeInProgress, .. } => {
                self.call()?;
                self.now = self.now.after(Millis::secs(1));
            }
            Action::Wait { reason: Wait::InProgress, retry_at } => {
                self.now = retry_at.ok_or("in progress without an end")?;
                self.run(0, Op::settle())?;
            }
            // What cannot be removed is too much, by name and with a time: as a rule a giant message that is the newest.
            Action::Blocked(Blocked {
                reason: Block::FloorBound | Block::NothingToCompact,
                retry_at: Some(at),
                ..
            }) => {
                self.seen.note("recovered: bound by what stays");
                // A limit that an error understated is found out when the true one is met.
                self.talk.grow(&mut self.rng);
                self.talk.answer_and_ask();
                self.call()?;
                self.now = self.now.max(at);
            }
            Action::Blocked(blocked) => match blocked.retry_at {
                Some(retry_at) if retry_at > self.now => self.now = retry_at,
                Some(_) => return Err(format!("blocked until a time that has come: {decision:?}")),
                None if blocked.unblocks_at_tokens.is_some() => {
                    self.talk.grow(&mut self.rng);
                    self.call()?;
                }
                None => return Err(format!("blocked without an exit: {decision:?}")),
            },
        }
        Ok(false)
    }

    /// The summariser answers at once, and means it.
    fn finish_job(&mut self) -> Result<(), String> {
        loop {
            if let Some(job) = self.tabs[0].job.take() {
                self.give(0, &job);
                self.run_to_end(0)?;
            } else if let Some(op) = self.tabs[0].queue.pop() {
                self.run(0, op)?;
            } else {
                return Ok(());
            }
        }
    }

    /// One model call, and what the provider says of it.
    fn call(&mut self) -> Result<(), String> {
        self.tabs[0].sync(&self.talk.entries);
        let prompt = self.tabs[0].prompt(self.talk.fixed);
        let session = &self.tabs[0].session;
        let (view_revision, entries) = (session.state().view_revision, session.index().len());
        if prompt > self.window {
            self.run(0, Op::event(Event::Overflow { view_revision, limit: Some(self.window) }))?;
            return self.finish_job();
        }
        let report = Report { prompt_tokens: prompt, view_revision: Some(view_revision), sent_at: self.now, entries };
        self.run(0, Op::report(report))
    }
}

const HOUR: Millis = Millis::secs(3_600);
/// A store that failed is tried again after a minute at the latest.
const LONGEST_RETRY: Millis = Millis::secs(61);
/// Probes of an hour each, refusals of five minutes each.
const ROUNDS: u32 = 400;
