//! The example of a Rust host with a store of its own: it does what it says, and its store keeps the contract.

#![cfg(all(feature = "conformance", not(target_arch = "wasm32")))]

#[path = "../examples/injected_store.rs"]
#[expect(dead_code, reason = "its main is for people")]
mod example;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/held.rs"]
mod held;

use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, thread};

use compaction_governor::id::OpId;
use compaction_governor::store::conformance::{self, Harness, Outcome};
use compaction_governor::store::{Batch, Expect, Part, Revision, StoreError, StoreErrorKind, SyncStore};
use example::FolderStore;
use folder::Folder;
use held::Held;

// seeds: A3
#[test]
fn a_host_with_a_store_of_its_own_is_stopped_and_still_stopped_after_a_restart() {
    let folder = Folder::new();
    assert_eq!(example::run(folder.path()), ["ineffective", "ineffective"]);
}

struct Files;

fn files_in(folder: &Arc<Folder>) -> Held<FolderStore> {
    Held::new(FolderStore::new(folder.path()), folder)
}

impl Harness for Files {
    type Store = Held<FolderStore>;

    async fn fresh(&self) -> Self::Store {
        files_in(&Arc::new(Folder::new()))
    }

    async fn another_context(&self, store: &Self::Store) -> Self::Store {
        files_in(&store.folder)
    }

    async fn reloaded(&self, store: Self::Store) -> Self::Store {
        files_in(&store.folder)
    }

    async fn hanging(&self) -> Option<Self::Store> {
        None
    }

    async fn damage(&self, store: &Self::Store, session: &str) -> bool {
        let file = named(&store.folder, session, "session");
        let whole = fs::read(&file).expect("it was committed before");
        fs::write(&file, &whole[..whole.len() - 1]).expect("it can be written");
        true
    }
}

/// It does not wait, and sets no limit; what it has set aside is looked into further below.
const NOT_DECLARED: [&str; 5] = [
    "quarantine_keeps_raw_and_unblocks_session",
    "deadline_always_settles",
    "roundtrip_at_limit",
    "over_limit_is_value_too_large_and_nothing_changes",
    "batch_all_or_nothing_on_last_item_failure",
];

macro_rules! clauses {
    ($($clause:ident)*) => { $(
        #[test]
        fn $clause() {
            let outcome = pollster::block_on(conformance::$clause(&Files));
            let held = outcome == Outcome::Held;
            assert_eq!(held, !NOT_DECLARED.contains(&stringify!($clause)), "{outcome:?}");
        }
    )* };
}
compaction_governor::for_each_clause!(clauses);

mod sessions {
    use compaction_governor::session::conformance;

    use super::*;

    macro_rules! clauses {
        ($($clause:ident)*) => { $(
            #[test]
            fn $clause() {
                assert_eq!(pollster::block_on(conformance::$clause(&Files)), Outcome::Held);
            }
        )* };
    }
    compaction_governor::for_each_session_clause!(clauses);
}

fn commit(store: &FolderStore, expect: Expect, root: u8, op: u64) -> Result<Revision, StoreError> {
    SyncStore::commit(store, "s", expect, &Batch::root(vec![root]), OpId(op))
}

/// The session's file and what was set aside of it.
fn files(folder: &Folder) -> [PathBuf; 2] {
    ["session", "aside"].map(|end| named(folder, "s", end))
}

fn named(folder: &Folder, session: &str, end: &str) -> PathBuf {
    let name: String = session.bytes().map(|byte| format!("{byte:02x}")).collect();
    folder.path().join(format!("s{name}.{end}"))
}

#[test]
fn a_file_that_cannot_be_read_is_corrupt_until_a_first_commit_sets_it_aside() {
    let folder = Folder::new();
    let store = FolderStore::new(folder.path());
    commit(&store, Expect::Absent, 1, 1).unwrap();
    let [file, aside] = files(&folder);
    let whole = fs::read(&file).unwrap();
    let corrupt = StoreError::not_applied(StoreErrorKind::Corrupt);
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        assert_eq!(SyncStore::load(&store, "s"), Err(corrupt.clone()), "cut to {length}");
    }
    assert_eq!(commit(&store, Expect::Revision(1), 2, 2), Err(corrupt));
    assert!(!aside.exists());
    assert_eq!(commit(&store, Expect::Absent, 3, 3), Ok(1));
    let kept = fs::read(&aside).unwrap();
    assert!(kept.ends_with(&whole[..whole.len() - 1]));
    for _ in 0..9 {
        SyncStore::quarantine(&store, "s", Part::Root, &[0; 100], "decode").unwrap();
    }
    assert!(fs::metadata(&aside).unwrap().len() < 4 * 200, "it is bounded");
    SyncStore::remove(&store, "s", None).unwrap();
    assert!(!file.exists() && !aside.exists());
}

#[test]
fn increments_of_four_threads_with_a_store_each_are_all_counted() {
    let folder = Folder::new();
    commit(&FolderStore::new(folder.path()), Expect::Absent, 0, u64::MAX).unwrap();
    thread::scope(|scope| {
        for writer in 0..4_u64 {
            let store = FolderStore::new(folder.path());
            scope.spawn(move || (0..20).for_each(|nth| increment(&store, writer << 32 | nth)));
        }
    });
    let snapshot = SyncStore::load(&FolderStore::new(folder.path()), "s").unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.parts), (81, vec![(Part::Root, vec![80])]));
}

fn increment(store: &FolderStore, op: u64) {
    loop {
        let snapshot = SyncStore::load(store, "s").unwrap().unwrap();
        match commit(store, Expect::Revision(snapshot.revision), snapshot.parts[0].1[0] + 1, op) {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code(), "conflict"),
        }
    }
}
