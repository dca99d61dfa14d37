//! Opening the file: whose it is, which release's, and how this connection treats it.

use core::time::Duration;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{Failure, Settings};
use crate::store::{Durability, StoreError, StoreErrorKind, UnavailableWhy};

/// The layout's version (`user_version`). Raised only by a release that this one cannot write beside.
pub const VERSION: i32 = 1;

/// Marks the file as this store's (`application_id`): "CGov" as a number.
pub const APPLICATION_ID: i32 = 0x4347_6F76;

/// One row more in `records` is one entry in one tree: the key is the row.
const SCHEMA: &str = "
    CREATE TABLE records (
        session TEXT NOT NULL, part INTEGER NOT NULL,
        revision INTEGER NOT NULL, op INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (session, part)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE quarantine (
        n INTEGER PRIMARY KEY,
        session TEXT NOT NULL, part INTEGER NOT NULL, reason TEXT NOT NULL, bytes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX quarantine_of ON quarantine (session);";

/// Connects to the file at `path`, and makes the tables where there is nothing yet.
pub(super) fn open(path: &Path, settings: Settings) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Where it is relative still (no path at all, no current folder), it is none of SQLite's own names either.
    let mut connection = Connection::open_with_flags(Path::new(".").join(path), flags)?;
    connection.busy_timeout(Duration::from_millis(settings.busy_timeout.0))?;
    // Before anything that could write.
    if is_empty(&connection)? {
        create(&mut connection, settings)?;
    }
    check(&connection)?;
    set_up(&connection, settings)?;
    Ok(connection)
}

fn create(connection: &mut Connection, settings: Settings) -> Result<(), Failure> {
    set_up(connection, settings)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    if is_empty(&transaction)? {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    // No call's own work: whatever comes of it, nothing was applied.
    Ok(transaction.commit()?)
}

fn is_empty(connection: &Connection) -> Result<bool, Failure> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0 && number(connection, "application_id")? == 0 && number(connection, "user_version")? == 0)
}

fn check(connection: &Connection) -> Result<(), Failure> {
    let refused = |kind| Err(StoreError::not_applied(kind).into());
    if number(connection, "application_id")? != APPLICATION_ID {
        return refused(StoreErrorKind::Unavailable { why: UnavailableWhy::Damaged });
    }
    match number(connection, "user_version")? {
        VERSION => Ok(()),
        newer if newer > VERSION => refused(StoreErrorKind::Superseded),
        _ => refused(StoreErrorKind::Unavailable { why: UnavailableWhy::Damaged }),
    }
}

fn number(connection: &Connection, pragma: &str) -> Result<i32, Failure> {
    Ok(connection.pragma_query_value(None, pragma, |row| row.get(0))?)
}

/// What belongs to the connection and not to the file.
fn set_up(connection: &Connection, settings: Settings) -> Result<(), Failure> {
    // Both fsync the journal before the file; FULL also what ends the commit.
    let synchronous = match settings.durability {
        Durability::Relaxed => "NORMAL",
        Durability::Strict => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "secure_delete", "ON", |_| Ok(()))?;
    // No content in files of the system's temporary folder.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    if let Some(bytes) = settings.max_bytes {
        let page = i64::from(number(connection, "page_size")?.max(1));
        let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page;
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    }
    Ok(())
}
