//! Clauses about compare-and-swap: revisions, conflicts, operation ids.

use super::support::{SESSION, assert_conflict, assert_offered, commit, get, load, offered, put, root};
use super::{Harness, Outcome};
use crate::error::Applied;
use crate::id::OpId;
use crate::store::fault::{Fault, Faulty, Repeat};
use crate::store::{Batch, CompareAndSwap, Expect, Part, Store, StoreError, StoreErrorKind};

const NO_COMPARING: Outcome = Outcome::NotDeclared("compare_and_swap");

fn compares<S: Store>(store: &S) -> bool {
    store.capabilities().compare_and_swap != CompareAndSwap::None
}

/// Clause 2: the first commit creates at revision 1; a second first commit is a conflict.
pub async fn create_if_absent_then_exists<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    assert_eq!(put(&store, SESSION, Expect::Absent, b"first", 1).await, 1);
    assert_eq!(root(&get(&store, SESSION).await), b"first");
    if !compares(&store) {
        return NO_COMPARING;
    }
    assert_conflict(commit(&store, SESSION, Expect::Absent, Batch::root(b"again".to_vec()), 2).await, Some(1));
    assert_conflict(commit(&store, "other", Expect::Revision(1), Batch::root(vec![]), 3).await, None);
    assert_eq!(load(&store, "other").await, None);
    Outcome::Held
}

/// Clause 7: each commit at the current revision answers exactly one more.
pub async fn cas_success_bumps_by_one<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    assert_eq!(put(&store, SESSION, Expect::Absent, &[0], 1).await, 1);
    for revision in 1..10 {
        assert_eq!(put(&store, SESSION, Expect::Revision(revision), &[1], revision + 1).await, revision + 1);
        let snapshot = get(&store, SESSION).await;
        assert_eq!((snapshot.revision, snapshot.op_id), (revision + 1, OpId(revision + 1)));
    }
    Outcome::Held
}

/// Clause 8: a commit at another revision than the current one is a conflict that names the current one.
pub async fn cas_stale_conflict_reports_actual<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if !compares(&store) {
        return NO_COMPARING;
    }
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    put(&store, SESSION, Expect::Revision(1), b"2", 2).await;
    for stale in [0, 1, 3, u64::MAX] {
        assert_conflict(commit(&store, SESSION, Expect::Revision(stale), Batch::root(vec![]), 3).await, Some(2));
    }
    Outcome::Held
}

/// Clause 9: a conflict writes nothing: no part, no deletion, no revision, no operation id.
pub async fn cas_conflict_writes_nothing<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if !compares(&store) {
        return NO_COMPARING;
    }
    let first = Batch::root(b"1".to_vec()).put(Part::Generation(1), b"one".to_vec());
    assert_eq!(commit(&store, SESSION, Expect::Absent, first, 1).await, Ok(1));
    let before = get(&store, SESSION).await;
    let loser = Batch::root(b"2".to_vec()).put(Part::Generation(2), vec![2]).delete(Part::Generation(1));
    assert_conflict(commit(&store, SESSION, Expect::Absent, loser.clone(), 2).await, Some(1));
    assert_conflict(commit(&store, SESSION, Expect::Revision(7), loser, 3).await, Some(1));
    assert_eq!(get(&store, SESSION).await, before);
    Outcome::Held
}

/// Clause 13: who took over fences off who was there before: the late commit of a zombie, made for the revision at which
/// it recorded its intent, is a conflict.
pub async fn attempt_fence_rejects_zombie<H: Harness>(harness: &H) -> Outcome {
    let zombie = harness.fresh().await;
    if !compares(&zombie) {
        return NO_COMPARING;
    }
    let intent = put(&zombie, SESSION, Expect::Absent, b"intent of the zombie", 1).await;
    let heir = harness.another_context(&zombie).await;
    let taken_over = put(&heir, SESSION, Expect::Revision(intent), b"taken over", 2).await;
    let late = Batch::root(b"late".to_vec()).put(Part::Generation(1), b"late summary".to_vec());
    let answer = commit(&zombie, SESSION, Expect::Revision(intent), late, 3).await;
    assert_conflict(answer, Some(taken_over));
    let snapshot = get(&zombie, SESSION).await;
    assert_eq!((snapshot.op_id, snapshot.parts), (OpId(2), vec![(Part::Root, b"taken over".to_vec())]));
    Outcome::Held
}

