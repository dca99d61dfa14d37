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

use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::id::OpId;
use crate::store::deadline::within;
use crate::store::js::event_loop::alarm;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Durability, Expect, Part, Recover, Revision, Snapshot, Store, StoreError,
    StoreErrorKind, Survives,
};
use crate::time::Millis;

use connection::Connection;
use scripts::Answer;
use transaction::{Scope, Script, Transaction};

/// The name of the database unless the host injects another one.
pub const DATABASE: &str = "compaction-governor";

/// How long a call may take. Ten seconds: above every pause measured in a healthy engine (tens of milliseconds, and up to
/// seconds under a full disk queue), below what a person takes for a hang.
pub const DEADLINE: Millis = Millis::secs(10);

/// The name of the key that seals records, in the object store `keys`.
const SEALING_KEY: &str = "seal";

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
        self.call(Applied::No, None).await
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        let answer = Answer::default();
        let script = scripts::load(session, Rc::clone(&answer));
        self.call(Applied::No, Some((Scope::ReadRecords, script))).await?;
        Ok(answer.take())
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        self.check_open()?;
        batch.check(&self.capabilities())?;
        let scope = match expect {
            Expect::Absent => Scope::WriteAll,
            Expect::Revision(_) => Scope::WriteRecords,
        };
        let answer = Answer::default();
        let script = scripts::commit(session, expect, batch, op, Rc::clone(&answer));
        self.call(Applied::Unknown, Some((scope, script))).await?;
        Ok(answer.take())
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let answer = Answer::default();
        let script = scripts::list(after, limit, Rc::clone(&answer));
        self.call(Applied::No, Some((Scope::ReadRecords, script))).await?;
        Ok(answer.take())
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        self.call(Applied::Unknown, Some((Scope::WriteAll, scripts::remove(session, expect)))).await
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        self.check_open()?;
        self.capabilities().check_size(bytes)?;
        let script = scripts::quarantine(session, part, bytes, reason);
        self.call(Applied::Unknown, Some((Scope::WriteQuarantine, script))).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.closed.set(true);
        self.connection.take();
        Ok(())
    }
}

impl IndexedDb {
    /// The key that seals this database's sessions; where there is none yet, `candidate` is kept as it. A `CryptoKey` that
    /// cannot be exported stays so here.
    ///
    /// # Errors
    /// Those of [`Store::open`]; [`Backend`](StoreErrorKind::Backend) where the engine cannot keep such a value.
    pub async fn key(&self, candidate: JsValue) -> Result<JsValue, StoreError> {
        let answer = Answer::default();
        let script = scripts::key(SEALING_KEY, candidate, Rc::clone(&answer));
        self.call(Applied::Unknown, Some((Scope::WriteKeys, script))).await?;
        Ok(answer.take())
    }

    /// Connects, then does `work` if there is any. A call that has not ended by the deadline may have been `applied`.
    ///
    /// The one future behind all calls: each further one would be compiled with everything it waits for.
    async fn call(&self, applied: Applied, work: Option<(Scope, Script)>) -> Result<(), StoreError> {
        let call = async {
            match work {
                None => self.connection().await.map(drop),
                Some((scope, script)) => self.begin(scope).await?.run(script).await,
            }
        };
        let call = async { call.await.map_err(|error| *error) };
        within(call, alarm(self.deadline), applied).await
    }

    /// Starts a transaction; one that the engine refuses because the connection is gone is started on a new one, once.
    ///
    /// The caller issues its first request before it waits for anything: an idle transaction commits by itself.
    async fn begin(&self, scope: Scope) -> transaction::Result<Transaction> {
        let mut again = false;
        loop {
            match self.connection().await?.begin(scope, self.durability) {
                // Where a fresh connection is refused too (WebKit after a crash of its storage process), only a new page
                // helps.
                Err(error) if again => return Err(StoreError { recover: Recover::Reload, ..*error }.into()),
                Err(error) if matches!(error.kind, StoreErrorKind::ConnectionClosed) => self.connection.take(),
                begun => return begun,
            };
            again = true;
        }
    }

    async fn connection(&self) -> transaction::Result<Rc<Connection>> {
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
