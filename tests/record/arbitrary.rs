//! Any root record that can be, and one that uses every field.

use compaction_governor::{
    config::{Line, MIN_WINDOW},
    id::{AttemptId, ModelId, OwnerId},
    policy::{
        Attempt, Cooldown, Exit, FailureClass, Failures, Guards, Interrupted, Kind, LearnedWindow, MAX_STRUCK_MODELS,
        Phase, Recovery, Refused, RefusedKind, State, Verdict,
    },
    record::{Anchor, Generation, MAX_GENERATIONS, Root, RootUnknown, Unknown},
    time::Timestamp,
};

use crate::runs::Draw;

/// Any record whose state keeps what [`compaction_governor::policy::check`] checks.
pub(crate) fn root(draw: &mut Draw) -> Root {
    Root {
        session: draw.text(40),
        incarnation: draw.long(),
        state: state(draw),
        anchor: draw.maybe(anchor),
        generations: draw.some(MAX_GENERATIONS, generation),
        compactions: draw.number(),
        spent_tokens: draw.long(),
        unknown: RootUnknown::default(),
    }
}

/// One in which no field of the first release has the value that is not written.
pub(crate) fn full_root() -> Root {
    Root {
        session: "a session".to_owned(),
        incarnation: 77,
        state: State {
            phase: Phase::AwaitingVerdict {
                attempt: Attempt { kind: Kind::Overflow, ..full_attempt() },
                line_tokens: 51_200,
                view_revision: 3,
                committed_at: Timestamp(1_700_000_100_000),
                steps_without_usage: 1,
            },
            guards: full_guards(),
            view_revision: 3,
        },
        anchor: Some(Anchor {
            prompt_tokens: 40_000,
            view_revision: 3,
            entries: 120,
            overhead: 4_000,
            at: Timestamp(1_700_000_090_000),
        }),
        generations: vec![full_generation(1), full_generation(2)],
        compactions: 5,
        spent_tokens: 90_000,
        unknown: RootUnknown::default(),
    }
}

/// One in which no field of the first release has the value that is not written.
pub(crate) fn full_generation(number: u32) -> Generation {
    Generation {
        number,
        attempt: AttemptId(0xa77e_0000 + u64::from(number)),
        at: Timestamp(1_700_000_000_000),
        kind: Kind::Manual,
        probe: true,
        covered_entries: 100 * number,
        covered_last_id: 0x1d,
        matched_entries: None,
        fingerprint: 0xf00d,
        pinned: vec![0, 7],
        before_tokens: 52_000,
        after_tokens: Some(21_000),
        summary_tokens: 900,
        prune: false,
        fallback: true,
        last_resort: true,
        verdict: Some(Verdict::Weak),
        unknown: Unknown::default(),
    }
}

fn full_attempt() -> Attempt {
    Attempt {
        id: AttemptId(0xa77e),
        owner: OwnerId(0x0e),
        kind: Kind::Auto,
        probe: Some(Exit::Growth),
        model: ModelId(0x11),
        before: 52_000,
        entries: 110,
        line: Line::Emergency,
        deadline: Timestamp(1_700_000_600_000),
    }
}

fn full_guards() -> Guards {
    Guards {
        ineffective_streak: 2,
        weak_streak: 1,
        strike_threshold: Some(51_200),
        struck_models: [ModelId(0x11), ModelId(0x12)].into_iter().collect(),
        fallback_streak: 2,
        failures: Failures {
            streaks: [1, 2, 3, 4, 5, 6, 7],
            cooldown: Some(Cooldown { class: FailureClass::Auth, until: Timestamp(1_700_000_200_000) }),
        },
        recovery: Some(Recovery { deadline: Timestamp(1_700_000_300_000), rung: 1, probes: 2 }),
        baseline_tokens: Some(52_000),
        emergency_spent: true,
        refused: Some(Refused {
            kind: RefusedKind::NothingToCompact,
            at_tokens: 51_300,
            floor: 9_000,
            until: Timestamp(1_700_000_300_000),
        }),
        commit_ordinals: [4, 5, 6].into(),
        interrupted: Interrupted { streak: 3, until: Some(Timestamp(1_700_000_060_000)) },
        attempts_without_progress: 2,
        overflow_pass_spent: true,
        last_attempt_end: Some(Timestamp(1_700_000_100_000)),
        last_commit_at: Some(Timestamp(1_700_000_100_000)),
        after_last_resort: true,
        reported_entries: 118,
        user_turn: 9,
        window: LearnedWindow { limit: Some(64_000), accepted: Some(65_000) },
    }
}

