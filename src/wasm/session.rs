//! One session, for JavaScript.

use core::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use crate::{
    id::{ModelId, OwnerId},
    session::{
        Adopt, Claim, Claimed, Commit, Event, Fail, Open, Operation, Peek, Remove, Report, Session, Settle, Steps,
        Write, drive, drive_sync,
    },
    store::Snapshot,
    summary::Finish,
    time::Timestamp,
    transcript::{Entry, Kind, Role},
    view::{self, Part},
    wasm::{
        convert,
        events::event,
        fault::Fault,
        lines::Line,
        object::Members,
        settings::CoreSettings,
        store::{AnyStore, StoreHandle},
    },
};

/// One session. All methods take it shared, so that a pending operation never locks out a query.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a class of JavaScript; nothing in Rust prints it")]
pub struct Core {
    inner: Rc<Inner>,
}

struct Inner {
    session: RefCell<Session>,
    /// Goes with the session, not with the object: a pending operation still answers there.
    line: Line,
    store: Rc<AnyStore>,
    /// Operations run one after another: the newest one's promise.
    last: RefCell<Promise>,
    loading: Cell<bool>,
}

#[wasm_bindgen]
impl Core {
    /// A session called `id` on `store`; `owner_hi` and `owner_lo` are drawn at random by the caller.
    #[wasm_bindgen(constructor)]
    pub fn new(
        id: &str,
        store: &StoreHandle,
        settings: &CoreSettings,
        owner_hi: u32,
        owner_lo: u32,
    ) -> Result<Self, JsValue> {
        let store = store.share();
        let owner = OwnerId(wide(owner_hi, owner_lo));
        let session = Session::new(id, owner, settings.settings.clone(), store.capabilities());
        let mut session = session.map_err(Fault::from)?;
        let line = Line::take(&mut session);
        let inner = Inner {
            session: RefCell::new(session),
            line,
            store,
            last: RefCell::new(Promise::resolve(&JsValue::UNDEFINED)),
            loading: Cell::new(true),
        };
        Ok(Self { inner: Rc::new(inner) })
    }

    /// Appends an entry. `group` is the entry that opened its tool call, or `u32::MAX`.
    #[expect(clippy::too_many_arguments, reason = "numbers cross far cheaper than an object")]
    pub fn push(&self, id_hi: u32, id_lo: u32, role: u8, flags: u16, tokens: u32, group: u32, calls: u8) {
        let role = Role::from_code(role).unwrap_or(Role::User);
        let kind = Kind::from_bits(flags);
        self.inner.session.borrow_mut().push(Entry { id: wide(id_hi, id_lo), role, kind, tokens, group, calls });
    }

    /// Forgets the entries from `len` on.
    pub fn truncate(&self, len: u32) {
        self.inner.session.borrow_mut().truncate(len);
    }

    /// How many entries.
    #[wasm_bindgen(js_name = entryCount)]
    pub fn entry_count(&self) -> u32 {
        self.session().index().len()
    }

    /// What [`over_line`](super::over_line) is asked with.
    #[wasm_bindgen(getter)]
    pub fn number(&self) -> usize {
        self.inner.line.number()
    }

    /// Whether a pass can be due at all; needs no clock. For when [`over_line`](super::over_line) cannot tell.
    #[wasm_bindgen(js_name = lookOverLine)]
    pub fn look_over_line(&self) -> bool {
        self.session().over_line()
    }

    /// Whether a pass may start now.
    #[wasm_bindgen(js_name = shouldCompact)]
    pub fn should_compact(&self, now: f64) -> bool {
        self.inner.session.borrow().should_compact(Timestamp(now as u64))
    }

    /// The same answer as a public `Decision`.
    pub fn explain(&self, now: f64) -> Result<JsValue, JsValue> {
        let now = convert::timestamp(now)?;
        Ok(convert::decision(&self.session().decide(now), now))
    }

    /// The public `Snapshot`.
    pub fn snapshot(&self, now: f64) -> Result<JsValue, JsValue> {
        let now = convert::timestamp(now)?;
        Ok(convert::snapshot(&self.session(), self.inner.loading.get(), now))
    }

    /// Rises whenever the snapshot may differ, but for the passing of time.
    pub fn version(&self) -> u32 {
        self.session().version()
    }

