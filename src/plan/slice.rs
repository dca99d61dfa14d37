//! What planning ends in: a slice, or a refusal with its numbers.

use core::ops::Range;

use crate::{plan::Fault, tokens::Tokens};

/// A slice worth summarising.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlicePlan {
    /// The first entry that no summary stands for yet.
    pub from: u32,
    /// Where the slice ends: entries before it are covered from the commit on, entries from it on stay verbatim.
    pub cut: u32,
    /// Covered entries that the view shows verbatim all the same, ascending: system entries, what the host pinned, and
    /// the newest real user message where the cut lies behind it.
    pub pinned: Vec<u32>,
    /// Entries that the last commit pinned and this one summarises: an earlier newest user message, an old pin.
    pub released: Vec<u32>,
    /// Entries from the cut on that a placeholder stands for, ascending.
    pub pruned: Vec<u32>,
    /// Entries from the cut on that are capped, and the newest user message where that is both capped and pinned,
    /// ascending, each with the bytes it is cut to. Those that this plan caps are among them.
    pub capped: Vec<(u32, u32)>,
    /// Tokens of the slice as it was shown, previous summary included, counted as the index counts.
    pub slice_tokens: Tokens,
    /// Where the prompt is expected to land, in model tokens, with a summary of full length.
    pub promised_tokens: Tokens,
    /// The most that the summary may take, in model tokens: the cap of the input, at most half the slice.
    pub summary_cap: Tokens,
}

impl SlicePlan {
    /// The entries to summarise, in order, as ranges: what was released, then the slice without what stays pinned.
    #[must_use]
    pub fn material(&self) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for &released in &self.released {
            ranges.push(released..released + 1);
        }
        let mut start = self.from;
        for &pinned in self.pinned.iter().filter(|&&index| index >= self.from) {
            if start < pinned {
                ranges.push(start..pinned);
            }
            start = pinned + 1;
        }
        if start < self.cut {
            ranges.push(start..self.cut);
        }
        ranges
    }
}

/// Why no plan is worth a model call. No strike comes of it (rule 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing in reach that is not summarised already, or too little of it to be said shorter.
    NothingToCompact {
        /// Entries that the live summary covers.
        covered: u32,
        /// Entries of the transcript.
        entries: u32,
    },
    /// What no compaction can remove leaves too little to save.
    FloorBound {
        /// What no compaction can remove, in model tokens.
        floor: Tokens,
        /// Where the best plan would land.
        landing: Tokens,
        /// Where it would have to land.
        needed: Tokens,
        /// The entry in the way: the heaviest of those that would stay, as it would be shown, in model tokens.
        largest: Option<(u32, Tokens)>,
    },
    /// No model is needed: with giant entries capped ([`crate::plan::caps`]) the prompt lands where it has to.
    CapsSuffice {
        /// Where the prompt lands then.
        landing: Tokens,
        /// Where it has to land.
        needed: Tokens,
    },
    /// A plan would be worth it once the trailing tool calls are answered.
    OpenToolCalls {
        /// The first entry of the oldest call that waits.
        from: u32,
        /// Where the plan would land then.
        landing: Tokens,
        /// Where it has to land.
        needed: Tokens,
    },
    /// The index contradicts itself: the plan was thrown away before a call was paid for.
    Inconsistent(Fault),
}

impl Refusal {
    /// The stable reason code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NothingToCompact { .. } => "nothing_to_compact",
            Self::FloorBound { .. } => "floor_bound",
            Self::CapsSuffice { .. } => "caps_suffice",
            Self::OpenToolCalls { .. } => "open_tool_calls",
            Self::Inconsistent(_) => "inconsistent",
        }
    }
}
