//! What was committed, kept within a budget; taking the live summary back, and writing it anew.

use thiserror::Error;

use crate::{
    id::AttemptId,
    policy::{Event, Kind, Phase},
    record::{Bounds, Generation, Summary, Unknown},
    session::sight::UNSCALED,
    session::{
        Session,
        write::{Mutated, Mutation, Parts, summary_part},
    },
    store::Part,
    summary::{self, Finish, Limits, Rejection},
    time::Timestamp,
    tokens::Tokens,
};

/// Takes the live summary back: the view falls back to the one before it, or to the transcript.
#[derive(Clone, Debug)]
pub struct Undo {
    compaction: Option<String>,
    /// What it took back, however often the change is made again.
    taken: Option<Amended>,
}

/// Writes the live summary anew: another generation of the same covered range. The old one stays, for undo.
#[derive(Clone)]
pub struct Edit {
    compaction: String,
    text: String,
    /// Drawn once, however often the change is made again.
    attempt: Option<AttemptId>,
    written: Option<Amended>,
}

/// A live summary that was taken back or written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amended {
    /// The compaction that was taken back, or the new one.
    pub attempt: AttemptId,
    /// Occupancy before.
    pub before: Tokens,
    /// Estimated occupancy now.
    pub after: Tokens,
}

/// Why nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AmendError {
    /// A summary is being written, here or in another tab.
    #[error("a compaction is running; the conversation stands as it was; wait until it has ended and ask again")]
    Running,
    /// No compaction has this id any more, or ever had.
    #[error("no compaction that is kept has this id; nothing was changed; take an id from history()")]
    Unknown,
    /// Another summary is live.
    #[error("this is not the live compaction, which is {live}; nothing was changed; undo that one first")]
    NotLive {
        /// The one that is.
        live: AttemptId,
    },
    /// The session goes on behind this summary and does not know what it covers.
    #[error(
        "the messages that this summary covers were not given; nothing was changed; prepare with the whole conversation first"
    )]
    NeedsTranscript,
    /// No summary is live.
    #[error("no summary is live; the conversation is sent as it is; there is nothing to take back")]
    Nothing,
    /// The text is no summary.
    #[error("{0}")]
    Rejected(Rejection),
}

impl AmendError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Running => "attempt_running",
            Self::Unknown => "unknown_compaction",
            Self::NotLive { .. } => "not_live",
            Self::NeedsTranscript => "needs_transcript",
            Self::Nothing => "nothing_to_undo",
            Self::Rejected(rejection) => rejection.code(),
        }
    }
}

impl Undo {
    /// Takes back the compaction called so, as it was handed out; `None` for whichever is live.
    #[must_use]
    pub fn new(compaction: Option<String>) -> Self {
        Self { compaction, taken: None }
    }
}

impl Edit {
    /// Puts `text` in the place of the summary of `compaction`.
    #[must_use]
    pub fn new(compaction: &str, text: String) -> Self {
        Self { compaction: compaction.to_owned(), text, attempt: None, written: None }
    }

    fn amend(&mut self, session: &mut Session, number: u32, now: Timestamp) -> Result<Mutated<Amended>, AmendError> {
        let (old, written) = session.generation(number).ok_or(AmendError::Unknown)?;
        if old.covered_entries == 0 {
            return Err(AmendError::Nothing);
        }
        let bounds = written.bounds.unwrap_or(Bounds { slice_tokens: old.before_tokens, cap: Tokens::MAX });
        let limits = Limits { slice_tokens: bounds.slice_tokens, cap: bounds.cap, scale_permille: UNSCALED };
        let text = self.text.clone();
        let accepted = summary::check(&text, Finish::Stop, &limits).map_err(AmendError::Rejected)?;
        let attempt = *self.attempt.get_or_insert_with(|| session.draw_attempt());
        let before = session.observation().occupancy;
        let number = session.next_number();
        let generation = Generation {
            number,
            attempt,
            at: now,
            kind: Kind::Manual,
            probe: false,
            before_tokens: before,
            after_tokens: None,
            summary_tokens: accepted.tokens,
            prune: false,
            fallback: false,
            last_resort: false,
            verdict: None,
            unknown: Unknown::default(),
            ..old
        };
        let summary = Summary { number, attempt, text: accepted.text.to_owned(), ..written };
        session.apply(Event::Undone, now);
        let parts = session.add_generation(generation, summary);
        Ok(Mutated { output: Amended { attempt, before, after: session.observation().occupancy }, parts })
    }
}

/// Says how long the text is, never what it says.
impl core::fmt::Debug for Edit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Edit")
            .field("compaction", &self.compaction)
            .field("text_bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl Mutation for Undo {
    type Output = Result<Amended, AmendError>;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Self::Output> {
        // A lost acknowledgement, and another writer since: it went through, and the one before is not to go as well.
        if let Some(taken) = self.taken.filter(|taken| !session.names(taken.attempt)) {
            return Mutated::root_only(Ok(taken));
        }
        match session.amendable(self.compaction.as_deref(), now) {
            Ok(number) if session.needs(number) => Mutated::root_only(Err(AmendError::NeedsTranscript)),
            Ok(number) => {
                let mutated = session.take_back(number, now);
                self.taken = mutated.output.ok();
                mutated
            }
            Err(refusal) => Mutated::root_only(Err(refusal)),
        }
    }
}

