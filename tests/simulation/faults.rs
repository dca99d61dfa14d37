//! Every store call fails once, and from there on for ever, with every kind of error and with a lost answer: nothing reaches the
//! conversation, and once the store answers, what is remembered is what is remembered without the fault.

use compaction_governor::{
    policy::check,
    session::Durability,
    store::{
        StoreError, StoreErrorKind, UnavailableWhy,
        fault::{Fault, Faulty, Repeat},
    },
};

use crate::script::{Host, Kept, START};

fn every_fault() -> Vec<Fault> {
    let not_applied = [
        StoreErrorKind::Conflict { actual: Some(7) },
        StoreErrorKind::Conflict { actual: None },
        StoreErrorKind::QuotaExceeded,
        StoreErrorKind::ValueTooLarge { limit: 1, found: 2 },
        StoreErrorKind::Unavailable { why: UnavailableWhy::NoApi },
        StoreErrorKind::Unavailable { why: UnavailableWhy::Denied },
        StoreErrorKind::Blocked,
        StoreErrorKind::Superseded,
        StoreErrorKind::ConnectionClosed,
        StoreErrorKind::InvalidBatch,
        StoreErrorKind::Closed,
        StoreErrorKind::Backend { name: "UnknownError".to_owned() },
    ];
    let unknown = [StoreErrorKind::Timeout, StoreErrorKind::Indeterminate];
    let mut faults = vec![Fault::LoseAck];
    faults.extend(not_applied.map(|kind| Fault::FailAt(StoreError::not_applied(kind))));
    faults.extend(unknown.map(|kind| Fault::FailAt(StoreError::maybe_applied(kind))));
    faults
}

/// What is remembered in the end, without what is drawn or dated.
fn remembered(host: &Host<'_, impl compaction_governor::store::Store>) -> String {
    let session = host.session.borrow();
    let root = session.root();
    let guards = &root.state.guards;
    let verdicts: Vec<_> =
        root.generations.iter().map(|made| (made.number, made.covered_entries, made.verdict)).collect();
    format!(
        "{verdicts:?} {} {:?} {:?} {:?}",
        root.compactions,
        (guards.ineffective_streak, guards.weak_streak, guards.fallback_streak),
        (root.state.view_revision, guards.failures.streaks, guards.interrupted.streak),
        session.pins(),
    )
}

#[test]
fn any_store_call_that_fails_once_leaves_in_the_end_what_is_left_without_it() {
    let kept = Kept::default();
    let mut clean = Host::new(&kept, 1, START);
    clean.play();
    let (expected, paid) = (remembered(&clean), clean.paid);
    let mut calls = 0;
    for fault in every_fault() {
        for n in 1.. {
            let store = Faulty::new(Kept::default(), fault.clone(), n, Repeat::Once);
            let mut host = Host::new(&store, 1, START);
            host.play();
            if !store.struck() {
                break;
            }
            calls += 1;
            let at = format!("{fault:?} at call {n}");
            assert_eq!(host.durability(), Durability::Durable, "{at}");
            assert_eq!(remembered(&host), expected, "{at}");
            assert_eq!(host.paid, paid, "{at}");
            assert_durable(&host, store.inner(), &at);
        }
    }
    println!("{calls} failed calls, each alone");
}

#[test]
fn a_store_that_fails_for_ever_from_any_call_on_never_stops_the_conversation_or_leaves_half_a_commit() {
    let mut calls = 0;
    for fault in every_fault() {
        for n in 1.. {
            let store = Faulty::new(Kept::default(), fault.clone(), n, Repeat::Forever);
            let mut host = Host::new(&store, 1, START);
            host.play();
            if !store.struck() {
                break;
            }
            calls += 1;
            let at = format!("{fault:?} from call {n} on");
            check(host.session.borrow().state()).unwrap_or_else(|breach| panic!("{at}: {breach}"));
            assert!(host.paid <= 6, "{at}: {} calls were paid for", host.paid);
            let mut next = Host::new(store.inner(), 2, host.now);
            next.open();
            next.show(40);
            next.settle();
            assert_eq!(next.durability(), Durability::Durable, "{at}");
            check(next.session.borrow().state()).unwrap_or_else(|breach| panic!("{at}: {breach}"));
            assert_durable(&next, store.inner(), &at);
        }
    }
    println!("{calls} calls from which on all failed");
}

/// Memory is what the store holds.
pub(crate) fn assert_durable(host: &Host<'_, impl compaction_governor::store::Store>, kept: &Kept, at: &str) {
    let session = host.session.borrow();
    match kept.root() {
        Some(stored) => {
            assert!(!stored.state.differs_durably(session.state()), "{at}: {:?}\n{:?}", stored.state, session.state());
            assert_eq!(stored.generations, session.root().generations, "{at}");
        }
        None => assert_eq!(session.revision(), None, "{at}"),
    }
}
