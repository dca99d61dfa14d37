//! The root record is small, and stays so.

use compaction_governor::{
    id::{AttemptId, ModelId, OwnerId},
    policy::{MAX_STRUCK_MODELS, Phase},
    record::{Generation, MAX_GENERATIONS, MAX_PINNED, ROOT_BYTES, Root, encode_root},
    time::Timestamp,
};

use crate::arbitrary::{full_generation, full_root};

/// Everything in use, hashes and instants at full length, a window of a million tokens, an id as long as a UUID.
fn large_root(generations: usize) -> Root {
    let mut root = full_root();
    root.session = "123e4567-e89b-12d3-a456-426614174000".to_owned();
    root.incarnation = u64::MAX;
    root.state.guards.struck_models = [ModelId(u64::MAX); MAX_STRUCK_MODELS].into();
    if let Phase::AwaitingVerdict { attempt, .. } = &mut root.state.phase {
        (attempt.id, attempt.owner, attempt.model) = (AttemptId(u64::MAX), OwnerId(u64::MAX), ModelId(u64::MAX));
        attempt.before = 999_999;
    }
    let large = |number| Generation {
        attempt: AttemptId(u64::MAX),
        at: Timestamp(1_900_000_000_000),
        covered_entries: 99_999,
        covered_last_id: u64::MAX,
        fingerprint: u64::MAX,
        pinned: Vec::new(),
        before_tokens: 999_999,
        after_tokens: Some(999_999),
        summary_tokens: 8_192,
        ..full_generation(number)
    };
    root.generations = (1_000..).take(generations).map(large).collect();
    root
}

#[test]
fn root_record_with_sixteen_generations_stays_under_two_kilobytes() {
    let bytes = encode_root(&large_root(MAX_GENERATIONS)).len();
    let empty = encode_root(&Root::new("123e4567-e89b-12d3-a456-426614174000", 1)).len();
    println!("root record: {empty} bytes new, {bytes} bytes with {MAX_GENERATIONS} generations and every field in use");
    assert!(bytes < ROOT_BYTES, "{bytes} bytes");
}

#[test]
fn pruning_keeps_the_newest_and_the_live_generation_and_names_the_rest() {
    let mut root = large_root(5);
    assert_eq!(root.keep_newest(2, Some(1_001)), [1_000, 1_002]);
    let numbers = |root: &Root| root.generations.iter().map(|generation| generation.number).collect::<Vec<_>>();
    assert_eq!(numbers(&root), [1_001, 1_003, 1_004]);
    assert_eq!(root.keep_newest(0, None), [1_001, 1_003], "the newest stays whatever is asked");
    assert_eq!(numbers(&root), [1_004]);
    assert_eq!(root.keep_newest(0, None), [0_u32; 0]);
}

#[test]
fn pruning_to_the_byte_budget_drops_the_oldest_until_the_record_fits() {
    let mut root = large_root(MAX_GENERATIONS + 4);
    let dropped = root.prune(Some(1_000));
    assert!(encode_root(&root).len() <= ROOT_BYTES);
    assert_eq!(dropped.first(), Some(&1_001), "the live one stays, however old");
    let mut pinned = large_root(3);
    let many: Vec<u32> = (0..).take(MAX_PINNED).map(|index| 60_000 + index).collect();
    pinned.generations.iter_mut().for_each(|generation| generation.pinned.clone_from(&many));
    assert_eq!(pinned.prune(None), [1_000, 1_001]);
    assert!(encode_root(&pinned).len() <= ROOT_BYTES, "one generation with as many pins as there may be fits");
}
