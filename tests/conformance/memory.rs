//! The memory store under the storage contract, clause by clause, and under real threads.

use std::future::ready;
use std::sync::Barrier;

use compaction_governor::error::Applied;
use compaction_governor::id::OpId;
use compaction_governor::store::conformance::{self, Harness, Outcome, Quarantined};
use compaction_governor::store::fault::{Fault, Faulty, Repeat};
use compaction_governor::store::{
    Batch, Expect, MemoryStore, Part, QUARANTINE_PER_SESSION, Store, StoreError, StoreErrorKind, SyncStore, within,
};

use crate::promises;

struct Memory {
    max_value_bytes: Option<u64>,
}

impl Harness for Memory {
    type Store = MemoryStore;

    async fn fresh(&self) -> MemoryStore {
        self.max_value_bytes.map_or_else(MemoryStore::new, MemoryStore::with_max_value_bytes)
    }

    async fn another_context(&self, store: &MemoryStore) -> MemoryStore {
        store.another_context()
    }

    async fn reloaded(&self, store: MemoryStore) -> MemoryStore {
        drop(store);
        self.fresh().await
    }

    async fn hanging(&self) -> Option<MemoryStore> {
        None
    }

    async fn quarantined(&self, store: &MemoryStore, session: &str) -> Option<Vec<Quarantined>> {
        Some(store.quarantined(session).into_iter().map(|(part, bytes, _)| (part, bytes)).collect())
    }
}

mod limited {
    use super::*;

    const NOT_DECLARED: [&str; 4] = [
        "reopen_sees_last_ack",
        "deadline_always_settles",
        "corrupt_record_reported_not_missing",
        "quarantine_keeps_raw_and_unblocks_session",
    ];

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[test]
            fn $clause() {
                let outcome = pollster::block_on(conformance::$clause(&Memory { max_value_bytes: Some(4_352) }));
                let held = outcome == Outcome::Held;
                let as_declared = held != NOT_DECLARED.contains(&stringify!($clause));
                promises::seen("memory", "native", "contract", as_declared.into(), 1);
                assert!(as_declared, "{outcome:?}");
            }
        )* };
    }
    compaction_governor::for_each_clause!(clauses);
}

mod unlimited {
    use super::*;

    const NOT_DECLARED: [&str; 7] = [
        "reopen_sees_last_ack",
        "deadline_always_settles",
        "corrupt_record_reported_not_missing",
        "quarantine_keeps_raw_and_unblocks_session",
        "roundtrip_at_limit",
        "over_limit_is_value_too_large_and_nothing_changes",
        "batch_all_or_nothing_on_last_item_failure",
    ];

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[test]
            fn $clause() {
                let outcome = pollster::block_on(conformance::$clause(&Memory { max_value_bytes: None }));
                let held = outcome == Outcome::Held;
                let as_declared = held != NOT_DECLARED.contains(&stringify!($clause));
                promises::seen("memory", "native", "contract", as_declared.into(), 1);
                assert!(as_declared, "{outcome:?}");
            }
        )* };
    }
    compaction_governor::for_each_clause!(clauses);
}

mod sessions {
    use compaction_governor::session::conformance;

    use super::*;

    const NOT_DECLARED: [&str; 1] = ["damaged_row_opens_paused_and_is_written_again"];

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[test]
            fn $clause() {
                let outcome = pollster::block_on(conformance::$clause(&Memory { max_value_bytes: None }));
                let held = outcome == Outcome::Held;
                assert_eq!(held, !NOT_DECLARED.contains(&stringify!($clause)), "{outcome:?}");
            }
        )* };
    }
    compaction_governor::for_each_session_clause!(clauses);
}

#[test]
fn increments_from_four_threads_are_never_lost() {
    let store = MemoryStore::new();
    SyncStore::commit(&store, "s", Expect::Absent, &Batch::root(vec![0, 0]), OpId(u64::MAX)).unwrap();
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (context, barrier) = (store.another_context(), &barrier);
            scope.spawn(move || {
                barrier.wait();
                (0..500).for_each(|nth| increment(&context, OpId(thread << 32 | nth)));
            });
        }
    });
    let snapshot = SyncStore::load(&store, "s").unwrap().unwrap();
    assert_eq!(snapshot.part(Part::Root), Some(2_000_u16.to_le_bytes().as_slice()));
    assert_eq!(snapshot.revision, 2_001);
}

fn increment(store: &MemoryStore, op: OpId) {
    loop {
        let snapshot = SyncStore::load(store, "s").unwrap().unwrap();
        let count = u16::from_le_bytes(snapshot.part(Part::Root).unwrap().try_into().unwrap()) + 1;
        let batch = Batch::root(count.to_le_bytes().to_vec());
        match SyncStore::commit(store, "s", Expect::Revision(snapshot.revision), &batch, op) {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code(), "conflict"),
        }
    }
}

#[test]
fn quarantine_keeps_the_latest_records_and_remove_takes_them_along() {
    let store = MemoryStore::new();
    for index in 0..9 {
        SyncStore::quarantine(&store, "s", Part::Generation(index), &[1], "checksum").unwrap();
    }
    let kept: Vec<_> = store.quarantined("s").into_iter().map(|(part, ..)| part).collect();
    assert_eq!(kept, [5, 6, 7, 8].map(Part::Generation));
    assert_eq!(kept.len(), QUARANTINE_PER_SESSION);
    SyncStore::remove(&store, "s", None).unwrap();
    assert!(store.quarantined("s").is_empty());
}

#[test]
fn a_hanging_store_is_given_up_by_the_deadline() {
    let store = Faulty::new(MemoryStore::new(), Fault::Hang, 2, Repeat::Forever);
    assert_eq!(pollster::block_on(within(store.load("s"), ready(()), Applied::No)), Ok(None));
    let batch = Batch::root(vec![1]);
    let commit = store.commit("s", Expect::Absent, &batch, OpId(1));
    let given_up = pollster::block_on(within(commit, ready(()), Applied::Unknown));
    assert_eq!(given_up, Err(StoreError::maybe_applied(StoreErrorKind::Timeout)));
    assert_eq!(SyncStore::load(store.inner(), "s"), Ok(None));
}

#[test]
fn a_fault_strikes_once_or_from_its_call_on_and_says_whether_it_struck() {
    let error = StoreError::not_applied(StoreErrorKind::QuotaExceeded);
    let answers = |n, repeat| {
        let store = Faulty::new(MemoryStore::new(), Fault::FailAt(error.clone()), n, repeat);
        let answers = [(); 4].map(|()| pollster::block_on(store.load("s")).is_ok());
        (answers, store.struck(), store.calls())
    };
    assert_eq!(answers(2, Repeat::Once), ([true, false, true, true], true, 4));
    assert_eq!(answers(2, Repeat::Forever), ([true, false, false, false], true, 4));
    assert_eq!(answers(5, Repeat::Forever), ([true; 4], false, 4));
}