fn state(draw: &mut Draw) -> State {
    let view_revision = draw.number();
    let phase = match draw.below(3) {
        0 => Phase::Idle,
        1 => Phase::Compacting { attempt: attempt(draw) },
        _ => Phase::AwaitingVerdict {
            attempt: Attempt { kind: draw.pick(&[Kind::Auto, Kind::Overflow]), ..attempt(draw) },
            line_tokens: draw.number(),
            view_revision,
            committed_at: time(draw),
            steps_without_usage: draw.small(),
        },
    };
    State { phase, guards: guards(draw), view_revision }
}

fn guards(draw: &mut Draw) -> Guards {
    let mut guards = Guards {
        ineffective_streak: draw.small(),
        weak_streak: draw.small(),
        strike_threshold: draw.maybe(Draw::number),
        struck_models: draw.some(MAX_STRUCK_MODELS, |draw| ModelId(draw.long())).into_iter().collect(),
        fallback_streak: draw.small(),
        failures: failures(draw),
        recovery: draw.maybe(recovery),
        baseline_tokens: draw.maybe(Draw::number),
        emergency_spent: draw.flag(),
        refused: draw.maybe(refused),
        commit_ordinals: draw.some(3, Draw::number).into_iter().collect(),
        interrupted: Interrupted { streak: draw.small(), until: draw.maybe(time) },
        attempts_without_progress: draw.small(),
        overflow_pass_spent: draw.flag(),
        last_attempt_end: draw.maybe(time),
        last_commit_at: draw.maybe(time),
        after_last_resort: draw.flag(),
        reported_entries: draw.number(),
        user_turn: draw.number(),
        window: LearnedWindow {
            limit: draw.maybe(|draw| draw.number().max(MIN_WINDOW)),
            accepted: draw.maybe(Draw::number),
        },
    };
    guards.recovery = guards.recovery.filter(|_| guards.tripped());
    let struck = guards.ineffective_streak > 0 || guards.weak_streak > 0;
    guards.strike_threshold = guards.strike_threshold.filter(|_| struck);
    guards
}

fn failures(draw: &mut Draw) -> Failures {
    let cooldown = draw.maybe(|draw| Cooldown { class: draw.pick(&FailureClass::ALL), until: time(draw) });
    Failures { streaks: [(); FailureClass::COUNT].map(|()| draw.small()), cooldown }
}

fn recovery(draw: &mut Draw) -> Recovery {
    Recovery { deadline: time(draw), rung: draw.small(), probes: draw.small() }
}

fn refused(draw: &mut Draw) -> Refused {
    Refused {
        kind: draw.pick(&[RefusedKind::FloorBound, RefusedKind::NothingToCompact]),
        at_tokens: draw.number(),
        floor: draw.number(),
        until: time(draw),
    }
}

fn attempt(draw: &mut Draw) -> Attempt {
    let kind = kind(draw);
    let exit = |draw: &mut Draw| draw.pick(&[Exit::Time, Exit::Growth, Exit::Emergency, Exit::Model]);
    Attempt {
        id: AttemptId(draw.long()),
        owner: OwnerId(draw.long()),
        kind,
        probe: draw.maybe(exit).filter(|_| kind != Kind::Manual),
        model: ModelId(draw.long()),
        before: draw.number(),
        entries: draw.number(),
        line: draw.pick(&[Line::Threshold, Line::Emergency]),
        deadline: time(draw),
    }
}

fn generation(draw: &mut Draw) -> Generation {
    Generation {
        number: draw.number(),
        attempt: AttemptId(draw.long()),
        at: time(draw),
        kind: kind(draw),
        probe: draw.flag(),
        covered_entries: draw.number(),
        covered_last_id: draw.long(),
        matched_entries: draw.maybe(Draw::number),
        fingerprint: draw.long(),
        pinned: draw.some(5, Draw::number),
        before_tokens: draw.number(),
        after_tokens: draw.maybe(Draw::number),
        summary_tokens: draw.number(),
        prune: draw.flag(),
        fallback: draw.flag(),
        last_resort: draw.flag(),
        verdict: draw.maybe(|draw| draw.pick(&[Verdict::Effective, Verdict::Weak, Verdict::Ineffective])),
        unknown: Unknown::default(),
    }
}

fn anchor(draw: &mut Draw) -> Anchor {
    Anchor {
        prompt_tokens: draw.number(),
        view_revision: draw.number(),
        entries: draw.number(),
        overhead: draw.number(),
        at: time(draw),
    }
}

fn kind(draw: &mut Draw) -> Kind {
    draw.pick(&[Kind::Auto, Kind::Manual, Kind::Overflow])
}

fn time(draw: &mut Draw) -> Timestamp {
    Timestamp(draw.long())
}
