//! The text of one generation: a part of its own, written once with the root that names it.

use core::fmt;

use crate::{id::AttemptId, record::Unknown};

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
