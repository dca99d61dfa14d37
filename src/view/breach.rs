//! What a view must never be.

use crate::{
    transcript::Index,
    view::{Part, View, Why},
};

/// How a view can be wrong; the number is the entry at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breach {
    /// Neither shown nor covered.
    Lost(u32),
    /// Shown twice, or out of order.
    Doubled(u32),
    /// Part of a group is shown, and the entry that opened it is not; a result without its call above all.
    Orphan(u32),
    /// Part of a group is hidden, and the entry that opened it is shown; a result of a call that is sent above all.
    Dangling(u32),
    /// A system entry or a real user message is cleared or capped; only the newest one may be capped.
    Replaced(u32),
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
                Part::Placeholder { index, .. } | Part::Capped { index, .. } => (index, index + 1),
                Part::Summary { .. } => continue,
            };
            if from < next {
                return Err(Breach::Doubled(from));
            }
            self.check_hidden(index, next, from)?;
            Self::check_replaced(index, *part)?;
            // A late result is sent as plain text: it may stand without its call.
            if !matches!(part, Part::Placeholder { why: Why::LateResult, .. }) {
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
            _ if self.dangles(index, at) => Err(Breach::Dangling(at)),
            _ => Ok(()),
        })
    }

    /// Users and systems call nothing: what a stray reference bound to one may be hidden without it.
    fn dangles(&self, index: &Index, at: u32) -> bool {
        let root = index.root(at);
        root != at && !index.is_system(root) && !index.entry(root).is_real_user() && self.shows(root)
    }

    fn check_replaced(index: &Index, part: Part) -> Result<(), Breach> {
        let (at, may) = match part {
            Part::Placeholder { index: at, why: Why::Pruned } => (at, !index.entry(at).is_real_user()),
            Part::Capped { index: at, .. } => (at, !index.entry(at).is_real_user() || index.newest_user() == Some(at)),
            _ => return Ok(()),
        };
        if may && !index.is_system(at) { Ok(()) } else { Err(Breach::Replaced(at)) }
    }

    fn check_pairs(&self, index: &Index, from: u32, to: u32) -> Result<(), Breach> {
        let orphan = (from..to).find(|&at| index.root(at) != at && !self.shows(index.root(at)));
        orphan.map_or(Ok(()), |at| Err(Breach::Orphan(at)))
    }

    fn shows(&self, entry: u32) -> bool {
        entry >= self.covered_count()
            || self.parts().iter().any(|part| match *part {
                Part::Verbatim { from, to } => (from..to).contains(&entry),
                Part::Placeholder { index, why: Why::Pruned } | Part::Capped { index, .. } => index == entry,
                _ => false,
            })
    }
}
