//! Which slice to summarise, or the named reason why none is worth it. Pure: numbers in, numbers out.
//!
//! What is deliberately absent: text, the decision whether a pass is due (that is [`crate::policy`]'s), and any storage.
//!
//! Three things need no model at all: [`prune`] clears old tool results, [`caps`] cuts giant entries that no summary can
//! stand for, [`repair`] lists what is wrong with a damaged history. Each is worked out once, recorded by the caller and
//! given back as [`Replaced`].
//!
//! 1. build a [`PlanInput`] from the lines, the occupancy and the live summary's [`Covered`] range;
//! 2. call [`plan`]: the smallest cut that lands at the target, or the one that lands lowest;
//! 3. send the entries of [`SlicePlan::material`] to the summariser; commit [`SlicePlan::cut`] and [`SlicePlan::pinned`].

mod caps;
mod cut;
mod fixed;
mod input;
mod prune;
mod repair;
mod shown;
mod slice;
mod verify;

pub use caps::{CapInput, caps};
pub use cut::plan;
pub use fixed::floor;
pub use input::{Capping, Covered, Keep, PlanInput, summary_cap};
pub use prune::{LEAST_FREED_BYTES, MAX_PRUNED, Prune, PruneInput, prune};
pub use repair::{Repair, Stray, repair};
pub use shown::{PLACEHOLDER_TOKENS, Replaced, StandIn};
pub use slice::{Refusal, SlicePlan};
pub use verify::{Fault, verify};
