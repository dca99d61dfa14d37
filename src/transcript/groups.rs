//! Which entries may not be parted: tool calls and their results.

use crate::transcript::{Blocks, Entry, Kind, Role};

/// Atomic groups, the places between them, and which calls still wait.
///
/// A group is named by its first entry, its root. Groups may interleave (parallel calls, results in any order); a
/// boundary is a place that no group reaches across.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Root of each entry's group.
    roots: Blocks<u32>,
    /// First entries of runs that no group reaches out of, ascending. The end of the transcript is a boundary as well.
    boundaries: Blocks<u32>,
    /// Calls that have fewer results than they opened, ascending by root. Answered ones leave when they are last.
    unanswered: Vec<Unanswered>,
    /// Calls with a root before this one are closed: nobody waits for them any more.
    open_since: u32,
    /// A result has come since the model last spoke: its next words are a new model call.
    result_since_assistant: bool,
    /// The last entry leads the one to come.
    leading: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unanswered {
    root: u32,
    left: u32,
}

impl Groups {
    /// Takes the next entry.
    pub(super) fn push(&mut self, entry: &Entry) {
        let index = self.len();
        let root = self.root_for(entry, index);
        self.close_calls(entry, root == index);
        if root == index {
            self.boundaries.push(index);
        } else {
            while self.boundaries.last().is_some_and(|boundary| boundary > root) {
                self.boundaries.pop();
            }
        }
        self.roots.push(root);
        self.count_calls(entry, root);
        self.leading = entry.kind.any(Kind::LEADS);
    }

    /// Nobody waits for any of the calls so far.
    pub(super) fn close(&mut self) {
        self.open_since = self.len();
        self.result_since_assistant = false;
        self.leading = false;
    }

    /// A user's turn closes the calls before it; so do the model's next words after a result, since a provider would
    /// not have gone on with a call that still waited. A further part of the same answer closes nothing.
    fn close_calls(&mut self, entry: &Entry, alone: bool) {
        let new_answer = entry.role == Role::Assistant && alone;
        if entry.is_real_user() || (new_answer && self.result_since_assistant) {
            self.open_since = self.len();
        }
        if new_answer {
            self.result_since_assistant = false;
        }
        if entry.kind.any(Kind::RESULT) {
            self.result_since_assistant = true;
        }
    }

    /// A result joins a call that lacks one, however late. Anything else joins only the group it directly follows:
    /// else one stray reference would bind everything in between. What is led joins what leads it.
    fn root_for(&self, entry: &Entry, index: u32) -> u32 {
        let joined = self.joined(entry, index);
        match self.roots.last() {
            Some(leader) if joined == index && self.leading && entry.may_join() => leader,
            _ => joined,
        }
    }

    fn joined(&self, entry: &Entry, index: u32) -> u32 {
        let Some(root) = self.roots.get(entry.group as usize).filter(|_| entry.may_join()) else { return index };
        let follows = self.roots.last() == Some(root);
        let answers = entry.kind.any(Kind::RESULT) && self.find(root).is_ok_and(|at| self.unanswered[at].left > 0);
        if follows || answers { root } else { index }
    }

    fn count_calls(&mut self, entry: &Entry, root: u32) {
        if entry.kind.any(Kind::CALL) {
            let left = u32::from(entry.calls.max(1));
            // A new call that joins a group of closed ones is open all the same.
            self.open_since = self.open_since.min(root);
            match self.find(root) {
                Ok(at) => self.unanswered[at].left += left,
                Err(at) => self.unanswered.insert(at, Unanswered { root, left }),
            }
        }
        if entry.kind.any(Kind::RESULT)
            && let Ok(at) = self.find(root)
        {
            self.unanswered[at].left = self.unanswered[at].left.saturating_sub(entry.answers());
            while self.unanswered.last().is_some_and(|call| call.left == 0) {
                self.unanswered.pop();
            }
        }
    }

    fn find(&self, root: u32) -> Result<usize, usize> {
        self.unanswered.binary_search_by_key(&root, |call| call.root)
    }

    /// The first entry of the oldest call that is still waited for.
    pub(super) fn open_from(&self) -> Option<u32> {
        let first = self.unanswered.partition_point(|call| call.root < self.open_since);
        self.unanswered[first..].iter().find(|call| call.left > 0).map(|call| call.root)
    }

    pub(super) fn roots(&self) -> &Blocks<u32> {
        &self.roots
    }

    pub(super) fn boundaries(&self) -> &Blocks<u32> {
        &self.boundaries
    }

    /// Whether the last entry leads one that has not come yet: then the end is no boundary. It lasts until the next
    /// entry, whatever that is, so nothing is held back for ever.
    pub(super) fn is_leading(&self) -> bool {
        self.leading
    }

    pub(super) fn bytes(&self) -> usize {
        self.roots.bytes() + self.boundaries.bytes() + self.unanswered.capacity() * size_of::<Unanswered>()
    }

    fn len(&self) -> u32 {
        // The index refuses more than u32::MAX entries.
        self.roots.len() as u32
    }
}
