//! The session driver on a store: what survives, what is written, and what never reaches the conversation.

#![cfg(feature = "conformance")]

mod adopting;
mod asking;
mod calibration;
mod carry;
mod clearing;
mod counting;
mod history;
mod losing;
mod loss;
mod pins;
mod reports_concurrency;
mod reports_cost;
mod reports_state;
mod room;
mod sealing;
mod sessions;
mod tab;
mod tail;
mod trouble;
mod writers;

use compaction_governor::{
    config::{Config, Trigger},
    policy::{self, Action, Block, Decision, FailureClass, Hold, Ignored, Kind, Verdict, Wait},
    session::{Claimed, Committed, Durability, Event, Found, Refresh, Report, Settings, Write},
    store::{Capabilities, StoreErrorKind, Survives, SyncStore},
    summary::Rejection,
    time::{Millis, Timestamp},
};
use counting::Counting;
use tab::{SUMMARY, Tab};

const START: Timestamp = Timestamp(1_800_000_000_000);

fn fresh() -> Tab<Counting> {
    let (tab, found) = Tab::open(Counting::new(), 1, START);
    assert_eq!(found, Found::New);
    tab
}

/// Another object on the same data, with the same transcript: a reload, or a second tab.
fn reopen(tab: &Tab<Counting>, owner: u64) -> Tab<Counting> {
    let (mut other, found) = Tab::open(tab.store.another_context(), owner, tab.now);
    assert_eq!(found, Found::Existing);
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}

fn block(decision: Decision) -> Option<Block> {
    match decision.action {
        Action::Blocked(blocked) => Some(blocked.reason),
        _ => None,
    }
}

/// Two passes that bought nothing.
fn stopped() -> Tab<Counting> {
    let mut tab = fresh();
    for more in [16_000, 8_000] {
        tab.grow_to_threshold();
        assert_ne!(tab.spoilt_pass(more), Verdict::Effective);
    }
    tab.grow_to_threshold();
    tab
}

// seeds: A1, A2
#[test]
fn session_after_two_passes_that_did_not_help_is_blocked_with_both_numbers() {
    let tab = stopped();
    let decision = tab.session.decide(tab.now);
    assert_eq!(block(decision), Some(Block::Ineffective));
    assert!(decision.used >= decision.lines.expect("window is known").threshold);
}

// seeds: A3, A4, A5
#[test]
fn session_after_a_reload_is_still_blocked_with_the_same_deadline() {
    let tab = stopped();
    let reloaded = reopen(&tab, 2);
    assert_eq!(block(reloaded.session.decide(tab.now)), Some(Block::Ineffective));
    assert_eq!(reloaded.session.state().guards.recovery, tab.session.state().guards.recovery);
    assert!(reloaded.session.state().guards.recovery.is_some());
}

// seeds: A7
#[test]
fn deciding_ten_thousand_times_makes_no_store_call_and_changes_nothing() {
    let tab = stopped();
    let (calls, state, version) = (tab.store.calls(), tab.session.state().clone(), tab.session.version());
    for _ in 0..10_000 {
        assert_eq!(block(tab.session.decide(tab.now)), Some(Block::Ineffective));
    }
    assert_eq!((tab.store.calls(), tab.session.version()), (calls, version));
    assert_eq!(tab.session.state(), &state);
}

// seeds: A6
#[test]
fn a_report_that_settles_no_verdict_and_moves_no_counter_writes_nothing() {
    let mut tab = fresh();
    for entries in 1..20 {
        tab.observe(entries);
        let reported = tab.call();
        assert_eq!((reported.ignored, reported.verdict), (None, None));
        tab.settle();
    }
    assert_eq!(tab.store.commits(), 0);
}

// seeds: A4, A6
#[test]
fn one_compaction_writes_intent_commit_and_verdict_once_each() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let before = tab.store.commits();
    let planned = tab.claimed();
    assert_eq!(tab.store.commits() - before, 1, "intent");
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(tab.store.commits() - before, 2, "commit");
    assert_eq!(tab.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
    assert_eq!(tab.store.commits() - before, 3, "verdict");
    tab.call();
    tab.settle();
    assert_eq!(tab.store.commits() - before, 3, "nothing more");
}

