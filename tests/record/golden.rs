//! Records as schema 1 wrote them. The files were written once; a later schema adds files of its own and rewrites none. Those
//! that the public suite reads lie with it.

use compaction_governor::{
    id::AttemptId,
    policy::{Attempt, Phase, State},
    record::{
        Behind, Bounds, Generation, Kept, Loaded, LoadedSummary, PinnedEntry, Pins, Root, Summary, encode_pins,
        encode_root, encode_summary, load_pins, load_root, load_summary,
    },
    time::Timestamp,
};

use crate::{
    arbitrary::{full_generation, full_root},
    damage::NOW,
};

const ROOT_V1: &[u8] = include_bytes!("../../src/session/conformance/golden/root-v1.bin");
const FULL_ROOT_V1: &[u8] = include_bytes!("../golden/root-v1-full.bin");
const ROOT_V2: &[u8] = include_bytes!("../golden/root-v2-future.bin");
const SUMMARY_V2: &[u8] = include_bytes!("../golden/summary-v2-future.bin");
const SUMMARY_V1: &[u8] = include_bytes!("../../src/session/conformance/golden/summary-v1.bin");
const FULL_SUMMARY_V1: &[u8] = include_bytes!("../golden/summary-v1-full.bin");
const PINS_V1: &[u8] = include_bytes!("../../src/session/conformance/golden/pins-v1.bin");

#[test]
fn golden_root_of_schema_one_is_read_and_written_as_it_was() {
    let found = load_root(Some(ROOT_V1), "a session", NOW);
    assert_eq!(found, Loaded::Found { root: full_root(), repaired: false });
    assert_eq!(encode_root(&full_root()), ROOT_V1);
}

#[test]
fn golden_root_with_every_field_that_came_later_is_read_and_written_as_it_was() {
    let root = every_field();
    assert_eq!(load_root(Some(FULL_ROOT_V1), "a session", NOW), Loaded::Found { root: root.clone(), repaired: false });
    assert_eq!(encode_root(&root), FULL_ROOT_V1);
}

/// What `root-v1.bin` was written too early for: clearings, a longer match, an attempt that runs.
fn every_field() -> Root {
    let full = full_root();
    let attempt = *full.state.attempt().expect("awaits its verdict");
    let state = State {
        phase: Phase::Compacting { attempt: Attempt { deadline: Timestamp(1_700_000_600_000), ..attempt } },
        ..full.state
    };
    let cleared = Generation { prune: true, matched_entries: Some(240), verdict: None, ..full_generation(3) };
    Root { state, generations: vec![full_generation(2), cleared], ..full }
}

// A schema that this build may not read, as a later one may write it: the same frame, `min_reader` 2, keys of its own.
#[test]
fn golden_records_of_a_schema_to_come_are_read_only_and_never_taken_for_damage() {
    assert_eq!(load_root(Some(ROOT_V2), "chat", NOW), Loaded::Future { min_reader: 2 });
    assert_eq!(load_summary(Some(SUMMARY_V2), "chat", 1), LoadedSummary::Future { min_reader: 2 });
    let mut damaged = ROOT_V2.to_vec();
    damaged[20] ^= 1;
    assert!(matches!(load_root(Some(&damaged), "chat", NOW), Loaded::Corrupt { .. }));
}

#[test]
fn golden_summary_of_schema_one_is_read_and_written_as_it_was() {
    let text = "Goal: ship it.\nÄnderungen: keine. 概要 🙂";
    let summary = Summary::new("a session", 2, AttemptId(0xa77e_0002), text);
    assert_eq!(load_summary(Some(SUMMARY_V1), "a session", 2), LoadedSummary::Found(Box::new(summary.clone())));
    assert_eq!(encode_summary(&summary), SUMMARY_V1);
}

#[test]
fn golden_summary_with_everything_that_is_frozen_with_it_is_read_and_written_as_it_was() {
    let summary = Summary {
        carry: "- [x] eins\n- [ ] zwei 🙂".to_owned(),
        bounds: Some(Bounds { slice_tokens: 21_000, cap: 1_638 }),
        kept: Some(Kept { found: 12, kept: 11 }),
        through: "msg-77".to_owned(),
        behind: Some(Behind {
            fingerprint: 0xf00d,
            head_entries: 2,
            head_fingerprint: 0xbeef,
            user_turns: 9,
            model_calls: 30,
        }),
        pruned: vec![81, 90],
        capped: vec![(95, 4_096)],
        ..Summary::new("a session", 2, AttemptId(0xa77e_0002), "Goal: ship it.")
    };
    assert_eq!(load_summary(Some(FULL_SUMMARY_V1), "a session", 2), LoadedSummary::Found(Box::new(summary.clone())));
    assert_eq!(encode_summary(&summary), FULL_SUMMARY_V1);
}

#[test]
fn golden_pins_of_schema_one_are_read_and_written_as_they_were() {
    let pins = Pins {
        entries: vec![PinnedEntry { id: u64::MAX, nth: 0 }, PinnedEntry { id: 7, nth: 2 }],
        texts: vec!["Nie auf der Produktivdatenbank. 🙂".to_owned(), "概要".to_owned()],
        ..Pins::default()
    };
    assert_eq!(load_pins(Some(PINS_V1), "a session"), pins);
    assert_eq!(encode_pins("a session", &pins), PINS_V1);
}