    /// What a request is stamped with.
    #[wasm_bindgen(js_name = viewRevision)]
    pub fn view_revision(&self) -> u32 {
        self.session().state().view_revision
    }

    /// Estimated tokens of the next prompt.
    #[wasm_bindgen(js_name = viewTokens)]
    pub fn view_tokens(&self) -> u32 {
        self.session().observation().occupancy
    }

    /// The view as triples: 0, from, to for verbatim entries; 1, 0, 0 for the summary; 2, entry, entry + 1 for a result
    /// whose call is not shown any more.
    pub fn view(&self) -> Vec<u32> {
        let mut triples = Vec::new();
        for part in self.session().view().parts() {
            triples.extend_from_slice(&match *part {
                Part::Verbatim { from, to } => [0, from, to],
                Part::Summary { .. } => [1, 0, 0],
                Part::Placeholder { index } => [2, index, index + 1],
            });
        }
        triples
    }

    /// The live summary as the model is shown it.
    #[wasm_bindgen(js_name = summaryText)]
    pub fn summary_text(&self) -> Option<String> {
        self.session().summary().map(view::wrap)
    }

    /// Committed summaries as public `Compaction`s, oldest first.
    pub fn history(&self) -> Array {
        let session = self.session();
        let out = Array::new();
        for one in &session.root().generations {
            out.push(&convert::compaction(one, session.text(one.number).unwrap_or_default()));
        }
        out
    }

    /// Events since the last call, oldest first.
    #[wasm_bindgen(js_name = drainEvents)]
    pub fn drain_events(&self) -> Array {
        let out = Array::new();
        for notice in self.inner.session.borrow_mut().drain_notices() {
            out.push(&event(&notice));
        }
        out
    }

    /// Loads the record: how it was found, and what the state survives.
    pub fn open(&self, now: f64) -> Result<Promise, JsValue> {
        self.inner.loading.set(true);
        self.promise(Open::new(), now, |found, inner, _| {
            inner.loading.set(false);
            let mut out = Members::new();
            out.text("found", found.code());
            out.text("durability", inner.session.borrow().durability().code());
            Ok(out.finish())
        })
    }

    /// Claims an attempt: a plan, or the decision that refuses it.
    pub fn claim(&self, kind: &str, now: f64) -> Result<Promise, JsValue> {
        let claim = Claim::new(convert::kind(kind)?);
        self.promise(Write::rereading(claim), now, |claimed, _, now| {
            Ok(match claimed {
                Claimed::Planned(planned) => convert::planned(&planned),
                Claimed::Refused(decision) => {
                    let mut out = Members::new();
                    out.value("refused", &convert::decision(&decision, now));
                    out.finish()
                }
            })
        })
    }

    /// The request for a claimed slice: `joined` holds its entries' texts, beginning at UTF-16 `offsets`, end included.
    pub fn request(
        &self,
        compaction_id: &str,
        joined: &str,
        offsets: &[u32],
        focus: Option<String>,
    ) -> Result<JsValue, JsValue> {
        let ends = convert::utf8_ends(joined, offsets);
        let session = self.session();
        let request = session.request(convert::attempt(compaction_id)?, joined, &ends, focus.as_deref());
        let request = request.map_err(Fault::from)?;
        let mut out = Members::new();
        out.text("system", request.system);
        out.text("user", &request.user);
        out.number("maxTokens", request.max_tokens);
        Ok(out.finish())
    }

    /// Commits a summary, or refuses it by name.
    pub fn commit(
        &self,
        compaction_id: &str,
        text: String,
        finish: &str,
        spent_tokens: f64,
        now: f64,
    ) -> Result<Promise, JsValue> {
        let spent = convert::tokens("spentTokens", spent_tokens)?;
        let attempt = convert::attempt(compaction_id)?;
        self.end(Commit { attempt, text, finish: convert::finish(finish), fallback: false, spent }, now)
    }

    /// Commits a plain summary, written here without a model.
    #[wasm_bindgen(js_name = commitFallback)]
    pub fn commit_fallback(
        &self,
        compaction_id: &str,
        joined: &str,
        offsets: &[u32],
        now: f64,
    ) -> Result<Promise, JsValue> {
        let attempt = convert::attempt(compaction_id)?;
        let ends = convert::utf8_ends(joined, offsets);
        let text = self.session().plain_summary(attempt, joined, &ends).map_err(Fault::from)?;
        let text = text.unwrap_or_default();
        self.end(Commit { attempt, text, finish: Finish::Stop, fallback: true, spent: 0 }, now)
    }

