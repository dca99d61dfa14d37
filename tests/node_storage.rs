//! Node: neither IndexedDB nor localStorage is there; both say so, and nothing panics.
#![cfg(target_arch = "wasm32")]

use compaction_governor::id::OpId;
use compaction_governor::store::{
    Batch, Expect, IndexedDb, LocalStorage, Part, Store, StoreError, StoreErrorKind, SyncStore, UnavailableWhy,
};
use wasm_bindgen_test::wasm_bindgen_test;

fn unavailable<T>() -> Result<T, StoreError> {
    Err(StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::NoApi }))
}

#[wasm_bindgen_test]
async fn indexed_db_in_node_is_unavailable() {
    let store = IndexedDb::new();
    assert_eq!(store.open().await, unavailable());
    assert_eq!(store.load("s").await, unavailable());
    assert_eq!(store.commit("s", Expect::Absent, &Batch::root(vec![]), OpId(1)).await, unavailable());
    assert_eq!(store.list(None, 1).await, unavailable());
    assert_eq!(store.remove("s", None).await, unavailable());
    assert_eq!(store.quarantine("s", Part::Root, &[], "test").await, unavailable());
    assert_eq!(store.close().await, Ok(()));
}

#[wasm_bindgen_test]
fn local_storage_in_node_is_unavailable() {
    let store = LocalStorage::new();
    assert_eq!(SyncStore::open(&store), unavailable());
    assert_eq!(SyncStore::load(&store, "s"), unavailable());
    assert_eq!(SyncStore::commit(&store, "s", Expect::Absent, &Batch::root(vec![]), OpId(1)), unavailable());
    assert_eq!(SyncStore::list(&store, None, 1), unavailable());
}

#[wasm_bindgen_test]
fn a_local_storage_outside_a_page_is_unavailable_and_nothing_panics() {
    // Newer Nodes have the name without being a page; what reads it would look for a window first.
    let global = js_sys::global();
    js_sys::Reflect::set(&global, &"localStorage".into(), &js_sys::Object::new()).unwrap();
    let opened = SyncStore::open(&LocalStorage::new());
    js_sys::Reflect::delete_property(&global, &"localStorage".into()).unwrap();
    assert_eq!(opened, Err(StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::NoApi })));
}
