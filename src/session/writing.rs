//! A summary in the making: in which shape it was asked for, and how far it has come.

use crate::{
    id::AttemptId,
    policy::Kind,
    session::{Planned, RequestError, Session, limits},
    summary::{self, Accepted, Finish, Material, Rejection},
    time::{Millis, Timestamp},
    tokens::{Tokens, permille},
};

/// The last prompt that the conversation's own model answered: what a prompt cache may still hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The view it was made from.
    pub view_revision: u32,
    /// Entries of the transcript that it stood for.
    pub entries: u32,
    /// When it was sent.
    pub at: Timestamp,
}

/// What came of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Commit it: it is accepted there, or refused by name.
    Last,
    /// It was a part of a long slice, or no summary at all where one was asked for in place: another request follows.
    Next,
}

/// How far the summary of one attempt has come. Lives in memory: after a reload the attempt is interrupted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Writing {
    attempt: Option<AttemptId>,
    /// The first item of the material that is not summarised yet.
    pub(super) from_item: u32,
    /// The summary of the items before it.
    pub(super) so_far: Option<String>,
    asked: Asked,
    in_place_refused: bool,
    /// The summary as it will be committed, once it was held against its slice.
    pub(super) received: Option<Received>,
}

/// A summary held against its slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// With what it lost as its last line.
    pub(super) text: String,
    pub(super) receipt: Receipt,
}

/// How many of a slice's identifiers can still be read behind its summary, and which cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// How many the slice has; bounded.
    pub found: u32,
    /// How many of them still stand in summary, pins, carry or tail.
    pub kept: u32,
    /// The others, the latest mentioned first. Those that had room were appended to the summary.
    pub missing: Vec<String>,
}

/// The request that is out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Asked {
    /// None, or one for the whole slice.
    #[default]
    Whole,
    /// For a part of it, up to this item.
    Part {
        /// Behind the last item of the part.
        through_item: u32,
    },
    /// Behind the conversation itself.
    InPlace,
}

impl Session {
    /// How far `attempt` has come; from the beginning where it was not asked about yet.
    pub(super) fn writing_of(&mut self, attempt: AttemptId) -> &mut Writing {
        let writing = self.writing_mut();
        if writing.attempt != Some(attempt) {
            *writing = Writing { attempt: Some(attempt), ..Writing::default() };
        }
        writing
    }

    pub(super) fn note_asked(&mut self, attempt: AttemptId, asked: Asked) {
        self.writing_of(attempt).asked = asked;
    }

    /// Takes an answer to the request that is out. Nothing durable changes here: [`Taken::Last`] goes into a
    /// [`Commit`](super::Commit).
    pub fn take(&mut self, attempt: AttemptId, text: &str, finish: Finish) -> Taken {
        let Some(planned) = self.planned().filter(|planned| planned.attempt == attempt).cloned() else {
            return Taken::Last;
        };
        match (self.writing_of(attempt).asked, self.judge(&planned, text, finish)) {
            (Asked::Part { through_item }, Ok(accepted)) => {
                let so_far = accepted.text.to_owned();
                let writing = self.writing_of(attempt);
                writing.so_far = Some(so_far);
                writing.from_item = through_item;
                Taken::Next
            }
            (Asked::InPlace, Err(rejection)) if rejection.retry_separate() => {
                let writing = self.writing_of(attempt);
                writing.in_place_refused = true;
                writing.asked = Asked::Whole;
                Taken::Next
            }
            _ => Taken::Last,
        }
    }

    /// Holds an answer that will be accepted against its slice: `joined` and `ends` as in [`Ask`](super::Ask), `tail` the
    /// text of what stays verbatim, `carry` what stands behind the summary. What it lost goes into its last line, within
    /// 3 % of the target and the summary's cap. Nothing happens for an answer that will be refused.
    ///
    /// # Errors
    /// [`RequestError`](super::RequestError), where attempt, count or offsets do not hold.
    pub fn hold_against(
        &mut self,
        attempt: AttemptId,
        answer: (&str, Finish),
        slice: (&str, &[u32]),
        remains: &[&str],
    ) -> Result<(), RequestError> {
        let received = self.received(attempt, answer, slice, remains)?;
        self.writing_of(attempt).received = received;
        Ok(())
    }

