//! The transcript as numbers: roles, kinds, tokens, groups. No text ever comes here.
//!
//! What is deliberately absent: message text, clocks, and any knowledge of a provider's message shape. A reader turns
//! each host message into one or more [`Entry`] values once and pushes them; everything above asks the [`Index`].
//!
//! 1. push every new entry, in order; a result names the entry that opened its call ([`Entry::group`]);
//! 2. after an edit, a regeneration or a switch of branch: [`Index::truncate`] to what is unchanged, push the rest;
//!    and to go on without what a summary covers: [`Index::resumed`];
//! 3. ask: sums, fingerprints and places where a cut is allowed cost the same at any length.

mod blocks;
mod entry;
mod groups;
mod index;
mod resumed;
mod sums;
mod weight;

pub use blocks::Blocks;
pub(crate) use entry::Shape;
pub use entry::{Entry, Kind, Role};
pub use index::Index;
pub use resumed::Base;
