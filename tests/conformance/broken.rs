//! A broken store for each clause that an object of a host cannot break (pkg/test/conformance.test.ts has the others): the
//! clause reports it, or it asks for nothing.

use std::{
    cell::Cell,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    task::Poll,
};

use compaction_governor::{
    id::OpId,
    store::{
        Batch, Capabilities, Expect, MemoryStore, Part, Revision, Snapshot, Store, StoreError, StoreErrorKind,
        Survives, SyncStore,
        conformance::{self, Harness, Outcome, Quarantined},
    },
};

/// What is wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    TakesLongValues,
    KeepsWhatCameBeforeARefusal,
    TakesABatchWithoutARoot,
    TakesAnyRevision,
    ForgetsWhichOperationItWas,
    RefusesAnOperationThatCameBefore,
    RemovesWhatItSetsAside,
    WritesInTwoSteps,
    TakesADamagedRecordForNone,
    KeepsNothingAside,
    AnswersForAnEngineThatHangs,
    SaysThatItSurvives,
}

/// The memory store, with a fault in it.
struct Broken {
    memory: MemoryStore,
    fault: Fault,
    damaged: Rc<Cell<bool>>,
}

const LIMIT: u64 = 4_352;

impl Broken {
    fn over(memory: MemoryStore, fault: Fault) -> Self {
        Self { memory, fault, damaged: Rc::default() }
    }

    fn revision(&self, session: &str) -> Option<Revision> {
        SyncStore::load(&self.memory, session).ok().flatten().map(|snapshot| snapshot.revision)
    }
}

impl Store for Broken {
    fn capabilities(&self) -> Capabilities {
        let kept = SyncStore::capabilities(&self.memory);
        match self.fault {
            Fault::TakesLongValues => Capabilities { max_value_bytes: Some(LIMIT), ..kept },
            Fault::SaysThatItSurvives => Capabilities { survives: Survives::ProcessKill, ..kept },
            _ => kept,
        }
    }

    async fn open(&self) -> Result<(), StoreError> {
        SyncStore::open(&self.memory)
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        if self.damaged.get() {
            return match self.fault {
                Fault::TakesADamagedRecordForNone => Ok(None),
                _ => Err(StoreError::not_applied(StoreErrorKind::Corrupt)),
            };
        }
        let mut found = SyncStore::load(&self.memory, session)?;
        if let (Fault::ForgetsWhichOperationItWas, Some(snapshot)) = (self.fault, &mut found) {
            snapshot.op_id = OpId(0);
        }
        Ok(found)
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let actual = self.revision(session);
        let (mut expect, mut batch) = (expect, batch.clone());
        match self.fault {
            Fault::TakesABatchWithoutARoot if !batch.puts.iter().any(|(part, _)| *part == Part::Root) => {
                batch = batch.put(Part::Root, Vec::new());
            }
            Fault::TakesAnyRevision => expect = actual.map_or(Expect::Absent, Expect::Revision),
            Fault::RefusesAnOperationThatCameBefore => expect.check(actual)?,
            Fault::KeepsWhatCameBeforeARefusal => {
                let (fits, over) = batch.puts.iter().cloned().partition(|(_, bytes)| bytes.len() as u64 <= LIMIT);
                let over: Vec<(Part, Vec<u8>)> = over;
                if !over.is_empty() {
                    let half = Batch { puts: fits, deletes: Vec::new() };
                    let _ = SyncStore::commit(&self.memory, session, expect, &half, OpId(op.0 ^ 1));
                }
            }
            Fault::WritesInTwoSteps => {
                let root = batch.puts.iter().filter(|(part, _)| *part == Part::Root).cloned().collect();
                SyncStore::commit(
                    &self.memory,
                    session,
                    expect,
                    &Batch { puts: root, deletes: Vec::new() },
                    OpId(!op.0),
                )?;
                once().await;
                expect = Expect::Revision(self.revision(session).unwrap_or(0));
            }
            _ => {}
        }
        if self.damaged.take() {
            SyncStore::remove(&self.memory, session, None)?;
        }
        SyncStore::commit(&self.memory, session, expect, &batch, op)
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        SyncStore::list(&self.memory, after, limit)
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        SyncStore::remove(&self.memory, session, expect)
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        match self.fault {
            Fault::RemovesWhatItSetsAside => SyncStore::remove(&self.memory, session, None),
            _ => SyncStore::quarantine(&self.memory, session, part, bytes, reason),
        }
    }

