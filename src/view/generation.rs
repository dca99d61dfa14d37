//! What one committed summary stands for.

use crate::{
    plan::{Covered, SlicePlan},
    tokens::Tokens,
    transcript::Index,
};

/// One committed summary, without its text: the prefix it covers, and how to recognise that prefix again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its number in the session: later ones are higher.
    pub number: u32,
    /// How many leading entries it covers.
    pub covered_count: u32,
    /// The id of the last entry it covers.
    pub covered_last_id: u64,
    /// [`Index::fingerprint`] of the covered prefix.
    pub fingerprint: u64,
    /// Covered entries that stay verbatim, ascending.
    pub pinned: Vec<u32>,
    /// Tokens of the summary, counted as the index counts.
    pub summary_tokens: Tokens,
}

impl Generation {
    /// The generation that committing `plan` makes.
    #[must_use]
    pub fn of(index: &Index, plan: &SlicePlan, number: u32, summary_tokens: Tokens) -> Self {
        Self {
            number,
            covered_count: plan.cut,
            covered_last_id: plan.cut.checked_sub(1).map_or(0, |last| index.entry(last).id),
            fingerprint: index.fingerprint(plan.cut),
            pinned: plan.pinned.clone(),
            summary_tokens,
        }
    }

    /// Whether the transcript still begins with what this covers: no edit, no other branch.
    #[must_use]
    pub fn matches(&self, index: &Index) -> bool {
        let count = self.covered_count;
        (1..=index.len()).contains(&count)
            && index.entry(count - 1).id == self.covered_last_id
            && index.fingerprint(count) == self.fingerprint
    }

    /// What the next plan starts from.
    #[must_use]
    pub fn covered(&self) -> Covered<'_> {
        Covered { count: self.covered_count, pinned: &self.pinned, summary_tokens: self.summary_tokens }
    }

    /// The one that applies to this transcript: the longest that matches, the newest of equals.
    #[must_use]
    pub fn live<'a>(generations: &'a [Self], index: &Index) -> Option<&'a Self> {
        let matching = generations.iter().filter(|generation| generation.matches(index));
        matching.max_by_key(|generation| (generation.covered_count, generation.number))
    }
}
