//! The append-only index that everything above asks.

use core::ops::Range;

use crate::{
    tokens::Tokens,
    transcript::{Base, Blocks, Entry, Kind, Role, Shape, groups::Groups, sums::Sums},
};

/// A transcript as numbers, append-only, a struct of arrays: at most 32 bytes per entry.
///
/// Positions are counted in entries from 0; a position past the end reads as the end. Holds at most `u32::MAX - 1`
/// entries; further ones are dropped.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) sums: Sums,
    pub(super) groups: Groups,
    /// Starts of real user turns, ascending.
    pub(super) turns: Blocks<u32>,
    /// System entries behind the system head, ascending.
    systems: Blocks<u32>,
    /// Summaries that the host left behind, ascending.
    summaries: Blocks<u32>,
    head_len: u32,
    pub(super) model_calls: u32,
    pub(super) base: Base,
}

impl Index {
    /// An empty transcript.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many leading entries are not held, system head included; 0 for a transcript that is whole.
    #[must_use]
    pub fn base_len(&self) -> u32 {
        self.base.count
    }

    /// Appends `entry`; constant time, amortised.
    pub fn push(&mut self, entry: Entry) {
        let index = self.len();
        if index == u32::MAX - 1 {
            return;
        }
        self.sums.push(&entry);
        self.groups.push(&entry);
        if entry.is_system() {
            self.count_system(index);
        } else if entry.is_real_user() {
            self.turns.push(index);
        }
        if entry.kind.any(Kind::HOST_SUMMARY) {
            self.summaries.push(index);
        }
        self.model_calls += u32::from(entry.role == Role::Assistant);
    }

    fn count_system(&mut self, index: u32) {
        if index == self.head_len {
            self.head_len += 1;
        } else {
            self.systems.push(index);
        }
    }

    /// Forgets everything from `len` on: an edit, a regeneration, another branch. Costs a walk over what stays, because a
    /// late result may have bound groups together that now stand apart again.
    pub fn truncate(&mut self, len: u32) {
        if len < self.len() {
            let mut kept = Self::new();
            if self.base.count > 0 && len >= self.base.count {
                let head: Vec<Entry> = (0..self.head_len.min(self.base.count)).map(|at| self.entry(at)).collect();
                kept = Self::resumed(&head, self.base);
            }
            for index in kept.len()..len {
                kept.push(self.entry(index));
            }
            *self = kept;
        }
    }

    /// How many entries.
    #[must_use]
    pub fn len(&self) -> u32 {
        // push() refuses more.
        self.sums.len() as u32
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sums.len() == 0
    }

