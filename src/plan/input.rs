//! What a plan is made from.

use crate::{
    plan::Replaced,
    tokens::{Tokens, permille},
    transcript::{Index, Kind},
};

/// What a plan is made from, besides the transcript.
///
/// Two units meet here. The index holds counts as the reader made them; everything that comes from a provider or a
/// setting is in model tokens. `scale_permille` turns the first into the second, so that one accounting feeds the
/// trigger and the cut (rule 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanInput<'a> {
    /// The live summary and what it stands for, if there is one.
    pub previous: Option<Covered<'a>>,
    /// The prompt as it would be sent now, in model tokens.
    pub occupancy: Tokens,
    /// Model tokens of the prompt outside the entries: system prompt and tool schemas that are no entries.
    pub overhead: Tokens,
    /// Low-water mark to aim at, in model tokens (rule 1).
    pub target_tokens: Tokens,
    /// The highest landing worth a model call, in model tokens (rule 5): 85 % of the threshold, 90 % of the emergency line.
    pub accept_below: Tokens,
    /// The least saving worth a model call, in thousandths of the occupancy (rule 5: 100).
    pub min_saving_permille: u32,
    /// What to leave verbatim at the end.
    pub keep: Keep,
    /// What the host pinned, ascending: verbatim with its whole group until it is unpinned, and part of the floor.
    pub pins: &'a [u32],
    /// What the view does not show as it is: the prompt, the slice and the landing are counted as they are shown.
    pub replaced: Replaced<'a>,
    /// Whether a plan that would be refused may cap giant entries.
    pub capping: Capping,
    /// At the emergency line, or after a proven overflow: `keep` gives way before the plan is refused. Else it never
    /// does, and a slice that would be all protected is nothing to compact (SD-08).
    pub urgent: bool,
    /// The most a summary may take, in model tokens: see [`summary_cap`].
    pub summary_cap: Tokens,
    /// Model tokens per thousand of the index's tokens; 1,000 where nothing is known.
    pub scale_permille: u32,
}

/// What the live summary stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered<'a> {
    /// How many leading entries it covers.
    pub count: u32,
    /// Entries among them that its view shows verbatim, ascending.
    pub pinned: &'a [u32],
    /// Tokens of the summary, counted as the index counts.
    pub summary_tokens: Tokens,
}

/// Which entries a plan may cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capping {
    /// None beyond those that are capped already.
    #[default]
    Never,
    /// Giant ones that no summary can stand for: see [`crate::plan::caps`].
    Giants,
    /// The newest real user message as well: only for the last resort.
    NewestUserToo,
}

/// What to leave verbatim at the end of the view: all of it holds, up to the boundary before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// At least this many entries.
    pub entries: u32,
    /// At least this many tokens, counted as the index counts.
    pub tokens: Tokens,
    /// At least this many turns of a real user, or as many as there are; 0 asks for none.
    pub turns: u32,
}

impl Keep {
    /// Where the kept tail begins, before it is widened to a boundary. Never with a summary that the host left behind: one
    /// is no part of an exchange, and kept for its place it would pile up.
    pub(super) fn limit(&self, index: &Index) -> u32 {
        let by_entries = index.len().saturating_sub(self.entries);
        let by_tokens = match index.tokens(0..u32::MAX).checked_sub(u64::from(self.tokens)) {
            Some(before) => index.prefix_within(before),
            None => 0,
        };
        let mut limit = by_entries.min(by_tokens).min(self.turns_from(index));
        while limit < index.len() && index.is(limit, Kind::HOST_SUMMARY) {
            limit += 1;
        }
        limit
    }

    fn turns_from(&self, index: &Index) -> u32 {
        let known = index.turns().len() as u32;
        if known < self.turns && index.base_len() > 0 {
            return index.base_len();
        }
        let first = known.saturating_sub(self.turns);
        index.turns().get(first as usize).unwrap_or(index.len())
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self { entries: KEEP_ENTRIES, tokens: 0, turns: 0 }
    }
}

/// The most that a summary may take in a window of `window` tokens, whatever its slice (rule 6). Unknown: no share of it.
#[must_use]
pub fn summary_cap(window: Option<Tokens>) -> Tokens {
    window.map_or(SUMMARY_CAP_TOKENS, |window| permille(window, SUMMARY_WINDOW_PERMILLE).min(SUMMARY_CAP_TOKENS))
}

/// The last exchange and what came before it: without it a model picks up a finished task again.
const KEEP_ENTRIES: u32 = 3;
/// Longer summaries are re-read in every prompt that follows, and bury what matters.
const SUMMARY_CAP_TOKENS: Tokens = 8_192;
/// In small windows the summary must leave room for what it is for.
const SUMMARY_WINDOW_PERMILLE: u32 = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Base, Entry, Role};

    #[test]
    fn turns_are_kept_whole_and_none_are_missed_where_there_are_fewer() {
        let mut index = Index::new();
        for role in [Role::Assistant, Role::User, Role::Assistant, Role::User, Role::Tool] {
            index.push(Entry::alone(1, role, 10));
        }
        let limit = |turns| Keep { entries: 1, tokens: 10, turns }.limit(&index);
        assert_eq!([0, 1, 2, 3].map(limit), [4, 3, 1, 1]);
        let mut agent = Index::new();
        (0..5).for_each(|id| agent.push(Entry::alone(id, Role::Assistant, 10)));
        assert_eq!(
            Keep { entries: 1, tokens: 0, turns: 2 }.limit(&agent),
            4,
            "without a user there is no turn to keep"
        );
    }

    #[test]
    fn turns_that_are_not_held_keep_everything_behind_a_summary() {
        let mut index = Index::resumed(&[], Base { count: 9, user_turns: 4, ..Base::default() });
        for role in [Role::Assistant, Role::Assistant, Role::User, Role::Assistant] {
            index.push(Entry::alone(1, role, 10));
        }
        let limit = |turns| Keep { entries: 0, tokens: 0, turns }.limit(&index);
        assert_eq!([0, 1, 2, 5].map(limit), [13, 11, 9, 9]);
    }

    #[test]
    fn a_summary_takes_at_most_a_twentieth_of_the_window_and_never_above_8_192() {
        assert_eq!(summary_cap(Some(32_768)), 1_638);
        assert_eq!(summary_cap(Some(1_000_000)), 8_192);
        assert_eq!(summary_cap(None), 8_192);
    }
}
