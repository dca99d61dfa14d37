//! One attempt, for JavaScript: claimed, asked for, and ended in one of its ways.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::{
    id::AttemptId,
    session::{Ask, Asking, Claim, Claimed, Commit, Event, Fail, RequestError, Sent, Taken, Write},
    summary::Finish,
    wasm::{convert, fault::Fault, object::Members, others, session::Core},
};

/// The texts of a slice, as they came over.
pub(super) struct Slice {
    attempt: AttemptId,
    joined: String,
    ends: Vec<u32>,
}

#[wasm_bindgen]
impl Core {
    /// Claims an attempt: a plan, or the decision that refuses it. `others`: 0 for nothing known, 1 for none at work, 2 for one
    /// that is.
    pub fn claim(&self, kind: &str, now: f64, others: u8) -> Result<Promise, JsValue> {
        let claim = Claim::beside(others::others(others), convert::kind(kind)?);
        self.promise(Write::rereading(claim), now, |claimed, _, now| {
            Ok(match claimed {
                Claimed::Planned(planned) => convert::planned(&planned),
                Claimed::Pruned { freed, decision } => {
                    let mut out = Members::new();
                    out.number("prunedTokens", freed);
                    out.value("refused", &convert::decision(&decision, now));
                    out.finish()
                }
                Claimed::Refused(decision) => {
                    let mut out = Members::new();
                    out.value("refused", &convert::decision(&decision, now));
                    out.finish()
                }
            })
        })
    }

    /// The next request for a claimed slice: `joined` holds its entries' texts, beginning at UTF-16 `offsets`, end
    /// included. None after a request that said `more`: such a slice crosses once, not once for each of its parts. 0 stands
    /// for a limit that is not known, a negative `sent_revision` for a summariser that is not the conversation's own model.
    #[expect(clippy::too_many_arguments, reason = "numbers cross far cheaper than an object")]
    pub fn request(
        &self,
        compaction_id: &str,
        joined: Option<String>,
        offsets: &[u32],
        focus: Option<String>,
        until: Option<String>,
        window: f64,
        output_limit: f64,
        sent_revision: f64,
        sent_entries: u32,
        sent_at: f64,
        now: f64,
    ) -> Result<JsValue, JsValue> {
        let sent = match sent_revision >= 0.0 {
            true => Some(Sent {
                view_revision: convert::tokens("sentRevision", sent_revision)?,
                entries: sent_entries,
                at: convert::timestamp(sent_at)?,
            }),
            false => None,
        };
        let attempt = convert::attempt(compaction_id)?;
        let held = self.inner.slice.take();
        let slice = match joined {
            Some(joined) => Some(Slice { attempt, ends: convert::utf8_ends(&joined, offsets), joined }),
            None => held.filter(|slice| slice.attempt == attempt),
        };
        let slice = slice.ok_or(RequestError::NotThisAttempt).map_err(Fault::from)?;
        let ask = Ask {
            joined: &slice.joined,
            ends: &slice.ends,
            focus: focus.as_deref(),
            window: convert::optional_tokens("contextWindow", window)?,
            output_limit: convert::optional_tokens("maxOutputTokens", output_limit)?,
            sent,
            until: until.as_deref(),
        };
        let now = convert::timestamp(now)?;
        let asking = self.inner.session.borrow_mut().request(attempt, &ask, now).map_err(Fault::from)?;
        if matches!(&asking, Asking::Separate(request) if !request.last) {
            self.inner.slice.replace(Some(slice));
        }
        Ok(convert::asking(&asking))
    }

    /// Why this answer would be refused: a code and a sentence, or nothing.
    pub fn refusal(&self, compaction_id: &str, text: &str, finish: &str) -> Result<JsValue, JsValue> {
        let refusal = self.session().refusal(convert::attempt(compaction_id)?, text, convert::finish(finish));
        let Some(refusal) = refusal else { return Ok(JsValue::UNDEFINED) };
        let mut out = Members::new();
        out.text("code", refusal.code());
        out.text("message", &refusal.to_string());
        Ok(out.finish())
    }

    /// Counts what a summariser was paid for, whatever comes of its answer.
    pub fn paid(&self, tokens: f64) -> Result<(), JsValue> {
        self.inner.session.borrow_mut().owe(convert::tokens("tokens", tokens)?);
        Ok(())
    }

