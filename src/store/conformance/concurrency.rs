//! Clauses about several contexts at once.

use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;

use super::support::{SESSION, commit, get, join_all, let_others_run, put, root};
use super::{Harness, Outcome};
use crate::store::{Batch, CompareAndSwap, Expect, Part, Revision, Store, StoreError, StoreErrorKind};

/// Writers of clause 12, each with a context of its own where the store compares between contexts.
const WRITERS: u64 = 4;
/// Increments per writer. Enough for dozens of conflicts, few enough for a second in a browser.
const INCREMENTS: u64 = 15;

type Running<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Clause 3: of several first commits at once, one wins; the others learn its revision.
pub async fn create_race_one_winner<H: Harness>(harness: &H) -> Outcome {
    let contexts = match contexts(harness).await {
        Ok(contexts) => contexts,
        Err(outcome) => return outcome,
    };
    let racing = contexts.iter().zip(1..).map(|(context, op)| {
        Box::pin(commit(context, SESSION, Expect::Absent, Batch::root(vec![op as u8]), op)) as Running<'_, _>
    });
    let answers: Vec<Result<Revision, StoreError>> = join_all(racing.collect()).await;
    let lost = StoreErrorKind::Conflict { actual: Some(1) };
    assert_eq!(answers.iter().filter(|answer| **answer == Ok(1)).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().flat_map(|answer| answer.as_ref().err()).filter(|e| e.kind == lost).count(), 3);
    let snapshot = get(&contexts[0], SESSION).await;
    let winner = answers.iter().position(Result::is_ok).map(|index| index as u8 + 1);
    assert_eq!(root(&snapshot).first().copied(), winner);
    Outcome::Held
}

/// Clause 12: of increments by several writers at once, none is lost.
pub async fn n_writers_x_m_increments_no_lost_update<H: Harness>(harness: &H) -> Outcome {
    let contexts = match contexts(harness).await {
        Ok(contexts) => contexts,
        Err(outcome) => return outcome,
    };
    put(&contexts[0], SESSION, Expect::Absent, &0_u64.to_le_bytes(), u64::MAX).await;
    let conflicts = Cell::new(0);
    let writing =
        contexts.iter().zip(0..).map(|(context, nth)| Box::pin(increment(context, nth, &conflicts)) as Running<'_, _>);
    join_all(writing.collect()).await;
    let snapshot = get(&contexts[0], SESSION).await;
    assert_eq!(counter(root(&snapshot)), WRITERS * INCREMENTS);
    assert_eq!(snapshot.revision, WRITERS * INCREMENTS + 1);
    assert!(conflicts.get() > 0, "the writers never met, so this proved nothing");
    Outcome::Held
}

/// Clause 14: a context reads what it committed.
pub async fn read_your_commit_same_context<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    put(&store, SESSION, Expect::Absent, &[0], 1).await;
    for revision in 1..20 {
        put(&store, SESSION, Expect::Revision(revision), &[revision as u8], revision + 1).await;
        assert_eq!(root(&get(&store, SESSION).await), [revision as u8]);
    }
    Outcome::Held
}

/// Clause 15: what was acknowledged in one context is read in every other.
pub async fn read_commit_other_context_after_ack<H: Harness>(harness: &H) -> Outcome {
    let writer = harness.fresh().await;
    if writer.capabilities().compare_and_swap != CompareAndSwap::Linearizable {
        return Outcome::NotDeclared("compare_and_swap: linearizable");
    }
    let reader = harness.another_context(&writer).await;
    put(&writer, SESSION, Expect::Absent, &[0], 1).await;
    for revision in 1..20 {
        put(&writer, SESSION, Expect::Revision(revision), &[revision as u8], revision + 1).await;
        let seen = get(&reader, SESSION).await;
        assert_eq!((seen.revision, root(&seen)), (revision + 1, [revision as u8].as_slice()));
    }
    Outcome::Held
}

/// Clause 16: a load beside commits sees all parts of one commit, never parts of two.
pub async fn snapshot_is_not_torn_during_concurrent_commit<H: Harness>(harness: &H) -> Outcome {
    let writer = harness.fresh().await;
    if !writer.capabilities().atomic_batch {
        return Outcome::NotDeclared("atomic_batch");
    }
    let reader = harness.another_context(&writer).await;
    let stamped = |stamp: u8| Batch::root(vec![stamp; 900]).put(Part::Generation(1), vec![stamp; 4_000]);
    assert_eq!(commit(&writer, SESSION, Expect::Absent, stamped(1), 1).await, Ok(1));
    let writing = async {
        for revision in 1..40 {
            let answer =
                commit(&writer, SESSION, Expect::Revision(revision), stamped(revision as u8 + 1), revision + 1);
            assert_eq!(answer.await, Ok(revision + 1));
            let_others_run().await;
        }
    };
    let reading = async {
        for _ in 0..40 {
            let snapshot = get(&reader, SESSION).await;
            let stamp = snapshot.revision as u8;
            for (part, bytes) in &snapshot.parts {
                assert!(bytes.iter().all(|byte| *byte == stamp), "{part} is not of revision {stamp}");
            }
            assert_eq!((snapshot.parts.len(), snapshot.op_id.0), (2, snapshot.revision));
            let_others_run().await;
        }
    };
    join_all(vec![Box::pin(writing) as Running<'_, ()>, Box::pin(reading)]).await;
    Outcome::Held
}

/// One context per writer over the same data; handles of a single context are what a store gets that compares in one only.
async fn contexts<H: Harness>(harness: &H) -> Result<Vec<H::Store>, Outcome> {
    let first = harness.fresh().await;
    if first.capabilities().compare_and_swap == CompareAndSwap::None {
        return Err(Outcome::NotDeclared("compare_and_swap"));
    }
    assert_eq!(first.open().await, Ok(()));
    let mut contexts = vec![first];
    for _ in 1..WRITERS {
        let context = harness.another_context(&contexts[0]).await;
        assert_eq!(context.open().await, Ok(()));
        contexts.push(context);
    }
    Ok(contexts)
}

async fn increment<S: Store>(store: &S, writer: u64, conflicts: &Cell<u64>) {
    for nth in 0..INCREMENTS {
        loop {
            let snapshot = get(store, SESSION).await;
            let_others_run().await;
            let next = Batch::root((counter(root(&snapshot)) + 1).to_le_bytes().to_vec());
            match commit(store, SESSION, Expect::Revision(snapshot.revision), next, writer << 32 | nth).await {
                Ok(_) => break,
                Err(error) if matches!(error.kind, StoreErrorKind::Conflict { .. }) => {
                    conflicts.set(conflicts.get() + 1)
                }
                Err(error) => panic!("an increment failed: {error}"),
            }
        }
    }
}

fn counter(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes come back as eight bytes"))
}
