//! Clearing old tool results and media by a placeholder: what can be had before any model is called.

use crate::{
    plan::{
        Keep, PLACEHOLDER_TOKENS, Replaced,
        fixed::{clamp, pinned_groups, scaled},
        shown::{is_late, may_prune},
    },
    tokens::Tokens,
    transcript::{Entry, Index, Kind},
};

/// What [`prune`] works from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruneInput<'a> {
    /// How many leading entries the live summary covers.
    pub from: u32,
    /// What is left as it is at the end.
    pub keep: Keep,
    /// Whether the newest turn is reached as well: while a session refills, and as the last resort.
    pub live_turn: bool,
    /// What the host pinned: left as it is, with its whole group.
    pub pins: &'a [u32],
    /// What is not shown as it is already.
    pub replaced: Replaced<'a>,
    /// The least that is worth breaking a warm cache for, in model tokens: a tenth of the threshold.
    pub least_tokens: Tokens,
    /// The least in bytes, where tokens say little: see [`LEAST_FREED_BYTES`].
    pub least_bytes: u64,
    /// Model tokens per thousand of the index's tokens.
    pub scale_permille: u32,
}

/// Entries to clear, all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Prune {
    /// Entries that a placeholder is to stand for from now on, ascending; those that were cleared before are not listed.
    pub entries: Vec<u32>,
    /// What that takes off the prompt, in model tokens.
    pub freed_tokens: Tokens,
    /// What it takes off the request, in bytes, as far as they are known.
    pub freed_bytes: u64,
}

/// Everything that qualifies, if together it frees enough: tool results, media and blobs behind what is covered and
/// before the newest turn, the kept tail and the oldest open call.
///
/// An entry qualifies where it weighs twice its placeholder, or 64 KiB whatever its tokens. Never a system
/// entry, a real user message, a summary, a pin, or what leads another entry: a provider wants that back as it was. A
/// cleared result keeps its place and its call. A generation holds at most [`MAX_PRUNED`]: the oldest are cleared, the
/// rest stays as it is until a summary covers some of them.
pub fn prune(index: &Index, input: &PruneInput<'_>) -> Option<Prune> {
    let pinned = pinned_groups(index, input.pins);
    let mut recorded = input.replaced;
    recorded.skip_to(input.from);
    let room = MAX_PRUNED.saturating_sub(recorded.pruned.len());
    let (mut entries, mut tokens, mut freed_bytes) = (Vec::new(), 0, 0);
    for at in input.from.max(index.head_len())..input.end(index) {
        recorded.skip_to(at);
        let entry = index.entry(at);
        let cleared = recorded.pruned.first() == Some(&at);
        let stays = pinned.binary_search(&at).is_ok() || is_late(index, at, input.from);
        if cleared || stays || !is_bulky(&entry) {
            continue;
        }
        if entries.len() == room {
            break;
        }
        entries.push(at);
        let saved = recorded.stand_in(index, at).map_or(0, |stand_in| stand_in.1);
        tokens += u64::from((entry.tokens - saved).saturating_sub(PLACEHOLDER_TOKENS));
        freed_bytes += u64::from(entry.bytes);
    }
    let freed_tokens = clamp(scaled(tokens, input.scale_permille));
    let enough = freed_tokens >= input.least_tokens || freed_bytes >= input.least_bytes;
    (enough && !entries.is_empty()).then_some(Prune { entries, freed_tokens, freed_bytes })
}

impl PruneInput<'_> {
    /// Behind the last entry that may be cleared.
    fn end(&self, index: &Index) -> u32 {
        let newest = index.newest_user().filter(|_| !self.live_turn).unwrap_or(u32::MAX);
        self.keep.limit(index).min(newest).min(index.open_from().unwrap_or(u32::MAX))
    }
}

fn is_bulky(entry: &Entry) -> bool {
    let never = Kind::HOST_SUMMARY.with(Kind::LEADS);
    let bulk = Kind::RESULT.with(Kind::IMAGE).with(Kind::BLOB);
    may_prune(entry)
        && entry.kind.any(bulk)
        && !entry.kind.any(never)
        && (entry.tokens >= 2 * PLACEHOLDER_TOKENS || entry.bytes >= HEAVY_BYTES)
}

