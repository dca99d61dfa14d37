//! Two thin runners: one awaits, one calls. Neither thinks.

use core::cell::RefCell;

#[cfg(target_arch = "wasm32")]
use crate::store::{Engine, Reply, Request, StoreError};
use crate::{
    session::{Call, Calls, Operation, Session, Step, Steps, StoreCommand, StoreReply},
    store::{Mark, Recalled, Store, SyncStore},
    time::Timestamp,
};

/// Runs `operation` on a store that is awaited. The session is borrowed between calls only, never across one.
pub async fn run<S: Store, O: Operation>(
    session: &RefCell<Session>,
    store: &S,
    mut operation: O,
    now: Timestamp,
) -> O::Output {
    drive(session, store, &mut operation, now).await;
    operation.finish(&mut session.borrow_mut())
}

/// Takes the steps of one operation on a store that is awaited.
pub async fn drive<S: Store>(session: &RefCell<Session>, store: &S, steps: &mut dyn Steps, now: Timestamp) {
    carry_out(store, &mut Driven { session, steps, now }).await;
}

/// Runs `operation` on a store that answers at once.
pub fn run_sync<S: SyncStore, O: Operation>(
    session: &mut Session,
    store: &S,
    mut operation: O,
    now: Timestamp,
) -> O::Output {
    drive_sync(session, store, &mut operation, now);
    operation.finish(session)
}

/// Takes the steps of one operation on a store that answers at once.
pub fn drive_sync<S: SyncStore>(session: &mut Session, store: &S, steps: &mut dyn Steps, now: Timestamp) {
    let id = session.id().to_owned();
    let mut step = steps.begin(session, now);
    while let Step::Store(command) = step {
        // What was acknowledged by then the load has to show.
        let before = matches!(command, StoreCommand::Load).then(|| store.recall(&id));
        let reply = execute_sync(store, &id, command);
        if let Some(before) = before {
            session.recalled(before, store.recall(&id));
        }
        step = steps.resume(session, reply, now);
    }
    if let Some(mark) = session.mark_to_remember() {
        store.remember(&id, mark);
    }
}

/// The steps of an operation as calls for its session.
#[allow(missing_debug_implementations, reason = "an operation behind a trait object")]
pub struct Driven<'a> {
    /// Borrowed between calls only.
    pub session: &'a RefCell<Session>,
    /// What is taken.
    pub steps: &'a mut dyn Steps,
    /// When.
    pub now: Timestamp,
}

impl Calls for Driven<'_> {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        let session = &mut *self.session.borrow_mut();
        let step = match answer {
            None => self.steps.begin(session, self.now),
            Some(reply) => self.steps.resume(session, reply, self.now),
        };
        match step {
            Step::Store(command) => Some(Call { session: session.id().to_owned(), command }),
            Step::Done => None,
        }
    }

    fn recalled(&mut self, before: Recalled, after: Recalled) {
        self.session.borrow_mut().recalled(before, after);
    }

    fn mark_to_remember(&mut self) -> Option<(String, Mark)> {
        let session = &mut *self.session.borrow_mut();
        let mark = session.mark_to_remember()?;
        Some((session.id().to_owned(), mark))
    }
}

/// Makes `calls` on a store that is awaited.
pub async fn carry_out<S: Store>(store: &S, calls: &mut dyn Calls) {
    let mut answer = None;
    while let Some(Call { session, command }) = calls.next(answer.take()) {
        let before = matches!(command, StoreCommand::Load).then(|| store.recall(&session));
        answer = Some(execute(store, &session, command).await);
        if let Some(before) = before {
            calls.recalled(before, store.recall(&session));
        }
    }
    if let Some((session, mark)) = calls.mark_to_remember() {
        store.remember(&session, mark);
    }
}

