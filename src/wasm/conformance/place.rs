//! A store under test with the description that it was made from.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::id::OpId;
use crate::store::{
    Batch, Capabilities, Expect, IndexedDb, Injected, LocalStorage, MemoryStore, Part, Revision, Snapshot, Store,
    StoreError,
};
use crate::time::Millis;
use crate::wasm::store::{declared, indexed_db};

/// A store and its description.
pub(super) struct Place {
    pub(super) described: JsValue,
    pub(super) store: Tested,
}

/// One of the stores that can be described. Without a seal: that is a layer above the contract.
pub(super) enum Tested {
    Memory(MemoryStore),
    LocalStorage(LocalStorage),
    IndexedDb(IndexedDb),
    Injected(Injected),
}

impl Place {
    /// The store that `described` is about: `{ kind, name, strict, object, oneContext, survives, maxValueBytes }`.
    pub(super) fn of(described: JsValue) -> Self {
        let member = |name: &str| Reflect::get(&described, &name.into()).unwrap_or_default();
        let (kind, name) = (member("kind").as_string().unwrap_or_default(), member("name").as_string());
        let number = |name| member(name).as_f64().unwrap_or_default();
        let store = match kind.as_str() {
            "indexed_db" => Tested::IndexedDb(indexed_db(member("strict").is_truthy(), name)),
            "local_storage" => {
                Tested::LocalStorage(name.map_or_else(LocalStorage::new, |name| LocalStorage::named(&name)))
            }
            "injected" => {
                let one_context = member("oneContext").is_truthy();
                let declared = declared(one_context, number("survives") as u8, number("maxValueBytes"));
                Tested::Injected(Injected::new(member("object"), declared))
            }
            _ => Tested::Memory(MemoryStore::new()),
        };
        Self { described, store }
    }

    pub(super) fn beside(&self, store: Tested) -> Self {
        Self { described: self.described.clone(), store }
    }

    pub(super) fn with_deadline(self, deadline: Millis) -> Self {
        let store = match self.store {
            Tested::IndexedDb(store) => Tested::IndexedDb(store.with_deadline(deadline)),
            Tested::Injected(store) => Tested::Injected(store.with_deadline(deadline)),
            at_once => at_once,
        };
        Self { store, ..self }
    }
}

/// The same call on whichever store it is.
macro_rules! forward {
    ($place:ident.$call:ident($($argument:expr),*)) => {
        match &$place.store {
            Tested::Memory(store) => Store::$call(store, $($argument),*).await,
            Tested::LocalStorage(store) => Store::$call(store, $($argument),*).await,
            Tested::IndexedDb(store) => Store::$call(store, $($argument),*).await,
            Tested::Injected(store) => Store::$call(store, $($argument),*).await,
        }
    };
}

impl Store for Place {
    fn capabilities(&self) -> Capabilities {
        match &self.store {
            Tested::Memory(store) => Store::capabilities(store),
            Tested::LocalStorage(store) => Store::capabilities(store),
            Tested::IndexedDb(store) => Store::capabilities(store),
            Tested::Injected(store) => Store::capabilities(store),
        }
    }

    async fn open(&self) -> Result<(), StoreError> {
        forward!(self.open())
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        forward!(self.load(session))
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        forward!(self.commit(session, expect, batch, op))
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        forward!(self.list(after, limit))
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        forward!(self.remove(session, expect))
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        forward!(self.quarantine(session, part, bytes, reason))
    }

    async fn close(&self) -> Result<(), StoreError> {
        forward!(self.close())
    }
}
