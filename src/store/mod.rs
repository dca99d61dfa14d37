//! Where a session's record lives: the contract of a store, and the backends that keep it.
//!
//! A store does not read records (bytes are opaque), does not merge, holds no lock across calls, and runs no code of
//! its caller inside a transaction. Nothing but compare-and-swap makes it correct.
//!
//! What a caller does, in this order:
//!
//! 1. [`Store::capabilities`]: refuse automatic compaction where `compare_and_swap` is [`CompareAndSwap::None`];
//! 2. [`Store::open`], then [`Store::load`]: root record and generations in one consistent read;
//! 3. [`Store::commit`] with the revision it loaded: all of a [`Batch`] or nothing, and one revision more;
//! 4. after a [`StoreErrorKind::Conflict`]: load, re-apply, commit again;
//! 5. after [`Applied::Unknown`](crate::error::Applied::Unknown): load; [`Snapshot::op_id`] decides. Committing again with
//!    the same operation id is harmless too: the last operation is applied once however often it is sent;
//! 6. after a [`StoreErrorKind::Corrupt`] load: rebuild, and commit with [`Expect::Absent`]; the unreadable record moves
//!    to the quarantine in the same step.
//!
//! A store that has a second memory beside it says with [`Store::recall`] how far a session had come, so that what the
//! engine lost or rolled back in silence is told; [`Store::remember`] follows each acknowledged commit.
//!
//! Missing is not corrupt is not unavailable: `Ok(None)`, [`StoreErrorKind::Corrupt`], any other error.

mod batch;
mod capabilities;
#[cfg(feature = "conformance")]
pub mod conformance;
mod deadline;
#[cfg(any(feature = "sqlite", target_arch = "wasm32"))]
mod durability;
mod error;
#[cfg(feature = "conformance")]
pub mod fault;
#[cfg(target_arch = "wasm32")]
pub mod indexed_db;
#[cfg(target_arch = "wasm32")]
pub mod injected;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(any(test, target_arch = "wasm32"))]
pub mod local_storage;
mod mark;
mod memory;
pub mod sealed;
#[cfg(all(feature = "sqlite", not(target_arch = "wasm32")))]
pub mod sqlite;

pub use batch::{Batch, Expect, Part, Revision, Snapshot};
pub use capabilities::{Capabilities, CompareAndSwap, Survives};
pub use deadline::within;
#[cfg(any(feature = "sqlite", target_arch = "wasm32"))]
pub use durability::Durability;
pub use error::{Recover, StoreError, StoreErrorKind, UnavailableWhy};
#[cfg(target_arch = "wasm32")]
pub use indexed_db::IndexedDb;
#[cfg(target_arch = "wasm32")]
pub use injected::Injected;
#[cfg(target_arch = "wasm32")]
pub(crate) use js::engine::{Engine, Reply, Request};
#[cfg(target_arch = "wasm32")]
pub use local_storage::LocalStorage;
pub use mark::{Mark, Recalled};
pub use memory::MemoryStore;
#[cfg(target_arch = "wasm32")]
pub use sealed::JsCodec;
pub use sealed::{Codec, Sealed};
#[cfg(all(feature = "sqlite", not(target_arch = "wasm32")))]
pub use sqlite::SqliteStore;

use crate::id::OpId;

/// How many quarantined records a backend keeps per session; the oldest goes first.
pub const QUARANTINE_PER_SESSION: usize = 4;

/// A place that keeps sessions durably. Futures are not `Send`: a browser has one thread per store.
///
/// Every call settles: an engine that does not answer is given up by a deadline ([`StoreErrorKind::Timeout`]).
/// Dropping a future leaves the old state or the new one, never a mixture.
#[expect(async_fn_in_trait, reason = "futures of browser engines cannot be Send, and callers are generic")]
pub trait Store {
    /// What this backend promises. The conformance suite holds it to each claim.
    fn capabilities(&self) -> Capabilities;

    /// Connects. Optional (other calls connect by themselves) and repeatable; answers early whether the store can be used.
    ///
    /// # Errors
    /// [`Unavailable`](StoreErrorKind::Unavailable), [`Blocked`](StoreErrorKind::Blocked),
    /// [`Superseded`](StoreErrorKind::Superseded), [`Timeout`](StoreErrorKind::Timeout),
    /// [`Closed`](StoreErrorKind::Closed).
    async fn open(&self) -> Result<(), StoreError>;

    /// All parts of `session` as of one commit; `None` where nothing was ever committed, or all was removed.
    ///
    /// # Errors
    /// [`Corrupt`](StoreErrorKind::Corrupt) where something is there and cannot be read; those of [`Store::open`].
    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError>;

