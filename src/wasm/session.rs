//! One session, for JavaScript.

use core::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::{
    id::{ModelId, OwnerId},
    plan::{self, Repair},
    session::{
        Adopt, Call, Calls, Driven, Event, Open, Operation, Peek, Pinnable, Remove, Report, ResumeError, Session,
        Settle, Steps, StoreReply, Write,
    },
    store::{Mark, Recalled, Snapshot},
    time::Timestamp,
    transcript::{Entry, Kind, Role},
    view::{self, Part, Why},
    wasm::{
        attempt::Slice,
        convert,
        events::event,
        fault::Fault,
        lines::Line,
        object::Members,
        queue::{Queued, promise},
        settings::CoreSettings,
        store::{AnyStore, StoreHandle},
    },
};

/// One session. All methods take it shared, so that a pending operation never locks out a query.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a class of JavaScript; nothing in Rust prints it")]
pub struct Core {
    pub(super) inner: Rc<Inner>,
}

pub(super) struct Inner {
    pub(super) session: RefCell<Session>,
    /// Goes with the session, not with the object: a pending operation still answers there.
    line: Line,
    store: Rc<AnyStore>,
    /// Operations run one after another: the newest one's promise.
    last: RefCell<Promise>,
    loading: Cell<bool>,
    /// The slice of a request that asked for a part of it: the requests for the other parts are made from it.
    pub(super) slice: RefCell<Option<Slice>>,
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
            slice: RefCell::new(None),
        };
        Ok(Self { inner: Rc::new(inner) })
    }

    /// Appends an entry. `group` is the entry that opened its tool call, or `u32::MAX`.
    #[expect(clippy::too_many_arguments, reason = "numbers cross far cheaper than an object")]
    pub fn push(&self, id_hi: u32, id_lo: u32, role: u8, flags: u16, tokens: u32, group: u32, calls: u8, bytes: u32) {
        let role = Role::from_code(role).unwrap_or(Role::User);
        let kind = Kind::from_bits(flags);
        self.inner.session.borrow_mut().push(Entry { id: wide(id_hi, id_lo), role, kind, tokens, group, calls, bytes });
    }

    /// Forgets the entries from `len` on.
    pub fn truncate(&self, len: u32) {
        self.inner.session.borrow_mut().truncate(len);
    }

    /// Whether the view would have to show messages that a resumed transcript does not hold.
    #[wasm_bindgen(js_name = lacksTranscript)]
    pub fn lacks_transcript(&self) -> bool {
        self.session().lacks_transcript()
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
    /// whose call is not shown any more; 3, entry, entry + 1 for a cleared entry; 4, entry, bytes for a capped one.
    pub fn view(&self) -> Vec<u32> {
        let mut triples = Vec::new();
        for part in self.session().view().parts() {
            triples.extend_from_slice(&match *part {
                Part::Verbatim { from, to } => [0, from, to],
                Part::Summary { .. } => [1, 0, 0],
                Part::Placeholder { index, why: Why::LateResult } => [2, index, index + 1],
                Part::Placeholder { index, why: Why::Pruned } => [3, index, index + 1],
                Part::Capped { index, bytes } => [4, index, bytes],
            });
        }
        triples
    }

    /// What mends a damaged history, as triples: 1, entry, newest for a summary that goes into the newest; 2, entry, 0 for an
    /// entry that is taken out; 3, entry, results for a call that gets the results it lacks; 4, entry, 0 for an entry
    /// that loses its media.
    pub fn repair(&self) -> Vec<u32> {
        let mut triples = Vec::new();
        for repair in plan::repair(self.session().index()) {
            triples.extend_from_slice(&match repair {
                Repair::Collapse { entry, into } => [1, entry, into],
                Repair::Drop { entry, .. } => [2, entry, 0],
                Repair::Close { entry, missing } => [3, entry, missing.into()],
                Repair::StripMedia { entry } => [4, entry, 0],
            });
        }
        triples
    }

    /// One text for summaries that piled up, oldest first, beginning at UTF-16 `offsets`, end included; `wrapped` as the
    /// model is shown a summary.
    pub fn collapse(&self, joined: &str, offsets: &[u32], wrapped: bool) -> Result<String, JsValue> {
        let ends = convert::utf8_ends(joined, offsets);
        let text = self.session().collapsed(joined, &ends).map_err(Fault::from)?;
        Ok(if wrapped { view::wrap(&text) } else { text })
    }

    /// The live summary as the model is shown it.
    #[wasm_bindgen(js_name = summaryText)]
    pub fn summary_text(&self) -> Option<String> {
        self.session().shown_summary()
    }

    /// Committed summaries as public `Compaction`s, oldest first.
    pub fn history(&self) -> Array {
        let session = self.session();
        let out = Array::new();
        for one in &session.root().generations {
            out.push(&convert::compaction(one, session.written(one.number)));
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
            let session = inner.session.borrow();
            out.text("durability", session.durability().code());
            out.optional_text("resumeAfter", session.resume_after());
            Ok(out.finish())
        })
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

    /// The window of the model now in force.
    #[wasm_bindgen(js_name = setWindow)]
    pub fn set_window(&self, tokens: f64) -> Result<(), JsValue> {
        let window = convert::tokens("contextWindow", tokens)?;
        self.inner.session.borrow_mut().set_context_window(window).map_err(|error| Fault::from(error).into())
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
    pub(super) fn session(&self) -> Ref<'_, Session> {
        self.inner.session.borrow()
    }

    pub(super) fn happens(&self, event: Event, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::event(event), now, |_, _, _| Ok(JsValue::UNDEFINED))
    }

    pub(super) fn resume_session(&self, after: &str, head: &[Entry]) -> Result<(u32, u32), ResumeError> {
        self.inner.session.borrow_mut().resume(after, head)
    }

    pub(super) fn pinnable(&self, index: u32) -> Option<Pinnable> {
        self.session().pinnable(index)
    }

    /// Every operation is this one promise: after the one before it, its steps, then its result.
    pub(super) fn promise<O: Operation + 'static>(
        &self,
        operation: O,
        now: f64,
        out: impl FnOnce(O::Output, &Inner, Timestamp) -> Result<JsValue, JsValue> + 'static,
    ) -> Result<Promise, JsValue> {
        self.inner.enqueue(Box::new(Job { operation, out }), now)
    }
}

