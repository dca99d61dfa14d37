//! A store that takes its folder along when it goes.

use std::sync::Arc;

use compaction_governor::id::OpId;
use compaction_governor::store::{Batch, Capabilities, Expect, Part, Revision, Snapshot, StoreError, SyncStore};

use crate::folder::Folder;

/// A store in a folder that is there as long as any store in it.
pub(crate) struct Held<S> {
    store: S,
    pub(crate) folder: Arc<Folder>,
}

impl<S> Held<S> {
    pub(crate) fn new(store: S, folder: &Arc<Folder>) -> Self {
        Self { store, folder: Arc::clone(folder) }
    }
}

impl<S: SyncStore> SyncStore for Held<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn open(&self) -> Result<(), StoreError> {
        self.store.open()
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        self.store.load(session)
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        self.store.commit(session, expect, batch, op)
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.list(after, limit)
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        self.store.remove(session, expect)
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        self.store.quarantine(session, part, bytes, reason)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.store.close()
    }
}
