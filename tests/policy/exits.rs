//! A tripped guard is never dead: every exit of rule 4 with its base and its bounds, and what is no exit.

use crate::session::{EMERGENCY, Session, THRESHOLD, at};
use compaction_governor::policy::{
    Action, Block, Breach, Event, Exit, FailureClass, Ignored, Kind, Means, Outcome, Phase, RefusedKind, State,
    Verdict, Wait, check,
};

// seeds: A1, A2, C1
#[test]
fn two_useless_passes_in_a_row_trip_the_guard_whether_weak_or_still_over() {
    for landings in [[799, 799], [800, 799], [799, 800], [800, 800]] {
        let mut session = Session::new();
        for landing in landings {
            assert!(session.may_start(), "one strike does not block: {landings:?}");
            session.begins();
            let _ = session.commits(landing);
            assert!(session.reports().is_some(), "a real prompt count is the verdict");
            session.prompt = THRESHOLD;
        }
        assert_eq!(session.blocked(), Some(Block::Ineffective), "{landings:?}");
    }
}

// seeds: C1
#[test]
fn a_pass_that_saves_a_tenth_is_effective_and_one_token_less_is_weak() {
    for (landing, expected) in [(720, Verdict::Effective), (721, Verdict::Weak)] {
        let mut session = Session::new();
        session.begins();
        let _ = session.commits(landing);
        assert_eq!(session.reports().map(|settled| settled.verdict), Some(expected), "landing at {landing} of 800");
    }
}

// seeds: A1, A2
#[test]
fn a_pass_is_due_at_the_threshold_and_ineffective_at_it() {
    let mut session = Session::new();
    session.prompt = THRESHOLD - 1;
    assert_eq!(session.decides().reason(), "below_threshold");
    session.prompt = 900;
    session.begins();
    let _ = session.commits(THRESHOLD);
    let settled = session.reports().expect("the first report is the verdict");
    assert_eq!((settled.verdict, settled.net_tokens), (Verdict::Ineffective, THRESHOLD), "an eighth saved, still over");
}

// seeds: C2, C4, C6
#[test]
fn time_opens_the_guard_300_seconds_after_the_trip_and_not_before() {
    let mut session = Session::tripped();
    for (seconds, exit) in [(0, None), (1, None), (299, None), (300, Some(Exit::Time)), (10_000, Some(Exit::Time))] {
        session.now = seconds;
        assert_eq!(session.exit(), exit, "at {seconds} s");
    }
    session.now = 100;
    assert_eq!(session.seconds_until_retry(), Some(200));
}

// seeds: C2
#[test]
fn the_time_exit_doubles_after_each_probe_that_did_not_help_up_to_an_hour() {
    type Probe = fn(&mut Session);
    let ways: [(&str, Probe); 3] = [
        ("weak", |session| session.useless()),
        ("grew", |session| {
            session.begins();
            session.grows();
        }),
        ("failed", |session| {
            session.begins();
            session.fails(FailureClass::RateLimit);
        }),
    ];
    for (way, probe) in ways {
        let mut session = Session::tripped();
        for wait in [300, 600, 1_200, 2_400, 3_600, 3_600] {
            session.now += wait - 1;
            assert_eq!(session.exit(), None, "{way}: a second before {wait} s");
            session.now += 1;
            assert_eq!(session.exit(), Some(Exit::Time), "{way}: at {wait} s");
            probe(&mut session);
        }
    }
}

#[test]
fn an_interrupted_probe_waits_the_same_length_again() {
    let mut session = Session::tripped();
    session.now = 300;
    session.begins();
    session.now = 310;
    session.abandons();
    session.now = 609;
    assert_eq!(session.exit(), None);
    session.now = 610;
    assert_eq!(session.exit(), Some(Exit::Time));
}

// seeds: C3, C4, C6
#[test]
fn growth_by_a_fifth_of_the_baseline_opens_the_guard_and_a_token_less_does_not() {
    let mut session = Session::tripped();
    session.prompt = 700;
    assert_eq!(session.reports(), None, "a lower later reading lowers the baseline");
    for (prompt, exit) in [(800, None), (839, None), (840, Some(Exit::Growth))] {
        session.prompt = prompt;
        assert_eq!(session.exit(), exit, "at {prompt} tokens of a baseline of 700");
    }
    session.prompt = 800;
    let Action::Blocked(blocked) = session.decides().action else { panic!("blocked within the bounds") };
    assert_eq!(blocked.unblocks_at_tokens, Some(840));
}

