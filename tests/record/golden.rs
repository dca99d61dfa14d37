//! Records as schema 1 wrote them. The files were written once; a later schema adds files of its own and rewrites none.

use compaction_governor::{
    id::AttemptId,
    record::{Loaded, LoadedSummary, Summary, encode_root, encode_summary, load_root, load_summary},
};

use crate::{arbitrary::full_root, damage::NOW};

const ROOT_V1: &[u8] = include_bytes!("../golden/root-v1.bin");
const SUMMARY_V1: &[u8] = include_bytes!("../golden/summary-v1.bin");

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
    assert_eq!(load_summary(Some(SUMMARY_V1), "a session", 2), LoadedSummary::Found(summary.clone()));
    assert_eq!(encode_summary(&summary), SUMMARY_V1);
}