// seeds: A2, A3
#[test]
fn a_reload_between_commit_and_first_report_leaves_exactly_one_verdict() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    let mut reloaded = reopen(&tab, 2);
    assert!(matches!(reloaded.session.decide(reloaded.now).action, Action::Hold(Hold::BelowThreshold)));
    let verdicts: Vec<_> = (0..3).filter_map(|_| reloaded.call().verdict).collect();
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0].verdict, Verdict::Effective);
    let mut again = reopen(&reloaded, 3);
    assert_eq!(again.call().verdict, None);
}

// seeds: A3
#[test]
fn ten_reloads_of_a_session_with_one_strike_allow_at_most_one_more_pass() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    assert_eq!(tab.spoilt_pass(16_000), Verdict::Weak);
    let mut passes = 0;
    for owner in 2..12 {
        let mut reloaded = reopen(&tab, owner);
        reloaded.grow_to_threshold();
        if let Claimed::Planned(planned) = reloaded.claim(Kind::Auto) {
            reloaded.commit(&planned, SUMMARY);
            reloaded.fixed += 8_000;
            reloaded.call();
            passes += 1;
        }
        tab = reloaded;
    }
    assert_eq!(passes, 1);
}

// seeds: A8
#[test]
fn a_later_reading_below_the_threshold_clears_ineffective_strikes_durably() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.report(30_000);
    assert_eq!(tab.session.state().guards.ineffective_streak, 1);
    let commits = tab.store.commits();
    tab.report(20_000);
    assert_eq!(tab.session.state().guards.ineffective_streak, 0);
    assert_eq!(tab.store.commits(), commits + 1);
    assert_eq!(reopen(&tab, 2).session.state().guards.ineffective_streak, 0);
}

// seeds: C1
#[test]
fn a_weak_strike_outlives_low_readings_and_ends_by_an_effective_pass() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.report(planned.before - 1_200);
    assert_eq!(tab.session.state().guards.weak_streak, 1);
    tab.report(9_000);
    assert_eq!(tab.session.state().guards.weak_streak, 1);
    tab.grow_to_threshold();
    let verdict = tab.pass().verdict.expect("judged").verdict;
    assert_eq!((verdict, tab.session.state().guards.weak_streak), (Verdict::Effective, 0));
}

#[test]
fn a_second_tab_that_reaches_the_threshold_meanwhile_starts_no_second_pass() {
    let mut first = fresh();
    first.grow_to_threshold();
    let mut second = {
        let (mut tab, _) = Tab::open(first.store.another_context(), 2, first.now);
        tab.observe(first.entries());
        tab
    };
    let planned = first.claimed();
    let Claimed::Refused(decision) = second.claim(Kind::Auto) else { panic!("two passes at once") };
    assert!(matches!(decision.action, Action::Wait { reason: Wait::InProgress, .. }));
    first.commit(&planned, SUMMARY);
    let Claimed::Refused(decision) = second.claim(Kind::Auto) else { panic!("claimed on a stale view") };
    assert!(matches!(decision.action, Action::Hold(Hold::BelowThreshold)), "{decision:?}");
    assert_eq!(second.session.view().generation(), Some(1), "and shows the other tab's summary");
    assert_eq!(second.session.summary(), Some(SUMMARY));
}

#[test]
fn a_commit_that_another_tab_overtook_is_superseded_and_loses_nothing() {
    let mut first = fresh();
    first.grow_to_threshold();
    let late = first.claimed();
    let mut second = reopen(&first, 2);
    second.wait(Millis::secs(601));
    let planned = second.claimed();
    second.commit(&planned, SUMMARY);
    assert_eq!(
        first.commit(&late, "A late summary of the same part, from a tab that had been away."),
        Committed::Superseded
    );
    assert_eq!(reopen(&first, 3).session.summary(), Some(SUMMARY));
}

#[test]
fn an_edit_behind_the_cut_during_the_call_refuses_the_summary_and_a_new_entry_does_not() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.observe(tab.entries() + 2);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    tab.call();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.session.truncate(2);
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded);
}

// seeds: B1, B2
#[test]
fn a_second_pass_takes_the_previous_summary_in_and_leaves_exactly_one_live() {
    let mut tab = fresh();
    for round in 1..=3 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        assert_eq!(planned.previous, (round > 1).then_some(round - 1));
        tab.commit(&planned, SUMMARY);
        tab.call();
        let summaries = tab
            .session
            .view()
            .parts()
            .iter()
            .filter(|part| !matches!(part, compaction_governor::view::Part::Verbatim { .. }))
            .count();
        assert_eq!(summaries, 1);
    }
}

