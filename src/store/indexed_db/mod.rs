//! The store in IndexedDB: survives a reload, a crash of the tab and a kill of the browser.
//!
//! No borrow and no lock is held while it waits. One commit is one read-write transaction whose requests are issued
//! entirely inside IndexedDB's own callbacks, so no executor can let it auto-commit half way; it is acknowledged on
//! `complete`, never on a request's `success`: over quota, Chromium reports `success`, then `abort`, and no `error`.
//!
//! Layout of database `compaction-governor`, version 1 for life (a record carries its own schema, so tabs of different
//! builds never wait for each other's upgrade):
//!
//! | object store | key | value |
//! |---|---|---|
//! | `records` | `[session_id, part]`, part = `"root"` or a generation's number | `{ revision, bytes: Uint8Array, op: 16 hex digits }` |
//! | `quarantine` | `[session_id, n]`, or `[session_id, "root"]` for a root row that was no such value | `{ part, reason, bytes }` or `{ part, reason, value }` |
//! | `keys` | free | sealing keys |
//!
//! The root row's `revision` and `op` are those of the last commit; another row's are those of the commit that wrote it.

mod connection;
mod opening;
mod row;
mod scripts;
mod transaction;

use core::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::error::Applied;
use crate::id::OpId;
use crate::store::deadline::within;
use crate::store::js::event_loop::alarm;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Expect, Part, Recover, Revision, Snapshot, Store, StoreError, StoreErrorKind,
    Survives,
};
use crate::time::Millis;

use connection::Connection;
use transaction::{Scope, Transaction};

/// The name of the database unless the host injects another one.
pub const DATABASE: &str = "compaction-governor";

/// How long a call may take. Ten seconds: above every pause measured in a healthy engine (tens of milliseconds, and up to
/// seconds under a full disk queue), below what a person takes for a hang.
pub const DEADLINE: Millis = Millis::secs(10);

/// The longest value. Chromium's message limit lies far above; a root record is under 2 KB and generations are bounded.
pub const MAX_VALUE_BYTES: u64 = 16 << 20;

/// A store in IndexedDB.
#[derive(Debug)]
pub struct IndexedDb {
    name: String,
    durability: Durability,
    deadline: Millis,
    connection: RefCell<Option<Rc<Connection>>>,
    closed: Cell<bool>,
}

/// What the engine is asked to do before it says `complete`. A hint: neither is a promise about power loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Hand the commit to the operating system. Survived every kill of the browser that was tried.
    #[default]
    Relaxed,
    /// Also ask for a flush to the disk.
    Strict,
}

impl Default for IndexedDb {
    fn default() -> Self {
        Self::named(DATABASE)
    }
}

impl IndexedDb {
    /// A store in the database [`DATABASE`]. Nothing is opened before the first call.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store in the database called `name`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            durability: Durability::default(),
            deadline: DEADLINE,
            connection: RefCell::new(None),
            closed: Cell::new(false),
        }
    }

    /// The name of the database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same store with this durability.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The same store with this deadline for every call.
    #[must_use]
    pub fn with_deadline(self, deadline: Millis) -> Self {
        Self { deadline, ..self }
    }
}

impl Store for IndexedDb {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: Some(MAX_VALUE_BYTES),
        }
    }

    async fn open(&self) -> Result<(), StoreError> {
        within(async { self.connection().await.map(drop) }, alarm(self.deadline), Applied::No).await
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        let call = async { self.begin(Scope::ReadRecords).await?.run(scripts::load(session)).await };
        within(call, alarm(self.deadline), Applied::No).await
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let scope = match expect {
            Expect::Absent => Scope::WriteAll,
            Expect::Revision(_) => Scope::WriteRecords,
        };
        let call = async {
            self.check_open()?;
            batch.check(&self.capabilities())?;
            self.begin(scope).await?.run(scripts::commit(session, expect, batch, op)).await
        };
        within(call, alarm(self.deadline), Applied::Unknown).await
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let call = async { self.begin(Scope::ReadRecords).await?.run(scripts::list(after, limit)).await };
        within(call, alarm(self.deadline), Applied::No).await
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let call = async { self.begin(Scope::WriteAll).await?.run(scripts::remove(session, expect)).await };
        within(call, alarm(self.deadline), Applied::Unknown).await
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let call = async {
            self.check_open()?;
            self.capabilities().check_size(bytes)?;
            self.begin(Scope::WriteQuarantine).await?.run(scripts::quarantine(session, part, bytes, reason)).await
        };
        within(call, alarm(self.deadline), Applied::Unknown).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.closed.set(true);
        self.connection.take();
        Ok(())
    }
}

impl IndexedDb {
    /// Starts a transaction; one that the engine refuses because the connection is gone is started on a new one, once.
    ///
    /// The caller issues its first request before it waits for anything: an idle transaction commits by itself.
    async fn begin(&self, scope: Scope) -> Result<Transaction, StoreError> {
        match self.connection().await?.begin(scope, self.durability) {
            Err(error) if error.kind == StoreErrorKind::ConnectionClosed => self.connection.take(),
            begun => return begun,
        };
        // Where a fresh connection is refused too (WebKit after a crash of its storage process), only a new page helps.
        self.connection()
            .await?
            .begin(scope, self.durability)
            .map_err(|error| StoreError { recover: Recover::Reload, ..error })
    }

    async fn connection(&self) -> Result<Rc<Connection>, StoreError> {
        self.check_open()?;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        let opened = Rc::new(opening::open(&self.name).await?);
        self.check_open()?;
        // Where a call beside this one was quicker, its connection closes as soon as its transaction has ended.
        self.connection.replace(Some(Rc::clone(&opened)));
        Ok(opened)
    }

    fn live(&self) -> Option<Rc<Connection>> {
        self.connection.borrow().as_ref().filter(|connection| connection.is_open()).cloned()
    }

    fn check_open(&self) -> Result<(), StoreError> {
        if self.closed.get() { Err(StoreError::not_applied(StoreErrorKind::Closed)) } else { Ok(()) }
    }
}
