//! Class 13: storage.

use compaction_governor::{
    policy::Kind,
    session::{Claimed, Durability, Found},
    store::{Part, StoreErrorKind},
};

use crate::{START, block, counting::Counting, settings, tab, tab::SUMMARY, tab::Tab};

#[test]
fn b01_a_full_disk_never_reaches_the_conversation_and_the_small_record_goes_on() {
    // The fault: an uncaught quota error at the end of every save.
    // What it cost: one image, and nothing was stored any more.
    // What now holds: memory goes on, the host sees it, and the next small commit that fits is written.
    let mut tab = tab(32_768, 26_214);
    tab.grow_to_threshold();
    tab.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    assert_eq!(tab.session.summary(), Some(SUMMARY));
    assert_eq!(tab.durability(), Durability::Degraded);
    tab.store.refuse(None);
    tab.wait(compaction_governor::time::Millis::secs(15));
    tab.settle();
    assert_ne!(tab.durability(), Durability::Degraded);
    assert!(tab.store.bytes().iter().any(|(part, _)| *part == Part::Generation(1)));
}

#[test]
fn b06_a_record_that_the_browser_threw_away_starts_no_storm_of_passes() {
    // The fault: missing state was taken for a fresh start with the whole history in front of it.
    // What it cost: a pass at once, on every device that had lost it.
    // What now holds: one pass, judged like any other, and no more than two that buy nothing.
    let (mut tab, found) = Tab::open_with(Counting::new(), 5, START, settings(64_000, 48_000));
    assert_eq!(found, Found::New);
    tab.observe(300);
    let mut passes = 0;
    for _ in 0..10 {
        if let Claimed::Planned(planned) = tab.claim(Kind::Auto) {
            tab.commit(&planned, SUMMARY);
            tab.report(60_000);
            passes += 1;
        }
    }
    assert!((1..=2).contains(&passes), "{passes} passes");
    assert!(block(tab.session.decide(tab.now)).is_some());
}

#[test]
fn b07_the_record_that_every_decision_rewrites_stays_small() {
    // The fault: a whole session in one cell of a store that takes two megabytes.
    // What it cost: saving failed for good with the longest conversations.
    // What now holds: the root stays under two kilobytes, each summary is a part of its own.
    let mut tab = tab(32_768, 26_214);
    for _ in 0..60 {
        tab.grow_to_threshold();
        tab.pass();
    }
    assert!(tab.store.root().len() <= 2_048, "{} bytes", tab.store.root().len());
}

#[test]
fn b09_a_corrupt_record_is_kept_apart_and_is_never_an_empty_one() {
    // The fault: half a record was parsed as none.
    // What it cost: a session without its strikes.
    // What now holds: it is quarantined, and the guard starts tripped, with an exit.
    let store = Counting::new();
    store.plant(b"half a rec".to_vec());
    let (mut tab, found) = Tab::open_with(store, 1, START, settings(64_000, 48_000));
    assert_eq!(found, Found::Quarantined);
    tab.observe(120);
    let decision = tab.session.decide(tab.now);
    assert!(block(decision).is_some() && decision.wake_at().is_some(), "{decision:?}");
}
