//! Two histories of one session become one: the guards are joined, so that it does not matter which tab comes first, how often,
//! or in what order. A guard that trips only by the sum of what several knew is armed when that is found out; nothing before
//! then says when that was, so its clock alone depends on the order.

use std::cmp::Ordering;

use compaction_governor::{
    config::Config,
    id::ModelId,
    policy::{
        Confidence, Cooldown, Event, Guards, Interrupted, LearnedWindow, Observation, Phase, Recovery, State, apply,
        check, merge,
    },
    time::Timestamp,
};

use crate::{
    arbitrary,
    runs::{self, Draw},
};

const NOW: Timestamp = Timestamp(1_700_000_400_000);

/// What a join joins; lists as sets, a full list of struck models as all models.
#[derive(Debug, PartialEq)]
struct Joined {
    streaks: ([u8; 4], [u8; 7], u8),
    strike_threshold: Option<u32>,
    struck: Option<Vec<ModelId>>,
    cooldown: Option<Cooldown>,
    interrupted: Option<Timestamp>,
    last_attempt_end: Option<Timestamp>,
    flags: [bool; 3],
    user_turn: u32,
    window: LearnedWindow,
}

/// Its clock, and the size it was armed at.
type Clock = (Option<Recovery>, Option<u32>);

fn joined(guards: &Guards) -> Joined {
    let Interrupted { streak, until } = guards.interrupted;
    let mut struck: Vec<ModelId> = guards.struck_models.iter().copied().collect();
    struck.sort();
    Joined {
        streaks: (
            [guards.ineffective_streak, guards.weak_streak, guards.fallback_streak, guards.attempts_without_progress],
            guards.failures.streaks,
            streak,
        ),
        strike_threshold: guards.strike_threshold,
        struck: (!guards.struck_models.is_full()).then_some(struck),
        cooldown: guards.failures.cooldown,
        interrupted: until,
        last_attempt_end: guards.last_attempt_end,
        flags: [guards.emergency_spent, guards.overflow_pass_spent, guards.after_last_resort],
        user_turn: guards.user_turn,
        window: guards.window,
    }
}

fn clock(state: &State) -> Clock {
    (state.guards.recovery, state.guards.baseline_tokens)
}

fn seen() -> Observation {
    Observation {
        enabled: true,
        lines: Some(Config::default().lines(32_768, 0)),
        occupancy: 20_000,
        confidence: Confidence::Reported,
        floor: 4_000,
        appended_since_claim: 0,
        model: ModelId::UNNAMED,
        view_revision: 0,
        entries: 10,
        model_calls: 5,
        open_calls: false,
    }
}

/// A state as a session holds one: loaded, and settled. Small streaks as often as any, so that sums trip.
fn state(draw: &mut Draw) -> State {
    let mut state = arbitrary::root(draw).state;
    if draw.flag() {
        for streak in
            [&mut state.guards.ineffective_streak, &mut state.guards.weak_streak, &mut state.guards.fallback_streak]
        {
            *streak %= 3;
        }
    }
    let mut models: Vec<ModelId> = state.guards.struck_models.to_vec();
    models.sort();
    models.dedup();
    state.guards.struck_models = models.into_iter().collect();
    apply(&state, Event::TimePassed, &seen(), NOW).state
}

fn both(one: &State, two: &State) -> State {
    let merged = merge(one, two, &seen(), NOW);
    assert_eq!(check(&merged), Ok(()), "{one:?}\n{two:?}");
    merged
}

fn tripped(state: &State) -> bool {
    state.guards.tripped()
}

#[test]
fn merging_is_a_join_and_keeps_the_phase_and_the_view_of_the_store() {
    runs::check("merging", 100_000, |draw| {
        let (a, b, c) = (state(draw), state(draw), state(draw));
        let ab = both(&a, &b);
        assert_eq!(phase_on(&ab, 0), phase_on(&a, 0), "the store's");
        assert_eq!(phase_on(&ab, ab.view_revision), ab.phase, "of the view that goes on");
        assert_view_goes_on(&a, &b, &ab);
        assert_eq!(joined(&ab.guards), joined(&both(&b, &a).guards), "commutative");
        assert_eq!(clock(&ab), clock(&both(&b, &a)));
        assert_eq!(both(&a, &a), a, "idempotent");
        assert_eq!(joined(&both(&ab, &b).guards), joined(&ab.guards), "once is twice");
        let (left, right) = (both(&ab, &c), both(&a, &both(&b, &c)));
        assert_eq!(joined(&left.guards), joined(&right.guards), "associative");
        let by_sum = |one: &State, two: &State| tripped(&both(one, two)) && !tripped(one) && !tripped(two);
        if !by_sum(&a, &b) && !by_sum(&b, &c) && !by_sum(&a, &c) {
            assert_eq!(clock(&left), clock(&right), "associative");
        }
        for one in [&a, &b, &c] {
            for merged in [&left, &right] {
                assert_not_weaker(&one.guards, &merged.guards);
            }
        }
    });
}

/// The phase, with a verdict that is awaited on the view `number`.
fn phase_on(state: &State, number: u32) -> Phase {
    let mut phase = state.phase.clone();
    if let Phase::AwaitingVerdict { view_revision, .. } = &mut phase {
        *view_revision = number;
    }
    phase
}

/// The view is the store's: under its own number, or, where memory may have handed that out, under one that nobody has.
fn assert_view_goes_on(store: &State, memory: &State, merged: &State) {
    let (own, next) = (store.view_revision, memory.view_revision.saturating_add(1));
    let allowed = match memory.view_revision.cmp(&own) {
        Ordering::Less => [own, own],
        Ordering::Equal => [own, next],
        Ordering::Greater => [next, next],
    };
    assert!(allowed.contains(&merged.view_revision), "{store:?}\n{memory:?}");
}

fn assert_not_weaker(one: &Guards, merged: &Guards) {
    let (less, more) = (joined(one), joined(merged));
    assert!(less.streaks.0.iter().zip(more.streaks.0).all(|(before, after)| *before <= after));
    assert!(less.streaks.1.iter().zip(more.streaks.1).all(|(before, after)| *before <= after));
    assert!(less.streaks.2 <= more.streaks.2);
    assert!(
        one.failures.cooldown.map(|cooldown| cooldown.until) <= merged.failures.cooldown.map(|cooldown| cooldown.until)
    );
    assert!(less.interrupted <= more.interrupted && less.last_attempt_end <= more.last_attempt_end);
    let deadline = |guards: &Guards| guards.recovery.map(|recovery| recovery.deadline);
    assert!(deadline(one) <= deadline(merged));
    assert!(one.struck_models.iter().all(|model| merged.struck(*model)));
}
