//! The scenario seeds that play on a whole session, by number.

use compaction_governor::{
    policy::{Action, Block, Exit, FailureClass, Hold, Ignored, Kind, Verdict, Wait},
    session::{Claimed, Event, Report, Write},
    time::Millis,
    view::Part,
};

use crate::{
    START, block,
    counting::Counting,
    may_start,
    policy::Session as Policy,
    reload, settings, tab,
    tab::{SUMMARY, Tab},
};

/// SD-01 up to the armed guard, in thousandths of the window: two passes in a row that saved less than a tenth.
fn armed() -> Policy {
    let mut session = Policy::new();
    for (before, after) in [(820, 780), (810, 775)] {
        // Far enough apart that the passes do not count as refilling (rule 9).
        session.calls += 4;
        session.prompt = before;
        session.begins();
        let _ = session.commits(after);
        assert_eq!(session.reports().map(|settled| settled.verdict), Some(Verdict::Weak));
        session.now += 60;
    }
    session
}

// seeds: C1, C2, C3, C4
#[test]
fn sd_01_two_weak_passes_block_until_time_or_growth_and_never_without_an_exit() {
    let blocked = || {
        let mut session = armed();
        session.prompt = 810;
        let decision = session.decides();
        let Action::Blocked(why) = decision.action else { panic!("{decision:?}") };
        assert_eq!(why.reason, Block::Ineffective);
        assert_eq!(why.unblocks_at_tokens, Some(930), "a fifth above 775");
        assert!(why.retry_at.is_some_and(|at| at > session.now()), "{why:?}");
        session
    };
    let mut by_time = blocked();
    by_time.now += 400;
    assert_eq!(by_time.exit(), Some(Exit::Time));
    let mut by_growth = blocked();
    by_growth.now += 30;
    by_growth.prompt = 931;
    assert_eq!(by_growth.exit(), Some(Exit::Growth));
    let mut near_the_window = blocked();
    near_the_window.prompt = 950;
    assert!(near_the_window.may_start(), "the emergency line");
}

// seeds: A3, A5
#[test]
fn sd_02_one_strike_survives_ten_reloads_and_buys_one_more_pass_in_all() {
    let mut first = tab(32_768, 26_214);
    first.grow_to_threshold();
    let planned = first.claimed();
    first.commit(&planned, SUMMARY);
    // Variant: the page is gone before the pass was judged.
    let mut tab = reload(&first, 2, settings(32_768, 26_214));
    tab.fixed += 16_000;
    assert_eq!(tab.call().verdict.map(|settled| settled.verdict), Some(Verdict::Weak));
    let mut passes = 0;
    for owner in 3..13 {
        tab = reload(&tab, owner, settings(32_768, 26_214));
        assert!(tab.session.state().guards.weak_streak >= 1, "not lost");
        tab.grow_to_threshold();
        assert!(tab.call().verdict.is_none(), "not judged twice");
        if may_start(&tab) {
            assert_ne!(tab.spoilt_pass(8_000), Verdict::Effective);
            passes += 1;
        }
    }
    assert_eq!(passes, 1);
    assert!(tab.session.state().guards.struck_out(), "and not doubled into more");
}

// seeds: A9
#[test]
fn sd_03_a_fixed_part_over_the_threshold_is_said_once_and_starts_nothing() {
    let mut tab = tab(32_768, 27_853);
    tab.observe(2);
    tab.report(29_477);
    let commits = tab.store.commits();
    for _ in 0..6 {
        let Claimed::Refused(decision) = tab.claim(Kind::Auto) else { panic!("a pass") };
        assert_eq!(block(decision), Some(Block::FloorBound));
        assert!(decision.floor > 27_853);
    }
    assert_eq!(tab.store.commits(), commits + 1, "one notice, written once");
    tab.report(9_400);
    assert_eq!(tab.session.decide(tab.now).action, Action::Hold(Hold::BelowThreshold));
}

#[test]
fn sd_04_a_pass_lands_well_below_its_trigger_and_small_growth_starts_no_other() {
    let mut tab = tab(128_000, 80_000);
    tab.fixed = 0;
    tab.observe(226);
    tab.report(113_000);
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.call();
    assert!(tab.view_tokens() <= 60_000, "{} tokens", tab.view_tokens());
    for _ in 0..2 {
        tab.observe(tab.entries() + 4);
        tab.call();
        assert!(!may_start(&tab));
    }
}

// seeds: A1
#[test]
fn sd_05_usage_from_before_a_pass_starts_no_other() {
    let mut tab = tab(200_000, 160_000);
    tab.observe(340);
    let sent_at = tab.now;
    tab.report(178_000);
    tab.wait(Millis::secs(10));
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.wait(Millis::secs(20));
    tab.observe(342);
    let entries = tab.session.index().len();
    let late = Report { prompt_tokens: 178_000, view_revision: None, sent_at, entries };
    assert_eq!(tab.run(Write::new(late)).ignored, Some(Ignored::StaleView));
    assert!(!may_start(&tab));
    assert_eq!(tab.report(24_000).verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
}

#[test]
fn sd_09_cached_tokens_count_once_and_an_impossible_figure_is_named() {
    // The sums are made by the readers of each format; what arrives here is the whole prompt.
    let mut inclusive = tab(128_000, 70_000);
    inclusive.observe(60);
    inclusive.report(38_196);
    assert!(!may_start(&inclusive));
    let mut exclusive = tab(128_000, 70_000);
    exclusive.observe(160);
    exclusive.report(206 + 98_432);
    assert!(may_start(&exclusive));
    let mut unknown = tab(128_000, 70_000);
    unknown.observe(60);
    assert_eq!(unknown.report(160_000).ignored, Some(Ignored::Impossible), "five times the estimate");
    assert!(!may_start(&unknown));
}

#[test]
fn sd_11_entries_that_arrive_during_a_pass_stand_once_behind_the_summary_however_it_ends() {
    let behind = |tab: &Tab<Counting>, before: u64| {
        let view = tab.session.view();
        view.check(tab.session.index()).expect("a valid view");
        let Part::Verbatim { from, to } = *view.parts().last().expect("not empty") else { panic!("{view:?}") };
        assert!(u64::from(from) <= before && u64::from(to) == before + 2, "{view:?}");
    };
    let during = || {
        let mut tab = tab(32_768, 26_214);
        tab.grow_to_threshold();
        let before = tab.entries();
        let planned = tab.claimed();
        tab.observe(before + 2);
        (tab, planned, before)
    };
    let (mut committed, planned, before) = during();
    committed.commit(&planned, SUMMARY);
    behind(&committed, before);

    let (mut failed, planned, before) = during();
    failed.fail(&planned, FailureClass::Other);
    behind(&failed, before);

    let (mut cancelled, planned, before) = during();
    cancelled.event(Event::Cancelled(planned.attempt));
    behind(&cancelled, before);

    let (gone, _, before) = during();
    let reloaded = reload(&gone, 2, settings(32_768, 26_214));
    behind(&reloaded, before);
    let waits = reloaded.session.decide(reloaded.now).action;
    assert!(matches!(waits, Action::Wait { reason: Wait::InProgress, .. }), "{waits:?}");
    assert!(reloaded.now >= START);
}
