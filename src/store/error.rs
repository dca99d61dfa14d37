//! How a store says no: what happened, whether anything was applied, what helps.

use crate::error::Applied;
use crate::store::Revision;

/// The failure of one store call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct StoreError {
    /// What happened.
    pub kind: StoreErrorKind,
    /// Whether the call changed anything durable.
    pub applied: Applied,
    /// What helps.
    pub recover: Recover,
}

/// What happened. The sentence is for a person, [`StoreErrorKind::code`] for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The session is not as expected: somebody else committed.
    #[error("the session was changed elsewhere ({}); load it and decide again", At(*actual))]
    Conflict {
        /// Its revision now; `None` where there is no record.
        actual: Option<Revision>,
    },
    /// The engine has no room for the commit.
    #[error("the storage of this origin is full; the old state stands; free some space")]
    QuotaExceeded,
    /// A value is above the store's limit.
    #[error("a value of {found} bytes is above the store's limit of {limit}; nothing was written")]
    ValueTooLarge {
        /// The limit in bytes.
        limit: u64,
        /// The length in bytes of the first value above it.
        found: u64,
    },
    /// The storage cannot be used here at all.
    #[error("this storage cannot be used here: {why}; the session goes on in memory")]
    Unavailable {
        /// What is in the way.
        why: UnavailableWhy,
    },
    /// What seals the session's parts cannot be used now, or answered with something else than bytes.
    #[error("the key of this sealed session cannot be used now; nothing was read or written")]
    KeyUnavailable,
    /// Another page holds the database open in the way of this one.
    #[error("another page blocks the database; close it or reload it")]
    Blocked,
    /// Another process holds the database, and went on holding it.
    #[error("another process holds the database; try again in a moment")]
    Busy,
    /// The database can be read and not written.
    #[error("the database cannot be written; give write access to its file and folder")]
    ReadOnly,
    /// The database was made by a newer release than this one.
    #[error("the database belongs to a newer release; reload to get that one")]
    Superseded,
    /// The engine dropped the connection, and it could not be used again.
    #[error("the browser closed the database; reload the page if it stays so")]
    ConnectionClosed,
    /// The engine lost its own storage service, and this page can reach it no more (WebKit after a crash of that process).
    #[error(
        "the browser lost the connection to its database; reload the page; the session goes on in memory until then"
    )]
    ConnectionLost,
    /// The engine did not answer by the deadline.
    #[error("the storage did not answer in time; a later load tells what was written")]
    Timeout,
    /// The engine's answer was lost after the commit may have happened.
    #[error("nobody knows whether the commit happened; a load tells")]
    Indeterminate,
    /// Something is stored for the session and cannot be read.
    #[error("the stored record cannot be read; the next first commit moves it to the quarantine")]
    Corrupt,
    /// A commit without a root record.
    #[error("a commit must write the root record; nothing was written")]
    InvalidBatch,
    /// The store object of a host does not offer this.
    #[error("the store object has no `{call}`; add it to use what needs it")]
    Unsupported {
        /// The method that it lacks.
        call: &'static str,
    },
    /// The store object of a host answered something else than its contract allows.
    #[error("the store object broke its contract when it answered `{call}`; the session goes on in memory")]
    BadAnswer {
        /// The method that it answered.
        call: &'static str,
    },
    /// This context closed the store before.
    #[error("the store is closed; open another one")]
    Closed,
    /// Anything else that the engine reported.
    #[error("the storage engine failed with {name}")]
    Backend {
        /// The engine's own name for it (a `DOMException` name), never a message.
        name: String,
    },
}

/// Why a storage cannot be used at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnavailableWhy {
    /// The runtime does not have it: Node, a worker without localStorage.
    #[error("the runtime does not have it")]
    NoApi,
    /// The user or a policy denies access.
    #[error("access is denied")]
    Denied,
    /// What is there is damaged, or was never this store's. It is left as it is.
    #[error("what is there is damaged or belongs to another program; move it away or bring a copy back")]
    Damaged,
}

/// What helps after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recover {
    /// The same call, after loading where it was a commit.
    Retry,
    /// The same call again: the store connects anew by itself.
    Reopen,
    /// A reload of the page.
    Reload,
    /// A person: free space, close a page, grant access, bring a copy back.
    UserAction,
    /// Nothing: the call itself is wrong, or the place is.
    Never,
}

impl StoreError {
    /// A failure that left the old state.
    #[must_use]
    pub fn not_applied(kind: StoreErrorKind) -> Self {
        let recover = kind.recover();
        Self { kind, applied: Applied::No, recover }
    }