// seeds: B4
#[test]
fn a_pass_with_nothing_new_makes_no_call_gives_no_strike_and_leaves_the_summary_as_it_is() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    // By hand until nothing new is in reach.
    while let Claimed::Planned(planned) = tab.claim(Kind::Manual) {
        tab.commit(&planned, SUMMARY);
        assert!(tab.session.root().compactions < 20, "a pass by hand always finds something");
    }
    let bytes = tab.store.bytes();
    assert!(matches!(tab.claim(Kind::Manual), Claimed::Refused(_)));
    assert_eq!(tab.store.bytes(), bytes);
    assert_eq!(tab.session.state().guards.ineffective_streak + tab.session.state().guards.weak_streak, 0);
}

/// A window and, where the host states one, a threshold.
fn settings(window: u32, threshold: Option<u32>) -> Settings {
    let trigger = |tokens| Trigger { tokens: Some(tokens), ..Trigger::default() };
    let triggers = threshold.map(trigger).into_iter().collect();
    Settings { config: Config { context_window: Some(window), triggers, ..Config::default() }, ..Settings::default() }
}

// seeds: A9
#[test]
fn a_fixed_part_above_the_threshold_starts_no_pass_and_is_normal_again_when_it_drops() {
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings(32_768, Some(27_853)));
    tab.observe(6);
    tab.report(29_000 + tab.view_tokens());
    let commits = tab.store.commits();
    for _ in 0..5 {
        let Claimed::Refused(decision) = tab.claim(Kind::Auto) else { panic!("a pass cannot help here") };
        assert_eq!(block(decision), Some(Block::FloorBound));
        let threshold = decision.lines.expect("known").threshold;
        assert!((threshold, decision.floor >= 29_000) == (27_853, true), "{decision:?}");
        let said = policy::sentence(&decision, tab.now);
        assert!(said.contains("27,853") && said.contains("fixed part"), "{said}");
    }
    assert_eq!(tab.store.commits(), commits + 1, "one notice, written once");
    tab.report(4_000 + tab.view_tokens());
    assert!(matches!(tab.session.decide(tab.now).action, Action::Hold(Hold::BelowThreshold)));
}

// The fault: with a fixed part of 30,000 in a window of 64,000 a mandatory target refused every pass.
// What it cost: 0 voluntary passes and 56 overflows in 800 calls.
// What now holds: it compacts whenever it is due, helps each time, and never comes near the window.
#[test]
fn the_founding_session_with_a_fixed_part_of_30_000_compacts_and_never_overflows() {
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings(64_000, None));
    tab.fixed = 30_000;
    let mut passes = 0;
    for _ in 0..800 {
        tab.observe(tab.entries() + 2);
        if tab.session.decide(tab.now).pass().is_some() {
            let planned = tab.claimed();
            assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
            passes += 1;
        }
        assert!(tab.fixed + tab.view_tokens() < 60_800, "at the emergency line after {passes} passes");
        let reported = tab.call();
        assert!(reported.verdict.is_none_or(|settled| settled.verdict == Verdict::Effective));
        tab.wait(Millis::secs(60));
    }
    assert!(passes > 20, "{passes} passes");
}

#[test]
fn usage_of_an_older_view_or_of_no_possible_prompt_is_ignored_and_said_so() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.pass();
    let state = tab.session.state().clone();
    let entries = tab.session.index().len();
    let late = Report { prompt_tokens: 26_000, view_revision: Some(0), sent_at: tab.now, entries };
    assert_eq!(tab.run(Write::new(late)).ignored, Some(Ignored::StaleView));
    assert_eq!(tab.report(400_000).ignored, Some(Ignored::Impossible));
    assert_eq!(tab.report(0).ignored, Some(Ignored::Impossible));
    assert_eq!(tab.session.state(), &state);
}

// seeds: A2
#[test]
fn a_provider_without_usage_still_trips_the_guard() {
    let mut tab = fresh();
    for _ in 0..2 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        let long: String = (0..4_000).map(|n| format!("{n}: src/{}.rs, {} lines. ", n * 7_919, n * n)).collect();
        let committed = tab.commit(&planned, &long);
        assert!(matches!(committed, Committed::Rejected { rejection: Rejection::Grew { .. }, .. }), "{committed:?}");
        tab.wait(Millis::secs(120));
    }
    assert_eq!(block(tab.session.decide(tab.now)), Some(Block::Ineffective));
}

