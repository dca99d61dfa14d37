//! A copy or an import is there as a whole or not at all, whatever the store does; asking again is harmless.

use std::future::ready;

use compaction_governor::{
    error::Applied,
    session::sessions::{List, Remove, perform},
    store::{
        StoreError,
        fault::{Fault, Faulty, Repeat},
        within,
    },
};

use super::*;

fn faults() -> Vec<Fault> {
    vec![
        Fault::FailAt(StoreError::not_applied(StoreErrorKind::QuotaExceeded)),
        Fault::FailAt(StoreError::maybe_applied(StoreErrorKind::Timeout)),
        Fault::LoseAck,
    ]
}

/// Fails each call of an errand in each way; `after` sees every end, the store behind and whether the last call was lost.
fn each_fault<E: Errand>(
    errand: impl Fn() -> E,
    tab: &Tab<MemoryStore>,
    after: impl Fn(Result<E::Output, SessionsError>, MemoryStore),
) {
    let archive = export(&tab.store, "chat").expect("kept");
    for fault in faults() {
        for repeat in [Repeat::Once, Repeat::Forever] {
            for n in 1.. {
                let store = MemoryStore::new();
                import(&store, &archive, None).expect("free");
                let faulty = Faulty::new(store.another_context(), fault.clone(), n, repeat);
                let end = pollster::block_on(perform(&faulty, errand()));
                assert!(faulty.calls() < 20, "an errand ends");
                after(end, store);
                if !faulty.struck() {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_fork_is_whole_or_absent_whichever_call_fails_and_can_be_asked_for_again() {
    let tab = talked();
    fork(&tab.store, "chat", "copy").expect("free");
    let whole = parts(&tab.store, "copy");
    each_fault(
        || Fork::new("chat", "copy", DRAWN, START),
        &tab,
        |end, store| {
            let found = parts(&store, "copy");
            assert!(found.is_empty() || found == whole, "half a copy after {end:?}");
            match &end {
                Ok(()) => assert_eq!(found, whole, "acknowledged"),
                Err(error) if error.applied() == Applied::No => {
                    assert_eq!(found, [], "said not to be applied: {error}")
                }
                Err(_) => {}
            }
            let again = fork(&store, "chat", "copy");
            assert_eq!(again, if found.is_empty() { Ok(()) } else { Err(SessionsError::Exists) });
            assert_eq!((parts(&store, "copy"), parts(&store, "chat")), (whole.clone(), parts(&tab.store, "chat")));
        },
    );
}

#[test]
fn an_import_is_whole_or_absent_whichever_call_fails_and_can_be_asked_for_again() {
    let tab = talked();
    let archive = export(&tab.store, "chat").expect("kept");
    let reference = MemoryStore::new();
    import(&reference, &archive, Some("moved")).expect("free");
    let whole = parts(&reference, "moved");
    each_fault(
        || Import::new(&archive, Some("moved"), DRAWN, START),
        &tab,
        |end, store| {
            let found = parts(&store, "moved");
            assert!(found.is_empty() || found == whole, "half a session after {end:?}");
            assert!(end.is_err() || found == whole, "acknowledged");
            let again = import(&store, &archive, Some("moved"));
            assert_eq!(again, if found.is_empty() { Ok(()) } else { Err(SessionsError::Exists) });
            assert_eq!(parts(&store, "moved"), whole);
        },
    );
}

#[test]
fn one_lost_answer_is_resolved_and_not_reported() {
    let tab = talked();
    let faulty = Faulty::new(tab.store.another_context(), Fault::LoseAck, 5, Repeat::Once);
    let end = pollster::block_on(perform(&faulty, Fork::new("chat", "copy", DRAWN, START)));
    assert!(faulty.struck(), "the fifth call is the commit: open and load twice before it");
    assert_eq!(end, Ok(()));
}

#[test]
fn a_store_that_never_answers_ends_by_its_deadline_with_a_typed_error() {
    let archive = export(&talked().store, "chat").expect("kept");
    for n in 1..=5 {
        let tab = talked();
        let faulty = Faulty::new(tab.store.another_context(), Fault::Hang, n, Repeat::Forever);
        let copying = store_errors(perform(&faulty, Fork::new("chat", "copy", DRAWN, START)));
        let end = pollster::block_on(within(copying, ready(()), Applied::Unknown));
        assert_eq!(end.map_err(|error| error.kind), Err(StoreErrorKind::Timeout), "call {n}");
        assert_eq!(kept(&tab.store, "copy"), None);
        let faulty = Faulty::new(tab.store.another_context(), Fault::Hang, n.min(3), Repeat::Forever);
        let importing = store_errors(perform(&faulty, Import::new(&archive, Some("moved"), DRAWN, START)));
        let end = pollster::block_on(within(importing, ready(()), Applied::Unknown));
        assert_eq!(end.map_err(|error| error.kind), Err(StoreErrorKind::Timeout), "call {n}");
    }
}

async fn store_errors<T>(errand: impl Future<Output = Result<T, SessionsError>>) -> Result<T, StoreError> {
    errand.await.map_err(|error| StoreError::not_applied(StoreErrorKind::Backend { name: error.code().to_owned() }))
}

#[test]
fn listing_and_removing_pass_on_what_the_store_says() {
    let tab = talked();
    let full = Fault::FailAt(StoreError::not_applied(StoreErrorKind::Closed));
    for n in 1..=3 {
        let faulty = Faulty::new(tab.store.another_context(), full.clone(), n, Repeat::Once);
        let listed: Result<Page, _> = pollster::block_on(perform(&faulty, List::new(None, 10)));
        assert_eq!(listed.map_err(|error| error.code()), Err("closed"), "call {n}");
    }
    let lost = Faulty::new(tab.store.another_context(), Fault::LoseAck, 1, Repeat::Once);
    let removed = pollster::block_on(perform(&lost, Remove::new("chat")));
    let Err(SessionsError::Store(error)) = removed else { panic!("nobody knows") };
    assert_eq!((error.applied, error.retryable()), (Applied::Unknown, true));
    assert_eq!(pollster::block_on(perform(&lost, Remove::new("chat"))), Ok(()), "again is harmless");
    assert_eq!(pollster::block_on(Store::load(&tab.store, "chat")), Ok(None));
}

#[test]
fn a_record_that_the_store_itself_cannot_read_is_in_the_way_of_a_copy_and_is_listed_without_bytes() {
    let tab = talked();
    let corrupt = |n| {
        let fault = Fault::FailAt(StoreError::not_applied(StoreErrorKind::Corrupt));
        Faulty::new(tab.store.another_context(), fault, n, Repeat::Once)
    };
    let copied = |n| pollster::block_on(perform(&corrupt(n), Fork::new("chat", "copy", DRAWN, START)));
    assert_eq!(copied(2), Err(SessionsError::Unreadable), "the original");
    assert_eq!(copied(4), Err(SessionsError::Exists), "what is there may be worth keeping");
    let page = pollster::block_on(perform(&corrupt(3), List::new(None, 10))).expect("listed");
    let listed: Vec<_> = page.sessions.into_iter().map(|one| (one.id, one.bytes, one.updated_at)).collect();
    assert_eq!(listed, [("chat".to_owned(), 0, None)]);
    assert_eq!(kept(&tab.store, "copy"), None);
}