    /// A failure after which a load must tell what is stored.
    #[must_use]
    pub fn maybe_applied(kind: StoreErrorKind) -> Self {
        let recover = kind.recover();
        Self { kind, applied: Applied::Unknown, recover }
    }

    /// The stable code of the kind.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Whether trying again by itself can help.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(self.recover, Recover::Retry | Recover::Reopen)
    }
}

impl StoreErrorKind {
    /// The stable code: snake_case, never changed once released.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::QuotaExceeded => "quota_exceeded",
            Self::ValueTooLarge { .. } => "value_too_large",
            Self::Unavailable { .. } => "unavailable",
            Self::Blocked => "blocked",
            Self::Busy => "busy",
            Self::ReadOnly => "read_only",
            Self::Superseded => "superseded",
            Self::KeyUnavailable => "key_unavailable",
            Self::ConnectionClosed => "connection_closed",
            Self::ConnectionLost => "connection_lost",
            Self::Timeout => "timeout",
            Self::Indeterminate => "indeterminate",
            Self::Corrupt => "corrupt",
            Self::InvalidBatch => "invalid_batch",
            Self::Unsupported { .. } => "unsupported",
            Self::BadAnswer { .. } => "bad_answer",
            Self::Closed => "closed",
            Self::Backend { .. } => "backend",
        }
    }

    fn recover(&self) -> Recover {
        match self {
            Self::Conflict { .. }
            | Self::Timeout
            | Self::Indeterminate
            | Self::Busy
            | Self::KeyUnavailable
            | Self::Backend { .. } => Recover::Retry,
            Self::ConnectionClosed => Recover::Reopen,
            Self::Superseded | Self::ConnectionLost => Recover::Reload,
            Self::QuotaExceeded
            | Self::Blocked
            | Self::ReadOnly
            | Self::Unavailable { why: UnavailableWhy::Denied | UnavailableWhy::Damaged } => Recover::UserAction,
            Self::ValueTooLarge { .. }
            | Self::Unavailable { why: UnavailableWhy::NoApi }
            | Self::Corrupt
            | Self::InvalidBatch
            | Self::Unsupported { .. }
            | Self::BadAnswer { .. }
            | Self::Closed => Recover::Never,
        }
    }
}

impl Recover {
    /// The stable word: `retry`, `reopen`, `reload`, `user_action` or `never`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Reopen => "reopen",
            Self::Reload => "reload",
            Self::UserAction => "user_action",
            Self::Never => "never",
        }
    }
}

/// A revision for a sentence.
struct At(Option<Revision>);

impl core::fmt::Display for At {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            Some(revision) => write!(f, "now at revision {revision}"),
            None => f.write_str("no record is left"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_says_the_actual_revision_and_what_to_do() {
        let error = StoreError::not_applied(StoreErrorKind::Conflict { actual: Some(7) });
        assert_eq!(
            error.to_string(),
            "the session was changed elsewhere (now at revision 7); load it and decide again"
        );
        assert_eq!((error.code(), error.retryable(), error.applied.code()), ("conflict", true, "no"));
    }

    #[test]
    fn a_timed_out_commit_may_have_been_applied_and_can_be_retried() {
        let error = StoreError::maybe_applied(StoreErrorKind::Timeout);
        assert_eq!((error.code(), error.retryable(), error.applied.code()), ("timeout", true, "unknown"));
    }

    #[test]
    fn a_busy_store_is_asked_again_and_one_that_cannot_be_written_needs_a_person() {
        let (busy, read_only) = (StoreErrorKind::Busy, StoreErrorKind::ReadOnly);
        let said = |kind| {
            let error = StoreError::not_applied(kind);
            (error.code(), error.retryable(), error.recover.code())
        };
        assert_eq!(said(busy), ("busy", true, "retry"));
        assert_eq!(said(read_only), ("read_only", false, "user_action"));
        let damaged = StoreErrorKind::Unavailable { why: UnavailableWhy::Damaged };
        assert_eq!(said(damaged), ("unavailable", false, "user_action"));
    }

    #[test]
    fn a_full_or_closed_store_is_not_worth_retrying() {
        for kind in [StoreErrorKind::QuotaExceeded, StoreErrorKind::Closed, StoreErrorKind::InvalidBatch] {
            assert!(!StoreError::not_applied(kind.clone()).retryable(), "{kind:?}");
        }
    }
}
