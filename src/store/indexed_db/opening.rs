//! Opening the database, whatever the runtime does instead.

use core::cell::Cell;
use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbFactory, IdbOpenDbRequest};

use super::connection::Connection;
use super::transaction::{KEYS, QUARANTINE, RECORDS, Result, thrown};
use crate::store::js::event_loop::Signal;
use crate::store::{StoreError, StoreErrorKind, UnavailableWhy};

/// Never raised: an upgrade is what makes tabs of different builds wait for each other.
const VERSION: u32 = 1;

/// Opens the database called `name` of this realm, or of the one that `factory` is of, and makes it where there is none.
pub(super) async fn open(name: &str, factory: Option<IdbFactory>) -> Result<Connection> {
    let factory = factory.map_or_else(own_factory, Ok)?;
    let request = factory.open_with_u32(name, VERSION).map_err(thrown)?;
    let opening = Opening::new(request);
    opening.answer.wait().await
}

fn own_factory() -> Result<IdbFactory> {
    let unavailable = |why| Box::new(StoreError::not_applied(StoreErrorKind::Unavailable { why }));
    // A getter that throws is how a browser denies access in a sandboxed frame.
    let found =
        Reflect::get(&js_sys::global(), &"indexedDB".into()).map_err(|_| unavailable(UnavailableWhy::Denied))?;
    if found.is_undefined() || found.is_null() {
        return Err(unavailable(UnavailableWhy::NoApi));
    }
    Ok(found.unchecked_into())
}

/// An open request with its handlers, which live as long as it may still fire.
struct Opening {
    request: IdbOpenDbRequest,
    answer: Signal<Result<Connection>>,
    /// Whether the request has fired its last event.
    done: Rc<Cell<bool>>,
    _handlers: [Closure<dyn FnMut()>; 4],
}

impl Opening {
    fn new(request: IdbOpenDbRequest) -> Self {
        let (answer, done) = (Signal::new(), Rc::new(Cell::new(false)));
        let finish = |read: fn(&IdbOpenDbRequest) -> Result<Connection>| {
            let (request, answer, done) = (request.clone(), answer.clone(), Rc::clone(&done));
            Closure::<dyn FnMut()>::new(move || {
                done.set(true);
                answer.set(read(&request));
            })
        };
        let (on_success, on_error) = (finish(connection), finish(|request| Err(reported(request))));
        let blocked = answer.clone();
        let on_blocked = Closure::<dyn FnMut()>::new(move || {
            blocked.set(Err(StoreError::not_applied(StoreErrorKind::Blocked).into()))
        });
        let upgraded = request.clone();
        let on_upgrade = Closure::<dyn FnMut()>::new(move || create(&upgraded));
        request.set_onsuccess(Some(on_success.as_ref().unchecked_ref()));
        request.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        request.set_onblocked(Some(on_blocked.as_ref().unchecked_ref()));
        request.set_onupgradeneeded(Some(on_upgrade.as_ref().unchecked_ref()));
        Self { request, answer, done, _handlers: [on_success, on_error, on_blocked, on_upgrade] }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.request.set_onerror(None);
        self.request.set_onblocked(None);
        self.request.set_onsuccess(None);
        self.request.set_onupgradeneeded(None);
        if self.done.get() {
            return;
        }
        // Given up, or blocked: should it open after all, its stores are made and it is closed at once, so that it is
        // in nobody's way. These two free themselves when called; where they never are, they go with the request.
        let (upgraded, opened) = (self.request.clone(), self.request.clone());
        let on_upgrade = Closure::once_into_js(move || create(&upgraded));
        let on_success = Closure::once_into_js(move || drop(connection(&opened)));
        self.request.set_onupgradeneeded(Some(on_upgrade.unchecked_ref()));
        self.request.set_onsuccess(Some(on_success.unchecked_ref()));
    }
}

fn connection(request: &IdbOpenDbRequest) -> Result<Connection> {
    let database = request.result().map_err(thrown)?;
    Ok(Connection::new(database.unchecked_into()))
}

fn reported(request: &IdbOpenDbRequest) -> Box<StoreError> {
    let error = request.error().ok().flatten().map_or(JsValue::UNDEFINED, JsValue::from);
    thrown(error)
}

/// Makes all object stores; one that cannot be made aborts the upgrade, so that no half database is left.
fn create(request: &IdbOpenDbRequest) {
    let made = request.result().and_then(|database| {
        let database: IdbDatabase = database.unchecked_into();
        [RECORDS, QUARANTINE, KEYS].into_iter().try_for_each(|name| database.create_object_store(name).map(drop))
    });
    if let (Err(_), Some(upgrade)) = (made, request.transaction()) {
        // Already aborted is as good.
        let _ = upgrade.abort();
    }
}
