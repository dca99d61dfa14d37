//! The stores that a page can choose from, behind one handle.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::{
    id::OpId,
    store::{
        Batch, Capabilities, Expect, IndexedDb, LocalStorage, MemoryStore, Part, Revision, Snapshot, Store, StoreError,
        SyncStore,
    },
};

/// A store, chosen once and shared by the sessions opened on it.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a class of JavaScript; nothing in Rust prints it")]
pub struct StoreHandle {
    store: Rc<AnyStore>,
}

/// One of the stores of this crate.
pub(super) enum AnyStore {
    Memory(MemoryStore),
    LocalStorage(LocalStorage),
    IndexedDb(IndexedDb),
}

#[wasm_bindgen]
impl StoreHandle {
    /// Forgets with the page.
    pub fn memory() -> Self {
        Self::of(AnyStore::Memory(MemoryStore::new()))
    }

    /// Survives reloads; one context at a time.
    #[wasm_bindgen(js_name = localStorage)]
    pub fn local_storage(prefix: Option<String>) -> Self {
        Self::of(AnyStore::LocalStorage(prefix.map_or_else(LocalStorage::new, |prefix| LocalStorage::named(&prefix))))
    }

    /// Survives reloads, crashed tabs and killed browsers; any number of tabs.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(name: Option<String>) -> Self {
        Self::of(AnyStore::IndexedDb(name.map_or_else(IndexedDb::new, |name| IndexedDb::named(&name))))
    }

    /// `memory`, `local_storage` or `indexed_db`.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        match &*self.store {
            AnyStore::Memory(_) => "memory",
            AnyStore::LocalStorage(_) => "local_storage",
            AnyStore::IndexedDb(_) => "indexed_db",
        }
        .to_owned()
    }
}

impl StoreHandle {
    fn of(store: AnyStore) -> Self {
        Self { store: Rc::new(store) }
    }

    pub(super) fn share(&self) -> Rc<AnyStore> {
        Rc::clone(&self.store)
    }
}

impl Store for AnyStore {
    fn capabilities(&self) -> Capabilities {
        match self {
            Self::Memory(store) => SyncStore::capabilities(store),
            Self::LocalStorage(store) => SyncStore::capabilities(store),
            Self::IndexedDb(store) => Store::capabilities(store),
        }
    }

    async fn open(&self) -> Result<(), StoreError> {
        match self {
            Self::Memory(store) => SyncStore::open(store),
            Self::LocalStorage(store) => SyncStore::open(store),
            Self::IndexedDb(store) => Store::open(store).await,
        }
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        match self {
            Self::Memory(store) => SyncStore::load(store, session),
            Self::LocalStorage(store) => SyncStore::load(store, session),
            Self::IndexedDb(store) => Store::load(store, session).await,
        }
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        match self {
            Self::Memory(store) => SyncStore::commit(store, session, expect, batch, op),
            Self::LocalStorage(store) => SyncStore::commit(store, session, expect, batch, op),
            Self::IndexedDb(store) => Store::commit(store, session, expect, batch, op).await,
        }
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Memory(store) => SyncStore::list(store, after, limit),
            Self::LocalStorage(store) => SyncStore::list(store, after, limit),
            Self::IndexedDb(store) => Store::list(store, after, limit).await,
        }
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        match self {
            Self::Memory(store) => SyncStore::remove(store, session, expect),
            Self::LocalStorage(store) => SyncStore::remove(store, session, expect),
            Self::IndexedDb(store) => Store::remove(store, session, expect).await,
        }
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        match self {
            Self::Memory(store) => SyncStore::quarantine(store, session, part, bytes, reason),
            Self::LocalStorage(store) => SyncStore::quarantine(store, session, part, bytes, reason),
            Self::IndexedDb(store) => Store::quarantine(store, session, part, bytes, reason).await,
        }
    }

    async fn close(&self) -> Result<(), StoreError> {
        match self {
            Self::Memory(store) => SyncStore::close(store),
            Self::LocalStorage(store) => SyncStore::close(store),
            Self::IndexedDb(store) => Store::close(store).await,
        }
    }
}
