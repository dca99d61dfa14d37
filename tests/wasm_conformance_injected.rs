//! Objects of hosts under the storage contract, clause by clause, in Node and in browsers; then every way to break it.
#![cfg(all(feature = "conformance", target_arch = "wasm32"))]

mod injected;

use core::cell::RefCell;
use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use compaction_governor::error::Applied;
use compaction_governor::id::OpId;
use compaction_governor::store::conformance::{self, Harness, Outcome, Quarantined};
use compaction_governor::store::injected::QUARANTINE;
use compaction_governor::store::{
    Batch, Capabilities, CompareAndSwap, Expect, Injected, Part, QUARANTINE_PER_SESSION, Recover, Store, StoreError,
    StoreErrorKind, Survives,
};
use compaction_governor::time::Millis;
use injected::{damage, host, liar};
use wasm_bindgen_test::wasm_bindgen_test;

/// Short enough for a test, long enough for every timer of the hosts here.
const SHORT: Millis = Millis(150);
/// Of the object; the envelope of the root record takes eight bytes of it.
const LIMIT: u64 = 4_360;

/// Hosts that answer in one way.
struct Hosts {
    answering: &'static str,
    /// The place of the latest fresh store.
    place: RefCell<String>,
}

impl Hosts {
    fn answering(answering: &'static str) -> Self {
        Self { answering, place: RefCell::default() }
    }

    fn same_place(&self) -> Injected {
        Injected::new(host(&self.place.borrow(), self.answering), declared(Some(LIMIT)))
    }
}

impl Harness for Hosts {
    type Store = Injected;

    async fn fresh(&self) -> Injected {
        self.place.replace(unique_name());
        self.same_place()
    }

    async fn another_context(&self, _: &Injected) -> Injected {
        self.same_place()
    }

    async fn reloaded(&self, _: Injected) -> Injected {
        self.same_place()
    }

    async fn hanging(&self) -> Option<Injected> {
        let never = "() => new Promise(() => {})";
        let methods = format!("load: {never}, commit: {never}, list: {never}, remove: {never}");
        Some(lying(&methods).with_deadline(SHORT))
    }

    async fn damage(&self, _: &Injected, session: &str) -> bool {
        damage(&self.place.borrow(), session);
        true
    }

    async fn quarantined(&self, store: &Injected, session: &str) -> Option<Vec<Quarantined>> {
        let kept = store.quarantined(session).await.unwrap();
        Some(kept.into_iter().map(|(part, bytes, _)| (part, bytes)).collect())
    }
}

