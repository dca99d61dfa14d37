//! Every state of a small scope: two tabs on one store, reloads, lost and doubled acknowledgements, clock jumps, two
//! models, and a summariser that does its worst. One test per set of moves; each prints how much it saw.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use crate::scope::{Answer, DAY, Move, SECOND, Scope};
use compaction_governor::policy::{FailureClass, State};

use Answer::{Fails, Fallback, Good, Grew, StillOver, Weak, WeakBelow, WeakFallback};
use Move::{
    Abandon, Arrive, Back, Claim, Credentials, Decide, End, EndTwice, Go, Late, Manual, Model, NoPlan, Overflowed,
    Pass, Reload, Renew, Reset, Silent, Step, Tick, User,
};

const MINUTE: u64 = 60 * SECOND;

#[test]
fn one_tab_with_a_lying_summariser_keeps_every_promise() {
    let answers = [Good, Weak, WeakBelow, StillOver, Grew].map(|answer| End(0, answer));
    let moves = [&[Step(0, 60), Step(0, 200), Silent(0, 0), Go(0), Pass(5 * MINUTE)][..], &answers].concat();
    explore("lying summariser", &[fresh()], &moves, 9);
}

#[test]
fn two_tabs_on_one_store_never_lose_or_double_a_verdict() {
    let both = |of: fn(usize) -> Move| [of(0), of(1)];
    let moves = [
        &both(|tab| Step(tab, 60))[..],
        &both(Decide),
        &both(Claim),
        &both(Reload),
        &[EndTwice(0, Weak), End(1, StillOver), EndTwice(1, Good), Abandon(1), Pass(10 * MINUTE)],
    ]
    .concat();
    explore("two tabs", &[fresh()], &moves, 10);
}

#[test]
fn late_silent_and_disordered_reports_settle_each_pass_once() {
    let moves = [
        Step(0, 60),
        Late(0, 60),
        Late(1, 60),
        Arrive(0),
        Arrive(1),
        Silent(0, 60),
        Go(0),
        EndTwice(0, Good),
        End(0, Weak),
        End(0, WeakBelow),
        Pass(5 * MINUTE),
        Reload(0),
    ];
    explore("late reports", &[fresh()], &moves, 8);
}

#[test]
fn a_jumping_clock_blocks_no_one_for_longer_than_a_rung() {
    let moves = [
        Step(0, 60),
        Go(0),
        End(0, Weak),
        End(0, Grew),
        End(0, Good),
        End(0, Fails(FailureClass::Timeout)),
        Back(DAY),
        Back(MINUTE),
        Pass(DAY),
        Pass(5 * MINUTE),
        Tick(0),
        Reload(0),
        NoPlan(0),
    ];
    explore("clock", &[fresh()], &moves, 8);
}

#[test]
fn every_class_of_failure_ends_by_itself() {
    let classes = FailureClass::ALL.map(|class| End(0, Fails(class)));
    let moves =
        [
            &[
                Go(0),
                Manual(0),
                End(0, Good),
                Step(0, 60),
                User(0),
                Credentials(0),
                Pass(10 * MINUTE),
                Pass(60 * MINUTE),
            ][..],
            &classes,
        ]
        .concat();
    explore("failures", &[fresh()], &moves, 7);
}

#[test]
fn alternating_models_get_one_probe_each() {
    let moves = [
        Step(0, 60),
        Late(0, 60),
        Arrive(0),
        Go(0),
        End(0, Weak),
        End(0, StillOver),
        End(0, Grew),
        End(0, Good),
        Model(0),
        Model(1),
        Pass(5 * MINUTE),
    ];
    explore("models", &[fresh()], &moves, 9);
}

#[test]
fn overflows_and_last_resorts_keep_verdicts_and_end() {
    let moves = [
        Step(0, 60),
        Step(0, 450),
        Overflowed(0),
        Go(0),
        End(0, Good),
        End(0, Weak),
        End(0, Grew),
        End(0, Fails(FailureClass::Auth)),
        End(0, Fails(FailureClass::Other)),
        User(0),
        Pass(5 * MINUTE),
        Manual(0),
    ];
    explore("overflows", &[fresh()], &moves, 8);
}

#[test]
fn overflows_in_two_tabs_never_swallow_a_verdict() {
    let moves = [
        Step(0, 60),
        Step(0, 450),
        Step(1, 450),
        Overflowed(0),
        Overflowed(1),
        Go(0),
        Go(1),
        End(0, Weak),
        End(1, Good),
        EndTwice(1, Grew),
        Reload(0),
        Pass(10 * MINUTE),
    ];
    explore("overflows in two tabs", &[fresh()], &moves, 8);
}

