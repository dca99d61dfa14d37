//! A memory store that counts its commits and fails on demand.

use std::{cell::Cell, cell::RefCell, rc::Rc};

use compaction_governor::{
    error::Applied,
    id::OpId,
    store::{
        Batch, Capabilities, Expect, MemoryStore, Part, Recover, Revision, Snapshot, StoreError, StoreErrorKind,
        SyncStore,
    },
};

pub(crate) struct Counting {
    inner: MemoryStore,
    claims: Option<Capabilities>,
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    commits: Cell<u32>,
    calls: Cell<u32>,
    refusal: RefCell<Option<StoreErrorKind>>,
    lose: Cell<bool>,
    rivals: Cell<u32>,
}

impl Counting {
    pub(crate) fn new() -> Self {
        Self { inner: MemoryStore::new(), claims: None, shared: Rc::default() }
    }

    pub(crate) fn another_context(&self) -> Self {
        Self { inner: self.inner.another_context(), claims: self.claims, shared: Rc::clone(&self.shared) }
    }

    /// Promises what another backend would: a store chosen as memory has no history to be unread.
    pub(crate) fn claiming(self, capabilities: Capabilities) -> Self {
        Self { claims: Some(capabilities), ..self }
    }

    pub(crate) fn commits(&self) -> u32 {
        self.shared.commits.get()
    }

    pub(crate) fn calls(&self) -> u32 {
        self.shared.calls.get()
    }

    /// Every call fails like this from now on.
    pub(crate) fn refuse(&self, kind: Option<StoreErrorKind>) {
        *self.shared.refusal.borrow_mut() = kind;
    }

    /// The next commit is applied and answers that nobody knows.
    pub(crate) fn lose_next_answer(&self) {
        self.shared.lose.set(true);
    }

    /// Before each of the next `times` commits somebody else commits what is there already.
    pub(crate) fn overtake(&self, times: u32) {
        self.shared.rivals.set(times);
    }

    pub(crate) fn bytes(&self) -> Vec<(Part, Vec<u8>)> {
        self.snapshot().parts
    }

    pub(crate) fn root(&self) -> Vec<u8> {
        self.snapshot().part(Part::Root).expect("written").to_vec()
    }

    pub(crate) fn plant(&self, root: Vec<u8>) {
        SyncStore::commit(&self.inner, "chat", Expect::Absent, &Batch::root(root), OpId(7)).expect("absent");
    }

    fn snapshot(&self) -> Snapshot {
        SyncStore::load(&self.inner, "chat").expect("memory answers").expect("written")
    }

    fn admit(&self) -> Result<(), StoreError> {
        self.shared.calls.set(self.shared.calls.get() + 1);
        match &*self.shared.refusal.borrow() {
            Some(kind) => Err(StoreError { kind: kind.clone(), applied: Applied::No, recover: Recover::UserAction }),
            None => Ok(()),
        }
    }
}

impl SyncStore for Counting {
    fn capabilities(&self) -> Capabilities {
        self.claims.unwrap_or_else(|| SyncStore::capabilities(&self.inner))
    }

    fn open(&self) -> Result<(), StoreError> {
        self.admit()
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        self.admit()?;
        SyncStore::load(&self.inner, session)
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        self.admit()?;
        if let Some(left) = self.shared.rivals.get().checked_sub(1) {
            self.shared.rivals.set(left);
            let Snapshot { revision, parts, .. } = self.snapshot();
            let same = Batch { puts: parts, deletes: Vec::new() };
            SyncStore::commit(&self.inner, session, Expect::Revision(revision), &same, OpId(revision))?;
        }
        let revision = SyncStore::commit(&self.inner, session, expect, batch, op)?;
        self.shared.commits.set(self.shared.commits.get() + 1);
        if self.shared.lose.take() {
            return Err(StoreError {
                kind: StoreErrorKind::Indeterminate,
                applied: Applied::Unknown,
                recover: Recover::Never,
            });
        }
        Ok(revision)
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        SyncStore::list(&self.inner, after, limit)
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        self.admit()?;
        SyncStore::remove(&self.inner, session, expect)
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        SyncStore::quarantine(&self.inner, session, part, bytes, reason)
    }

    fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
