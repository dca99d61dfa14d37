//! The SQLite store under the storage contract, clause by clause; its layout; and record bytes that move between stores.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};

use crate::folder::Folder;
use crate::held::Held;
use crate::look::Seen;
use crate::tab::Tab;
use compaction_governor::id::OpId;
use compaction_governor::policy::{Action, Verdict};
use compaction_governor::session::Found;
use compaction_governor::store::conformance::{self, Harness, Outcome, Quarantined};
use compaction_governor::store::sqlite::{APPLICATION_ID, VERSION};
use compaction_governor::store::{
    Batch, Durability, Expect, MemoryStore, Part, QUARANTINE_PER_SESSION, Snapshot, SqliteStore, StoreError,
    StoreErrorKind, SyncStore,
};
use compaction_governor::time::Timestamp;
use rusqlite::Connection;

const START: Timestamp = Timestamp(1_800_000_000_000);

struct Sqlite(Durability);

impl Sqlite {
    fn store(&self, folder: &Arc<Folder>) -> Held<SqliteStore> {
        Held::new(SqliteStore::new(folder.path().join("store.db")).with_durability(self.0), folder)
    }
}

impl Harness for Sqlite {
    type Store = Held<SqliteStore>;

    async fn fresh(&self) -> Self::Store {
        self.store(&Arc::new(Folder::new()))
    }

    async fn another_context(&self, store: &Self::Store) -> Self::Store {
        self.store(&store.folder)
    }

    async fn reloaded(&self, store: Self::Store) -> Self::Store {
        let folder = Arc::clone(&store.folder);
        drop(store);
        self.store(&folder)
    }

    async fn hanging(&self) -> Option<Self::Store> {
        None
    }

    async fn damage(&self, store: &Self::Store, session: &str) -> bool {
        let spoilt = format!("UPDATE records SET bytes = 'text' WHERE session = '{session}' AND part = -1");
        by_hand(&store.folder.path().join("store.db"), &spoilt);
        true
    }

    async fn quarantined(&self, store: &Self::Store, session: &str) -> Option<Vec<Quarantined>> {
        let kept = quarantined(&store.folder.path().join("store.db")).into_iter().filter(|row| row.0 == session);
        Some(
            kept.map(|(_, part, _, bytes)| (u32::try_from(part).map_or(Part::Root, Part::Generation), bytes)).collect(),
        )
    }
}

/// It does not wait.
const NOT_DECLARED: [&str; 1] = ["deadline_always_settles"];

macro_rules! clauses {
    ($($clause:ident)*) => { $(
        #[test]
        fn $clause() {
            let seen = Seen::of("contract");
            for durability in [Durability::Relaxed, Durability::Strict] {
                let outcome = pollster::block_on(conformance::$clause(&Sqlite(durability)));
                assert_eq!(outcome == Outcome::Held, !NOT_DECLARED.contains(&stringify!($clause)), "{outcome:?}");
            }
            seen.kept();
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
                let seen = Seen::of("contract");
                assert_eq!(pollster::block_on(conformance::$clause(&Sqlite(Durability::Relaxed))), Outcome::Held);
                seen.kept();
            }
        )* };
    }
    compaction_governor::for_each_session_clause!(clauses);
}

fn database() -> (Folder, PathBuf) {
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    (folder, path)
}

fn commit(store: &SqliteStore, expect: Expect, batch: Batch, op: u64) -> Result<u64, StoreError> {
    SyncStore::commit(store, "s", expect, &batch, OpId(op))
}

fn load(store: &SqliteStore) -> Result<Option<Snapshot>, StoreError> {
    SyncStore::load(store, "s")
}

fn with_session(path: &Path) -> SqliteStore {
    let store = SqliteStore::new(path);
    let batch = Batch::root(vec![1]).put(Part::Generation(7), vec![7]);
    assert_eq!(commit(&store, Expect::Absent, batch, 1), Ok(1));
    store
}

/// What the store itself would never write: its tables without the checks of types.
fn by_hand(path: &Path, statement: &str) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT, ', '');
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
    assert_eq!(connection.execute(statement, []).unwrap(), 1, "{statement}");
}

