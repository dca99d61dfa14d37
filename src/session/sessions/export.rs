//! One session as an archive.

use crate::{
    record,
    session::{
        Call, Calls, StoreCommand, StoreReply,
        sessions::{Errand, SessionsError, copy},
    },
    time::Timestamp,
};

/// Reads all parts of one session into an archive. A record that only a later build can read is exported too: that build
/// can import it.
#[derive(Debug)]
pub struct Export {
    session: String,
    archive: Result<Vec<u8>, SessionsError>,
}

impl Export {
    /// Exports `session`.
    #[must_use]
    pub fn new(session: &str) -> Self {
        Self { session: session.to_owned(), archive: Err(SessionsError::Unknown) }
    }

    fn found(&self, answer: StoreReply) -> Result<Vec<u8>, SessionsError> {
        let archive = copy::archive(&self.session, answer)?;
        match copy::readable(&archive, Timestamp::default()) {
            Ok(_) | Err(SessionsError::Newer { .. }) => Ok(record::encode_archive(&archive)),
            Err(error) => Err(error),
        }
    }
}

impl Calls for Export {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        match answer {
            None => Some(Call { session: self.session.clone(), command: StoreCommand::Load }),
            Some(answer) => {
                self.archive = self.found(answer);
                None
            }
        }
    }
}

impl Errand for Export {
    type Output = Vec<u8>;

    fn finish(self) -> Result<Vec<u8>, SessionsError> {
        self.archive
    }
}
