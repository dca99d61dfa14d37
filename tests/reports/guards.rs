//! Class 2: a guard that switched compaction off, or never tripped.

use compaction_governor::{
    config::Config,
    policy::{Block, FailureClass, Kind, Verdict},
    session::{Claimed, Settings},
    time::Millis,
};

use crate::{START, block, counting::Counting, may_start, pass_to, reload, settings, tab, tab::Tab};

#[test]
fn g03_one_rate_limit_delays_the_next_attempt_and_disables_nothing() {
    // The fault: one latch for what passes by itself and what does not.
    // What it cost: one answer of 429 at 85 % switched compaction off for the session.
    // What now holds: it waits as long as the provider asked, then tries again.
    let mut tab = tab(64_000, 48_000);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.fail(&planned, FailureClass::RateLimit);
    assert_eq!(block(tab.session.decide(tab.now)), Some(Block::Cooldown));
    tab.wait(Millis::secs(3_600));
    assert!(may_start(&tab));
}

#[test]
fn g04_a_failed_pass_by_hand_leaves_the_automatic_guard_as_it_was() {
    // The fault: the flag was assigned from "not forced".
    // What it cost: after a failed pass by hand the next turn tried again by itself.
    // What now holds: passes by hand change no counter, failed or not.
    let mut tab = tab(64_000, 48_000);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.fail(&planned, FailureClass::Timeout);
    let guards = tab.session.state().guards.clone();
    let Claimed::Planned(planned) = tab.claim(Kind::Manual) else { panic!("by hand always runs") };
    tab.fail(&planned, FailureClass::Other);
    assert_eq!(tab.session.state().guards, guards);
    assert!(!may_start(&tab));
}

#[test]
fn g05_two_weak_passes_by_hand_block_nothing() {
    // The fault: who asked was forgotten before the verdict came.
    // What it cost: two passes by hand that did nothing blocked the automatic ones.
    // What now holds: no strike from a pass by hand.
    let mut tab = tab(64_000, 48_000);
    tab.observe(100);
    for _ in 0..2 {
        tab.observe(tab.entries() + 4);
        let Claimed::Planned(planned) = tab.claim(Kind::Manual) else { panic!("by hand always runs") };
        tab.commit(&planned, crate::tab::SUMMARY);
        tab.report(47_900);
    }
    tab.observe(tab.entries() + 40);
    tab.report(50_000);
    assert!(may_start(&tab));
}

#[test]
fn g06_plain_summaries_count_although_they_shrink_the_prompt() {
    // The fault: a placeholder shrinks the prompt, so it passed for a success, and small replies cleared the count.
    // What it cost: the same failing call again and again, the history gone each time.
    // What now holds: two plain summaries (no model) block, across reloads, until a model writes one.
    let with_fallback = Settings { fallback: vec![FailureClass::Other], ..settings(64_000, 48_000) };
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, with_fallback.clone());
    for _ in 0..2 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        tab.run(compaction_governor::session::Write::new(compaction_governor::session::Commit {
            attempt: planned.attempt,
            text: crate::tab::SUMMARY.to_owned(),
            finish: compaction_governor::summary::Finish::Stop,
            fallback: true,
            spent: 0,
            carry: String::new(),
            through: String::new(),
        }));
        tab.call();
        tab.observe(tab.entries() + 2);
        tab.call();
    }
    let mut reloaded = reload(&tab, 2, with_fallback);
    reloaded.grow_to_threshold();
    assert_eq!(block(reloaded.session.decide(reloaded.now)), Some(Block::FallbackStreak));
}

#[test]
fn g10_an_unset_absolute_limit_leaves_the_share_of_the_window_in_force() {
    // The fault: an unset absolute limit counted as "off" although window and share were known.
    // What it cost: no compaction at all.
    // What now holds: 80 % of the window, and the number is shown.
    let config = Config { context_window: Some(200_000), ..Config::default() };
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, Settings { config, ..Settings::default() });
    tab.observe(330);
    tab.report(165_000);
    let decision = tab.session.decide(tab.now);
    assert!(decision.pass().is_some());
    assert_eq!(decision.lines.map(|lines| lines.threshold), Some(160_000));
}

#[test]
fn g12_nothing_of_one_session_reaches_the_next() {
    // The fault: one instance for all sessions, one of sixteen fields cleared at the end.
    // What it cost: a new session began with two strikes and another one's summary.
    // What now holds: all state is keyed by session.
    use compaction_governor::{
        id::OwnerId,
        session::{Open, Session, run_sync},
        store::SyncStore,
    };
    let mut tab = tab(100_000, 80_000);
    tab.observe(156);
    tab.report(82_000);
    assert_eq!(pass_to(&mut tab, 78_000), Some(Verdict::Weak));
    let store = tab.store.another_context();
    let mut next = Session::new("another", OwnerId(9), settings(100_000, 80_000), store.capabilities()).expect("valid");
    run_sync(&mut next, &store, Open::new(), tab.now);
    assert_eq!((next.state().guards.weak_streak, next.summary()), (0, None));
    assert!(next.root().generations.is_empty());
}
