//! Going on behind a summary without the messages that it covers.
//!
//! The host gives the messages behind the id that [`Session::resume_after`] names, and in front of them the system messages
//! that its conversation begins with, which are held against those of the commit. What else a view would have to show of
//! the covered messages (a system message in their midst, the newest user message, a pinned one) it cannot give: then no
//! id is named, and the whole conversation is needed.

use thiserror::Error;

use crate::{
    plan::SlicePlan,
    record::{Behind, Summary},
    session::Session,
    transcript::{Base, Entry, Index},
    view,
};

/// Why a session cannot go on behind an id. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// No summary that is kept ends there, or a pin lies before it.
    #[error(
        "no summary of this session can be gone on from behind this id; nothing is lost; pass the whole conversation"
    )]
    UnknownId,
    /// The conversation began with more system messages when the summary was written. What they say may have changed.
    #[error(
        "there are fewer system messages in front than the summary was written for; nothing is lost; pass the whole \
         conversation"
    )]
    HeadChanged,
}

impl ResumeError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownId => "unknown_after",
            Self::HeadChanged => "head_changed",
        }
    }
}

impl Session {
    /// The host's id of the message behind which it may begin, if there is one.
    #[must_use]
    pub fn resume_after(&self) -> Option<&str> {
        let mut longest = None;
        for generation in self.generations() {
            let written = self.resumable(generation).filter(|written| !written.through.is_empty());
            if let Some(written) = written
                && longest.is_none_or(|(covered, _)| covered <= generation.covered_count)
            {
                longest = Some((generation.covered_count, written.through.as_str()));
            }
        }
        longest.map(|(_, through)| through)
    }

    /// Puts the transcript that begins behind the message called `after` in the place of what was pushed so far: `head`
    /// are the system entries in front, of which as many are taken as the summary knows. How many were taken, and the
    /// index of the first entry that is to be pushed.
    ///
    /// # Errors
    /// [`ResumeError`]; the transcript is as it was.
    pub fn resume(&mut self, after: &str, head: &[Entry]) -> Result<(u32, u32), ResumeError> {
        let ends_there = |generation: &&view::Generation| {
            !after.is_empty() && self.resumable(generation).is_some_and(|written| written.through == after)
        };
        let generation = self.generations().iter().find(ends_there).ok_or(ResumeError::UnknownId)?;
        let behind = self.resumable(generation).and_then(|written| written.behind).ok_or(ResumeError::UnknownId)?;
        let head = head.get(..behind.head_entries as usize).ok_or(ResumeError::HeadChanged)?;
        if fingerprint(head) != behind.head_fingerprint {
            return Err(ResumeError::HeadChanged);
        }
        let base = Base {
            count: generation.covered_count,
            last_id: generation.covered_last_id,
            fingerprint: behind.fingerprint,
            user_turns: behind.user_turns,
            model_calls: behind.model_calls,
        };
        let index = Index::resumed(head, base);
        self.replace_index(index);
        Ok((behind.head_entries, base.count))
    }

    /// Whether the view would have to show what the transcript does not hold: another writer took the summary back.
    #[must_use]
    pub fn lacks_transcript(&self) -> bool {
        self.sight().view.covered_count() < self.index().base_len()
    }

    /// Whether it would without the generation with this number.
    pub(super) fn needs(&self, number: u32) -> bool {
        let rest = self.generations().iter().filter(|generation| generation.number != number);
        let covered =
            rest.filter(|generation| generation.matches(self.index())).map(|generation| generation.covered_count);
        covered.max().unwrap_or(0) < self.index().base_len()
    }

    /// What is to be known to go on behind `plan`; whether that is enough is asked when somebody wants to.
    pub(super) fn behind(&self, plan: &SlicePlan) -> Option<Behind> {
        let index = self.index();
        let head_entries = index.head_len();
        if head_entries >= plan.cut {
            return None;
        }
        let (model_calls, user_turns) = index.count_before(plan.cut);
        Some(Behind {
            fingerprint: index.fingerprint(plan.cut),
            head_entries,
            head_fingerprint: index.fingerprint(head_entries),
            user_turns,
            model_calls,
        })
    }

    /// The summary of `generation`, if the session can go on behind it.
    fn resumable(&self, generation: &view::Generation) -> Option<&Summary> {
        let shows_more = !generation.pinned.is_empty() || !self.pins().entries.is_empty();
        self.written(generation.summary).filter(|written| written.behind.is_some() && !shows_more)
    }
}

/// A host's id, if it is one that can be kept.
pub(super) fn kept_id(id: &str) -> String {
    if id.len() <= MOST_ID_BYTES { id.to_owned() } else { String::new() }
}

/// The fingerprint of a transcript of these entries.
fn fingerprint(entries: &[Entry]) -> u64 {
    let mut index = Index::new();
    for entry in entries {
        index.push(*entry);
    }
    index.fingerprint(index.len())
}

/// Ids are UUIDs, numbers, short words; what is longer is content, and has no place in a record.
const MOST_ID_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_as_long_as_a_message_is_not_kept() {
        assert_eq!(kept_id("550e8400-e29b-41d4-a716-446655440000").len(), 36);
        assert_eq!((kept_id(&"x".repeat(256)).len(), kept_id(&"x".repeat(257)).len()), (256, 0));
    }
}
