//! The policy against a reference written apart from it: random histories, compared after every event.
//!
//! `POLICY_SEED=<n> cargo test --test policy reference` replays a run; the number of cases cannot be lowered.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::rng::Rng;
use crate::seen::Seen;
use crate::world::World;

const CASES: u64 = 100_000;
const STEPS: u64 = 48;

#[test]
fn policy_agrees_with_the_reference_after_every_event_of_random_histories() {
    let seed = seed();
    println!("cases: {CASES} seed: {seed}");
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let seen = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|worker| scope.spawn(move || run(seed, worker, threads))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker reports, it does not panic"))
            .collect::<Vec<_>>()
    });
    let mut total = Seen::default();
    for one in seen {
        match one {
            Ok(seen) => total.add(&seen),
            Err((case, steps)) => panic!("case {case} of seed {seed}:\n{}", told(&steps)),
        }
    }
    println!("{total}");
    total.assert_everything_was_met();
}

/// One worker's share of the cases: what was met, or the shortest steps that still disagree.
fn run(seed: u64, worker: u64, threads: u64) -> Result<Seen, (u64, Vec<u64>)> {
    let mut seen = Seen::default();
    for case in (worker..CASES).step_by(threads as usize) {
        let mut rng = Rng::new(seed ^ case.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let steps: Vec<u64> = (0..1 + rng.below(STEPS)).map(|_| rng.next()).collect();
        if disagrees(&steps, &mut seen) {
            return Err((case, shrunk(steps)));
        }
    }
    Ok(seen)
}

fn disagrees(steps: &[u64], seen: &mut Seen) -> bool {
    let mut world = World::new();
    steps.iter().any(|step| world.step(*step, seen).is_err())
}

/// Leaves out one step after the other as long as the rest still disagrees.
fn shrunk(mut steps: Vec<u64>) -> Vec<u64> {
    let fails = |steps: &[u64]| disagrees(steps, &mut Seen::default());
    loop {
        let shorter = (0..steps.len()).rev().find_map(|at| {
            let mut rest = steps.clone();
            rest.remove(at);
            fails(&rest).then_some(rest)
        });
        match shorter {
            Some(rest) => steps = rest,
            None => return steps,
        }
    }
}

fn told(steps: &[u64]) -> String {
    let mut world = World::new();
    world.trace = Some(Vec::new());
    let difference = steps.iter().find_map(|step| world.step(*step, &mut Seen::default()).err());
    let mut trace = world.trace.unwrap_or_default();
    trace.extend(difference);
    trace.join("\n")
}

fn seed() -> u64 {
    let given = std::env::var("POLICY_SEED").ok();
    given.map_or_else(
        || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64),
        |text| text.parse().expect("POLICY_SEED is a whole number"),
    )
}
