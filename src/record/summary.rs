//! The text of one generation: a part of its own, written once with the root that names it.

use core::fmt;

use crate::{
    id::AttemptId,
    plan::MAX_PRUNED,
    record::{Unknown, fields::Fields, frame, part, writer::MapWriter},
    tokens::Tokens,
};

/// The text of one generation, and what was frozen with it.
#[derive(Clone, PartialEq, Eq)]
pub struct Summary {
    /// The session it belongs to.
    pub session: String,
    /// The generation's number.
    pub number: u32,
    /// The attempt that wrote it.
    pub attempt: AttemptId,
    /// The summary itself.
    pub text: String,
    /// What the host wanted to stand behind it word for word, as it was at the commit; empty where it wanted nothing.
    pub carry: String,
    /// What the text had to stay below, where that is known.
    pub bounds: Option<Bounds>,
    /// How many of the slice's identifiers it has, and still had at the commit.
    pub kept: Option<Kept>,
    /// The host's id of the last message that it covers; empty where that is not known.
    pub through: String,
    /// How to go on behind it without the messages that it covers, where that is possible.
    pub behind: Option<Behind>,
    /// Entries behind what it covers that a placeholder stands for, ascending; at most [`MAX_PRUNED`](crate::plan::MAX_PRUNED).
    pub pruned: Vec<u32>,
    /// Entries that are cut, ascending, each to this many UTF-8 bytes; at most as many.
    pub capped: Vec<(u32, u32)>,
    /// Keys that this build does not know.
    pub unknown: Unknown,
}

/// A receipt, without its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Identifiers of the slice.
    pub found: u32,
    /// Those that still stood in summary, pins, carry or tail.
    pub kept: u32,
}

/// What is to be known of covered messages to go on without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind {
    /// Fingerprint of the covered entries.
    pub fingerprint: u64,
    /// System entries that the transcript begins with.
    pub head_entries: u32,
    /// Fingerprint of those.
    pub head_fingerprint: u64,
    /// Real user turns among the covered entries.
    pub user_turns: u32,
    /// Model calls among them.
    pub model_calls: u32,
}

/// What the text of a generation had to stay below: an edit of it is held to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Tokens of what it replaced.
    pub slice_tokens: Tokens,
    /// The most it was allowed, in model tokens.
    pub cap: Tokens,
}

impl Summary {
    /// A text with nothing beside it.
    #[must_use]
    pub fn new(session: &str, number: u32, attempt: AttemptId, text: &str) -> Self {
        Self {
            session: session.to_owned(),
            number,
            attempt,
            text: text.to_owned(),
            carry: String::new(),
            bounds: None,
            kept: None,
            through: String::new(),
            behind: None,
            pruned: Vec::new(),
            capped: Vec::new(),
            unknown: Unknown::default(),
        }
    }

    /// Bytes of text that it holds.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.text.len() + self.carry.len() + self.through.len()
    }
}

/// Says how long the text is, never what it says.
impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("session", &self.session)
            .field("number", &self.number)
            .field("attempt", &self.attempt)
            .field("text_bytes", &self.text.len())
            .field("carry_bytes", &self.carry.len())
            .finish_non_exhaustive()
    }
}

/// The bytes of a summary: the same summary gives the same bytes.
#[must_use]
pub fn encode_summary(summary: &Summary) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.number(part::KIND, part::SUMMARY);
    map.text(part::SESSION, &summary.session);
    map.optional(NUMBER, Some(summary.number));
    map.number(ATTEMPT, summary.attempt.0);
    map.text(TEXT, &summary.text);
    for (key, text) in [(CARRY, &summary.carry), (THROUGH, &summary.through)] {
        if !text.is_empty() {
            map.text(key, text);
        }
    }
    if let Some(behind) = &summary.behind {
        map.optional(FINGERPRINT, Some(behind.fingerprint));
        map.number(HEAD_FINGERPRINT, behind.head_fingerprint);
        map.number(HEAD_ENTRIES, behind.head_entries);
        map.number(USER_TURNS, behind.user_turns);
        map.number(MODEL_CALLS, behind.model_calls);
    }
    if let Some(bounds) = summary.bounds {
        map.optional(SLICE_TOKENS, Some(bounds.slice_tokens));
        map.number(CAP, bounds.cap);
    }
    if let Some(kept) = summary.kept {
        map.optional(FOUND, Some(kept.found));
        map.number(KEPT, kept.kept);
    }
    if !summary.pruned.is_empty() {
        map.numbers(PRUNED, summary.pruned.iter().map(|at| u64::from(*at)));
    }
    if !summary.capped.is_empty() {
        let mut pairs = Vec::new();
        for &(at, bytes) in &summary.capped {
            pairs.extend([u64::from(at), u64::from(bytes)]);
        }
        map.numbers(CAPPED, pairs.into_iter());
    }
    frame::seal(&map.finish(&summary.unknown))
}

/// The summary in `fields`; `None` where it is not certain whose it is or what it clears, or where there is no text.
pub(super) fn decode(fields: &Fields<'_, '_>) -> Option<Summary> {
    let pruned = fields.places(PRUNED)?;
    let mut capped = Vec::new();
    for pair in fields.places(CAPPED)?.chunks_exact(2) {
        capped.push((pair[0], pair[1]));
    }
    (pruned.len() <= MAX_PRUNED && capped.len() <= MAX_PRUNED).then_some(())?;
    Some(Summary {
        session: fields.text(part::SESSION)?.to_owned(),
        number: fields.optional(NUMBER, None)?,
        attempt: AttemptId(fields.number(ATTEMPT, 0)),
        text: fields.text(TEXT)?.to_owned(),
        carry: fields.text(CARRY).unwrap_or_default().to_owned(),
        bounds: fields
            .optional(SLICE_TOKENS, None)
            .map(|slice_tokens| Bounds { slice_tokens, cap: fields.number(CAP, 0) }),
        through: fields.text(THROUGH).unwrap_or_default().to_owned(),
        behind: fields.optional(FINGERPRINT, None).map(|fingerprint| Behind {
            fingerprint,
            head_fingerprint: fields.number(HEAD_FINGERPRINT, 0),
            head_entries: fields.number(HEAD_ENTRIES, u32::MAX),
            user_turns: fields.number(USER_TURNS, 0),
            model_calls: fields.number(MODEL_CALLS, 0),
        }),
        kept: fields.optional(FOUND, None).map(|found| Kept { found, kept: fields.number(KEPT, 0) }),
        pruned,
        capped,
        unknown: fields.unknown.clone(),
    })
}

/// Keys below this one are known to this build; the first two are those of every part.
pub(super) const KNOWN: u8 = 18;
const NUMBER: u8 = 2;
const ATTEMPT: u8 = 3;
const TEXT: u8 = 4;
const CARRY: u8 = 5;
const SLICE_TOKENS: u8 = 6;
const CAP: u8 = 7;
const THROUGH: u8 = 8;
const HEAD_ENTRIES: u8 = 9;
const HEAD_FINGERPRINT: u8 = 10;
const USER_TURNS: u8 = 11;
const MODEL_CALLS: u8 = 12;
const FINGERPRINT: u8 = 13;
const PRUNED: u8 = 14;
const CAPPED: u8 = 15;
const FOUND: u8 = 16;
const KEPT: u8 = 17;
