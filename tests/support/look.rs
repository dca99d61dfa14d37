//! A look at a promise of the SQLite store.

use crate::promises;

/// One look at a promise; it counts as broken unless [`Seen::kept`] is reached.
#[derive(Debug)]
pub(crate) struct Seen {
    promise: &'static str,
    kept: u64,
    of: u64,
}

impl Seen {
    pub(crate) fn of(promise: &'static str) -> Self {
        Self { promise, kept: 0, of: 1 }
    }

    pub(crate) fn kept(mut self) {
        self.kept = self.of;
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        promises::seen("sqlite", "native", self.promise, self.kept, self.of);
    }
}
