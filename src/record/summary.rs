//! The text of one generation: a part of its own, written once with the root that names it.

use core::fmt;

use crate::{
    id::AttemptId,
    record::{Unknown, fields::Fields, frame, part, writer::MapWriter},
};

/// The text of one generation.
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
    /// Keys that this build does not know.
    pub unknown: Unknown,
}

/// Says how long the text is, never what it says.
impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("session", &self.session)
            .field("number", &self.number)
            .field("attempt", &self.attempt)
            .field("text_bytes", &self.text.len())
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
    frame::seal(&map.finish(&summary.unknown))
}

/// The summary in `fields`; `None` where it is not certain whose it is, or where there is no text.
pub(super) fn decode(fields: &Fields<'_, '_>) -> Option<Summary> {
    Some(Summary {
        session: fields.text(part::SESSION)?.to_owned(),
        number: fields.optional(NUMBER, None)?,
        attempt: AttemptId(fields.number(ATTEMPT, 0)),
        text: fields.text(TEXT)?.to_owned(),
        unknown: fields.unknown.clone(),
    })
}

/// Keys below this one are known to this build; the first two are those of every part.
pub(super) const KNOWN: u8 = 5;
const NUMBER: u8 = 2;
const ATTEMPT: u8 = 3;
const TEXT: u8 = 4;
