//! What another build wrote and this one does not know.

/// The keys of one map that this build does not know, with their values, as they were read; rewritten as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// How many pairs there are.
    pub(super) pairs: u32,
    /// Their bytes: key, value, key, value.
    pub(super) raw: Vec<u8>,
}

/// The unknown keys of a root record, per map that outlives a single event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootUnknown {
    /// Those of the record itself.
    pub root: Unknown,
    /// Those of the policy's state.
    pub state: Unknown,
    /// Those of its guards.
    pub guards: Unknown,
}
