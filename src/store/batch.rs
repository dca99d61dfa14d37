//! What goes into a store and what comes out: parts, batches, snapshots.

use core::fmt;

use crate::id::OpId;
use crate::store::{Capabilities, StoreError, StoreErrorKind};

/// The name of one value of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The root record: phase, guards, anchor, calibration, list of generations.
    Root,
    /// One generation by its number.
    Generation(u32),
}

/// How often a session was committed: 1 after the first commit, one more after each.
pub type Revision = u64;

/// What a commit takes for granted; checked in the transaction that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing is stored for the session, or nothing that can be read.
    Absent,
    /// The session is at this revision.
    Revision(Revision),
}

/// The writes of one commit. Deletes come first, then puts in their order: a part that is in both is put.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Parts to write. [`Part::Root`] must be among them: every commit rewrites the root record.
    pub puts: Vec<(Part, Vec<u8>)>,
    /// Parts to delete; one that does not exist is no error.
    pub deletes: Vec<Part>,
}

/// All of a session as of one commit.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The revision that the last commit produced.
    pub revision: Revision,
    /// The operation id of the last commit: decides a commit of which nobody knows whether it happened.
    pub op_id: OpId,
    /// The parts, [`Part::Root`] first, then generations by number. A generation whose row the engine holds but cannot
    /// read has no bytes: the record layer takes it for corrupt, the rest stays usable.
    pub parts: Vec<(Part, Vec<u8>)>,
}

impl Part {
    /// Reads the form that [`fmt::Display`] writes (`root`, `17`); nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "root" {
            return Some(Self::Root);
        }
        let canonical = text == "0" || text.starts_with(|c: char| matches!(c, '1'..='9'));
        canonical.then(|| text.parse().ok().map(Self::Generation)).flatten()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("root"),
            Self::Generation(number) => number.fmt(f),
        }
    }
}

impl Expect {
    /// Compares with what is stored; `actual` is `None` where nothing is.
    ///
    /// # Errors
    /// [`StoreErrorKind::Conflict`] with `actual`.
    pub fn check(self, actual: Option<Revision>) -> Result<(), StoreError> {
        let expected = match self {
            Self::Absent => None,
            Self::Revision(revision) => Some(revision),
        };
        if expected == actual { Ok(()) } else { Err(StoreError::not_applied(StoreErrorKind::Conflict { actual })) }
    }
}

impl Batch {
    /// A batch that writes the root record alone.
    #[must_use]
    pub fn root(bytes: Vec<u8>) -> Self {
        Self { puts: vec![(Part::Root, bytes)], deletes: Vec::new() }
    }

    /// Adds a write of `part`.
    #[must_use]
    pub fn put(mut self, part: Part, bytes: Vec<u8>) -> Self {
        self.puts.push((part, bytes));
        self
    }

    /// Adds a deletion of `part`.
    #[must_use]
    pub fn delete(mut self, part: Part) -> Self {
        self.deletes.push(part);
        self
    }

    /// Refuses what no backend with these `capabilities` may try to write.
    ///
    /// # Errors
    /// [`StoreErrorKind::InvalidBatch`] without a root record, [`StoreErrorKind::ValueTooLarge`] above the limit.
    pub fn check(&self, capabilities: &Capabilities) -> Result<(), StoreError> {
        if !self.puts.iter().any(|(part, _)| *part == Part::Root) {
            return Err(StoreError::not_applied(StoreErrorKind::InvalidBatch));
        }
        self.puts.iter().try_for_each(|(_, bytes)| capabilities.check_size(bytes))
    }

    /// Makes these writes on `parts`, which are and stay in order.
    // A sorted list, not a tree: a session has few parts, and one tree takes ten kilobytes of a page.
    pub(super) fn write_to(&self, parts: &mut Vec<(Part, Vec<u8>)>) {
        parts.retain(|(part, _)| !self.deletes.contains(part));
        for (part, bytes) in &self.puts {
            match parts.binary_search_by(|(kept, _)| kept.cmp(part)) {
                Ok(place) => parts[place].1.clone_from(bytes),
                Err(place) => parts.insert(place, (*part, bytes.clone())),
            }
        }
    }
}

impl Snapshot {
    /// The bytes of one part.
    #[must_use]
    pub fn part(&self, part: Part) -> Option<&[u8]> {
        self.parts.iter().find(|(name, _)| *name == part).map(|(_, bytes)| bytes.as_slice())
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("puts", &Sizes(&self.puts)).field("deletes", &self.deletes).finish()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("revision", &self.revision)
            .field("op_id", &self.op_id)
            .field("parts", &Sizes(&self.parts))
            .finish()
    }
}

/// Parts with their lengths in place of their bytes: a generation holds a summary, which is message text.
struct Sizes<'a>(&'a [(Part, Vec<u8>)]);

impl fmt::Debug for Sizes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(part, bytes)| (part, bytes.len()))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_reads_back_what_it_writes_and_nothing_else() {
        for part in [Part::Root, Part::Generation(0), Part::Generation(17), Part::Generation(u32::MAX)] {
            assert_eq!(Part::parse(&part.to_string()), Some(part));
        }
        for text in ["", "Root", "root ", "-1", "+1", "01", "1.0", "4294967296"] {
            assert_eq!(Part::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn debug_of_batch_and_snapshot_shows_lengths_and_never_bytes() {
        let batch = Batch::root(b"secret".to_vec()).put(Part::Generation(3), vec![1; 9]);
        let shown = format!("{batch:?}");
        assert_eq!(shown, "Batch { puts: {Root: 6, Generation(3): 9}, deletes: [] }");
        let snapshot = Snapshot { revision: 2, op_id: OpId(7), parts: batch.puts };
        assert_eq!(
            format!("{snapshot:?}"),
            "Snapshot { revision: 2, op_id: OpId(7), parts: {Root: 6, Generation(3): 9} }"
        );
    }
}
