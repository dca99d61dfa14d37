//! What the clauses share: shorthands for calls that must succeed, and several futures at once.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::Poll;

use crate::id::OpId;
use crate::store::{Batch, Expect, Part, Revision, Snapshot, Store, StoreError, StoreErrorKind};

/// The session of every clause that needs only one.
pub(super) const SESSION: &str = "session";

/// Commits a root record and expects success.
pub(super) async fn put<S: Store>(store: &S, session: &str, expect: Expect, root: &[u8], op: u64) -> Revision {
    commit(store, session, expect, Batch::root(root.to_vec()), op).await.expect("a commit that is in order succeeds")
}

/// Commits a batch.
pub(super) async fn commit<S: Store>(
    store: &S,
    session: &str,
    expect: Expect,
    batch: Batch,
    op: u64,
) -> Result<Revision, StoreError> {
    store.commit(session, expect, &batch, OpId(op)).await
}

/// Loads a session that must be there.
pub(super) async fn get<S: Store>(store: &S, session: &str) -> Snapshot {
    load(store, session).await.expect("the session is there")
}

/// Loads a session that may be missing.
pub(super) async fn load<S: Store>(store: &S, session: &str) -> Option<Snapshot> {
    store.load(session).await.expect("a load succeeds")
}

/// The bytes of the root record.
pub(super) fn root(snapshot: &Snapshot) -> &[u8] {
    snapshot.part(Part::Root).expect("every snapshot has a root record")
}

/// The answer to an optional call; `None` where the store says that it does not offer it.
pub(super) fn offered<T>(answer: Result<T, StoreError>) -> Option<Result<T, StoreError>> {
    let unsupported = matches!(&answer, Err(error) if matches!(error.kind, StoreErrorKind::Unsupported { .. }));
    (!unsupported).then_some(answer)
}

/// Asserts the answer to an optional call, where there is one.
pub(super) fn assert_offered<T: core::fmt::Debug + PartialEq>(
    answer: Result<T, StoreError>,
    expected: Result<T, StoreError>,
) {
    if let Some(answer) = offered(answer) {
        assert_eq!(answer, expected);
    }
}

/// Asserts a conflict with `actual` that changed nothing.
pub(super) fn assert_conflict<T: core::fmt::Debug>(answer: Result<T, StoreError>, actual: Option<Revision>) {
    assert_eq!(answer.err(), Some(StoreError::not_applied(StoreErrorKind::Conflict { actual })));
}

/// Runs all futures at once, in one task.
pub(super) async fn join_all<T>(futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    poll_fn(|context| {
        for (future, answer) in running.iter_mut().filter(|(_, answer)| answer.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                *answer = Some(value);
            }
        }
        if running.iter().all(|(_, answer)| answer.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, answer)| answer).collect()
}

/// Lets the other futures of a [`join_all`] run: without it a store that answers at once would never be contended.
pub(super) async fn let_others_run() {
    let mut yielded = false;
    poll_fn(|context| {
        if core::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
