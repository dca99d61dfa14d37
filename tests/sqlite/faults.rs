//! The SQLite store where something is in the way: full, busy, read-only, newer, foreign, damaged. Each is a typed error,
//! and what is there afterwards is the old state or the new one.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::again;
use crate::folder::Folder;
use crate::look::Seen;
use compaction_governor::error::Applied;
use compaction_governor::id::OpId;
use compaction_governor::store::sqlite::VERSION;
use compaction_governor::store::{
    Batch, Expect, Part, Recover, Snapshot, SqliteStore, StoreError, StoreErrorKind, SyncStore, UnavailableWhy,
};
use compaction_governor::time::Millis;
use rusqlite::Connection;

/// Long enough to be asked more than once, short enough for a test.
const SHORT: Millis = Millis(60);

/// The unit of the file, in bytes.
const PAGE: usize = 4_096;

fn commit(store: &SqliteStore, expect: Expect, batch: &Batch, op: u64) -> Result<u64, StoreError> {
    SyncStore::commit(store, "s", expect, batch, OpId(op))
}

fn load(store: &SqliteStore) -> Result<Option<Snapshot>, StoreError> {
    SyncStore::load(store, "s")
}

fn root(byte: u8) -> Batch {
    Batch::root(vec![byte; 100])
}

/// At revision 2, with one generation.
fn with_session(path: &Path) -> SqliteStore {
    let store = SqliteStore::new(path).with_busy_timeout(SHORT);
    assert_eq!(commit(&store, Expect::Absent, &root(1), 1), Ok(1));
    let batch = root(2).put(Part::Generation(1), vec![2; 9_000]);
    assert_eq!(commit(&store, Expect::Revision(1), &batch, 2), Ok(2));
    store
}

fn damaged() -> StoreError {
    StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::Damaged })
}

#[test]
fn a_full_database_refuses_what_does_not_fit_keeps_the_old_state_and_takes_the_next_small_commit() {
    let seen = Seen::of("quota");
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let store = SqliteStore::new(&path).with_max_bytes(64 << 10);
    let before = load(&store).unwrap();
    for op in 10..13 {
        let large = root(9).put(Part::Generation(2), vec![9; 200_000]).delete(Part::Generation(1));
        let error = commit(&store, Expect::Revision(2), &large, op).unwrap_err();
        assert_eq!(error, StoreError::not_applied(StoreErrorKind::QuotaExceeded));
        assert_eq!(error.recover, Recover::UserAction);
        let error = SyncStore::quarantine(&store, "s", Part::Root, &[0; 200_000], "decode").unwrap_err();
        assert_eq!(error, StoreError::not_applied(StoreErrorKind::QuotaExceeded));
        assert_eq!(load(&store).unwrap(), before);
    }
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Ok(3));
    assert_eq!(load(&store).unwrap().unwrap().parts[1].1.len(), 9_000);
    assert_eq!(SyncStore::remove(&store, "s", None), Ok(()));
    assert_eq!(load(&store), Ok(None));
    seen.kept();
}

#[test]
fn a_database_that_is_filled_bit_by_bit_is_full_at_a_whole_commit() {
    let folder = Folder::new();
    let store = SqliteStore::new(folder.path().join("store.db")).with_max_bytes(128 << 10);
    let mut revision = commit(&store, Expect::Absent, &root(1), 1).unwrap();
    let full = loop {
        let batch = root(revision as u8).put(Part::Generation(revision as u32), vec![revision as u8; 5_000]);
        match commit(&store, Expect::Revision(revision), &batch, revision + 1) {
            Ok(next) => revision = next,
            Err(error) => break error,
        }
        assert!(revision < 100);
    };
    assert_eq!(full, StoreError::not_applied(StoreErrorKind::QuotaExceeded));
    let snapshot = load(&store).unwrap().unwrap();
    assert_eq!((snapshot.revision, snapshot.parts.len() as u64), (revision, revision));
    assert!(revision > 15 && fs::metadata(store.path()).unwrap().len() <= 128 << 10);
}

