//! What each call reads and writes.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::Failure;
use crate::id::OpId;
use crate::store::{Batch, Expect, Part, QUARANTINE_PER_SESSION, Revision, Snapshot, StoreError, StoreErrorKind};

/// The root record's number: before every generation.
const ROOT: i64 = -1;

/// Revision and operation of a commit.
type Head = (Revision, OpId);

/// All rows of one session, by one statement: it reads one state.
pub(super) fn load(connection: &Connection, session: &str) -> Result<Option<Snapshot>, Failure> {
    let mut statement =
        connection.prepare("SELECT part, revision, op, bytes FROM records WHERE session = ?1 ORDER BY part")?;
    let mut rows = statement.query([session])?;
    let (mut found, mut head, mut parts) = (false, None, Vec::new());
    while let Some(row) = rows.next()? {
        found = true;
        // Parts that this release does not know are none of its business.
        let Some(part) = part_of(row.get(0)?) else { continue };
        let bytes = blob(row.get_ref(3)?);
        if part == Part::Root {
            head = head_of(row.get_ref(1)?, row.get_ref(2)?).filter(|_| bytes.is_some());
        }
        parts.push((part, bytes.unwrap_or_default()));
    }
    match head {
        Some((revision, op_id)) => Ok(Some(Snapshot { revision, op_id, parts })),
        None if found => Err(corrupt()),
        None => Ok(None),
    }
}

/// Compares with the root row, then writes.
pub(super) fn commit(
    transaction: &Transaction<'_>,
    session: &str,
    expect: Expect,
    batch: &Batch,
    op: OpId,
) -> Result<Revision, Failure> {
    let current = current(transaction, session);
    if let Ok(Some((revision, last))) = current
        && last == op
    {
        return Ok(revision);
    }
    let actual = match (current, expect) {
        (Ok(current), _) => current.map(|(revision, _)| revision),
        (Err(Failure::Refused(_)), Expect::Absent) => None,
        (Err(failure), _) => return Err(failure),
    };
    expect.check(actual)?;
    if expect == Expect::Absent {
        // What stands here is unreadable, or belongs to no root record: the new session must not inherit it.
        set_aside(transaction, session)?;
    }
    let revision = actual.unwrap_or(0) + 1;
    write(transaction, session, batch, revision, op)?;
    Ok(revision)
}

/// Ids in the order of their bytes.
pub(super) fn list(connection: &Connection, after: Option<&str>, limit: usize) -> Result<Vec<String>, Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare(match after {
        Some(_) => "SELECT DISTINCT session FROM records WHERE session > ?2 ORDER BY session LIMIT ?1",
        // The empty id is one, too.
        None => "SELECT DISTINCT session FROM records WHERE ?2 IS NULL ORDER BY session LIMIT ?1",
    })?;
    let ids = statement.query_map(params![limit, after], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Deletes all rows of one session, after comparing where a revision is expected.
pub(super) fn remove(transaction: &Transaction<'_>, session: &str, expect: Option<Revision>) -> Result<(), Failure> {
    if let Some(expected) = expect {
        Expect::Revision(expected).check(current(transaction, session)?.map(|(revision, _)| revision))?;
    }
    transaction.execute("DELETE FROM records WHERE session = ?1", [session])?;
    transaction.execute("DELETE FROM quarantine WHERE session = ?1", [session])?;
    Ok(())
}

/// Adds behind the last one of the session, and drops the oldest above the bound.
pub(super) fn quarantine(
    transaction: &Transaction<'_>,
    session: &str,
    part: Part,
    bytes: &[u8],
    reason: &str,
) -> Result<(), Failure> {
    transaction.execute(
        "INSERT INTO quarantine (session, part, reason, bytes) VALUES (?1, ?2, ?3, ?4)",
        params![session, number_of(part), reason, bytes],
    )?;
    trim(transaction, session)
}

/// Moves all rows of one session to the quarantine, the root record last, so that it stays longest.
fn set_aside(transaction: &Transaction<'_>, session: &str) -> Result<(), Failure> {
    let moved = transaction.execute(
        "INSERT INTO quarantine (session, part, reason, bytes)
         SELECT session, part, 'row', CAST(bytes AS BLOB) FROM records WHERE session = ?1 ORDER BY part DESC",
        [session],
    )?;
    if moved > 0 {
        transaction.execute("DELETE FROM records WHERE session = ?1", [session])?;
        trim(transaction, session)?;
    }
    Ok(())
}

fn trim(transaction: &Transaction<'_>, session: &str) -> Result<(), Failure> {
    transaction.execute(
        "DELETE FROM quarantine WHERE session = ?1
         AND n NOT IN (SELECT n FROM quarantine WHERE session = ?1 ORDER BY n DESC LIMIT ?2)",
        params![session, QUARANTINE_PER_SESSION as i64],
    )?;
    Ok(())
}

fn write(
    transaction: &Transaction<'_>,
    session: &str,
    batch: &Batch,
    revision: Revision,
    op: OpId,
) -> Result<(), Failure> {
    let mut delete = transaction.prepare("DELETE FROM records WHERE session = ?1 AND part = ?2")?;
    for part in &batch.deletes {
        delete.execute(params![session, number_of(*part)])?;
    }
    let mut put =
        transaction.prepare("REPLACE INTO records (session, part, revision, op, bytes) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (part, bytes) in &batch.puts {
        put.execute(params![session, number_of(*part), revision.cast_signed(), op.0.cast_signed(), bytes])?;
    }
    Ok(())
}

/// Of the root row, as far as there is one.
fn current(connection: &Connection, session: &str) -> Result<Option<Head>, Failure> {
    let read = |row: &Row<'_>| {
        let readable = blob_type(row.get_ref(2)?);
        Ok(head_of(row.get_ref(0)?, row.get_ref(1)?).filter(|_| readable))
    };
    let head = connection
        .query_row(
            "SELECT revision, op, typeof(bytes) FROM records WHERE session = ?1 AND part = ?2",
            params![session, ROOT],
            read,
        )
        .optional()?;
    head.map(|head| head.ok_or_else(corrupt)).transpose()
}

/// A revision below the last one that can be counted on from, and any 64 bits of an operation.
fn head_of(revision: ValueRef<'_>, op: ValueRef<'_>) -> Option<Head> {
    let revision = revision.as_i64().ok().filter(|revision| (1..i64::MAX).contains(revision))?;
    Some((revision.cast_unsigned(), OpId(op.as_i64().ok()?.cast_unsigned())))
}

fn blob(value: ValueRef<'_>) -> Option<Vec<u8>> {
    value.as_blob().ok().map(<[u8]>::to_vec)
}

fn blob_type(name: ValueRef<'_>) -> bool {
    name.as_str() == Ok("blob")
}

fn number_of(part: Part) -> i64 {
    match part {
        Part::Root => ROOT,
        Part::Generation(number) => number.into(),
    }
}

fn part_of(number: i64) -> Option<Part> {
    if number == ROOT { Some(Part::Root) } else { u32::try_from(number).ok().map(Part::Generation) }
}

fn corrupt() -> Failure {
    StoreError::not_applied(StoreErrorKind::Corrupt).into()
}
