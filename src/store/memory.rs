//! The store that forgets: a map in this process, shared by as many contexts as wanted.

use core::sync::atomic::{AtomicBool, Ordering};
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
        self.lock().quarantine.iter().filter(|kept| kept.session == session).map(Quarantined::shown).collect()
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
        Ok(self.shared()?.get(session).map(Stored::snapshot))
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let mut shared = self.shared()?;
        batch.check(&SyncStore::capabilities(self))?;
        let stored = shared.get(session);
        if let Some(stored) = stored.filter(|stored| stored.op_id == op) {
            return Ok(stored.revision);
        }
        let actual = stored.map(|stored| stored.revision);
        expect.check(actual)?;
        Ok(shared.entry(session).apply(batch, op))
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let shared = self.shared()?;
        let from = after.map_or(0, |after| shared.sessions.partition_point(|stored| stored.session.as_str() <= after));
        Ok(shared.sessions[from..].iter().take(limit).map(|stored| stored.session.clone()).collect())
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let mut shared = self.shared()?;
        if let Some(expected) = expect {
            Expect::Revision(expected).check(shared.get(session).map(|stored| stored.revision))?;
        }
        shared.sessions.retain(|stored| stored.session != session);
        shared.quarantine.retain(|kept| kept.session != session);
        Ok(())
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let mut shared = self.shared()?;
        SyncStore::capabilities(self).check_size(bytes)?;
        let (session, reason) = (session.to_owned(), reason.to_owned());
        shared.set_aside(Quarantined { session, part, bytes: bytes.to_vec(), reason });
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
    /// By id, in order.
    sessions: Vec<Stored>,
    /// Oldest first.
    quarantine: Vec<Quarantined>,
}

impl Shared {
    fn get(&self, session: &str) -> Option<&Stored> {
        self.place(session).ok().map(|place| &self.sessions[place])
    }

    fn entry(&mut self, session: &str) -> &mut Stored {
        let place = self.place(session).unwrap_or_else(|place| {
            let stored = Stored { session: session.to_owned(), revision: 0, op_id: OpId(0), parts: Vec::new() };
            self.sessions.insert(place, stored);
            place
        });
        &mut self.sessions[place]
    }

    /// Where `session` is, or would be.
    fn place(&self, session: &str) -> Result<usize, usize> {
        self.sessions.binary_search_by(|stored| stored.session.as_str().cmp(session))
    }

    fn set_aside(&mut self, garbage: Quarantined) {
        let mut of_session = self.quarantine.iter().enumerate().filter(|(_, kept)| kept.session == garbage.session);
        let oldest = of_session.next().map(|(place, _)| place);
        let kept = of_session.count() + usize::from(oldest.is_some());
        if let Some(oldest) = oldest.filter(|_| kept >= QUARANTINE_PER_SESSION) {
            self.quarantine.remove(oldest);
        }
        self.quarantine.push(garbage);
    }
}

struct Stored {
    session: String,
    revision: Revision,
    op_id: OpId,
    /// In order.
    parts: Vec<(Part, Vec<u8>)>,
}

impl Stored {
    fn snapshot(&self) -> Snapshot {
        Snapshot { revision: self.revision, op_id: self.op_id, parts: self.parts.clone() }
    }

    fn apply(&mut self, batch: &Batch, op: OpId) -> Revision {
        batch.write_to(&mut self.parts);
        self.revision += 1;
        self.op_id = op;
        self.revision
    }
}

struct Quarantined {
    session: String,
    part: Part,
    bytes: Vec<u8>,
    reason: String,
}

impl Quarantined {
    fn shown(&self) -> (Part, Vec<u8>, String) {
        (self.part, self.bytes.clone(), self.reason.clone())
    }
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").field("sessions", &self.sessions.len()).finish_non_exhaustive()
    }
}