    async fn close(&self) -> Result<(), StoreError> {
        SyncStore::close(&self.memory)
    }
}

/// Waits for one turn.
async fn once() {
    let mut waited = false;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

impl Harness for Fault {
    type Store = Broken;

    async fn fresh(&self) -> Broken {
        match self {
            Self::TakesLongValues => Broken::over(MemoryStore::new(), *self),
            _ => Broken::over(MemoryStore::with_max_value_bytes(LIMIT), *self),
        }
    }

    async fn another_context(&self, store: &Broken) -> Broken {
        Broken {
            memory: store.memory.another_context(),
            damaged: Rc::clone(&store.damaged),
            ..Broken::over(MemoryStore::new(), *self)
        }
    }

    async fn reloaded(&self, _: Broken) -> Broken {
        self.fresh().await
    }

    async fn hanging(&self) -> Option<Broken> {
        match self {
            Self::AnswersForAnEngineThatHangs => Some(self.fresh().await),
            _ => None,
        }
    }

    async fn damage(&self, store: &Broken, _: &str) -> bool {
        store.damaged.set(true);
        true
    }

    async fn quarantined(&self, store: &Broken, session: &str) -> Option<Vec<Quarantined>> {
        Some(store.memory.quarantined(session).into_iter().map(|(part, bytes, _)| (part, bytes)).collect())
    }
}

/// The clause is broken by this fault, in a sentence; without a fault it is not, but for what the memory does not declare.
macro_rules! breaks {
    ($($clause:ident: $fault:ident)*) => { $(
        #[test]
        fn $clause() {
            let run = |fault: Fault| catch_unwind(AssertUnwindSafe(|| pollster::block_on(conformance::$clause(&fault))));
            let broken = run(Fault::$fault).expect_err("a broken store keeps the clause");
            let said = broken.downcast_ref::<String>().map(String::as_str).or(broken.downcast_ref::<&str>().copied());
            assert!(said.is_some_and(|sentence| sentence.len() > 10), "{said:?}");
            if !BY_ITS_OWN_FAULT_ALONE.contains(&stringify!($clause)) {
                assert_eq!(run(Fault::None).expect("a store in order keeps it"), Outcome::Held);
            }
        }
    )* };
}

/// Of these the memory store declares nothing, or needs hands in it that this harness has not.
const BY_ITS_OWN_FAULT_ALONE: [&str; 3] =
    ["deadline_always_settles", "corrupt_record_reported_not_missing", "quarantine_keeps_raw_and_unblocks_session"];

breaks! {
    over_limit_is_value_too_large_and_nothing_changes: TakesLongValues
    batch_all_or_nothing_on_last_item_failure: KeepsWhatCameBeforeARefusal
    batch_without_root_is_refused: TakesABatchWithoutARoot
    attempt_fence_rejects_zombie: TakesAnyRevision
    indeterminate_resolved_by_op_id: ForgetsWhichOperationItWas
    same_op_id_replayed_is_idempotent: RefusesAnOperationThatCameBefore
    quarantine_leaves_the_record_alone: RemovesWhatItSetsAside
    drop_future_before_ack_is_atomic: WritesInTwoSteps
    corrupt_record_reported_not_missing: TakesADamagedRecordForNone
    quarantine_keeps_raw_and_unblocks_session: KeepsNothingAside
    deadline_always_settles: AnswersForAnEngineThatHangs
    caps_are_true: SaysThatItSurvives
}
