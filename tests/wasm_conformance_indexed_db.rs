//! IndexedDB in a real browser: the storage contract clause by clause, then the faults of this engine.
#![cfg(all(feature = "conformance", target_arch = "wasm32"))]

mod browser;

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Waker};

use browser::{Stub, eval, field, json, key};
use compaction_governor::error::Applied;
use compaction_governor::id::OpId;
use compaction_governor::store::conformance::{self, Harness, Outcome, Quarantined};
use compaction_governor::store::{
    Batch, Durability, Expect, IndexedDb, Part, QUARANTINE_PER_SESSION, Recover, Store, StoreError, StoreErrorKind,
    UnavailableWhy, within,
};
use compaction_governor::time::Millis;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Short enough for a test, long enough for a loaded machine to do real work in.
const SHORT: Millis = Millis(150);

struct Browser;

impl Harness for Browser {
    type Store = IndexedDb;

    async fn fresh(&self) -> IndexedDb {
        IndexedDb::named(&browser::unique_name())
    }

    async fn another_context(&self, store: &IndexedDb) -> IndexedDb {
        IndexedDb::named(store.name())
    }

    async fn reloaded(&self, store: IndexedDb) -> IndexedDb {
        store.close().await.unwrap();
        IndexedDb::named(store.name())
    }

    async fn hanging(&self) -> Option<IndexedDb> {
        let store = fresh().with_deadline(SHORT);
        store.open().await.unwrap();
        browser::hold(store.name(), 4_000.0).await.unwrap();
        Some(store)
    }

    async fn damage(&self, store: &IndexedDb, session: &str) -> bool {
        browser::put_row(store.name(), "records", &key(session, "root"), &eval("'spoilt'")).await.unwrap();
        true
    }

    async fn quarantined(&self, store: &IndexedDb, session: &str) -> Option<Vec<Quarantined>> {
        let rows = browser::rows(store.name(), "quarantine").await.unwrap();
        let (keys, values): (Array, Array) = (field(&rows, "keys").into(), field(&rows, "values").into());
        let kept = keys.iter().zip(values.iter()).filter(|(key, _)| field(key, "0") == session);
        Some(kept.map(|(_, row)| read_aside(&row)).collect())
    }
}

/// A row of the quarantine; one that was no record at all is kept as it was, and has no bytes.
fn read_aside(row: &JsValue) -> Quarantined {
    let part = Part::parse(&field(row, "part").as_string().unwrap()).unwrap();
    let bytes = field(row, "bytes");
    (part, if bytes.is_undefined() { Vec::new() } else { Uint8Array::from(bytes).to_vec() })
}

macro_rules! clauses {
    ($($clause:ident)*) => { $(
        #[wasm_bindgen_test]
        async fn $clause() {
            assert_eq!(conformance::$clause(&Browser).await, Outcome::Held);
        }
    )* };
}
compaction_governor::for_each_clause!(clauses);

mod sessions {
    use compaction_governor::session::conformance;

    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[wasm_bindgen_test]
            async fn $clause() {
                assert_eq!(conformance::$clause(&Browser).await, Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_session_clause!(clauses);
}

fn fresh() -> IndexedDb {
    IndexedDb::named(&browser::unique_name())
}

/// A store with one session `s` at revision 1.
async fn with_session() -> IndexedDb {
    let store = fresh();
    assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![1]), 1).await, Ok(1));
    store
}

async fn commit(store: &IndexedDb, expect: Expect, batch: Batch, op: u64) -> Result<u64, StoreError> {
    store.commit("s", expect, &batch, OpId(op)).await
}

async fn revision(store: &IndexedDb) -> Option<u64> {
    store.load("s").await.unwrap().map(|snapshot| snapshot.revision)
}

fn unavailable(why: UnavailableWhy) -> StoreError {
    StoreError::not_applied(StoreErrorKind::Unavailable { why })
}

#[wasm_bindgen_test]
async fn an_abort_without_an_error_event_after_success_is_an_error_and_the_old_state_stands() {
    let store = with_session().await;
    let abort = "const r = original(...args); r.addEventListener('success', () => self.transaction.abort()); return r";
    let stub = Stub::method("IDBObjectStore", "put", abort);
    let error = commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await.unwrap_err();
    assert_eq!((error.kind, error.applied), (StoreErrorKind::Backend { name: "AbortError".into() }, Applied::No));
    drop(stub);
    assert_eq!(revision(&store).await, Some(1));
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 3).await, Ok(2));
}

