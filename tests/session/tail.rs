//! A session that goes on behind a summary, without the messages that it covers.

use compaction_governor::{
    session::{AmendError, Pin, ResumeError, Undo},
    transcript::{self, Entry, Role},
    view::{Part, Why},
};

use super::*;

/// A session with `entries` messages, one summary, and its verdict.
fn compacted(entries: u64) -> Tab<Counting> {
    let mut tab = fresh();
    tab.observe(entries);
    tab.pass();
    tab
}

/// The same session in another process that holds only what comes behind the summary.
fn tail_of(tab: &Tab<Counting>, owner: u64) -> Tab<Counting> {
    let (mut tail, found) = Tab::open(tab.store.another_context(), owner, tab.now);
    assert_eq!(found, Found::Existing);
    tail.fixed = tab.fixed;
    let after = tail.session.resume_after().expect("nothing else is needed").to_owned();
    tail.observe_behind(&after, tab.entries()).expect("it was named");
    tail
}

fn assert_alike(whole: &Tab<Counting>, tail: &Tab<Counting>) {
    assert_eq!(tail.session.view(), whole.session.view());
    assert_eq!(tail.session.view().check(whole.session.index()), Ok(()));
    assert_eq!(tail.session.shown_summary(), whole.session.shown_summary());
    assert_eq!(tail.session.observation(), whole.session.observation());
    assert_eq!(tail.session.decide(tail.now), whole.session.decide(whole.now));
    assert_eq!(tail.session.root(), whole.session.root());
}

#[test]
fn a_hundred_thousand_messages_opened_behind_the_summary_give_the_same_view_decisions_and_plans() {
    let tab = compacted(100_000);
    assert!(tab.session.view().covered_count() > 99_000);
    let (mut whole, mut tail) = (reopen(&tab, 2), tail_of(&tab, 3));
    assert_alike(&whole, &tail);
    for tab in [&mut whole, &mut tail] {
        tab.grow_to_threshold();
        tab.call();
    }
    assert_alike(&whole, &tail);
    let planned = tail.claimed();
    assert!(matches!(tail.commit(&planned, SUMMARY), Committed::Live { .. }));
    tail.call();
    let (mut whole, tail_again) = (reopen(&tail, 4), tail_of(&tail, 5));
    assert_alike(&whole, &tail_again);
    whole.grow_to_threshold();
    tail.grow_to_threshold();
    assert_eq!(whole.claimed().plan, planned_alike(&mut tail), "and so is the pass after that");
}

#[test]
fn what_was_cleared_behind_a_summary_is_cleared_in_the_tail_as_well() {
    let mut tab = compacted(80);
    let behind = tab.session.view().covered_count();
    while !tab.session.over_line() {
        let at = tab.session.index().len();
        let id = u64::from(at) * 10;
        tab.session.push(Entry::alone(id, Role::User, 120));
        let call = Entry { kind: transcript::Kind::CALL, calls: 1, ..Entry::alone(id + 1, Role::Assistant, 80) };
        tab.session.push(call);
        let result = Entry::alone(id + 2, Role::Tool, 2_000);
        tab.session.push(Entry { kind: transcript::Kind::RESULT, group: at + 1, ..result });
    }
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Pruned { .. }));
    let tail = tail_of_mixed(&tab, behind);
    let cleared = |part: &Part| matches!(part, Part::Placeholder { why: Why::Pruned, .. });
    assert!(tail.session.view().parts().iter().any(cleared));
    assert_eq!(tail.session.view(), tab.session.view());
    assert_eq!(tail.session.shown_summary(), tab.session.shown_summary());
}

