//! What SQLite says when it fails, in this crate's words.

use rusqlite::Error;
use rusqlite::ffi::{
    SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_CONSTRAINT, SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_FULL, SQLITE_IOERR,
    SQLITE_IOERR_SHORT_READ, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_NOTADB, SQLITE_PERM, SQLITE_READONLY,
    SQLITE_READONLY_DBMOVED, SQLITE_TOOBIG,
};

use crate::store::{StoreError, StoreErrorKind, UnavailableWhy};

/// Why a call did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The contract's own no: nothing was written.
    Refused(StoreError),
    /// The engine failed before the transaction's end, which is thereby rolled back.
    Engine(Error),
    /// The engine failed to end the transaction.
    Commit(Error),
}

impl Failure {
    pub(super) fn at_commit(error: Error) -> Self {
        Self::Commit(error)
    }

    /// Whether the next call should not rely on this connection.
    pub(super) fn spoils_connection(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Engine(error) | Self::Commit(error) => {
                !matches!(primary(error), Some(SQLITE_BUSY | SQLITE_LOCKED | SQLITE_FULL))
            }
        }
    }

    /// Whether the file was moved or deleted while it was open: what is at its path now is another one.
    pub(super) fn is_moved(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Engine(error) | Self::Commit(error) => extended(error) == Some(SQLITE_READONLY_DBMOVED),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            Failure::Engine(error) => Self::not_applied(kind(&error)),
            Failure::Commit(error) if ends_before_the_journal(&error) => Self::not_applied(kind(&error)),
            Failure::Commit(error) => Self::maybe_applied(kind(&error)),
        }
    }
}

/// A transaction is committed by emptying its journal. These come before that, all others may come with it: a journal
/// that was emptied and could not be flushed is an I/O error, too.
fn ends_before_the_journal(error: &Error) -> bool {
    matches!(primary(error), Some(SQLITE_BUSY | SQLITE_LOCKED | SQLITE_FULL | SQLITE_READONLY | SQLITE_CONSTRAINT))
}

fn kind(error: &Error) -> StoreErrorKind {
    let unavailable = |why| StoreErrorKind::Unavailable { why };
    if extended(error) == Some(SQLITE_IOERR_SHORT_READ) {
        // The file ends within a page.
        return unavailable(UnavailableWhy::Damaged);
    }
    match primary(error) {
        Some(SQLITE_BUSY | SQLITE_LOCKED) => StoreErrorKind::Busy,
        Some(SQLITE_FULL) => StoreErrorKind::QuotaExceeded,
        Some(SQLITE_READONLY) => StoreErrorKind::ReadOnly,
        Some(SQLITE_CANTOPEN | SQLITE_PERM) => unavailable(UnavailableWhy::Denied),
        // The statements of this crate are right on its own tables: what has others is not its database.
        Some(SQLITE_NOTADB | SQLITE_CORRUPT | SQLITE_ERROR) => unavailable(UnavailableWhy::Damaged),
        Some(_) => StoreErrorKind::Backend { name: name(error) },
        // A value of another type or text that is no text, where the layout has none.
        None => unavailable(UnavailableWhy::Damaged),
    }
}

fn extended(error: &Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// The code without what the extended one adds.
fn primary(error: &Error) -> Option<i32> {
    extended(error).map(|code| code & 0xFF)
}

/// SQLite's name of the code, with the extended one behind it: which operation on the file failed.
fn name(error: &Error) -> String {
    let code = extended(error).unwrap_or_default();
    let name = match code & 0xFF {
        SQLITE_IOERR => "SQLITE_IOERR",
        SQLITE_NOMEM => "SQLITE_NOMEM",
        SQLITE_TOOBIG => "SQLITE_TOOBIG",
        _ => "SQLITE",
    };
    format!("{name} {code}")
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;
    use crate::error::Applied;
    use crate::store::Recover;

    fn failed(extended: i32) -> Error {
        Error::SqliteFailure(ffi::Error::new(extended), None)
    }

    fn said(failure: Failure) -> (&'static str, Applied, Recover) {
        let error = StoreError::from(failure);
        (error.code(), error.applied, error.recover)
    }

    #[test]
    fn every_code_has_its_kind_and_before_the_commit_nothing_is_applied() {
        for (extended, code, recover) in [
            (SQLITE_BUSY, "busy", Recover::Retry),
            (ffi::SQLITE_BUSY_SNAPSHOT, "busy", Recover::Retry),
            (SQLITE_LOCKED, "busy", Recover::Retry),
            (SQLITE_FULL, "quota_exceeded", Recover::UserAction),
            (SQLITE_READONLY, "read_only", Recover::UserAction),
            (ffi::SQLITE_READONLY_DIRECTORY, "read_only", Recover::UserAction),
            (SQLITE_CANTOPEN, "unavailable", Recover::UserAction),
            (SQLITE_PERM, "unavailable", Recover::UserAction),
            (SQLITE_NOTADB, "unavailable", Recover::UserAction),
            (SQLITE_CORRUPT, "unavailable", Recover::UserAction),
            (SQLITE_IOERR_SHORT_READ, "unavailable", Recover::UserAction),
            (ffi::SQLITE_IOERR_WRITE, "backend", Recover::Retry),
            (SQLITE_NOMEM, "backend", Recover::Retry),
        ] {
            assert_eq!(said(failed(extended).into()), (code, Applied::No, recover), "{extended}");
        }
    }

    #[test]
    fn a_commit_is_unknown_only_where_the_journal_may_be_gone() {
        for extended in [SQLITE_BUSY, SQLITE_FULL, SQLITE_READONLY] {
            assert_eq!(said(Failure::at_commit(failed(extended))).1, Applied::No, "{extended}");
        }
        for extended in [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_TRUNCATE, SQLITE_CORRUPT, SQLITE_NOMEM] {
            assert_eq!(said(Failure::at_commit(failed(extended))).1, Applied::Unknown, "{extended}");
        }
    }

    #[test]
    fn the_name_of_an_io_error_says_which_operation() {
        let error = StoreError::from(Failure::from(failed(ffi::SQLITE_IOERR_FSYNC)));
        assert_eq!(error.kind, StoreErrorKind::Backend { name: "SQLITE_IOERR 1034".to_owned() });
    }
}
