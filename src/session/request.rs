//! The text of a summary request, and the plain summary that needs no model.

use thiserror::Error;

use crate::{
    id::AttemptId,
    session::{Planned, Session, limits},
    summary::{self, BadOffset, Item, Material, Request, RequestInput, RequestRefusal, Templates},
};

/// A request that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The attempt is not the one that this session is working on.
    #[error("this attempt is not being worked on here any more; plan again")]
    NotThisAttempt,
    /// The texts are not those of the slice.
    #[error("{found} texts were given for a slice of {expected} entries; give one text per entry, in order")]
    WrongCount {
        /// How many were given.
        found: usize,
        /// How many the slice has.
        expected: usize,
    },
    /// An offset that cannot be.
    #[error("the offset of text {} does not stand between two characters, in order", .0.item)]
    BadOffset(BadOffset),
    /// The summary side refused.
    #[error(transparent)]
    Refused(RequestRefusal),
}

impl Session {
    /// The request for `attempt`: `joined` holds the texts of the slice's entries, text `n` ending at byte `ends[n]`.
    ///
    /// # Errors
    /// [`RequestError`], where attempt, count or offsets do not hold.
    pub fn request(
        &self,
        attempt: AttemptId,
        joined: &str,
        ends: &[u32],
        focus: Option<&str>,
    ) -> Result<Request, RequestError> {
        let planned = self.planned_as(attempt)?;
        let items = self.items(planned, ends)?;
        let material = Material::new(joined, &items).map_err(RequestError::BadOffset)?;
        let previous = planned.previous.and_then(|number| self.text(number));
        let input = RequestInput {
            material,
            from_item: 0,
            previous,
            focus,
            summary_cap: planned.plan.summary_cap,
            room_tokens: None,
            output_limit: None,
            templates: Templates::default(),
        };
        summary::render(&input).map_err(RequestError::Refused)
    }

    /// The plain summary (no model) for `attempt`; `None` where the slice is too small to be replaced.
    ///
    /// # Errors
    /// [`RequestError`], as for [`Session::request`].
    pub fn plain_summary(
        &self,
        attempt: AttemptId,
        joined: &str,
        ends: &[u32],
    ) -> Result<Option<String>, RequestError> {
        let planned = self.planned_as(attempt)?;
        let items = self.items(planned, ends)?;
        let material = Material::new(joined, &items).map_err(RequestError::BadOffset)?;
        let previous = planned.previous.and_then(|number| self.text(number));
        Ok(summary::fallback(&material, previous, &limits(planned)))
    }

    /// The plan of `attempt`, while the transcript still holds the slice it was made for.
    fn planned_as(&self, attempt: AttemptId) -> Result<&Planned, RequestError> {
        let planned = self.planned().filter(|planned| planned.attempt == attempt);
        let holds = |planned: &&Planned| self.index().fingerprint(planned.plan.cut) == planned.fingerprint;
        planned.filter(holds).ok_or(RequestError::NotThisAttempt)
    }

    fn items(&self, planned: &Planned, ends: &[u32]) -> Result<Vec<Item>, RequestError> {
        let material = planned.plan.material();
        let expected = material.iter().map(ExactSizeIterator::len).sum();
        if ends.len() != expected {
            return Err(RequestError::WrongCount { found: ends.len(), expected });
        }
        let (mut items, mut ends) = (Vec::new(), ends.iter());
        for index in material.into_iter().flatten() {
            let entry = self.index().entry(index);
            items.extend(ends.next().map(|end| Item { end: *end, role: entry.role, kind: entry.kind }));
        }
        Ok(items)
    }
}
