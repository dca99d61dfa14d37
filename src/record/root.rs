//! The root record: the durable state of a session.

use crate::{
    id::AttemptId,
    policy,
    record::{RootUnknown, Unknown},
    time::Timestamp,
    tokens::Tokens,
};

/// The durable state of a session: one small record, rewritten by every commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Root {
    /// The session it belongs to.
    pub session: String,
    /// Drawn when the session's records were first created: tells a session that was lost and begun anew from the old one.
    pub incarnation: u64,
    /// Phase and guards.
    pub state: policy::State,
    /// The last trusted reading, if there was one.
    pub anchor: Option<Anchor>,
    /// Committed summaries that are kept, oldest first, ascending by number.
    pub generations: Vec<Generation>,
    /// Compactions committed so far, pruned generations included.
    pub compactions: u32,
    /// Tokens that summarisers were paid for so far.
    pub spent_tokens: u64,
    /// Keys that this build does not know.
    pub unknown: RootUnknown,
}

/// The last trusted reading, riding along: what occupancy starts from after a reload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// What the provider counted for the whole prompt.
    pub prompt_tokens: Tokens,
    /// The view that it was counted on.
    pub view_revision: u32,
    /// Entries of the transcript that the prompt covered.
    pub entries: u32,
    /// What the report left after the entries: system prompt and tool schemas, in tokens.
    pub overhead: Tokens,
    /// When it was reported.
    pub at: Timestamp,
}

/// One committed summary with the prefix it covers. Its text is a [`Summary`](crate::record::Summary) of the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Counted from 1 and never used twice.
    pub number: u32,
    /// The attempt that committed it.
    pub attempt: AttemptId,
    /// When it was committed.
    pub at: Timestamp,
    /// Why the attempt was claimed.
    pub kind: policy::Kind,
    /// Whether the attempt was the probe of a tripped guard.
    pub probe: bool,
    /// How many entries of the transcript it covers, from the first on.
    pub covered_entries: u32,
    /// The id of the last entry it covers.
    pub covered_last_id: u64,
    /// Fingerprint of the covered prefix: a transcript that differs in it does not match.
    pub fingerprint: u64,
    /// Covered entries that stay verbatim, by index; at most [`MAX_PINNED`].
    pub pinned: Vec<u32>,
    /// Occupancy at the claim.
    pub before_tokens: Tokens,
    /// The reading that gave its verdict, once there is one.
    pub after_tokens: Option<Tokens>,
    /// Tokens of the summary's text.
    pub summary_tokens: Tokens,
    /// Whether the summary was written without a model.
    pub fallback: bool,
    /// Whether it was the last resort: written without a model because nothing else let the conversation go on.
    pub last_resort: bool,
    /// Whether it was worth it, once that is known.
    pub verdict: Option<policy::Verdict>,
    /// Keys that this build does not know.
    pub unknown: Unknown,
}

impl Root {
    /// The record of a session that has none yet.
    #[must_use]
    pub fn new(session: &str, incarnation: u64) -> Self {
        Self { session: session.to_owned(), incarnation, ..Self::default() }
    }

    /// Drops all but the `n` newest generations and returns the numbers of those dropped, so that their summaries can
    /// go in the same commit. The newest always stays, and so does `live`: the view needs it.
    pub fn keep_newest(&mut self, n: usize, live: Option<u32>) -> Vec<u32> {
        let surplus = self.generations.len().saturating_sub(n.max(1));
        let mut dropped = Vec::new();
        let mut index = 0;
        self.generations.retain(|generation| {
            let stays = index >= surplus || Some(generation.number) == live;
            index += 1;
            if !stays {
                dropped.push(generation.number);
            }
            stays
        });
        dropped
    }
}

/// A root record stays below this many bytes: it is rewritten by every commit, and engines page at 4 KB.
pub const ROOT_BYTES: usize = 2_048;
/// Generations kept for undo and inspection: as many as fit into [`ROOT_BYTES`] with ordinary numbers.
pub const MAX_GENERATIONS: usize = 16;
/// Pinned entries that one generation can name: with ordinary indices these take half of [`ROOT_BYTES`].
pub const MAX_PINNED: usize = 256;
