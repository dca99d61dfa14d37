//! A simulation of the real session code: one seed drives tabs, reloads, kills, clock jumps, lost and doubled answers, a lying
//! summariser and a person who edits, on a store that fails; what must never happen is checked after each step.
//!
//! `SIM_SEED=<number> cargo test --test simulation` replays one world and prints its last steps; `SIM_STEPS=<number>` makes a
//! run longer.

mod actor;
#[allow(dead_code, reason = "shared with the tests of the record, which use the rest")]
#[path = "../record/arbitrary.rs"]
mod arbitrary;
#[cfg(feature = "conformance")]
mod crashes;
#[cfg(feature = "conformance")]
mod faults;
mod invariants;
mod liveness;
mod lock;
mod merging;
mod op;
#[allow(dead_code, reason = "shared with the tests of the policy, which use the rest")]
#[path = "../policy/rng.rs"]
mod rng;
#[allow(dead_code, reason = "shared with the tests of the record, which use the rest")]
#[path = "../record/runs.rs"]
mod runs;
#[cfg(feature = "conformance")]
mod script;
mod seen;
mod store;
mod summariser;
mod tab;
mod talk;
mod trace;
mod world;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use rng::Rng;
use seen::Seen;
use trace::Trace;
use world::World;

/// Steps of all worlds together. The environment cannot lower the number.
const STEPS: u64 = 1_000_000;
/// The same worlds in every run, so that a change is judged by itself; `SIM_FIRST` begins elsewhere. These found an exit that
/// came nearer when an attempt expired.
const FIRST: u64 = 5_784_808_885_409_058_349;
/// Worlds elsewhere that found a fault: deletions of what another tab had deleted since, which were written for nothing.
const FOUND: [u64; 1] = [4_242_424_754];
/// Steps of one world, before its faults stop.
const WORLD: u64 = 2_000;
const THREADS: u64 = 2;

#[test]
fn a_million_steps_of_tabs_faults_and_lies_break_no_promise_and_every_world_recovers() {
    if let Some(seed) = given("SIM_SEED") {
        return replay(seed);
    }
    let first = given("SIM_FIRST").unwrap_or(FIRST);
    let steps = given("SIM_STEPS").unwrap_or(0).max(STEPS);
    let worlds = steps.div_ceil(WORLD);
    println!("simulation: {steps} steps, {worlds} worlds, SIM_SEED={first} and the {} after it", worlds - 1);
    let mut seen = Seen::default();
    for seed in FOUND {
        live(seed);
    }
    thread::scope(|scope| {
        let runs: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    let mut seen = Seen::default();
                    for world in (thread..worlds).step_by(THREADS as usize) {
                        seen.add(&live(first.wrapping_add(world)));
                    }
                    seen
                })
            })
            .collect();
        for run in runs {
            seen.add(&run.join().expect("a world broke a promise: see above"));
        }
    });
    println!("{seen}");
    seen.assert_everything_was_met();
}

fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// One world from its seed; what it met.
fn live(seed: u64) -> Seen {
    let mut world = World::new(seed);
    let (step, outcome) = run(&mut world);
    if let Err(what) = outcome {
        println!("seed {seed}, step {step}: {what}");
        replay(seed);
    }
    world.seen
}

/// The same world again, with its steps written down.
fn replay(seed: u64) {
    let mut world = World::new(seed);
    world.trace = Trace::on();
    let (step, outcome) = run(&mut world);
    match outcome {
        Ok(()) => println!("SIM_SEED={seed} breaks nothing"),
        Err(what) => {
            panic!(
                "{}\nstep {step}: {what}\n\nagain: SIM_SEED={seed} cargo test --test simulation",
                world.trace.lines()
            )
        }
    }
}

/// All steps of a world and its recovery, or how far it came and what was wrong; a panic is wrong as well.
fn run(world: &mut World) -> (u64, Result<(), String>) {
    let mut step = 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        while step < WORLD {
            step += 1;
            world.step()?;
        }
        world.recovers()
    }));
    let panicked = |cause: Box<dyn std::any::Any + Send>| {
        let text = cause.downcast_ref::<String>().cloned();
        Err(format!("panicked: {}", text.unwrap_or_else(|| "see above".to_owned())))
    };
    (step, outcome.unwrap_or_else(panicked))
}

#[test]
fn one_seed_is_one_world() {
    let seed = Rng::new(7).next();
    let lines = || {
        let mut world = World::new(seed);
        world.trace = Trace::on();
        let _ = run(&mut world);
        world.trace.lines()
    };
    assert_eq!(lines(), lines());
}