#[test]
fn a_database_that_another_connection_holds_is_busy_after_the_timeout_and_nothing_is_applied() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = with_session(&path);
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let busy = StoreError::not_applied(StoreErrorKind::Busy);
    let start = Instant::now();
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Err(busy.clone()));
    assert!(start.elapsed() >= Duration::from_millis(SHORT.0), "it did not wait");
    assert_eq!(load(&store), Err(busy.clone()));
    assert_eq!(SyncStore::remove(&store, "s", None), Err(busy.clone()));
    assert_eq!(SyncStore::open(&SqliteStore::new(&path).with_busy_timeout(SHORT)), Err(busy.clone()));
    assert!(start.elapsed() < Duration::from_secs(5), "a call went on waiting");
    assert!(busy.retryable() && busy.applied == Applied::No);
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Ok(3));
}

#[test]
fn a_commit_that_a_reader_keeps_from_ending_is_busy_and_rolled_back() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = with_session(&path);
    let before = load(&store).unwrap();
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM records").unwrap();
    let error = commit(&store, Expect::Revision(2), &root(3), 3).unwrap_err();
    assert_eq!(error, StoreError::not_applied(StoreErrorKind::Busy));
    assert_eq!(load(&store).unwrap(), before);
    reader.execute_batch("COMMIT").unwrap();
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Ok(3));
}

#[test]
fn a_lock_that_is_given_back_in_time_is_waited_for() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let store = SqliteStore::new(&path).with_busy_timeout(Millis::secs(20));
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            holder.execute_batch("ROLLBACK").unwrap();
        });
        assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Ok(3));
    });
}

#[test]
fn a_file_that_may_not_be_written_is_read_and_every_write_says_read_only() {
    if let Some(path) = again::job() {
        return read_only(Path::new(&path));
    }
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let before = fs::read(&path).unwrap();
    // A copy, which any user can read.
    let binary = folder.path().join("test");
    fs::copy(again::binary(), &binary).unwrap();
    let mut child =
        again::child(&binary, "faults::a_file_that_may_not_be_written_is_read_and_every_write_says_read_only", &path);
    for (file, mode) in [(path.as_path(), 0o444), (folder.path(), 0o555)] {
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    }
    // Permissions mean nothing to root.
    if fs::metadata(&path).unwrap().uid() == 0 {
        child.uid(65_534).gid(65_534);
    }
    let output = child.output().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

fn read_only(path: &Path) {
    let store = SqliteStore::new(path);
    assert_eq!(SyncStore::open(&store), Ok(()));
    assert_eq!(load(&store).unwrap().unwrap().revision, 2);
    let read_only = StoreError::not_applied(StoreErrorKind::ReadOnly);
    assert_eq!(read_only.recover, Recover::UserAction);
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Err(read_only.clone()));
    assert_eq!(SyncStore::remove(&store, "s", None), Err(read_only.clone()));
    assert_eq!(SyncStore::quarantine(&store, "s", Part::Root, &[1], "decode"), Err(read_only));
    assert_eq!(load(&store).unwrap().unwrap().revision, 2);
    let denied = StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::Denied });
    assert_eq!(SyncStore::open(&SqliteStore::new(path.with_file_name("new.db"))), Err(denied));
}

#[test]
fn a_place_where_no_file_can_be_is_unavailable() {
    let folder = Folder::new();
    let denied = StoreError::not_applied(StoreErrorKind::Unavailable { why: UnavailableWhy::Denied });
    for path in [folder.path().join("missing/store.db"), folder.path().to_owned(), "".into()] {
        let store = SqliteStore::new(&path);
        assert_eq!(SyncStore::open(&store), Err(denied.clone()), "{}", path.display());
        assert_eq!(load(&store), Err(denied.clone()));
        assert_eq!(commit(&store, Expect::Absent, &root(1), 1), Err(denied.clone()));
    }
}

