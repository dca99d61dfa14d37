//! How far a session had come, as a second memory beside a store knows it.

use crate::store::Revision;

/// How far a session had come when a commit was last acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which life of the session: drawn when its records were first written, and anew after a loss.
    pub incarnation: u64,
    /// The revision that was acknowledged. Of one incarnation it never falls, unless the engine served an older state.
    pub revision: Revision,
}

/// What the second memory says. It may lag and it may be gone: it accuses nobody by its silence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recalled {
    /// There is none, or it has forgotten: nothing follows.
    #[default]
    Unknown,
    /// It works and holds nothing of this session: never committed, or removed by somebody.
    Nothing,
    /// This was acknowledged.
    Mark(Mark),
}
