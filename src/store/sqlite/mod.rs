//! The store in a SQLite file, for hosts that run natively: survives a kill of the process at any moment.
//!
//! No lock outlives a call. A commit is one `IMMEDIATE` transaction: the revision is compared under the lock that writes.
//! `Ok` means that `COMMIT` succeeded. A call waits for a lock at most [`BUSY_TIMEOUT`] (a commit twice: to begin and to
//! end), then answers [`Busy`](StoreErrorKind::Busy); the file itself may be as slow as its disk.
//!
//! The journal is a rollback journal, emptied at each commit, and no write-ahead log:
//!
//! - after a kill the database file alone holds every acknowledged commit. With a log the newest are in a second file, and
//!   whoever copies or moves the first one alone loses them without a sign;
//! - what was removed is gone: freed pages are overwritten (`secure_delete`), the journal is empty. A log keeps old pages
//!   until all readers have left;
//! - a log needs memory shared between processes, which network drives do not have.
//!
//! What a log is better at, readers beside a writer and commits that wait for no disk, buys nothing here: a compaction is
//! three commits, and a call of a model that takes as long as hundreds of them.
//!
//! Layout, [`VERSION`] 1:
//!
//! | table | key | columns |
//! |---|---|---|
//! | `records` | `session`, `part` (-1 the root record, else a generation's number) | `revision`, `op` (the id's 64 bits), `bytes` |
//! | `quarantine` | `n`, rising | `session`, `part`, `reason`, `bytes` |
//!
//! The root row's `revision` and `op` are those of the last commit; another row's are those of the commit that wrote it.

mod failure;
mod opening;
mod rows;

use core::sync::atomic::{AtomicBool, Ordering};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::id::OpId;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Durability, Expect, Part, Revision, Snapshot, StoreError, StoreErrorKind,
    Survives, SyncStore,
};
use crate::time::Millis;

use failure::Failure;
pub use opening::{APPLICATION_ID, VERSION};

/// How long a call waits for a lock unless the host says otherwise. Five seconds: a commit holds it for milliseconds, so
/// whoever holds it longer is stuck.
pub const BUSY_TIMEOUT: Millis = Millis::secs(5);

/// The longest value, as in IndexedDB, so that every record can move.
pub const MAX_VALUE_BYTES: u64 = 16 << 20;

/// A store in a SQLite file. One connection; threads take turns, and processes each have a store of their own.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    settings: Settings,
    connection: Mutex<Option<Connection>>,
    closed: AtomicBool,
}

/// How a connection is set up.
#[derive(Clone, Copy, Debug)]
struct Settings {
    durability: Durability,
    busy_timeout: Millis,
    max_bytes: Option<u64>,
}

impl SqliteStore {
    /// A store in the file at `path`, from the folder that is current now. Nothing is opened before the first call, which
    /// makes the file where there is none; its folder has to be there.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Self {
        let settings = Settings { durability: Durability::default(), busy_timeout: BUSY_TIMEOUT, max_bytes: None };
        let path = path.as_ref();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { path, settings, connection: Mutex::new(None), closed: AtomicBool::new(false) }
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same store with this durability. Either way a power loss leaves a whole database; with
    /// [`Durability::Relaxed`] it may lack the last commit.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { settings: Settings { durability, ..self.settings }, ..self }
    }

    /// The same store, waiting at most so long for a lock that another connection holds.
    #[must_use]
    pub fn with_busy_timeout(self, busy_timeout: Millis) -> Self {
        Self { settings: Settings { busy_timeout, ..self.settings }, ..self }
    }

    /// The same store, whose file this context does not let grow above `bytes`: a commit for which that is too little
    /// answers [`StoreErrorKind::QuotaExceeded`]. A whole number of pages, and at least what is there already.
    #[must_use]
    pub fn with_max_bytes(self, bytes: u64) -> Self {
        Self { settings: Settings { max_bytes: Some(bytes), ..self.settings }, ..self }
    }
}

impl SyncStore for SqliteStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: Some(MAX_VALUE_BYTES),
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        self.read(|_| Ok(()))
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        self.read(|connection| rows::load(connection, session))
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        self.check_open()?;
        batch.check(&SyncStore::capabilities(self))?;
        self.write(|transaction| rows::commit(transaction, session, expect, batch, op))
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.read(|connection| rows::list(connection, after, limit))
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        self.write(|transaction| rows::remove(transaction, session, expect))
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        self.check_open()?;
        SyncStore::capabilities(self).check_size(bytes)?;
        self.write(|transaction| rows::quarantine(transaction, session, part, bytes, reason))
    }

    fn close(&self) -> Result<(), StoreError> {
        self.closed.store(true, Ordering::Release);
        *self.slot() = None;
        Ok(())
    }
}

impl SqliteStore {
    /// Does `work` outside a transaction: one statement reads one state.
    fn read<T>(&self, work: impl Fn(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        self.call(|connection| work(connection))
    }

    /// Does `work` in one transaction that holds the write lock from its beginning.
    fn write<T>(&self, work: impl Fn(&Transaction<'_>) -> Result<T, Failure>) -> Result<T, StoreError> {
        self.call(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let answer = work(&transaction)?;
            transaction.commit().map_err(Failure::at_commit)?;
            Ok(answer)
        })
    }

    /// Connects where there is no connection, and gives one up that has failed in a way that may outlast the call. Where
    /// the file was taken away from under it, the call is made again on a new one, once.
    fn call<T>(&self, work: impl Fn(&mut Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        let mut slot = self.slot();
        let mut again = false;
        loop {
            self.check_open()?;
            let failure = match self.connected(&mut slot).and_then(&work) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if failure.spoils_connection() || slot.as_ref().is_some_and(|connection| !connection.is_autocommit()) {
                *slot = None;
            }
            if again || !failure.is_moved() {
                return Err(failure.into());
            }
            again = true;
        }
    }

    fn connected<'a>(&self, slot: &'a mut Option<Connection>) -> Result<&'a mut Connection, Failure> {
        let connection = match slot.take() {
            Some(connection) => connection,
            None => opening::open(&self.path, self.settings)?,
        };
        Ok(slot.insert(connection))
    }

    fn slot(&self) -> MutexGuard<'_, Option<Connection>> {
        // A transaction that a panic left behind was rolled back as it went out of scope.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_open(&self) -> Result<(), StoreError> {
        if self.closed.load(Ordering::Acquire) { Err(StoreError::not_applied(StoreErrorKind::Closed)) } else { Ok(()) }
    }
}
