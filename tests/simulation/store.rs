//! The simulated store: it keeps its contract to the letter, and everything that was ever committed to it.

use compaction_governor::{
    id::OpId,
    record::{self, Loaded, Root},
    session::{StoreCommand, StoreReply},
    store::{Batch, Expect, Part, Revision, Snapshot, StoreError, StoreErrorKind},
    time::Timestamp,
};

pub(crate) const SESSION: &str = "chat";

/// What is stored, and how it came to be.
#[derive(Default)]
pub(crate) struct SimStore {
    stored: Option<Snapshot>,
    /// The root and the pins of each revision; revision `n` at `n - 1`.
    log: Vec<(Root, Option<Vec<u8>>)>,
    /// Every call fails like this: an outage.
    pub(crate) outage: Option<StoreErrorKind>,
    /// What there is room for, in bytes of all parts. What is there already stays.
    pub(crate) room: Option<usize>,
}

/// One commit that changed something, as the invariants see it.
pub(crate) struct Change {
    pub(crate) before: Option<Snapshot>,
    pub(crate) old: Option<Root>,
    pub(crate) new: Root,
}

impl SimStore {
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.stored.as_ref().map(|stored| stored.revision)
    }

    pub(crate) fn stored(&self) -> Option<&Snapshot> {
        self.stored.as_ref()
    }

    /// The root of `revision`.
    pub(crate) fn root_of(&self, revision: Revision) -> Option<&Root> {
        self.logged(revision).map(|(root, _)| root)
    }

    /// The pins of `revision`, as they were written.
    pub(crate) fn pins_of(&self, revision: Revision) -> Option<&[u8]> {
        self.logged(revision)?.1.as_deref()
    }

    pub(crate) fn root(&self) -> Option<&Root> {
        self.log.last().map(|(root, _)| root)
    }

    fn logged(&self, revision: Revision) -> Option<&(Root, Option<Vec<u8>>)> {
        self.log.get(usize::try_from(revision).ok()?.checked_sub(1)?)
    }

    /// Executes `command` as an engine would; the change that it made, if it made one.
    pub(crate) fn execute(&mut self, command: &StoreCommand, now: Timestamp) -> (StoreReply, Option<Change>) {
        match command {
            StoreCommand::Load => (StoreReply::Loaded(Ok(self.stored.clone())), None),
            StoreCommand::Commit { expect, batch, op } => match self.commit(*expect, batch, *op, now) {
                Ok((revision, change)) => (StoreReply::Committed(Ok(revision)), change),
                Err(error) => (StoreReply::Committed(Err(error)), None),
            },
            StoreCommand::Remove | StoreCommand::List { .. } => panic!("no actor removes or lists anything"),
            StoreCommand::Quarantine { .. } => (StoreReply::Quarantined, None),
        }
    }

    fn commit(
        &mut self,
        expect: Expect,
        batch: &Batch,
        op: OpId,
        now: Timestamp,
    ) -> Result<(Revision, Option<Change>), StoreError> {
        if !batch.puts.iter().any(|(part, _)| *part == Part::Root) {
            return Err(StoreError::not_applied(StoreErrorKind::InvalidBatch));
        }
        if let Some(stored) = self.stored.as_ref().filter(|stored| stored.op_id == op) {
            return Ok((stored.revision, None));
        }
        expect.check(self.revision())?;
        let before = self.stored.clone();
        let mut parts = before.as_ref().map_or(Vec::new(), |stored| stored.parts.clone());
        write(batch, &mut parts);
        if self.room.is_some_and(|room| size(&parts) > room.max(self.size())) {
            return Err(StoreError::not_applied(StoreErrorKind::QuotaExceeded));
        }
        let stored = Snapshot { revision: self.revision().unwrap_or(0) + 1, op_id: op, parts };
        let new = match record::load_root(stored.part(Part::Root), SESSION, now) {
            Loaded::Found { root, repaired: false } => root,
            other => panic!("a root that cannot be read as it was written: {other:?}"),
        };
        let revision = stored.revision;
        let old = self.root().cloned();
        self.log.push((new.clone(), stored.part(Part::Generation(0)).map(<[u8]>::to_vec)));
        self.stored = Some(stored);
        Ok((revision, Some(Change { before, old, new })))
    }

    /// A copy of what is stored: a crash image.
    pub(crate) fn image(&self) -> Self {
        Self { stored: self.stored.clone(), log: self.log.clone(), outage: None, room: self.room }
    }

    /// Bytes of all parts.
    pub(crate) fn size(&self) -> usize {
        self.stored.as_ref().map_or(0, |stored| size(&stored.parts))
    }
}

fn size(parts: &[(Part, Vec<u8>)]) -> usize {
    parts.iter().map(|(_, bytes)| bytes.len()).sum()
}

/// Deletes first, then puts, as the contract says.
fn write(batch: &Batch, parts: &mut Vec<(Part, Vec<u8>)>) {
    parts.retain(|(part, _)| !batch.deletes.contains(part));
    for (part, bytes) in &batch.puts {
        parts.retain(|(kept, _)| kept != part);
        parts.push((*part, bytes.clone()));
    }
    parts.sort_by_key(|(part, _)| *part);
}

/// The reply to `command` when it fails with `error`.
pub(crate) fn failed(command: &StoreCommand, error: StoreError) -> StoreReply {
    match command {
        StoreCommand::Load => StoreReply::Loaded(Err(error)),
        StoreCommand::Commit { .. } => StoreReply::Committed(Err(error)),
        StoreCommand::Remove => StoreReply::Removed(Err(error)),
        StoreCommand::List { .. } => StoreReply::Listed(Err(error)),
        StoreCommand::Quarantine { .. } => StoreReply::Quarantined,
    }
}
