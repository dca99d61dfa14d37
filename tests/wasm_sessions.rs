//! Whole sessions in the browser's own engines: the same record bytes go in and come out, and a removal leaves nothing.
#![cfg(all(feature = "conformance", target_arch = "wasm32"))]

mod browser;

use browser::{Stub, eval, json, rows, unique_name};
use compaction_governor::{
    id::{AttemptId, OpId},
    record::{PinnedEntry, Pins, Root, Summary, encode_pins, encode_root, encode_summary},
    session::sessions::{Export, Fork, Import, List, Remove, SessionsError, perform},
    store::{Batch, Expect, IndexedDb, LocalStorage, MemoryStore, Part, Recover, Store, StoreErrorKind, SyncStore},
    time::{Millis, Timestamp},
};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const MARK: &str = "a summary that must not be found again";

/// A memory store that keeps one session with a summary and pins.
fn origin() -> MemoryStore {
    let store = MemoryStore::new();
    let pins =
        Pins { entries: vec![PinnedEntry { id: u64::MAX, nth: 1 }], texts: vec!["🙂".to_owned()], ..Pins::default() };
    let batch = Batch::root(encode_root(&Root::new("chat", 7)))
        .put(Part::Generation(0), encode_pins("chat", &pins))
        .put(Part::Generation(3), encode_summary(&Summary::new("chat", 3, AttemptId(1), MARK)));
    SyncStore::commit(&store, "chat", Expect::Absent, &batch, OpId(1)).unwrap();
    store
}

/// From memory into `store` and back; then copied, listed and removed there.
async fn moves_through(store: &impl Store) {
    let (origin, back) = (origin(), MemoryStore::new());
    let archive = perform(&origin, Export::new("chat")).await.unwrap();
    perform(store, Import::new(&archive, None, 9, NOW)).await.unwrap();
    let expected = SyncStore::load(&origin, "chat").unwrap().unwrap().parts;
    assert_eq!(store.load("chat").await.unwrap().unwrap().parts, expected);
    let again = perform(store, Export::new("chat")).await.unwrap();
    perform(&back, Import::new(&again, None, 9, NOW)).await.unwrap();
    assert_eq!(SyncStore::load(&back, "chat").unwrap().unwrap().parts, expected);
    assert_eq!(perform(store, Import::new(&archive, None, 9, NOW)).await, Err(SessionsError::Exists));
    perform(store, Fork::new("chat", "Kopie/🙂", 9, NOW)).await.unwrap();
    let mut ids = Vec::new();
    let mut after = None;
    loop {
        let page = perform(store, List::new(after.as_deref(), 1)).await.unwrap();
        ids.extend(page.sessions.into_iter().map(|one| (one.id, one.bytes > 100)));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    ids.sort();
    assert_eq!(ids, [("Kopie/🙂".to_owned(), true), ("chat".to_owned(), true)]);
    for id in ["chat", "Kopie/🙂"] {
        store.quarantine(id, Part::Root, MARK.as_bytes(), "unreadable").await.unwrap();
        perform(store, Remove::new(id)).await.unwrap();
        assert_eq!(perform(store, Export::new(id)).await, Err(SessionsError::Unknown));
    }
}

#[wasm_bindgen_test]
async fn a_session_moves_through_indexed_db_byte_for_byte_and_is_removed_without_a_trace() {
    let store = IndexedDb::named(&unique_name());
    moves_through(&store).await;
    for kept in ["records", "quarantine"] {
        let left = json(&rows(store.name(), kept).await.unwrap());
        assert!(left.contains("\"keys\":[]"), "{kept}: {left}");
    }
}

#[wasm_bindgen_test]
async fn a_session_moves_through_local_storage_byte_for_byte_and_is_removed_without_a_trace() {
    eval("localStorage.clear()");
    moves_through(&LocalStorage::named(&unique_name())).await;
    assert_eq!(eval("localStorage.length").as_f64(), Some(0.0));
}

#[wasm_bindgen_test]
async fn a_database_that_never_opens_is_given_up_by_its_deadline() {
    let _stub = Stub::method("IDBFactory", "open", "return new EventTarget()");
    let store = IndexedDb::named(&unique_name()).with_deadline(Millis(200));
    let archive = perform(&origin(), Export::new("chat")).await.unwrap();
    let ends = [
        perform(&store, Export::new("chat")).await.map(drop),
        perform(&store, Import::new(&archive, None, 9, NOW)).await,
        perform(&store, Fork::new("chat", "copy", 9, NOW)).await,
        perform(&store, List::new(None, 10)).await.map(drop),
        perform(&store, Remove::new("chat")).await,
    ];
    for end in ends {
        let Err(SessionsError::Store(error)) = end else { panic!("{end:?}") };
        assert_eq!((error.kind, error.recover), (StoreErrorKind::Timeout, Recover::Retry));
    }
}
