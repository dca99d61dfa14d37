//! Clearing old results before a model is asked: decided once, recorded, and often enough by itself.

use compaction_governor::{
    policy::{Ignored, Kind, Trigger},
    session::{Claimed, Event, Pin, Report, Undo, Write},
    store::Part,
    transcript::{Entry, Kind as Flags, Role},
    view::{self, Why},
};

use crate::{counting::Counting, fresh, tab::Tab};

/// Turns of a question, a call and a result of `tokens` tokens, until the prompt is at the threshold.
fn work(tab: &mut Tab<Counting>, tokens: u32) {
    let mut n = 0;
    while !tab.session.over_line() {
        let at = tab.session.index().len();
        tab.session.push(Entry::alone(u64::from(at) * 10 + 1, Role::User, 120));
        tab.session.push(Entry {
            kind: Flags::CALL,
            calls: 1,
            ..Entry::alone(u64::from(at) * 10 + 2, Role::Assistant, 80)
        });
        let result = Entry::alone(u64::from(at) * 10 + 3, Role::Tool, tokens);
        tab.session.push(Entry { kind: Flags::RESULT, group: at + 1, ..result });
        n += 1;
    }
    assert!(n > 3);
}

/// The same transcript in another object.
fn show(tab: &Tab<Counting>, owner: u64) -> Tab<Counting> {
    let (mut other, _) = Tab::open(tab.store.another_context(), owner, tab.now);
    other.fixed = tab.fixed;
    for at in 0..tab.session.index().len() {
        other.session.push(tab.session.index().entry(at));
    }
    other
}

fn cleared(tab: &Tab<Counting>) -> Vec<u32> {
    let view = tab.session.view();
    view.check(tab.session.index()).expect("a valid view");
    let pruned = view.parts().iter().filter_map(|part| match part {
        view::Part::Placeholder { index, why: Why::Pruned } => Some(*index),
        _ => None,
    });
    pruned.collect()
}

fn pruned() -> Tab<Counting> {
    let mut tab = fresh();
    work(&mut tab, 2_000);
    let Claimed::Pruned { freed, decision } = tab.claim(Kind::Auto) else { panic!("results are cleared first") };
    assert!(freed >= 26_214 / 10 && decision.pass().is_none(), "{freed} {decision:?}");
    tab
}

#[test]
fn old_results_are_cleared_before_a_model_is_asked_in_one_write_and_survive_a_reload() {
    let mut tab = fresh();
    work(&mut tab, 2_000);
    let commits = tab.store.commits();
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Pruned { .. }));
    assert_eq!(tab.store.commits(), commits + 1);
    assert!(cleared(&tab).len() > 3);
    assert!(tab.view_tokens() + tab.fixed < 26_214);
    let reloaded = show(&tab, 2);
    assert_eq!(reloaded.session.view(), tab.session.view());
    assert_eq!(cleared(&reloaded), cleared(&tab));
}

#[test]
fn what_was_cleared_stays_cleared_and_nothing_else_is_until_it_is_worth_a_cold_cache() {
    let mut tab = pruned();
    let before = cleared(&tab);
    tab.call();
    tab.observe(4);
    assert_eq!(cleared(&tab), before);
    let commits = tab.store.commits();
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Refused(_)));
    assert_eq!(tab.store.commits(), commits);
}

#[test]
fn clearing_is_no_attempt_and_voids_what_was_counted_on_the_older_view() {
    let mut tab = fresh();
    work(&mut tab, 2_000);
    tab.call();
    let (guards, entries) = (tab.session.state().guards.clone(), tab.session.index().len());
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Pruned { .. }));
    let now = tab.session.state().guards.clone();
    assert_eq!(
        (now.ineffective_streak, now.weak_streak, now.attempts_without_progress),
        (0, 0, guards.attempts_without_progress)
    );
    let late = Report { prompt_tokens: 30_000, view_revision: Some(0), sent_at: tab.now, entries };
    assert_eq!(tab.run(Write::new(late)).ignored, Some(Ignored::StaleView));
    assert!(tab.call().ignored.is_none());
}

#[test]
fn where_clearing_is_not_enough_the_model_is_asked_about_what_is_left_in_the_same_claim() {
    let mut tab = fresh();
    for n in 0..34 {
        tab.session.push(Entry::alone(5_000 + n, if n % 2 == 0 { Role::User } else { Role::Assistant }, 800));
    }
    work_one(&mut tab, 4_000);
    tab.observe(4);
    let Claimed::Planned(planned) = tab.claim(Kind::Auto) else { panic!("a pass") };
    assert_eq!(planned.pass.trigger, Trigger::Threshold);
    assert_eq!(tab.session.root().generations.len(), 1, "the clearing");
    assert!(planned.before < 27_200 + 4_080 + 2_000 - 3_900, "counted as it is shown: {}", planned.before);
    tab.commit(&planned, crate::tab::SUMMARY);
    assert_eq!(tab.session.summary(), Some(crate::tab::SUMMARY));
}

fn work_one(tab: &mut Tab<Counting>, tokens: u32) {
    let group = tab.session.index().len();
    tab.session.push(Entry { kind: Flags::CALL, calls: 1, ..Entry::alone(1, Role::Assistant, 80) });
    tab.session.push(Entry { kind: Flags::RESULT, group, ..Entry::alone(2, Role::Tool, tokens) });
}

