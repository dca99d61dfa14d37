//! Why something could not be done to a whole session.

use thiserror::Error;

use crate::{error::Applied, record::ArchiveError, store::StoreError};

/// Why something could not be done to a whole session.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SessionsError {
    /// The store keeps nothing under this id.
    #[error("the store keeps no session with this id; nothing was changed; take an id from list()")]
    Unknown,
    /// The store keeps something under the id that is to be made.
    #[error("the store already keeps a session with this id; it stands as it was; remove it first or take another id")]
    Exists,
    /// The record is damaged, or another session's.
    #[error("the record of this session cannot be read; it stands as it was; open the session, which starts anew")]
    Unreadable,
    /// A later build wrote it and says that this one cannot read it.
    #[error("the record needs a release that reads schema {min_reader}; it stands as it was; update this package")]
    Newer {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
    /// The bytes are no archive that can be read.
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl SessionsError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown_session",
            Self::Exists => "session_exists",
            Self::Unreadable => "unreadable_record",
            Self::Newer { .. } => "newer_record",
            Self::Archive(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// Whether the same call can succeed later without anything being changed.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Store(error) if error.retryable())
    }

    /// Whether anything durable was changed.
    #[must_use]
    pub fn applied(&self) -> Applied {
        match self {
            Self::Store(error) => error.applied,
            _ => Applied::No,
        }
    }
}
