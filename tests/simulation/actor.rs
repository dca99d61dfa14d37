//! What a host does when nothing is on its way: calls, reports, passes, pins, and what a person asks for.

use compaction_governor::{
    id::ModelId,
    policy::{FailureClass, Kind, Means},
    session::{Adopt, Claimed, Commit, Edit, Event, Fail, Found, Pin, Pinnable, Planned, Report, Unpin},
    summary::Finish,
    time::Millis,
};

use crate::{
    op::{Came, Op, What},
    summariser::{self, Answer},
    tab::{Job, Sent, Tab},
    world::World,
};

impl World {
    /// An idle tab does something.
    pub(crate) fn act(&mut self, at: usize) {
        if !self.tabs[at].opened {
            self.tabs[at].opened = true;
            return self.begin(at, Op::open());
        }
        if let Some(op) = self.tabs[at].queue.pop() {
            return self.begin(at, op);
        }
        if self.rng.percent(30) && self.tabs[at].sync(&self.talk.entries) {
            return;
        }
        if !self.tabs[at].copy.is_empty() && self.rng.percent(self.adopts) {
            return self.adopts(at);
        }
        let now = self.now;
        let job_due = self.tabs[at].job.as_ref().is_some_and(|job| job.due <= now);
        let passes = self.tabs[at].job.is_none() && self.tabs[at].session.should_compact(now);
        match self.rng.below(100) {
            0..35 if job_due => self.answer_comes(at),
            0..35 if passes => self.claims(at, Kind::Auto),
            0..16 => self.send(at),
            16..42 => self.reply_comes(at),
            42..66 => self.send(at),
            66..80 => self.begin(at, Op::settle()),
            80..84 => self.works_on(at),
            84..87 => self.claims(at, Kind::Manual),
            87..91 => self.person_acts(at),
            91..93 => self.begin(at, Op::refresh()),
            93..95 => self.takes_over(at),
            95..97 => self.zombie_comes(at),
            97..99 => self.begin(at, Op::look()),
            _ => self.reload(at),
        }
    }

    fn claims(&mut self, at: usize, kind: Kind) {
        let op = self.claim(at, kind);
        self.begin(at, op);
    }

    /// The host's provider has compacted by itself.
    fn adopts(&mut self, at: usize) {
        let covered = u32::try_from(self.rng.below(self.tabs[at].copy.len() as u64 + 1)).expect("short");
        self.adopted.insert(summariser::mark(&self.tabs[at].copy, covered));
        let summary_tokens = self.rng.pick(&[40, 400, self.window / 2]);
        let manual = self.rng.percent(20);
        self.begin(at, Op::adopt(Adopt { covered, summary_tokens, manual }));
    }

    /// A model call begins: the host shows everything, and stamps the request.
    fn send(&mut self, at: usize) {
        let tab = &mut self.tabs[at];
        tab.sync(&self.talk.entries);
        let prompt = tab.prompt(self.talk.fixed);
        let view_revision = tab.session.state().view_revision;
        let entries = tab.session.index().len();
        tab.sent.push(Sent { view_revision, entries, prompt, at: self.now });
        if tab.sent.len() > 4 {
            tab.sent.remove(0);
        }
    }

    /// The reply to one of the requests that are out, in any order.
    fn reply_comes(&mut self, at: usize) {
        let tab = &mut self.tabs[at];
        if tab.sent.is_empty() {
            return;
        }
        let one = self.rng.below(tab.sent.len() as u64) as usize;
        let Sent { view_revision, entries, prompt, at: sent_at } = tab.sent.remove(one);
        let op = match self.rng.below(100) {
            _ if prompt > self.window => {
                let limit = [None, Some(self.window), Some(self.window / 2), Some(100)][self.rng.below(4) as usize];
                Op::event(Event::Overflow { view_revision, limit })
            }
            0..10 => Op::event(Event::StepWithoutUsage { view_revision }),
            10..14 => {
                let absurd = self.rng.pick(&[0, 1, 50, u32::MAX, prompt.saturating_mul(9)]);
                Op::report(Report { prompt_tokens: absurd, view_revision: Some(view_revision), sent_at, entries })
            }
            14..24 => Op::report(Report { prompt_tokens: prompt, view_revision: None, sent_at, entries }),
            _ => Op::report(Report { prompt_tokens: prompt, view_revision: Some(view_revision), sent_at, entries }),
        };
        self.begin(at, op);
    }

    /// A long call is renewed, or given up.
    fn works_on(&mut self, at: usize) {
        let Some(job) = &self.tabs[at].job else { return };
        let attempt = job.planned.attempt;
        if self.rng.percent(70) {
            return self.begin(at, Op::event(Event::Renewed(attempt)));
        }
        let over = self.tabs[at].job.take();
        self.tabs[at].zombies.extend(over);
        self.begin(at, Op::event(Event::Cancelled(attempt)));
    }

    fn answer_comes(&mut self, at: usize) {
        let Some(job) = self.tabs[at].job.take() else { return };
        self.tabs[at].zombies.push(job.clone());
        self.give(at, &job);
    }