#[test]
fn plain_summaries_trip_their_guard_and_only_probes_follow() {
    let moves = [
        Step(0, 60),
        Step(0, 450),
        Go(0),
        End(0, Fallback),
        End(0, WeakFallback),
        End(0, Good),
        End(0, Fails(FailureClass::Other)),
        Model(1),
        Pass(5 * MINUTE),
        Overflowed(0),
    ];
    explore("plain summaries", &[fresh()], &moves, 9);
}

#[test]
fn interrupted_attempts_are_bounded_and_never_strike() {
    let moves = [
        Step(0, 60),
        Go(0),
        Go(1),
        Reload(0),
        Reload(1),
        Abandon(0),
        Renew(0),
        End(0, Good),
        EndTwice(1, Weak),
        Pass(5 * MINUTE),
        Pass(10 * MINUTE),
    ];
    explore("interrupted", &[fresh()], &moves, 9);
}

#[test]
fn passes_by_hand_move_no_counter_and_settle_what_is_pending() {
    let moves = [
        Step(0, 60),
        Go(0),
        Manual(0),
        Manual(1),
        End(0, Good),
        End(0, Weak),
        End(0, Grew),
        End(1, StillOver),
        Reset(0),
        Pass(5 * MINUTE),
    ];
    explore("by hand", &[fresh()], &moves, 8);
}

#[test]
fn unknown_and_rebuilt_histories_are_not_dead() {
    let rebuilt = Scope::new(State::rebuilt(Scope::start()), 790);
    let unknown = Scope::new(State::unknown_history(), 790);
    let moves = [
        Step(0, 60),
        Silent(0, 60),
        Go(0),
        End(0, Good),
        End(0, Weak),
        End(0, Grew),
        Model(1),
        Tick(0),
        Back(DAY),
        Pass(5 * MINUTE),
        Reload(0),
    ];
    explore("unknown history", &[rebuilt, unknown], &moves, 7);
}

/// A session just below its threshold.
fn fresh() -> Scope {
    Scope::new(State::default(), 790)
}

/// Breadth first. A violation panics with the moves that led to it.
fn explore(name: &str, starts: &[Scope], moves: &[Move], depth: usize) {
    let hasher = BuildHasherDefault::<Quick>::default();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut steps: Vec<(usize, Option<Move>)> = Vec::new();
    let mut frontier: Vec<(usize, Scope)> = Vec::new();
    let mut longest = 0;
    for start in starts {
        seen.insert(hasher.hash_one(start));
        steps.push((usize::MAX, None));
        frontier.push((steps.len() - 1, start.clone()));
    }
    for _ in 0..depth {
        let mut next = Vec::new();
        for (at, world) in frontier {
            for step in moves {
                let path = || trace(&steps, at, *step);
                let after = world.after(*step).unwrap_or_else(|what| panic!("{name}: {what}\n{}\n{world:#?}", path()));
                let Some(after) = after.filter(|after| seen.insert(hasher.hash_one(after))) else { continue };
                after.holds().unwrap_or_else(|what| panic!("{name}: {what}\n{}\n{after:#?}", path()));
                let waited = recovers(&after).unwrap_or_else(|what| panic!("{name}: {what}\n{}\n{after:#?}", path()));
                longest = longest.max(waited);
                steps.push((at, Some(*step)));
                next.push((steps.len() - 1, after));
            }
        }
        frontier = next;
    }
    println!("{name}: {} states, depth {depth}, {} moves, longest wait {longest} min", seen.len(), moves.len());
}

/// From here a healthy continuation compacts within the hour; where auth or quota failed, at rule 7's time or as soon as
/// the credentials change.
fn recovers(world: &Scope) -> Result<u64, String> {
    const HOUR: u64 = 61;
    let waited = world.minutes_to_a_pass(false)?;
    match world.person_needed() {
        None if waited > HOUR => Err(format!("a healthy continuation waits {waited} minutes")),
        Some(minutes) if waited > minutes.max(HOUR) => Err(format!("rule 7 says {minutes}, waited {waited} minutes")),
        Some(_) => match world.minutes_to_a_pass(true)? {
            after if after > HOUR => Err(format!("with new credentials it waits {after} minutes")),
            _ => Ok(waited.min(HOUR)),
        },
        None => Ok(waited),
    }
}

fn trace(steps: &[(usize, Option<Move>)], mut at: usize, last: Move) -> String {
    let mut path = vec![last];
    while let Some((before, step)) = steps.get(at) {
        path.extend(*step);
        at = *before;
    }
    path.reverse();
    format!("{path:?}")
}

/// Multiply and rotate: two of a million states are taken for one with a chance of one in 37 million.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(23);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 31)
    }
}
