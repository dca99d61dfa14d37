//! The backend itself: which item is read and written when.

use core::cell::Cell;

use wasm_bindgen::prelude::*;
use web_sys::Storage;

use super::packing;
use super::slot::Slot;
use crate::error::Applied;
use crate::id::OpId;
use crate::store::js::exception;
use crate::store::js::local_storage::local_storage;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Expect, Part, QUARANTINE_PER_SESSION, Revision, Snapshot, StoreError,
    StoreErrorKind, Survives, SyncStore,
};

/// The longest value: a session is kept twice, and an origin has room for some 9 MB in all.
pub const MAX_VALUE_BYTES: u64 = 1 << 20;

/// A store in localStorage.
#[derive(Debug)]
pub struct LocalStorage {
    name: String,
    /// The name without slashes: what the keys of the items begin with.
    prefix: String,
    closed: Cell<bool>,
}

impl Default for LocalStorage {
    fn default() -> Self {
        Self::named("compaction-governor")
    }
}

impl LocalStorage {
    /// A store in items whose keys begin with `compaction-governor/`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store in items whose keys begin with `name`, escaped, and a slash.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let mut prefix = String::new();
        for c in name.chars() {
            match c {
                '%' => prefix.push_str("%25"),
                '/' => prefix.push_str("%2F"),
                c => prefix.push(c),
            }
        }
        Self { name: name.to_owned(), prefix, closed: Cell::new(false) }
    }

    /// The name that its keys begin with, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl SyncStore for LocalStorage {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::SingleContext,
            atomic_batch: true,
            survives: Survives::Reload,
            max_value_bytes: Some(MAX_VALUE_BYTES),
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        self.storage().map(drop)
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        self.items()?.slots(session)?.current().map(|current| current.map(Slot::snapshot))
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let items = self.items()?;
        batch.check(&SyncStore::capabilities(self))?;
        let slots = items.slots(session)?;
        let (target, overwritten) = slots.next();
        let current = match (slots.current(), expect) {
            (Err(_), Expect::Absent) => None,
            (current, _) => current?,
        };
        if let Some(slot) = current.as_ref().filter(|slot| slot.op == op) {
            return Ok(slot.revision);
        }
        expect.check(current.as_ref().map(|slot| slot.revision))?;
        if let Some(garbage) = overwritten {
            items.set_aside(session, Part::Root, garbage.as_bytes(), "slot")?;
        }
        let next = Slot::after(current, batch, op);
        items.set(target, session, &next.write())?;
        Ok(next.revision)
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let mut sessions = self.items()?.sessions()?;
        sessions.retain(|id| after.is_none_or(|after| id.as_str() > after));
        sessions.truncate(limit);
        Ok(sessions)
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let items = self.items()?;
        let slots = items.slots(session)?;
        let (older, _) = slots.next();
        if let Some(expected) = expect {
            Expect::Revision(expected).check(slots.current()?.map(|slot| slot.revision))?;
        }
        // The current one last: interrupted between the two, the session is whole and not one commit back.
        [older, older.other(), Item::Quarantine].into_iter().try_for_each(|item| items.remove(item, session))
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let items = self.items()?;
        SyncStore::capabilities(self).check_size(bytes)?;
        items.set_aside(session, part, bytes, reason)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.closed.set(true);
        Ok(())
    }
}

impl LocalStorage {
    fn items(&self) -> Result<Items<'_>, StoreError> {
        Ok(Items { storage: self.storage()?, prefix: &self.prefix })
    }

    fn storage(&self) -> Result<Storage, StoreError> {
        if self.closed.get() {
            return Err(StoreError::not_applied(StoreErrorKind::Closed));
        }
        local_storage().map_err(|why| StoreError::not_applied(StoreErrorKind::Unavailable { why }))
    }
}

/// The items of one store.
struct Items<'a> {
    storage: Storage,
    prefix: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    A,
    B,
    Quarantine,
}

impl Item {
    const fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Quarantine => "q",
        }
    }

    const fn other(self) -> Self {
        if matches!(self, Self::A) { Self::B } else { Self::A }
    }
}