    /// What [`Session::hold_against`] made of the answer to `attempt`.
    pub(super) fn received_of(&self, attempt: AttemptId) -> Option<&Received> {
        let writing = self.writing();
        writing.received.as_ref().filter(|_| writing.attempt == Some(attempt))
    }

    /// What the summary of `attempt` keeps of its slice, once it was held against it.
    #[must_use]
    pub fn receipt(&self, attempt: AttemptId) -> Option<&Receipt> {
        self.received_of(attempt).map(|received| &received.receipt)
    }

    fn received(
        &self,
        attempt: AttemptId,
        (text, finish): (&str, Finish),
        (joined, ends): (&str, &[u32]),
        remains: &[&str],
    ) -> Result<Option<Received>, RequestError> {
        let planned = self.planned_as(attempt)?;
        let Ok(accepted) = self.judge(planned, text, finish) else { return Ok(None) };
        let items = self.items(planned, ends)?;
        let material = Material::new(joined, &items).map_err(RequestError::BadOffset)?;
        let mut standing = remains.to_vec();
        standing.push(accepted.text);
        standing.extend(self.pins().texts.iter().map(String::as_str));
        let receipt = summary::receipt(&material, &standing);
        let seen = self.observation();
        let target = seen.lines.map_or(planned.before, |lines| lines.target(seen.floor));
        let spare = planned.plan.summary_cap.saturating_sub(accepted.tokens);
        let text =
            summary::append_missing(accepted.text, &receipt, permille(target, summary::APPENDED_PERMILLE).min(spare));
        let missing = receipt.missing.iter().map(|missing| (*missing).to_owned()).collect();
        Ok(Some(Received { text, receipt: Receipt { found: receipt.found, kept: receipt.kept, missing } }))
    }

    /// Why this answer would end the attempt as a failure; `None` where it would not, or the attempt is not this one's.
    #[must_use]
    pub fn refusal(&self, attempt: AttemptId, text: &str, finish: Finish) -> Option<Rejection> {
        let planned = self.planned().filter(|planned| planned.attempt == attempt)?;
        let again = |rejection: &Rejection| self.writing().asked == Asked::InPlace && rejection.retry_separate();
        self.judge(planned, text, finish).err().filter(|rejection| !again(rejection))
    }

    /// Whether an answer may become the summary of `planned`, by the shape in which it was asked for (rule 6).
    pub(super) fn judge<'a>(
        &self,
        planned: &Planned,
        text: &'a str,
        finish: Finish,
    ) -> Result<Accepted<'a>, Rejection> {
        let writing = self.writing();
        if writing.attempt == Some(planned.attempt) && writing.asked == Asked::InPlace {
            return summary::check_in_place(text, finish, &limits(planned));
        }
        summary::check(text, finish, &limits(planned))
    }

    /// Whether the summary is asked for behind the conversation itself: the cache is warm, the last prompt holds the whole
    /// slice, and one more message with its answer fits the window. Never after a proven overflow, and once only.
    pub(super) fn asks_in_place(&self, planned: &Planned, sent: Sent, max_tokens: Tokens, now: Timestamp) -> bool {
        let writing = self.writing();
        let begun = writing.attempt == Some(planned.attempt) && (writing.in_place_refused || writing.from_item > 0);
        let room = planned.before.saturating_add(max_tokens).saturating_add(INSTRUCTION_TOKENS);
        let window = self.observation().lines.map(|lines| lines.window);
        !begun
            && planned.kind != Kind::Overflow
            && sent.view_revision == self.state().view_revision
            && sent.entries >= planned.plan.cut
            && now.since(sent.at) <= CACHE_WARM
            && window.is_none_or(|window| room <= window)
    }
}

/// Providers keep a prompt cache for at least five minutes after its last use (Anthropic's default, OpenAI's lower end).
const CACHE_WARM: Millis = Millis::secs(300);
/// The message that asks for a summary in place, a long topic included.
const INSTRUCTION_TOKENS: Tokens = 800;
