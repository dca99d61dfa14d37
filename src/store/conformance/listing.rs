//! Clauses about the list of sessions.

use super::support::{commit, offered, put};
use super::{Harness, Outcome};
use crate::store::{Batch, Expect, Part, Store};

const NO_LIST: Outcome = Outcome::NotDeclared("list");

/// Pages of a list continue where the one before ended, and no session is named twice, however many parts it has.
pub async fn list_names_each_session_once_across_pages<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if offered(store.list(None, 0).await).is_none() {
        return NO_LIST;
    }
    let ids: Vec<String> = (0..7).map(|index| format!("session-{index}")).collect();
    for id in &ids {
        let batch = Batch::root(vec![1]).put(Part::Generation(1), vec![1]).put(Part::Generation(2), vec![2]);
        assert_eq!(commit(&store, id, Expect::Absent, batch, 1).await, Ok(1));
        put(&store, id, Expect::Revision(1), &[2], 2).await;
        assert_eq!(store.quarantine(id, Part::Root, b"x", "test").await, Ok(()));
    }
    assert_eq!(store.list(None, 0).await, Ok(vec![]));
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = store.list(seen.last().map(String::as_str), 3).await.expect("a list succeeds");
        assert!(page.len() <= 3, "a page above its limit");
        if page.is_empty() {
            break;
        }
        seen.extend(page);
        assert!(seen.len() <= ids.len(), "a session is named twice: {seen:?}");
    }
    seen.sort_unstable();
    assert_eq!(seen, ids);
    Outcome::Held
}

/// Clause 24: while sessions are written, begun and removed between its pages, a list names every session that was there all
/// the time exactly once, no session twice, and goes on behind one that was removed meanwhile.
pub async fn list_pagination_stable_under_writes<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    if offered(store.list(None, 0).await).is_none() || offered(store.remove("nobody", None).await).is_none() {
        return NO_LIST;
    }
    let named = |what: &str, index: usize| [what, &index.to_string()].concat();
    for index in 0..6 {
        put(&store, &named("a-staying-", index), Expect::Absent, &[1], 1).await;
        put(&store, &named("b-passing-", index), Expect::Absent, &[1], 1).await;
    }
    let mut seen: Vec<String> = Vec::new();
    for round in 0.. {
        let page = store.list(seen.last().map(String::as_str), 2).await.expect("a list succeeds");
        let Some(last) = page.last().cloned() else { break };
        seen.extend(page);
        assert!(seen.len() <= 12 + round + 1, "the list does not end: {seen:?}");
        if round < 6 {
            put(&store, &named("a-staying-", round), Expect::Revision(1), &[2], 2).await;
        }
        put(&store, &named("a-new-", round), Expect::Absent, &[1], 1).await;
        if last.starts_with("b-passing") {
            assert_eq!(store.remove(&last, None).await, Ok(()));
        }
    }
    for index in 0..6 {
        let staying = named("a-staying-", index);
        assert_eq!(seen.iter().filter(|id| **id == staying).count(), 1, "{staying} in {seen:?}");
    }
    let mut distinct = seen.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), seen.len(), "a session is named twice: {seen:?}");
    Outcome::Held
}
