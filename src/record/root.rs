//! The root record: the durable state of a session.

use crate::{
    id::AttemptId,
    policy::{self, Phase, State, limits::ATTEMPT_DEADLINE},
    record::{RootUnknown, Unknown, fields::Fields, frame, generation, part, state, writer::MapWriter},
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
    /// How many leading entries the fingerprint is of, where it is more than it covers: what it clears and caps is among
    /// them.
    pub matched_entries: Option<u32>,
    /// Fingerprint of that prefix: a transcript that differs in it does not match.
    pub fingerprint: u64,
    /// Covered entries that stay verbatim, by index; at most [`MAX_PINNED`].
    pub pinned: Vec<u32>,
    /// Occupancy at the claim.
    pub before_tokens: Tokens,
    /// The reading that gave its verdict, once there is one.
    pub after_tokens: Option<Tokens>,
    /// Tokens of the summary's text.
    pub summary_tokens: Tokens,
    /// Whether it only clears entries: its summary, if it has one, is the one before it.
    pub prune: bool,
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

    /// The newest instant that it names: a report, the claim or end of an attempt, a commit; by the clock of whoever wrote it.
    /// Deadlines lie ahead of what set them and are no news; that of a running attempt tells when it was claimed or renewed.
    #[must_use]
    pub fn updated_at(&self) -> Option<Timestamp> {
        let guards = &self.state.guards;
        let attempt = match self.state.phase {
            Phase::Compacting { attempt } => attempt.deadline.0.saturating_sub(ATTEMPT_DEADLINE.0),
            Phase::Idle | Phase::AwaitingVerdict { .. } => 0,
        };
        let mut newest = Timestamp(attempt).max(self.anchor.map_or(Timestamp(0), |anchor| anchor.at));
        for told in [guards.last_attempt_end, guards.last_commit_at] {
            newest = newest.max(told.unwrap_or_default());
        }
        Some(newest).filter(|newest| newest.0 > 0)
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

    /// Drops the oldest generations until at most [`MAX_GENERATIONS`] are left and the record fits into [`ROOT_BYTES`],
    /// as [`Root::keep_newest`] does; one that is too large even so is left with the newest and `live`.
    pub fn prune(&mut self, live: Option<u32>) -> Vec<u32> {
        let mut dropped = Vec::new();
        for n in (1..=MAX_GENERATIONS).rev() {
            dropped.extend(self.keep_newest(n, live));
            if encode_root(self).len() <= ROOT_BYTES {
                break;
            }
        }
        dropped
    }
}

/// The bytes of a root record: the same record gives the same bytes.
#[must_use]
pub fn encode_root(root: &Root) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.number(part::KIND, part::ROOT);
    map.text(part::SESSION, &root.session);
    map.number(INCARNATION, root.incarnation);
    map.map(STATE, &state::encode(&root.state, &root.unknown));
    if let Some(anchor) = &root.anchor {
        map.map(ANCHOR, &encode_anchor(anchor));
    }
    map.maps(GENERATIONS, root.generations.iter().map(generation::encode));
    map.number(COMPACTIONS, root.compactions);
    map.number(SPENT_TOKENS, root.spent_tokens);
    frame::seal(&map.finish(&root.unknown.root))
}

/// The record in `fields`, as one of `session`.
pub(super) fn decode(fields: &Fields<'_, '_>, session: &str, now: Timestamp) -> Root {
    let mut root = Root::new(session, fields.number(INCARNATION, 0));
    root.unknown.root = fields.unknown.clone();
    match fields.map(STATE, state::KNOWN) {
        Ok(None) => {}
        Ok(Some(found)) => state::decode(&found, &mut root.state, &mut root.unknown, now),
        Err(_) => root.state = State::rebuilt(now),
    }
    let generations = decode_generations(fields);
    // New generations are numbered from here on: below the newest one a number, and with it a summary, would be taken.
    let newest = generations.last().map_or(0, |generation| generation.number);
    root.anchor = decode_anchor(fields);
    root.compactions = fields.number(COMPACTIONS, newest);
    root.generations = generations;
    root.spent_tokens = fields.number(SPENT_TOKENS, 0);
    root
}

fn decode_generations(fields: &Fields<'_, '_>) -> Vec<Generation> {
    let items = fields.items(GENERATIONS).unwrap_or_default();
    let older = items.len().saturating_sub(MOST_GENERATIONS);
    let mut generations = Vec::new();
    for raw in &items[older..] {
        generations.extend(fields.nested(raw, generation::KNOWN).and_then(|found| generation::decode(&found)));
    }
    if generations.len() == items.len() { generations } else { fields.replaced(generations) }
}

fn encode_anchor(anchor: &Anchor) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.optional(PROMPT_TOKENS, Some(anchor.prompt_tokens));
    map.number(VIEW_REVISION, anchor.view_revision);
    map.number(ENTRIES, anchor.entries);
    map.number(OVERHEAD, anchor.overhead);
    map.number(AT, anchor.at.0);
    map.finish(&Unknown::default())
}

/// The anchor, if there is a reading in it. Any other number of it that cannot be is 0: more is estimated, nothing invented.
fn decode_anchor(fields: &Fields<'_, '_>) -> Option<Anchor> {
    let found = fields.map(ANCHOR, ANCHOR_KNOWN).ok()??;
    Some(Anchor {
        prompt_tokens: found.optional(PROMPT_TOKENS, None)?,
        view_revision: found.number(VIEW_REVISION, 0),
        entries: found.number(ENTRIES, 0),
        overhead: found.number(OVERHEAD, 0),
        at: Timestamp(found.number(AT, 0)),
    })
}

/// A root record stays below this many bytes: it is rewritten by every commit, and engines page at 4 KB.
pub const ROOT_BYTES: usize = 2_048;
/// Generations kept for undo and inspection: as many as fit into [`ROOT_BYTES`] with ordinary numbers.
pub const MAX_GENERATIONS: usize = 16;
/// Pinned entries that one generation can name: with ordinary indices these take half of [`ROOT_BYTES`].
pub const MAX_PINNED: usize = 256;

/// A longer list was not written by this crate; it is more than [`MAX_GENERATIONS`] because a live one may stay beyond.
const MOST_GENERATIONS: usize = 64;

/// Keys below this one are known to this build; the first two are those of every part.
pub(super) const KNOWN: u8 = 8;
const INCARNATION: u8 = 2;
const STATE: u8 = 3;
const ANCHOR: u8 = 4;
const GENERATIONS: u8 = 5;
const COMPACTIONS: u8 = 6;
const SPENT_TOKENS: u8 = 7;

const ANCHOR_KNOWN: u8 = 5;
const PROMPT_TOKENS: u8 = 0;
const VIEW_REVISION: u8 = 1;
const ENTRIES: u8 = 2;
const OVERHEAD: u8 = 3;
const AT: u8 = 4;
