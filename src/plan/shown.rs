//! What entries weigh as they are shown: cleared ones as a placeholder, giant ones capped.

use core::ops::Range;

use crate::{
    tokens::Tokens,
    transcript::{Entry, Index},
};

/// Entries that the view does not show as they are, decided once and recorded with a generation.
///
/// What must stay as it is stays so whatever stands here: system entries, and real user messages but for the cap of a
/// newest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced<'a> {
    /// A placeholder stands for each of these, ascending.
    pub pruned: &'a [u32],
    /// Giant entries, each with the UTF-8 bytes it is cut to, ascending.
    pub capped: &'a [(u32, u32)],
}

impl Replaced<'_> {
    /// The first entry that is replaced.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        match (self.pruned.first(), self.capped.first()) {
            (Some(&pruned), Some(&(capped, _))) => Some(pruned.min(capped)),
            (pruned, capped) => pruned.copied().or(capped.map(|&(at, _)| at)),
        }
    }

    /// Without what lies before `at`.
    pub fn skip_to(&mut self, at: u32) {
        while let [first, rest @ ..] = self.pruned
            && *first < at
        {
            self.pruned = rest;
        }
        while let [(first, _), rest @ ..] = self.capped
            && *first < at
        {
            self.capped = rest;
        }
    }

    /// What stands for the first entry of both lists, if that is `at`, and the tokens that saves. Clearing wins over
    /// capping.
    #[must_use]
    pub fn stand_in(&self, index: &Index, at: u32) -> Option<(StandIn, Tokens)> {
        let cleared = self.pruned.first() == Some(&at);
        let bytes = self.capped.first().filter(|capped| capped.0 == at).map(|capped| capped.1);
        if !cleared && bytes.is_none() {
            return None;
        }
        let may_change = index.shape(at).may_change();
        if cleared && may_change {
            return Some((StandIn::Placeholder, index.tokens_at(at).saturating_sub(PLACEHOLDER_TOKENS)));
        }
        let bytes = bytes.filter(|_| may_change || index.newest_user() == Some(at))?;
        let entry = index.entry(at);
        Some((StandIn::Capped { bytes }, entry.tokens - capped_tokens(&entry, bytes)))
    }
}

/// What is shown in an entry's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StandIn {
    /// A placeholder of at most [`PLACEHOLDER_TOKENS`].
    Placeholder,
    /// Its beginning and end.
    Capped {
        /// UTF-8 bytes of text left of it.
        bytes: u32,
    },
}

/// Whether a placeholder may stand for `entry` at all: neither a system entry nor a real user message.
pub(super) fn may_prune(entry: &Entry) -> bool {
    entry.shape().may_change()
}

/// What is left of `entry` when its text is cut to `bytes`, with the words that say so.
fn capped_tokens(entry: &Entry, bytes: u32) -> Tokens {
    let text = text_bytes(entry);
    if u64::from(bytes) >= text {
        return entry.tokens;
    }
    let kept = u64::from(entry.tokens) * u64::from(bytes) / text;
    // At most the entry's own tokens.
    entry.tokens.min(kept as Tokens + PLACEHOLDER_TOKENS)
}

/// How many bytes `entry` may have when it is to weigh about `tokens`.
pub(super) fn bytes_for(entry: &Entry, tokens: Tokens) -> u32 {
    let bytes = u64::from(tokens.saturating_sub(PLACEHOLDER_TOKENS)) * text_bytes(entry);
    u32::try_from(bytes / u64::from(entry.tokens.max(1))).unwrap_or(u32::MAX)
}

/// About how many bytes of text it has: what media weigh is left out, since no cap of text makes them less.
fn text_bytes(entry: &Entry) -> u64 {
    let most = u64::from(entry.tokens) * MOST_BYTES_PER_TOKEN;
    if entry.bytes == 0 { most } else { most.min(u64::from(entry.bytes)) }
}

