//! The view as ranges.

use crate::{
    plan::{Replaced, StandIn},
    tokens::Tokens,
    transcript::Index,
    view::Generation,
};

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
    /// Something that stands for an entry.
    Placeholder {
        /// The entry it stands for.
        index: u32,
        /// Why the entry is not shown as it is.
        why: Why,
    },
    /// An entry cut to its beginning and end.
    Capped {
        /// The entry.
        index: u32,
        /// UTF-8 bytes that are left of its text.
        bytes: u32,
    },
}

/// Why a placeholder stands for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// A result whose call is covered because it came after the commit: sent as plain text, since a provider refuses a
    /// result without its call.
    LateResult,
    /// It was cleared: role, ids and calls stay, so that pairs hold; what was in it is gone from the view.
    Pruned,
}

impl View {
    /// The view of a transcript under what was committed for it. Without a generation that matches it is the transcript.
    #[must_use]
    pub fn new(index: &Index, generations: &[Generation]) -> Self {
        match Generation::live(generations, index) {
            Some(generation) => Self::compacted(index, generation),
            None => {
                let mut view = Self { parts: Vec::new(), generation: None, covered_count: 0, tokens: 0 };
                view.tokens = index.tokens(0..index.len());
                view.show(0, index.len());
                view
            }
        }
    }

    fn compacted(index: &Index, generation: &Generation) -> Self {
        let covered_count = generation.covered_count;
        let head = index.head_len().min(covered_count);
        let tokens = u64::from(generation.summary_tokens);
        let mut view = Self { parts: Vec::new(), generation: Some(generation.number), covered_count, tokens };
        view.tokens += index.tokens(0..head);
        view.show(0, head);
        if covered_count > 0 {
            view.parts.push(Part::Summary { generation: generation.summary });
        }
        for at in pinned(index, generation, head) {
            view.pinned(index, generation, at);
        }
        view.tail(index, generation);
        view
    }

    /// A covered newest user message may still be capped; everything else that is pinned is shown as it is.
    fn pinned(&mut self, index: &Index, generation: &Generation, at: u32) {
        let mut replaced = Replaced { pruned: &[], capped: &generation.capped };
        replaced.skip_to(at);
        self.tokens += index.tokens(at..at + 1);
        match replaced.stand_in(index, at).filter(|_| index.newest_user() == Some(at)) {
            Some(stand_in) => self.replace(at, stand_in),
            None => self.show(at, at + 1),
        }
    }

    fn tail(&mut self, index: &Index, generation: &Generation) {
        let (mut from, len) = (self.covered_count, index.len());
        self.tokens += index.tokens(from..len);
        // Each stand-in is a part, and so is what lies before it.
        self.parts.reserve(2 * (generation.pruned.len() + generation.capped.len()) + 1);
        // Late results are the only way a group can reach across the cut of a commit.
        let late_end = if index.is_boundary(from) { from } else { len };
        let mut replaced = generation.replaced();
        let mut at = from;
        while at < len {
            replaced.skip_to(at);
            // What the fingerprint does not know may be another entry by now.
            let next = replaced.first().filter(|&next| next < generation.matched_count);
            if at >= late_end {
                let Some(next) = next else { break };
                at = next;
            }
            if index.root(at) < self.covered_count {
                self.show(from, at);
                self.parts.push(Part::Placeholder { index: at, why: Why::LateResult });
                from = at + 1;
            } else if next == Some(at)
                && let Some(stand_in) = replaced.stand_in(index, at)
            {
                self.show(from, at);
                self.replace(at, stand_in);
                from = at + 1;
            }
            at += 1;
        }
        self.show(from, len);
    }

    fn replace(&mut self, at: u32, (stand_in, saved): (StandIn, Tokens)) {
        self.tokens -= u64::from(saved);
        self.parts.push(match stand_in {
            StandIn::Capped { bytes } => Part::Capped { index: at, bytes },
            _ => Part::Placeholder { index: at, why: Why::Pruned },
        });
    }

