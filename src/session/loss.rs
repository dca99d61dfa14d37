//! What a store lost, rolled back or can no longer read: told, survived with what memory knows, never taken for a fresh
//! start.
//!
//! Two witnesses: this session, which saw a revision acknowledged, and the store's second memory ([`Recalled`]), which
//! outlives a reload. Neither accuses wrongly: a session that was removed, or removed and begun anew elsewhere, is another
//! incarnation or has no mark. After a loss a new incarnation is drawn, so that a second memory that lags behind does not
//! tell of the same loss twice.

use crate::{
    policy::{self, Event, Phase, State},
    record::{self, LoadedSummary, Root},
    session::{Notice, Session, Step, StoreCommand, command::PINS, link::Health},
    store::{Mark, Part, Recalled, Revision, Snapshot},
    time::Timestamp,
};

/// Something that was stored and is not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// The whole record of the session: the database was wiped, or the engine began a new one.
    Lost,
    /// The latest commits: the engine serves an older state.
    RolledBack {
        /// The revision that had been acknowledged.
        expected: Revision,
        /// The revision that is there.
        found: Revision,
    },
    /// One part, which is in the quarantine now.
    Unreadable {
        /// Which.
        part: Part,
    },
}

impl Loss {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::RolledBack { .. } => "rolled_back",
            Self::Unreadable { .. } => "quarantined",
        }
    }
}

/// For whoever runs operations.
impl Session {
    /// What the store's second memory said before a load, and what it says after it. Hand it in before the reply.
    pub fn recalled(&mut self, before: Recalled, after: Recalled) {
        self.link_mut().recalled = (before, after);
        match after {
            Recalled::Unknown => {}
            Recalled::Nothing => self.link_mut().remembered = None,
            Recalled::Mark(mark) => self.link_mut().remembered = Some(mark),
        }
    }

    /// What the second memory should keep from now on, once for each change.
    pub fn mark_to_remember(&mut self) -> Option<Mark> {
        let mark = self.mark().filter(|_| self.link().health == Health::Attached)?;
        let changed = self.link_mut().remembered.replace(mark) != Some(mark);
        changed.then_some(mark)
    }
}

