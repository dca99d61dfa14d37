//! Stores that fail, lose answers, hold what cannot be read, or are written by somebody else.

use super::*;

#[test]
fn a_failing_store_leaves_the_session_in_memory_and_is_written_when_it_answers_again() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let planned = tab.claimed();
    assert_eq!(tab.durability(), Durability::Degraded);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(tab.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
    assert_eq!(tab.store.commits(), 0);
    tab.store.refuse(None);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(tab.durability(), Durability::Memory, "the counting store is a memory store");
    let reloaded = reopen(&tab, 2);
    assert_eq!(reloaded.session.summary(), Some(SUMMARY));
    assert_eq!(reloaded.session.state(), tab.session.state());
}

// The fault: a summary that was taken back while the store failed was never deleted from it.
// What it cost: its text lay in the store, named by no record, for as long as the session did.
// What now holds: the write that makes up for the failure deletes it as well.
#[test]
fn a_summary_that_was_taken_back_while_the_store_failed_is_deleted_when_it_answers_again() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.pass();
    tab.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    tab.run(Write::new(compaction_governor::session::Undo::new(None))).expect("live");
    tab.store.refuse(None);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(tab.session.root().generations.len(), 0);
    assert_eq!(tab.store.bytes().len(), 1, "the root alone");
}

#[test]
fn a_store_that_fails_is_not_asked_again_on_every_event() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    tab.claimed();
    let calls = tab.store.calls();
    for _ in 0..50 {
        tab.settle();
    }
    assert_eq!(tab.store.calls(), calls, "the clock stood still");
}

#[test]
fn a_lost_answer_to_a_commit_counts_once() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.store.lose_next_answer();
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(tab.session.root().compactions, 1);
    let reloaded = reopen(&tab, 2);
    assert_eq!((reloaded.session.root().compactions, reloaded.session.state().view_revision), (1, 1));
}

#[test]
fn a_conflicting_report_is_applied_again_on_the_winners_state() {
    let mut first = fresh();
    first.grow_to_threshold();
    let planned = first.claimed();
    first.commit(&planned, SUMMARY);
    let mut second = reopen(&first, 2);
    let third = reopen(&first, 3);
    first.report(30_000);
    assert_eq!(second.report(30_000).verdict, None, "already given by the other tab");
    assert_eq!(second.session.state().guards.ineffective_streak, 1);
    assert_eq!(reopen(&third, 4).session.state().guards.ineffective_streak, 1);
}

// seeds: A5
#[test]
fn records_that_are_foreign_future_or_corrupt_open_without_an_error_and_forget_no_strike() {
    let tab = stopped();
    let bytes = tab.store.root();
    let open = |bytes: Vec<u8>| {
        let store = Counting::new();
        store.plant(bytes);
        Tab::open(store, 9, START)
    };
    let (whole, found) = Tab::open(tab.store.another_context(), 9, START);
    assert_eq!((found, whole.session.state()), (Found::Existing, tab.session.state()));
    let (torn, found) = open(bytes[..bytes.len() / 2].to_vec());
    assert_eq!(found, Found::Quarantined);
    assert!(torn.session.state().guards.tripped());
    assert_eq!(torn.store.commits(), 1, "rebuilt and written");
    let (empty, found) = open(Vec::new());
    assert_eq!((found, empty.session.state().guards.tripped()), (Found::Quarantined, true));
    let mut future = bytes;
    future[6..8].copy_from_slice(&u16::MAX.to_le_bytes());
    let (mut read_only, found) = open(future);
    assert!(matches!(found, Found::ReadOnly | Found::Quarantined), "{found:?}");
    if found == Found::ReadOnly {
        read_only.grow_to_threshold();
        assert!(matches!(read_only.session.decide(START).action, Action::Hold(Hold::Disabled)));
        read_only.settle();
        assert_eq!(read_only.store.commits(), 0);
    }
}

// The fault: the strike that stands in for an unread history was still discounted after the history had been read.
// What it cost: a strike earned while the store was away was lost in the merge, and a paused session went on paying.
// What now holds: the stand-in ends with the first answer, whatever it is; every earned strike is merged.
#[test]
fn the_strike_that_stands_in_for_an_unread_history_ends_with_the_first_answer() {
    let (mut new, found) = open_while_refused(&Counting::new());
    assert_eq!((found, new.session.state().guards.weak_streak), (Found::Unknown, 1));
    answer_again(&mut new);
    assert_eq!(new.session.state().guards.weak_streak, 0, "there was no history");

    let mut tab = fresh();
    tab.grow_to_threshold();
    assert_eq!(tab.spoilt_pass(16_000), Verdict::Weak);
    let (mut late, _) = open_while_refused(&tab.store);
    answer_again(&mut late);
    assert_eq!(late.session.state().guards.weak_streak, 1, "its own, as it was stored");
    late.fixed = tab.fixed;
    late.observe(tab.entries());
    late.grow_to_threshold();
    late.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let planned = late.claimed();
    let long: String = (0..4_000).map(|n| format!("{n}: src/{}.rs, {} lines. ", n * 7_919, n * n)).collect();
    assert!(matches!(late.commit(&planned, &long), Committed::Rejected { .. }));
    assert_eq!(late.session.state().guards.weak_streak, 2);
    late.store.refuse(None);
    let view_revision = tab.session.state().view_revision;
    tab.event(Event::Overflow { view_revision, limit: Some(32_000) });
    answer_again(&mut late);
    assert_eq!(late.session.state().guards.weak_streak, 2, "merged, not discounted");
    assert_eq!(reopen(&late, 8).session.state().guards.weak_streak, 2);
}

