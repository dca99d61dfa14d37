//! Public reports of two writers in one session, and of what happens while a summary is written; rebuilt small.

use compaction_governor::{
    session::{Pin, Pinnable},
    view::Part,
};

use super::*;

/// Entries behind the summary, in the order in which they are sent.
fn tail(tab: &Tab<Counting>) -> Vec<u32> {
    let view = tab.session.view();
    let mut entries = Vec::new();
    for part in view.parts().iter().skip_while(|part| view.covered_count() > 0 && !matches!(part, Part::Summary { .. }))
    {
        if let Part::Verbatim { from, to } = *part {
            entries.extend(from..to);
        }
    }
    entries
}

// The fault: the history was cloned, a model asked for seconds, then everything replaced: a note that came in between
// was overwritten.
// What it cost: what a sub-agent had found.
// What now holds: a commit replaces the slice that was summarised and nothing else.
#[test]
fn c01_what_comes_during_a_pass_is_behind_its_summary() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    let (cut, before) = (planned.plan.cut, tab.entries() as u32);
    tab.observe(tab.entries() + 1);
    tab.call();
    tab.observe(tab.entries() + 2);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    let expected: Vec<u32> = (cut..before + 3).collect();
    assert_eq!(tail(&tab), expected);
}

// The fault: a stale warm summary counted as final, and the pass did nothing, each turn again.
// What it cost: 10 of 14 passes without any effect, and without a word.
// What now holds: a summary of a slice that has changed since is dropped, said so, and the next pass may start at once.
#[test]
fn c03_a_summary_that_an_edit_overtook_is_dropped_and_written_again() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.session.truncate(planned.plan.cut - 1);
    for id in 0..40 {
        tab.session.push(compaction_governor::transcript::Entry::alone(
            9_000 + id,
            compaction_governor::transcript::Role::User,
            900,
        ));
    }
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded);
    assert_eq!(tab.session.summary(), None);
    let again = tab.claimed();
    assert!(matches!(tab.commit(&again, SUMMARY), Committed::Live { .. }));
}

// The fault: a background reviewer and a late event both compacted one session, and it forked.
// What it cost: 145,000 tokens summarised twice, and one of two children that nobody could see any more.
// What now holds: one of two claims wins; who comes later, with whatever it believed, works on what the first one left.
#[test]
fn c04_two_agents_that_compact_one_session_make_one_line_of_summaries() {
    let mut main = fresh();
    main.grow_to_threshold();
    let mut reviewer = {
        let (mut tab, _) = Tab::open(main.store.another_context(), 2, main.now);
        tab.observe(main.entries());
        tab
    };
    let planned = main.claimed();
    assert!(matches!(reviewer.claim(Kind::Auto), Claimed::Refused(_)), "at the same moment");
    main.commit(&planned, SUMMARY);
    main.call();
    reviewer.grow_to_threshold();
    assert!(matches!(reviewer.claim(Kind::Auto), Claimed::Refused(_)), "later, when that summary serves both");
    reviewer.grow_to_threshold();
    let later = reviewer.claimed();
    assert_eq!(later.previous, Some(1), "and when it is due, on the summary it had not written");
    reviewer.commit(&later, SUMMARY);
    let third = reopen(&main, 3);
    let numbers: Vec<u32> = third.session.root().generations.iter().map(|generation| generation.number).collect();
    assert_eq!(numbers, [1, 2]);
}

// The fault: any error of the lock store counted as "no lock needed here".
// What it cost: two passes at once, of which the later one overwrote the earlier.
// What now holds: a store that fails in the middle costs at most a call; when it answers again one summary is live.
#[test]
fn c05_a_store_that_fails_once_while_another_tab_compacts_leaves_one_live_summary() {
    let mut first = fresh();
    first.grow_to_threshold();
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    second.observe(first.entries());
    let planned = first.claimed();
    second.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let Claimed::Planned(late) = second.claim(Kind::Auto) else { panic!("memory goes on, and knows of nobody") };
    second.store.refuse(None);
    first.commit(&planned, SUMMARY);
    second.commit(&late, "The user asked for something else entirely. Done: nothing. Open: all of it.");
    second.wait(Millis::secs(120));
    second.settle();
    for tab in [&reopen(&first, 3), &second] {
        assert_eq!((tab.session.root().generations.len(), tab.session.summary()), (1, Some(SUMMARY)));
    }
}

