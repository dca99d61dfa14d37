//! Clauses about the end of things: reloads, deadlines, closed stores, and whether the claims are true.

use super::support::{SESSION, assert_conflict, assert_offered, commit, get, load, put, root};
use super::{Harness, Outcome, over_limit_is_value_too_large_and_nothing_changes, roundtrip_at_limit};
use crate::id::OpId;
use crate::store::{Batch, CompareAndSwap, Expect, Part, Store, StoreError, StoreErrorKind, Survives};

/// Clause 17: after a reload the last acknowledged commit is there, with its operation id.
pub async fn reopen_sees_last_ack<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if store.capabilities().survives == Survives::Memory {
        return Outcome::NotDeclared("survives: reload");
    }
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    let batch = Batch::root(b"2".to_vec()).put(Part::Generation(4), b"four".to_vec());
    assert_eq!(commit(&store, SESSION, Expect::Revision(1), batch, 2).await, Ok(2));
    let before = get(&store, SESSION).await;
    let store = harness.reloaded(store).await;
    assert_eq!(get(&store, SESSION).await, before);
    assert_eq!(put(&store, SESSION, Expect::Revision(2), b"3", 3).await, 3);
    Outcome::Held
}

/// Clause 19: with an engine that never answers again, every call ends by its deadline, and those that may have written
/// something say so.
pub async fn deadline_always_settles<H: Harness>(harness: &H) -> Outcome {
    let Some(store) = harness.hanging().await else {
        return Outcome::NotDeclared("calls that wait");
    };
    let reading = Err(StoreError::not_applied(StoreErrorKind::Timeout));
    assert_eq!(store.load(SESSION).await.map(drop), reading);
    assert_offered(store.list(None, 1).await.map(drop), reading);
    let batch = Batch::root(vec![1]);
    let writing = Err(StoreError::maybe_applied(StoreErrorKind::Timeout));
    assert_eq!(store.commit(SESSION, Expect::Absent, &batch, OpId(1)).await.map(drop), writing);
    assert_eq!(store.commit(SESSION, Expect::Revision(1), &batch, OpId(2)).await.map(drop), writing);
    assert_offered(store.remove(SESSION, None).await, writing.clone());
    assert_eq!(store.quarantine(SESSION, Part::Root, &[], "test").await, writing);
    assert_eq!(store.close().await, Ok(()));
    Outcome::Held
}

/// Clause 36: a closed store answers so to every call, and leaves the data to others.
pub async fn closed_store_returns_closed<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    let other = harness.another_context(&store).await;
    assert_eq!(store.close().await, Ok(()));
    assert_eq!(store.close().await, Ok(()));
    let closed = StoreError::not_applied(StoreErrorKind::Closed);
    assert_eq!(store.open().await, Err(closed.clone()));
    assert_eq!(store.load(SESSION).await, Err(closed.clone()));
    assert_eq!(commit(&store, SESSION, Expect::Revision(1), Batch::root(vec![]), 2).await, Err(closed.clone()));
    assert_eq!(commit(&store, SESSION, Expect::Revision(1), Batch::default(), 2).await, Err(closed.clone()));
    assert_eq!(store.list(None, 1).await, Err(closed.clone()));
    assert_eq!(store.remove(SESSION, None).await, Err(closed.clone()));
    assert_eq!(store.quarantine(SESSION, Part::Root, &[], "test").await, Err(closed));
    assert_eq!(root(&get(&other, SESSION).await), b"1");
    Outcome::Held
}

/// Clause 37: every claim is true, and what is not claimed is not pretended: a store that survives nothing comes back
/// empty, a value above the limit is refused, a stale commit is a conflict where revisions are compared.
pub async fn caps_are_true<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let capabilities = store.capabilities();
    put(&store, SESSION, Expect::Absent, b"1", 1).await;
    let stale = Batch::root(b"stale".to_vec());
    match capabilities.compare_and_swap {
        CompareAndSwap::Linearizable => {
            let other = harness.another_context(&store).await;
            assert_eq!(other.capabilities(), capabilities, "contexts of one store claim the same");
            put(&other, SESSION, Expect::Revision(1), b"2", 2).await;
            assert_conflict(commit(&store, SESSION, Expect::Revision(1), stale, 3).await, Some(2));
        }
        CompareAndSwap::SingleContext => {
            put(&store, SESSION, Expect::Revision(1), b"2", 2).await;
            assert_conflict(commit(&store, SESSION, Expect::Revision(1), stale, 3).await, Some(2));
        }
        CompareAndSwap::None => {
            assert_eq!(put(&store, SESSION, Expect::Revision(1), b"2", 2).await, 2);
        }
    }
    let before = load(&store, SESSION).await;
    let reloaded = harness.reloaded(store).await;
    let expected = if capabilities.survives == Survives::Memory { None } else { before };
    assert_eq!(load(&reloaded, SESSION).await, expected);
    let limited =
        if capabilities.max_value_bytes.is_some() { Outcome::Held } else { Outcome::NotDeclared("max_value_bytes") };
    assert_eq!(roundtrip_at_limit(harness).await, limited);
    assert_eq!(over_limit_is_value_too_large_and_nothing_changes(harness).await, limited);
    Outcome::Held
}