fn quarantined(path: &Path) -> Vec<(String, i64, String, Vec<u8>)> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare("SELECT session, part, reason, bytes FROM quarantine ORDER BY n").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn the_layout_is_as_documented() {
    let (_folder, path) = database();
    let store = SqliteStore::new(&path).with_durability(Durability::Strict);
    let batch = Batch::root(vec![1, 2]).put(Part::Generation(u32::MAX), vec![3]);
    commit(&store, Expect::Absent, batch, 0xAB).unwrap();
    commit(&store, Expect::Revision(1), Batch::root(vec![4]), u64::MAX).unwrap();
    SyncStore::quarantine(&store, "s", Part::Generation(3), &[9], "checksum").unwrap();
    let raw = Connection::open(&path).unwrap();
    let pragma = |name: &str| raw.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(pragma("user_version"), i64::from(VERSION));
    assert_eq!(pragma("application_id"), i64::from(APPLICATION_ID));
    let mut statement = raw.prepare("SELECT session, part, revision, op, bytes FROM records").unwrap();
    let rows: Vec<(String, i64, i64, i64, Vec<u8>)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let root = ("s".to_owned(), -1, 2, -1, vec![4]);
    assert_eq!(rows, [root, ("s".to_owned(), i64::from(u32::MAX), 1, 0xAB, vec![3])]);
    assert_eq!(quarantined(&path), [("s".to_owned(), 3, "checksum".to_owned(), vec![9])]);
}

#[test]
fn the_quarantine_is_bounded_and_goes_with_the_session() {
    let (_folder, path) = database();
    let store = with_session(&path);
    SyncStore::quarantine(&store, "other", Part::Root, &[99], "decode").unwrap();
    for index in 0..9_u8 {
        SyncStore::quarantine(&store, "s", Part::Root, &[index], "decode").unwrap();
    }
    let kept: Vec<_> = quarantined(&path).into_iter().filter(|row| row.0 == "s").map(|row| row.3).collect();
    assert_eq!(kept, [[5], [6], [7], [8]]);
    assert_eq!(kept.len(), QUARANTINE_PER_SESSION);
    SyncStore::remove(&store, "s", None).unwrap();
    let left: Vec<_> = quarantined(&path).into_iter().map(|row| row.0).collect();
    assert_eq!(left, ["other"]);
}

#[test]
fn a_root_row_that_cannot_be_read_is_corrupt_until_a_first_commit_sets_it_aside() {
    for (garbage, aside) in [
        ("bytes = 'text'", b"text".to_vec()),
        ("revision = 0", vec![1]),
        ("revision = -3", vec![1]),
        ("revision = 9223372036854775807", vec![1]),
        ("revision = 'one'", vec![1]),
        ("op = 1.5", vec![1]),
    ] {
        let seen = Seen::of("corrupt_noticed");
        let (_folder, path) = database();
        let store = with_session(&path);
        by_hand(&path, &format!("UPDATE records SET {garbage} WHERE part = -1"));
        let corrupt = StoreError::not_applied(StoreErrorKind::Corrupt);
        assert_eq!(load(&store), Err(corrupt.clone()), "{garbage}");
        assert_eq!(SyncStore::list(&store, None, 9), Ok(vec!["s".to_owned()]));
        assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2), Err(corrupt.clone()));
        assert_eq!(SyncStore::remove(&store, "s", Some(1)), Err(corrupt));
        assert!(quarantined(&path).is_empty());
        assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![3]), 3), Ok(1), "{garbage}");
        assert_eq!(load(&store).unwrap().unwrap().parts, [(Part::Root, vec![3])]);
        let row = |part, bytes| ("s".to_owned(), part, "row".to_owned(), bytes);
        assert_eq!(quarantined(&path), [row(7, vec![7]), row(-1, aside)]);
        seen.kept();
    }
}

#[test]
fn a_generation_row_that_cannot_be_read_has_no_bytes_and_the_rest_stays_usable() {
    let (_folder, path) = database();
    let store = with_session(&path);
    by_hand(&path, "UPDATE records SET bytes = 'text' WHERE part = 7");
    by_hand(&path, "INSERT INTO records VALUES ('s', 4294967296, 1, 1, x'')");
    by_hand(&path, "INSERT INTO records VALUES ('s', -2, 1, 1, x'')");
    let parts = load(&store).unwrap().unwrap().parts;
    assert_eq!(parts, [(Part::Root, vec![1]), (Part::Generation(7), vec![])]);
    assert_eq!(commit(&store, Expect::Revision(1), Batch::root(vec![2]), 2), Ok(2));
}

#[test]
fn generations_without_a_root_are_corrupt_and_a_new_session_does_not_inherit_them() {
    let (_folder, path) = database();
    let store = with_session(&path);
    by_hand(&path, "DELETE FROM records WHERE part = -1");
    assert_eq!(load(&store), Err(StoreError::not_applied(StoreErrorKind::Corrupt)));
    assert_eq!(commit(&store, Expect::Absent, Batch::root(vec![2]), 2), Ok(1));
    assert_eq!(load(&store).unwrap().unwrap().parts, [(Part::Root, vec![2])]);
    assert_eq!(quarantined(&path), [("s".to_owned(), 7, "row".to_owned(), vec![7])]);
}

