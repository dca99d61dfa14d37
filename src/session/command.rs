//! What the driver asks of a store, and how an operation goes on with the answer.

use crate::{
    id::OpId,
    session::Session,
    store::{Batch, Expect, Mark, Part, Recalled, Revision, Snapshot, StoreError},
    time::Timestamp,
};

/// One call to make on the session's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreCommand {
    /// [`Store::open`](crate::store::Store::open), then [`Store::load`](crate::store::Store::load).
    Load,
    /// [`Store::commit`](crate::store::Store::commit).
    Commit {
        /// The revision that the batch was made on.
        expect: Expect,
        /// Everything that belongs together.
        batch: Batch,
        /// Tells a repeated commit from a new one.
        op: OpId,
    },
    /// [`Store::remove`](crate::store::Store::remove), whatever the revision.
    Remove,
    /// [`Store::list`](crate::store::Store::list), whichever session the call is made for.
    List {
        /// The last id of the page before.
        after: Option<String>,
        /// The most ids.
        limit: usize,
    },
    /// [`Store::quarantine`](crate::store::Store::quarantine).
    Quarantine {
        /// Which part cannot be read.
        part: Part,
        /// What was found.
        bytes: Vec<u8>,
    },
}

/// What the store answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReply {
    /// To [`StoreCommand::Load`].
    Loaded(Result<Option<Snapshot>, StoreError>),
    /// To [`StoreCommand::Commit`].
    Committed(Result<Revision, StoreError>),
    /// To [`StoreCommand::Remove`].
    Removed(Result<(), StoreError>),
    /// To [`StoreCommand::List`].
    Listed(Result<Vec<String>, StoreError>),
    /// To [`StoreCommand::Quarantine`]; a quarantine that fails stops nothing.
    Quarantined,
}

/// One store call, and the session that it is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whose record it concerns.
    pub session: String,
    /// The call.
    pub command: StoreCommand,
}

/// Store calls, one after another.
pub trait Calls {
    /// The next call, with the answer to the one before; `None` when there is none left.
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call>;

    /// What the store's second memory said of the session before a load, and says after it.
    fn recalled(&mut self, _before: Recalled, _after: Recalled) {}

    /// What it should keep of which session, after the last call.
    fn mark_to_remember(&mut self) -> Option<(String, Mark)> {
        None
    }
}

/// How an operation goes on.
#[derive(Debug)]
pub enum Step {
    /// Execute this and resume with the reply.
    Store(StoreCommand),
    /// It has ended.
    Done,
}

/// The store calls of an operation, one after another.
pub trait Steps {
    /// Starts.
    fn begin(&mut self, session: &mut Session, now: Timestamp) -> Step;

    /// Goes on with the reply to the command that was handed out last.
    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Step;
}

/// Something that takes zero or more store calls. One runs at a time per session.
pub trait Operation: Steps {
    /// What it ends in.
    type Output;

    /// Takes the result, after [`Step::Done`].
    fn finish(self, session: &mut Session) -> Self::Output;
}

/// Where a store keeps the pins: generations are numbered from 1, so that this number is nobody's.
pub(super) const PINS: Part = Part::Generation(0);