/// Providers refuse a request of 32 MB however few its tokens are; an eighth of that is worth a cold cache.
pub const LEAST_FREED_BYTES: u64 = 4 << 20;
/// An image of a few hundred tokens may weigh megabytes. Below 64 KiB it takes hundreds of them to matter.
const HEAVY_BYTES: u32 = 64 << 10;
/// What a generation's record has room for, and a view lays out in 50 µs.
pub const MAX_PRUNED: usize = 2_048;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Role;

    const RESULT_TOKENS: Tokens = 1_000;

    fn result(group: u32, tokens: Tokens) -> Entry {
        Entry { kind: Kind::RESULT, group, bytes: 3_000, ..Entry::alone(3, Role::Tool, tokens) }
    }

    /// `turns` of a user message, a call and its result.
    fn chat(turns: u32) -> Index {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 9_000));
        for _ in 0..turns {
            index.push(Entry::alone(1, Role::User, 2_000));
            let group = index.len();
            index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(2, Role::Assistant, 700) });
            index.push(result(group, RESULT_TOKENS));
        }
        index
    }

    fn input() -> PruneInput<'static> {
        PruneInput {
            from: 0,
            keep: Keep { entries: 0, tokens: 0, turns: 0 },
            live_turn: false,
            pins: &[],
            replaced: Replaced::default(),
            least_tokens: 2_000,
            least_bytes: LEAST_FREED_BYTES,
            scale_permille: 1_000,
        }
    }

    #[test]
    fn old_results_are_cleared_together_once_it_is_worth_a_cold_cache() {
        assert_eq!(prune(&chat(3), &input()), None, "two old results free less than the least");
        let pruned = prune(&chat(4), &input()).unwrap();
        assert_eq!((pruned.entries.as_slice(), pruned.freed_tokens), ([3, 6, 9].as_slice(), 3 * (RESULT_TOKENS - 32)));
        assert!(pruned.freed_bytes.abs_diff(9_000) < 600, "{}", pruned.freed_bytes);
        let scaled = prune(&chat(3), &PruneInput { scale_permille: 1_100, ..input() }).unwrap();
        assert_eq!(scaled.freed_tokens, 2 * 968 * 11 / 10);
    }

    #[test]
    fn what_is_covered_kept_pinned_or_cleared_already_stays_as_it_is() {
        let index = chat(8);
        let entries = |input: PruneInput<'_>| prune(&index, &input).map_or(Vec::new(), |pruned| pruned.entries);
        assert_eq!(entries(input()), [3, 6, 9, 12, 15, 18, 21]);
        assert_eq!(entries(PruneInput { from: 7, ..input() }), [9, 12, 15, 18, 21]);
        let turns = Keep { entries: 0, tokens: 0, turns: 3 };
        assert_eq!(entries(PruneInput { keep: turns, ..input() }), [3, 6, 9, 12, 15]);
        assert_eq!(
            entries(PruneInput { pins: &[5, 9], ..input() }),
            [3, 12, 15, 18, 21],
            "a call is pinned with its result"
        );
        let replaced = Replaced { pruned: &[3, 6, 9], capped: &[] };
        assert_eq!(entries(PruneInput { replaced, ..input() }), [12, 15, 18, 21], "decided once");
        assert_eq!(entries(PruneInput { live_turn: true, ..input() }), [3, 6, 9, 12, 15, 18, 21, 24]);
    }

    #[test]
    fn neither_users_nor_systems_nor_summaries_nor_leads_nor_open_calls_are_cleared() {
        let mut index = Index::new();
        let big = |kind, role| Entry { kind, bytes: 500_000, ..Entry::alone(1, role, 5_000) };
        index.push(big(Kind::IMAGE, Role::User));
        index.push(big(Kind::IMAGE, Role::System));
        index.push(big(Kind::HOST_SUMMARY.with(Kind::BLOB), Role::User));
        index.push(big(Kind::LEADS.with(Kind::BLOB), Role::Assistant));
        index.push(big(Kind::NONE, Role::Assistant));
        index.push(big(Kind::BLOB, Role::Assistant));
        index.push(big(Kind::IMAGE.with(Kind::SYNTHETIC), Role::User));
        index.push(Entry { calls: 2, ..big(Kind::CALL, Role::Assistant) });
        index.push(Entry { group: 7, ..big(Kind::RESULT, Role::Tool) });
        let all = PruneInput { live_turn: true, ..input() };
        assert_eq!(prune(&index, &all).unwrap().entries, [5, 6]);
    }

    #[test]
    fn heavy_bytes_count_where_tokens_are_few() {
        let mut index = chat(1);
        for _ in 0..10 {
            index.push(Entry { kind: Kind::IMAGE, bytes: 500_000, ..Entry::alone(4, Role::Assistant, 40) });
        }
        index.push(Entry::alone(5, Role::User, 10));
        let pruned = prune(&index, &input()).unwrap();
        assert_eq!((pruned.entries.len(), pruned.freed_tokens < 2_000), (11, true));
        assert!(pruned.freed_bytes > LEAST_FREED_BYTES);
    }

    #[test]
    fn a_generation_holds_a_bounded_list_and_the_oldest_come_first() {
        let index = chat(5_000);
        let first = prune(&index, &input()).unwrap().entries;
        assert_eq!((first.len(), first[0], first[MAX_PRUNED - 1]), (MAX_PRUNED, 3, 3 * MAX_PRUNED as u32));
        let full = PruneInput { replaced: Replaced { pruned: &first, capped: &[] }, ..input() };
        assert_eq!(prune(&index, &full), None);
        let covered = prune(&index, &PruneInput { from: first[1_000], ..full }).unwrap();
        assert_eq!(covered.entries.len(), 1_000, "what a summary covers gives its places back");
    }
}
