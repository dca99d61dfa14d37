//! The text side of a compaction: what the summariser is asked, what is accepted, and the summary without a model. Pure.
mod escape;
pub use escape::escape_into;
