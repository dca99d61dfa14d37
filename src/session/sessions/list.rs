//! Which sessions a store keeps.

use crate::{
    record::{self, Loaded},
    session::{
        Call, Calls, StoreCommand, StoreReply,
        sessions::{Errand, SessionsError},
    },
    store::{Part, Snapshot, StoreError, StoreErrorKind},
    time::Timestamp,
};

/// One page of the sessions that a store keeps, in the order of [`Store::list`](crate::store::Store::list).
#[derive(Debug)]
pub struct List {
    ids: Ids,
    /// The page's ids, the next one to be looked at last.
    left: Vec<String>,
    page: Page,
    failed: Option<StoreError>,
}

/// The ids of one page alone, each with nothing looked at.
#[derive(Debug)]
pub struct Ids {
    after: Option<String>,
    limit: usize,
    ids: Result<Vec<String>, StoreError>,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What is kept. One that was removed while the page was read is missing.
    pub sessions: Vec<Listed>,
    /// What the next page continues after; `None` where this one is the last.
    pub next: Option<String>,
}

/// A session that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Bytes of its parts; 0 where the store holds something that it cannot read.
    pub bytes: u64,
    /// The newest instant that its root record names: a report, the claim or end of an attempt, a commit; by the clock of
    /// whoever wrote it. `None` where it names none, is another session's, is damaged, or needs a later release.
    pub updated_at: Option<Timestamp>,
}

impl List {
    /// At most `limit` sessions, from behind `after` on.
    #[must_use]
    pub fn new(after: Option<&str>, limit: usize) -> Self {
        Self { ids: Ids::new(after.map(str::to_owned), limit), left: Vec::new(), page: Page::default(), failed: None }
    }

    fn listed(&mut self, mut ids: Vec<String>) {
        if ids.len() >= self.ids.limit {
            self.page.next = ids.last().cloned();
        }
        ids.reverse();
        self.left = ids;
    }

    fn looked_at(&mut self, found: Result<Option<Snapshot>, StoreError>) {
        let Some(id) = self.left.pop() else { return };
        match found {
            Ok(None) => {}
            Ok(Some(snapshot)) => {
                let bytes = snapshot.parts.iter().map(|(_, bytes)| bytes.len() as u64).sum();
                let updated_at = updated_at(&snapshot, &id);
                self.page.sessions.push(Listed { id, bytes, updated_at });
            }
            Err(error) if error.kind == StoreErrorKind::Corrupt => {
                self.page.sessions.push(Listed { id, bytes: 0, updated_at: None });
            }
            Err(error) => {
                self.failed = Some(error);
                self.left.clear();
            }
        }
    }
}

impl Ids {
    /// At most `limit` ids, from behind `after` on. A page with fewer is the last.
    #[must_use]
    pub fn new(after: Option<String>, limit: usize) -> Self {
        Self { after, limit, ids: Ok(Vec::new()) }
    }

    fn call(&mut self) -> Call {
        let command = StoreCommand::List { after: self.after.take(), limit: self.limit };
        Call { session: String::new(), command }
    }
}

impl Calls for Ids {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        match answer {
            None => return Some(self.call()),
            Some(StoreReply::Listed(ids)) => self.ids = ids,
            Some(_) => {}
        }
        None
    }
}

impl Errand for Ids {
    type Output = Vec<String>;

    fn finish(self) -> Result<Vec<String>, SessionsError> {
        Ok(self.ids?)
    }
}

impl Calls for List {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        match answer {
            None => return Some(self.ids.call()),
            Some(StoreReply::Listed(Ok(ids))) => self.listed(ids),
            Some(StoreReply::Listed(Err(error))) => self.failed = Some(error),
            Some(StoreReply::Loaded(found)) => self.looked_at(found),
            Some(_) => {}
        }
        let session = self.left.last()?.clone();
        Some(Call { session, command: StoreCommand::Load })
    }
}

impl Errand for List {
    type Output = Page;

    fn finish(self) -> Result<Page, SessionsError> {
        self.failed.map_or(Ok(self.page), |error| Err(error.into()))
    }
}

fn updated_at(snapshot: &Snapshot, id: &str) -> Option<Timestamp> {
    // Dates nothing: what is unreadable has no time here.
    match record::load_root(snapshot.part(Part::Root), id, Timestamp::default()) {
        Loaded::Found { root, .. } => root.updated_at(),
        _ => None,
    }
}