mod values {
    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[wasm_bindgen_test]
            async fn $clause() {
                assert_eq!(conformance::$clause(&Hosts::answering("values")).await, Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_clause!(clauses);
}

mod promises {
    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[wasm_bindgen_test]
            async fn $clause() {
                assert_eq!(conformance::$clause(&Hosts::answering("promises")).await, Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_clause!(clauses);
}

mod late {
    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[wasm_bindgen_test]
            async fn $clause() {
                assert_eq!(conformance::$clause(&Hosts::answering("late")).await, Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_clause!(clauses);
}

mod sessions {
    use compaction_governor::session::conformance;

    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[wasm_bindgen_test]
            async fn $clause() {
                assert_eq!(conformance::$clause(&Hosts::answering("promises")).await, Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_session_clause!(clauses);
}

fn unique_name() -> String {
    js_sys::Math::random().to_string()
}

fn declared(max_value_bytes: Option<u64>) -> Capabilities {
    Capabilities {
        compare_and_swap: CompareAndSwap::Linearizable,
        atomic_batch: true,
        survives: Survives::ProcessKill,
        max_value_bytes,
    }
}

/// A store over an object with these methods of its own.
fn lying(methods: &str) -> Injected {
    Injected::new(liar(&unique_name(), methods), declared(None))
}

async fn commit(store: &Injected, expect: Expect, op: u64) -> Result<u64, StoreError> {
    store.commit("s", expect, &Batch::root(vec![op as u8]), OpId(op)).await
}

fn bad_answer(call: &'static str) -> StoreErrorKind {
    StoreErrorKind::BadAnswer { call }
}

fn backend(name: &str) -> StoreErrorKind {
    StoreErrorKind::Backend { name: name.into() }
}

#[wasm_bindgen_test]
async fn what_is_thrown_or_rejected_is_a_typed_error_and_a_commit_may_have_been_applied() {
    for fails in ["throw $", "return Promise.reject($)", "return { then(_, reject) { reject($) } }"] {
        for (thrown, kind) in [
            ("new RangeError()", backend("RangeError")),
            ("new DOMException('full', 'QuotaExceededError')", StoreErrorKind::QuotaExceeded),
            ("'text'", backend("")),
            ("undefined", backend("")),
            ("null", backend("")),
            ("{ get name() { throw 1 } }", backend("")),
        ] {
            let body = fails.replace('$', thrown);
            let store = lying(&format!(
                "load() {{ {body} }}, commit() {{ {body} }}, list() {{ {body} }}, remove() {{ {body} }}, close() {{ {body} }}"
            ));
            assert_eq!(store.load("s").await, Err(StoreError::not_applied(kind.clone())), "{body}");
            assert_eq!(store.list(None, 1).await, Err(StoreError::not_applied(kind.clone())), "{body}");
            let unknown = StoreError::maybe_applied(kind.clone());
            assert_eq!(commit(&store, Expect::Absent, 1).await, Err(unknown.clone()), "{body}");
            assert_eq!(store.remove("s", None).await, Err(unknown), "{body}");
            let aside = store.quarantine("s", Part::Root, b"x", "test").await;
            assert_eq!(aside, Err(StoreError::not_applied(kind.clone())), "{body}: it failed at its load");
            assert_eq!(store.close().await, Err(StoreError::not_applied(kind)), "{body}");
            assert_eq!(store.load("s").await.map_err(|error| error.code()), Err("closed"));
        }
    }
}

#[wasm_bindgen_test]
async fn a_load_of_another_shape_is_a_bad_answer_and_never_taken_for_a_record() {
    let good = "new Uint8Array(9)";
    for answer in [
        "1".to_owned(),
        "'text'".into(),
        "[]".into(),
        "({})".into(),
        "({ revision: 1 })".into(),
        format!("({{ revision: 0, parts: new Map([['root', {good}]]) }})"),
        format!("({{ revision: 1.5, parts: new Map([['root', {good}]]) }})"),
        format!("({{ revision: '1', parts: new Map([['root', {good}]]) }})"),
        format!("({{ revision: 2 ** 53, parts: new Map([['root', {good}]]) }})"),
        format!("({{ revision: 1, parts: {{ root: {good} }} }})"),
        format!("({{ revision: 1, parts: [['root', {good}], ['root', {good}]] }})"),
        format!("({{ revision: 1, parts: [[0, {good}]] }})"),
        "({ revision: 1, parts: [1] })".into(),
        "({ revision: 1, parts: 'root' })".into(),
        "({ revision: 1, parts: new Map([['root', 'text']]) })".into(),
        "({ revision: 1, parts: new Map([['root', [1, 2, 3, 4, 5, 6, 7, 8, 9]]]) })".into(),
        "({ revision: 1, parts: new Map([['root', new ArrayBuffer(9)]]) })".into(),
        "({ revision: 1, parts: new Map([['root', null]]) })".into(),
        format!("({{ revision: 1, parts: new Map([['root', {good}], ['7', 'text']]) }})"),
        "({ revision: 1, parts: new Map([['root', Object.defineProperty(new Uint8Array(9), 'byteLength', { value: 99 })]]) })"
            .into(),
        "({ revision: 1, parts: new Map([['root', new Uint8Array((64 << 20) + 1)]]) })".into(),
        "({ get revision() { throw 1 } })".into(),
        "({ revision: 1, get parts() { throw 1 } })".into(),
        "({ revision: 1, parts: { [Symbol.iterator]() { throw 1 } } })".into(),
        "({ revision: 1, parts: { [Symbol.iterator]() { return { next() { return 1 } } } } })".into(),
        "new Proxy({}, { get() { throw 1 } })".into(),
    ] {
        let store = lying(&format!("load() {{ return {answer} }}"));
        assert_eq!(store.load("s").await, Err(StoreError::not_applied(bad_answer("load"))), "{answer}");
        let answered = store.load("s").await.unwrap_err();
        assert_eq!((answered.recover, answered.code()), (Recover::Never, "bad_answer"));
    }
    let nothing = lying("load() {}");
    assert_eq!(nothing.load("s").await, Ok(None), "undefined is as good as null");
}

#[wasm_bindgen_test]
async fn any_view_of_bytes_will_do_and_parts_of_later_releases_are_passed_over() {
    let store = lying(
        "load() { return { revision: 3, parts: new Map([['7', new DataView(new Uint8Array([9, 7, 7, 9]).buffer, 1, 2)],
            ['later', 1 && new Uint8Array(1)], ['root', new Uint8Array([0, 0, 0, 0, 0, 0, 1, 2, 5])]]) } }",
    );
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.op_id), (3, OpId(0x102)));
    assert_eq!(snapshot.parts, [(Part::Root, vec![5]), (Part::Generation(7), vec![7, 7])]);
}

#[wasm_bindgen_test]
async fn a_commit_answered_with_a_lie_may_have_been_applied() {
    for answer in [
        "undefined",
        "null",
        "true",
        "({})",
        "({ revision: 1 })",
        "({ revision: 3 })",
        "({ revision: '2' })",
        "({ revision: 2n })",
        "({ conflict: 1 })",
        "({ conflict: 0 })",
        "({ conflict: 'yes' })",
        "({ get conflict() { throw 1 } })",
        "Promise.resolve({ revision: 7 })",
    ] {
        let store = lying(&format!("commit() {{ return {answer} }}"));
        let unknown = StoreError::maybe_applied(bad_answer("commit"));
        assert_eq!(commit(&store, Expect::Revision(1), 2).await, Err(unknown), "{answer}");
    }
}

#[wasm_bindgen_test]
async fn a_list_or_a_removal_answered_with_a_lie_is_a_bad_answer() {
    for answer in ["undefined", "'abc'", "[1]", "({ length: 1 })", "new Proxy([], { get() { throw 1 } })", "['a', 'a']"]
    {
        // The last one never ends: it does not go on behind what it is told.
        let store = lying(&format!("list() {{ return {answer} }}"));
        assert_eq!(store.list(None, 9).await, Err(StoreError::not_applied(bad_answer("list"))), "{answer}");
    }
    let store = lying("remove() { return { conflict: 3 } }");
    assert_eq!(store.remove("s", None).await, Err(StoreError::maybe_applied(bad_answer("remove"))));
    assert_eq!(store.remove("s", Some(3)).await, Err(StoreError::maybe_applied(bad_answer("remove"))));
    let conflict = StoreErrorKind::Conflict { actual: Some(3) };
    assert_eq!(store.remove("s", Some(2)).await, Err(StoreError::not_applied(conflict)));
}

#[wasm_bindgen_test]
async fn what_an_object_does_not_offer_is_unsupported_and_the_rest_works() {
    let store = lying("list: undefined, remove: 1, close: null");
    assert_eq!(commit(&store, Expect::Absent, 1).await, Ok(1));
    let unsupported = |call| StoreError::not_applied(StoreErrorKind::Unsupported { call });
    assert_eq!(store.list(None, 1).await, Err(unsupported("list")));
    assert_eq!(store.remove("s", None).await, Err(unsupported("remove")));
    assert_eq!(store.close().await, Ok(()));
}

#[wasm_bindgen_test]
async fn a_commit_past_its_deadline_may_have_been_applied_and_its_op_id_decides() {
    let late = "commit(...args) { const answer = host.commit(...args); return new Promise(() => {}) }";
    let store = lying(late).with_deadline(SHORT);
    let unanswered = commit(&store, Expect::Absent, 7).await;
    assert_eq!(unanswered, Err(StoreError::maybe_applied(StoreErrorKind::Timeout)));
    let snapshot = store.load("s").await.unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.op_id), (1, OpId(7)));
}