    /// The attempt failed; `fallback` in the answer asks for [`Core::commit_fallback`] instead.
    pub fn fail(&self, compaction_id: &str, class: &str, retry_after_ms: f64, now: f64) -> Result<Promise, JsValue> {
        let fail = Fail {
            attempt: convert::attempt(compaction_id)?,
            class: convert::failure(class)?,
            retry_after: convert::optional_millis("retryAfterMs", retry_after_ms)?,
        };
        self.promise(Write::new(fail), now, |failed, _, _| {
            let mut out = Members::new();
            out.optional_number("retryAt", failed.retry_at.map(|at| at.0));
            out.flag("fallback", failed.fallback);
            Ok(out.finish())
        })
    }

    /// The host gave the attempt up: no failure, no strike.
    pub fn cancel(&self, compaction_id: &str, now: f64) -> Result<Promise, JsValue> {
        self.happens(Event::Cancelled(convert::attempt(compaction_id)?), now)
    }

    /// The attempt is still being worked on; false when it is not this session's any more.
    pub fn renew(&self, compaction_id: &str, now: f64) -> Result<Promise, JsValue> {
        let event = Event::Renewed(convert::attempt(compaction_id)?);
        self.promise(Write::new(event), now, |happened, _, _| Ok(happened.ignored.is_none().into()))
    }

    /// A model call completed and its provider counted the prompt. `view_revision` below 0: not known.
    #[wasm_bindgen(js_name = reportUsage)]
    pub fn report_usage(
        &self,
        prompt_tokens: f64,
        view_revision: f64,
        sent_at: f64,
        entries: u32,
        now: f64,
    ) -> Result<Promise, JsValue> {
        let known = view_revision >= 0.0;
        let report = Report {
            prompt_tokens: convert::tokens("promptTokens", prompt_tokens)?,
            view_revision: if known { Some(convert::tokens("viewRevision", view_revision)?) } else { None },
            sent_at: convert::timestamp(sent_at)?,
            entries,
        };
        self.promise(Write::new(report), now, |reported, _, _| {
            let mut out = Members::new();
            out.optional_text("ignored", reported.ignored.map(|why| why.code()));
            out.optional_text("verdict", reported.verdict.map(|settled| settled.verdict.code()));
            Ok(out.finish())
        })
    }

    /// A model call completed and no usage came with it.
    #[wasm_bindgen(js_name = stepWithoutUsage)]
    pub fn step_without_usage(&self, view_revision: u32, now: f64) -> Result<Promise, JsValue> {
        self.happens(Event::StepWithoutUsage { view_revision }, now)
    }

    /// The provider refused a prompt as too long; `limit` 0: it named none.
    pub fn overflow(&self, view_revision: u32, limit: f64, now: f64) -> Result<Promise, JsValue> {
        let limit = convert::optional_tokens("limit", limit)?;
        self.promise(Write::new(Event::Overflow { view_revision, limit }), now, |happened, _, now| {
            let mut out = Members::new();
            out.value("decision", &convert::decision(&happened.decision, now));
            out.flag("stale", happened.ignored.is_some());
            Ok(out.finish())
        })
    }

