//! What a store lost, rolled back or cannot read any more: said, survived, and never said wrongly.

use compaction_governor::{
    policy::Phase,
    session::{Found, Loss, Notice, Remove, Settle},
    store::{Mark, Part},
    summary::Finish,
};

use super::losing::Losing;
use super::*;

fn open(store: &Losing, owner: u64) -> (Tab<Losing>, Found) {
    Tab::open(store.clone(), owner, START)
}

/// The same transcript in front of a session opened anew.
fn reload(tab: &Tab<Losing>, owner: u64) -> (Tab<Losing>, Found) {
    let (mut next, found) = Tab::open(tab.store.clone(), owner, tab.now);
    next.fixed = tab.fixed;
    next.observe(tab.entries());
    (next, found)
}

/// One effective pass, judged: three commits, one generation.
fn worked() -> Tab<Losing> {
    let (mut tab, found) = open(&Losing::default(), 1);
    assert_eq!(found, Found::New);
    tab.grow_to_threshold();
    assert_eq!(tab.pass().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
    tab.session.drain_notices();
    tab
}

fn losses(tab: &mut Tab<Losing>) -> Vec<Loss> {
    let notices = tab.session.drain_notices().into_iter();
    notices.filter_map(|notice| if let Notice::Loss(loss) = notice { Some(loss) } else { None }).collect()
}

#[test]
fn a_database_that_was_lost_is_reported_once_and_counts_as_one_strike() {
    let tab = worked();
    tab.store.wipe();
    let (mut lost, found) = reload(&tab, 2);
    assert_eq!((found, found.code()), (Found::Lost, "lost"));
    assert_eq!(losses(&mut lost), [Loss::Lost]);
    assert_eq!(lost.session.state().guards.weak_streak, 1);
    assert!(lost.session.over_line(), "the whole transcript is the view again");
    assert!(lost.session.should_compact(lost.now), "and may be compacted");
    let (mut again, found) = reload(&lost, 3);
    assert_eq!((found, losses(&mut again)), (Found::Existing, vec![]));
    assert_eq!(again.session.state().guards.weak_streak, 1);
}

#[test]
fn a_record_that_was_rolled_back_is_reported_with_both_revisions_and_forgets_no_strike() {
    let tab = worked();
    let acknowledged = tab.store.revision().expect("written");
    tab.store.roll_back(2);
    let (mut back, found) = reload(&tab, 2);
    assert_eq!((found, found.code()), (Found::RolledBack, "rolled_back"));
    assert_eq!(losses(&mut back), [Loss::RolledBack { expected: acknowledged, found: acknowledged - 2 }]);
    assert_eq!(back.session.state().guards.weak_streak, 1);
    let (mut again, found) = reload(&back, 3);
    assert_eq!((found, losses(&mut again)), (Found::Existing, vec![]));
}

#[test]
fn a_second_memory_that_lags_or_is_gone_never_raises_an_alarm() {
    let tab = worked();
    for mark in [None, tab.store.with(|kept| kept.mark.map(|mark| Mark { revision: 1, ..mark }))] {
        tab.store.with(|kept| kept.mark = mark);
        let (mut next, found) = reload(&tab, 2);
        assert_eq!((found, losses(&mut next)), (Found::Existing, vec![]));
        assert_eq!(tab.store.with(|kept| kept.mark).map(|mark| mark.revision), tab.store.revision(), "it catches up");
    }
}

#[test]
fn after_a_loss_a_second_memory_that_forgot_the_last_seconds_does_not_tell_of_it_again() {
    type Lose = fn(&Losing);
    let ways: [(Lose, Found); 2] = [(Losing::wipe, Found::Lost), (|store| store.roll_back(2), Found::RolledBack)];
    for (lose, expected) in ways {
        let tab = worked();
        let old = tab.store.with(|kept| kept.mark);
        lose(&tab.store);
        let (next, found) = reload(&tab, 2);
        assert_eq!(found, expected);
        tab.store.with(|kept| kept.mark = old);
        assert_eq!(reload(&next, 3).1, Found::Existing);
    }
}

#[test]
fn a_session_that_was_removed_is_new_and_one_that_was_begun_again_elsewhere_is_itself() {
    let mut tab = worked();
    let old = tab.store.with(|kept| kept.mark);
    tab.run(Remove::default()).expect("removed");
    assert_eq!(open(&tab.store, 2).1, Found::New);
    tab.grow_to_threshold();
    tab.claimed();
    tab.store.with(|kept| kept.mark = old);
    assert_eq!(reload(&tab, 4).1, Found::Existing, "begun again by the one that removed it");
    tab.run(Remove::default()).expect("removed");
    let (mut new, found) = open(&tab.store, 2);
    assert_eq!(found, Found::New);
    new.grow_to_threshold();
    new.pass();
    tab.store.with(|kept| kept.mark = old);
    let (mut next, found) = reload(&new, 3);
    assert_eq!((found, losses(&mut next)), (Found::Existing, vec![]), "the mark is of another incarnation");
}

#[test]
fn a_commit_or_a_removal_by_another_tab_between_the_questions_is_no_loss() {
    let tab = worked();
    let mark = tab.store.with(|kept| kept.mark).expect("kept");
    tab.store.with(|kept| {
        kept.meanwhile = Some(Box::new(move |kept| {
            kept.mark = Some(Mark { revision: mark.revision + 1, ..mark });
        }));
    });
    assert_eq!(reload(&tab, 2).1, Found::Existing, "loaded before, marked after");
    tab.store.wipe();
    tab.store.with(|kept| {
        kept.mark = Some(mark);
        kept.meanwhile = Some(Box::new(|kept| kept.mark = None));
    });
    assert_eq!(reload(&tab, 3).1, Found::New, "removed meanwhile");
}

#[test]
fn a_database_wiped_under_a_live_session_is_reported_and_written_again_whole() {
    let mut tab = worked();
    tab.grow_to_threshold();
    tab.store.wipe();
    tab.claimed();
    assert_eq!(losses(&mut tab), [Loss::Lost]);
    assert_eq!(tab.session.state().guards.weak_streak, 0, "nothing is unknown to who was there");
    let (next, found) = reload(&tab, 2);
    assert_eq!((found, next.session.summary()), (Found::Existing, Some(SUMMARY)));
}

#[test]
fn a_record_that_is_gone_without_a_witness_was_removed_and_is_not_written_again() {
    let mut tab = worked();
    tab.grow_to_threshold();
    tab.store.with(|kept| kept.no_second_memory = true);
    tab.store.wipe();
    tab.claimed();
    assert_eq!((losses(&mut tab), tab.session.summary()), (vec![], None));
}

#[test]
fn a_session_removed_by_another_tab_is_no_loss_to_the_one_that_goes_on() {
    let mut tab = worked();
    let (mut other, _) = reload(&tab, 2);
    other.run(Remove::default()).expect("removed");
    let old = Some(Mark { incarnation: tab.session.root().incarnation, revision: 1_000 });
    tab.grow_to_threshold();
    tab.claimed();
    assert_eq!(losses(&mut tab), []);
    tab.store.with(|kept| kept.mark = old);
    assert_eq!(reload(&tab, 3).1, Found::Existing, "what it wrote again is another life");
}

#[test]
fn an_older_state_served_under_a_live_session_is_overwritten_by_what_it_knows() {
    let mut tab = worked();
    tab.grow_to_threshold();
    tab.store.roll_back(2);
    tab.claimed();
    assert!(matches!(losses(&mut tab)[..], [Loss::RolledBack { .. }]));
    assert_eq!(tab.session.summary(), Some(SUMMARY));
    let (next, found) = reload(&tab, 2);
    assert_eq!((found, next.session.summary()), (Found::Existing, Some(SUMMARY)));
}

#[test]
fn a_loss_behind_a_store_that_did_not_answer_at_first_is_told_when_it_does() {
    let tab = worked();
    tab.store.wipe();
    tab.store.with(|kept| kept.away = true);
    let (mut late, found) = reload(&tab, 2);
    assert_eq!((found, losses(&mut late)), (Found::Unknown, vec![]));
    assert_eq!(late.session.trouble().map(|error| (error.code(), error.recover.code())), Some(("timeout", "retry")));
    tab.store.with(|kept| (kept.away, kept.budget) = (false, Some(0)));
    for _ in 0..3 {
        late.wait(Millis::secs(120));
        late.run(Write::rereading(Settle));
    }
    assert_eq!(losses(&mut late), [Loss::Lost], "once, though it cannot be written yet");
    assert_eq!(late.session.trouble().map(|error| error.code()), Some("quota_exceeded"));
    late.store.with(|kept| kept.budget = None);
    late.wait(Millis::secs(120));
    late.settle();
    assert_eq!(late.session.trouble(), None);
    assert_eq!(late.session.state().guards.weak_streak, 1, "the strike that stood in for it stays");
}

// The fault: a store that could not read its own record answered every later load of a live session alike.
// What it cost: the session stayed in memory until the next page, and lost what it learned with that one.
// What now holds: memory is written over it, the store keeps what it had in the quarantine, and it is said once.
#[test]
fn a_record_that_the_store_cannot_read_any_more_is_written_over_by_a_live_session() {
    let mut tab = worked();
    tab.grow_to_threshold();
    tab.store.with(|kept| kept.root_unreadable = true);
    let planned = tab.claimed();
    assert_eq!(losses(&mut tab), [Loss::Unreadable { part: Part::Root }]);
    assert_eq!(tab.durability(), Durability::Durable);
    tab.commit(&planned, SUMMARY);
    assert_eq!(losses(&mut tab), []);
    let (next, found) = reload(&tab, 2);
    assert_eq!((found, next.session.root().compactions), (Found::Existing, 2));
    assert_eq!(next.session.root().generations.len(), 2);
    assert!(next.session.root().generations.iter().all(|one| next.session.text(one.number) == Some(SUMMARY)));
}

#[test]
fn a_record_that_turns_unreadable_between_two_commits_is_written_over() {
    let mut tab = worked();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.store.with(|kept| kept.root_unreadable = true);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(tab.durability(), Durability::Durable);
    assert_eq!(reload(&tab, 2).1, Found::Existing);
}

#[test]
fn root_bytes_that_turn_bad_under_a_live_session_are_kept_and_written_over() {
    let mut tab = worked();
    tab.grow_to_threshold();
    tab.store.spoil(Part::Root);
    let bad = tab.store.part(Part::Root).expect("written");
    tab.store.with(|kept| kept.states.last_mut().expect("written").revision += 1);
    tab.claimed();
    assert_eq!(tab.store.with(|kept| kept.quarantine.clone()), [(Part::Root, bad)]);
    assert_eq!(reload(&tab, 2).1, Found::Existing);
}

#[test]
fn a_summary_that_cannot_be_read_is_kept_aside_and_the_view_shows_what_is_left() {
    let mut tab = worked();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    assert!(matches!(tab.commit(&planned, "Second: the same, and more."), Committed::Live { .. }));
    let newest = tab.session.root().generations.last().expect("two").number;
    let before = tab.session.state().view_revision;
    tab.store.spoil(Part::Generation(newest));
    let bad = tab.store.part(Part::Generation(newest)).expect("written");
    let (mut next, found) = reload(&tab, 2);
    assert_eq!((found, found.code()), (Found::Quarantined, "quarantined"));
    assert_eq!(losses(&mut next), [Loss::Unreadable { part: Part::Generation(newest) }]);
    assert_eq!(next.session.summary(), Some(SUMMARY), "the one before it");
    assert_eq!(next.session.state().phase, Phase::Idle, "nobody will read a prompt of the view it was to judge");
    assert_eq!(next.session.state().view_revision, before + 1);
    assert!(!next.session.state().guards.tripped(), "the root was whole");
    assert_eq!(tab.store.with(|kept| kept.quarantine.clone()), [(Part::Generation(newest), bad)]);
    assert!(!tab.store.names().contains(&Part::Generation(newest)), "and gone from the records");
    let (mut again, found) = reload(&next, 3);
    assert_eq!((found, losses(&mut again)), (Found::Existing, vec![]));
}

#[test]
fn a_summary_that_turns_bad_under_a_session_that_holds_it_is_written_again() {
    let mut tab = worked();
    let part = Part::Generation(tab.session.root().generations[0].number);
    let good = tab.store.part(part);
    tab.store.spoil(part);
    let bad = tab.store.part(part).expect("written");
    tab.store.with(|kept| kept.states.last_mut().expect("written").revision += 1);
    tab.run(Write::rereading(Settle));
    assert_eq!(losses(&mut tab), [Loss::Unreadable { part }]);
    assert_eq!((tab.session.summary(), tab.store.part(part)), (Some(SUMMARY), good));
    assert_eq!(tab.store.with(|kept| kept.quarantine.clone()), [(part, bad)]);
}

#[test]
fn a_record_that_the_store_cannot_read_on_opening_is_rebuilt_tripped_and_written() {
    let tab = worked();
    tab.store.with(|kept| kept.root_unreadable = true);
    let (mut next, found) = reload(&tab, 2);
    assert_eq!((found, losses(&mut next)), (Found::Quarantined, vec![Loss::Unreadable { part: Part::Root }]));
    assert!(next.session.state().guards.tripped());
    let (again, found) = reload(&next, 3);
    assert_eq!((found, again.session.state().guards.tripped()), (Found::Existing, true));
}

#[test]
fn pins_that_cannot_be_read_are_kept_aside_and_said() {
    let mut tab = worked();
    let pin =
        compaction_governor::session::Pin(compaction_governor::session::Pinnable::Text("Never push to main.".into()));
    tab.run(Write::rereading(pin)).expect("pinned");
    tab.store.spoil(Part::Generation(0));
    let (mut next, found) = reload(&tab, 2);
    assert_eq!((found, losses(&mut next)), (Found::Quarantined, vec![Loss::Unreadable { part: Part::Generation(0) }]));
    assert_eq!(tab.store.with(|kept| kept.quarantine.len()), 1);
    assert_eq!(reload(&next, 3).1, Found::Existing);
}

#[test]
fn a_summary_of_a_newer_release_is_neither_shown_nor_touched() {
    let tab = worked();
    let number = tab.session.root().generations[0].number;
    tab.store.replace(Part::Generation(number), FUTURE_SUMMARY.to_vec());
    let (mut next, found) = reload(&tab, 2);
    assert_eq!((found, losses(&mut next), next.session.summary()), (Found::Existing, vec![], None));
    next.grow_to_threshold();
    next.pass();
    assert_eq!(tab.store.part(Part::Generation(number)).as_deref(), Some(FUTURE_SUMMARY));
}

#[test]
fn a_record_of_a_newer_release_is_read_only_and_never_overwritten() {
    let (mut tab, _) = open(&Losing::default(), 1);
    tab.grow_to_threshold();
    tab.claimed();
    tab.store.replace(Part::Root, FUTURE_ROOT.to_vec());
    let (mut next, found) = reload(&tab, 2);
    assert_eq!((found, next.durability()), (Found::ReadOnly, Durability::Degraded));
    next.grow_to_threshold();
    assert_eq!(next.session.decide(next.now).reason(), "disabled");
    next.settle();
    // And under a session that was live when the newer release came.
    tab.store.with(|kept| kept.states.last_mut().expect("written").revision += 1);
    tab.settle();
    tab.event(Event::Reset);
    assert_eq!((tab.durability(), tab.store.part(Part::Root).as_deref()), (Durability::Degraded, Some(FUTURE_ROOT)));
}

const FUTURE_ROOT: &[u8] = include_bytes!("../golden/root-v2-future.bin");
const FUTURE_SUMMARY: &[u8] = include_bytes!("../golden/summary-v2-future.bin");

// The fault: summaries that were dropped while the store was away were still in it when it was back, for ever.
// What it cost: text that a person had taken back stayed on the disk.
// What now holds: the next commit deletes every part that the root does not name.
#[test]
fn parts_dropped_while_the_store_was_away_are_deleted_when_it_is_back() {
    let mut tab = worked();
    let number = tab.session.root().generations[0].number;
    tab.store.with(|kept| kept.budget = Some(0));
    tab.run(Write::rereading(compaction_governor::session::Undo::new(None))).expect("taken back");
    assert!(tab.store.names().contains(&Part::Generation(number)));
    assert_eq!(tab.durability(), Durability::Degraded);
    tab.store.with(|kept| kept.budget = None);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(tab.store.names(), [Part::Root]);
}

#[test]
fn parts_that_no_root_names_are_deleted_with_the_next_commit_but_for_those_of_a_later_release() {
    let tab = worked();
    tab.store.replace(Part::Generation(u32::MAX), vec![1]);
    let (mut next, _) = reload(&tab, 2);
    next.grow_to_threshold();
    let planned = next.claimed();
    next.run(Write::new(compaction_governor::session::Commit {
        attempt: planned.attempt,
        text: SUMMARY.to_owned(),
        finish: Finish::Stop,
        fallback: false,
        spent: 0,
        carry: String::new(),
        through: String::new(),
    }));
    assert!(next.store.names().contains(&Part::Generation(u32::MAX)));
    next.store.replace(Part::Generation(1), vec![1]);
    let dropped = next.session.root().generations.iter().all(|generation| generation.number != 1);
    if dropped {
        let (mut last, _) = reload(&next, 3);
        last.grow_to_threshold();
        last.claimed();
        assert!(!last.store.names().contains(&Part::Generation(1)));
    }
}
