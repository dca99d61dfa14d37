//! What one commit stands for: a summary with what it covers, entries that are cleared or capped, or both.

use crate::{
    plan::{Covered, Replaced, SlicePlan},
    tokens::Tokens,
    transcript::Index,
};

/// One commit, without any text: what it covers, what it clears and caps, and how to recognise the entries again.
///
/// One that covers nothing has no summary; its `summary_tokens` are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Its number in the session: later ones are higher.
    pub number: u32,
    /// The number of the generation whose summary it shows: its own, or an earlier one's where it only clears and caps.
    pub summary: u32,
    /// How many leading entries its summary covers; may be 0.
    pub covered_count: u32,
    /// The id of the last entry it covers; without meaning where it covers none.
    pub covered_last_id: u64,
    /// How many leading entries `fingerprint` is of: all that are covered, cleared or capped.
    pub matched_count: u32,
    /// [`Index::fingerprint`] of the first `matched_count` entries.
    pub fingerprint: u64,
    /// Covered entries that stay verbatim, ascending.
    pub pinned: Vec<u32>,
    /// Entries behind the covered ones that a placeholder stands for, ascending.
    pub pruned: Vec<u32>,
    /// Entries behind the covered ones that are cut, each to so many UTF-8 bytes, ascending. The newest real user
    /// message may be among them where it is covered and pinned.
    pub capped: Vec<(u32, u32)>,
    /// Tokens of the summary, counted as the index counts.
    pub summary_tokens: Tokens,
}

impl Generation {
    /// The generation that committing `plan` makes.
    #[must_use]
    pub fn of(index: &Index, plan: &SlicePlan, number: u32, summary_tokens: Tokens) -> Self {
        let covered = Self {
            number,
            summary: number,
            covered_count: plan.cut,
            covered_last_id: plan.cut.checked_sub(1).map_or(0, |last| index.entry(last).id),
            pinned: plan.pinned.clone(),
            summary_tokens,
            ..Self::default()
        };
        covered.matching(index, plan.pruned.clone(), plan.capped.clone())
    }

    /// The generation that clears and caps without a new summary: what is `live` goes on, with these lists, which name
    /// all entries that are replaced from now on.
    #[must_use]
    pub fn replacing(
        index: &Index,
        live: Option<&Self>,
        number: u32,
        pruned: Vec<u32>,
        capped: Vec<(u32, u32)>,
    ) -> Self {
        let covered = live.cloned().unwrap_or_default();
        Self { number, ..covered }.matching(index, pruned, capped)
    }

    fn matching(mut self, index: &Index, pruned: Vec<u32>, capped: Vec<(u32, u32)>) -> Self {
        let last_pruned = pruned.last().map_or(0, |&last| last.saturating_add(1));
        let last_capped = capped.last().map_or(0, |last| last.0.saturating_add(1));
        self.matched_count = self.covered_count.max(last_pruned).max(last_capped).min(index.len());
        self.fingerprint = index.fingerprint(self.matched_count);
        self.pruned = pruned;
        self.capped = capped;
        self
    }

    /// Whether the transcript still begins with what this is about: no edit, no other branch.
    #[must_use]
    pub fn matches(&self, index: &Index) -> bool {
        let (covered, matched) = (self.covered_count, self.matched_count);
        (covered.max(1)..=index.len()).contains(&matched)
            && (covered == 0 || index.is_system(covered - 1) || index.entry(covered - 1).id == self.covered_last_id)
            && index.fingerprint(matched) == self.fingerprint
    }

    /// What is not shown as it is.
    #[must_use]
    pub fn replaced(&self) -> Replaced<'_> {
        Replaced { pruned: &self.pruned, capped: &self.capped }
    }

    /// What the next plan starts from.
    #[must_use]
    pub fn covered(&self) -> Covered<'_> {
        Covered { count: self.covered_count, pinned: &self.pinned, summary_tokens: self.summary_tokens }
    }

    /// The one that applies to this transcript: of those that match, the one that covers most, then the one that knows
    /// most entries, then the newest.
    #[must_use]
    pub fn live<'a>(generations: &'a [Self], index: &Index) -> Option<&'a Self> {
        let matching = generations.iter().filter(|generation| generation.matches(index));
        matching.max_by_key(|generation| (generation.covered_count, generation.matched_count, generation.number))
    }
}