// seeds: C3
#[test]
fn the_baseline_is_rounded_in_the_guards_favour() {
    let mut session = Session::tripped();
    session.prompt = 701;
    let _ = session.reports();
    session.prompt = 841;
    assert_eq!(session.exit(), None, "841.2 is a fifth more than 701");
    session.prompt = 842;
    assert_eq!(session.exit(), Some(Exit::Growth));
}

#[test]
fn a_failed_attempt_uses_the_growth_exit_up() {
    let mut session = Session::tripped();
    session.prompt = 700;
    let _ = session.reports();
    session.prompt = 840;
    session.begins();
    session.grows();
    session.now += 200;
    assert_eq!(session.blocked(), Some(Block::Ineffective), "840 is the baseline now; the bad summary has cooled down");
    assert_eq!(session.exit(), None);
}

#[test]
fn growth_probes_from_the_second_on_keep_a_minute_doubled_per_rung() {
    let mut session = Session::tripped();
    session.prompt = 500;
    let _ = session.reports();
    session.prompt = 800;
    assert_eq!(session.exit(), Some(Exit::Growth), "the first is not spaced");
    session.useless();
    session.prompt = 500;
    let _ = session.reports();
    session.prompt = 800;
    assert_eq!(session.seconds_until_retry(), Some(120), "rung 1: two minutes after the last attempt");
    session.now += 119;
    assert_eq!(session.exit(), None);
    session.now += 1;
    assert_eq!(session.exit(), Some(Exit::Growth));
}

#[test]
fn the_emergency_line_opens_the_guard_once_until_a_reading_below_the_threshold() {
    let mut session = Session::tripped();
    session.prompt = EMERGENCY - 1;
    assert_eq!(session.exit(), None);
    session.prompt = EMERGENCY;
    assert_eq!(session.exit(), Some(Exit::Emergency));
    session.begins();
    session.fails(FailureClass::RateLimit);
    session.now += 200;
    assert_eq!(session.exit(), None, "spent");
    session.prompt = THRESHOLD;
    let _ = session.reports();
    session.prompt = EMERGENCY;
    assert_eq!(session.exit(), None, "a reading at the threshold is not below it");
    session.prompt = THRESHOLD - 1;
    let _ = session.reports();
    session.prompt = EMERGENCY;
    assert_eq!(session.exit(), Some(Exit::Emergency));
}

// seeds: A8
#[test]
fn a_reported_reading_below_the_threshold_clears_ineffective_strikes_only() {
    let mut over = Session::new();
    for _ in 0..2 {
        over.calls += 4;
        over.begins();
        let _ = over.commits(THRESHOLD);
        let _ = over.reports();
    }
    assert_eq!(over.blocked(), Some(Block::Ineffective));
    let _ = over.reports();
    assert_eq!(over.blocked(), Some(Block::Ineffective), "a reading at the threshold clears nothing");
    over.prompt = THRESHOLD - 1;
    let before = over.state.clone();
    let _ = over.reports();
    assert!(before.differs_durably(&over.state), "durably");
    over.prompt = THRESHOLD;
    assert!(over.may_start());
    assert_eq!(over.state.guards.recovery, None);

    let mut weak = Session::tripped();
    weak.prompt = 700;
    let _ = weak.reports();
    weak.prompt = THRESHOLD;
    assert_eq!(weak.blocked(), Some(Block::Ineffective), "only an effective verdict clears weak strikes");
}

// seeds: A8
#[test]
fn a_reading_below_a_larger_models_threshold_clears_no_strike_of_the_smaller_one() {
    let mut session = Session::new();
    session.begins();
    let _ = session.commits(THRESHOLD);
    let _ = session.reports();
    session.window = 2_000;
    session.prompt = 900;
    let _ = session.reports();
    assert_eq!(
        session.state.guards.ineffective_streak, 1,
        "900 is below 1,600, and not below the 800 it was earned at"
    );
}

// seeds: A8, C1
#[test]
fn a_weak_strike_takes_ineffective_ones_along_where_no_reading_clears_them() {
    let mut session = Session::new();
    session.begins();
    let _ = session.commits(THRESHOLD);
    let _ = session.reports();
    session.calls += 4;
    session.begins();
    let _ = session.commits(THRESHOLD - 1);
    let _ = session.reports();
    let _ = session.reports();
    session.prompt = THRESHOLD;
    assert_eq!(session.blocked(), Some(Block::Ineffective));
    assert_eq!((session.state.guards.ineffective_streak, session.state.guards.weak_streak), (0, 2));
}

