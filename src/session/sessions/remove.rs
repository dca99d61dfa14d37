//! Deleting a session.

use crate::{
    session::{
        Call, Calls, StoreCommand, StoreReply,
        sessions::{Errand, SessionsError},
    },
    store::StoreError,
};

/// Removes everything that is kept for one session, its quarantine included, whatever its state. Where nothing is kept,
/// nothing is to be done.
#[derive(Debug)]
pub struct Remove {
    session: String,
    removed: Result<(), StoreError>,
}

impl Remove {
    /// Removes `session`.
    #[must_use]
    pub fn new(session: &str) -> Self {
        Self { session: session.to_owned(), removed: Ok(()) }
    }
}

impl Calls for Remove {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        match answer {
            None => return Some(Call { session: self.session.clone(), command: StoreCommand::Remove }),
            Some(StoreReply::Removed(removed)) => self.removed = removed,
            Some(_) => {}
        }
        None
    }
}

impl Errand for Remove {
    type Output = ();

    fn finish(self) -> Result<(), SessionsError> {
        Ok(self.removed?)
    }
}