    /// Shows these entries as they are, which are counted already.
    fn show(&mut self, from: u32, to: u32) {
        if from >= to {
            return;
        }
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
            (Self::Placeholder { index, .. } | Self::Capped { index, .. }, _) => {
                u32::from(self == other && *index < unchanged)
            }
            _ => u32::from(self == other),
        }
    }

    /// Behind the last entry shown by it; 0 for a summary, whose generation matched the transcript.
    fn end(&self) -> u32 {
        match self {
            Self::Verbatim { to, .. } => *to,
            Self::Summary { .. } => 0,
            Self::Placeholder { index, .. } | Self::Capped { index, .. } => index + 1,
        }
    }
}

/// Covered entries that stay verbatim: every system entry, what was pinned by the commit (with its whole group, or not at
/// all), and the newest real user message, which a truncated transcript may have moved into the covered range.
fn pinned(index: &Index, generation: &Generation, head: u32) -> Vec<u32> {
    let covered = head..generation.covered_count;
    let mut pinned: Vec<u32> = index.systems(covered.clone()).collect();
    for at in generation.pinned.iter().copied().chain(index.newest_user()) {
        if covered.contains(&at)
            && (index.entry(at).is_real_user() || keeps_group(index, generation, at))
            && let Err(place) = pinned.binary_search(&at)
        {
            pinned.insert(place, at);
        }
    }
    pinned
}

