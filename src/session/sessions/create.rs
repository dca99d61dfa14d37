//! Making a session that was not there: one commit, so that it is whole or absent.

use crate::{
    error::Applied,
    id::{OpId, OwnerId},
    session::{Call, StoreCommand, StoreReply, sessions::SessionsError},
    store::{Batch, Expect, StoreError, StoreErrorKind},
};

/// Makes one session.
#[derive(Debug)]
pub(super) struct Create {
    session: String,
    batch: Batch,
    op: OpId,
    commits: u8,
    /// A commit of which nobody knows whether it happened.
    unsure: Option<StoreError>,
    end: Option<SessionsError>,
}

impl Create {
    /// `session` out of `batch`; `drawn` is random.
    pub(super) fn new(session: String, batch: Batch, drawn: u64) -> Self {
        let op = OpId::derive(OwnerId(drawn), 1);
        Self { session, batch, op, commits: 0, unsure: None, end: None }
    }

    /// Looks first: a commit would move an unreadable record to the quarantine, as if it were nothing.
    pub(super) fn begin(&self) -> Option<Call> {
        self.call(StoreCommand::Load)
    }

    pub(super) fn resume(&mut self, answer: StoreReply) -> Option<Call> {
        match answer {
            StoreReply::Loaded(Ok(None)) if self.commits < MOST_COMMITS => {
                self.commits += 1;
                self.call(StoreCommand::Commit { expect: Expect::Absent, batch: self.batch.clone(), op: self.op })
            }
            StoreReply::Loaded(Ok(Some(found))) if self.unsure.is_some() && found.op_id == self.op => None,
            StoreReply::Loaded(Ok(Some(_))) => self.fail(SessionsError::Exists),
            StoreReply::Loaded(Err(error)) if error.kind == StoreErrorKind::Corrupt => self.fail(SessionsError::Exists),
            StoreReply::Loaded(failed) => {
                let error = self.unsure.take().or(failed.err());
                self.end = error.map(SessionsError::Store);
                None
            }
            StoreReply::Committed(Err(error)) => match error.kind {
                StoreErrorKind::Conflict { .. } => self.fail(SessionsError::Exists),
                _ if error.applied == Applied::Unknown => {
                    self.unsure = Some(error);
                    self.call(StoreCommand::Load)
                }
                _ => self.fail(SessionsError::Store(error)),
            },
            _ => None,
        }
    }

    pub(super) fn finish(self) -> Result<(), SessionsError> {
        self.end.map_or(Ok(()), Err)
    }

    fn call(&self, command: StoreCommand) -> Option<Call> {
        Some(Call { session: self.session.clone(), command })
    }

    fn fail(&mut self, error: SessionsError) -> Option<Call> {
        self.end = Some(error);
        None
    }
}

/// A store that loses this many answers in a row is not going to give one.
const MOST_COMMITS: u8 = 3;
