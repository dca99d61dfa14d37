//! The stores that a page can choose from, behind one handle.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::store::{Capabilities, IndexedDb, LocalStorage, MemoryStore, Store, SyncStore};

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
        let store = prefix.map_or_else(LocalStorage::new, |prefix| LocalStorage::named(&prefix));
        Self::of(AnyStore::LocalStorage(store))
    }

    /// Survives reloads, crashed tabs and killed browsers; any number of tabs.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(name: Option<String>) -> Self {
        let store = name.map_or_else(IndexedDb::new, |name| IndexedDb::named(&name));
        Self::of(AnyStore::IndexedDb(store))
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

impl AnyStore {
    pub(super) fn capabilities(&self) -> Capabilities {
        match self {
            Self::Memory(store) => SyncStore::capabilities(store),
            Self::LocalStorage(store) => SyncStore::capabilities(store),
            Self::IndexedDb(store) => Store::capabilities(store),
        }
    }
}
