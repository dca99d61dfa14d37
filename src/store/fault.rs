//! Stores that misbehave on purpose: for the conformance suite, and for tests of whoever drives a store.

use core::cell::Cell;
use core::future::pending;

use crate::id::OpId;
use crate::store::{
    Batch, Capabilities, Expect, Mark, Part, Recalled, Revision, Snapshot, Store, StoreError, StoreErrorKind,
};

/// A store that forwards to another one, and misbehaves from a chosen call on.
///
/// Calls are counted from 1, over all methods but `capabilities` and `close`. A loop over `n = 1..` that ends with the
/// first run in which [`Faulty::struck`] is false has failed every call there is.
#[derive(Debug)]
pub struct Faulty<S> {
    store: S,
    fault: Fault,
    n: u64,
    repeat: Repeat,
    calls: Cell<u64>,
    struck: Cell<bool>,
}

/// What happens to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails with this error and never reaches the store.
    FailAt(StoreError),
    /// It never answers and never reaches the store.
    Hang,
    /// It is done, and answers [`StoreErrorKind::Indeterminate`] all the same. Calls that only read answer as they should.
    LoseAck,
}

/// For how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// That one call.
    Once,
    /// That call and all after it.
    Forever,
}

impl<S: Store> Faulty<S> {
    /// Misbehaves at the `n`th call, counted from 1.
    #[must_use]
    pub fn new(store: S, fault: Fault, n: u64, repeat: Repeat) -> Self {
        Self { store, fault, n, repeat, calls: Cell::new(0), struck: Cell::new(false) }
    }

    /// The store behind, which behaves.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.store
    }

    /// How many calls were made.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Whether the fault has struck.
    #[must_use]
    pub fn struck(&self) -> bool {
        self.struck.get()
    }
}

impl<S: Store> Store for Faulty<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn open(&self) -> Result<(), StoreError> {
        self.call().await?;
        self.store.open().await
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        self.call().await?;
        self.store.load(session).await
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let ack = self.call().await?;
        ack.of(self.store.commit(session, expect, batch, op).await)
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.call().await?;
        self.store.list(after, limit).await
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let ack = self.call().await?;
        ack.of(self.store.remove(session, expect).await)
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let ack = self.call().await?;
        ack.of(self.store.quarantine(session, part, bytes, reason).await)
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.store.close().await
    }

    fn recall(&self, session: &str) -> Recalled {
        self.store.recall(session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        self.store.remember(session, mark);
    }
}

impl<S> Faulty<S> {
    async fn call(&self) -> Result<Ack, StoreError> {
        let nth = self.calls.get() + 1;
        self.calls.set(nth);
        let strikes = match self.repeat {
            Repeat::Once => nth == self.n,
            Repeat::Forever => nth >= self.n,
        };
        if !strikes {
            return Ok(Ack::Delivered);
        }
        self.struck.set(true);
        match &self.fault {
            Fault::FailAt(error) => Err(error.clone()),
            Fault::Hang => pending().await,
            Fault::LoseAck => Ok(Ack::Lost),
        }
    }
}

/// What becomes of the answer to a call that changes something.
enum Ack {
    Delivered,
    Lost,
}

impl Ack {
    fn of<T>(self, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Delivered => answer,
            Self::Lost => answer.and(Err(StoreError::maybe_applied(StoreErrorKind::Indeterminate))),
        }
    }
}