#[wasm_bindgen_test]
async fn a_full_disk_at_commit_is_quota_exceeded_and_not_applied() {
    // A browser's quota can only be set from outside the page; here the engine's answer to it is played, event by event.
    let store = with_session().await;
    let full = Stub::method("IDBObjectStore", "put", "throw new DOMException('full', 'QuotaExceededError')");
    let error = commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await.unwrap_err();
    assert_eq!(error, StoreError::not_applied(StoreErrorKind::QuotaExceeded));
    assert_eq!(error.recover, Recover::UserAction);
    drop(full);
    let reason =
        "Object.defineProperty(self.transaction, 'error', { value: new DOMException('full', 'QuotaExceededError') });
        const r = original(...args); r.addEventListener('success', () => self.transaction.abort()); return r";
    let full = Stub::method("IDBObjectStore", "put", reason);
    let error = commit(&store, Expect::Revision(1), Batch::root(vec![2]), 3).await.unwrap_err();
    assert_eq!(error, StoreError::not_applied(StoreErrorKind::QuotaExceeded));
    drop(full);
    assert_eq!(revision(&store).await, Some(1));
}

#[wasm_bindgen_test]
async fn a_batch_whose_last_put_throws_writes_none_of_it() {
    let store = with_session().await;
    let third = Stub::method("IDBObjectStore", "put", "if (nth === 3) throw new TypeError(); return original(...args)");
    let batch = Batch::root(vec![2]).put(Part::Generation(1), vec![1]).put(Part::Generation(2), vec![2]);
    let error = commit(&store, Expect::Revision(1), batch, 2).await.unwrap_err();
    assert_eq!(error, StoreError::not_applied(StoreErrorKind::Backend { name: "TypeError".into() }));
    drop(third);
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.parts), (1, vec![(Part::Root, vec![1])]));
}

#[wasm_bindgen_test]
async fn an_open_that_never_fires_is_a_timeout_by_the_deadline() {
    let _stub = Stub::global("indexedDB", "({ open() { return {} } })");
    let store = fresh().with_deadline(SHORT);
    assert_eq!(store.open().await, Err(StoreError::not_applied(StoreErrorKind::Timeout)));
    assert_eq!(store.load("s").await, Err(StoreError::not_applied(StoreErrorKind::Timeout)));
}

#[wasm_bindgen_test]
async fn an_open_that_succeeds_after_the_deadline_is_closed_again() {
    let stub = Stub::global(
        "indexedDB",
        "({ open() { return globalThis.late = { result: { close() { globalThis.late.closed = true } } } } })",
    );
    let store = fresh().with_deadline(SHORT);
    assert_eq!(store.open().await, Err(StoreError::not_applied(StoreErrorKind::Timeout)));
    drop(stub);
    eval("globalThis.late.onsuccess()");
    assert_eq!(eval("globalThis.late.closed"), JsValue::TRUE);
}

#[wasm_bindgen_test]
async fn an_upgrade_that_comes_after_the_deadline_still_makes_all_object_stores() {
    let store = fresh().with_deadline(SHORT);
    let holder = browser::hold_creation(store.name(), 500.0);
    assert_eq!(store.open().await, Err(StoreError::not_applied(StoreErrorKind::Timeout)));
    browser::done(&holder).await;
    let store = IndexedDb::named(store.name());
    assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![1]), 1).await, Ok(1));
}

#[wasm_bindgen_test]
async fn a_blocked_open_says_so_and_closes_what_opens_later() {
    let blocked = "({ open() { const r = { result: { close() { r.closed = true } } }; globalThis.held = r;
        queueMicrotask(() => r.onblocked()); return r } })";
    let stub = Stub::global("indexedDB", blocked);
    let error = fresh().open().await.unwrap_err();
    assert_eq!((error.kind, error.recover), (StoreErrorKind::Blocked, Recover::UserAction));
    drop(stub);
    eval("globalThis.held.onsuccess()");
    assert_eq!(eval("globalThis.held.closed"), JsValue::TRUE);
}

#[wasm_bindgen_test]
async fn a_runtime_without_the_api_or_access_is_unavailable_and_nothing_panics() {
    let denied = "throw new DOMException('no', 'SecurityError')";
    let opening = format!("({{ open() {{ {denied} }} }})");
    for (value, why) in [
        ("undefined", UnavailableWhy::NoApi),
        ("null", UnavailableWhy::NoApi),
        (denied, UnavailableWhy::Denied),
        (opening.as_str(), UnavailableWhy::Denied),
    ] {
        let _stub = Stub::global("indexedDB", value);
        let store = fresh();
        assert_eq!(store.open().await, Err(unavailable(why)), "{value}");
        assert_eq!(store.load("s").await, Err(unavailable(why)), "{value}");
        assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![]), 1).await, Err(unavailable(why)), "{value}");
    }
}