impl Inner {
    fn enqueue(self: &Rc<Self>, operation: Box<dyn Operated>, now: f64) -> Result<Promise, JsValue> {
        let now = convert::timestamp(now)?;
        let before = self.last.borrow().clone();
        let job = InSession { inner: Rc::clone(self), operation, now };
        let promise = promise(Some(before), Rc::clone(&self.store), Box::new(job));
        *self.last.borrow_mut() = promise.clone();
        Ok(promise)
    }
}

/// An operation with what becomes of its result, behind one type.
trait Operated {
    fn steps(&mut self) -> &mut dyn Steps;
    fn finish(self: Box<Self>, inner: &Inner, now: Timestamp) -> Result<JsValue, JsValue>;
}

struct InSession {
    inner: Rc<Inner>,
    operation: Box<dyn Operated>,
    now: Timestamp,
}

impl InSession {
    fn driven(&mut self) -> Driven<'_> {
        Driven { session: &self.inner.session, steps: self.operation.steps(), now: self.now }
    }
}

impl Calls for InSession {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        self.driven().next(answer)
    }

    fn recalled(&mut self, before: Recalled, after: Recalled) {
        self.driven().recalled(before, after);
    }

    fn mark_to_remember(&mut self) -> Option<(String, Mark)> {
        self.driven().mark_to_remember()
    }
}

impl Queued for InSession {
    fn finish(self: Box<Self>) -> Result<JsValue, JsValue> {
        self.operation.finish(&self.inner, self.now)
    }
}

struct Job<O, F> {
    operation: O,
    out: F,
}

impl<O, F> Operated for Job<O, F>
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

pub(super) fn wide(hi: u32, lo: u32) -> u64 {
    (u64::from(hi) << 32) | u64::from(lo)
}
