//! The store in localStorage: for one tab, and for a reload of it. Where IndexedDB can be had, take that.
//!
//! What it cannot promise, as measured: two tabs lose each other's writes even behind a Web Lock (295 of 800 increments
//! were left in Chromium), and a killed browser loses what was written in its last seconds. So it claims
//! [`CompareAndSwap::SingleContext`] and [`Survives::Reload`], no more.
//!
//! Layout, `name` being `compaction-governor` with `%` and `/` escaped:
//!
//! | item | value |
//! |---|---|
//! | `name/a/session_id`, `name/b/session_id` | two slots, each all of the session as of one commit, behind a checksum, as text |
//! | `name/q/session_id` | the quarantine: one line `text part reason` for each of the latest records set aside |
//!
//! A commit writes the slot that does not hold the current state, so a slot that is torn or overwritten by somebody else
//! leaves the state before it.

#[cfg(target_arch = "wasm32")]
mod backend;
mod packing;
mod slot;

#[cfg(doc)]
use crate::store::{CompareAndSwap, Survives};
#[cfg(target_arch = "wasm32")]
pub use backend::{LocalStorage, MAX_VALUE_BYTES};
