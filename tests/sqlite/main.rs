//! The SQLite store: the contract, what is in its way, and several processes.
#![cfg(all(feature = "sqlite", feature = "conformance", not(target_arch = "wasm32")))]

#[path = "../support/again.rs"]
mod again;
mod conformance;
#[cfg(unix)]
mod faults;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/held.rs"]
mod held;
#[path = "../support/look.rs"]
mod look;
#[cfg(unix)]
mod processes;
#[path = "../support/promises.rs"]
mod promises;
#[path = "../session/tab.rs"]
#[expect(dead_code, reason = "made for the tests of the session, which need more of it")]
mod tab;
