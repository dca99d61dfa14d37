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
//! | `keys` | free | sealing keys; under `"removed"` the hashes of the last 256 sessions that were removed |
//!
//! What an engine loses or rolls back in silence is told by a second memory in localStorage (`second_memory`). A session
//! that is not there and whose hash is among the removed ones was removed: the mark of it that came back after a kill of the
//! browser is no witness.
//!
//! A connection that the engine took away is opened again; where that is refused too, in a hidden frame of the page
//! (`realm`); where that fails, [`StoreErrorKind::ConnectionLost`] asks for a reload.
//!
//! The root row's `revision` and `op` are those of the last commit; another row's are those of the commit that wrote it.

mod connection;
mod opening;
mod realm;
mod row;
mod scripts;
mod second_memory;
mod transaction;

use core::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::id::OpId;
use crate::store::deadline::within;
use crate::store::js::engine::{Answer, Engine, Reply, Request, store_of_engine};
use crate::store::js::event_loop::alarm;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Durability, Expect, Mark, Part, Recalled, Revision, Snapshot, StoreError,
    StoreErrorKind, Survives,
};
use crate::time::Millis;

use connection::Connection;
use realm::Realm;
use scripts::Found;
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
    /// Where connections come from, once this page's own realm gives none any more.
    realm: RefCell<Option<Realm>>,
    /// Whether there ever was a connection: a database that never opened was not lost.
    connected: Cell<bool>,
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
            realm: RefCell::new(None),
            connected: Cell::new(false),
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

impl Engine for IndexedDb {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: Some(MAX_VALUE_BYTES),
        }
    }

    fn answer<'a>(&'a self, session: &'a str, request: Request<'a>) -> Answer<'a> {
        Box::pin(self.answered(session, request))
    }

    fn recall(&self, session: &str) -> Recalled {
        second_memory::recall(&self.name, session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        second_memory::remember(&self.name, session, mark);
    }
}

store_of_engine!(IndexedDb);

impl IndexedDb {
    /// The key that seals this database's sessions; where there is none yet, `candidate` is kept as it. A `CryptoKey` that
    /// cannot be exported stays so here.
    ///
    /// # Errors
    /// Those of [`Store::open`](crate::store::Store::open); [`Backend`](StoreErrorKind::Backend) where the engine cannot
    /// keep such a value.
    pub async fn key(&self, candidate: JsValue) -> Result<JsValue, StoreError> {
        Ok(self.answer("", Request::Key(candidate)).await?.key.unwrap_or_default())
    }

    async fn answered(&self, session: &str, request: Request<'_>) -> Result<Reply, StoreError> {
        let answer = scripts::Answer::default();
        let (found, applied) = (Rc::clone(&answer), request.applied());
        let mut removes = false;
        let work = match request {
            Request::Open => None,
            Request::Load => Some((Scope::ReadRecords, scripts::load(session, found))),
            Request::Commit { expect, batch, op } => {
                self.check_open()?;
                batch.check(&self.capabilities())?;
                let scope = match expect {
                    Expect::Absent => Scope::WriteAll,
                    Expect::Revision(_) => Scope::WriteRecords,
                };
                Some((scope, scripts::commit(session, expect, batch, op, found)))
            }
            Request::List { after, limit } => Some((Scope::ReadRecords, scripts::list(after, limit, found))),
            Request::Remove { expect } => {
                removes = true;
                Some((Scope::WriteAll, scripts::remove(session, expect)))
            }
            Request::Quarantine { part, bytes, reason } => {
                self.check_open()?;
                self.capabilities().check_size(bytes)?;
                Some((Scope::WriteQuarantine, scripts::quarantine(session, part, bytes, reason)))
            }
            Request::Close => {
                self.closed.set(true);
                self.connection.take();
                self.realm.take();
                return Ok(Reply::default());
            }
            Request::Key(candidate) => Some((Scope::WriteKeys, scripts::key(SEALING_KEY, candidate, found))),
        };
        self.call(applied, work).await?;
        let Found { reply, removed } = answer.take();
        if removes || removed {
            second_memory::forget(&self.name, session);
        }
        Ok(reply)
    }

    /// Connects, then does `work` if there is any. A call that has not ended by the deadline may have been `applied`.
    async fn call(&self, applied: Applied, work: Option<(Scope, Script)>) -> Result<(), StoreError> {
        let call = async {
            let (scope, script) = work.unzip();
            match (self.begin(scope).await?, script) {
                (Some(transaction), Some(script)) => transaction.run(script).await,
                _ => Ok(()),
            }
        };
        within(call, alarm(self.deadline), applied).await.map_err(|error| *error)
    }

    /// Connects, and starts a transaction where one is wanted. What the engine refuses because it took the connection away
    /// is tried on a new one, then in a new realm, once each.
    ///
    /// The caller issues its first request before it waits for anything: an idle transaction commits by itself.
    async fn begin(&self, scope: Option<Scope>) -> transaction::Result<Option<Transaction>> {
        if self.realm.borrow().as_ref().is_some_and(|realm| !realm.is_in_page()) {
            self.connection.take();
            self.realm.take();
        }
        let mut rung = Rung::Connected;
        loop {
            let begun = match self.connection().await {
                Ok(connection) => scope.map(|scope| connection.begin(scope, self.durability)).transpose(),
                Err(error) => Err(error),
            };
            let error = match begun {
                Err(error) if taken_away(&error.kind) => error,
                begun => return begun,
            };
            self.connection.take();
            rung = match rung {
                Rung::Connected => Rung::Reopened,
                Rung::Reopened if self.move_to_new_realm() => Rung::NewRealm,
                _ => {
                    self.realm.take();
                    return Err(if self.connected.get() { lost() } else { error });
                }
            };
        }
    }

    fn move_to_new_realm(&self) -> bool {
        let realm = Realm::new();
        let moved = realm.is_some();
        self.realm.replace(realm);
        moved
    }

    async fn connection(&self) -> transaction::Result<Rc<Connection>> {
        self.check_open()?;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        let factory = self.realm.borrow().as_ref().map(|realm| realm.factory.clone());
        let opened = Rc::new(opening::open(&self.name, factory).await?);
        self.check_open()?;
        self.connected.set(true);
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

/// Where a connection came from, best first.
#[derive(Clone, Copy, Debug)]
enum Rung {
    Connected,
    Reopened,
    NewRealm,
}

/// How an engine says that it took the connection away: at the next use, or by refusing to open another one.
fn taken_away(kind: &StoreErrorKind) -> bool {
    match kind {
        StoreErrorKind::ConnectionClosed => true,
        StoreErrorKind::Backend { name } => name == "UnknownError",
        _ => false,
    }
}

fn lost() -> Box<StoreError> {
    StoreError::not_applied(StoreErrorKind::ConnectionLost).into()
}
