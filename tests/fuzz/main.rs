//! Bytes and answers that nobody meant: whatever a store hands back, nothing panics, and what is read can be written and read
//! again. Finds of a fuzzer are kept as files under `corpus`, which no test writes.

#[allow(dead_code, reason = "shared with the tests of the record, which use the rest")]
#[path = "../record/arbitrary.rs"]
mod arbitrary;
mod bytes;
mod corpus;
mod operations;
#[allow(dead_code, reason = "shared with the tests of the record, which use the rest")]
#[path = "../record/runs.rs"]
mod runs;

use std::fmt::Debug;

use compaction_governor::time::Timestamp;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

const NOW: Timestamp = Timestamp(1_700_000_400_000);
const SESSION: &str = "a session";

/// Where every run begins unless it is told: a change is judged by itself. Other seeds are for whoever looks for faults.
const SEED: u64 = 20_261_130;

/// Runs `property` on `cases` inputs; `FUZZ_SEED=<number>` begins elsewhere. A find is shrunk and printed, and belongs into the
/// corpus.
fn for_all<S: Strategy>(name: &str, cases: u32, inputs: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Debug,
{
    let given = std::env::var("FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or(SEED);
    println!("{name}: {cases} cases, FUZZ_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    TestRunner::new_with_rng(config, rng)
        .run(&inputs, property)
        .unwrap_or_else(|error| panic!("{name}: {error}\nagain: FUZZ_SEED={seed}"));
}
