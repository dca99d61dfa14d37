//! A Rust host with a store of its own: sessions as files of one folder, replaced by renaming.
//!
//! The host opens a session, pushes its entries, asks, claims, commits a summary, reports what the provider counted. Two
//! passes do not help, so the guard stops a third one; a restart of the host changes nothing about that.
//!
//! `cargo run --example injected_store [folder]`

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use compaction_governor::config::Config;
use compaction_governor::id::{OpId, OwnerId};
use compaction_governor::policy::Kind;
use compaction_governor::session::{Claim, Claimed, Commit, Open, Report, Session, Settings, Write, run_sync};
use compaction_governor::store::{
    Batch, Capabilities, CompareAndSwap, Expect, Part, QUARANTINE_PER_SESSION, Revision, Snapshot, StoreError,
    StoreErrorKind, Survives, SyncStore,
};
use compaction_governor::summary::Finish;
use compaction_governor::time::Timestamp;
use compaction_governor::transcript::{Entry, Role};

/// One file per session, of chunks: revision and operation, then name and bytes of each part in order.
#[derive(Debug)]
pub(crate) struct FolderStore {
    folder: PathBuf,
    closed: AtomicBool,
}

impl FolderStore {
    /// A store in `folder`, which is made with the first call where it is missing.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), closed: AtomicBool::new(false) }
    }

    /// The lock of all processes, free when the file is dropped: also by a kill. Nobody holds it across two calls.
    fn lock(&self) -> Result<File, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::not_applied(StoreErrorKind::Closed));
        }
        let locked = fs::create_dir_all(&self.folder).and_then(|()| {
            let file = OpenOptions::new().create(true).append(true).open(self.folder.join("lock"))?;
            file.lock().map(|()| file)
        });
        locked.map_err(failed)
    }

    /// In hexadecimal digits: an id may hold any character, a file's name may not.
    fn path(&self, session: &str, end: &str) -> PathBuf {
        let name: String = session.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("s{name}.{end}"))
    }

    fn read(&self, session: &str, end: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(self.path(session, end)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// The old file or the new one, whenever the process dies.
    fn replace(&self, session: &str, end: &str, chunks: &[&[u8]]) -> Result<(), StoreError> {
        let written = || {
            let mut file = File::create(self.folder.join("next"))?;
            for chunk in chunks {
                file.write_all(&(chunk.len() as u64).to_le_bytes())?;
                file.write_all(chunk)?;
            }
            file.sync_all()
        };
        written().map_err(failed)?;
        // Whether a rename that failed has happened is for the next load to say.
        fs::rename(self.folder.join("next"), self.path(session, end)).map_err(|error| maybe(failed(error)))
    }

    fn delete(&self, session: &str, end: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.path(session, end)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(maybe(failed(error))),
            _ => Ok(()),
        }
    }

    fn snapshot(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        let Some(bytes) = self.read(session, "session")? else { return Ok(None) };
        decode(&bytes).map(Some).ok_or_else(|| StoreError::not_applied(StoreErrorKind::Corrupt))
    }

    fn set_aside(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let (kept, part) = (self.read(session, "aside")?.unwrap_or_default(), part.to_string());
        let mut chunks = chunks(&kept).unwrap_or_default();
        chunks.extend([part.as_bytes(), reason.as_bytes(), bytes]);
        let first = chunks.len().saturating_sub(3 * QUARANTINE_PER_SESSION);
        self.replace(session, "aside", &chunks[first..])
    }
}

impl SyncStore for FolderStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: None,
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        self.lock().map(drop)
    }

    fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        let _lock = self.lock()?;
        self.snapshot(session)
    }

    fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let _lock = self.lock()?;
        batch.check(&SyncStore::capabilities(self))?;
        let mut parts = Vec::new();
        let actual = match self.snapshot(session) {
            // The last operation once more: its acknowledgement was lost.
            Ok(Some(snapshot)) if snapshot.op_id == op => return Ok(snapshot.revision),
            Ok(found) => found.map(|snapshot| {
                parts = snapshot.parts;
                snapshot.revision
            }),
            Err(error) if error.kind == StoreErrorKind::Corrupt && expect == Expect::Absent => {
                let bytes = self.read(session, "session")?.unwrap_or_default();
                self.set_aside(session, Part::Root, &bytes, "unreadable")?;
                None
            }
            Err(error) => return Err(error),
        };
        expect.check(actual)?;
        parts.retain(|(part, _)| !batch.deletes.contains(part));
        for (part, bytes) in &batch.puts {
            parts.retain(|(kept, _)| kept != part);
            parts.push((*part, bytes.clone()));
        }
        parts.sort_by_key(|(part, _)| *part);
        let snapshot = Snapshot { revision: actual.unwrap_or(0) + 1, op_id: op, parts };
        let head = [snapshot.revision.to_le_bytes(), op.0.to_le_bytes()].concat();
        let names: Vec<String> = snapshot.parts.iter().map(|(part, _)| part.to_string()).collect();
        let parts = names.iter().zip(&snapshot.parts).flat_map(|(name, (_, bytes))| [name.as_bytes(), bytes]);
        let chunks: Vec<&[u8]> = core::iter::once(head.as_slice()).chain(parts).collect();
        self.replace(session, "session", &chunks)?;
        Ok(snapshot.revision)
    }

    fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let _lock = self.lock()?;
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            ids.extend(name.to_str().and_then(|name| id(name.strip_prefix('s')?.strip_suffix(".session")?)));
        }
        ids.sort_unstable();
        Ok(ids.into_iter().filter(|id| after.is_none_or(|after| id.as_str() > after)).take(limit).collect())
    }

    fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        if let Some(expected) = expect {
            Expect::Revision(expected).check(self.snapshot(session)?.map(|snapshot| snapshot.revision))?;
        }
        self.delete(session, "aside")?;
        self.delete(session, "session")
    }

    fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        self.set_aside(session, part, bytes, reason)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.closed.store(true, Ordering::Release);
        Ok(())
    }
}