/// Clause 20: after a commit of which nobody knows, one load decides by the operation id, whichever way it went.
pub async fn indeterminate_resolved_by_op_id<H: Harness>(harness: &H) -> Outcome {
    let lossy = Faulty::new(harness.fresh().await, Fault::LoseAck, 1, Repeat::Once);
    let answer = commit(&lossy, SESSION, Expect::Absent, Batch::root(b"kept".to_vec()), 1).await;
    assert_eq!(answer.map_err(|error| error.applied), Err(Applied::Unknown));
    let snapshot = get(&lossy, SESSION).await;
    assert_eq!((snapshot.revision, snapshot.op_id), (1, OpId(1)), "the commit happened, and its id says so");

    let unknown = StoreError::maybe_applied(StoreErrorKind::Timeout);
    let lost =
        Faulty::new(harness.another_context(lossy.inner()).await, Fault::FailAt(unknown.clone()), 1, Repeat::Once);
    let batch = Batch::root(b"lost".to_vec());
    assert_eq!(commit(&lost, SESSION, Expect::Revision(1), batch.clone(), 2).await, Err(unknown));
    assert_eq!(get(&lost, SESSION).await.op_id, OpId(1), "the commit did not happen, and the id says so");
    assert_eq!(commit(&lost, SESSION, Expect::Revision(1), batch, 2).await, Ok(2));
    Outcome::Held
}

/// Clause 21: the last operation sent again changes nothing and answers as before; an earlier one is a conflict.
pub async fn same_op_id_replayed_is_idempotent<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let first = Batch::root(b"1".to_vec());
    let second = Batch::root(b"2".to_vec()).put(Part::Generation(1), b"one".to_vec());
    for _ in 0..2 {
        assert_eq!(commit(&store, SESSION, Expect::Absent, first.clone(), 1).await, Ok(1));
    }
    for _ in 0..3 {
        assert_eq!(commit(&store, SESSION, Expect::Revision(1), second.clone(), 2).await, Ok(2));
    }
    let other = harness.another_context(&store).await;
    assert_eq!(commit(&other, SESSION, Expect::Revision(1), second, 2).await, Ok(2));
    let snapshot = get(&store, SESSION).await;
    assert_eq!((snapshot.revision, snapshot.op_id, snapshot.parts.len()), (2, OpId(2), 2));
    if !compares(&store) {
        return NO_COMPARING;
    }
    assert_conflict(commit(&store, SESSION, Expect::Absent, first, 1).await, Some(2));
    Outcome::Held
}

/// Clause 25: removing at another revision is a conflict and removes nothing.
pub async fn remove_with_stale_expect_conflicts<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if !compares(&store) {
        return NO_COMPARING;
    }
    let Some(removed) = offered(store.remove(SESSION, Some(1)).await) else {
        return Outcome::NotDeclared("remove");
    };
    assert_conflict(removed, None);
    assert_eq!(store.remove(SESSION, None).await, Ok(()), "removing what is not there succeeds");
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    put(&store, SESSION, Expect::Revision(1), b"2", 2).await;
    let before = get(&store, SESSION).await;
    assert_conflict(store.remove(SESSION, Some(1)).await, Some(2));
    assert_eq!(get(&store, SESSION).await, before);
    assert_eq!(store.remove(SESSION, Some(2)).await, Ok(()));
    assert_eq!(load(&store, SESSION).await, None);
    assert_offered(store.list(None, 9).await, Ok(vec![]));
    assert_eq!(put(&store, SESSION, Expect::Absent, b"anew", 3).await, 1);
    Outcome::Held
}
