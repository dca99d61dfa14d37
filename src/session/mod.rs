//! The driver of a session: a state machine without I/O, with memory in front of the store.
//!
//! What is deliberately absent: clocks, randomness, message text (but for the live summaries) and any call into a store.
//! An [`Operation`] hands out [`StoreCommand`]s and takes [`StoreReply`]s; [`run`] awaits a store, [`run_sync`] calls one.
//!
//! 1. [`Session::new`], then run [`Open`]: the record is loaded; a store that fails leaves the session in memory;
//! 2. [`Session::push`] entries as the transcript grows; [`Session::decide`] answers from memory, always;
//! 3. run [`Claim`]: the root record is read again, the decision made again on it, the intent written;
//! 4. let a model write the summary, then run [`Commit`], or [`Fail`];
//! 5. run [`Report`] for each model call: it settles the verdict, and writes only when something durable changed.
//!
//! Any number of tabs and processes work on one session: compare-and-swap decides, whatever else they know of each other.
//! A conflict reads again and makes the change again, fenced by attempt. Who holds a lock besides may say so
//! ([`Claim::alone`]); [`Refresh`] takes what others wrote.
//!
//! No operation fails because a store did: state goes on in memory, [`Session::durability`] says so, writes are retried.

mod adopt;
mod carry;
mod claim;
mod command;
mod commit;
#[cfg(feature = "conformance")]
pub mod conformance;
mod content;
mod events;
mod health;
mod history;
mod link;
mod loss;
mod memory;
mod notice;
mod open;
mod over_line;
mod pin;
mod prune;
mod refresh;
mod request;
mod resume;
mod run;
pub mod sessions;
mod settings;
mod sight;
mod store;
mod takeover;
mod write;
mod writing;

pub use crate::record::MAX_PINS;
pub use adopt::Adopt;
pub use carry::{CARRY_TOKENS, CarryRefusal};
pub use claim::{Claim, Claimed, Others, Planned};
pub use command::{Call, Calls, Operation, Step, Steps, StoreCommand, StoreReply};
pub use commit::{Commit, Committed, Fail, Failed, limits};
pub use events::{Event, Happened, Report, Reported, Settle};
pub use history::{AmendError, Amended, Edit, HISTORY_BYTES, Undo};
pub use link::Durability;
pub use loss::Loss;
pub use memory::Session;
pub use notice::{Notice, Status};
pub use open::{Found, Open};
pub use over_line::{BELOW_LINE, OVER_LINE};
pub use pin::{PIN_TOKENS, Pin, PinError, Pinnable, Pinned, Unpin};
pub use refresh::Refresh;
pub use request::{Ask, Asking, RequestError};
pub use resume::ResumeError;
#[cfg(target_arch = "wasm32")]
pub(crate) use run::carry_out_on;
pub use run::{Driven, carry_out, carry_out_sync, drive, drive_sync, run, run_sync};
pub use settings::Settings;
pub use store::{Peek, Remove};
pub use takeover::TakeOver;
pub use write::{Mutated, Mutation, Parts, Write};
pub use writing::{Receipt, Sent, Taken};
