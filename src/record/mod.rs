//! The durable bytes of a session: what a store keeps and hands back, opaque to it.
//!
//! Three kinds of part: one small [`Root`], rewritten by every commit, one [`Summary`] per generation, and the [`Pins`] that
//! a person made. Each is a frame
//! with a checksum around CBOR with integer keys; keys that this build does not know are kept and rewritten as they are.
//!
//! A whole session goes into one [`Archive`], to be carried elsewhere.
//!
//! Deliberately absent: no store, no clock, no random number, no model text except that of a [`Summary`].
//!
//! 1. hand the bytes of the root to [`load_root`], whatever they are: it answers with a [`Loaded`], never with an error;
//! 2. apply `Event::TimePassed`: it sets back what lies too far ahead and arms a tripped guard without a deadline;
//! 3. change the root and write [`encode_root`] by compare-and-swap, with the parts that the change needs.
//!
//! A store that seals its parts puts what it sealed into an [`envelope`].

mod archive;
mod cbor;
mod crc;
mod envelope;
mod fields;
mod frame;
mod generation;
mod guards;
mod load;
mod numbers;
mod part;
mod pins;
mod rename;
mod repair;
mod root;
mod state;
mod summary;
mod unknown;
mod writer;

pub use archive::{Archive, ArchiveError, encode_archive, load_archive};
#[cfg(any(test, feature = "conformance", target_arch = "wasm32"))]
pub(crate) use crc::crc32c;
pub use envelope::{ENVELOPE_BYTES, envelope, sealed};
pub use frame::{MIN_READER, SCHEMA};
pub use load::{CorruptKind, Loaded, LoadedSummary, load_root, load_summary};
pub use pins::{MAX_PINS, PinnedEntry, Pins, encode_pins, load_pins};
pub use rename::{Renamed, rename_part};
pub use root::{Anchor, Generation, MAX_GENERATIONS, MAX_PINNED, ROOT_BYTES, Root, encode_root};
pub use summary::{Behind, Bounds, Kept, Summary, encode_summary};
pub use unknown::{RootUnknown, Unknown};