// The fault: a message sent while a summary was written was acknowledged, and then lost with the replaced history.
// What it cost: the user's words, twice within 0.7 s.
// What now holds: both stand once, in order, behind the summary, whether the pass lands, fails, is given up or reloaded.
#[test]
fn c06_sd11_two_prompts_during_a_pass_are_there_once_and_in_order_whatever_becomes_of_it() {
    for outcome in ["lands", "fails", "given up", "reloaded"] {
        let mut tab = fresh();
        tab.grow_to_threshold();
        let planned = tab.claimed();
        let prompts = [tab.entries() as u32, tab.entries() as u32 + 1];
        tab.wait(Millis(400));
        tab.observe(tab.entries() + 1);
        tab.wait(Millis(700));
        tab.observe(tab.entries() + 1);
        match outcome {
            "lands" => drop(tab.commit(&planned, SUMMARY)),
            "fails" => tab.fail(&planned, FailureClass::Timeout),
            "given up" => drop(tab.event(Event::Cancelled(planned.attempt))),
            _ => tab = reopen(&tab, 2),
        }
        let sent = tail(&tab);
        assert!(sent.ends_with(&prompts), "{outcome}: {sent:?}");
        assert_eq!(tab.session.view().check(tab.session.index()), Ok(()), "{outcome}");
        assert_eq!(tab.session.summary().is_some(), outcome == "lands", "{outcome}");
    }
}

// The fault: a pass that was cancelled while it replaced the history left an empty one.
// What it cost: the conversation.
// What now holds: given up, answered late, or unanswered by the store: the view is the old one or the new one, whole.
#[test]
fn c08_a_pass_cancelled_around_its_commit_leaves_the_old_view_or_the_new_one() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    let before = tab.session.view();
    tab.event(Event::Cancelled(planned.attempt));
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded);
    assert_eq!(tab.session.view(), before);
    let planned = tab.claimed();
    tab.store.lose_next_answer();
    tab.commit(&planned, SUMMARY);
    tab.event(Event::Cancelled(planned.attempt));
    let reloaded = reopen(&tab, 2);
    assert_eq!(reloaded.session.view(), tab.session.view());
    assert_eq!(reloaded.session.summary(), Some(SUMMARY), "too late to give up: it is committed, once");
}

// The fault: results were told apart by session only: a late one of pass A cleared or overwrote pass B.
// What it cost: a good summary replaced by an error's text.
// What now holds: what an attempt that was overtaken says, commit or failure, changes nothing.
#[test]
fn c09_the_late_end_of_an_overtaken_pass_changes_nothing() {
    let mut first = fresh();
    first.grow_to_threshold();
    let late = first.claimed();
    let mut second = reopen(&first, 2);
    second.wait(Millis::secs(601));
    let planned = second.claimed();
    first.now = second.now;
    first.fail(&late, FailureClass::Other);
    assert!(matches!(second.commit(&planned, SUMMARY), Committed::Live { .. }));
    first.fail(&late, FailureClass::Quota);
    let state = reopen(&first, 3).session.state().clone();
    assert_eq!((state.guards.failures.cooldown, &state), (None, second.session.state()));
}

// The fault: each tab wrote its whole memory, and the one that saved last won.
// What it cost: five messages' worth of state of the other tab.
// What now holds: what both tabs did is in the record.
#[test]
fn c10_a_second_tab_does_not_overwrite_what_the_first_one_did() {
    let mut first = fresh();
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    second.observe(4);
    first.grow_to_threshold();
    first.spoilt_pass(16_000);
    second.run(Write::rereading(Pin(Pinnable::Text("one".to_owned())))).expect("room");
    first.run(Write::new(Pin(Pinnable::Text("two".to_owned())))).expect("room");
    second.report(9_000);
    let third = reopen(&first, 3);
    assert_eq!((third.session.state().guards.weak_streak, third.session.summary()), (1, Some(SUMMARY)));
    assert_eq!(third.session.pins().texts, ["one", "two"]);
}

