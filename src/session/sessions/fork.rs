//! A copy of a session under a new id.

use crate::{
    session::{
        Call, Calls, StoreCommand, StoreReply,
        sessions::{Errand, SessionsError, copy, create::Create},
    },
    time::Timestamp,
};

/// Copies summary, guards and pins of one session to another id, where nothing is kept yet. From then on neither knows of
/// the other.
#[derive(Debug)]
pub struct Fork {
    from: String,
    to: String,
    drawn: u64,
    now: Timestamp,
    copy: Option<Result<Create, SessionsError>>,
}

impl Fork {
    /// Copies `from` to `to`. `drawn` is the copy's incarnation: draw it at random.
    #[must_use]
    pub fn new(from: &str, to: &str, drawn: u64, now: Timestamp) -> Self {
        Self { from: from.to_owned(), to: to.to_owned(), drawn, now, copy: None }
    }

    fn found(&self, answer: StoreReply) -> Result<Create, SessionsError> {
        let archive = copy::archive(&self.from, answer)?;
        let batch = copy::renamed(&archive, &self.to, self.drawn, self.now)?;
        Ok(Create::new(self.to.clone(), batch, self.drawn))
    }
}

impl Calls for Fork {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        let Some(answer) = answer else {
            return Some(Call { session: self.from.clone(), command: StoreCommand::Load });
        };
        match &mut self.copy {
            Some(Ok(copy)) => copy.resume(answer),
            Some(Err(_)) => None,
            None => self.copy.insert(self.found(answer)).as_ref().ok()?.begin(),
        }
    }
}

impl Errand for Fork {
    type Output = ();

    fn finish(self) -> Result<(), SessionsError> {
        self.copy.unwrap_or(Err(SessionsError::Unknown))?.finish()
    }
}
