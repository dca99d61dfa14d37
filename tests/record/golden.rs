//! Records as schema 1 wrote them. The files were written once; a later schema adds files of its own and rewrites none.

use compaction_governor::{
    id::AttemptId,
    record::{
        Behind, Bounds, Kept, Loaded, LoadedSummary, PinnedEntry, Pins, Summary, encode_pins, encode_root,
        encode_summary, load_pins, load_root, load_summary,
    },
};

use crate::{arbitrary::full_root, damage::NOW};

const ROOT_V1: &[u8] = include_bytes!("../golden/root-v1.bin");
const SUMMARY_V1: &[u8] = include_bytes!("../golden/summary-v1.bin");
const FULL_SUMMARY_V1: &[u8] = include_bytes!("../golden/summary-v1-full.bin");
const PINS_V1: &[u8] = include_bytes!("../golden/pins-v1.bin");

#[test]
fn golden_root_of_schema_one_is_read_and_written_as_it_was() {
    let found = load_root(Some(ROOT_V1), "a session", NOW);
    assert_eq!(found, Loaded::Found { root: full_root(), repaired: false });
    assert_eq!(encode_root(&full_root()), ROOT_V1);
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
