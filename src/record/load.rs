//! Loading: whatever the bytes are, the answer is a state that forgets no strike, never an error.

use crate::record::{Root, Summary};

/// What was found where a root record belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Nothing: a session without a record.
    Absent,
    /// The record.
    Found {
        /// What it says.
        root: Root,
        /// Something in it was out of range or unreadable and was replaced by what guards most; worth writing and saying.
        repaired: bool,
    },
    /// Another session's record. To this session it is absent; it is not to be overwritten as its own.
    Foreign {
        /// Whose it is.
        session: String,
    },
    /// Written by a later build that says this one cannot read it: the session is read-only, the record stays untouched.
    Future {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
    /// Unreadable: the bytes belong in quarantine, `root` in their place.
    Corrupt {
        /// Rebuilt: tripped, armed a rung from now, with incarnation 0 until the caller draws one.
        root: Root,
        /// What is wrong with the bytes.
        why: CorruptKind,
    },
}

/// What was found where a summary belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadedSummary {
    /// Nothing.
    Absent,
    /// The summary.
    Found(Summary),
    /// The summary of another session or generation.
    Foreign {
        /// Whose it is.
        session: String,
        /// Of which generation.
        number: u32,
    },
    /// Written by a later build that says this one cannot read it.
    Future {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
    /// Unreadable: the bytes belong in quarantine, the generation cannot be shown.
    Corrupt(CorruptKind),
}

/// What is wrong with the bytes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CorruptKind {
    /// Shorter or longer than their header says, or shorter than a header.
    Length,
    /// They do not begin as a part of this crate does.
    Magic,
    /// The checksum disagrees.
    Checksum,
    /// The checksum agrees and what it covers is no map of fields.
    Decode,
    /// A part of another kind: a summary where the root belongs, or the other way round.
    WrongPart,
}

impl CorruptKind {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Magic => "magic",
            Self::Checksum => "checksum",
            Self::Decode => "decode",
            Self::WrongPart => "wrong_part",
        }
    }
}
