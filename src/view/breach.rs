//! What a view must never be.

use crate::{
    transcript::{Index, Kind},
    view::{Part, View},
};

/// How a view can be wrong; the number is the entry at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breach {
    /// Neither shown nor covered.
    Lost(u32),
    /// Shown twice, or out of order.
    Doubled(u32),
    /// A result is shown and its call is not.
    Orphan(u32),
    /// A system entry is hidden.
    SystemHidden(u32),
    /// The newest real user message is hidden.
    NewestUserHidden(u32),
}

impl View {
    /// Walks the view of `index` and names the first thing wrong with it. Linear; [`View::new`] never makes one.
    ///
    /// # Errors
    /// The [`Breach`] found first.
    pub fn check(&self, index: &Index) -> Result<(), Breach> {
        let mut next = 0;
        for part in self.parts() {
            let (from, to) = match *part {
                Part::Verbatim { from, to } => (from, to),
                Part::Placeholder { index } => (index, index + 1),
                Part::Summary { .. } => continue,
            };
            if from < next {
                return Err(Breach::Doubled(from));
            }
            self.check_hidden(index, next, from)?;
            if matches!(part, Part::Verbatim { .. }) {
                self.check_pairs(index, from, to)?;
            }
            next = to;
        }
        self.check_hidden(index, next, index.len())
    }

    fn check_hidden(&self, index: &Index, from: u32, to: u32) -> Result<(), Breach> {
        (from..to).try_for_each(|at| match at {
            _ if at >= self.covered_count() => Err(Breach::Lost(at)),
            _ if index.is_system(at) => Err(Breach::SystemHidden(at)),
            _ if index.newest_user() == Some(at) => Err(Breach::NewestUserHidden(at)),
            _ => Ok(()),
        })
    }

    fn check_pairs(&self, index: &Index, from: u32, to: u32) -> Result<(), Breach> {
        let orphan = (from..to).find(|&at| index.is(at, Kind::RESULT) && !self.shows(index.root(at)));
        orphan.map_or(Ok(()), |at| Err(Breach::Orphan(at)))
    }

    fn shows(&self, entry: u32) -> bool {
        entry >= self.covered_count()
            || self
                .parts()
                .iter()
                .any(|part| matches!(*part, Part::Verbatim { from, to } if (from..to).contains(&entry)))
    }
}
