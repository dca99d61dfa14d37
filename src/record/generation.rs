//! A generation as a map.

use crate::{
    id::AttemptId,
    policy::Kind,
    record::{Generation, MAX_PINNED, fields::Fields, writer::MapWriter},
    time::Timestamp,
};

/// `generation` as a map.
pub(super) fn encode(generation: &Generation) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.optional(NUMBER, Some(generation.number));
    map.optional(ATTEMPT, Some(generation.attempt.0));
    map.number(AT, generation.at.0);
    map.choice(KIND, Some(generation.kind));
    map.flag(PROBE, generation.probe);
    map.optional(COVERED_ENTRIES, Some(generation.covered_entries));
    map.optional(COVERED_LAST_ID, Some(generation.covered_last_id));
    map.optional(FINGERPRINT, Some(generation.fingerprint));
    map.numbers(PINNED, generation.pinned.iter().map(|index| u64::from(*index)));
    map.number(BEFORE_TOKENS, generation.before_tokens);
    map.optional(AFTER_TOKENS, generation.after_tokens);
    map.number(SUMMARY_TOKENS, generation.summary_tokens);
    map.flag(FALLBACK, generation.fallback);
    map.flag(LAST_RESORT, generation.last_resort);
    map.choice(VERDICT, generation.verdict);
    map.optional(MATCHED_ENTRIES, generation.matched_entries);
    map.flag(PRUNE, generation.prune);
    map.finish(&generation.unknown)
}

/// The generation in `fields`; `None` where it is not certain what it covers or keeps: without it the view shows more, with
/// a wrong one it would lose entries.
pub(super) fn decode(fields: &Fields<'_, '_>) -> Option<Generation> {
    let pinned = fields.places(PINNED)?;
    (pinned.len() <= MAX_PINNED).then_some(())?;
    Some(Generation {
        number: fields.optional(NUMBER, None)?,
        attempt: AttemptId(fields.optional(ATTEMPT, None)?),
        at: Timestamp(fields.number(AT, 0)),
        kind: fields.choice(KIND, Some(Kind::Auto)).unwrap_or(Kind::Auto),
        probe: fields.flag(PROBE),
        covered_entries: fields.optional(COVERED_ENTRIES, None)?,
        covered_last_id: fields.optional(COVERED_LAST_ID, None)?,
        matched_entries: fields.optional(MATCHED_ENTRIES, None),
        fingerprint: fields.optional(FINGERPRINT, None)?,
        pinned,
        before_tokens: fields.number(BEFORE_TOKENS, u32::MAX),
        after_tokens: fields.optional(AFTER_TOKENS, Some(u32::MAX)),
        summary_tokens: fields.number(SUMMARY_TOKENS, u32::MAX),
        prune: fields.flag(PRUNE),
        fallback: fields.flag(FALLBACK),
        last_resort: fields.flag(LAST_RESORT),
        verdict: fields.choice(VERDICT, None),
        unknown: fields.unknown.clone(),
    })
}

/// Keys below this one are known to this build.
pub(super) const KNOWN: u8 = 17;
const NUMBER: u8 = 0;
const ATTEMPT: u8 = 1;
const AT: u8 = 2;
const KIND: u8 = 3;
const PROBE: u8 = 4;
const COVERED_ENTRIES: u8 = 5;
const COVERED_LAST_ID: u8 = 6;
const FINGERPRINT: u8 = 7;
const PINNED: u8 = 8;
const BEFORE_TOKENS: u8 = 9;
const AFTER_TOKENS: u8 = 10;
const SUMMARY_TOKENS: u8 = 11;
const FALLBACK: u8 = 12;
const LAST_RESORT: u8 = 13;
const VERDICT: u8 = 14;
const MATCHED_ENTRIES: u8 = 15;
const PRUNE: u8 = 16;
