//! What a backend may claim. A claim is tested by the conformance suite; what is not claimed must not be relied on.

use crate::store::{StoreError, StoreErrorKind};

/// The promises of one backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether revisions are compared in the step that writes.
    pub compare_and_swap: CompareAndSwap,
    /// Whether all of a batch becomes visible at once, or none of it.
    pub atomic_batch: bool,
    /// What an acknowledged commit survives.
    pub survives: Survives,
    /// The longest value in bytes; a longer one is refused as a whole batch. `None`: no limit of the store's own.
    pub max_value_bytes: Option<u64>,
}

/// How far a comparison of revisions can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareAndSwap {
    /// Between all contexts: of two writers at one revision, one gets a conflict.
    Linearizable,
    /// Within one context only: two tabs can lose each other's writes unnoticed.
    SingleContext,
    /// Not at all. Automatic compaction is refused on such a store.
    None,
}

/// What an acknowledged commit survives, weakest first. Nothing here survives an eviction of the whole origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Survives {
    /// Nothing: it lives as long as the process.
    Memory,
    /// A reload of the page, not a crash of the browser.
    Reload,
    /// A kill of the process, measured by killing it. Power loss is another matter.
    ProcessKill,
}

impl Capabilities {
    /// Refuses bytes above the limit.
    ///
    /// # Errors
    /// [`StoreErrorKind::ValueTooLarge`].
    pub fn check_size(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let found = bytes.len() as u64;
        match self.max_value_bytes {
            Some(limit) if found > limit => {
                Err(StoreError::not_applied(StoreErrorKind::ValueTooLarge { limit, found }))
            }
            _ => Ok(()),
        }
    }
}
