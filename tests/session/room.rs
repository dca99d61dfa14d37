//! A store without room for a summary still takes the counters; the summary waits in memory, and is tried rarely.

use compaction_governor::{
    session::{Found, Notice, Pin, Pinnable, Refresh},
    store::Part,
};

use super::losing::Losing;
use super::*;

/// Room for a root record beside what else the origin holds, and not for the summary.
fn full_at_the_summary() -> (Tab<Losing>, String) {
    let (mut tab, found) = Tab::open(Losing::default(), 1, START);
    assert_eq!(found, Found::New);
    tab.grow_to_threshold();
    let text: String = (0..60).map(|n| format!("{n}: src/{}.rs has {} lines. ", n * 7_919, n * n)).collect();
    tab.store.with(|kept| {
        kept.budget = Some(5_242_880);
        kept.foreign_bytes = 5_242_880 - 1_200;
    });
    assert!(text.len() > 1_200);
    (tab, text)
}

fn storage(tab: &mut Tab<Losing>) -> Vec<Durability> {
    let notices = tab.session.drain_notices().into_iter();
    notices
        .filter_map(|notice| if let Notice::Storage(durability) = notice { Some(durability) } else { None })
        .collect()
}

/// What the next page shows.
fn stored_summary(tab: &Tab<Losing>) -> Option<String> {
    let (mut next, _) = Tab::open(tab.store.clone(), 2, tab.now);
    next.observe(tab.entries());
    next.session.summary().map(str::to_owned)
}

// SD-14: save 1 of 3.9 MB fits into 5,242,880 bytes, save 2 needs more, save 3 is 2 KB of counters.
// What it cost elsewhere: the failed save took the counters with it, and every turn tried the large one again.
// What now holds: the counters are saved, the host is told that the content is not, and tries are rare.
#[test]
fn a_summary_over_quota_leaves_the_counters_saved_and_the_host_told() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    assert_eq!(storage(&mut tab), []);
    assert!(matches!(tab.commit(&planned, &text), Committed::Live { .. }));
    assert_eq!(storage(&mut tab), [Durability::CountersOnly]);
    assert_eq!(tab.durability().code(), "counters_only");
    assert_eq!(tab.store.with(|kept| kept.refused), 1);
    assert_eq!(tab.store.names(), [Part::Root]);
    assert_eq!(tab.session.summary(), Some(text.trim()), "it goes on in memory");
    tab.fixed += 16_000;
    assert!(tab.call().verdict.is_some());
    assert_eq!(tab.session.state().guards.ineffective_streak + tab.session.state().guards.weak_streak, 1);
    assert_eq!(tab.store.with(|kept| kept.refused), 1, "the verdict went without it");
    let (next, found) = Tab::open(tab.store.clone(), 2, tab.now);
    assert_eq!((found, next.session.root().compactions), (Found::Existing, 1));
    assert_eq!(next.session.state().guards.ineffective_streak + next.session.state().guards.weak_streak, 1);
    assert_eq!(next.session.root().spent_tokens, 900);
    assert_eq!((next.session.root().generations.len(), next.session.root().anchor), (0, None));
}

#[test]
fn a_summary_that_had_no_room_is_tried_after_a_minute_then_twice_as_long_each_and_stored_when_there_is_some() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    tab.commit(&planned, &text);
    tab.call();
    let mut tries = Vec::new();
    for minute in 0..600 {
        let before = tab.store.with(|kept| kept.refused);
        tab.settle();
        if tab.store.with(|kept| kept.refused) > before {
            tries.push(minute);
        }
        tab.wait(Millis::secs(60));
    }
    assert_eq!(tries, [1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543], "minutes, at most one an hour");
    assert!(tab.session.wake_at(tab.now).is_some_and(|at| at > tab.now), "somebody is to wake it");
    tab.store.with(|kept| kept.foreign_bytes = 0);
    storage(&mut tab);
    tab.wait(Millis::secs(3_600));
    tab.settle();
    assert_eq!(storage(&mut tab), [Durability::Durable]);
    assert_eq!(stored_summary(&tab).as_deref(), Some(text.trim()));
}

#[test]
fn a_pending_verdict_on_a_summary_that_is_not_stored_is_not_stored_either() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    tab.commit(&planned, &text);
    let (next, _) = Tab::open(tab.store.clone(), 2, tab.now);
    assert_eq!(next.session.state().phase, policy::Phase::Idle, "its view is gone with the summary");
    assert!(matches!(tab.session.state().phase, policy::Phase::AwaitingVerdict { .. }));
}

#[test]
fn a_store_without_room_for_the_counters_either_is_degraded_as_before() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    tab.store.with(|kept| kept.foreign_bytes = 5_242_880);
    tab.commit(&planned, &text);
    assert_eq!(tab.durability(), Durability::Degraded);
    tab.store.with(|kept| kept.foreign_bytes = 0);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(tab.durability(), Durability::Durable);
    assert_eq!(stored_summary(&tab).as_deref(), Some(text.trim()));
}

#[test]
fn a_summary_taken_back_before_it_had_room_is_not_tried_again() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    tab.commit(&planned, &text);
    tab.run(Write::rereading(compaction_governor::session::Undo::new(None))).expect("taken back");
    assert_eq!(tab.durability(), Durability::Durable);
    tab.wait(Millis::secs(7_200));
    tab.settle();
    assert_eq!(tab.store.with(|kept| kept.refused), 1);
}

// The fault: where another writer's record took the place of a summary that had no room, its wait stayed behind.
// What it cost: the next pin or summary was not even tried for up to an hour, and lost with the page, in a store with room.
// What now holds: where nothing waits for room, nothing waits.
#[test]
fn a_pin_is_stored_at_once_where_another_tab_has_replaced_what_had_no_room() {
    let (mut tab, text) = full_at_the_summary();
    let (mut other, _) = Tab::open(tab.store.clone(), 2, tab.now);
    other.observe(tab.entries());
    let planned = tab.claimed();
    tab.commit(&planned, &text);
    assert_eq!(tab.durability(), Durability::CountersOnly);
    other.event(Event::Reset);
    tab.run(Refresh::new());
    assert_eq!(tab.durability(), Durability::Durable, "its summary went with the record that named it");
    tab.store.with(|kept| kept.foreign_bytes = 0);
    let _ = tab.run(Write::new(Pin(Pinnable::Text("never on Fridays".to_owned()))));
    assert_eq!(tab.durability(), Durability::Durable);
    let (next, _) = Tab::open(tab.store.clone(), 3, tab.now);
    assert_eq!(next.session.pins().texts.len(), 1);
}

// The fault: what has no room and waits its time was left out of the commit, and the commit was made all the same, with nothing new.
// What it cost: a write to a disk that is full, and a conflict in each of the other tabs.
// What now holds: no durable change, no write, here too.
#[test]
fn a_pin_that_has_to_wait_for_room_writes_nothing_in_the_meantime() {
    let (mut tab, text) = full_at_the_summary();
    let planned = tab.claimed();
    tab.commit(&planned, &text);
    let revision = tab.store.revision();
    let _ = tab.run(Write::new(Pin(Pinnable::Text("never on Fridays".to_owned()))));
    assert_eq!((tab.store.revision(), tab.durability()), (revision, Durability::CountersOnly));
    tab.store.with(|kept| kept.foreign_bytes = 0);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(tab.durability(), Durability::Durable, "and is written when there is room");
}