#[test]
fn a_tail_goes_on_behind_a_summary_that_was_committed_with_entries_cleared_behind_it() {
    let mut tab = fresh();
    for n in 0..34 {
        tab.session.push(Entry::alone(5_000 + n, if n % 2 == 0 { Role::User } else { Role::Assistant }, 800));
    }
    let group = tab.session.index().len();
    tab.session.push(Entry { kind: transcript::Kind::CALL, calls: 1, ..Entry::alone(1, Role::Assistant, 80) });
    tab.session.push(Entry { kind: transcript::Kind::RESULT, group, ..Entry::alone(2, Role::Tool, 4_000) });
    tab.observe(4);
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    let newest = tab.session.root().generations.last().expect("one").clone();
    assert!(newest.matched_entries.is_some_and(|matched| matched > newest.covered_entries), "{newest:?}");
    let tail = tail_of_mixed(&tab, newest.covered_entries);
    assert_eq!(tail.session.view(), tab.session.view());
}

/// The plan for the same slice, from a process of its own.
fn planned_alike(tail: &mut Tab<Counting>) -> compaction_governor::plan::SlicePlan {
    tail.wait(Millis::secs(601));
    tail.claimed().plan
}

#[test]
fn turns_that_are_kept_are_the_same_ones_where_fewer_of_them_are_held_than_asked_for() {
    let keeping = |turns| Settings {
        keep: Some(compaction_governor::plan::Keep { entries: 1, tokens: 0, turns }),
        ..settings(32_768, None)
    };
    let tab = compacted(80);
    for turns in [1, 3, 200] {
        let plan = |tail: bool, owner| {
            let (mut tab, _) = Tab::open_with(tab.store.another_context(), owner, tab.now, keeping(turns));
            if tail {
                let after = tab.session.resume_after().expect("named").to_owned();
                tab.observe_behind(&after, 80).expect("named");
            } else {
                tab.observe(80);
            }
            tab.grow_to_threshold();
            let claimed = tab.claim(Kind::Manual);
            if let Claimed::Planned(planned) = &claimed {
                tab.event(Event::Cancelled(planned.attempt));
            }
            if let Claimed::Planned(planned) = claimed { Some(planned.plan) } else { None }
        };
        assert_eq!(plan(true, 2), plan(false, 3), "{turns} turns");
    }
}

#[test]
fn a_wrong_id_or_a_changed_head_is_refused_by_name_and_loses_nothing() {
    let tab = compacted(80);
    let bytes = tab.store.bytes();
    let mut other = reopen(&tab, 2);
    for wrong in ["", "m1", "m", "another"] {
        assert_eq!(other.session.resume(wrong, &[]), Err(ResumeError::UnknownId), "{wrong:?}");
    }
    assert_alike(&reopen(&tab, 3), &other);

    let mut tab = fresh();
    let head = [Entry::alone(1, Role::System, 300), Entry::alone(2, Role::System, 40)];
    head.iter().for_each(|entry| tab.session.push(*entry));
    tab.observe(80);
    tab.pass();
    let after = tab.session.resume_after().expect("the head can be given").to_owned();
    let (mut tail, _) = Tab::open(tab.store.another_context(), 2, tab.now);
    for wrong in [&head[..1], &[]] {
        assert_eq!(tail.session.resume(&after, wrong), Err(ResumeError::HeadChanged));
    }
    assert!(tail.session.index().is_empty());
    let edited = [head[0], Entry { id: 3, ..head[1] }];
    assert!(tail.session.resume(&after, &edited).is_ok(), "what a system message says today makes no summary void");
    let more = [head[0], head[1], Entry::alone(9, Role::System, 5)];
    let (taken, next) = tail.session.resume(&after, &more).expect("a system message of the tail is not the head's");
    assert_eq!((taken, next), (2, tab.session.view().covered_count()));
    for at in next..tab.session.index().len() {
        tail.session.push(tab.session.index().entry(at));
    }
    assert_eq!(tail.session.view(), tab.session.view());
    assert_ne!(tab.store.bytes(), bytes);
}

