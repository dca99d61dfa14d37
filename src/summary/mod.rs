//! The text side of a compaction: what the summariser is asked, what is accepted, and the summary without a model. Pure.
//!
//! What is deliberately absent: the model call, and any promise about what a good summary says. Here only what is no
//! summary at all is told apart.
//!
//! 1. hand over the slice as one joined string with offsets: [`Material`];
//! 2. [`render`] the [`Request`] and send it with the host's own model, chunk by chunk where the slice is larger than
//!    the model takes;
//!    or append the message of [`in_place`] to the conversation as it was last sent, where a warm cache pays for it;
//! 3. [`check`] (or [`check_in_place`]) the answer: an [`Accepted`] text is committed, a [`Rejection`] leaves history as it was;
//! 4. where the host allows it and no model answers: [`fallback`].

mod accept;
mod blob;
mod collapse;
mod demands;
mod entry;
mod escape;
mod fallback;
mod identifiers;
mod in_place;
mod material;
mod needles;
mod openings;
mod receipt;
mod repetition;
mod request;
mod template;

pub use accept::{Accepted, Finish, Limits, Rejection, check};
pub use collapse::collapse;
pub use escape::escape_into;
pub use fallback::fallback;
pub use in_place::{InPlaceInput, check_in_place, in_place};
pub use material::{BadOffset, Item, Material};
pub use receipt::{APPENDED_PERMILLE, Receipt, append_missing, receipt};
pub use request::{Request, RequestInput, RequestRefusal, render};
pub use template::{MissingPlaceholder, Templates, VERSION as TEMPLATE_VERSION};
