//! Clauses about records: lost, damaged, of other builds.

use super::bytes::{LATER_FIELD, of_the_future, with_later_field};
use super::tab::{SESSION, START, Tab, held, plant, root, root_bytes};
use super::{Harness, Outcome};
use crate::id::OpId;
use crate::record::{Loaded, Root, Summary, encode_root, encode_summary, load_root};
use crate::session::{Durability, Found, Remove};
use crate::store::{Batch, Expect, Part, Store, StoreErrorKind};

/// Clause 26: a session that was removed and begun again is another one: its record says so.
pub async fn removed_then_recreated_has_new_incarnation<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let (first, found) = Tab::open(&store, 1, START).await;
    assert_eq!(found, Found::New);
    first.pin("never touch prod").await.expect("a short text can be pinned");
    let before = root(&store).await.incarnation;
    match first.run(Remove::default()).await {
        Err(error) if matches!(error.kind, StoreErrorKind::Unsupported { .. }) => {
            return Outcome::NotDeclared("remove");
        }
        removed => assert_eq!(removed, Ok(())),
    }
    let (second, found) = Tab::open(&store, 2, START).await;
    assert_eq!((found, second.session.borrow().pins().is_empty()), (Found::New, true));
    second.pin("another one").await.expect("a short text can be pinned");
    assert_ne!(root(&store).await.incarnation, before, "a session begun anew passes for the one that was removed");
    Outcome::Held
}

/// Clauses 27 and 28, for the bytes of a record: what a session cannot read is no missing record. It goes on paused, with a
/// record in order, and the old bytes are in the quarantine.
pub async fn unreadable_record_is_set_aside_and_opens_paused<H: Harness>(harness: &H) -> Outcome {
    let good = encode_root(&Root::new(SESSION, 7));
    let mut flipped = good.clone();
    flipped[20] ^= 1;
    for (raw, op) in [(good[..good.len() / 2].to_vec(), 1), (flipped, 2), (vec![], 3), (vec![0xFF; 99], 4)] {
        let store = harness.fresh().await;
        plant(&store, raw.clone(), op).await;
        let (tab, found) = Tab::open(&store, 1, START).await;
        assert_eq!((found, tab.session.borrow().state().guards.tripped()), (Found::Quarantined, true));
        if let Some(kept) = harness.quarantined(&store, SESSION).await {
            let expected = if raw.is_empty() { Vec::new() } else { vec![(Part::Root, raw)] };
            assert_eq!(kept, expected, "all that there was to keep");
        }
        let (again, found) = Tab::open(&store, 2, START).await;
        assert_eq!((found, again.session.borrow().state().guards.tripped()), (Found::Existing, true));
        assert_eq!(again.session.borrow().state(), tab.session.borrow().state());
    }
    Outcome::Held
}

/// Clauses 27 and 28, for what the backend itself cannot read: as above, and the session's next write is in order.
pub async fn damaged_row_opens_paused_and_is_written_again<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    plant(&store, encode_root(&Root::new(SESSION, 7)), 1).await;
    if !harness.damage(&store, SESSION).await {
        return Outcome::NotDeclared("a way to damage it");
    }
    let (tab, found) = Tab::open(&store, 1, START).await;
    assert_eq!((found, tab.session.borrow().state().guards.tripped()), (Found::Quarantined, true));
    assert_ne!(tab.session.borrow().durability(), Durability::Degraded, "one damaged record is no broken store");
    tab.pin("never touch prod").await.expect("a short text can be pinned");
    let (again, found) = Tab::open(&store, 2, START).await;
    assert_eq!((found, again.session.borrow().state().guards.tripped()), (Found::Existing, true));
    assert_eq!(again.session.borrow().pins().texts.len(), 1);
    Outcome::Held
}

/// Clause 29: a record of a later build is read by nobody who may not, and not written either, whatever the session does.
pub async fn future_schema_is_readonly_and_untouched<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    plant(&store, of_the_future(encode_root(&Root::new(SESSION, 7))), 1).await;
    let before = held(&store).await;
    let (mut tab, found) = Tab::open(&store, 1, START).await;
    assert_eq!(found, Found::ReadOnly);
    // Whether it is pinned in memory is the session's business.
    let _ = tab.pin("never touch prod").await;
    tab.settle_after(crate::time::Millis::secs(600)).await;
    assert_eq!(held(&store).await, before);
    Outcome::Held
}

/// Clause 30: what a later build wrote beside what this one knows is still there after this one wrote.
pub async fn unknown_fields_survive_rewrite<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    plant(&store, with_later_field(encode_root(&Root::new(SESSION, 7))), 1).await;
    let (tab, found) = Tab::open(&store, 1, START).await;
    assert_eq!(found, Found::Existing);
    tab.pin("never touch prod").await.expect("a short text can be pinned");
    assert_eq!(held(&store).await.parts.len(), 2, "the pin was written, and the record with it");
    let written = root_bytes(&store).await;
    assert!(written.ends_with(&LATER_FIELD), "the field that this build does not know is gone");
    assert_eq!(root(&store).await.incarnation, 7);
    Outcome::Held
}

/// Clause 38: records of the first schema, as the first release wrote them, are read whole, and rewritten as they were.
pub async fn new_code_reads_golden_v1_fixture<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let parts = [(0, PINS_V1), (2, SUMMARY_V1)];
    let mut batch = parts.iter().fold(Batch::root(ROOT_V1.to_vec()), |batch, (number, bytes)| {
        batch.put(Part::Generation(*number), bytes.to_vec())
    });
    let Loaded::Found { root, .. } = load_root(Some(ROOT_V1), SESSION, START) else {
        panic!("the record is unreadable")
    };
    // The file of only one summary was kept: any other that the record names may say what it likes.
    for other in root.generations.iter().filter(|generation| generation.number != 2) {
        let summary = Summary::new(SESSION, other.number, other.attempt, "An earlier one.");
        batch = batch.put(Part::Generation(other.number), encode_summary(&summary));
    }
    assert_eq!(store.commit(SESSION, Expect::Absent, &batch, OpId(1)).await, Ok(1));
    let (tab, found) = Tab::open(&store, 1, START).await;
    assert_eq!(found, Found::Existing);
    let (texts, summary) = {
        let session = tab.session.borrow();
        (session.pins().texts.clone(), session.text(2).map(str::to_owned))
    };
    assert_eq!(texts, ["Nie auf der Produktivdatenbank. 🙂", "概要"]);
    assert_eq!(summary.as_deref(), Some("Goal: ship it.\nÄnderungen: keine. 概要 🙂"));
    assert_eq!(tab.session.borrow().root().generations.len(), 2);
    let held = held(&store).await;
    for (number, bytes) in parts {
        assert_eq!(held.part(Part::Generation(number)), Some(bytes), "opening rewrote what it did not have to");
    }
    Outcome::Held
}

/// Copies of the records that the tests hold this build's encoder against.
const ROOT_V1: &[u8] = include_bytes!("golden/root-v1.bin");
const SUMMARY_V1: &[u8] = include_bytes!("golden/summary-v1.bin");
const PINS_V1: &[u8] = include_bytes!("golden/pins-v1.bin");
