//! What was removed stays removed until its user goes on, and none of its texts comes back; no guard is weaker for it.

use compaction_governor::session::{Notice, Remove as RemoveMine, Status, sessions::Remove};

use super::*;

fn remove(tab: &Tab<MemoryStore>) {
    assert_eq!(perform_sync(&tab.store, Remove::new("chat")), Ok(()));
}

// The fault: a session object that found its record gone wrote everything it had in memory back.
// What it cost: a chat that was deleted in one tab came back, summary and pins, with the next timer of another.
// What now holds: nothing is written until the user goes on, and then nothing of what was removed.
#[test]
fn a_tab_whose_record_was_removed_elsewhere_writes_nothing_by_itself() {
    let mut tab = talked();
    remove(&tab);
    for _ in 0..3 {
        tab.wait(Millis::secs(400));
        tab.settle();
        assert_eq!(kept(&tab.store, "chat"), None);
    }
    assert_eq!((tab.session.summary(), tab.session.pins().len()), (None, 0), "nor shown");
    assert_eq!(tab.call().verdict, None, "what was to be judged is gone");
    assert_eq!(kept(&tab.store, "chat"), None, "a reading alone is nothing durable");
}

#[test]
fn a_user_who_goes_on_starts_anew_and_brings_no_text_back() {
    let mut tab = talked();
    let before = root(&tab.store, "chat").incarnation;
    remove(&tab);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    assert_eq!(planned.previous, None, "from the conversation itself");
    assert_ne!(root(&tab.store, "chat").incarnation, before);
    assert!(!shows(&tab.store, "chat", SUMMARY) && !shows(&tab.store, "chat", RULE));
    assert!(matches!(tab.commit(&planned, "Another summary, of what is talked about since."), Committed::Live { .. }));
    assert!(!shows(&tab.store, "chat", SUMMARY) && !shows(&tab.store, "chat", RULE));
}

#[test]
fn a_summary_that_is_being_written_when_its_session_is_removed_is_dropped_and_said_so() {
    let (mut tab, _) = Tab::open(MemoryStore::new(), 1, START);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.session.drain_notices();
    remove(&tab);
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded);
    assert_eq!(kept(&tab.store, "chat"), None);
    let cancelled = tab.session.drain_notices().into_iter().any(|notice| {
        matches!(notice, Notice::Compaction { attempt, status: Status::Cancelled, .. } if attempt == planned.attempt)
    });
    assert!(cancelled);
}

#[test]
fn guards_that_this_tab_knows_of_outlive_the_loss_of_the_record() {
    let mut tab = talked();
    tab.fixed += 16_000;
    tab.call();
    tab.grow_to_threshold();
    tab.spoilt_pass(8_000);
    tab.grow_to_threshold();
    let recovery = tab.session.state().guards.recovery;
    assert_eq!(block(tab.session.decide(tab.now)), Some(Block::Ineffective));
    remove(&tab);
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Refused(_)));
    assert_eq!(block(tab.session.decide(tab.now)), Some(Block::Ineffective));
    assert_eq!(tab.session.state().guards.recovery, recovery);
    assert_eq!(policy::check(tab.session.state()), Ok(()));
    assert_eq!(kept(&tab.store, "chat"), None);
}

#[test]
fn a_report_of_a_view_from_before_the_removal_is_void() {
    for by_itself in [true, false] {
        let mut tab = talked();
        let of_before = tab.session.state().view_revision;
        if by_itself {
            assert_eq!(tab.run(RemoveMine::default()), Ok(()));
        } else {
            remove(&tab);
            tab.settle();
            tab.wait(Millis::secs(400));
            tab.settle();
        }
        let entries = tab.session.index().len();
        let late = Report { prompt_tokens: 9_000, view_revision: Some(of_before), sent_at: tab.now, entries };
        tab.grow_to_threshold();
        let planned = tab.claimed();
        tab.commit(&planned, "Another summary, of what is talked about since.");
        assert_eq!(tab.run(Write::new(late)).ignored, Some(Ignored::StaleView), "by itself: {by_itself}");
    }
}

#[test]
fn a_session_that_removes_itself_begins_anew_with_another_incarnation_and_ends_its_attempt() {
    let mut tab = talked();
    tab.call();
    let before = root(&tab.store, "chat").incarnation;
    tab.grow_to_threshold();
    let planned = tab.claimed();
    assert_eq!(tab.run(RemoveMine::default()), Ok(()));
    assert_eq!((kept(&tab.store, "chat"), tab.session.summary()), (None, None));
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded);
    assert_eq!(kept(&tab.store, "chat"), None);
    tab.grow_to_threshold();
    tab.claimed();
    assert_ne!(root(&tab.store, "chat").incarnation, before);
}

#[test]
fn removing_takes_the_quarantine_along_whatever_the_state_and_is_harmless_twice() {
    let tab = talked();
    SyncStore::quarantine(&tab.store, "chat", Part::Root, SUMMARY.as_bytes(), "unreadable").expect("kept");
    put_root(&tab.store, "chat", vec![0; 5]);
    remove(&tab);
    assert_eq!((kept(&tab.store, "chat"), tab.store.quarantined("chat").len()), (None, 0));
    remove(&tab);
}