/// Tokens at some places, so that what lies in a range is found by halving.
pub(super) struct Places {
    /// Each place with the tokens at it and at all before it.
    sums: Vec<(u32, u64)>,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { sums: Vec::new() }
    }

    /// Behind all others.
    pub(super) fn push(&mut self, at: u32, tokens: u64) {
        let before = self.sums.last().map_or(0, |last| last.1);
        self.sums.push((at, before + tokens));
    }

    pub(super) fn within(&self, range: Range<u32>) -> u64 {
        self.before(range.end).saturating_sub(self.before(range.start))
    }

    pub(super) fn holds(&self, at: u32) -> bool {
        self.sums.binary_search_by_key(&at, |place| place.0).is_ok()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.sums.iter().map(|place| place.0)
    }

    fn before(&self, position: u32) -> u64 {
        let behind = self.sums.partition_point(|place| place.0 < position);
        behind.checked_sub(1).and_then(|at| self.sums.get(at)).map_or(0, |place| place.1)
    }
}

/// Whether the entry at `at` belongs to a call among the first `covered` entries without being one of them: the view
/// sends it whole, as text.
pub(super) fn is_late(index: &Index, at: u32, covered: u32) -> bool {
    at >= covered && index.root(at) < covered
}

/// What is saved by not showing entries as they are; `verbatim` ones (ascending) are, and so is what came late for the
/// `covered` ones.
pub(super) fn savings(index: &Index, mut replaced: Replaced<'_>, verbatim: &[u32], covered: u32) -> Places {
    let mut places = Places::new();
    while let Some(at) = replaced.first().filter(|&at| at < index.len()) {
        if verbatim.binary_search(&at).is_err()
            && !is_late(index, at, covered)
            && let Some((_, saved)) = replaced.stand_in(index, at)
        {
            places.push(at, u64::from(saved));
        }
        replaced.skip_to(at + 1);
    }
    places
}

/// What a placeholder takes: a line that names what stood there and how much of it, and the frame of a message.
pub const PLACEHOLDER_TOKENS: Tokens = 32;
/// English prose; every other text has fewer, so that a cap never leaves more than it promises.
const MOST_BYTES_PER_TOKEN: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Kind, Role};

    #[test]
    fn a_cap_leaves_about_what_it_was_made_for() {
        for (tokens, bytes) in [(40_000, 160_000), (40_000, 60_000), (40_000, 0), (40_000, 9_000_000)] {
            let entry = Entry { bytes, ..Entry::alone(1, Role::Tool, tokens) };
            let left = capped_tokens(&entry, bytes_for(&entry, 2_000));
            assert!((1_990..=2_000).contains(&left), "{left} of {tokens} tokens in {bytes} bytes");
            assert_eq!(capped_tokens(&entry, 200_000), tokens, "shorter than its cap");
        }
        let tiny = Entry::alone(1, Role::Tool, 5);
        assert_eq!(capped_tokens(&tiny, 0), 5);
    }

    #[test]
    fn what_must_stay_as_it_is_has_no_stand_in() {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 900));
        index.push(Entry::alone(1, Role::User, 900));
        index.push(Entry { kind: Kind::RESULT, ..Entry::alone(2, Role::Tool, 900) });
        index.push(Entry::alone(3, Role::User, 900));
        let stand_in = |at| {
            let all = [0, 1, 2, 3].map(|at| (at, 8));
            let mut capped = Replaced { pruned: &[], capped: &all };
            let mut pruned = Replaced { pruned: &[0, 1, 2, 3], capped: &[] };
            capped.skip_to(at);
            pruned.skip_to(at);
            (pruned.stand_in(&index, at).is_some(), capped.stand_in(&index, at).is_some())
        };
        assert_eq!([0, 1, 2, 3].map(stand_in), [(false, false), (false, false), (true, true), (false, true)]);
        let both = Replaced { pruned: &[2], capped: &[(2, 8)] };
        assert_eq!(savings(&index, both, &[], 0).within(0..4), 900 - 32);
        assert_eq!(savings(&index, both, &[2], 0).within(0..4), 0, "a pin is shown as it is");
    }
}