#[test]
fn a_pass_that_helped_clears_strikes_of_both_kinds() {
    for landing in [THRESHOLD - 1, THRESHOLD] {
        let mut session = Session::new();
        session.begins();
        let _ = session.commits(landing);
        let _ = session.reports();
        session.prompt = THRESHOLD;
        session.calls += 4;
        session.useful();
        let guards = &session.state.guards;
        assert_eq!((guards.ineffective_streak, guards.weak_streak, guards.struck_models.len()), (0, 0, 0));
    }
}

#[test]
fn only_a_healthy_summary_ends_a_streak_of_plain_ones() {
    let mut session = Session::new();
    session.begins();
    session.falls_back(250);
    let _ = session.reports();
    assert_eq!(session.state.guards.fallback_streak, 1, "that it helped changes nothing");
    session.prompt = THRESHOLD;
    session.calls += 4;
    session.useful();
    assert_eq!(session.state.guards.fallback_streak, 0);
}

#[test]
fn after_a_last_resort_low_readings_prove_nothing_until_a_pass_helps() {
    let mut session = Session::new();
    session.begins();
    let _ = session.commits(THRESHOLD);
    let _ = session.reports();
    let _ = session.event(Event::LastResort);
    session.prompt = 300;
    let _ = session.reports();
    assert_eq!(session.state.guards.ineffective_streak, 1);
    session.prompt = THRESHOLD;
    session.begins();
    let _ = session.commits(THRESHOLD - 1);
    assert!(session.state.guards.after_last_resort, "a commit alone has not helped");
    let _ = session.reports();
    session.now += 300;
    session.prompt = THRESHOLD;
    session.calls += 4;
    session.useful();
    assert!(!session.state.guards.after_last_resort);
}

#[test]
fn another_model_opens_one_probe_and_the_struck_one_none() {
    let mut session = Session::tripped();
    session.model = 2;
    assert_eq!(session.exit(), Some(Exit::Model));
    session.useless();
    for model in [1, 2, 1, 2] {
        session.model = model;
        assert_eq!(session.exit(), None, "model {model} had its try in this trip");
    }
    session.model = 3;
    assert_eq!(session.exit(), Some(Exit::Model));
}

#[test]
fn a_pass_by_hand_runs_and_changes_no_counter() {
    let mut session = Session::tripped();
    let before = session.state.guards.clone();
    for landing in [799, 250] {
        assert!(session.manual_may_start() && session.claims(Kind::Manual));
        let _ = session.commits(landing);
        assert_eq!(session.reports(), None, "no verdict: the reading after it is an ordinary one");
        session.prompt = THRESHOLD;
    }
    assert!(session.claims(Kind::Manual));
    session.grows();
    let after = &session.state.guards;
    assert_eq!(after.weak_streak, before.weak_streak);
    assert_eq!((&after.recovery, &after.failures), (&before.recovery, &before.failures));
    assert_eq!((after.attempts_without_progress, after.last_attempt_end), (2, before.last_attempt_end));
}

// seeds: C6
#[test]
fn a_reset_forgets_strikes_times_and_sizes_and_keeps_the_view() {
    let mut session = Session::tripped();
    let revision = session.state.view_revision;
    let _ = session.event(Event::Reset);
    assert!(session.may_start());
    let guards = &session.state.guards;
    assert_eq!((guards.last_attempt_end, guards.baseline_tokens, guards.recovery), (None, None, None));
    assert_eq!(session.state.view_revision, revision);
}

// seeds: C5
#[test]
fn where_no_attempt_ever_ran_no_recovery_counts_as_elapsed() {
    let mut session = Session::from(State::rebuilt(at(0)));
    session.time_passes();
    for (seconds, exit) in [(0, None), (299, None), (300, Some(Exit::Time))] {
        session.now = seconds;
        assert_eq!(session.exit(), exit, "at {seconds} s");
    }
    session.now = 0;
    session.prompt = 940;
    assert_eq!(session.exit(), None, "growth counts from the size it was armed at");
    session.model = 9;
    assert_eq!(session.exit(), None, "no model is known to have failed, so none is known to be another one");
}

// seeds: C5
#[test]
fn a_tripped_guard_without_a_deadline_is_armed_now() {
    let mut old = State::default();
    old.guards.weak_streak = 2;
    assert_eq!(check(&old), Err(Breach::RecoveryOutOfStep));
    let mut session = Session::from(old);
    session.now = 5_000;
    session.time_passes();
    assert_eq!(session.exit(), None);
    session.now += 300;
    assert_eq!(session.exit(), Some(Exit::Time));
}

