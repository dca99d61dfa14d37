//! Whole sessions of a store: listed, removed, copied and carried elsewhere.

mod faults;
mod forking;
mod listing;
mod moving;
mod removing;

use compaction_governor::{
    record::{Loaded, Root, load_root},
    session::{
        Pin, Pinnable,
        sessions::{Errand, Export, Fork, Import, Page, SessionsError, perform_sync},
    },
    store::{Batch, Expect, MemoryStore, Part, Snapshot, Store},
};

use super::*;

const RULE: &str = "Never touch the production database.";
/// Drawn at random by a host.
const DRAWN: u64 = 0xd4a3;

/// A session with a summary, a pin and a pending verdict.
fn talked() -> Tab<MemoryStore> {
    let (mut tab, _) = Tab::open(MemoryStore::new(), 1, START);
    tab.run(Write::rereading(Pin(Pinnable::Text(RULE.to_owned())))).expect("room");
    tab.grow_to_threshold();
    let planned = tab.claimed();
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    tab
}

/// The same as another tab opens it.
fn beside(tab: &Tab<MemoryStore>, id: &str, owner: u64) -> Tab<MemoryStore> {
    let settings = tab.session.settings().clone();
    let (mut other, _) = Tab::open_as(id, tab.store.another_context(), owner, tab.now, settings);
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}

fn fork(store: &MemoryStore, from: &str, to: &str) -> Result<(), SessionsError> {
    perform_sync(store, Fork::new(from, to, DRAWN, START))
}

fn export(store: &MemoryStore, id: &str) -> Result<Vec<u8>, SessionsError> {
    perform_sync(store, Export::new(id))
}

fn import(store: &MemoryStore, bytes: &[u8], id: Option<&str>) -> Result<(), SessionsError> {
    perform_sync(store, Import::new(bytes, id, DRAWN, START))
}

fn kept(store: &MemoryStore, id: &str) -> Option<Snapshot> {
    SyncStore::load(store, id).expect("memory answers")
}

fn parts(store: &MemoryStore, id: &str) -> Vec<(Part, Vec<u8>)> {
    kept(store, id).map(|snapshot| snapshot.parts).unwrap_or_default()
}

fn root(store: &MemoryStore, id: &str) -> Root {
    let snapshot = kept(store, id).expect("kept");
    match load_root(snapshot.part(Part::Root), id, START) {
        Loaded::Found { root, repaired: false } => root,
        other => panic!("{other:?}"),
    }
}

/// Puts `bytes` where the root record of `id` belongs.
fn put_root(store: &MemoryStore, id: &str, bytes: Vec<u8>) {
    put(store, id, &Batch::root(bytes));
}

fn put(store: &MemoryStore, id: &str, batch: &Batch) {
    let expect = kept(store, id).map_or(Expect::Absent, |snapshot| Expect::Revision(snapshot.revision));
    SyncStore::commit(store, id, expect, batch, compaction_governor::id::OpId(START.0)).expect("memory takes it");
}

/// The part as a build wrote it that says that schema 2 is needed.
fn newer(mut part: Vec<u8>) -> Vec<u8> {
    part[6] = 2;
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&part[..12]), &part[16..]);
    part[12..16].copy_from_slice(&checksum.to_le_bytes());
    part
}

fn shows(store: &MemoryStore, id: &str, text: &str) -> bool {
    let text = text.as_bytes();
    parts(store, id).iter().any(|(_, bytes)| bytes.windows(text.len()).any(|window| window == text))
}