impl Session {
    /// How far memory knows the store to have come.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.revision().map(|revision| Mark { incarnation: self.root().incarnation, revision })
    }

    /// What is missing where the store holds `found`, by what memory (`mine`) and the second memory know.
    pub(super) fn loss(&self, mine: Option<Mark>, found: Option<Mark>) -> Option<Loss> {
        let (before, after) = self.link().recalled;
        let Some(found) = found else {
            let gone = match before {
                // Where it changed meanwhile somebody removed the session, and may have begun it anew.
                Recalled::Mark(mark) => before == after && self.link().lost != Some(mark),
                // Without a witness it was removed: what somebody took away is not written again.
                Recalled::Nothing | Recalled::Unknown => false,
            };
            return gone.then_some(Loss::Lost);
        };
        let marked = match before {
            Recalled::Mark(mark) => Some(mark),
            _ => None,
        };
        let same = |mark: &Mark| mark.incarnation == found.incarnation;
        let expected = [mine, marked].into_iter().flatten().filter(same).map(|mark| mark.revision).max()?;
        (found.revision < expected).then_some(Loss::RolledBack { expected, found: found.revision })
    }

    /// Tells of `loss`. Where memory does not hold what is missing its history counts as one strike (rule 14): enough to
    /// stop a second pass in vain, not enough to stop a conversation whose summary has just gone.
    pub(super) fn lose(&mut self, loss: Loss, known: bool, now: Timestamp) {
        if !known {
            self.assume(&State::unknown_history(), now);
        }
        if let Recalled::Mark(mark) = self.link().recalled.0 {
            self.link_mut().lost = Some(mark);
        }
        self.begin_incarnation();
        self.notify(Notice::Loss(loss));
    }

    /// The store cannot read what it kept. Memory is written over it, and the store sets aside what it had.
    pub(super) fn write_over(&mut self, now: Timestamp) {
        if self.revision().is_none() {
            self.assume(&State::rebuilt(now), now);
        }
        self.set_revision(None);
        self.begin_incarnation();
        self.notify(Notice::Loss(Loss::Unreadable { part: Part::Root }));
    }

    /// The stored root cannot be read: its bytes are kept, and something else is written in its place.
    pub(super) fn set_root_aside(&mut self, bytes: Option<&[u8]>) {
        self.link_mut().unsaved = true;
        self.set_aside(Part::Root, bytes);
    }

    /// The next thing that has to go to the quarantine.
    pub(super) fn quarantine_next(&mut self) -> Option<Step> {
        let (part, bytes) = self.link_mut().unreadable.pop()?;
        Some(Step::Store(StoreCommand::Quarantine { part, bytes }))
    }

    /// Takes the summaries that the root names. What cannot be read is set aside and no longer named, unless memory has it.
    /// Whether all that is named was there.
    pub(super) fn take_summaries(&mut self, snapshot: &Snapshot, now: Timestamp) -> bool {
        let mut missing = Vec::new();
        self.link_mut().stored.clear();
        for generation in self.root().generations.clone() {
            let number = generation.number;
            let part = Part::Generation(number);
            let bytes = snapshot.part(part);
            match record::load_summary(bytes, self.id(), number) {
                LoadedSummary::Found(summary) => {
                    self.insert_summary(*summary);
                    self.link_mut().stored.push(number);
                }
                LoadedSummary::Future { .. } => {}
                _ if self.written(number).is_some_and(|written| written.attempt == generation.attempt) => {
                    self.link_mut().unsaved = true;
                    self.set_aside(part, bytes);
                }
                _ => {
                    self.set_aside(part, bytes);
                    missing.push((number, generation.attempt));
                }
            }
        }
        let awaited = match &self.state().phase {
            Phase::AwaitingVerdict { attempt, .. } => Some(attempt.id),
            _ => None,
        };
        if missing.iter().any(|(_, attempt)| Some(*attempt) == awaited) {
            self.apply(Event::Undone, now);
        }
        for (number, _) in &missing {
            self.edit_root(|root| root.generations.retain(|kept| kept.number != *number));
            self.remove_summary(*number);
            self.link_mut().unsaved = true;
        }
        // What a read does not show is not there to be deleted.
        self.link_mut().stale.clear();
        self.note_stale(snapshot.parts.iter().map(|(part, _)| *part));
        self.drop_settled_content();
        missing.is_empty()
    }

    /// Remembers which generations the store may hold in vain, until a commit has deleted them. Numbers above those that
    /// this session gave out belong to a later release.
    pub(super) fn note_stale(&mut self, parts: impl Iterator<Item = Part>) {
        for part in parts {
            match part {
                Part::Generation(number) if part != PINS && number < self.next_number() => {
                    self.link_mut().stale.push(number);
                }
                _ => {}
            }
        }
    }

    /// Generations to delete with the next commit.
    pub(super) fn stale_parts(&self) -> Vec<Part> {
        let named = |number| self.root().generations.iter().any(|generation| generation.number == number);
        let stale = self.link().stale.iter().filter(|number| !named(**number));
        let mut parts = Vec::new();
        for &number in stale {
            let part = Part::Generation(number);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts
    }

    /// Takes the older `root` that an engine went back to under this session: memory goes on, and forgets no strike.
    pub(super) fn outlive(&mut self, root: &Root, now: Timestamp) {
        self.link_mut().unsaved = true;
        self.assume(&root.state, now);
    }

    fn assume(&mut self, state: &State, now: Timestamp) {
        let merged = policy::merge(self.state(), state, &self.seen(), now);
        self.edit_root(|root| root.state = merged);
        self.link_mut().unsaved = true;
    }

    /// What is written from here on is no continuation of what a second memory may still speak of.
    pub(super) fn begin_incarnation(&mut self) {
        let incarnation = self.draw_op().0;
        self.edit_root(|root| root.incarnation = incarnation);
        self.link_mut().unsaved = true;
    }

    /// Tells of a part that cannot be read, and keeps its bytes.
    pub(super) fn set_aside(&mut self, part: Part, bytes: Option<&[u8]>) {
        self.notify(Notice::Loss(Loss::Unreadable { part }));
        self.keep_aside(part, bytes);
    }

    /// Keeps bytes that will be written over.
    pub(super) fn keep_aside(&mut self, part: Part, bytes: Option<&[u8]>) {
        // A row that held no bytes leaves nothing to keep.
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
            let kept = &bytes[..bytes.len().min(QUARANTINED_BYTES)];
            self.link_mut().unreadable.push((part, kept.to_vec()));
        }
    }
}

/// Of one part that is set aside at most this much is kept: the longest that this crate writes, and enough to see what it was.
const QUARANTINED_BYTES: usize = 131_072;