#[wasm_bindgen_test]
async fn a_commit_past_its_deadline_may_have_been_applied_and_its_op_id_decides() {
    let store = with_session().await.with_deadline(SHORT);
    let holder = browser::hold(store.name(), 600.0).await.unwrap();
    let late = commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await;
    assert_eq!(late, Err(StoreError::maybe_applied(StoreErrorKind::Timeout)));
    browser::done(&holder).await;
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.op_id), (1, OpId(1)), "the transaction that was given up is aborted");
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await, Ok(2));
}

#[wasm_bindgen_test]
async fn a_dropped_commit_leaves_the_old_state_or_the_new_one() {
    let store = with_session().await;
    {
        let batch = Batch::root(vec![2]).put(Part::Generation(1), vec![2]);
        let mut dropped = pin!(store.commit("s", Expect::Revision(1), &batch, OpId(2)));
        assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.op_id, snapshot.parts.len()), (1, OpId(1), 1));
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![3]), 3).await, Ok(2));
}

#[wasm_bindgen_test]
async fn an_upgrade_elsewhere_closes_the_connection_and_the_next_call_opens_another() {
    let store = with_session().await;
    browser::upgrade_and_give_up(store.name()).await.unwrap();
    assert_eq!(revision(&store).await, Some(1));
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await, Ok(2));
}

#[wasm_bindgen_test]
async fn a_database_of_a_newer_release_is_superseded_and_untouched() {
    let store = with_session().await;
    browser::upgrade(store.name()).await.unwrap();
    let error = commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await.unwrap_err();
    assert_eq!((error.kind, error.applied, error.recover), (StoreErrorKind::Superseded, Applied::No, Recover::Reload));
    assert_eq!(store.load("s").await.map_err(|error| error.code()), Err("superseded"));
}

#[wasm_bindgen_test]
async fn a_connection_that_refuses_a_transaction_is_replaced_once() {
    let gone = "throw new DOMException('gone', 'InvalidStateError')";
    let store = with_session().await;
    let stub = Stub::method("IDBDatabase", "transaction", &format!("if (nth === 1) {gone}; return original(...args)"));
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await, Ok(2));
    drop(stub);
    assert_eq!(revision(&store).await, Some(2));
}

