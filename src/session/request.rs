//! The text of a summary request, and the plain summary that needs no model.

use thiserror::Error;

use crate::{
    id::AttemptId,
    plan,
    session::{Planned, Sent, Session, limits, writing::Asked},
    summary::{self, BadOffset, InPlaceInput, Item, Material, Request, RequestInput, RequestRefusal},
    time::Timestamp,
    tokens::Tokens,
    transcript::{self, Role},
};

/// A request that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The attempt is not the one that this session is working on.
    #[error("this attempt is not being worked on here any more; plan again")]
    NotThisAttempt,
    /// The texts are not those of the slice.
    #[error("{found} texts were given for a slice of {expected} entries; give one text per entry, in order")]
    WrongCount {
        /// How many were given.
        found: usize,
        /// How many the slice has.
        expected: usize,
    },
    /// An offset that cannot be.
    #[error("the offset of text {} does not stand between two characters, in order", .0.item)]
    BadOffset(BadOffset),
    /// The summary side refused.
    #[error(transparent)]
    Refused(RequestRefusal),
}

/// What a request is made from.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The texts of the slice's entries, one behind the other.
    pub joined: &'a str,
    /// Text `n` ends at byte `ends[n]`.
    pub ends: &'a [u32],
    /// A topic that deserves most of the room.
    pub focus: Option<&'a str>,
    /// The summariser's window, in tokens; `None`: the conversation's.
    pub window: Option<Tokens>,
    /// The most that the summariser can write, in tokens.
    pub output_limit: Option<Tokens>,
    /// The last prompt, where the summariser is the conversation's own model.
    pub sent: Option<Sent>,
    /// The text of the first entry that stays.
    pub until: Option<&'a str>,
}

/// A request to a summariser, in the shape that costs least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// A request of its own, with the slice, or a part of it, as data.
    Separate(Request),
    /// One user message behind the last prompt, so that a warm prompt cache pays for the slice.
    InPlace {
        /// The message.
        message: String,
        /// The output limit to set, in model tokens.
        max_tokens: Tokens,
    },
}

impl Session {
    /// The next request for `attempt`. Its answer goes to [`Session::take`].
    ///
    /// # Errors
    /// [`RequestError`], where attempt, count or offsets do not hold, or the summariser's window is too small.
    pub fn request(&mut self, attempt: AttemptId, ask: &Ask<'_>, now: Timestamp) -> Result<Asking, RequestError> {
        let (asking, asked) = self.ask(attempt, ask, now)?;
        self.note_asked(attempt, asked);
        Ok(asking)
    }

    fn ask(&mut self, attempt: AttemptId, ask: &Ask<'_>, now: Timestamp) -> Result<(Asking, Asked), RequestError> {
        self.writing_of(attempt);
        let planned = self.planned_as(attempt)?;
        let summary_cap = planned.plan.summary_cap;
        let max_tokens = ask.output_limit.map_or(summary_cap, |limit| limit.min(summary_cap));
        let templates = self.settings().templates();
        if ask.sent.is_some_and(|sent| self.asks_in_place(planned, sent, max_tokens, now)) {
            let message = summary::in_place(&InPlaceInput {
                until: ask.until,
                focus: ask.focus,
                summary_cap: max_tokens,
                templates,
            });
            return Ok((Asking::InPlace { message, max_tokens }, Asked::InPlace));
        }
        let items = self.items(planned, ask.ends)?;
        let material = Material::new(ask.joined, &items).map_err(RequestError::BadOffset)?;
        let window = ask.window.or(self.observation().lines.map(|lines| lines.window));
        let writing = self.writing();
        let input = RequestInput {
            material,
            from_item: writing.from_item,
            previous: writing.so_far.as_deref().or(planned.previous.and_then(|number| self.text(number))),
            focus: ask.focus,
            summary_cap,
            room_tokens: window.map(|window| window.saturating_sub(max_tokens)),
            output_limit: ask.output_limit,
            templates,
        };
        let request = summary::render(&input).map_err(RequestError::Refused)?;
        let asked = if request.last { Asked::Whole } else { Asked::Part { through_item: request.through_item } };
        Ok((Asking::Separate(request), asked))
    }

    /// The plain summary (no model) for `attempt`; `None` where the slice is too small to be replaced.
    ///
    /// # Errors
    /// [`RequestError`], as for [`Session::request`].
    pub fn plain_summary(
        &self,
        attempt: AttemptId,
        joined: &str,
        ends: &[u32],
    ) -> Result<Option<String>, RequestError> {
        let planned = self.planned_as(attempt)?;
        let items = self.items(planned, ends)?;
        let material = Material::new(joined, &items).map_err(RequestError::BadOffset)?;
        let previous = planned.previous.and_then(|number| self.text(number));
        Ok(summary::fallback(&material, previous, &limits(planned)))
    }

    /// One text for summaries that piled up in the history, oldest first, in the size of an ordinary summary: see
    /// [`summary::collapse`].
    ///
    /// # Errors
    /// [`RequestError::BadOffset`], where an offset does not hold.
    pub fn collapsed(&self, joined: &str, ends: &[u32]) -> Result<String, RequestError> {
        let mut items = Vec::new();
        for &end in ends {
            items.push(Item { end, role: Role::System, kind: transcript::Kind::HOST_SUMMARY });
        }
        let summaries = Material::new(joined, &items).map_err(RequestError::BadOffset)?;
        let window = self.observation().lines.map(|lines| lines.window);
        Ok(summary::collapse(&summaries, plan::summary_cap(window)))
    }

    /// The plan of `attempt`, while the transcript still holds the slice it was made for.
    pub(super) fn planned_as(&self, attempt: AttemptId) -> Result<&Planned, RequestError> {
        let planned = self.planned().filter(|planned| planned.attempt == attempt);
        let holds = |planned: &&Planned| self.index().fingerprint(planned.plan.cut) == planned.fingerprint;
        planned.filter(holds).ok_or(RequestError::NotThisAttempt)
    }

    pub(super) fn items(&self, planned: &Planned, ends: &[u32]) -> Result<Vec<Item>, RequestError> {
        let material = planned.plan.material();
        let expected = material.iter().map(ExactSizeIterator::len).sum();
        if ends.len() != expected {
            return Err(RequestError::WrongCount { found: ends.len(), expected });
        }
        let (mut items, mut ends) = (Vec::new(), ends.iter());
        for index in material.into_iter().flatten() {
            let entry = self.index().entry(index);
            items.extend(ends.next().map(|end| Item { end: *end, role: entry.role, kind: entry.kind }));
        }
        Ok(items)
    }
}
