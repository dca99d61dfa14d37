//! A store of one session that loses, rolls back and spoils what it holds, with a second memory that may lag, and a budget.

use std::{cell::RefCell, rc::Rc};

use compaction_governor::{
    id::OpId,
    store::{
        Batch, Capabilities, CompareAndSwap, Expect, Mark, Part, Recalled, Revision, Snapshot, StoreError,
        StoreErrorKind, Survives, SyncStore,
    },
};

#[derive(Clone, Default)]
pub(crate) struct Losing(Rc<RefCell<Kept>>);

#[derive(Default)]
pub(crate) struct Kept {
    /// Every state that was acknowledged, the one that holds last.
    pub(crate) states: Vec<Snapshot>,
    pub(crate) mark: Option<Mark>,
    pub(crate) no_second_memory: bool,
    /// No call is answered.
    pub(crate) away: bool,
    pub(crate) root_unreadable: bool,
    pub(crate) quarantine: Vec<(Part, Vec<u8>)>,
    /// Bytes for all parts together.
    pub(crate) budget: Option<usize>,
    pub(crate) refused: u32,
    /// What other data of the origin takes.
    pub(crate) foreign_bytes: usize,
    /// Runs once, between the load and the second question.
    pub(crate) meanwhile: Option<Meanwhile>,
}

pub(crate) type Meanwhile = Box<dyn FnOnce(&mut Kept)>;

impl Losing {
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.0.borrow_mut())
    }

    pub(crate) fn wipe(&self) {
        self.with(|kept| kept.states.clear());
    }

    /// Serves what was acknowledged `commits` commits before.
    pub(crate) fn roll_back(&self, commits: usize) {
        self.with(|kept| kept.states.truncate(kept.states.len() - commits));
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.with(|kept| kept.states.last().map(|state| state.revision))
    }

    pub(crate) fn part(&self, part: Part) -> Option<Vec<u8>> {
        self.with(|kept| kept.states.last()?.part(part).map(<[u8]>::to_vec))
    }

    pub(crate) fn names(&self) -> Vec<Part> {
        self.with(|kept| {
            kept.states.last().map_or(Vec::new(), |state| state.parts.iter().map(|(part, _)| *part).collect())
        })
    }

    pub(crate) fn replace(&self, part: Part, bytes: Vec<u8>) {
        self.with(|kept| {
            let state = kept.states.last_mut().expect("written");
            state.parts.retain(|(name, _)| *name != part);
            state.parts.push((part, bytes));
            state.parts.sort();
        });
    }

    pub(crate) fn spoil(&self, part: Part) {
        let mut bytes = self.part(part).expect("written");
        let last = bytes.len() - 1;
        bytes[last] ^= 0x40;
        self.replace(part, bytes);
    }
}

impl Kept {
    fn readable(&self) -> Result<Option<&Snapshot>, StoreError> {
        match self.root_unreadable {
            _ if self.away => Err(StoreError::not_applied(StoreErrorKind::Timeout)),
            true => Err(StoreError::not_applied(StoreErrorKind::Corrupt)),
            false => Ok(self.states.last()),
        }
    }
}

impl SyncStore for Losing {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: None,
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load(&self, _: &str) -> Result<Option<Snapshot>, StoreError> {
        self.with(|kept| {
            let loaded = kept.readable().map(Option::<&Snapshot>::cloned);
            if let Some(happen) = kept.meanwhile.take() {
                happen(kept);
            }
            loaded
        })
    }

    fn commit(&self, _: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        self.with(|kept| {
            let before = match (kept.readable(), expect) {
                (Err(_), Expect::Absent) => None,
                (before, _) => before?.cloned(),
            };
            if let Some(before) = before.as_ref().filter(|before| before.op_id == op) {
                return Ok(before.revision);
            }
            expect.check(before.as_ref().map(|before| before.revision))?;
            let mut parts = before.as_ref().map_or(Vec::new(), |before| before.parts.clone());
            parts.retain(|(part, _)| !batch.deletes.contains(part) && !batch.puts.iter().any(|(put, _)| put == part));
            parts.extend(batch.puts.iter().cloned());
            parts.sort();
            let bytes: usize = parts.iter().map(|(_, bytes)| bytes.len()).sum();
            if kept.budget.is_some_and(|budget| bytes + kept.foreign_bytes > budget) {
                kept.refused += 1;
                return Err(StoreError::not_applied(StoreErrorKind::QuotaExceeded));
            }
            kept.root_unreadable = false;
            let revision = before.map_or(0, |before| before.revision) + 1;
            kept.states.push(Snapshot { revision, op_id: op, parts });
            Ok(revision)
        })
    }

    fn list(&self, _: Option<&str>, _: usize) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn remove(&self, _: &str, _: Option<Revision>) -> Result<(), StoreError> {
        self.with(|kept| {
            kept.states.clear();
            kept.mark = None;
        });
        Ok(())
    }

    fn quarantine(&self, _: &str, part: Part, bytes: &[u8], _: &str) -> Result<(), StoreError> {
        self.with(|kept| kept.quarantine.push((part, bytes.to_vec())));
        Ok(())
    }

    fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn recall(&self, _: &str) -> Recalled {
        self.with(|kept| match kept.mark {
            _ if kept.no_second_memory => Recalled::Unknown,
            None => Recalled::Nothing,
            Some(mark) => Recalled::Mark(mark),
        })
    }

    fn remember(&self, _: &str, mark: Mark) {
        self.with(|kept| kept.mark = Some(mark).filter(|_| !kept.no_second_memory));
    }
}