#[wasm_bindgen_test]
async fn a_commit_sent_again_after_a_lost_answer_is_applied_once_by_an_object_that_knows_no_op_ids() {
    let loses =
        "commit(...args) { const answer = host.commit(...args); if (args[3].endsWith('07')) throw 1; return answer }";
    let store = lying(loses);
    assert_eq!(commit(&store, Expect::Absent, 7).await.map_err(|error| error.applied), Err(Applied::Unknown));
    assert_eq!(commit(&store, Expect::Absent, 7).await.map_err(|error| error.applied), Err(Applied::Unknown));
    let store = lying("commit: (...args) => host.commit(...args)");
    assert_eq!(commit(&store, Expect::Absent, 7).await, Ok(1));
    assert_eq!(commit(&store, Expect::Absent, 7).await, Ok(1), "found again by its id");
    assert_eq!(commit(&store, Expect::Revision(1), 8).await, Ok(2));
    let conflict = StoreErrorKind::Conflict { actual: Some(2) };
    assert_eq!(commit(&store, Expect::Absent, 7).await, Err(StoreError::not_applied(conflict)));
}

#[wasm_bindgen_test]
async fn a_conflict_that_cannot_be_looked_at_leaves_it_unknown_whether_the_commit_was_applied() {
    let store = lying("load() { throw new TypeError() }, commit() { return { conflict: 1 } }");
    assert_eq!(commit(&store, Expect::Absent, 7).await, Err(StoreError::maybe_applied(backend("TypeError"))));
}