#[test]
fn a_list_in_pages_misses_nothing_that_was_there_throughout() {
    let (_folder, path) = database();
    let store = SqliteStore::new(&path);
    let put = |id: &str| SyncStore::commit(&store, id, Expect::Absent, &Batch::root(vec![1]), OpId(1)).unwrap();
    let ids = ["", "a", "a\0", "b", "é", "🦀"];
    ids.into_iter().for_each(|id| assert_eq!(put(id), 1));
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = SyncStore::list(&store, seen.last().map(String::as_str), 1).unwrap();
        let Some(id) = page.into_iter().next() else { break };
        // Others come before and behind it meanwhile, and it goes itself.
        put(&format!("{id}-later"));
        SyncStore::remove(&store, &id, None).unwrap();
        seen.push(id);
        assert!(seen.len() < 99);
        SyncStore::remove(&store, &format!("{}-later", seen.last().unwrap()), None).unwrap();
    }
    assert_eq!(seen, ids);
}

#[test]
fn threads_take_turns_on_one_store_and_lose_no_increment() {
    let (_folder, path) = database();
    let store = SqliteStore::new(&path);
    commit(&store, Expect::Absent, Batch::root(vec![0]), u64::MAX).unwrap();
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (store, barrier) = (&store, &barrier);
            scope.spawn(move || {
                barrier.wait();
                (0..20).for_each(|nth| increment(store, thread << 32 | nth));
            });
        }
    });
    let snapshot = load(&store).unwrap().unwrap();
    assert_eq!((snapshot.part(Part::Root), snapshot.revision), (Some([80].as_slice()), 81));
}

#[test]
fn contexts_that_make_the_database_at_once_share_it() {
    for _ in 0..25 {
        let (_folder, path) = database();
        let barrier = Barrier::new(4);
        let answers: Vec<Result<u64, StoreError>> = std::thread::scope(|scope| {
            let race = |op| {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    let store = SqliteStore::new(path);
                    barrier.wait();
                    commit(&store, Expect::Absent, Batch::root(vec![op as u8]), op)
                })
            };
            let racing = [1, 2, 3, 4].map(race);
            racing.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let conflict = Err(StoreError::not_applied(StoreErrorKind::Conflict { actual: Some(1) }));
        assert_eq!(answers.iter().filter(|answer| **answer == Ok(1)).count(), 1, "{answers:?}");
        assert_eq!(answers.iter().filter(|answer| **answer == conflict).count(), 3, "{answers:?}");
    }
}

fn increment(store: &SqliteStore, op: u64) {
    loop {
        let snapshot = load(store).unwrap().unwrap();
        let next = Batch::root(vec![snapshot.part(Part::Root).unwrap()[0] + 1]);
        match commit(store, Expect::Revision(snapshot.revision), next, op) {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code(), "conflict"),
        }
    }
}

#[test]
fn record_bytes_move_between_stores_and_the_session_decides_the_same() {
    let (_folder, path) = database();
    let before = stopped(MemoryStore::new());
    let memory = reopened(before.store.another_context(), &before);
    let exported = SyncStore::load(&memory.store, "chat").unwrap().unwrap();
    assert!(exported.parts.len() > 1, "summaries move along");
    let sqlite = SqliteStore::new(&path);
    import(&sqlite, &exported);
    let moved = reopened(sqlite, &memory);
    assert!(matches!(moved.session.decide(moved.now).action, Action::Blocked(_)));
    assert_eq!(moved.session.decide(moved.now), memory.session.decide(memory.now));
    assert_eq!(moved.session.state(), memory.session.state());
    assert_eq!(moved.view_tokens(), memory.view_tokens());

    let back = MemoryStore::new();
    let again = SyncStore::load(&moved.store, "chat").unwrap().unwrap();
    assert_eq!(again.parts, exported.parts, "bit for bit");
    import(&back, &again);
    let back = reopened(back, &memory);
    assert_eq!(back.session.decide(back.now), memory.session.decide(memory.now));
}

fn import<S: SyncStore>(store: &S, snapshot: &Snapshot) {
    let batch = Batch { puts: snapshot.parts.clone(), deletes: Vec::new() };
    assert_eq!(store.commit("chat", Expect::Absent, &batch, snapshot.op_id), Ok(1));
}

/// Two passes that bought nothing.
fn stopped<S: SyncStore>(store: S) -> Tab<S> {
    let (mut tab, found) = Tab::open(store, 1, START);
    assert_eq!(found, Found::New);
    for more in [16_000, 8_000] {
        tab.grow_to_threshold();
        assert_ne!(tab.spoilt_pass(more), Verdict::Effective);
    }
    tab.grow_to_threshold();
    tab
}

fn reopened<S: SyncStore, T: SyncStore>(store: S, before: &Tab<T>) -> Tab<S> {
    let (mut tab, found) = Tab::open(store, 2, before.now);
    assert_eq!(found, Found::Existing);
    tab.fixed = before.fixed;
    tab.observe(before.entries());
    tab
}