    /// Whether the attempt still runs, as far as memory knows: false where another tab took it over.
    pub fn runs(&self, compaction_id: &str) -> Result<bool, JsValue> {
        Ok(self.session().runs(convert::attempt(compaction_id)?))
    }

    /// Takes an answer; true where another request follows instead of [`Core::commit`].
    pub fn take(&self, compaction_id: &str, text: &str, finish: &str) -> Result<bool, JsValue> {
        let attempt = convert::attempt(compaction_id)?;
        let taken = self.inner.session.borrow_mut().take(attempt, text, convert::finish(finish));
        Ok(taken == Taken::Next)
    }

    /// Commits a summary, or refuses it by name. `carry` stands behind it word for word from then on; `through` is the
    /// host's id of the last message that it covers; `joined` and `offsets` are the slice, `tail` the text of what stays.
    #[expect(clippy::too_many_arguments, reason = "numbers cross far cheaper than an object")]
    pub fn commit(
        &self,
        compaction_id: &str,
        text: String,
        finish: &str,
        now: f64,
        joined: &str,
        offsets: &[u32],
        tail: &str,
        carry: Option<String>,
        through: Option<String>,
    ) -> Result<Promise, JsValue> {
        let attempt = convert::attempt(compaction_id)?;
        let (carry, through) = (carry.unwrap_or_default(), through.unwrap_or_default());
        let (finish, ends) = (convert::finish(finish), convert::utf8_ends(joined, offsets));
        let slice = (joined, ends.as_slice());
        // An attempt that is not this one's any more is superseded by the commit, and said so there.
        let _ = self.inner.session.borrow_mut().hold_against(attempt, (&text, finish), slice, &[&carry, tail]);
        self.end(Commit { attempt, text, finish, fallback: false, spent: 0, carry, through }, now)
    }

    /// Commits a plain summary, written here without a model.
    #[wasm_bindgen(js_name = commitFallback)]
    pub fn commit_fallback(
        &self,
        compaction_id: &str,
        joined: &str,
        offsets: &[u32],
        now: f64,
        carry: Option<String>,
        through: Option<String>,
    ) -> Result<Promise, JsValue> {
        let attempt = convert::attempt(compaction_id)?;
        let ends = convert::utf8_ends(joined, offsets);
        let text = self.session().plain_summary(attempt, joined, &ends).map_err(Fault::from)?;
        let text = text.unwrap_or_default();
        let (carry, through) = (carry.unwrap_or_default(), through.unwrap_or_default());
        self.end(Commit { attempt, text, finish: Finish::Stop, fallback: true, spent: 0, carry, through }, now)
    }

    /// The attempt failed; `fallback` in the answer asks for [`Core::commit_fallback`] instead.
    pub fn fail(&self, compaction_id: &str, class: &str, retry_after_ms: f64, now: f64) -> Result<Promise, JsValue> {
        let fail = Fail {
            attempt: convert::attempt(compaction_id)?,
            class: convert::failure(class)?,
            retry_after: convert::optional_millis("retryAfterMs", retry_after_ms)?,
        };
        self.inner.slice.take();
        self.promise(Write::new(fail), now, |failed, _, _| {
            let mut out = Members::new();
            out.optional_number("retryAt", failed.retry_at.map(|at| at.0));
            out.flag("fallback", failed.fallback);
            Ok(out.finish())
        })
    }

    /// The host gave the attempt up: no failure, no strike.
    pub fn cancel(&self, compaction_id: &str, now: f64) -> Result<Promise, JsValue> {
        self.inner.slice.take();
        self.happens(Event::Cancelled(convert::attempt(compaction_id)?), now)
    }

    /// The attempt is still being worked on; false when it is not this session's any more.
    pub fn renew(&self, compaction_id: &str, now: f64) -> Result<Promise, JsValue> {
        let event = Event::Renewed(convert::attempt(compaction_id)?);
        self.promise(Write::new(event), now, |happened, _, _| Ok(happened.ignored.is_none().into()))
    }
}

impl Core {
    fn end(&self, commit: Commit, now: f64) -> Result<Promise, JsValue> {
        let attempt = commit.attempt;
        let receipt = self.session().receipt(attempt).cloned();
        self.promise(Write::new(commit), now, move |committed, _, _| {
            Ok(convert::committed(attempt, &committed, receipt.as_ref()))
        })
    }
}
