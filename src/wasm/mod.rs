//! The boundary: newtypes that forward, numbers checked on the way in, plain objects on the way out. No thinking here.
//!
//! Times are epoch milliseconds; ids are 16 hexadecimal digits. Operations are promises that no failing store rejects;
//! they run one after another per session. No borrow is held while one waits.

mod attempt;
#[cfg(feature = "conformance")]
mod conformance;
mod convert;
mod counting;
mod events;
mod fault;
mod guards;
#[cfg(feature = "small-allocator")]
mod heap;
mod keeping;
mod lines;
mod object;
mod others;
mod queue;
mod session;
mod sessions;
mod settings;
mod store;

#[cfg(feature = "conformance")]
pub use conformance::{Bench, Clause, clause_names, start_clause};
pub use counting::{count_buffer, count_bytes, count_table};
pub use guards::decode_record;
pub use lines::over_line;
pub use session::Core;
pub use settings::CoreSettings;
pub use store::StoreHandle;