fn chunks(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut chunks = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let (chunk, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        chunks.push(chunk);
        bytes = rest;
    }
    bytes.is_empty().then_some(chunks)
}

fn decode(bytes: &[u8]) -> Option<Snapshot> {
    let chunks = chunks(bytes)?;
    let (head, parts) = chunks.split_first()?;
    let (revision, op) = head.split_first_chunk()?;
    let part = |pair: &[&[u8]]| Some((Part::parse(str::from_utf8(pair[0]).ok()?)?, pair.get(1)?.to_vec()));
    let parts: Vec<_> = parts.chunks(2).map(part).collect::<Option<_>>()?;
    parts.first().filter(|(part, _)| *part == Part::Root)?;
    let op_id = OpId(u64::from_le_bytes(op.try_into().ok()?));
    Some(Snapshot { revision: u64::from_le_bytes(*revision), op_id, parts })
}

fn id(hex: &str) -> Option<String> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    String::from_utf8(pairs.collect::<Option<_>>()?).ok()
}

/// What the system said, as one of the store's own words where there is one.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn failed(error: io::Error) -> StoreError {
    StoreError::not_applied(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreErrorKind::QuotaExceeded,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly,
        kind => StoreErrorKind::Backend { name: kind.to_string() },
    })
}

fn maybe(error: StoreError) -> StoreError {
    StoreError::maybe_applied(error.kind)
}

/// The host: one conversation, whose fixed part (system prompt, tools) it knows.
#[derive(Debug)]
struct Host {
    session: Session,
    store: FolderStore,
    now: Timestamp,
    fixed: u32,
}

impl Host {
    /// Opens the conversation as it was left, and shows it the entries again.
    fn start(folder: &Path, owner: u64, now: Timestamp, entries: u64, fixed: u32) -> Self {
        let store = FolderStore::new(folder);
        let config = Config { context_window: Some(32_768), ..Config::default() };
        let settings = Settings { config, ..Settings::default() };
        let capabilities = SyncStore::capabilities(&store);
        let mut session = Session::new("chat", OwnerId(owner), settings, capabilities).expect("the settings are valid");
        let found = run_sync(&mut session, &store, Open::new(), now);
        println!("opened: {}", found.code());
        let mut host = Self { session, store, now, fixed };
        (0..entries).for_each(|_| host.say());
        host
    }

    /// One more message of 500 tokens: numbers only, its text stays with the host.
    fn say(&mut self) {
        let number = u64::from(self.session.index().len());
        let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
        self.session.push(Entry::alone(number + 1, role, 500));
    }

    /// Talks until a compaction is due.
    fn talk(&mut self) {
        while !self.session.over_line() {
            self.say();
        }
    }

    /// What holds now, as the word a program would look at.
    fn decision(&self) -> &'static str {
        self.session.decide(self.now).reason()
    }

    /// How many messages there are.
    fn entries(&self) -> u64 {
        self.session.index().len().into()
    }

    /// One pass: the intent is stored, a model writes, the summary is stored, the next call tells whether it helped.
    /// Answers whether it was let through.
    fn compact(&mut self, more: u32) -> bool {
        let claim = Write::rereading(Claim::new(Kind::Auto));
        let Claimed::Planned(planned) = run_sync(&mut self.session, &self.store, claim, self.now) else {
            return false;
        };
        let commit = Commit {
            attempt: planned.attempt,
            text: "The user asked for a login page. Done: src/auth.rs. Open: password reset.".to_owned(),
            finish: Finish::Stop,
            fallback: false,
            spent: 900,
            carry: String::new(),
            through: format!("message {}", planned.plan.cut),
        };
        run_sync(&mut self.session, &self.store, Write::new(commit), self.now);
        // A tool list that grows by as much as the summary saved is what makes compacting useless.
        self.fixed += more;
        let view = u32::try_from(self.session.view().tokens()).expect("a view fits its window");
        let report = Report {
            prompt_tokens: self.fixed + view,
            view_revision: Some(self.session.state().view_revision),
            sent_at: self.now,
            entries: self.session.index().len(),
        };
        let reported = run_sync(&mut self.session, &self.store, Write::new(report), self.now);
        println!("compacted: {:?}", reported.verdict.map(|settled| settled.verdict));
        true
    }
}

/// Runs the host in `folder`, twice; answers what it decided before and after its restart.
pub(crate) fn run(folder: &Path) -> [&'static str; 2] {
    let now = Timestamp(1_800_000_000_000);
    let mut host = Host::start(folder, 1, now, 0, 4_000);
    for more in [16_000, 8_000] {
        host.talk();
        assert!(host.compact(more), "a pass is due and nothing is in its way");
    }
    host.talk();
    let before = host.decision();
    assert!(!host.compact(0), "the guard stops the third pass");
    println!("stopped: {before}; restarting");
    let (entries, fixed) = (host.entries(), host.fixed);
    drop(host);
    let mut host = Host::start(folder, 2, now, entries, fixed);
    let after = host.decision();
    assert!(!host.compact(0), "the guard is remembered");
    println!("still stopped: {after}");
    [before, after]
}

fn main() {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = given
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("compaction-governor-example-{}", std::process::id())));
    let [before, after] = run(&folder);
    assert_eq!(before, after);
    if given.is_none() {
        // Nothing that anybody asked to be kept.
        let _ = fs::remove_dir_all(&folder);
    }
}
