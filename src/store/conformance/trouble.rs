//! Clauses about what goes wrong: calls that are given up, and rows that somebody damaged.

use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;

use super::support::{SESSION, commit, get, let_others_run, put, root};
use super::{Harness, Outcome};
use crate::id::OpId;
use crate::store::{Batch, Expect, Part, QUARANTINE_PER_SESSION, Snapshot, Store, StoreError, StoreErrorKind};

const NO_DAMAGE: Outcome = Outcome::NotDeclared("a way to damage it");

/// Clause 18: a commit whose future is dropped before it is acknowledged leaves the old state or the new one, whole, and
/// nobody who commits afterwards is misled about which.
pub async fn drop_future_before_ack_is_atomic<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    assert_eq!(commit(&store, SESSION, Expect::Absent, stamped(1), 1).await, Ok(1));
    for polls in 0..5 {
        let before = get(&store, SESSION).await;
        let (next, batch) = (before.revision + 1, stamped(before.revision + 1));
        {
            let mut dropped = pin!(store.commit(SESSION, Expect::Revision(before.revision), &batch, OpId(next)));
            for _ in 0..polls {
                if poll_once(dropped.as_mut()).await.is_ready() {
                    break;
                }
                let_others_run().await;
            }
        }
        assert_whole(&get(&store, SESSION).await);
        // It may be under way in the engine still: whoever commits meets the old state or the new one.
        let mut revision = get(&store, SESSION).await.revision;
        let op = 1_000 + polls;
        while let Err(error) = commit(&store, SESSION, Expect::Revision(revision), stamped(revision + 1), op).await {
            assert!(matches!(error.kind, StoreErrorKind::Conflict { .. }) && revision < next, "{error:?}");
            revision = get(&store, SESSION).await.revision;
        }
        let after = get(&store, SESSION).await;
        assert_whole(&after);
        assert_eq!((after.revision, after.op_id), (revision + 1, OpId(op)));
    }
    Outcome::Held
}

/// Clause 27: what is there and cannot be read is said to be corrupt, in every context, and never missing; other sessions
/// go on.
pub async fn corrupt_record_reported_not_missing<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    put(&store, "other", Expect::Absent, b"2", 1).await;
    if !harness.damage(&store, SESSION).await {
        return NO_DAMAGE;
    }
    let corrupt = Err(StoreError::not_applied(StoreErrorKind::Corrupt));
    for _ in 0..2 {
        assert_eq!(store.load(SESSION).await, corrupt);
    }
    assert_eq!(harness.another_context(&store).await.load(SESSION).await, corrupt);
    assert_eq!(root(&get(&store, "other").await), b"2");
    assert_eq!(put(&store, "other", Expect::Revision(1), b"3", 2).await, 2);
    Outcome::Held
}

/// Clause 28: a first commit on a corrupt record is accepted and inherits nothing of it; what could not be read, and what
/// a session could not read, is in the quarantine bit for bit, and only the latest of it.
pub async fn quarantine_keeps_raw_and_unblocks_session<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let old = Batch::root(b"old".to_vec()).put(Part::Generation(3), b"three".to_vec());
    assert_eq!(commit(&store, SESSION, Expect::Absent, old, 1).await, Ok(1));
    if !harness.damage(&store, SESSION).await {
        return NO_DAMAGE;
    }
    let revision = put(&store, SESSION, Expect::Absent, b"new", 2).await;
    let snapshot = get(&store, SESSION).await;
    assert_eq!((snapshot.revision, snapshot.op_id), (revision, OpId(2)));
    assert_eq!(snapshot.parts, vec![(Part::Root, b"new".to_vec())]);
    let Some(damaged) = harness.quarantined(&store, SESSION).await else {
        return Outcome::NotDeclared("a look into the quarantine");
    };
    assert!(damaged.iter().any(|(part, _)| *part == Part::Root), "the damaged record is set aside");
    let raw = |index: u8| (Part::Generation(u32::from(index)), vec![0xFF, index, 0]);
    for index in 0..6 {
        let (part, bytes) = raw(index);
        assert_eq!(store.quarantine(SESSION, part, &bytes, "decode").await, Ok(()));
    }
    // What the backend set aside by itself may lie beside what it was handed, and outlive it.
    let mut kept = harness.quarantined(&store, SESSION).await.unwrap_or_default();
    kept.retain(|entry| !damaged.contains(entry));
    assert_eq!(kept, (2..6).map(raw).collect::<Vec<_>>());
    assert_eq!(kept.len(), QUARANTINE_PER_SESSION);
    assert_eq!(get(&store, SESSION).await, snapshot);
    Outcome::Held
}

/// A batch whose every byte says of which revision it is.
fn stamped(revision: u64) -> Batch {
    Batch::root(vec![revision as u8; 900]).put(Part::Generation(1), vec![revision as u8; 900])
}

fn assert_whole(snapshot: &Snapshot) {
    assert_eq!(snapshot.parts.len(), 2);
    for (part, bytes) in &snapshot.parts {
        assert!(bytes.iter().all(|byte| u64::from(*byte) == snapshot.revision), "{part} is of another revision");
    }
}

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}