// The fault: a write gave up after losing 64 races in a row, which four tabs that write at once bring about.
// What it cost: a pin that only memory held, and a page that was told `degraded` under a store that worked.
// What now holds: 250 lost races in a row are no failure, and a rival that never stops still ends the write.
#[test]
fn a_write_that_loses_many_races_in_a_row_is_written_and_one_that_loses_all_ends() {
    let mut tab = fresh();
    tab.run(Write::rereading(Pin(Pinnable::Text("first".to_owned())))).expect("room");
    tab.store.overtake(250);
    tab.run(Write::rereading(Pin(Pinnable::Text("second".to_owned())))).expect("room");
    assert_eq!(reopen(&tab, 2).session.pins().texts, ["first", "second"]);
    let calls = tab.store.calls();
    tab.store.overtake(u32::MAX);
    tab.run(Write::rereading(Pin(Pinnable::Text("third".to_owned())))).expect("kept in memory");
    assert!(tab.store.calls() - calls < 1_000, "{} calls", tab.store.calls() - calls);
    tab.store.overtake(0);
    assert_eq!(reopen(&tab, 3).session.pins().texts, ["first", "second"]);
    tab.wait(Millis::secs(120));
    tab.settle();
    assert_eq!(reopen(&tab, 4).session.pins().texts, ["first", "second", "third"]);
}

// The fault: whether anybody was at work was looked at once, and not again when the history was replaced.
// What it cost: a run that began 50 ms after the look worked on a history that was taken away under it.
// What now holds: every way to begin claims in the store, and what a run appended or another tab committed meanwhile stands.
#[test]
fn c07_between_a_look_and_a_claim_another_run_may_begin_and_only_one_of_them_does() {
    for kind in [Kind::Auto, Kind::Manual, Kind::Overflow] {
        let mut first = fresh();
        first.grow_to_threshold();
        let mut second = reopen_new(&first);
        assert!(first.session.should_compact(first.now) && second.session.should_compact(second.now), "both looked");
        first.wait(Millis(50));
        let planned = first.claimed();
        assert!(matches!(second.claim(kind), Claimed::Refused(_)), "{kind:?}: the look is not what counts");
        second.observe(second.entries() + 2);
        second.call();
        first.observe(second.entries());
        assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
        let entries = first.entries() as u32;
        assert_eq!(
            tail(&first),
            (planned.plan.cut..entries).collect::<Vec<u32>>(),
            "{kind:?}: what the run said stands"
        );
    }
}

// The fault: a writer that met a lock held by somebody else gave up at once, with an error that spoke of the disk.
// What it cost: the turn of the user, and an hour of looking in the wrong place.
// What now holds: the turn goes on in memory, `busy` says what it is, and the next try writes what was held back.
#[test]
fn c11_a_store_that_somebody_else_holds_for_two_seconds_costs_no_turn_and_is_named() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.store.refuse(Some(StoreErrorKind::Busy));
    let planned = tab.claimed();
    assert_eq!(tab.session.trouble().map(|trouble| trouble.code()), Some("busy"));
    tab.wait(Millis::secs(2));
    tab.store.refuse(None);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert!(tab.call().verdict.is_some());
    tab.wait(Millis::secs(60));
    tab.settle();
    assert_eq!(tab.session.trouble().map(|trouble| trouble.code()), None);
    assert_eq!(reopen(&tab, 2).session.summary(), Some(SUMMARY));
}

fn reopen_new(tab: &Tab<Counting>) -> Tab<Counting> {
    let (mut other, _) = Tab::open(tab.store.another_context(), 2, tab.now);
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}