#[test]
fn two_tabs_at_an_open_exit_share_one_probe() {
    let mut one = Session::tripped();
    one.now = 300;
    let two = one.decides();
    assert!(two.pass().is_some_and(|pass| pass.probe == Some(Exit::Time)), "both are told to go");
    let late = one.claim_of(Kind::Auto);
    one.begins();
    let Outcome::Refused(decision) = one.event(Event::Claimed(late)).outcome else { panic!("one probe at a time") };
    assert!(matches!(decision.action, Action::Wait { reason: Wait::InProgress, .. }));
    let _ = one.commits(799);
    assert_eq!(one.event(Event::Claimed(late)).outcome, Outcome::Ignored(Ignored::StaleClaim));
    one.prompt = THRESHOLD;
    assert_eq!(one.decides().reason(), "probe_in_progress", "until its verdict");
}

#[test]
fn a_claim_on_a_stale_view_is_refused_and_changes_nothing() {
    let mut session = Session::new();
    let stale = session.claim_of(Kind::Auto);
    session.useful();
    session.prompt = THRESHOLD;
    let before = session.state.clone();
    assert_eq!(session.event(Event::Claimed(stale)).outcome, Outcome::Ignored(Ignored::StaleClaim));
    assert_eq!(session.state, before);
}

// seeds: B3
#[test]
fn three_attempts_without_progress_end_the_turn_and_a_user_or_a_quarter_of_an_hour_renews_it() {
    let mut session = Session::new();
    for _ in 0..3 {
        session.begins();
        session.fails(FailureClass::RateLimit);
        session.now += 10;
    }
    assert_eq!(session.blocked(), Some(Block::TurnLimit));
    assert_eq!(session.seconds_until_retry(), Some(890));
    assert_eq!(session.overflow_decides(), Means::LastResort);
    let mut later = Session::from(session.state.clone());
    later.now = session.now + 890;
    assert!(later.may_start());
    session.user_speaks();
    assert!(session.may_start());
}

// seeds: A9
#[test]
fn a_fixed_part_near_the_threshold_is_said_and_tried_by_no_one_until_it_falls() {
    let mut session = Session::new();
    session.floor = 790;
    session.no_plan();
    assert_eq!(session.blocked(), Some(Block::FloorBound));
    let decision = session.decides();
    assert_eq!((decision.used, decision.floor), (800, 790), "with its numbers");
    assert_eq!(session.state.guards.weak_streak + session.state.guards.ineffective_streak, 0, "no strike");
    let blocked_at = |prompt, floor, now| {
        let mut other = Session::from(session.state.clone());
        (other.prompt, other.floor, other.now) = (prompt, floor, now);
        other.blocked() == Some(Block::FloorBound)
    };
    assert!(blocked_at(879, 790, 299));
    assert!(!blocked_at(880, 790, 0), "a tenth of the threshold was added");
    assert!(!blocked_at(800, 789, 0), "the fixed part fell");
    assert!(!blocked_at(800, 790, 300), "five minutes passed");
}

// seeds: B4
#[test]
fn nothing_new_to_summarise_is_no_call_and_no_strike() {
    let mut session = Session::new();
    let _ = session.event(Event::PlanRefused { kind: RefusedKind::NothingToCompact });
    assert_eq!(session.blocked(), Some(Block::NothingToCompact));
    assert_eq!(session.state.guards.attempts_without_progress, 0);
    assert_eq!(session.state.guards.recovery, None);
}

#[test]
fn a_summary_that_a_person_took_back_counts_no_strike_and_clears_none() {
    let mut session = Session::new();
    session.useless();
    session.prompt = THRESHOLD;
    session.begins();
    session.commits(THRESHOLD - 10);
    let before = session.state.guards.clone();
    let revision = session.state.view_revision;
    assert_eq!(session.event(Event::Undone).outcome, Outcome::Taken);
    assert_eq!((&session.state.phase, session.state.view_revision), (&Phase::Idle, revision + 1));
    let after = &session.state.guards;
    assert_eq!((after.ineffective_streak, after.weak_streak), (before.ineffective_streak, before.weak_streak));
    session.prompt = THRESHOLD;
    assert_eq!(session.reports(), None, "the next reading is an ordinary one");
    session.begins();
    assert!(matches!(session.event(Event::Undone).outcome, Outcome::Ignored(_)), "not while an attempt runs");
}

#[test]
fn a_probe_that_a_person_took_back_is_armed_again_at_the_same_length() {
    let mut session = Session::tripped();
    session.now += 10_000;
    session.begins();
    session.commits(THRESHOLD - 10);
    let rung = session.state.guards.recovery.map(|recovery| recovery.rung);
    session.event(Event::Undone);
    session.prompt = THRESHOLD;
    assert!(session.state.guards.tripped());
    assert_eq!(session.state.guards.recovery.map(|recovery| recovery.rung), rung);
    assert_eq!(session.seconds_until_retry(), Some(300));
}
