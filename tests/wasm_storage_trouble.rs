//! IndexedDB in a page: a realm that lost its storage service, and the second memory beside the database.
#![cfg(target_arch = "wasm32")]

#[path = "browser/mod.rs"]
mod browser;

use browser::{Stub, eval, unique_name};
use compaction_governor::error::Applied;
use compaction_governor::id::OpId;
use compaction_governor::store::{
    Batch, Expect, IndexedDb, Mark, Part, Recalled, Recover, Revision, Store, StoreError, StoreErrorKind,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const GONE: &str = "throw new DOMException('gone', 'InvalidStateError')";
const LOST: &str = "throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError')";

async fn with_session() -> IndexedDb {
    let store = IndexedDb::named(&unique_name());
    let batch = Batch::root(vec![1]).put(Part::Generation(1), vec![0, 255]);
    assert_eq!(store.commit("s", Expect::Absent, &batch, OpId(1)).await, Ok(1));
    store
}

async fn commit(store: &IndexedDb, at: Revision, op: u64) -> Result<Revision, StoreError> {
    store.commit("s", Expect::Revision(at), &Batch::root(vec![op as u8]), OpId(op)).await
}

fn frames() -> JsValue {
    eval("document.querySelectorAll('iframe').length")
}

// Chromium and Firefox lose no page's connection for good; the stubs make this page's realm refuse as WebKit's does.
#[wasm_bindgen_test]
async fn a_realm_that_refuses_every_transaction_or_opening_is_left_for_a_hidden_frame_that_goes_with_the_store() {
    let before = frames();
    for (class, method, refusal) in [("IDBDatabase", "transaction", GONE), ("IDBFactory", "open", LOST)] {
        let store = with_session().await;
        let stub = Stub::method(class, method, refusal);
        if method == "open" {
            // The connection that stands is taken away as well.
            let gone = Stub::method("IDBDatabase", "transaction", GONE);
            assert_eq!(commit(&store, 1, 2).await, Ok(2));
            drop(gone);
        } else {
            assert_eq!(commit(&store, 1, 2).await, Ok(2));
        }
        let snapshot = store.load("s").await.unwrap().unwrap();
        assert_eq!(snapshot.revision, 2);
        assert_eq!(
            snapshot.parts,
            [(Part::Root, vec![2]), (Part::Generation(1), vec![0, 255])],
            "bytes of another realm"
        );
        assert_eq!(eval("[...document.querySelectorAll('iframe')].every((frame) => frame.hidden)"), JsValue::TRUE);
        for op in 3..6 {
            assert_eq!(commit(&store, op - 1, op).await, Ok(op));
        }
        assert_eq!(frames().as_f64(), before.as_f64().map(|frames| frames + 1.0), "one for the life of the store");
        drop(stub);
        assert_eq!(commit(&store, 5, 6).await, Ok(6), "and kept when the page's own would do again");
        store.close().await.unwrap();
        assert_eq!(frames(), before);
        assert_eq!(IndexedDb::named(store.name()).load("s").await.unwrap().map(|found| found.revision), Some(6));
    }
}

#[wasm_bindgen_test]
async fn a_realm_whose_frame_is_removed_by_the_host_is_replaced_by_the_next_one() {
    let store = with_session().await;
    let stub = Stub::method("IDBDatabase", "transaction", GONE);
    assert_eq!(commit(&store, 1, 2).await, Ok(2));
    eval("document.querySelectorAll('iframe').forEach((frame) => frame.remove())");
    assert_eq!(commit(&store, 2, 3).await, Ok(3));
    drop(stub);
    store.close().await.unwrap();
}

#[wasm_bindgen_test]
async fn a_page_that_gets_no_realm_is_asked_to_reload_and_works_on_when_its_own_answers_again() {
    let store = with_session().await;
    let before = frames();
    let gone = Stub::method("IDBDatabase", "transaction", GONE);
    let frameless = Stub::method("Document", "createElement", "throw new DOMException('no', 'NotSupportedError')");
    let error = commit(&store, 1, 2).await.unwrap_err();
    assert_eq!(
        (error.kind, error.applied, error.recover),
        (StoreErrorKind::ConnectionLost, Applied::No, Recover::Reload)
    );
    drop(frameless);
    drop(gone);
    assert_eq!(commit(&store, 1, 2).await, Ok(2));
    assert_eq!(frames(), before);
}

#[wasm_bindgen_test]
async fn a_database_that_never_opened_is_not_called_lost() {
    let store = IndexedDb::named(&unique_name());
    let stub = Stub::method("IDBFactory", "open", LOST);
    let frameless = Stub::method("Document", "createElement", "throw new DOMException('no', 'NotSupportedError')");
    let error = store.open().await.unwrap_err();
    assert_eq!((error.code(), error.recover), ("backend", Recover::Retry));
    drop((stub, frameless));
    assert_eq!(store.open().await, Ok(()));
}

#[wasm_bindgen_test]
async fn the_second_memory_keeps_the_latest_mark_until_the_session_is_removed() {
    let store = with_session().await;
    assert_eq!(store.recall("s"), Recalled::Nothing);
    let mark = Mark { incarnation: u64::MAX - 1, revision: 7 };
    store.remember("s", mark);
    store.remember("s", Mark { revision: 8, ..mark });
    assert_eq!(store.recall("s"), Recalled::Mark(Mark { revision: 8, ..mark }));
    assert_eq!(IndexedDb::named(&unique_name()).recall("s"), Recalled::Nothing, "another database's");
    let items = eval(&format!("Object.keys(localStorage).filter((key) => key.startsWith('{}')).length", store.name()));
    assert_eq!(items, JsValue::from(1));
    assert_eq!(eval("Object.entries(localStorage).every(([key, value]) => (key + value).length < 110)"), JsValue::TRUE);
    store.remove("s", None).await.unwrap();
    assert_eq!(store.recall("s"), Recalled::Nothing);
}

#[wasm_bindgen_test]
async fn many_sessions_share_a_bounded_number_of_items_and_the_latest_has_its_own() {
    let store = IndexedDb::named(&unique_name());
    for chat in 0..6_000_u64 {
        let mark = Mark { incarnation: chat, revision: 1 };
        store.remember(&chat.to_string(), mark);
        assert_eq!(store.recall(&chat.to_string()), Recalled::Mark(mark));
    }
    let items = eval(&format!("Object.keys(localStorage).filter((key) => key.startsWith('{}')).length", store.name()));
    let items = items.as_f64().unwrap();
    assert!((2_000.0..=4_096.0).contains(&items), "{items}");
    let displaced = (0..6_000_u64).filter(|chat| store.recall(&chat.to_string()) == Recalled::Unknown).count();
    assert_eq!(displaced as f64, 6_000.0 - items, "what another one took says nothing, never that it was removed");
    eval("localStorage.clear()");
}

#[wasm_bindgen_test]
async fn a_second_memory_that_is_full_denied_or_garbage_is_silent() {
    let store = with_session().await;
    let mark = Mark { incarnation: 5, revision: 1 };
    let full = Stub::method("Storage", "setItem", "throw new DOMException('full', 'QuotaExceededError')");
    store.remember("s", mark);
    drop(full);
    assert_eq!(store.recall("s"), Recalled::Nothing);
    store.remember("s", mark);
    let denied = Stub::global("localStorage", "throw new DOMException('no', 'SecurityError')");
    assert_eq!(store.recall("s"), Recalled::Unknown);
    store.remember("s", mark);
    drop(denied);
    eval(&format!(
        "Object.keys(localStorage).filter((key) => key.startsWith('{}')).forEach((key) => localStorage.setItem(key, 'x'))",
        store.name()
    ));
    assert_eq!(store.recall("s"), Recalled::Unknown);
}

// localStorage forgets its last seconds when a browser is killed: the mark of a removed session can come back.
#[wasm_bindgen_test]
async fn a_mark_that_came_back_after_a_removal_is_no_witness_and_is_cleared() {
    let store = with_session().await;
    let mark = Mark { incarnation: 5, revision: 1 };
    store.remove("s", None).await.unwrap();
    store.remember("s", mark);
    assert_eq!(store.load("s").await, Ok(None));
    assert_eq!(store.recall("s"), Recalled::Nothing);
    store.remember("other", mark);
    assert_eq!(store.load("other").await, Ok(None));
    assert_eq!(store.recall("other"), Recalled::Mark(mark), "that one was not removed");
}

#[wasm_bindgen_test]
async fn notes_of_removals_are_bounded_and_hold_no_id() {
    let store = with_session().await;
    for chat in 0..300 {
        store.remove(&format!("chat-{chat}"), None).await.unwrap();
    }
    let keys = browser::rows(store.name(), "keys").await.unwrap();
    let noted = js_sys::Array::from(&js_sys::Array::from(&browser::field(&keys, "values")).get(0));
    assert_eq!(noted.length(), 256);
    assert!(noted.iter().all(|hash| hash.as_string().is_some_and(|hash| hash.len() == 16)));
}