#[test]
fn no_id_is_named_where_the_view_shows_more_of_the_covered_messages_than_the_head() {
    let mut user_pinned = fresh();
    user_pinned.session.push(Entry::alone(1, Role::User, 100));
    (0..80).for_each(|id| user_pinned.session.push(Entry::alone(10 + id, Role::Assistant, 500)));
    user_pinned.pass();
    assert!(!user_pinned.session.root().generations[0].pinned.is_empty());
    assert_eq!(user_pinned.session.resume_after(), None, "the newest user message is covered and shown");

    let mut system_within = fresh();
    system_within.observe(4);
    system_within.session.push(Entry::alone(7, Role::System, 50));
    system_within.grow_to_threshold();
    system_within.pass();
    assert_eq!(system_within.session.resume_after(), None);

    let mut pinned = compacted(80);
    assert!(pinned.session.resume_after().is_some());
    let entry = pinned.session.pinnable(3).expect("an entry");
    pinned.run(Write::rereading(Pin(entry))).expect("room");
    assert_eq!(pinned.session.resume_after(), None);
    let (mut other, _) = Tab::open(pinned.store.another_context(), 2, pinned.now);
    assert_eq!(other.session.resume_after(), None);
    let through = other.session.root().generations[0].covered_entries;
    assert_eq!(other.session.resume(&format!("m{through}"), &[]), Err(ResumeError::UnknownId));
}

#[test]
fn a_result_whose_call_was_not_given_is_told_as_text_as_with_the_whole_transcript() {
    let mut tab = fresh();
    tab.observe(10);
    tab.session.push(Entry { kind: transcript::Kind::CALL, calls: 1, ..Entry::alone(1, Role::Assistant, 50) });
    let call = tab.session.index().len() - 1;
    tab.grow_to_threshold();
    tab.pass();
    let covered = tab.session.view().covered_count();
    assert!(covered > call + 1);
    let mut tail = tail_of_mixed(&tab, covered);
    let result = Entry { kind: transcript::Kind::RESULT, ..Entry::alone(2, Role::Tool, 40) };
    tab.session.push(Entry { group: call, ..result });
    tail.session.push(Entry { group: covered - 1, ..result });
    let late = tab.session.index().len() - 1;
    assert!(tail.session.view().parts().contains(&Part::Placeholder { index: late, why: Why::LateResult }));
    assert_eq!(tail.session.view(), tab.session.view());
}

fn tail_of_mixed(tab: &Tab<Counting>, covered: u32) -> Tab<Counting> {
    let (mut tail, _) = Tab::open(tab.store.another_context(), 2, tab.now);
    tail.session.resume(&format!("m{covered}"), &[]).expect("it was named");
    for at in covered..tab.session.index().len() {
        tail.session.push(tab.session.index().entry(at));
    }
    tail
}

#[test]
fn a_tail_whose_summary_another_tab_took_back_starts_no_pass_and_asks_for_the_whole_conversation() {
    let tab = compacted(80);
    let mut tail = tail_of(&tab, 2);
    let undo = || Write::rereading(Undo::new(None));
    assert_eq!(tail.run(undo()), Err(AmendError::NeedsTranscript));
    assert!(!tail.session.lacks_transcript());
    reopen(&tab, 3).run(undo()).expect("with the whole conversation");
    tail.grow_to_threshold();
    assert!(matches!(tail.claim(Kind::Auto), Claimed::Refused(_)), "decided again on what the store holds");
    assert!(tail.session.lacks_transcript());
    for kind in [Kind::Auto, Kind::Manual, Kind::Overflow] {
        let Claimed::Refused(decision) = tail.claim(kind) else { panic!("{kind:?}: of what is not there") };
        assert!(matches!(decision.action, Action::Hold(Hold::Disabled)), "{decision:?}");
    }
    tail.session.truncate(0);
    for at in 0..80 {
        tail.session.push(tab.session.index().entry(at));
    }
    assert!(!tail.session.lacks_transcript() && tail.session.decide(tail.now).pass().is_some());
}
