//! What the session survives right now, and when what could not be written is tried again.

use crate::{
    session::{Durability, Notice, Session, link::Health},
    store::StoreError,
    time::Timestamp,
};

impl Session {
    /// What the state survives right now.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.link().durability()
    }

    /// The earliest time at which a decision can change by itself, or an unsaved write is tried again.
    #[must_use]
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        match (self.decide(now).wake_at(), self.link().retry_at()) {
            (Some(decided), Some(retry)) => Some(decided.min(retry)),
            (decided, retry) => decided.or(retry),
        }
    }

    pub(super) fn attach(&mut self) {
        self.change_link(|session| session.link_mut().answered());
    }

    /// How the store failed, while what is learned is not stored: what a person or the host can do about it.
    #[must_use]
    pub fn trouble(&self) -> Option<&StoreError> {
        self.link().trouble.as_ref()
    }

    pub(super) fn detach(&mut self, error: StoreError, now: Timestamp) {
        self.link_mut().trouble = Some(error);
        self.change_link(|session| session.link_mut().failed(now));
    }

    /// Says so where the change changes what the state survives. A record of a newer release stays out of reach.
    pub(super) fn change_link(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.durability();
        if self.link().health == Health::ReadOnly {
            return;
        }
        change(self);
        if self.durability() != before {
            self.notify(Notice::Storage(self.durability()));
        }
    }
}
