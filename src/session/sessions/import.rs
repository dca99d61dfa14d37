//! A session out of an archive.

use crate::{
    record,
    session::{
        Call, Calls, StoreReply,
        sessions::{Errand, SessionsError, copy, create::Create},
    },
    time::Timestamp,
};

/// Writes the session of an archive where nothing is kept yet: under its own id every part as it is, byte for byte; under
/// another id as [`Fork`](super::Fork) does.
#[derive(Debug)]
pub struct Import(Result<Create, SessionsError>);

impl Import {
    /// Imports `bytes` under the archive's own id, or under `id`. `drawn` is the incarnation of one under another id: draw
    /// it at random.
    #[must_use]
    pub fn new(bytes: &[u8], id: Option<&str>, drawn: u64, now: Timestamp) -> Self {
        Self(read(bytes, id, drawn, now))
    }
}

impl Calls for Import {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        let create = self.0.as_mut().ok()?;
        match answer {
            None => create.begin(),
            Some(answer) => create.resume(answer),
        }
    }
}

impl Errand for Import {
    type Output = ();

    fn finish(self) -> Result<(), SessionsError> {
        self.0?.finish()
    }
}

fn read(bytes: &[u8], id: Option<&str>, drawn: u64, now: Timestamp) -> Result<Create, SessionsError> {
    let archive = record::load_archive(bytes)?;
    if let Some(id) = id.filter(|id| *id != archive.session) {
        let batch = copy::renamed(&archive, id, drawn, now)?;
        return Ok(Create::new(id.to_owned(), batch, drawn));
    }
    copy::readable(&archive, now)?;
    let session = archive.session.clone();
    Ok(Create::new(session, copy::as_it_is(archive), drawn))
}
