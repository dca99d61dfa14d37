//! The session's lock, as a page holds it: from a claim to the end of its attempt, and never longer than that lasts. A page that
//! is gone holds none.

use compaction_governor::{policy::Kind, session::Others};

use crate::{op::Op, world::World};

/// Who holds it; nobody can where a world has none.
pub(crate) struct Lock {
    exists: bool,
    holder: Option<u64>,
}

impl Lock {
    pub(crate) fn new(exists: bool) -> Self {
        Self { exists, holder: None }
    }

    pub(crate) fn is_held_by(&self, owner: u64) -> bool {
        self.holder == Some(owner)
    }

    pub(crate) fn release(&mut self, owner: u64) {
        self.holder = self.holder.filter(|holder| *holder != owner);
    }

    /// Takes it, if it is free; what is known of others by that.
    fn ask(&mut self, owner: u64) -> Others {
        match self.holder {
            _ if !self.exists => Others::Unknown,
            Some(holder) if holder != owner => Others::Working,
            _ => {
                self.holder = Some(owner);
                Others::Idle
            }
        }
    }
}

impl World {
    /// A claim by who knows of others what the lock says.
    pub(crate) fn claim(&mut self, at: usize, kind: Kind) -> Op {
        let others = self.lock.ask(self.tabs[at].owner);
        Op::claim(kind, others)
    }

    /// A page that waited for the lock gets it, and looks whether somebody left an attempt behind.
    pub(crate) fn takes_over(&mut self, at: usize) {
        if self.lock.ask(self.tabs[at].owner) == Others::Idle {
            self.begin(at, Op::take_over());
        }
    }

    /// The attempt is over, or has lasted for as long as one may.
    pub(crate) fn let_go(&mut self, at: usize) {
        let tab = &self.tabs[at];
        let works = tab.session.planned().is_some()
            && tab.session.state().attempt().is_some_and(|attempt| attempt.deadline > self.now);
        if tab.busy.is_none() && tab.queue.is_empty() && !works {
            self.lock.release(tab.owner);
        }
    }
}