#[wasm_bindgen_test]
async fn a_record_without_a_whole_root_is_corrupt_until_a_first_commit_sets_it_aside() {
    for (parts, root) in [
        ("[['root', new Uint8Array([1, 2, 3])], ['4', new Uint8Array(1)]]", vec![1, 2, 3]),
        ("[['4', new Uint8Array(1)]]", vec![]),
        ("[]", vec![]),
    ] {
        let damaged = format!(
            "load(session) {{ host.sessions.size || host.sessions.set('s', {{ revision: 5, parts: new Map({parts}) }});
                return host.load(session) }}"
        );
        let store = lying(&damaged);
        assert_eq!(store.load("s").await, Err(StoreError::not_applied(StoreErrorKind::Corrupt)), "{parts}");
        assert_eq!(commit(&store, Expect::Absent, 9).await, Ok(6), "{parts}");
        let snapshot = store.load("s").await.unwrap().unwrap();
        assert_eq!((snapshot.revision, snapshot.op_id), (6, OpId(9)));
        assert_eq!(snapshot.parts, [(Part::Root, vec![9])], "a new record inherits no part of the old one");
        assert_eq!(store.quarantined("s").await, Ok(vec![(Part::Root, root, "row".into())]));
    }
}

#[wasm_bindgen_test]
async fn the_quarantine_is_bounded_unlisted_and_goes_with_the_session() {
    let store = lying("");
    assert_eq!(commit(&store, Expect::Absent, 1).await, Ok(1));
    for index in 0..9_u8 {
        store.quarantine("s", Part::Generation(index.into()), &[index; 3], "of two words").await.unwrap();
    }
    let kept = store.quarantined("s").await.unwrap();
    let expected: Vec<_> =
        (5..9_u8).map(|index| (Part::Generation(index.into()), vec![index; 3], "of two words".to_owned())).collect();
    assert_eq!((kept.len(), kept), (QUARANTINE_PER_SESSION, expected));
    assert_eq!(store.list(None, 9).await, Ok(vec!["s".to_owned()]));
    let aside = [QUARANTINE, "s"].concat();
    assert!(store.load(&aside).await.unwrap().is_some(), "it lies where the documentation says");
    store.remove("s", None).await.unwrap();
    assert_eq!(store.load(&aside).await, Ok(None));
}

#[wasm_bindgen_test]
fn a_plain_answer_takes_no_turn_of_the_event_loop() {
    let store = lying("");
    let batch = Batch::root(vec![1]);
    assert_eq!(at_once(store.open()), Ok(()));
    assert_eq!(at_once(store.load("s")), Ok(None));
    assert_eq!(at_once(store.commit("s", Expect::Absent, &batch, OpId(1))), Ok(1));
    assert_eq!(at_once(store.commit("s", Expect::Absent, &batch, OpId(1))), Ok(1));
    assert_eq!(at_once(store.list(None, 9)), Ok(vec!["s".to_owned()]));
    assert_eq!(at_once(store.quarantine("s", Part::Root, b"x", "test")), Ok(()));
    assert_eq!(at_once(store.remove("s", Some(1))), Ok(()));
    assert_eq!(at_once(store.close()), Ok(()));
}

#[wasm_bindgen_test]
async fn close_reaches_the_object_once_and_a_removal_is_told_the_revision() {
    let seen = "close() { host.closed = (host.closed ?? 0) + 1 }, list() { return [`${host.closed} ${host.told}`] },
        remove(session, expected) { host.told ??= `${session} ${expected}` }";
    let place = unique_name();
    let object = liar(&place, seen);
    let store = Injected::new(object.clone(), declared(None));
    store.remove("s", Some(4)).await.unwrap();
    store.close().await.unwrap();
    store.close().await.unwrap();
    let looking = Injected::new(object, declared(None));
    assert_eq!(looking.list(None, 1).await, Ok(vec!["1 s 4".to_owned()]));
}

fn at_once<T>(call: impl Future<Output = T>) -> T {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the call waits"),
    }
}