#[test]
fn a_database_of_a_newer_release_is_superseded_and_not_a_byte_of_it_changes() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let raw = Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(raw);
    let before = fs::read(&path).unwrap();
    let store = SqliteStore::new(&path);
    let superseded = StoreError::not_applied(StoreErrorKind::Superseded);
    assert_eq!(superseded.recover, Recover::Reload);
    assert_eq!(SyncStore::open(&store), Err(superseded.clone()));
    assert_eq!(load(&store), Err(superseded.clone()));
    assert_eq!(commit(&store, Expect::Absent, &root(3), 3), Err(superseded.clone()));
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Err(superseded.clone()));
    assert_eq!(SyncStore::list(&store, None, 9), Err(superseded.clone()));
    assert_eq!(SyncStore::remove(&store, "s", None), Err(superseded.clone()));
    assert_eq!(SyncStore::quarantine(&store, "s", Part::Root, &[1], "decode"), Err(superseded));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    for foreign in [
        "CREATE TABLE records (session TEXT)",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 7",
        "CREATE TABLE notes (text); PRAGMA user_version = 1",
    ] {
        let folder = Folder::new();
        let path = folder.path().join("store.db");
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(foreign).unwrap();
        drop(raw);
        let before = fs::read(&path).unwrap();
        let store = SqliteStore::new(&path);
        assert_eq!(commit(&store, Expect::Absent, &root(1), 1), Err(damaged()), "{foreign}");
        assert_eq!(load(&store), Err(damaged()), "{foreign}");
        assert_eq!(fs::read(&path).unwrap(), before, "{foreign}");
    }
}

#[test]
fn tables_like_ours_under_another_programs_mark_are_left_as_they_are() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let raw = Connection::open(&path).unwrap();
    raw.pragma_update(None, "application_id", 7).unwrap();
    drop(raw);
    let before = fs::read(&path).unwrap();
    assert_eq!(commit(&SqliteStore::new(&path), Expect::Revision(2), &root(3), 3), Err(damaged()));
    assert_eq!(load(&SqliteStore::new(&path)), Err(damaged()));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn names_that_mean_something_else_to_sqlite_are_files_of_the_current_folder() {
    let here = std::env::current_dir().unwrap();
    for name in [":memory:", "file:store.db?mode=memory", "store.db"] {
        assert_eq!(SqliteStore::new(name).path(), here.join(name));
    }
}

#[test]
fn a_file_that_was_taken_away_while_it_was_open_is_not_written_to() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = with_session(&path);
    fs::rename(&path, folder.path().join("moved.db")).unwrap();
    let conflict = StoreError::not_applied(StoreErrorKind::Conflict { actual: None });
    assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Err(conflict));
    assert_eq!(commit(&store, Expect::Absent, &root(4), 4), Ok(1));
    let moved = SqliteStore::new(folder.path().join("moved.db"));
    assert_eq!(load(&moved).unwrap().unwrap().revision, 2);
    assert_eq!(load(&SqliteStore::new(&path)).unwrap().unwrap().op_id, OpId(4));
}

#[test]
fn a_file_cut_off_by_a_page_or_more_is_a_typed_error_and_stays_as_it_is() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    drop(with_session(&path));
    let whole = fs::read(&path).unwrap();
    // SQLite takes up to one byte for a file that was only just made: nothing in it says otherwise.
    for length in (2..=whole.len() - PAGE).step_by(257) {
        let seen = Seen::of("corrupt_noticed");
        let cut = folder.path().join("cut.db");
        fs::write(&cut, &whole[..length]).unwrap();
        let store = SqliteStore::new(&cut);
        assert_eq!(load(&store), Err(damaged()), "cut to {length} of {}", whole.len());
        assert_eq!(commit(&store, Expect::Absent, &root(3), 3), Err(damaged()), "cut to {length}");
        assert_eq!(commit(&store, Expect::Revision(2), &root(3), 3), Err(damaged()), "cut to {length}");
        assert_eq!(fs::read(&cut).unwrap(), whole[..length], "cut to {length}");
        seen.kept();
    }
}

