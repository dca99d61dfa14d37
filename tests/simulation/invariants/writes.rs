//! Nothing is written where nothing durable changed: a write costs a disk, a conflict in the other tabs, and quota.

use compaction_governor::store::{Part, Snapshot};

use super::Commit;
use crate::store::{Change, SimStore};

pub(super) fn check(change: &Change, store: &SimStore, commit: &Commit<'_>) -> Result<(), String> {
    let durable = commit.old.state.differs_durably(&commit.new.state);
    let parts = others(change.before.as_ref()) != others(store.stored());
    if durable || parts || commit.ahead() {
        return Ok(());
    }
    Err(format!("{:?} wrote, and nothing durable is different", commit.last()))
}

/// Everything but the root.
fn others(snapshot: Option<&Snapshot>) -> Vec<&(Part, Vec<u8>)> {
    snapshot.into_iter().flat_map(|found| &found.parts).filter(|(part, _)| *part != Part::Root).collect()
}
