//! A compaction policy for long conversations with a language model, with a memory that survives its process.
//!
//! What this crate never does: it calls no model, deletes no message of the host, reads no clock and draws no random
//! number below [`store`], and performs no I/O outside a store that the host chose.
//!
//! What a host does with it, in this order:
//!
//! 1. open a session on a [`store`]: the root record is loaded, guards are as they were left;
//! 2. observe the transcript as numbers ([`transcript`]): roles, kinds, tokens, never text;
//! 3. ask whether to compact ([`policy::decide`]): pure, constant time, from memory;
//! 4. claim an attempt: the intent is written by compare-and-swap before the model is called;
//! 5. let its own model write the summary; [`summary`] accepts or refuses it, a commit makes it live;
//! 6. report the next prompt's real token count: the verdict that trips or clears the guards.
//!
//! Features, none on unless asked for:
//!
//! | feature | on | off |
//! |---|---|---|
//! | `conformance` | the storage contract as one public function per clause, for people who write a backend | not compiled |
//! | `sqlite` | `store::sqlite`, sessions in a SQLite file, native hosts alone | no SQLite is linked, no C compiler needed |
//! | `small-allocator` | the allocator of the npm package, in WASM alone | whoever links the crate chooses their own |
//!
//! `examples/injected_store.rs` is a host with a store of its own, on files.
//!
//! Layers, lowest last; each uses only those below it, and `tests/layers.rs` holds it to that.

pub mod error;
pub mod id;
pub mod time;
pub mod tokens;

pub mod config;

pub mod policy;

pub mod transcript;

pub mod plan;

pub mod summary;

pub mod view;

pub mod record;

pub mod store;

pub mod session;

#[cfg(target_arch = "wasm32")]
pub mod wasm;
