//! Class 7: wrong counts and windows.

use compaction_governor::{
    config::Config,
    policy::{Action, Confidence, Hold, Kind},
    session::{Claimed, Event, Settings},
};

use crate::{START, counting::Counting, may_start, tab, tab::SUMMARY, tab::Tab};

#[test]
fn t06_without_usage_the_estimate_decides_and_says_so() {
    // The fault: absent usage was read as zero tokens.
    // What it cost: a task of 40 items died at item 8, at the window.
    // What now holds: absent is not zero; the estimate decides, marked as one.
    let mut tab = tab(65_536, 52_428);
    tab.observe(110);
    tab.event(Event::StepWithoutUsage { view_revision: 0 });
    let decision = tab.session.decide(tab.now);
    assert!(decision.pass().is_some());
    assert_eq!(decision.confidence, Confidence::Estimated);
}

#[test]
fn t08_an_unknown_window_holds_and_the_first_refusal_teaches_it() {
    // The fault: without a declared window nothing was ever compacted.
    // What it cost: requests of 1.43 million tokens.
    // What now holds: unknown is said; a refusal that names the limit makes it known.
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, Settings::default());
    tab.observe(100);
    tab.call();
    assert_eq!(tab.session.decide(tab.now).action, Action::Hold(Hold::WindowUnknown));
    tab.event(Event::Overflow { view_revision: 0, limit: Some(48_000) });
    assert!(matches!(tab.claim(Kind::Overflow), Claimed::Planned(_)));
}

#[test]
fn t09_an_output_limit_of_the_whole_window_leaves_room_to_work() {
    // The fault: a default output limit of 32,000 in a window of 16,384 left nothing usable.
    // What it cost: 30 passes in a quarter of an hour.
    // What now holds: a fifth of the window stays usable, whatever the output limit.
    let config = Config { context_window: Some(16_384), max_output: Some(32_000), ..Config::default() };
    let lines = config.lines(16_384, 0);
    assert!(lines.threshold >= 16_384 / 5 * 85 / 100, "{lines:?}");
}

#[test]
fn t13_the_first_prompt_after_a_pass_starts_no_other() {
    // The fault: usage from before the pass was read, because something other than a reply followed it.
    // What it cost: two passes in a row, the second on almost nothing.
    // What now holds: a count belongs to the view it was made of.
    let mut tab = tab(64_000, 48_000);
    tab.grow_to_threshold();
    tab.report(52_000);
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.observe(tab.entries() + 2);
    assert!(!may_start(&tab));
}

#[test]
fn t14_what_the_summariser_used_is_no_reading() {
    // The fault: the summary call's own usage was judged as the conversation's.
    // What it cost: an unattended run ended after its first pass.
    // What now holds: it is added to what was spent, and moves nothing else.
    let mut tab = tab(128_000, 96_000);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    assert_eq!(tab.session.root().spent_tokens, 900);
    assert!(tab.session.observation().occupancy < 60_000);
    assert!(!may_start(&tab));
}

#[test]
fn t19_a_long_tool_loop_is_compacted_inside_its_turn() {
    // The fault: the threshold was looked at between user turns only.
    // What it cost: from 150,000 to 287,000 tokens in a window of 200,000 without a pass.
    // What now holds: due is due, once the open calls are answered.
    use compaction_governor::transcript::{Entry, Kind as Flags, Role};
    let mut tab = tab(64_000, 48_000);
    tab.observe(2);
    for n in 0..40_u32 {
        let group = tab.session.index().len();
        let call = Entry { kind: Flags::CALL, calls: 1, ..Entry::alone(u64::from(n) * 2, Role::Assistant, 200) };
        tab.session.push(call);
        let result = Entry { kind: Flags::RESULT, group, ..Entry::alone(u64::from(n) * 2 + 1, Role::Tool, 1_200) };
        tab.session.push(result);
    }
    let Claimed::Planned(planned) = tab.claim(Kind::Auto) else { panic!("refused") };
    assert!(planned.plan.cut > 10, "{:?}", planned.plan);
}
