//! The clauses of the storage contract: a store that keeps them all, and one for each that breaks it.
#![cfg(all(feature = "conformance", not(target_arch = "wasm32")))]

mod broken;
mod memory;
#[path = "../support/promises.rs"]
mod promises;
