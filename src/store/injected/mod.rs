//! The store that a host brings: any JavaScript object that compares and swaps, such as one over Redis, D1 or a native shell.
//!
//! The object is not trusted. It may throw, reject, never answer, or answer something else than asked: each is an error of
//! the contract, nothing panics, and what may have been written says so. A plain value is taken as it is, without a turn of
//! the event loop; a promise is waited for until the deadline.
//!
//! What the object is called with, and must answer, is written for its author at `InjectedStore` in `pkg/src/stores-surface.d.ts`.
//! What this side adds, so that the object has less to know:
//!
//! - the value of `root` begins with the eight bytes of the operation id, so a commit whose answer was lost is found
//!   again without the object's help;
//! - no part is both deleted and put in one batch, so their order does not matter;
//! - unreadable records are kept under a session id of their own, [`QUARANTINE`] and the session's.

mod answer;
mod batch;
mod object;

use core::cell::Cell;

use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::id::OpId;
use crate::store::deadline::within;
use crate::store::js::engine::{Answer, Engine, Reply, Request, store_of_engine};
use crate::store::js::event_loop::alarm;
use crate::store::js::value::hex;
use crate::store::{
    Batch, Capabilities, Expect, Mark, Part, QUARANTINE_PER_SESSION, Recalled, Revision, Snapshot, StoreError,
    StoreErrorKind,
};
use crate::time::Millis;

use answer::{Held, Written};
use batch::ENVELOPE;
pub(super) use object::settled;
use object::{Boxed, InjectedObject};

/// How long a call may take: a server far away answers within, a person does not wait longer.
pub const DEADLINE: Millis = Millis::secs(10);

/// What the session ids under which unreadable records are kept begin with. They are no sessions, and not listed.
pub const QUARANTINE: &str = "compaction-governor/quarantine/";

/// How often a quarantine that lost a race is tried again.
const RACES: u32 = 8;

/// A store behind an object of the host's.
#[derive(Debug)]
pub struct Injected {
    object: InjectedObject,
    capabilities: Capabilities,
    deadline: Millis,
    closed: Cell<bool>,
}

impl Injected {
    /// A store behind `object`, of which the host says that it keeps `capabilities`.
    #[must_use]
    pub fn new(object: JsValue, capabilities: Capabilities) -> Self {
        let max_value_bytes = capabilities.max_value_bytes.map(|limit| limit.saturating_sub(ENVELOPE as u64));
        let capabilities = Capabilities { max_value_bytes, ..capabilities };
        Self { object: object.into(), capabilities, deadline: DEADLINE, closed: Cell::new(false) }
    }

    /// The same store with this deadline for every call.
    #[must_use]
    pub fn with_deadline(self, deadline: Millis) -> Self {
        Self { deadline, ..self }
    }

    /// What is in the quarantine of `session`, oldest first: part, bytes, reason.
    ///
    /// # Errors
    /// Those of [`Store::load`](crate::store::Store::load).
    #[cfg(feature = "conformance")]
    pub async fn quarantined(&self, session: &str) -> Result<Vec<(Part, Vec<u8>, String)>, StoreError> {
        let held = self.held(&aside(session)).await.map_err(|error| *error)?;
        Ok(held.map(|held| batch::set_aside(&held.parts)).unwrap_or_default())
    }
}

impl Engine for Injected {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn answer<'a>(&'a self, session: &'a str, request: Request<'a>) -> Answer<'a> {
        Box::pin(self.answered(session, request))
    }
}

store_of_engine!(Injected);

impl Injected {
    async fn answered(&self, session: &str, request: Request<'_>) -> Result<Reply, StoreError> {
        match request {
            Request::Close if self.closed.replace(true) || self.object.offers("close").is_err() => {
                return Ok(Reply::default());
            }
            Request::Close => {}
            _ if self.closed.get() => return Err(StoreError::not_applied(StoreErrorKind::Closed)),
            Request::Open | Request::Key(_) => return Ok(Reply::default()),
            Request::Load => {}
            Request::Commit { batch, .. } => batch.check(&self.capabilities)?,
            Request::List { .. } => self.object.offers("list")?,
            Request::Remove { .. } => self.object.offers("remove")?,
            Request::Quarantine { bytes, .. } => self.capabilities.check_size(bytes)?,
        }
        let applied = request.applied();
        within(self.asked(session, request), alarm(self.deadline), applied).await.map_err(|error| *error)
    }

    /// Asks the object.
    async fn asked(&self, session: &str, request: Request<'_>) -> Boxed<Reply> {
        let mut reply = Reply::default();
        match request {
            Request::Open | Request::Key(_) => {}
            Request::Load => {
                if let Some(held) = self.held(session).await? {
                    let corrupt = |_| StoreError::not_applied(StoreErrorKind::Corrupt);
                    reply.snapshot = Some(held.snapshot().map_err(corrupt)?);
                }
            }
            Request::Commit { expect, batch, op } => {
                reply.revision = self.committed(session, expect, batch, op).await?;
            }
            Request::List { after, limit } => reply.ids = self.listed(after, limit).await?,
            Request::Remove { expect } => self.removed(session, expect).await?,
            Request::Quarantine { part, bytes, reason } => self.set_aside(session, part, bytes, reason).await?,
            Request::Close => {
                settled(self.object.close(), Applied::No).await?;
            }
        }
        Ok(reply)
    }

