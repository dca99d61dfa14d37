//! One transaction: a script of requests that runs inside the engine's callbacks, and the single answer to it.

use core::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{IdbObjectStore, IdbRequest, IdbTransaction};

use super::connection::Connection;
use crate::error::Applied;
use crate::store::js::event_loop::Signal;
use crate::store::js::exception;
use crate::store::{StoreError, StoreErrorKind};

pub(super) const RECORDS: &str = "records";
pub(super) const QUARANTINE: &str = "quarantine";
pub(super) const KEYS: &str = "keys";

/// What a transaction may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    ReadRecords,
    WriteRecords,
    WriteQuarantine,
    WriteKeys,
    WriteAll,
}

/// One step of a script: gets the awaited result (undefined in the first step), issues requests. A failure aborts.
///
/// Behind one type, answers included, so that the machinery of a transaction is compiled once.
pub(super) type Script = Box<dyn FnMut(&Stores, JsValue) -> Result<Step>>;

/// What a script does next.
pub(super) enum Step {
    /// Go on with the result of this request; those issued before it are done by then.
    Await(IdbRequest),
    /// Nothing more to ask: what it found holds once the engine has committed.
    Done,
}

/// Boxed: the error is as large as all else in this backend together, and every `?` would move it.
pub(super) type Result<T> = core::result::Result<T, Box<StoreError>>;

/// A transaction that has been started and has no request yet.
#[derive(Debug)]
pub(super) struct Transaction {
    raw: IdbTransaction,
    connection: Rc<Connection>,
    scope: Scope,
}

impl Scope {
    pub(super) const fn stores(self) -> &'static [&'static str] {
        match self {
            Self::ReadRecords => &[RECORDS, KEYS],
            Self::WriteRecords => &[RECORDS],
            Self::WriteQuarantine => &[QUARANTINE],
            Self::WriteKeys => &[KEYS],
            Self::WriteAll => &[RECORDS, QUARANTINE, KEYS],
        }
    }

    pub(super) const fn mode(self) -> &'static str {
        if self.writes() { "readwrite" } else { "readonly" }
    }

    const fn writes(self) -> bool {
        !matches!(self, Self::ReadRecords)
    }
}

impl Transaction {
    pub(super) fn new(raw: IdbTransaction, connection: Rc<Connection>, scope: Scope) -> Self {
        Self { raw, connection, scope }
    }

    /// Runs `script` and answers when the transaction has completed or aborted, whichever event tells.
    ///
    /// Dropped before, it aborts: the old state stands, unless the engine is committing already.
    pub(super) async fn run(self, script: Script) -> Result<()> {
        let running = Running::start(self, script);
        running.shared.settled.wait().await
    }
}

/// The object stores of the running transaction.
pub(super) struct Stores(IdbTransaction);

impl Stores {
    pub(super) fn records(&self) -> Result<IdbObjectStore> {
        self.0.object_store(RECORDS).map_err(thrown)
    }

    pub(super) fn quarantine(&self) -> Result<IdbObjectStore> {
        self.0.object_store(QUARANTINE).map_err(thrown)
    }

    pub(super) fn keys(&self) -> Result<IdbObjectStore> {
        self.0.object_store(KEYS).map_err(thrown)
    }
}

/// The error for what a call inside a transaction threw: the transaction is aborted, nothing is applied.
#[inline(never)]
pub(super) fn thrown(exception: JsValue) -> Box<StoreError> {
    Box::new(exception::error(&exception, Applied::No))
}

/// The error for an aborted transaction. An abort rolls back; only a failure of the engine itself leaves doubt about that.
fn aborted(reason: Option<&JsValue>, writes: bool, connected: bool) -> StoreError {
    let kind = reason.map_or(StoreErrorKind::Backend { name: "AbortError".into() }, exception::kind);
    match kind {
        StoreErrorKind::QuotaExceeded => StoreError::not_applied(kind),
        _ if !connected && writes => StoreError::maybe_applied(StoreErrorKind::ConnectionClosed),
        _ if !connected => StoreError::not_applied(StoreErrorKind::ConnectionClosed),
        _ if writes && reason.is_some() => StoreError::maybe_applied(kind),
        _ => StoreError::not_applied(kind),
    }
}

