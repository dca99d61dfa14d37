//! The view as ranges.

use crate::{transcript::Index, view::Generation};

/// What the model is sent, as parts in order. Equal inputs give equal views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    parts: Vec<Part>,
    generation: Option<u32>,
    covered_count: u32,
    tokens: u64,
}

/// One part of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// These entries as they are.
    Verbatim {
        /// The first.
        from: u32,
        /// Behind the last.
        to: u32,
    },
    /// The summary of the generation with this number.
    Summary {
        /// Its number.
        generation: u32,
    },
    /// A result whose call is covered because it came after the commit: sent as plain text, since a provider refuses a
    /// result without its call.
    Placeholder {
        /// The entry it stands for.
        index: u32,
    },
}

impl View {
    /// The view of a transcript under the summaries that were committed for it. Without one that matches it is the
    /// transcript.
    #[must_use]
    pub fn new(index: &Index, generations: &[Generation]) -> Self {
        match Generation::live(generations, index) {
            Some(generation) => Self::compacted(index, generation),
            None => {
                let mut view = Self { parts: Vec::new(), generation: None, covered_count: 0, tokens: 0 };
                view.verbatim(index, 0, index.len());
                view
            }
        }
    }

    fn compacted(index: &Index, generation: &Generation) -> Self {
        let covered_count = generation.covered_count;
        let head = index.head_len().min(covered_count);
        let tokens = u64::from(generation.summary_tokens);
        let mut view = Self { parts: Vec::new(), generation: Some(generation.number), covered_count, tokens };
        view.verbatim(index, 0, head);
        view.parts.push(Part::Summary { generation: generation.number });
        for at in pinned(index, generation, head) {
            view.verbatim(index, at, at + 1);
        }
        view.tail(index);
        view
    }

    /// Late results are the only way a group can reach across the cut of a commit.
    fn tail(&mut self, index: &Index) {
        let mut from = self.covered_count;
        if !index.is_boundary(from) {
            for at in self.covered_count..index.len() {
                if index.root(at) < self.covered_count {
                    self.verbatim(index, from, at);
                    self.parts.push(Part::Placeholder { index: at });
                    self.tokens += index.tokens(at..at + 1);
                    from = at + 1;
                }
            }
        }
        self.verbatim(index, from, index.len());
    }

    fn verbatim(&mut self, index: &Index, from: u32, to: u32) {
        if from >= to {
            return;
        }
        self.tokens += index.tokens(from..to);
        match self.parts.last_mut() {
            Some(Part::Verbatim { to: end, .. }) if *end == from => *end = to,
            _ => self.parts.push(Part::Verbatim { from, to }),
        }
    }

    /// The parts, in the order in which they are sent.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The number of the generation that applies.
    #[must_use]
    pub fn generation(&self) -> Option<u32> {
        self.generation
    }

    /// How many leading entries its summary covers.
    #[must_use]
    pub fn covered_count(&self) -> u32 {
        self.covered_count
    }

    /// Tokens of everything shown, counted as the index counts; overhead is not part of it.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// How many leading items (entries, summary, placeholders) are those of `previous`: what a prompt cache can reuse.
    /// `unchanged` says how many leading entries of the transcript are the same as when `previous` was made.
    #[must_use]
    pub fn stable_prefix(&self, previous: &Self, unchanged: u32) -> u32 {
        let mut items = 0;
        for (ours, theirs) in self.parts.iter().zip(&previous.parts) {
            items += ours.common(theirs, unchanged);
            if ours != theirs || ours.end() > unchanged {
                break;
            }
        }
        items
    }
}

impl Part {
    /// How many leading items two parts share.
    fn common(&self, other: &Self, unchanged: u32) -> u32 {
        match (self, other) {
            (Self::Verbatim { from, to }, Self::Verbatim { from: start, to: end }) if from == start => {
                to.min(end).min(&unchanged).saturating_sub(*from)
            }
            (Self::Placeholder { index }, _) => u32::from(self == other && *index < unchanged),
            _ => u32::from(self == other),
        }
    }

    /// Behind the last entry shown by it; 0 for a summary, whose generation matched the transcript.
    fn end(&self) -> u32 {
        match self {
            Self::Verbatim { to, .. } => *to,
            Self::Summary { .. } => 0,
            Self::Placeholder { index } => index + 1,
        }
    }
}

/// Covered entries that stay verbatim: every system entry, the real user messages pinned by the commit, and the newest
/// real user message, which a truncated transcript may have moved into the covered range.
fn pinned(index: &Index, generation: &Generation, head: u32) -> Vec<u32> {
    let covered = head..generation.covered_count;
    let mut pinned = index.systems(covered.clone()).to_vec();
    let users = generation.pinned.iter().copied().chain(index.newest_user());
    pinned.extend(users.filter(|at| covered.contains(at) && index.entry(*at).is_real_user()));
    pinned.sort_unstable();
    pinned.dedup();
    pinned
}
