//! Clocks that jump or stand still, reloads, and queries: none of them opens or closes a guard by itself.

use crate::session::{DAY, EMERGENCY, Session};
use compaction_governor::policy::{Block, Exit, FailureClass, State, decide};

const HOUR: u64 = 3_600;

#[test]
fn a_clock_that_jumps_back_blocks_no_longer_than_one_rung() {
    for back in [1, HOUR, 300 * DAY] {
        let mut session = Session::new();
        session.now = 400 * DAY;
        session.useless();
        session.useless();
        session.now += 300;
        session.useless();
        session.now -= back;
        session.time_passes();
        assert_eq!(session.seconds_until_retry(), Some(600), "{back} s back, at the rung of one failed probe");
        session.now += 600;
        assert_eq!(session.exit(), Some(Exit::Time));
    }
}

#[test]
fn a_clock_that_jumps_back_shortens_cooldowns_refusals_and_attempts_to_their_own_length() {
    let mut session = Session::new();
    session.now = 30 * DAY;
    session.begins();
    session.now = 0;
    session.time_passes();
    assert_eq!(session.seconds_until_retry(), Some(600), "an attempt's deadline");
    session.now = 30 * DAY;
    session.fails(FailureClass::Timeout);
    session.now = 0;
    session.time_passes();
    assert_eq!(session.seconds_until_retry(), Some(60), "a timeout's cooldown");
    session.now = 30 * DAY;
    session.no_plan();
    session.now = 0;
    session.time_passes();
    session.now = 60;
    assert_eq!((session.blocked(), session.seconds_until_retry()), (Some(Block::FloorBound), Some(240)));
}

// The fault: a clock went back during an attempt, whose failure's cooldown was compared with one that had ended a month ahead.
// What it cost: it was dropped, and the old one set back to its minute: a provider that an hour was due to was called.
// What now holds: what stands is set back first; the longer of the two is kept.
#[test]
fn a_cooldown_that_a_clock_left_far_ahead_does_not_swallow_a_longer_one_that_is_true() {
    let mut session = Session::new();
    session.now = 30 * DAY;
    session.begins();
    session.fails(FailureClass::Timeout);
    session.now += 61;
    session.begins();
    session.now = 0;
    session.fails(FailureClass::Auth);
    session.time_passes();
    assert_eq!(session.seconds_until_retry(), Some(HOUR), "the provider's own");
}

#[test]
fn a_clock_that_jumps_forward_grants_at_most_one_probe() {
    let mut session = Session::tripped();
    session.now += 365 * DAY;
    session.time_passes();
    assert_eq!(session.useless_calls_within(9), 1, "the next one waits ten minutes");
}

#[test]
fn a_frozen_clock_leaves_one_growth_probe_the_model_change_and_the_hand() {
    let mut session = Session::tripped();
    let mut probes = 0;
    for _ in 0..20 {
        session.prompt = 400;
        let _ = session.reports();
        session.prompt = EMERGENCY;
        if session.exit().is_some() {
            session.useless();
            probes += 1;
        }
    }
    assert_eq!(probes, 1);
    session.model = 2;
    assert_eq!(session.exit(), Some(Exit::Model));
    assert!(session.manual_may_start());
}

#[test]
fn ten_reloads_of_a_session_with_one_strike_allow_at_most_one_more_pass() {
    let mut session = Session::new();
    session.useless();
    let mut stored = session.state;
    let mut passes = 0;
    for _ in 0..10 {
        let mut reloaded = Session::from(stored);
        reloaded.calls = 50;
        if reloaded.may_start() {
            reloaded.useless();
            passes += 1;
        }
        stored = reloaded.state;
    }
    assert_eq!(passes, 1);
}

#[test]
fn each_reload_without_a_readable_store_buys_at_most_one_pass() {
    for _ in 0..10 {
        let mut session = Session::from(State::unknown_history());
        assert_eq!(session.useless_calls_within(4), 1);
    }
}

#[test]
fn asking_changes_neither_the_state_nor_the_answer() {
    let mut session = Session::tripped();
    session.now = 300;
    session.begins();
    session.now += 10_000;
    let before = session.state.clone();
    let first = session.decides();
    for _ in 0..1_000 {
        assert_eq!(decide(&session.state, &session.sees(), session.now()), first);
    }
    assert_eq!(session.state, before);
}