impl Mutation for Edit {
    type Output = Result<Amended, AmendError>;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Self::Output> {
        if let Some(written) = self.written.filter(|written| session.names(written.attempt)) {
            return Mutated::root_only(Ok(written));
        }
        let amended =
            session.amendable(Some(&self.compaction), now).and_then(|number| self.amend(session, number, now));
        match amended {
            Ok(Mutated { output, parts }) => {
                self.written = Some(output);
                Mutated { output: Ok(output), parts }
            }
            Err(refusal) => Mutated::root_only(Err(refusal)),
        }
    }
}

impl Session {
    /// The live generation, if that is the one meant and nobody is working on the next.
    fn amendable(&mut self, compaction: Option<&str>, now: Timestamp) -> Result<u32, AmendError> {
        self.pass_time(now);
        if matches!(self.state().phase, Phase::Compacting { .. }) || self.planned().is_some() {
            return Err(AmendError::Running);
        }
        let live = self.live_or_longest().map(|live| (live.number, live.attempt));
        let meant = compaction.map(|id| AttemptId::parse(id).ok_or(AmendError::Unknown)).transpose()?;
        match (live, meant) {
            (Some((number, attempt)), meant) if meant.is_none_or(|id| id == attempt) => Ok(number),
            (_, Some(id)) if !self.names(id) => Err(AmendError::Unknown),
            (Some((_, live)), _) => Err(AmendError::NotLive { live }),
            (None, _) => Err(AmendError::Nothing),
        }
    }

    /// Whether the root names a generation of this attempt.
    pub(super) fn names(&self, attempt: AttemptId) -> bool {
        self.root().generations.iter().any(|generation| generation.attempt == attempt)
    }

    /// Before the host has shown its transcript nothing matches it: then the one that covers most is meant.
    fn live_or_longest(&self) -> Option<&Summary> {
        if !self.index().is_empty() {
            return self.written(self.shown_generation()?.number);
        }
        let longest =
            self.generations().iter().max_by_key(|generation| (generation.covered_count, generation.number))?;
        self.written(longest.number)
    }

    fn take_back(&mut self, number: u32, now: Timestamp) -> Mutated<Result<Amended, AmendError>> {
        let Some((generation, _)) = self.generation(number) else {
            return Mutated::root_only(Err(AmendError::Unknown));
        };
        let before = self.observation().occupancy;
        self.apply(Event::Undone, now);
        self.edit_root(|root| root.generations.retain(|kept| kept.number != number));
        let parts = Parts { puts: Vec::new(), deletes: vec![self.drop_summary(number)] };
        let after = self.observation().occupancy;
        Mutated { output: Ok(Amended { attempt: generation.attempt, before, after }), parts }
    }

    fn generation(&self, number: u32) -> Option<(Generation, Summary)> {
        let generation = self.root().generations.iter().find(|generation| generation.number == number)?;
        Some((generation.clone(), self.written(number)?.clone()))
    }

    /// Numbers of generations that are gone are never used again.
    pub(super) fn next_number(&self) -> u32 {
        let newest = self.root().generations.last().map_or(0, |newest| newest.number);
        newest.max(self.root().compactions).saturating_add(1)
    }

    /// Puts a generation at the end of the list and drops what does not fit beside it; the parts of the same commit.
    pub(super) fn add_generation(&mut self, generation: Generation, summary: Summary) -> Parts {
        let number = generation.number;
        let puts = vec![summary_part(&summary)];
        self.insert_summary(summary);
        let mut dropped = self.edit_root(|root| {
            root.generations.push(generation);
            root.compactions = root.compactions.saturating_add(1);
            root.prune(Some(number))
        });
        self.drop_oldest_texts(&mut dropped);
        let mut deletes = Vec::new();
        for number in dropped {
            deletes.push(self.drop_summary(number));
        }
        Parts { puts, deletes }
    }

    /// The part to delete with a generation that no root names any more.
    fn drop_summary(&mut self, number: u32) -> Part {
        self.remove_summary(number);
        Part::Generation(number)
    }

    /// Drops generations, oldest first, until the texts of the others fit into [`HISTORY_BYTES`]. The newest always stays:
    /// a commit has just made it live.
    fn drop_oldest_texts(&mut self, dropped: &mut Vec<u32>) {
        let mut bytes = 0;
        let mut surplus = 0;
        for (at, generation) in self.root().generations.iter().rev().enumerate() {
            bytes += self.written(generation.number).map_or(0, Summary::text_bytes);
            if at > 0 && bytes > HISTORY_BYTES {
                surplus = self.root().generations.len() - at;
                break;
            }
        }
        if surplus > 0 {
            dropped.extend(self.edit_root(|root| root.keep_newest(root.generations.len() - surplus, None)));
        }
    }
}

/// Texts of the generations kept for undo and inspection: sixteen ordinary ones, or three of the longest there can be. A
/// store that holds five megabytes for all chats of a page has room for forty such histories.
pub const HISTORY_BYTES: usize = 131_072;
