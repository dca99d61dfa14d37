//! The store that forgets: a map in this process, shared by as many contexts as wanted.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::id::OpId;
use crate::store::{
    Batch, Capabilities, CompareAndSwap, Expect, Part, QUARANTINE_PER_SESSION, Revision, Snapshot, StoreError,
    StoreErrorKind, Survives, SyncStore,
};

/// One context over a map in memory; [`MemoryStore::another_context`] opens the next one over the same data.
#[derive(Debug, Default)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
    max_value_bytes: Option<u64>,
    closed: AtomicBool,
}

impl MemoryStore {
    /// An empty store without a limit on values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that refuses values above `bytes`.
    #[must_use]
    pub fn with_max_value_bytes(bytes: u64) -> Self {
        Self { max_value_bytes: Some(bytes), ..Self::default() }
    }

    /// Another context over the same data, as a second tab is: open, even where this one is closed.
    #[must_use]
    pub fn another_context(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), max_value_bytes: self.max_value_bytes, closed: AtomicBool::new(false) }
    }

    /// What is in the quarantine of `session`, oldest first: part, bytes, reason.
    #[must_use]
    pub fn quarantined(&self, session: &str) -> Vec<(Part, Vec<u8>, String)> {
        self.lock().quarantine.get(session).into_iter().flatten().cloned().collect()
    }
}

impl SyncStore for MemoryStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::Memory,
            max_value_bytes: self.max_value_bytes,
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        self.shared().map(drop)
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        Ok(self.shared()?.sessions.get(session).map(Stored::snapshot))
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let mut shared = self.shared()?;
        batch.check(&SyncStore::capabilities(self))?;
        let stored = shared.sessions.get(session);
        if let Some(stored) = stored.filter(|stored| stored.op_id == op) {
            return Ok(stored.revision);
        }
        let actual = stored.map(|stored| stored.revision);
        expect.check(actual)?;
        let stored = shared.sessions.entry(session.to_owned()).or_default();
        stored.apply(batch, op);
        Ok(stored.revision)
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let shared = self.shared()?;
        let behind = |id: &&String| after.is_none_or(|after| id.as_str() > after);
        Ok(shared.sessions.keys().filter(behind).take(limit).cloned().collect())
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let mut shared = self.shared()?;
        if let Some(expected) = expect {
            Expect::Revision(expected).check(shared.sessions.get(session).map(|stored| stored.revision))?;
        }
        shared.sessions.remove(session);
        shared.quarantine.remove(session);
        Ok(())
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let mut shared = self.shared()?;
        SyncStore::capabilities(self).check_size(bytes)?;
        let kept = shared.quarantine.entry(session.to_owned()).or_default();
        kept.push_back((part, bytes.to_vec(), reason.to_owned()));
        if kept.len() > QUARANTINE_PER_SESSION {
            kept.pop_front();
        }
        Ok(())
    }

    fn close(&self) -> Result<(), StoreError> {
        self.closed.store(true, Ordering::Release);
        Ok(())
    }
}

impl MemoryStore {
    fn shared(&self) -> Result<MutexGuard<'_, Shared>, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::not_applied(StoreErrorKind::Closed));
        }
        Ok(self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // No method leaves the map half changed, so a panic elsewhere while it was locked took nothing with it.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Shared {
    sessions: BTreeMap<String, Stored>,
    quarantine: BTreeMap<String, VecDeque<(Part, Vec<u8>, String)>>,
}

struct Stored {
    revision: Revision,
    op_id: OpId,
    parts: BTreeMap<Part, Vec<u8>>,
}

impl Default for Stored {
    fn default() -> Self {
        Self { revision: 0, op_id: OpId(0), parts: BTreeMap::new() }
    }
}

impl Stored {
    fn snapshot(&self) -> Snapshot {
        let parts = self.parts.iter().map(|(part, bytes)| (*part, bytes.clone())).collect();
        Snapshot { revision: self.revision, op_id: self.op_id, parts }
    }

    fn apply(&mut self, batch: &Batch, op: OpId) {
        for part in &batch.deletes {
            self.parts.remove(part);
        }
        for (part, bytes) in &batch.puts {
            self.parts.insert(*part, bytes.clone());
        }
        self.revision += 1;
        self.op_id = op;
    }
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").field("sessions", &self.sessions.len()).finish_non_exhaustive()
    }
}