fn open_while_refused(store: &Counting) -> (Tab<Counting>, Found) {
    store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let capabilities = Capabilities { survives: Survives::ProcessKill, ..store.capabilities() };
    Tab::open(store.another_context().claiming(capabilities), 7, START)
}

fn answer_again(tab: &mut Tab<Counting>) {
    tab.store.refuse(None);
    tab.wait(Millis::secs(120));
    tab.settle();
}

// seeds: C6
#[test]
fn a_reset_in_a_tab_that_knows_of_nothing_clears_what_another_tab_stored() {
    let mut first = fresh();
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    for more in [16_000, 8_000] {
        first.grow_to_threshold();
        first.spoilt_pass(more);
    }
    second.event(Event::Reset);
    let state = reopen(&first, 3).session.state().clone();
    assert!(!state.guards.tripped());
    assert_eq!((state.guards.baseline_tokens, state.guards.last_attempt_end), (None, None));
    assert_eq!(state.view_revision, 2, "and keeps the view");
}

// The fault: a reading of a view that memory alone had committed was taken for one of the other tab's view, which had the same
// number.
// What it cost: the other tab's pass was judged by it, and its strikes were cleared.
// What now holds: no reading outlives the view it was made of.
#[test]
fn a_reading_of_a_view_that_was_lost_is_no_reading_of_the_view_that_won() {
    let mut first = fresh();
    first.grow_to_threshold();
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    second.observe(first.entries());
    second.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    second.grow_to_threshold();
    let planned = second.claimed();
    second.commit(&planned, SUMMARY);
    second.report(9_123);
    second.store.refuse(None);
    let planned = first.claimed();
    first.commit(&planned, SUMMARY);
    second.wait(Millis::secs(120));
    second.settle();
    assert_eq!(second.session.state().view_revision, first.session.state().view_revision);
    assert_ne!(second.session.root().anchor.map(|anchor| anchor.prompt_tokens), Some(9_123));
}

// The fault: what memory alone had committed, and another writer's view, had the same number.
// What it cost: a usage report that came late for the lost view settled the winner's verdict, and an overflow struck it.
// What now holds: after such a loss the view goes on under a number that nobody has handed out.
#[test]
fn a_late_report_or_refusal_of_a_view_that_was_lost_settles_nothing_of_the_view_that_won() {
    for ahead in [false, true] {
        let mut first = fresh();
        first.grow_to_threshold();
        let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
        second.observe(first.entries());
        second.store.refuse(Some(StoreErrorKind::QuotaExceeded));
        second.grow_to_threshold();
        let planned = second.claimed();
        second.commit(&planned, SUMMARY);
        let (lost, entries) = (second.session.state().view_revision, second.session.index().len());
        second.store.refuse(None);
        first.wait(Millis::secs(1));
        let planned = first.claimed();
        if !ahead {
            first.commit(&planned, SUMMARY);
        }
        second.wait(Millis::secs(120));
        second.settle();
        if ahead {
            first.now = second.now;
            assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
            second.settle();
        }
        let late = Report { prompt_tokens: 9_123, view_revision: Some(lost), sent_at: START, entries };
        assert_eq!(second.run(Write::new(late)).ignored, Some(Ignored::StaleView), "{ahead}");
        let refused = second.event(Event::Overflow { view_revision: lost, limit: None });
        assert_eq!(refused.ignored, Some(Ignored::StaleView), "{ahead}");
        assert!(first.session.state().attempt().is_some());
        first.run(Refresh::new());
        assert_eq!(
            first.call().verdict.map(|settled| settled.verdict),
            Some(Verdict::Effective),
            "the winner is judged"
        );
    }
}

// The fault: what a summariser was paid for was forgotten with an answer that came after another tab had taken over.
// What it cost: the tokens spent were shown too low, by a whole pass for each such answer.
// What now holds: they are counted at once, and ride along with the next write.
#[test]
fn an_answer_that_came_too_late_is_paid_for_all_the_same_and_counted_once() {
    let mut first = fresh();
    first.grow_to_threshold();
    let late = first.claimed();
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    second.observe(first.entries());
    second.wait(Millis::secs(600));
    first.now = second.now;
    let planned = second.claimed();
    second.commit(&planned, SUMMARY);
    assert_eq!(first.commit(&late, SUMMARY), Committed::Superseded);
    assert_eq!(first.session.root().spent_tokens, 1_800);
    assert!(!first.run(Refresh::new()));
    let writes = first.store.commits();
    assert!(first.call().verdict.is_some());
    assert_eq!(first.store.commits(), writes + 1);
    assert_eq!(reopen(&first, 3).session.root().spent_tokens, 1_800);
    assert!(second.run(Refresh::new()));
    assert_eq!(second.session.root().spent_tokens, 1_800);
}
