//! Which slice to summarise, or the named reason why none is worth it. Pure: numbers in, numbers out.
//!
//! What is deliberately absent: text, the decision whether a pass is due (that is [`crate::policy`]'s), and any storage.
//!
//! 1. build a [`PlanInput`] from the lines, the occupancy and the live summary's [`Covered`] range;
//! 2. call [`plan`]: the smallest cut that lands at the target, or the one that lands lowest;
//! 3. send the entries of [`SlicePlan::material`] to the summariser; commit [`SlicePlan::cut`] and [`SlicePlan::pinned`].

mod cut;
mod input;
mod slice;
mod verify;

pub use cut::{floor, plan};
pub use input::{Covered, Keep, PlanInput, summary_cap};
pub use slice::{Refusal, SlicePlan};
pub use verify::{Fault, verify};