#[wasm_bindgen_test]
async fn the_layout_is_as_documented() {
    let store = fresh();
    let batch = Batch::root(vec![1, 2]).put(Part::Generation(17), vec![3]);
    store.commit("s", Expect::Absent, &batch, OpId(0xAB)).await.unwrap();
    let batch = Batch::root(vec![4]);
    store.commit("s", Expect::Revision(1), &batch, OpId(u64::MAX)).await.unwrap();
    let records = browser::rows(store.name(), "records").await.unwrap();
    assert_eq!(field(&records, "version"), JsValue::from(1));
    assert_eq!(json(&field(&records, "stores")), r#"["keys","quarantine","records"]"#);
    assert_eq!(json(&field(&records, "keys")), r#"[["s",17],["s","root"]]"#);
    assert_eq!(
        json(&field(&records, "values")),
        r#"[{"revision":1,"bytes":["bytes",3],"op":"00000000000000ab"},{"revision":2,"bytes":["bytes",4],"op":"ffffffffffffffff"}]"#
    );
    store.quarantine("s", Part::Generation(3), &[9], "checksum").await.unwrap();
    let quarantine = browser::rows(store.name(), "quarantine").await.unwrap();
    assert_eq!(json(&field(&quarantine, "keys")), r#"[["s",0]]"#);
    assert_eq!(json(&field(&quarantine, "values")), r#"[{"part":"3","reason":"checksum","bytes":["bytes",9]}]"#);
}

#[wasm_bindgen_test]
async fn the_quarantine_is_bounded_and_goes_with_the_session() {
    let store = with_session().await;
    for index in 0..9_u8 {
        store.quarantine("s", Part::Root, &[index], "decode").await.unwrap();
    }
    let kept = json(&field(&browser::rows(store.name(), "quarantine").await.unwrap(), "keys"));
    assert_eq!(kept, r#"[["s",5],["s",6],["s",7],["s",8]]"#);
    assert_eq!(kept.matches("\"s\"").count(), QUARANTINE_PER_SESSION);
    store.remove("s", None).await.unwrap();
    assert_eq!(json(&field(&browser::rows(store.name(), "quarantine").await.unwrap(), "keys")), "[]");
}

#[wasm_bindgen_test]
async fn a_root_row_of_another_shape_is_corrupt_until_a_first_commit_sets_it_aside() {
    for garbage in [
        "'text'",
        "null",
        "({ revision: 1.5, bytes: new Uint8Array(1), op: '0000000000000001' })",
        "({ revision: 1, bytes: [1], op: '0000000000000001' })",
        "({ revision: 1, bytes: new Uint8Array(1), op: '1' })",
    ] {
        let store = with_session().await;
        browser::put_row(store.name(), "records", &key("s", "root"), &eval(garbage)).await.unwrap();
        let corrupt = StoreError::not_applied(StoreErrorKind::Corrupt);
        assert_eq!(store.load("s").await, Err(corrupt.clone()), "{garbage}");
        assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2).await, Err(corrupt));
        assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![3]), 3).await, Ok(1));
        assert_eq!(store.load("s").await.unwrap().unwrap().parts, vec![(Part::Root, vec![3])]);
        let aside = browser::rows(store.name(), "quarantine").await.unwrap();
        let value = format!(r#"[{{"part":"root","reason":"row","value":{}}}]"#, json(&eval(garbage)));
        assert_eq!(json(&field(&aside, "values")), value);
    }
}

#[wasm_bindgen_test]
async fn a_generation_row_of_another_shape_has_no_bytes_and_the_rest_stays_usable() {
    let store = with_session().await;
    browser::put_row(store.name(), "records", &key("s", 5), &eval("({})")).await.unwrap();
    browser::put_row(store.name(), "records", &key("s", "of a later release"), &eval("({})")).await.unwrap();
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!(snapshot.parts, vec![(Part::Root, vec![1]), (Part::Generation(5), vec![])]);
}

#[wasm_bindgen_test]
async fn generations_without_a_root_are_corrupt_and_a_new_session_does_not_inherit_them() {
    let store = with_session().await;
    browser::put_row(store.name(), "records", &key("other", 5), &eval("({})")).await.unwrap();
    assert_eq!(store.load("other").await, Err(StoreError::not_applied(StoreErrorKind::Corrupt)));
    store.commit("other", Expect::Absent, &Batch::root(vec![1]), OpId(1)).await.unwrap();
    assert_eq!(store.load("other").await.unwrap().unwrap().parts, vec![(Part::Root, vec![1])]);
}

#[wasm_bindgen_test]
async fn the_engine_is_asked_for_one_transaction_and_one_put_per_part_and_none_when_refused() {
    let store = with_session().await;
    eval("globalThis.counted = { puts: 0, transactions: [] }");
    let puts = Stub::method("IDBObjectStore", "put", "counted.puts++; return original(...args)");
    let transactions = Stub::method(
        "IDBDatabase",
        "transaction",
        "counted.transactions.push([args[1], args[2].durability]); return original(...args)",
    );
    let batch = Batch::root(vec![2]).put(Part::Generation(1), vec![1]).delete(Part::Generation(9));
    commit(&store, Expect::Revision(1), batch.clone(), 2).await.unwrap();
    assert_eq!(json(&eval("counted")), r#"{"puts":2,"transactions":[["readwrite","relaxed"]]}"#);
    commit(&store, Expect::Revision(1), batch.clone(), 3).await.unwrap_err();
    commit(&store, Expect::Revision(1), batch, 2).await.unwrap();
    store.load("s").await.unwrap();
    assert_eq!(json(&eval("counted.puts")), "2");
    let strict = IndexedDb::named(store.name()).with_durability(Durability::Strict);
    commit(&strict, Expect::Revision(2), Batch::root(vec![3]), 4).await.unwrap();
    assert_eq!(json(&eval("counted.transactions.at(-1)")), r#"["readwrite","strict"]"#);
    drop((puts, transactions));
}

#[wasm_bindgen_test]
async fn a_commit_given_up_while_its_puts_are_under_way_is_aborted() {
    let store = with_session().await;
    eval("globalThis.putCalled = new Promise((resolve) => { globalThis.onPut = resolve })");
    let stub = Stub::method("IDBObjectStore", "put", "onPut(); return original(...args)");
    let put_called = wasm_bindgen_futures::JsFuture::from(js_sys::Promise::resolve(&eval("putCalled")));
    let batch = Batch::root(vec![2]);
    let given_up = within(
        store.commit("s", Expect::Revision(1), &batch, OpId(2)),
        async { drop(put_called.await) },
        Applied::Unknown,
    );
    assert_eq!(given_up.await, Err(StoreError::maybe_applied(StoreErrorKind::Timeout)));
    drop(stub);
    assert_eq!(revision(&store).await, Some(1));
}

#[wasm_bindgen_test]
async fn calls_at_once_on_a_store_that_is_not_open_yet_are_all_answered() {
    let store = fresh();
    let mut first = pin!(store.load("s"));
    assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![1]), 1).await, Ok(1));
    assert!(first.await.is_ok());
    assert_eq!(revision(&store).await, Some(1));
}