#[test]
fn manual_passes_run_while_blocked_and_change_no_counter() {
    let mut tab = stopped();
    tab.observe(tab.entries() + 10);
    tab.settle();
    let guards = tab.session.state().guards.clone();
    let Claimed::Planned(planned) = tab.claim(Kind::Manual) else { panic!("by hand always runs") };
    tab.fail(&planned, FailureClass::Timeout);
    assert_eq!(tab.session.state().guards, guards);
}

#[test]
fn an_overflow_of_an_older_view_is_no_event() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.pass();
    let happened = tab.event(Event::Overflow { view_revision: 0, limit: Some(8_000) });
    assert!(happened.ignored.is_some());
    assert_eq!(tab.session.state().guards.window.limit, None);
}

// The fault: a provider refused a prompt that was estimated below the threshold, and the next question was answered by the
// estimate again. What it cost: the call that was to follow the pass was the refused one once more, and the host got the error.
// What now holds: a refused prompt is due for a pass until the view is another one or a prompt is answered.
#[test]
fn a_refused_prompt_is_due_for_a_pass_whatever_is_estimated_of_it() {
    let mut tab = fresh();
    tab.observe(10);
    assert!(!tab.session.over_line() && !tab.session.should_compact(tab.now));
    let view_revision = tab.session.state().view_revision;
    tab.event(Event::Overflow { view_revision, limit: None });
    tab.observe(11);
    let decision = tab.session.decide(tab.now);
    assert!(tab.session.over_line() && tab.session.should_compact(tab.now), "{decision:?}");
    assert!(
        matches!(decision.action, Action::Compact(pass) if pass.trigger == policy::Trigger::Overflow),
        "{decision:?}"
    );
    tab.call();
    assert!(!tab.session.over_line() && !tab.session.should_compact(tab.now));
}

#[test]
fn a_refusal_ends_with_an_answer_without_usage_another_model_another_window_or_what_it_was_about() {
    let ends: [fn(&mut Tab<Counting>); 4] = [
        |tab| {
            let view_revision = tab.session.state().view_revision;
            tab.event(Event::StepWithoutUsage { view_revision });
        },
        |tab| {
            tab.event(Event::Model(compaction_governor::id::ModelId::of("a larger one")));
        },
        |tab| tab.session.set_context_window(200_000).unwrap(),
        |tab| {
            tab.session.truncate(9);
            tab.observe(12);
        },
    ];
    for end in ends {
        let mut tab = fresh();
        tab.observe(10);
        let view_revision = tab.session.state().view_revision;
        tab.event(Event::Overflow { view_revision, limit: None });
        tab.session.set_context_window(32_768).unwrap();
        assert!(tab.session.should_compact(tab.now), "said again, the window is the same");
        end(&mut tab);
        assert!(!tab.session.should_compact(tab.now), "{:?}", tab.session.decide(tab.now));
    }
}

#[test]
fn an_attempt_that_the_host_gave_up_leaves_no_failure_no_strike_and_no_attempt() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.event(Event::Cancelled(planned.attempt));
    let guards = &tab.session.state().guards;
    assert_eq!((guards.failures.cooldown, guards.weak_streak, guards.attempts_without_progress), (None, 0, 0));
    assert_eq!(tab.commit(&planned, SUMMARY), Committed::Superseded, "what comes late is not used");
    assert!(tab.session.decide(tab.now).pass().is_some(), "and the next may start at once");
}

// The fault: an error had named a limit far below the true one, and the host then freed most of its fixed part. Every prompt
// that it sent from then on was above that limit and far below the estimate, and its count was refused as impossible.
// What it cost: the fixed part stayed as large as it had been, and the conversation was never compacted again.
// What now holds: only what is above the estimate can be the sum of several prompts; what is below it is believed.
#[test]
fn a_count_below_the_estimate_is_believed_above_a_limit_that_an_error_understated() {
    let mut tab = fresh();
    tab.fixed = 24_000;
    tab.observe(8);
    tab.call();
    assert_eq!(tab.session.observation().floor, 24_500);
    let view_revision = tab.session.state().view_revision;
    tab.event(Event::Overflow { view_revision, limit: Some(8_000) });
    tab.fixed = 8_000;
    assert_eq!(tab.call().ignored, None);
    let seen = tab.session.observation();
    assert_eq!((seen.floor, seen.lines.map(|lines| lines.window)), (8_500, Some(32_768)));
}
