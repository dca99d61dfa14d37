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
    for at in generation.pinned.iter().copied().chain(index.newest_user()) {
        if covered.contains(&at)
            && index.entry(at).is_real_user()
            && let Err(place) = pinned.binary_search(&at)
        {
            pinned.insert(place, at);
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::SlicePlan,
        transcript::{Entry, Kind, Role},
        view::Breach,
    };

    /// System, user, four times a call and its result, a system entry, a last answer.
    fn index() -> Index {
        let mut index = Index::new();
        index.push(Entry::alone(1, Role::System, 10));
        index.push(Entry::alone(2, Role::User, 20));
        for id in 0..4 {
            let group = index.len();
            index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(10 + id, Role::Assistant, 30) });
            index.push(Entry { kind: Kind::RESULT, group, ..Entry::alone(20 + id, Role::Tool, 40) });
        }
        index.push(Entry::alone(3, Role::System, 50));
        index.push(Entry::alone(4, Role::Assistant, 60));
        index
    }

    fn generation(index: &Index, number: u32, cut: u32, pinned: &[u32]) -> Generation {
        let (pinned, released) = (pinned.to_vec(), Vec::new());
        let plan = SlicePlan { from: 1, cut, pinned, released, slice_tokens: 0, promised_tokens: 0, summary_cap: 0 };
        Generation::of(index, &plan, number, 5)
    }

    #[test]
    fn a_view_is_head_summary_pinned_entries_and_tail() {
        let index = index();
        let view = View::new(&index, &[generation(&index, 7, 6, &[1])]);
        let expected = [
            Part::Verbatim { from: 0, to: 1 },
            Part::Summary { generation: 7 },
            Part::Verbatim { from: 1, to: 2 },
            Part::Verbatim { from: 6, to: 12 },
        ];
        assert_eq!(view.parts(), expected);
        assert_eq!(view.tokens(), 10 + 5 + 20 + 140 + 50 + 60);
    }

    #[test]
    fn the_longest_matching_summary_applies_and_the_newest_of_equals() {
        let index = index();
        let foreign = Generation { fingerprint: 1, ..generation(&index, 9, 11, &[1, 10]) };
        let list =
            [generation(&index, 1, 4, &[1]), generation(&index, 2, 8, &[1]), generation(&index, 3, 8, &[1]), foreign];
        assert_eq!(View::new(&index, &list).generation(), Some(3));
        let mut shorter = index.clone();
        shorter.truncate(5);
        assert_eq!(View::new(&shorter, &list).generation(), Some(1));
    }

    #[test]
    fn a_result_that_comes_after_its_call_was_covered_is_sent_as_text() {
        let mut index = Index::new();
        index.push(Entry::alone(1, Role::User, 10));
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(2, Role::Assistant, 10) });
        index.push(Entry::alone(3, Role::User, 10));
        let list = [generation(&index, 0, 2, &[])];
        index.push(Entry { kind: Kind::RESULT, group: 1, ..Entry::alone(4, Role::Tool, 10) });
        let view = View::new(&index, &list);
        let expected =
            [Part::Summary { generation: 0 }, Part::Verbatim { from: 2, to: 3 }, Part::Placeholder { index: 3 }];
        assert_eq!(view.parts(), expected);
        assert_eq!(view.check(&index), Ok(()));
    }

    #[test]
    fn the_stable_prefix_ends_where_the_views_part() {
        let index = index();
        let (none, one) = (View::new(&index, &[]), View::new(&index, &[generation(&index, 0, 6, &[1])]));
        let two = View::new(&index, &[generation(&index, 1, 8, &[1])]);
        assert_eq!(one.stable_prefix(&one, 12), 9);
        assert_eq!(one.stable_prefix(&none, 12), 1, "the system head");
        assert_eq!(two.stable_prefix(&one, 12), 1, "another summary follows it");
        assert_eq!(none.stable_prefix(&none, 4), 4, "the fifth entry was edited");
        let mut grown = index.clone();
        grown.push(Entry::alone(5, Role::User, 10));
        let later = View::new(&grown, &[generation(&index, 0, 6, &[1])]);
        assert_eq!(later.stable_prefix(&one, 12), 9, "what a commit pinned stays pinned: the cache holds");
    }

    #[test]
    fn a_view_that_does_not_fit_its_transcript_is_caught_by_walking_it() {
        let index = index();
        let view = View::new(&index, &[generation(&index, 0, 6, &[1])]);
        let against = |change: &dyn Fn(u32, Entry) -> Entry, extra: u32| {
            let mut other = Index::new();
            (0..index.len()).for_each(|at| other.push(change(at, index.entry(at))));
            (0..extra).for_each(|_| other.push(Entry::alone(9, Role::Assistant, 1)));
            view.check(&other)
        };
        assert_eq!(against(&|_, entry| entry, 0), Ok(()));
        assert_eq!(against(&|_, entry| entry, 1), Err(Breach::Lost(12)));
        let system = |at, entry| if at == 2 { Entry::alone(9, Role::System, 1) } else { entry };
        assert_eq!(against(&system, 0), Err(Breach::SystemHidden(2)));
        let user = |at, entry| if at == 4 { Entry::alone(9, Role::User, 1) } else { entry };
        assert_eq!(against(&user, 0), Err(Breach::NewestUserHidden(4)));
        let late = |at, entry| {
            if at == 3 || at == 6 { Entry { kind: Kind::RESULT, group: 2, calls: 0, ..entry } } else { entry }
        };
        let parallel = |at, entry| late(at, if at == 2 { Entry { calls: 2, ..entry } } else { entry });
        assert_eq!(against(&parallel, 0), Err(Breach::Orphan(6)));
        let doubled =
            View { parts: vec![Part::Verbatim { from: 0, to: 12 }, Part::Verbatim { from: 3, to: 4 }], ..view.clone() };
        assert_eq!(doubled.check(&index), Err(Breach::Doubled(3)));
    }
}