    /// What the object holds for `session`, readable or not.
    async fn held(&self, session: &str) -> Boxed<Option<Held>> {
        let answer = settled(self.object.load(session), Applied::No).await?;
        if answer.is_null() || answer.is_undefined() {
            return Ok(None);
        }
        Held::read(&answer)
            .map(Some)
            .ok_or_else(|| Box::new(StoreError::not_applied(StoreErrorKind::BadAnswer { call: "load" })))
    }

    /// Commits; what a conflict means is for a look at the record to say.
    async fn committed(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Boxed<Revision> {
        let expected = match expect {
            Expect::Absent => None,
            Expect::Revision(revision) => Some(revision),
        };
        let actual = match self.write(session, expected, batch::value(batch, op, &[]), op).await? {
            Written::At(revision) => return Ok(revision),
            Written::Conflict(actual) => actual,
        };
        let conflict = Err(StoreError::not_applied(StoreErrorKind::Conflict { actual }).into());
        // An earlier call with this id may have been applied without an answer: until that is seen, nobody knows.
        let unknown = |error: Box<StoreError>| Box::new(StoreError { applied: Applied::Unknown, ..*error });
        let Some(held) = self.held(session).await.map_err(unknown)? else { return conflict };
        match held.snapshot() {
            Ok(snapshot) if snapshot.op_id == op => Ok(snapshot.revision),
            Err(unreadable) if expected.is_none() => self.replace(session, &unreadable, batch, op).await,
            _ => conflict,
        }
    }

    /// Puts `batch` in the place of a record that cannot be read, which is set aside first.
    async fn replace(&self, session: &str, unreadable: &Held, batch: &Batch, op: OpId) -> Boxed<Revision> {
        self.set_aside(session, Part::Root, unreadable.root(), "row").await?;
        let value = batch::value(batch, op, &unreadable.parts);
        match self.write(session, Some(unreadable.revision), value, op).await? {
            Written::At(revision) => Ok(revision),
            Written::Conflict(actual) => Err(StoreError::not_applied(StoreErrorKind::Conflict { actual }).into()),
        }
    }

    async fn write(&self, session: &str, expected: Option<Revision>, batch: JsValue, op: OpId) -> Boxed<Written> {
        let at = expected.map_or(JsValue::NULL, |revision| JsValue::from_f64(revision as f64));
        let answer = settled(self.object.commit(session, &at, &batch, &hex(op)), Applied::Unknown).await?;
        answer::written(&answer)
            .filter(|written| match *written {
                Written::At(revision) => revision == expected.unwrap_or(0).saturating_add(1),
                Written::Conflict(actual) => actual != expected,
            })
            .ok_or_else(|| Box::new(StoreError::maybe_applied(StoreErrorKind::BadAnswer { call: "commit" })))
    }

    async fn listed(&self, after: Option<&str>, limit: usize) -> Boxed<Vec<String>> {
        let (mut found, mut last) = (Vec::new(), after.map(str::to_owned));
        while found.len() < limit {
            let answer = settled(self.object.list(last.as_deref(), limit as f64), Applied::No).await?;
            let page = answer::names(&answer).filter(|page| page.is_empty() || page.last() != last.as_ref());
            let page =
                page.ok_or_else(|| Box::new(StoreError::not_applied(StoreErrorKind::BadAnswer { call: "list" })))?;
            let Some(end) = page.last().cloned() else { break };
            last = Some(end);
            found.extend(page.into_iter().filter(|id| !id.starts_with(QUARANTINE)));
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn removed(&self, session: &str, expect: Option<Revision>) -> Boxed<()> {
        let expected = expect.map_or(JsValue::UNDEFINED, |revision| JsValue::from_f64(revision as f64));
        let answer = settled(self.object.remove(session, &expected), Applied::Unknown).await?;
        if let Some(Written::Conflict(actual)) = answer::written(&answer) {
            return Err(if expect.is_some() && actual != expect {
                StoreError::not_applied(StoreErrorKind::Conflict { actual })
            } else {
                StoreError::maybe_applied(StoreErrorKind::BadAnswer { call: "remove" })
            }
            .into());
        }
        settled(self.object.remove(&aside(session), &JsValue::UNDEFINED), Applied::Unknown).await.map(drop)
    }

    /// Adds to the quarantine of `session` and drops the oldest above the bound.
    async fn set_aside(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Boxed<()> {
        let aside = aside(session);
        let mut actual = None;
        for _ in 0..RACES {
            let held = self.held(&aside).await?;
            let (revision, parts) = held.map_or((None, Vec::new()), |held| (Some(held.revision), held.parts));
            let next = batch::with_garbage(&parts, part, bytes, reason, QUARANTINE_PER_SESSION);
            // Two tabs may set the same thing aside at once: an id that both could have would let one think it had.
            let op = OpId(js_sys::Math::random().to_bits());
            match self.write(&aside, revision, batch::value(&next, op, &[]), op).await? {
                Written::At(_) => return Ok(()),
                Written::Conflict(found) => actual = found,
            }
        }
        Err(StoreError::not_applied(StoreErrorKind::Conflict { actual }).into())
    }
}

fn aside(session: &str) -> String {
    [QUARANTINE, session].concat()
}