impl Items<'_> {
    fn slots(&self, session: &str) -> Result<Slots, StoreError> {
        let read = |item| Ok(self.get(item, session)?.map(|text| Slot::read(&text).ok_or(text)));
        Ok(Slots { a: read(Item::A)?, b: read(Item::B)? })
    }

    /// The ids of all sessions, in order, each once.
    fn sessions(&self) -> Result<Vec<String>, StoreError> {
        let prefixes = [Item::A, Item::B].map(|item| self.key(item, ""));
        let mut sessions: Vec<String> = Vec::new();
        for index in 0..self.storage.length().map_err(failed)? {
            let key = self.storage.key(index).map_err(failed)?.unwrap_or_default();
            for session in prefixes.iter().filter_map(|prefix| key.strip_prefix(prefix.as_str())) {
                if let Err(place) = sessions.binary_search_by(|kept| kept.as_str().cmp(session)) {
                    sessions.insert(place, session.to_owned());
                }
            }
        }
        Ok(sessions)
    }

    /// Adds one line `packed part reason` to the quarantine, and drops the oldest above the bound.
    fn set_aside(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let mut lines = self.get(Item::Quarantine, session)?.unwrap_or_default();
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(&packing::pack(bytes));
        lines.push(' ');
        lines.push_str(&part.to_string());
        lines.push(' ');
        for c in reason.chars() {
            lines.push(if c == '\n' { ' ' } else { c });
        }
        let mut surplus =
            (lines.bytes().filter(|byte| *byte == b'\n').count() + 1).saturating_sub(QUARANTINE_PER_SESSION);
        while let Some((_, newer)) = lines.split_once('\n').filter(|_| surplus > 0) {
            lines = newer.to_owned();
            surplus -= 1;
        }
        self.set(Item::Quarantine, session, &lines)
    }

    fn get(&self, item: Item, session: &str) -> Result<Option<String>, StoreError> {
        self.storage.get_item(&self.key(item, session)).map_err(failed)
    }

    fn set(&self, item: Item, session: &str, text: &str) -> Result<(), StoreError> {
        self.storage.set_item(&self.key(item, session), text).map_err(failed)
    }

    fn remove(&self, item: Item, session: &str) -> Result<(), StoreError> {
        self.storage.remove_item(&self.key(item, session)).map_err(failed)
    }

    /// Unambiguous without escaping the session: the prefix holds no slash, and what follows the second one is the id.
    fn key(&self, item: Item, session: &str) -> String {
        let mut key = String::new();
        for piece in [self.prefix, "/", item.letter(), "/", session] {
            key.push_str(piece);
        }
        key
    }
}

/// A slot that was read, or the text that is none.
type Found = Option<Result<Slot, String>>;

/// Both slots of one session.
struct Slots {
    a: Found,
    b: Found,
}

impl Slots {
    /// Where the next commit goes, and the garbage that is in its way.
    fn next(&self) -> (Item, Option<String>) {
        let revision = |found: &Found| found.as_ref().and_then(|found| found.as_ref().ok()).map(|slot| slot.revision);
        let (target, found) =
            if revision(&self.a) > revision(&self.b) { (Item::B, &self.b) } else { (Item::A, &self.a) };
        (target, found.as_ref().and_then(|found| found.as_ref().err()).cloned())
    }

    /// The newest slot that can be read; where there is none, garbage is not the same as nothing.
    fn current(self) -> Result<Option<Slot>, StoreError> {
        match (self.a, self.b) {
            (Some(Ok(a)), Some(Ok(b))) => Ok(Some(if a.revision > b.revision { a } else { b })),
            (Some(Ok(slot)), _) | (_, Some(Ok(slot))) => Ok(Some(slot)),
            (None, None) => Ok(None),
            _ => Err(StoreError::not_applied(StoreErrorKind::Corrupt)),
        }
    }
}

/// Every call of localStorage either did what it should or changed nothing.
fn failed(exception: JsValue) -> StoreError {
    exception::error(&exception, Applied::No)
}
