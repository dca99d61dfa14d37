//! How many cases a property gets, and where they come from.

// A module of a test binary has no outside to be reached from.
#![allow(unreachable_pub)]

use std::fmt::Debug;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

/// Cases of each property. Not settable from outside: a run that says it passed has run them all.
pub const CASES: u32 = 20_000;
/// Where the cases come from.
pub const SEED: [u8; 32] = *b"compaction governor, text layers";

/// Runs `property` on [`CASES`] inputs from a fixed seed and says so.
pub fn for_all<S: Strategy>(name: &str, inputs: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Debug,
{
    println!("{name}: {CASES} cases, seed {:?}", String::from_utf8_lossy(&SEED));
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &SEED);
    TestRunner::new_with_rng(config, rng).run(&inputs, property).unwrap_or_else(|error| panic!("{name}: {error}"));
}