    /// A summariser that was given up answers all the same, or answers a second time.
    fn zombie_comes(&mut self, at: usize) {
        let zombies = &self.tabs[at].zombies;
        if zombies.is_empty() {
            return;
        }
        let job = zombies[self.rng.below(zombies.len() as u64) as usize].clone();
        if self.tabs[at].job.as_ref().is_some_and(|current| current.planned.attempt == job.planned.attempt) {
            return;
        }
        self.seen.note("a zombie answers");
        self.give(at, &job);
    }

    pub(crate) fn give(&mut self, at: usize, job: &Job) {
        let attempt = job.planned.attempt;
        let op = match &job.answer {
            Answer::Text(text, finish) => {
                let carry = if self.rng.percent(20) { "- [ ] the one thing left to do" } else { "" };
                self.commit(&job.planned, text.clone(), *finish, carry)
            }
            Answer::Fails(class, retry_after) => Op::fail(Fail { attempt, class: *class, retry_after: *retry_after }),
            Answer::Nothing => Op::fail(Fail { attempt, class: FailureClass::Timeout, retry_after: None }),
        };
        self.begin(at, op);
    }

    fn commit(&self, planned: &Planned, text: String, finish: Finish, carry: &str) -> Op {
        Op::commit(Commit {
            attempt: planned.attempt,
            text,
            finish,
            fallback: false,
            spent: 700,
            carry: carry.to_owned(),
            through: format!("m{}", planned.plan.cut),
        })
    }

    fn person_acts(&mut self, at: usize) {
        let op = match self.rng.below(100) {
            0..30 => {
                let entries = self.tabs[at].session.index().len();
                let place = u32::try_from(self.rng.below(entries.into())).expect("short");
                let Some(entry) = self.tabs[at].session.pinnable(place) else { return };
                Op::pin(Pin(entry))
            }
            30..40 => Op::pin(Pin(Pinnable::Text(format!("Rule {}: never on Fridays.", self.rng.below(3))))),
            40..60 => {
                let pins = self.tabs[at].session.pins();
                let one = pins.entries.first().map(|entry| Pinnable::Entry(*entry));
                Op::unpin(Unpin(one.map_or(7, |pin| pin.id())))
            }
            60..72 => Op::undo(),
            72..84 => {
                let Some((live, text)) =
                    self.tabs[at].session.live().map(|live| (live.attempt.to_string(), live.text.clone()))
                else {
                    return;
                };
                Op::edit(Edit::new(&live, format!("{text} Amended.")))
            }
            84..92 => Op::event(Event::Model(ModelId(self.rng.below(4)))),
            92..96 => Op::event(Event::Credentials),
            _ => Op::event(Event::Reset),
        };
        self.begin(at, op);
    }

    /// What follows from the end of an operation.
    pub(crate) fn ended(&mut self, at: usize, what: What, came: Came) {
        match (what, &came) {
            (What::Commit(attempt, _), _) => self.tabs[at].ended.push(attempt),
            (What::Fail(attempt), Came::Failed(failed)) if !failed.fallback => self.tabs[at].ended.push(attempt),
            _ => {}
        }
        match came {
            Came::Opened(found) => assert!(
                matches!(found, Found::New | Found::Existing | Found::Unknown),
                "found as {found:?}, and nothing was damaged"
            ),
            Came::Overflowed(true) => {
                let op = self.claim(at, Kind::Overflow);
                self.tabs[at].queue.push(op);
            }
            Came::Claimed(claimed) => {
                if let Claimed::Planned(planned) = *claimed {
                    self.planned(at, planned);
                }
            }
            Came::Failed(failed) if failed.fallback => {
                let Some(planned) = self.tabs[at].session.planned().cloned() else { return };
                let op = self.plain(at, &planned);
                self.tabs[at].queue.push(op);
            }
            _ => {}
        }
    }

    fn planned(&mut self, at: usize, planned: Planned) {
        if planned.pass.means == Means::LastResort {
            let op = self.plain(at, &planned);
            return self.tabs[at].queue.push(op);
        }
        let tab = &mut self.tabs[at];
        if !holds(tab, &planned) {
            return tab.queue.push(Op::event(Event::Cancelled(planned.attempt)));
        }
        let answer = summariser::answer(&planned, &tab.copy, &mut self.rng, self.honest);
        let takes = match answer {
            Answer::Nothing => 700_000,
            _ => self.rng.pick(&[0, 0, 5_000, 30_000, 650_000]),
        };
        tab.job = Some(Job { planned, answer, due: self.now.after(Millis(takes)) });
    }

    /// The plain summary (no model) for `planned`, if the host still has what it was planned for.
    fn plain(&mut self, at: usize, planned: &Planned) -> Op {
        if !holds(&self.tabs[at], planned) {
            return Op::event(Event::Cancelled(planned.attempt));
        }
        let text = summariser::honest_text(planned, &self.tabs[at].copy, &mut self.rng);
        Op::commit(Commit {
            attempt: planned.attempt,
            text,
            finish: Finish::Stop,
            fallback: true,
            spent: 0,
            carry: String::new(),
            through: String::new(),
        })
    }
}

/// Whether the host still has what it was planned for: else no request can be made.
fn holds(tab: &Tab, planned: &Planned) -> bool {
    tab.copy.len() >= planned.plan.cut as usize
        && tab.session.index().fingerprint(planned.plan.cut) == planned.fingerprint
}
