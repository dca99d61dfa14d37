//! A dedicated worker: localStorage is not there and says so, IndexedDB works as in a page.
#![cfg(target_arch = "wasm32")]

use compaction_governor::id::OpId;
use compaction_governor::store::{
    Batch, Expect, IndexedDb, LocalStorage, Part, Store, StoreError, StoreErrorKind, SyncStore, UnavailableWhy,
};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn local_storage_in_a_worker_is_unavailable_and_nothing_panics() {
    let store = LocalStorage::new();
    let unavailable = StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::NoApi });
    assert_eq!(SyncStore::open(&store), Err(unavailable.clone()));
    assert_eq!(SyncStore::load(&store, "s"), Err(unavailable.clone()));
    assert_eq!(SyncStore::commit(&store, "s", Expect::Absent, &Batch::root(vec![]), OpId(1)), Err(unavailable.clone()));
    assert_eq!(SyncStore::quarantine(&store, "s", Part::Root, &[], "test"), Err(unavailable));
}

#[wasm_bindgen_test]
async fn indexed_db_in_a_worker_keeps_what_was_committed() {
    let name = format!("worker-{}", js_sys::Date::now() as u64);
    let batch = Batch::root(vec![1]).put(Part::Generation(1), vec![2]);
    let store = IndexedDb::named(&name);
    assert_eq!(store.commit("s", Expect::Absent, &batch, OpId(1)).await, Ok(1));
    assert_eq!(store.close().await, Ok(()));
    let snapshot = IndexedDb::named(&name).load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.op_id, snapshot.parts.len()), (1, OpId(1), 2));
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
