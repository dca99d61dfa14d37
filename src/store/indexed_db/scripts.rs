//! What each call does inside its transaction. Each script leaves its answer in a cell that the caller keeps.

use core::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{IdbObjectStore, IdbRequest};

use super::row::{self, Row};
use super::second_memory::hash;
use super::transaction::{Result, Script, Step, Stores, thrown};
use crate::id::OpId;
use crate::store::js::engine::Reply;
use crate::store::js::value;
use crate::store::{Batch, Expect, Part, QUARANTINE_PER_SESSION, Revision, Snapshot, StoreError, StoreErrorKind};

/// Where a script leaves what it found.
pub(super) type Answer = Rc<RefCell<Found>>;

/// What a script found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) reply: Reply,
    /// Nothing is there of the session, because somebody removed it.
    pub(super) removed: bool,
}

/// All rows of one session, by two requests that the engine answers in one pass; where there are none, whether it was removed.
pub(super) fn load(session: &str, answer: Answer) -> Script {
    let session = session.to_owned();
    let mut values: Option<IdbRequest> = None;
    let mut empty = false;
    Box::new(move |stores, keys| {
        if empty {
            answer.borrow_mut().removed = noted(keys).includes(&hash(&session).into(), 0);
            return Ok(Step::Done);
        }
        if let Some(values) = &values {
            let values = values.result().map_err(thrown)?;
            let snapshot = snapshot(&Array::from(&keys), &Array::from(&values))?;
            if snapshot.is_none() {
                empty = true;
                return get_removed(stores).map(Step::Await);
            }
            answer.borrow_mut().reply.snapshot = snapshot;
            return Ok(Step::Done);
        }
        let range = row::all_of(&session)?;
        let records = stores.records()?;
        values = Some(records.get_all_with_key(&range).map_err(thrown)?);
        Ok(Step::Await(records.get_all_keys_with_key(&range).map_err(thrown)?))
    })
}

/// Compares with the root row and writes the batch in the same transaction.
pub(super) fn commit(session: &str, expect: Expect, batch: &Batch, op: OpId, answer: Answer) -> Script {
    let session = session.to_owned();
    let batch = batch.clone();
    let mut asked = false;
    Box::new(move |stores, root| {
        let records = stores.records()?;
        if !asked {
            asked = true;
            return get_root(&records, &session).map(Step::Await);
        }
        let current = current(&root);
        if let Ok(Some((revision, last))) = current
            && last == op
        {
            answer.borrow_mut().reply.revision = revision;
            return Ok(Step::Done);
        }
        let actual = match (current, expect) {
            (Ok(current), _) => current.map(|(revision, _)| revision),
            (Err(_), Expect::Absent) => {
                set_aside(stores, &session, &root)?;
                None
            }
            (Err(corrupt), Expect::Revision(_)) => return Err(corrupt),
        };
        expect.check(actual)?;
        let revision = actual.unwrap_or(0) + 1;
        if expect == Expect::Absent {
            // Rows without a root belong to nobody; the new session must not inherit them.
            records.delete(&row::all_of(&session)?).map_err(thrown)?;
        }
        write(&records, &session, &batch, revision, op)?;
        answer.borrow_mut().reply.revision = revision;
        Ok(Step::Done)
    })
}

/// One id per request: the first key behind the session before.
pub(super) fn list(after: Option<&str>, limit: usize, answer: Answer) -> Script {
    let after = after.map(str::to_owned);
    Box::new(move |stores, keys| {
        let ids = &mut answer.borrow_mut().reply.ids;
        if let Some(keys) = keys.dyn_ref::<Array>() {
            let Some(session) = row::session(&keys.get(0)) else { return Ok(Step::Done) };
            ids.push(session);
        }
        if ids.len() >= limit {
            return Ok(Step::Done);
        }
        let range = row::behind(ids.last().or(after.as_ref()).map(String::as_str))?;
        stores.records()?.get_all_keys_with_key_and_limit(&range, 1).map(Step::Await).map_err(thrown)
    })
}

/// Deletes all rows of one session, after comparing where a revision is expected, and notes that it was done on purpose.
///
/// Each value is overwritten before: an engine on SQLite frees the place of a deleted row without clearing it, and a
/// summary could be read there until something else is written.
pub(super) fn remove(session: &str, expect: Option<Revision>) -> Script {
    let session = session.to_owned();
    let mut compared = expect.is_none();
    let mut asked = false;
    let mut held: Option<[IdbRequest; 4]> = None;
    Box::new(move |stores, found| {
        let (records, quarantine) = (stores.records()?, stores.quarantine()?);
        let range = row::all_of(&session)?;
        if let Some([keys, values, other_keys, other_values]) = &held {
            overwrite(&records, keys, &values.result().map_err(thrown)?)?;
            overwrite(&quarantine, other_keys, &other_values.result().map_err(thrown)?)?;
            records.delete(&range).map_err(thrown)?;
            quarantine.delete(&range).map_err(thrown)?;
            let removed = noted(found);
            removed.push(&hash(&session).into());
            let latest = removed.slice(removed.length().saturating_sub(MOST_REMOVED), removed.length());
            stores.keys()?.put_with_key(&latest, &REMOVED.into()).map_err(thrown)?;
            return Ok(Step::Done);
        }
        if !compared {
            if !asked {
                asked = true;
                return get_root(&records, &session).map(Step::Await);
            }
            compared = true;
            let actual = current(&found)?.map(|(revision, _)| revision);
            expect.map_or(Ok(()), |expected| Expect::Revision(expected).check(actual))?;
        }
        let all_keys = |store: &IdbObjectStore| store.get_all_keys_with_key(&range).map_err(thrown);
        let all = |store: &IdbObjectStore| store.get_all_with_key(&range).map_err(thrown);
        held = Some([all_keys(&records)?, all(&records)?, all_keys(&quarantine)?, all(&quarantine)?]);
        get_removed(stores).map(Step::Await)
    })
}

