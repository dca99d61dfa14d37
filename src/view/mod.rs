//! What the model is sent: system head, summary, pinned entries, tail. The transcript itself stays whole. Pure.
//!
//! What is deliberately absent: message text. A view is ranges of entries; the host slices its own messages by them.
//!
//! 1. build the [`View`] from the index and the session's [`Generation`] list: the longest one that matches applies;
//! 2. put [`wrap`]ped summary text where [`Part::Summary`] stands, a placeholder that keeps role and ids where a cleared
//!    entry stood, plain text for a late result, beginning and end of a capped entry;
//! 3. compare with the last view: [`View::stable_prefix`] is what a prompt cache can reuse.

mod breach;
mod generation;
mod parts;
mod wrap;

pub use breach::Breach;
pub use generation::Generation;
pub use parts::{Part, View, Why};
pub use wrap::{wrap, wrap_with};