#[test]
fn clearing_behind_a_summary_keeps_the_summary_byte_for_byte() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.pass();
    let shown = tab.session.shown_summary();
    work(&mut tab, 2_000);
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Pruned { .. }));
    assert_eq!(tab.session.shown_summary(), shown);
    let parts: Vec<Part> = tab.store.bytes().into_iter().map(|(part, _)| part).collect();
    assert!(parts.contains(&Part::Generation(2)), "{parts:?}");
    let reloaded = show(&tab, 2);
    assert_eq!(reloaded.session.shown_summary(), shown);
}

#[test]
fn a_person_who_asks_gets_a_summary_and_an_undo_brings_back_what_was_cleared() {
    let mut tab = fresh();
    work(&mut tab, 2_000);
    assert!(matches!(tab.claim(Kind::Manual), Claimed::Planned(_)));
    assert_eq!(cleared(&tab), [], "nothing is cleared for it");
    let mut tab = pruned();
    let undone = tab.run(Write::new(Undo::new(None))).expect("taken back");
    assert!(undone.after > undone.before);
    assert_eq!(cleared(&tab), []);
    assert_eq!(cleared(&show(&tab, 2)), []);
}

#[test]
fn a_cleared_result_that_is_pinned_later_is_shown_again_with_its_call() {
    let mut tab = pruned();
    let at = cleared(&tab)[1];
    let pin = tab.session.pinnable(at).expect("an entry");
    tab.run(Write::new(Pin(pin))).expect("room enough");
    assert!(!cleared(&tab).contains(&at) && !cleared(&tab).is_empty());
}

#[test]
fn after_a_proven_overflow_clearing_alone_has_to_leave_room() {
    // Where it lands: a prompt of `talk` messages of 500 tokens, and 6,000 tokens of results that can be cleared.
    let claimed_with = |talk: u64| {
        let mut tab = fresh();
        tab.fixed = 0;
        tab.observe(talk);
        for n in 0..3 {
            let group = tab.session.index().len();
            let call = Entry::alone(7_000 + n, Role::Assistant, 10);
            tab.session.push(Entry { kind: Flags::CALL, calls: 1, ..call });
            tab.session.push(Entry { kind: Flags::RESULT, group, ..Entry::alone(8_000 + n, Role::Tool, 2_000) });
        }
        for n in 0..4 {
            tab.session.push(Entry::alone(9_000 + n, Role::User, 10));
        }
        tab.event(Event::Overflow { view_revision: 0, limit: Some(26_000) });
        tab.claim(Kind::Overflow)
    };
    assert!(matches!(claimed_with(30), Claimed::Pruned { .. }), "15,000 of 20,800 is room enough");
    let Claimed::Planned(planned) = claimed_with(38) else { panic!("19,000 of 20,800 is not") };
    assert!((19_000..19_400).contains(&planned.before), "counted as cleared: {}", planned.before);
}

// The fault: an entry that a pass had cut to its beginning and end stayed cut when a person pinned it afterwards.
// What it cost: what was to stay word for word was shown in part.
// What now holds: a pin undoes the cut as it undoes a clearing.
#[test]
fn an_entry_that_was_cut_is_shown_whole_again_once_it_is_pinned() {
    let mut tab = fresh();
    tab.observe(8);
    for id in [70, 80] {
        let call = tab.session.index().len();
        tab.session.push(Entry { kind: Flags::CALL, calls: 1, ..Entry::alone(id, Role::Assistant, 80) });
        let result = Entry { bytes: 45_000, ..Entry::alone(id + 1, Role::Tool, 11_200) };
        tab.session.push(Entry { kind: Flags::RESULT, group: call, ..result });
    }
    let giant = tab.session.index().len() - 1;
    let is_cut = |tab: &Tab<Counting>| {
        tab.session
            .view()
            .parts()
            .iter()
            .any(|part| matches!(part, view::Part::Capped { index, .. } if *index == giant))
    };
    assert!(matches!(tab.claim(Kind::Auto), Claimed::Pruned { .. }));
    assert!(is_cut(&tab), "{:?}", tab.session.view());
    let pin = tab.session.pinnable(giant).expect("there");
    tab.run(Write::new(Pin(pin))).expect("room");
    assert!(!is_cut(&tab), "{:?}", tab.session.view());
}

// The fault: a claim that cleared old results and then cut a giant entry as well stored the second record, and not the first.
// What it cost: the root named a part that was nowhere; the next page took it for damaged and raised an alarm.
// What now holds: all that a claim has made goes into its one commit.
#[test]
fn a_claim_that_clears_and_cuts_stores_both_and_a_reload_misses_nothing() {
    let mut tab = fresh();
    work_one(&mut tab, 2_000);
    work_one(&mut tab, 2_000);
    for n in 0..30 {
        tab.session.push(Entry::alone(5_000 + n, if n % 2 == 0 { Role::User } else { Role::Assistant }, 20));
    }
    let group = tab.session.index().len();
    tab.session.push(Entry { kind: Flags::CALL, calls: 1, ..Entry::alone(70, Role::Assistant, 80) });
    let giant = Entry { bytes: 108_000, ..Entry::alone(71, Role::Tool, 27_000) };
    tab.session.push(Entry { kind: Flags::RESULT, group, ..giant });
    let claimed = tab.claim(Kind::Auto);
    assert!(matches!(claimed, Claimed::Pruned { .. }), "{claimed:?}");
    assert_eq!(tab.session.root().generations.len(), 2, "one that cleared, and one that cut");
    let mut reloaded = show(&tab, 2);
    assert_eq!(reloaded.session.drain_notices(), []);
    assert_eq!(reloaded.session.view(), tab.session.view());
}
