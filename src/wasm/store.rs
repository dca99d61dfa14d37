//! The stores that a page can choose from, behind one handle.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::{
    session::{Calls, carry_out_on, carry_out_sync},
    store::{
        Capabilities, CompareAndSwap, Durability, Engine, IndexedDb, Injected, JsCodec, LocalStorage, MemoryStore,
        Request, Sealed, Survives, SyncStore,
    },
    wasm::fault::Fault,
};

/// A store, chosen once and shared by the sessions opened on it.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a class of JavaScript; nothing in Rust prints it")]
pub struct StoreHandle {
    kind: &'static str,
    store: Rc<AnyStore>,
}

/// One of the stores of this crate.
pub(super) enum AnyStore {
    AtOnce(Box<dyn SyncStore>),
    Awaited(Sealed<Box<dyn Engine>, JsCodec>),
}

#[wasm_bindgen]
impl StoreHandle {
    /// Forgets with the page.
    pub fn memory() -> Self {
        Self::at_once("memory", MemoryStore::new())
    }

    /// Survives reloads; one context at a time.
    #[wasm_bindgen(js_name = localStorage)]
    pub fn local_storage(prefix: Option<String>) -> Self {
        let store = prefix.map_or_else(LocalStorage::new, |prefix| LocalStorage::named(&prefix));
        Self::at_once("local_storage", store)
    }

    /// Survives reloads, crashed tabs and killed browsers; any number of tabs.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(strict: bool, name: Option<String>, codec: Option<JsCodec>) -> Self {
        Self::awaited("indexed_db", indexed_db(strict, name), codec)
    }

    /// The key that the database keeps; `candidate` becomes it where there is none.
    pub fn key(&self, candidate: JsValue) -> Promise {
        let store = self.share();
        future_to_promise(async move {
            let key = match &*store {
                AnyStore::Awaited(store) => store.answer("", Request::Key(candidate)).await.map_err(Fault::from)?.key,
                AnyStore::AtOnce(_) => None,
            };
            key.ok_or_else(|| Fault::argument("this store keeps no key"))
        })
    }

    /// Keeps what `object` keeps. `survives` counts from 0: nothing, a reload, a kill of the process. `max_value_bytes` of 0:
    /// no limit.
    pub fn injected(
        object: JsValue,
        one_context: bool,
        survives: u8,
        max_value_bytes: f64,
        codec: Option<JsCodec>,
    ) -> Self {
        let store = Injected::new(object, declared(one_context, survives, max_value_bytes));
        Self::awaited("injected", store, codec)
    }

    /// `memory`, `local_storage`, `indexed_db` or `injected`.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        self.kind.to_owned()
    }
}

impl StoreHandle {
    fn at_once(kind: &'static str, store: impl SyncStore + 'static) -> Self {
        Self { kind, store: Rc::new(AnyStore::AtOnce(Box::new(store))) }
    }

    fn awaited(kind: &'static str, store: impl Engine + 'static, codec: Option<JsCodec>) -> Self {
        Self { kind, store: Rc::new(AnyStore::Awaited(Sealed::new(Box::new(store), codec))) }
    }

    pub(super) fn share(&self) -> Rc<AnyStore> {
        Rc::clone(&self.store)
    }
}

impl AnyStore {
    /// Makes `calls`, whichever store it is.
    pub(super) async fn carry_out(&self, calls: &mut dyn Calls) {
        // A store that answers at once is no part of the future: one that holds both kinds is far larger.
        match self {
            Self::AtOnce(store) => carry_out_sync(&**store, calls),
            Self::Awaited(store) => carry_out_on(store, calls).await,
        }
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        match self {
            Self::AtOnce(store) => store.capabilities(),
            Self::Awaited(store) => Engine::capabilities(store),
        }
    }
}

pub(super) fn indexed_db(strict: bool, name: Option<String>) -> IndexedDb {
    let durability = if strict { Durability::Strict } else { Durability::Relaxed };
    name.map_or_else(IndexedDb::new, |name| IndexedDb::named(&name)).with_durability(durability)
}

pub(super) fn declared(one_context: bool, survives: u8, max_value_bytes: f64) -> Capabilities {
    Capabilities {
        compare_and_swap: if one_context { CompareAndSwap::SingleContext } else { CompareAndSwap::Linearizable },
        atomic_batch: true,
        survives: match survives {
            0 => Survives::Memory,
            1 => Survives::Reload,
            _ => Survives::ProcessKill,
        },
        max_value_bytes: (max_value_bytes > 0.0).then_some(max_value_bytes as u64),
    }
}