/// A transaction under way, with the handlers it calls. They live until it has settled or is given up.
struct Running {
    shared: Rc<Shared>,
    _handlers: [Closure<dyn FnMut()>; 3],
}

struct Shared {
    stores: Stores,
    settled: Signal<Result<()>>,
    /// What the script said last; delivered when the transaction has ended.
    outcome: RefCell<Option<Result<()>>>,
    awaited: RefCell<Option<IdbRequest>>,
    /// None until it stands. `Function::default` would be `new Function`, which a page's policy may forbid.
    on_success: RefCell<Option<Function>>,
    ended: Cell<bool>,
    writes: bool,
    connection: Rc<Connection>,
}

impl Running {
    fn start(transaction: Transaction, mut script: Script) -> Self {
        let Transaction { raw, connection, scope } = transaction;
        let shared = Rc::new(Shared {
            stores: Stores(raw),
            settled: Signal::new(),
            outcome: RefCell::new(None),
            awaited: RefCell::new(None),
            on_success: RefCell::new(None),
            ended: Cell::new(false),
            writes: scope.writes(),
            connection,
        });
        let first = script(&shared.stores, JsValue::UNDEFINED);
        let (succeeding, completing, aborting) = (Rc::clone(&shared), Rc::clone(&shared), Rc::clone(&shared));
        let on_success = Closure::<dyn FnMut()>::new(move || {
            let step = succeeding.result().and_then(|result| script(&succeeding.stores, result));
            succeeding.follow(step);
        });
        let on_complete = Closure::<dyn FnMut()>::new(move || completing.complete());
        let on_abort = Closure::<dyn FnMut()>::new(move || aborting.abort());
        shared.stores.0.set_oncomplete(Some(on_complete.as_ref().unchecked_ref()));
        shared.stores.0.set_onabort(Some(on_abort.as_ref().unchecked_ref()));
        shared.on_success.replace(Some(on_success.as_ref().unchecked_ref::<Function>().clone()));
        shared.follow(first);
        Self { shared, _handlers: [on_success, on_complete, on_abort] }
    }
}

impl Shared {
    fn result(&self) -> Result<JsValue> {
        // The handler is only ever attached together with the request it awaits.
        self.awaited.take().map_or(Ok(JsValue::UNDEFINED), |request| request.result()).map_err(thrown)
    }

    fn follow(&self, step: Result<Step>) {
        let outcome = match step {
            Ok(Step::Await(request)) => {
                request.set_onsuccess(self.on_success.borrow().as_ref());
                self.awaited.replace(Some(request));
                return;
            }
            Ok(Step::Done) => Ok(()),
            Err(error) => Err(error),
        };
        let refused = outcome.is_err();
        self.outcome.replace(Some(outcome));
        if refused && self.stores.0.abort().is_err() {
            // It ended by itself, so no event will come for this abort.
            self.abort();
        }
    }

    fn complete(&self) {
        self.ended.set(true);
        if let Some(outcome) = self.outcome.take() {
            self.settled.set(outcome);
        }
    }

    fn abort(&self) {
        self.ended.set(true);
        let error = match self.outcome.take() {
            Some(Err(refused)) => refused,
            _ => {
                let reason = self.stores.0.error().map(JsValue::from);
                Box::new(aborted(reason.as_ref(), self.writes, self.connection.is_open()))
            }
        };
        self.settled.set(Err(error));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let raw = &self.shared.stores.0;
        raw.set_oncomplete(None);
        raw.set_onabort(None);
        if let Some(request) = self.shared.awaited.take() {
            request.set_onsuccess(None);
        }
        if !self.shared.ended.get() {
            // Refused only where it is committing or has ended: then the old or the new state is whole as well.
            let _ = raw.abort();
        }
    }
}