/// Puts as many bytes, of noise, in the place of those that each value holds.
fn overwrite(store: &IdbObjectStore, keys: &IdbRequest, values: &JsValue) -> Result<()> {
    let keys = Array::from(&keys.result().map_err(thrown)?);
    for (key, value) in keys.iter().zip(Array::from(values).iter()) {
        if row::make_noise(&value) {
            store.put_with_key(&value, &key).map_err(thrown)?;
        }
    }
    Ok(())
}

/// Adds behind the last one of the session, and drops the oldest above the bound.
pub(super) fn quarantine(session: &str, part: Part, bytes: &[u8], reason: &str) -> Script {
    let session = session.to_owned();
    let value = value::object(&[
        ("part", part.to_string().into()),
        ("reason", reason.into()),
        ("bytes", js_sys::Uint8Array::from(bytes).into()),
    ]);
    let mut asked = false;
    Box::new(move |stores, keys| {
        let quarantine = stores.quarantine()?;
        if !asked {
            asked = true;
            return quarantine.get_all_keys_with_key(&row::all_of(&session)?).map(Step::Await).map_err(thrown);
        }
        let mut kept: Vec<u32> = Vec::new();
        for key in Array::from(&keys).iter() {
            kept.extend(number(&key));
        }
        let next = kept.last().map_or(0, |last| last.wrapping_add(1));
        quarantine.put_with_key(&value, &row::pair(&session, &next.into())).map_err(thrown)?;
        for oldest in kept.iter().take((kept.len() + 1).saturating_sub(QUARANTINE_PER_SESSION)) {
            quarantine.delete(&row::pair(&session, &(*oldest).into())).map_err(thrown)?;
        }
        Ok(Step::Done)
    })
}

/// The key called `name`; where there is none, `candidate` becomes it. Of two tabs that try, both get the first one's.
pub(super) fn key(name: &'static str, candidate: JsValue, answer: Answer) -> Script {
    let mut asked = false;
    Box::new(move |stores, found| {
        let keys = stores.keys()?;
        if !asked {
            asked = true;
            return keys.get(&name.into()).map(Step::Await).map_err(thrown);
        }
        let key = if found.is_undefined() {
            keys.put_with_key(&candidate, &name.into()).map_err(thrown)?;
            candidate.clone()
        } else {
            found
        };
        answer.borrow_mut().reply.key = Some(key);
        Ok(Step::Done)
    })
}

fn get_root(records: &IdbObjectStore, session: &str) -> Result<IdbRequest> {
    records.get(&row::key(session, Part::Root)).map_err(thrown)
}

/// The hashes of sessions that were removed, latest last; undefined where there are none.
fn get_removed(stores: &Stores) -> Result<IdbRequest> {
    stores.keys()?.get(&REMOVED.into()).map_err(thrown)
}

/// Those hashes as a list; whatever else stands there is none.
fn noted(found: JsValue) -> Array {
    found.dyn_into().unwrap_or_default()
}

/// Revision and operation of the root row, as far as there is one.
fn current(root: &JsValue) -> Result<Option<(Revision, OpId)>> {
    if root.is_undefined() {
        return Ok(None);
    }
    row::head(root).map(Some).ok_or_else(corrupt)
}

fn write(records: &IdbObjectStore, session: &str, batch: &Batch, revision: Revision, op: OpId) -> Result<()> {
    for part in &batch.deletes {
        records.delete(&row::key(session, *part)).map_err(thrown)?;
    }
    for (part, bytes) in &batch.puts {
        let value = row::value(revision, op, bytes);
        records.put_with_key(&value, &row::key(session, *part)).map_err(thrown)?;
    }
    Ok(())
}

/// Moves a root row that is no value of ours to the quarantine, as it is.
fn set_aside(stores: &Stores, session: &str, root: &JsValue) -> Result<()> {
    let value = value::object(&[("part", "root".into()), ("reason", "row".into()), ("value", root.clone())]);
    stores.quarantine()?.put_with_key(&value, &row::key(session, Part::Root)).map(drop).map_err(thrown)
}

fn snapshot(keys: &Array, values: &Array) -> Result<Option<Snapshot>> {
    if keys.length() == 0 {
        return Ok(None);
    }
    let mut root = None;
    let mut parts = Vec::new();
    for (key, value) in keys.iter().zip(values.iter()) {
        match row::part(&key) {
            Some(Part::Root) => root = Some(Row::read(&value).ok_or_else(corrupt)?),
            Some(generation) => parts.push((generation, Row::read(&value).map(|row| row.bytes).unwrap_or_default())),
            None => {}
        }
    }
    let Row { revision, op, bytes } = root.ok_or_else(corrupt)?;
    parts.insert(0, (Part::Root, bytes));
    Ok(Some(Snapshot { revision, op_id: op, parts }))
}

fn number(key: &JsValue) -> Option<u32> {
    match row::part(key)? {
        Part::Generation(number) => Some(number),
        Part::Root => None,
    }
}

fn corrupt() -> Box<StoreError> {
    StoreError::not_applied(StoreErrorKind::Corrupt).into()
}

/// The key in `keys` under which removals are noted.
const REMOVED: &str = "removed";
/// So many of them: a note is needed for as long as localStorage may fall behind, which is seconds.
const MOST_REMOVED: u32 = 256;