fn keeps_group(index: &Index, generation: &Generation, at: u32) -> bool {
    let mut covered = index.members(at).take_while(|&member| member < generation.covered_count);
    covered.all(|member| generation.pinned.binary_search(&member).is_ok() || index.is_system(member))
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
        let (pinned, released, pruned, capped) = (pinned.to_vec(), Vec::new(), Vec::new(), Vec::new());
        let (from, slice_tokens, promised_tokens, summary_cap) = (1, 0, 0, 0);
        let plan =
            SlicePlan { from, cut, pinned, released, pruned, capped, slice_tokens, promised_tokens, summary_cap };
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
        let late = Part::Placeholder { index: 3, why: Why::LateResult };
        let expected = [Part::Summary { generation: 0 }, Part::Verbatim { from: 2, to: 3 }, late];
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

    /// The generation with these entries replaced as well.
    fn replacing(index: &Index, live: Option<&Generation>, pruned: &[u32], capped: &[(u32, u32)]) -> Generation {
        Generation::replacing(index, live, 8, pruned.to_vec(), capped.to_vec())
    }

    #[test]
    fn a_prune_needs_no_summary_and_keeps_the_place_of_what_it_clears() {
        let index = index();
        let cleared = replacing(&index, None, &[3, 7], &[(9, 64)]);
        assert_eq!((cleared.covered_count, cleared.matched_count), (0, 10));
        let view = View::new(&index, std::slice::from_ref(&cleared));
        let placeholder = |index| Part::Placeholder { index, why: Why::Pruned };
        let expected = [
            Part::Verbatim { from: 0, to: 3 },
            placeholder(3),
            Part::Verbatim { from: 4, to: 7 },
            placeholder(7),
            Part::Verbatim { from: 8, to: 9 },
            Part::Capped { index: 9, bytes: 64 },
            Part::Verbatim { from: 10, to: 12 },
        ];
        assert_eq!((view.parts(), view.generation(), view.check(&index)), (&expected[..], Some(8), Ok(())));
        assert_eq!(
            view.tokens(),
            index.tokens(0..12) - 2 * 8,
            "40 tokens are cleared to 32; a cap of 64 bytes saves none"
        );
        let plain = View::new(&index, &[]);
        assert_eq!((view.stable_prefix(&plain, 12), view.stable_prefix(&view, 8)), (3, 8));
    }

    #[test]
    fn clearing_behind_a_summary_shows_the_same_summary() {
        let index = index();
        let live = generation(&index, 7, 6, &[1]);
        let cleared = replacing(&index, Some(&live), &[7], &[]);
        let view = View::new(&index, &[live.clone(), cleared.clone()]);
        assert_eq!((view.generation(), view.covered_count()), (Some(8), 6), "it knows more entries");
        assert!(view.parts().contains(&Part::Summary { generation: 7 }));
        assert_eq!(
            view.stable_prefix(&View::new(&index, std::slice::from_ref(&live)), 12),
            4,
            "up to what was cleared"
        );
        let mut edited = index.clone();
        edited.truncate(7);
        assert_eq!(
            View::new(&edited, &[live, cleared]).generation(),
            Some(7),
            "what was cleared is not there any more"
        );
    }

    #[test]
    fn users_and_systems_are_shown_whatever_a_generation_says_of_them() {
        let index = index();
        let hostile = replacing(&index, None, &[0, 1, 10], &[(0, 8), (10, 8)]);
        let view = View::new(&index, &[hostile]);
        assert_eq!((view.parts(), view.check(&index)), (&[Part::Verbatim { from: 0, to: 12 }][..], Ok(())));
        let unknown = Generation { pruned: vec![3, 11, 40], ..replacing(&index, None, &[3], &[]) };
        assert_eq!(View::new(&index, &[unknown]).parts().len(), 3, "only what the fingerprint knows");
        let mut late = index.clone();
        let split = Generation { pruned: vec![5, 9], ..generation(&index, 0, 3, &[1]) };
        late.push(Entry { kind: Kind::RESULT, group: 2, ..Entry::alone(6, Role::Tool, 40) });
        let view = View::new(&late, &[split]);
        let placeholders = view.parts().iter().filter(|part| matches!(part, Part::Placeholder { .. }));
        assert_eq!(placeholders.count(), 1, "nor beside a late result");
        let last_resort = Generation { capped: vec![(1, 8)], ..generation(&index, 0, 6, &[1]) };
        assert!(View::new(&index, &[last_resort]).parts().contains(&Part::Capped { index: 1, bytes: 8 }));
    }

    #[test]
    fn a_pinned_entry_is_shown_with_its_whole_group_or_not_at_all() {
        let index = index();
        let pair = View::new(&index, &[generation(&index, 0, 6, &[1, 4, 5])]);
        assert_eq!((pair.parts()[2], pair.check(&index)), (Part::Verbatim { from: 1, to: 2 }, Ok(())));
        assert_eq!(pair.parts()[3], Part::Verbatim { from: 4, to: 12 });
        let half = View::new(&index, &[generation(&index, 0, 6, &[1, 5])]);
        assert_eq!((half.parts()[3], half.check(&index)), (Part::Verbatim { from: 6, to: 12 }, Ok(())));
    }

    #[test]
    fn a_late_result_stays_text_even_where_it_is_cleared() {
        let mut index = Index::new();
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(1, Role::Assistant, 10) });
        index.push(Entry::alone(2, Role::User, 10));
        let live = generation(&index, 0, 1, &[]);
        index.push(Entry { kind: Kind::RESULT, group: 0, ..Entry::alone(3, Role::Tool, 99) });
        let view = View::new(&index, &[replacing(&index, Some(&live), &[2], &[])]);
        assert_eq!(view.parts().last(), Some(&Part::Placeholder { index: 2, why: Why::LateResult }));
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
        let with = |parts: Vec<Part>| View { parts, ..view.clone() }.check(&index);
        let tail = Part::Verbatim { from: 6, to: 12 };
        let head = [Part::Verbatim { from: 0, to: 2 }, Part::Verbatim { from: 4, to: 5 }, tail];
        assert_eq!(with(head.to_vec()), Err(Breach::Dangling(5)), "a call is sent without its result");
        let pruned = |index| Part::Placeholder { index, why: Why::Pruned };
        assert_eq!(with(vec![Part::Verbatim { from: 0, to: 2 }, pruned(5), tail]), Err(Breach::Orphan(5)));
        assert_eq!(with(vec![pruned(0), Part::Verbatim { from: 1, to: 2 }, tail]), Err(Breach::Replaced(0)));
        assert_eq!(with(vec![Part::Verbatim { from: 0, to: 1 }, pruned(1), tail]), Err(Breach::Replaced(1)));
        let doubled =
            View { parts: vec![Part::Verbatim { from: 0, to: 12 }, Part::Verbatim { from: 3, to: 4 }], ..view.clone() };
        assert_eq!(doubled.check(&index), Err(Breach::Doubled(3)));
    }
}