/// Makes `calls` on an engine: [`carry_out`] with a single place to wait at, where what waits is what weighs.
#[cfg(target_arch = "wasm32")]
pub(crate) async fn carry_out_on(engine: &dyn Engine, calls: &mut dyn Calls) {
    let mut answer = None;
    while let Some(Call { session, command }) = calls.next(answer.take()) {
        let before = matches!(command, StoreCommand::Load).then(|| engine.recall(&session));
        let replied = engine.answer(&session, request(&command)).await;
        answer = Some(reply(&command, replied));
        if let Some(before) = before {
            calls.recalled(before, engine.recall(&session));
        }
    }
    if let Some((session, mark)) = calls.mark_to_remember() {
        engine.remember(&session, mark);
    }
}

#[cfg(target_arch = "wasm32")]
fn request(command: &StoreCommand) -> Request<'_> {
    match command {
        StoreCommand::Load => Request::Load,
        StoreCommand::Commit { expect, batch, op } => Request::Commit { expect: *expect, batch, op: *op },
        StoreCommand::Remove => Request::Remove { expect: None },
        StoreCommand::List { after, limit } => Request::List { after: after.as_deref(), limit: *limit },
        StoreCommand::Quarantine { part, bytes } => {
            Request::Quarantine { part: *part, bytes, reason: QUARANTINE_REASON }
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn reply(command: &StoreCommand, replied: Result<Reply, StoreError>) -> StoreReply {
    match command {
        StoreCommand::Load => StoreReply::Loaded(replied.map(|reply| reply.snapshot)),
        StoreCommand::Commit { .. } => StoreReply::Committed(replied.map(|reply| reply.revision)),
        StoreCommand::Remove => StoreReply::Removed(replied.map(drop)),
        StoreCommand::List { .. } => StoreReply::Listed(replied.map(|reply| reply.ids)),
        StoreCommand::Quarantine { .. } => StoreReply::Quarantined,
    }
}

/// Makes `calls` on a store that answers at once.
pub fn carry_out_sync<S: SyncStore + ?Sized>(store: &S, calls: &mut dyn Calls) {
    let mut answer = None;
    while let Some(Call { session, command }) = calls.next(answer.take()) {
        let before = matches!(command, StoreCommand::Load).then(|| store.recall(&session));
        answer = Some(execute_sync(store, &session, command));
        if let Some(before) = before {
            calls.recalled(before, store.recall(&session));
        }
    }
    if let Some((session, mark)) = calls.mark_to_remember() {
        store.remember(&session, mark);
    }
}

async fn execute<S: Store>(store: &S, id: &str, command: StoreCommand) -> StoreReply {
    match command {
        StoreCommand::Load => StoreReply::Loaded(match store.open().await {
            Ok(()) => store.load(id).await,
            Err(error) => Err(error),
        }),
        StoreCommand::Commit { expect, batch, op } => StoreReply::Committed(store.commit(id, expect, &batch, op).await),
        StoreCommand::Remove => StoreReply::Removed(store.remove(id, None).await),
        StoreCommand::List { after, limit } => StoreReply::Listed(store.list(after.as_deref(), limit).await),
        StoreCommand::Quarantine { part, bytes } => {
            let _ = store.quarantine(id, part, &bytes, QUARANTINE_REASON).await;
            StoreReply::Quarantined
        }
    }
}

fn execute_sync<S: SyncStore + ?Sized>(store: &S, id: &str, command: StoreCommand) -> StoreReply {
    match command {
        StoreCommand::Load => StoreReply::Loaded(store.open().and_then(|()| store.load(id))),
        StoreCommand::Commit { expect, batch, op } => StoreReply::Committed(store.commit(id, expect, &batch, op)),
        StoreCommand::Remove => StoreReply::Removed(store.remove(id, None)),
        StoreCommand::List { after, limit } => StoreReply::Listed(store.list(after.as_deref(), limit)),
        StoreCommand::Quarantine { part, bytes } => {
            let _ = store.quarantine(id, part, &bytes, QUARANTINE_REASON);
            StoreReply::Quarantined
        }
    }
}

const QUARANTINE_REASON: &str = "unreadable";