    /// Applies `batch` if `session` is as `expect` says, and answers the new revision: 1 for the first commit, then one
    /// more each. `Ok` means that the engine has committed. The same `op` as that of the last commit changes nothing and
    /// answers what it answered before.
    ///
    /// # Errors
    /// [`Conflict`](StoreErrorKind::Conflict) with the actual revision, [`InvalidBatch`](StoreErrorKind::InvalidBatch),
    /// [`ValueTooLarge`](StoreErrorKind::ValueTooLarge), [`QuotaExceeded`](StoreErrorKind::QuotaExceeded): nothing has
    /// changed. Any error whose `applied` is unknown: see the module's step 5.
    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError>;

    /// At most `limit` ids of sessions that have a record, each once, in an order of the backend's own that does not
    /// change; `after` continues behind the last one of the page before.
    ///
    /// # Errors
    /// Those of [`Store::open`].
    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Deletes all of `session`, its quarantine included, whatever its state; with `expect` only at that revision.
    /// Removing what is not there succeeds, unless a revision was expected.
    ///
    /// # Errors
    /// [`Conflict`](StoreErrorKind::Conflict), and those of [`Store::open`].
    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError>;

    /// Keeps `bytes` that could not be read as `part` of `session` aside, with `reason` (a code, no text of anybody's).
    /// The record itself is not touched. At most [`QUARANTINE_PER_SESSION`] are kept.
    ///
    /// # Errors
    /// [`ValueTooLarge`](StoreErrorKind::ValueTooLarge), [`QuotaExceeded`](StoreErrorKind::QuotaExceeded), and those of
    /// [`Store::open`].
    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError>;

    /// Ends this context's use. Every later call answers [`Closed`](StoreErrorKind::Closed); closing twice is fine.
    ///
    /// # Errors
    /// None of this crate's backends fails here.
    async fn close(&self) -> Result<(), StoreError>;

    /// How far `session` had come, from a memory that the engine does not lose together with the records. Asked before a
    /// load, and again where the load finds nothing: a removal must have cleared it by then. Never waits.
    fn recall(&self, _session: &str) -> Recalled {
        Recalled::Unknown
    }

    /// Keeps `mark` there, after the commit was acknowledged; as far as there is room. Never waits.
    fn remember(&self, _session: &str, _mark: Mark) {}
}

/// A [`Store`] whose engine answers at once. Method for method the same contract; each is a [`Store`] as it is.
pub trait SyncStore {
    /// See [`Store::capabilities`].
    fn capabilities(&self) -> Capabilities;

    /// See [`Store::open`].
    ///
    /// # Errors
    /// Those of [`Store::open`].
    fn open(&self) -> Result<(), StoreError>;

    /// See [`Store::load`].
    ///
    /// # Errors
    /// Those of [`Store::load`].
    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError>;

    /// See [`Store::commit`].
    ///
    /// # Errors
    /// Those of [`Store::commit`].
    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError>;

    /// See [`Store::list`].
    ///
    /// # Errors
    /// Those of [`Store::list`].
    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError>;

    /// See [`Store::remove`].
    ///
    /// # Errors
    /// Those of [`Store::remove`].
    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError>;

    /// See [`Store::quarantine`].
    ///
    /// # Errors
    /// Those of [`Store::quarantine`].
    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError>;

    /// See [`Store::close`].
    ///
    /// # Errors
    /// Those of [`Store::close`].
    fn close(&self) -> Result<(), StoreError>;

    /// See [`Store::recall`].
    fn recall(&self, _session: &str) -> Recalled {
        Recalled::Unknown
    }

    /// See [`Store::remember`].
    fn remember(&self, _session: &str, _mark: Mark) {}
}

impl<S: SyncStore> Store for S {
    fn capabilities(&self) -> Capabilities {
        SyncStore::capabilities(self)
    }

    async fn open(&self) -> Result<(), StoreError> {
        SyncStore::open(self)
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        SyncStore::load(self, session)
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        SyncStore::commit(self, session, expect, batch, op)
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        SyncStore::list(self, after, limit)
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        SyncStore::remove(self, session, expect)
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        SyncStore::quarantine(self, session, part, bytes, reason)
    }

    async fn close(&self) -> Result<(), StoreError> {
        SyncStore::close(self)
    }

    fn recall(&self, session: &str) -> Recalled {
        SyncStore::recall(self, session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        SyncStore::remember(self, session, mark);
    }
}