#[test]
fn a_file_with_garbage_in_it_never_panics_and_never_loses_a_session_without_an_error() {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let before = load(&with_session(&path)).unwrap().unwrap();
    let whole = fs::read(&path).unwrap();
    let mut broken: Vec<Vec<u8>> =
        (whole.len() - PAGE + 1..whole.len()).step_by(97).map(|l| whole[..l].to_vec()).collect();
    for start in (0..whole.len()).step_by(PAGE) {
        for garbage in [vec![0; PAGE], vec![0xFF; PAGE], b"garbage!".repeat(PAGE / 8)] {
            let mut bytes = whole.clone();
            bytes[start..start + PAGE].copy_from_slice(&garbage);
            broken.push(bytes);
        }
    }
    let (mut readable, mut refused) = (0, 0);
    for (nth, bytes) in broken.iter().enumerate() {
        let path = folder.path().join("broken.db");
        fs::write(&path, bytes).unwrap();
        let store = SqliteStore::new(&path);
        match load(&store) {
            Ok(found) => {
                let found = found.unwrap_or_else(|| panic!("damage {nth} lost the session without an error"));
                // Nothing but bytes of the generation can differ, and those the record's own checksum covers.
                assert_eq!((found.revision, found.op_id, &found.parts[0]), (2, OpId(2), &before.parts[0]));
                assert_eq!((found.parts.len(), found.parts[1].1.len()), (2, 9_000));
                readable += 1;
            }
            Err(error) => {
                assert_eq!(error.applied, Applied::No);
                assert!(matches!(error.code(), "unavailable" | "corrupt"), "damage {nth}: {error}");
                refused += 1;
            }
        }
        match commit(&store, Expect::Revision(2), &root(3).delete(Part::Generation(1)), 3) {
            Ok(revision) => {
                let found = load(&store).unwrap().unwrap();
                assert_eq!((revision, found.revision, found.parts), (3, 3, root(3).puts));
            }
            Err(error) => assert!(matches!(error.code(), "unavailable" | "corrupt"), "damage {nth}: {error}"),
        }
        let _ = (SyncStore::list(&store, None, 9), SyncStore::remove(&store, "s", None));
    }
    println!("{readable} loads as before but for bytes of the generation, {refused} refused");
    assert!(readable > 0 && refused > 0);
}

#[test]
fn what_was_removed_or_replaced_is_in_no_file() {
    const MARKER: &[u8] = b"marker-of-a-secret-summary";
    let seen = Seen::of("nothing_left");
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = SqliteStore::new(&path);
    let marked = |length: usize| MARKER.repeat(length / MARKER.len() + 1);
    let put = |id: &str, expect, batch: &Batch, op| SyncStore::commit(&store, id, expect, batch, OpId(op)).unwrap();
    for nth in 0..40_usize {
        let id = format!("marked {nth}");
        let batch = Batch::root(marked(nth * 37)).put(Part::Generation(1), marked(nth * 997));
        put(&id, Expect::Absent, &batch, 1);
        put(&format!("other {nth}"), Expect::Absent, &Batch::root(vec![1; nth * 91]), 1);
        SyncStore::quarantine(&store, &id, Part::Root, &marked(nth * 211), "decode").unwrap();
    }
    assert!(holds(folder.path(), MARKER), "the search finds what is there");
    for nth in 0..40 {
        let id = format!("marked {nth}");
        if nth % 2 == 0 {
            put(&id, Expect::Revision(1), &Batch::root(vec![2]).delete(Part::Generation(1)), 2);
        }
        SyncStore::remove(&store, &id, None).unwrap();
    }
    assert!(!holds(folder.path(), MARKER), "with the store open");
    assert!(!holds(folder.path(), b"marked "), "ids are gone, too");
    SyncStore::close(&store).unwrap();
    assert!(!holds(folder.path(), MARKER), "with the store closed");
    assert_eq!(SyncStore::list(&SqliteStore::new(&path), None, 99).unwrap().len(), 40);
    seen.kept();
}

fn holds(folder: &Path, marker: &[u8]) -> bool {
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.into_iter().any(|bytes| bytes.windows(marker.len()).any(|window| window == marker))
}