    /// The entry at `index`; its group is the one it was given, or itself where it stands alone.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn entry(&self, index: u32) -> Entry {
        Entry { group: self.root(index), ..self.sums.entry(index as usize) }
    }

    /// The first entry of the group that the entry at `index` belongs to.
    ///
    /// # Panics
    /// Where there is no such entry.
    #[must_use]
    pub fn root(&self, index: u32) -> u32 {
        self.groups.roots().get(index as usize).expect("there is such an entry")
    }

    /// The first entry of each entry's group.
    #[must_use]
    pub fn roots(&self) -> &Blocks<u32> {
        self.groups.roots()
    }

    /// Tokens of the entries in `range`.
    #[must_use]
    pub fn tokens(&self, range: Range<u32>) -> u64 {
        self.sums.tokens_before(range.end).saturating_sub(self.sums.tokens_before(range.start))
    }

    /// Tokens of the system entries in `range`.
    #[must_use]
    pub fn system_tokens(&self, range: Range<u32>) -> u64 {
        self.sums.system_tokens_before(range.end).saturating_sub(self.sums.system_tokens_before(range.start))
    }

    /// The fingerprint of the first `len` entries: of their roles and, but for system entries, their ids. Not of token
    /// counts, so that a better estimator makes no summary void. Stable across releases.
    #[must_use]
    pub fn fingerprint(&self, len: u32) -> u64 {
        self.sums.mark(len).fingerprint
    }

    /// Entries of the system head: the system entries that the transcript begins with.
    #[must_use]
    pub fn head_len(&self) -> u32 {
        self.head_len
    }

    /// System entries behind the head, within `range`.
    pub fn systems(&self, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let before = |end: u32| self.systems.partition_point(0..self.systems.len(), |index| index < end);
        self.systems.pieces(before(range.start)..before(range.end)).flatten().copied()
    }

    /// Places where a cut parts no group, ascending: entries before and entries from it on. The end is one as well, and
    /// is not listed; it is none while the last entry leads one that has not come yet.
    #[must_use]
    pub fn boundaries(&self) -> &Blocks<u32> {
        self.groups.boundaries()
    }

    /// Whether a cut at `position` parts no group.
    #[must_use]
    pub fn is_boundary(&self, position: u32) -> bool {
        (position == self.len() && !self.groups.is_leading())
            || self.boundaries().get(self.boundaries_below(position)) == Some(position)
    }

    /// The last boundary at or before `position`.
    #[must_use]
    pub fn boundary_at_or_before(&self, position: u32) -> u32 {
        if position >= self.len() && !self.groups.is_leading() {
            return self.len();
        }
        let after = self.boundaries_below(position.saturating_add(1));
        after.checked_sub(1).and_then(|at| self.boundaries().get(at)).unwrap_or(0)
    }

    /// How many boundaries are before `position`.
    pub(crate) fn boundaries_below(&self, position: u32) -> usize {
        self.boundaries().partition_point(0..self.boundaries().len(), |boundary| boundary < position)
    }

    /// The entries of the group that the entry at `index` belongs to, ascending.
    pub fn members(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let root = self.roots().get(index as usize);
        let end = self.boundaries_below(index.saturating_add(1));
        let end = self.boundaries().get(end).unwrap_or(self.len());
        (root.unwrap_or(end)..end).filter(move |&at| self.roots().get(at as usize) == root)
    }

    /// Starts of the real user turns, ascending.
    #[must_use]
    pub fn turns(&self) -> &Blocks<u32> {
        &self.turns
    }

    /// The newest message that a user really wrote.
    #[must_use]
    pub fn newest_user(&self) -> Option<u32> {
        self.turns.last()
    }

    /// How many real user turns.
    #[must_use]
    pub fn user_turns(&self) -> u32 {
        self.base.user_turns + self.turns.len() as u32
    }

    /// How many model calls: entries of the assistant.
    #[must_use]
    pub fn model_calls(&self) -> u32 {
        self.model_calls
    }

    /// The first entry of the oldest tool call that still waits for a result; nothing from it on may be cut away.
    ///
    /// A call waits until its results are in, a user speaks, or the model speaks again after some result: a provider
    /// would not have gone on otherwise. One result lost for good must not hold an unattended agent for ever.
    #[must_use]
    pub fn open_from(&self) -> Option<u32> {
        self.groups.open_from()
    }

    /// Whether the entry at `index` carries any flag of `kind`.
    ///
    /// # Panics
    /// Where there is no such entry.
    #[must_use]
    pub fn is(&self, index: u32, kind: Kind) -> bool {
        self.sums.shape(index as usize).kind.any(kind)
    }

    /// Whether the entry at `index` is a system entry: never in a slice.
    ///
    /// # Panics
    /// Where there is no such entry.
    #[must_use]
    pub fn is_system(&self, index: u32) -> bool {
        self.sums.shape(index as usize).is_system()
    }

    /// What the entry at `index` is: cheaper than all of it.
    pub(crate) fn shape(&self, index: u32) -> Shape {
        self.sums.shape(index as usize)
    }

    /// Tokens of the entry at `index`.
    pub(crate) fn tokens_at(&self, index: u32) -> Tokens {
        self.sums.tokens_at(index as usize)
    }

    /// The last summary that the host left behind before `position`.
    #[must_use]
    pub fn summary_before(&self, position: u32) -> Option<u32> {
        let at = self.summaries.partition_point(0..self.summaries.len(), |index| index < position);
        at.checked_sub(1).and_then(|last| self.summaries.get(last))
    }

    /// How many system entries in `range`, by walking it: a second opinion on [`Index::systems`].
    #[must_use]
    pub fn count_systems(&self, range: Range<u32>) -> usize {
        self.sums.count_systems(range.start as usize..range.end as usize)
    }

    /// The longest prefix that has at most `tokens` tokens, in entries.
    #[must_use]
    pub fn prefix_within(&self, tokens: u64) -> u32 {
        self.sums.prefix_within(tokens)
    }

    /// Heap bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists = [&self.turns, &self.systems, &self.summaries];
        self.sums.bytes() + self.groups.bytes() + lists.into_iter().map(Blocks::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS_OF_TWO: u8 = 2;

    fn user(id: u64) -> Entry {
        Entry::alone(id, Role::User, 10)
    }

    fn system(id: u64) -> Entry {
        Entry::alone(id, Role::System, 7)
    }

    fn assistant(id: u64) -> Entry {
        Entry::alone(id, Role::Assistant, 20)
    }

    fn call(id: u64, calls: u8) -> Entry {
        Entry { kind: Kind::CALL, calls, ..assistant(id) }
    }

    fn result(id: u64, group: u32) -> Entry {
        Entry { kind: Kind::RESULT, group, ..Entry::alone(id, Role::Tool, 30) }
    }

    fn index_of(entries: &[Entry]) -> Index {
        let mut index = Index::new();
        entries.iter().for_each(|&entry| index.push(entry));
        index
    }

    fn boundaries(index: &Index) -> Vec<u32> {
        index.boundaries().iter().collect()
    }

    #[test]
    fn sums_and_fingerprints_of_every_prefix_agree_with_a_plain_count() {
        let entries: Vec<Entry> = (0..100_u32)
            .map(|i| Entry { tokens: i * 3, ..if i % 7 == 3 { system(u64::from(i)) } else { user(u64::from(i)) } })
            .collect();
        let index = index_of(&entries);
        for from in 0..=100_u32 {
            for to in from..=100 {
                let slice = &entries[from as usize..to as usize];
                let plain: u64 = slice.iter().map(|entry| u64::from(entry.tokens)).sum();
                let systems: u64 = slice.iter().filter(|e| e.is_system()).map(|e| u64::from(e.tokens)).sum();
                assert_eq!((index.tokens(from..to), index.system_tokens(from..to)), (plain, systems), "{from}..{to}");
            }
            let alone = index_of(&entries[..from as usize]);
            assert_eq!(index.fingerprint(from), alone.fingerprint(from), "prefix of {from}");
        }
    }

    #[test]
    fn a_fingerprint_changes_with_order_role_and_id_but_not_with_the_token_count() {
        let print = |entries: &[Entry]| index_of(entries).fingerprint(u32::MAX);
        let base = print(&[user(1), assistant(2)]);
        assert_ne!(base, print(&[assistant(2), user(1)]));
        assert_ne!(base, print(&[user(1), Entry { role: Role::Tool, ..assistant(2) }]));
        assert_ne!(base, print(&[user(1), assistant(3)]));
        assert_eq!(base, print(&[user(1), Entry { tokens: 9_999, ..assistant(2) }]));
    }

    #[test]
    fn a_fingerprint_is_the_same_in_every_release() {
        assert_eq!(index_of(&[user(1), assistant(2)]).fingerprint(2), GOLDEN_FINGERPRINT);
    }

    #[test]
    fn parallel_calls_with_results_in_any_order_are_one_group() {
        let index = index_of(&[user(1), call(2, CALLS_OF_TWO), result(4, 1), result(3, 1), assistant(5)]);
        assert_eq!(boundaries(&index), [0, 1, 4]);
        assert_eq!(index.open_from(), None);
    }

    #[test]
    fn interleaved_calls_are_cut_only_where_no_group_reaches_across() {
        let index = index_of(&[user(1), call(2, 1), call(3, 1), result(4, 2), result(5, 1), assistant(6)]);
        assert_eq!(boundaries(&index), [0, 1, 5]);
    }

    #[test]
    fn a_trailing_call_is_open_until_its_last_result() {
        let mut index = index_of(&[user(1), call(2, CALLS_OF_TWO), result(3, 1)]);
        assert_eq!(index.open_from(), Some(1));
        index.push(result(4, 1));
        assert_eq!(index.open_from(), None);
    }

    #[test]
    fn a_message_that_holds_its_calls_with_their_results_waits_for_nothing() {
        let answered = Entry { kind: Kind::CALL.with(Kind::RESULT), ..assistant(2) };
        let index = index_of(&[user(1), answered]);
        assert_eq!((index.open_from(), boundaries(&index)), (None, vec![0, 1]));
    }

    #[test]
    fn one_entry_can_answer_several_calls() {
        let both = Entry { calls: 2, ..result(3, 1) };
        let index = index_of(&[user(1), call(2, CALLS_OF_TWO), both]);
        assert_eq!((index.open_from(), boundaries(&index)), (None, vec![0, 1]));
    }

    #[test]
    fn a_missing_result_is_given_up_when_a_user_speaks_or_the_model_goes_on() {
        let by_user = index_of(&[user(1), call(2, CALLS_OF_TWO), result(3, 1), user(4)]);
        assert_eq!((by_user.open_from(), boundaries(&by_user)), (None, vec![0, 1, 3]));
        let by_model = index_of(&[user(1), call(2, CALLS_OF_TWO), result(3, 1), assistant(4)]);
        assert_eq!(by_model.open_from(), None);
        let parts_of_one_answer = index_of(&[user(1), call(2, 1), call(3, 1)]);
        assert_eq!(parts_of_one_answer.open_from(), Some(1), "a second call of the same answer closes nothing");
        let synthetic = Entry { kind: Kind::SYNTHETIC, ..user(4) };
        assert_eq!(index_of(&[user(1), call(2, 1), synthetic]).open_from(), Some(1), "nor does a host's own turn");
    }

    #[test]
    fn a_new_call_in_a_group_of_closed_ones_is_open() {
        let mut index = index_of(&[call(1, CALLS_OF_TWO), result(2, 0), assistant(3), result(4, 0)]);
        assert_eq!(index.open_from(), None);
        index.push(Entry { group: 0, ..call(5, 1) });
        assert_eq!(index.open_from(), Some(0));
    }

    #[test]
    fn a_late_result_binds_its_call_and_a_duplicate_binds_nothing() {
        let late = index_of(&[call(1, 1), user(2), assistant(3), result(4, 0), user(5)]);
        assert_eq!(boundaries(&late), [0, 4]);
        let duplicate = index_of(&[call(1, 1), result(2, 0), user(3), result(4, 0), user(5)]);
        assert_eq!(boundaries(&duplicate), [0, 2, 3, 4]);
    }

    #[test]
    fn references_that_cannot_hold_stand_alone() {
        let entries =
            [user(1), result(2, 0), result(3, 99), Entry { group: 0, ..user(4) }, Entry { group: 1, ..system(5) }];
        let index = index_of(&entries);
        assert_eq!(boundaries(&index), [0, 2, 3, 4], "only the result right behind what it names may join it");
    }

    #[test]
    fn counts_know_real_turns_from_a_hosts_own_and_from_summaries_in_history() {
        let synthetic = Entry { kind: Kind::SYNTHETIC, ..user(3) };
        let summary = Entry { kind: Kind::HOST_SUMMARY, ..system(5) };
        let index = index_of(&[system(1), user(2), synthetic, assistant(4), summary, system(6)]);
        assert_eq!((index.head_len(), index.user_turns(), index.model_calls()), (1, 1, 1));
        assert_eq!((index.newest_user(), index.turns().last(), index.turns().len()), (Some(1), Some(1), 1));
        assert!(index.systems(0..6).eq([5]) && index.systems(0..5).eq([]));
    }

    #[test]
    fn truncating_leaves_what_a_fresh_index_of_the_same_prefix_holds() {
        let leads = |kind| Entry { kind: Kind::LEADS.with(kind), bytes: 1_000_003, ..assistant(7) };
        let calls = [system(9), call(1, 1), user(2), assistant(3), system(8), result(4, 1), user(5), call(6, 2)];
        let leading =
            [leads(Kind::RESULT), assistant(1), leads(Kind::NONE), call(2, 2), result(3, 11), leads(Kind::NONE)];
        let entries = [calls.as_slice(), &leading].concat();
        for len in 0..=entries.len() as u32 {
            let mut cut = index_of(&entries);
            cut.truncate(len);
            let fresh = index_of(&entries[..len as usize]);
            assert_eq!(format!("{:?}", cut), format!("{:?}", fresh), "cut to {len}");
        }
    }

    #[test]
    fn an_entry_costs_at_most_32_bytes_at_any_length() {
        let layouts: [fn(u32) -> Entry; 3] = [
            |i| user(u64::from(i)),
            |i| if i % 2 == 0 { user(1) } else { system(2) },
            |i| if i % 2 == 0 { call(1, 1) } else { result(2, i - 1) },
        ];
        for (layout, entry) in layouts.iter().enumerate() {
            let mut index = Index::new();
            for count in 1..=100_000 {
                index.push(entry(count - 1));
                let each = index.bytes().div_ceil(count as usize);
                assert!(each <= 32 || count < 10_000, "layout {layout}: {each} bytes each of {count}");
            }
        }
    }

    #[test]
    fn what_leads_is_never_parted_from_the_entry_behind_it() {
        let leads = |id| Entry { kind: Kind::LEADS, ..assistant(id) };
        let reasoned = index_of(&[user(1), leads(2), call(3, 1), result(4, 2), assistant(5)]);
        assert_eq!((boundaries(&reasoned), reasoned.root(3)), (vec![0, 1, 4], 1));
        assert!(reasoned.members(2).eq(1..4) && reasoned.members(0).eq(0..1) && reasoned.members(9).eq(0..0));
        let chain = index_of(&[user(1), leads(2), leads(3), leads(4), assistant(5), assistant(6)]);
        assert_eq!(boundaries(&chain), [0, 1, 5]);
        let between = index_of(&[user(1), call(2, 1), leads(3), result(4, 1), assistant(5)]);
        assert_eq!(boundaries(&between), [0, 1, 4], "nor where the entry behind it belongs elsewhere");
    }

    #[test]
    fn a_lead_at_the_end_waits_for_what_comes_and_no_longer() {
        let leads = |id| Entry { kind: Kind::LEADS, ..assistant(id) };
        let mut index = index_of(&[user(1), assistant(2), leads(3)]);
        assert_eq!((index.is_boundary(3), index.boundary_at_or_before(9)), (false, 2));
        index.push(user(4));
        assert_eq!((index.is_boundary(4), boundaries(&index)), (true, vec![0, 1, 2, 3]), "it led to nothing");
        let mut before_system = index_of(&[leads(1)]);
        assert_eq!(before_system.boundary_at_or_before(1), 0);
        before_system.push(system(2));
        assert_eq!(boundaries(&before_system), [0, 1]);
    }

    #[test]
    fn the_bytes_of_an_entry_are_kept_within_a_sixteenth_and_are_no_part_of_its_fingerprint() {
        let heavy = Entry { bytes: 4_200_000, kind: Kind::BLOB, ..user(1) };
        let index = index_of(&[heavy, user(2)]);
        let kept = index.entry(0).bytes;
        assert!(kept.abs_diff(heavy.bytes) <= heavy.bytes / 16, "{kept}");
        assert_eq!((index.entry(1).bytes, index.is(0, Kind::BLOB)), (0, true));
        assert_eq!(index.fingerprint(2), index_of(&[user(1), user(2)]).fingerprint(2));
    }

    const GOLDEN_FINGERPRINT: u64 = 6_766_429_365_354_129_653;
}
