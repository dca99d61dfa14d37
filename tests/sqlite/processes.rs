//! The SQLite store between processes: several that write at once, and one that is killed while it commits.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::again;
use crate::folder::Folder;
use crate::look::Seen;
use compaction_governor::id::OpId;
use compaction_governor::store::{Batch, Durability, Expect, Part, Snapshot, SqliteStore, SyncStore};

/// Processes that write at once, and how often each.
const WRITERS: u64 = 4;
const INCREMENTS: u64 = 50;

/// Kills in all, and after how many the database is begun anew.
const KILLS: u64 = 80;
const KILLS_PER_DATABASE: u64 = 10;
/// Generations of each commit, of this length: so that a commit is many pages, and takes its time.
const GENERATIONS: u32 = 6;
const GENERATION_BYTES: usize = 20_000;

const WRITES: &str = "processes::increments_of_four_processes_from_a_barrier_are_all_counted";
const KILLED: &str = "processes::a_process_killed_at_any_moment_leaves_every_acknowledged_commit_and_nothing_half";

fn load(store: &SqliteStore) -> Option<Snapshot> {
    SyncStore::load(store, "s").unwrap()
}

#[test]
fn increments_of_four_processes_from_a_barrier_are_all_counted() {
    if let Some(path) = again::job() {
        return increments(&SqliteStore::new(path));
    }
    let seen = Seen::of("second_tab");
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = SqliteStore::new(&path);
    let first = Batch::root(0_u64.to_le_bytes().to_vec());
    assert_eq!(SyncStore::commit(&store, "s", Expect::Absent, &first, OpId(u64::MAX)), Ok(1));
    let mut writers: Vec<Child> = (0..WRITERS)
        .map(|_| {
            again::child(&again::binary(), WRITES, &path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut answers: Vec<_> = writers.iter_mut().map(lines).collect();
    for answer in &mut answers {
        assert_eq!(answer.next().as_deref(), Some("ready"));
    }
    // The barrier: each begins when its line comes.
    for (writer, nth) in writers.iter_mut().zip(0..) {
        writeln!(writer.stdin.as_mut().unwrap(), "{nth}").unwrap();
    }
    let conflicts: u64 = answers.iter_mut().map(|answer| answer.next().unwrap().parse::<u64>().unwrap()).sum();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    println!("{conflicts} conflicts");
    assert!(conflicts > 0, "the writers never met, so this proved nothing");
    let snapshot = load(&store).unwrap();
    assert_eq!(count(&snapshot), WRITERS * INCREMENTS);
    assert_eq!(snapshot.revision, WRITERS * INCREMENTS + 1);
    seen.kept();
}

/// Says `ready`, waits for its number, and answers how often it met another writer.
fn increments(store: &SqliteStore) {
    SyncStore::open(store).unwrap();
    println!("\n{ANSWER}ready");
    let mut number = String::new();
    std::io::stdin().read_line(&mut number).unwrap();
    let writer: u64 = number.trim().parse().unwrap();
    let mut conflicts = 0;
    for nth in 0..INCREMENTS {
        loop {
            let snapshot = load(store).unwrap();
            // Long enough for another one to come in between.
            std::thread::sleep(Duration::from_millis(1));
            let next = Batch::root((count(&snapshot) + 1).to_le_bytes().to_vec());
            match SyncStore::commit(store, "s", Expect::Revision(snapshot.revision), &next, OpId(writer << 32 | nth)) {
                Ok(_) => break,
                Err(error) => assert_eq!(error.code(), "conflict"),
            }
            conflicts += 1;
        }
    }
    println!("{ANSWER}{conflicts}");
}

fn count(snapshot: &Snapshot) -> u64 {
    u64::from_le_bytes(snapshot.part(Part::Root).unwrap().try_into().unwrap())
}

#[test]
fn a_process_killed_at_any_moment_leaves_every_acknowledged_commit_and_nothing_half() {
    if let Some(path) = again::job() {
        return commit_for_ever(Path::new(&path));
    }
    let mut random = Random::seeded();
    let folder = Folder::new();
    let (mut revision, mut acknowledged, mut half_way, mut unanswered) = (0, 0, 0, 0);
    for kill in 0..KILLS {
        let path = folder.path().join(format!("{}.db", kill / KILLS_PER_DATABASE));
        if kill % KILLS_PER_DATABASE == 0 {
            revision = 0;
        }
        let seen = Seen::of("browser_kill");
        let mut child = again::child(&again::binary(), KILLED, &path).stdout(Stdio::piped()).spawn().unwrap();
        let mut answers = lines(&mut child);
        assert_eq!(answers.next().as_deref(), Some("ready"));
        std::thread::sleep(Duration::from_micros(random.below(60_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let last: u64 = answers.last().map_or(revision, |last| last.parse().unwrap());
        let journal = std::fs::metadata(path.with_extension("db-journal")).map_or(0, |journal| journal.len());
        half_way += u64::from(journal > 0);

        let store = SqliteStore::new(&path);
        let found = load(&store);
        let now = found.as_ref().map_or(0, |snapshot| snapshot.revision);
        assert!(now == last || now == last + 1, "kill {kill}: {last} was acknowledged, {now} is there");
        if let Some(snapshot) = found {
            whole(&snapshot);
        }
        acknowledged += last - revision;
        unanswered += now - last;
        revision = now;
        seen.kept();
    }
    println!(
        "{KILLS} kills: {acknowledged} commits acknowledged, {unanswered} made and not acknowledged, {half_way} undone half way"
    );
    assert!(
        acknowledged > KILLS / 4 && half_way > KILLS / 10,
        "the kills came too late or too early to prove anything"
    );
}

/// Commits as fast as it can, and says each revision when it is acknowledged.
fn commit_for_ever(path: &Path) {
    let odd = path.file_stem().is_some_and(|stem| stem.as_encoded_bytes()[0] % 2 == 1);
    let durability = if odd { Durability::Strict } else { Durability::Relaxed };
    let store = SqliteStore::new(path).with_durability(durability);
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{ANSWER}ready").unwrap();
    let mut revision = load(&store).map_or(0, |snapshot| snapshot.revision);
    loop {
        let expect = if revision == 0 { Expect::Absent } else { Expect::Revision(revision) };
        let stamp = revision + 1;
        let batch = (0..GENERATIONS).fold(Batch::root(stamped(stamp, 1_500)), |batch, number| {
            batch.put(Part::Generation(number), stamped(stamp, GENERATION_BYTES))
        });
        revision = SyncStore::commit(&store, "s", expect, &batch, OpId(stamp)).unwrap();
        writeln!(out, "{ANSWER}{revision}").unwrap();
    }
}

fn stamped(stamp: u64, length: usize) -> Vec<u8> {
    stamp.to_le_bytes().repeat(length / 8)
}

/// All parts are of the commit that the snapshot names.
fn whole(snapshot: &Snapshot) {
    assert_eq!(snapshot.op_id, OpId(snapshot.revision));
    assert_eq!(snapshot.parts.len(), 1 + GENERATIONS as usize);
    for (part, bytes) in &snapshot.parts {
        let length = if *part == Part::Root { 1_500 } else { GENERATION_BYTES };
        assert!(*bytes == stamped(snapshot.revision, length), "{part} is not of revision {}", snapshot.revision);
    }
}

/// What marks a child's answers among what the test harness prints.
const ANSWER: &str = "answer ";

fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines().map_while(Result::ok).filter_map(|line| line.strip_prefix(ANSWER).map(str::to_owned))
}

/// A small generator with a seed that can be given again by the environment.
struct Random(u64);

impl Random {
    fn seeded() -> Self {
        let given = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given
            .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64));
        println!("SEED={seed}");
        Self(seed | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn a_process_killed_while_it_holds_the_lock_gives_it_back_at_once() {
    if let Some(path) = again::job() {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("BEGIN EXCLUSIVE; UPDATE records SET bytes = x'00'").unwrap();
        println!("\n{ANSWER}held");
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let folder = Folder::new();
    let path = folder.path().join("store.db");
    let store = SqliteStore::new(&path);
    assert_eq!(SyncStore::commit(&store, "s", Expect::Absent, &Batch::root(vec![1]), OpId(1)), Ok(1));
    let name = "processes::a_process_killed_while_it_holds_the_lock_gives_it_back_at_once";
    let mut child = again::child(&again::binary(), name, &path).stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(lines(&mut child).next().as_deref(), Some("held"));
    child.kill().unwrap();
    child.wait().unwrap();
    let start = Instant::now();
    assert_eq!(load(&store).unwrap().part(Part::Root), Some([1].as_slice()));
    assert_eq!(SyncStore::commit(&store, "s", Expect::Revision(1), &Batch::root(vec![2]), OpId(2)), Ok(2));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}
