//! What must never happen. One file per invariant; each says what it would have cost.

mod attempts;
mod bounded;
mod calls;
mod cover;
mod durable;
mod guards;
mod revisions;
mod room;
mod states;
mod writes;

use std::collections::{HashMap, HashSet};

use compaction_governor::{policy::Phase, record::Root, time::Timestamp};

use crate::{
    op::What,
    store::{Change, SimStore},
    tab::Tab,
    world::MadeBy,
};

/// What the commits of one world were so far.
#[derive(Default)]
pub(crate) struct Commits {
    /// Which attempt took each generation's number.
    numbers: HashMap<u32, u64>,
    /// Time that has passed, whatever the clock was set back to.
    elapsed: u64,
    last: Timestamp,
    trip: Option<calls::Trip>,
}

/// One commit, with what led to it.
struct Commit<'a> {
    old: &'a Root,
    new: &'a Root,
    by: &'a MadeBy,
}

/// After every commit that changed what is stored.
pub(crate) fn after_commit(
    commits: &mut Commits,
    store: &SimStore,
    change: &Change,
    by: &MadeBy,
) -> Result<(), String> {
    let new_session = Root { incarnation: change.new.incarnation, ..Root::new(crate::store::SESSION, 0) };
    let commit = Commit { old: change.old.as_ref().unwrap_or(&new_session), new: &change.new, by };
    commits.elapsed += by.now.since(commits.last).0.min(crate::world::DAY * 2);
    commits.last = by.now;
    named("revisions", revisions::check(&mut commits.numbers, store, change, &commit))?;
    named("guards", guards::check(&commit))?;
    named("states", states::check(&change.new.state))?;
    named("attempts", attempts::check(&commit))?;
    named("calls", calls::check(commits.elapsed, &mut commits.trip, &commit))?;
    named("room", room::check(&commit))?;
    named("writes", writes::check(change, store, &commit))
}

/// After every step, on the tab that took it.
pub(crate) fn after_step(tab: &Tab, store: &SimStore, adopted: &HashSet<String>) -> Result<(), String> {
    named("states", states::check(tab.session.state()))?;
    named("bounded", bounded::check(tab))?;
    named("cover", cover::check(tab, adopted))?;
    named("durable", durable::check(tab, store))
}

fn named(name: &str, checked: Result<(), String>) -> Result<(), String> {
    checked.map_err(|what| format!("{name}: {what}"))
}

impl Commit<'_> {
    /// Whether an operation like this led to it.
    fn did(&self, like: impl Fn(&What) -> bool) -> bool {
        self.by.standing.since.iter().any(like)
    }

    /// The operation whose commit it is.
    fn last(&self) -> Option<What> {
        self.by.standing.since.last().copied()
    }

    /// Memory was ahead of the store: more than one operation may be in it.
    fn ahead(&self) -> bool {
        self.by.standing.ahead
    }

    /// The lowest clock of what led to it.
    fn lowest(&self) -> Timestamp {
        self.by.standing.lowest.unwrap_or(self.by.now).min(self.by.now)
    }

    /// The attempt that was being worked on before it.
    fn live(&self) -> Option<compaction_governor::policy::Attempt> {
        compacting(self.old)
    }
}

fn compacting(root: &Root) -> Option<compaction_governor::policy::Attempt> {
    match root.state.phase {
        Phase::Compacting { attempt } => Some(attempt),
        _ => None,
    }
}