    /// Another model is in force.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(&self, name: &str, now: f64) -> Result<Promise, JsValue> {
        self.happens(Event::Model(ModelId::of(name)), now)
    }

    /// The host's credentials changed.
    #[wasm_bindgen(js_name = credentialsChanged)]
    pub fn credentials_changed(&self, now: f64) -> Result<Promise, JsValue> {
        self.happens(Event::Credentials, now)
    }

    /// Forgets everything but the view.
    pub fn reset(&self, now: f64) -> Result<Promise, JsValue> {
        self.happens(Event::Reset, now)
    }

    /// Does what time alone has made due and tries again what could not be written.
    pub fn settle(&self, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::new(Settle), now, |(), _, _| Ok(JsValue::UNDEFINED))
    }

    /// Takes a compaction that the host or its provider made by itself; its id.
    pub fn adopt(&self, covered_entries: u32, summary_tokens: u32, manual: bool, now: f64) -> Result<Promise, JsValue> {
        let adopt = Adopt { covered: covered_entries, summary_tokens, manual };
        self.promise(Write::new(adopt), now, |attempt, _, _| Ok(attempt.to_string().into()))
    }

    /// What is in the store now: part, revision and bytes of each record.
    pub fn records(&self) -> Result<Promise, JsValue> {
        self.promise(Peek::default(), 0.0, |found, _, _| Ok(records(found.map_err(Fault::from)?)))
    }

    /// Removes the session's records, whatever their revision.
    pub fn remove(&self) -> Result<Promise, JsValue> {
        self.promise(Remove::default(), 0.0, |removed, _, _| {
            removed.map_err(Fault::from)?;
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl Core {
    /// For all but the queries of the hot path, which borrow in place.
    #[inline(never)]
    fn session(&self) -> Ref<'_, Session> {
        self.inner.session.borrow()
    }

    fn happens(&self, event: Event, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::event(event), now, |_, _, _| Ok(JsValue::UNDEFINED))
    }

    fn end(&self, commit: Commit, now: f64) -> Result<Promise, JsValue> {
        let attempt = commit.attempt;
        self.promise(Write::new(commit), now, move |committed, _, _| Ok(convert::committed(attempt, &committed)))
    }

    /// Every operation is this one promise: after the one before it, its steps, then its result.
    fn promise<O: Operation + 'static>(
        &self,
        operation: O,
        now: f64,
        out: impl FnOnce(O::Output, &Inner, Timestamp) -> Result<JsValue, JsValue> + 'static,
    ) -> Result<Promise, JsValue> {
        self.inner.enqueue(Box::new(Job { operation, out }), now)
    }
}

impl Inner {
    fn enqueue(self: &Rc<Self>, mut job: Box<dyn Queued>, now: f64) -> Result<Promise, JsValue> {
        let now = convert::timestamp(now)?;
        let inner = Rc::clone(self);
        let before = self.last.borrow().clone();
        let promise = future_to_promise(async move {
            // How the one before ended is its own caller's business.
            let _ = JsFuture::from(before).await;
            let (session, steps) = (&inner.session, job.steps());
            // A store that answers at once is no part of the future: one that holds all three is far larger.
            match &*inner.store {
                AnyStore::Memory(store) => drive_sync(&mut session.borrow_mut(), store, steps, now),
                AnyStore::LocalStorage(store) => drive_sync(&mut session.borrow_mut(), store, steps, now),
                AnyStore::IndexedDb(store) => drive(session, store, steps, now).await,
            }
            job.finish(&inner, now)
        });
        *self.last.borrow_mut() = promise.clone();
        Ok(promise)
    }
}

/// An operation with what becomes of its result, behind one type: futures are the largest part of a module.
trait Queued {
    fn steps(&mut self) -> &mut dyn Steps;
    fn finish(self: Box<Self>, inner: &Inner, now: Timestamp) -> Result<JsValue, JsValue>;
}

struct Job<O, F> {
    operation: O,
    out: F,
}

impl<O, F> Queued for Job<O, F>
where
    O: Operation,
    F: FnOnce(O::Output, &Inner, Timestamp) -> Result<JsValue, JsValue>,
{
    fn steps(&mut self) -> &mut dyn Steps {
        &mut self.operation
    }

    fn finish(self: Box<Self>, inner: &Inner, now: Timestamp) -> Result<JsValue, JsValue> {
        let output = self.operation.finish(&mut inner.session.borrow_mut());
        (self.out)(output, inner, now)
    }
}

fn records(snapshot: Option<Snapshot>) -> JsValue {
    let list = Array::new();
    let revision = snapshot.as_ref().map_or(0, |snapshot| snapshot.revision);
    for (part, bytes) in snapshot.map(|snapshot| snapshot.parts).unwrap_or_default() {
        let mut out = Members::new();
        out.text("part", &part.to_string());
        out.number("revision", revision);
        out.value("bytes", &Uint8Array::from(bytes.as_slice()));
        list.push(&out.finish());
    }
    list.into()
}

fn wide(hi: u32, lo: u32) -> u64 {
    (u64::from(hi) << 32) | u64::from(lo)
}
