//! One fixed history on the real runner: two passes that help, two that do not, the trip, its probe, pins, an undo.

use std::cell::RefCell;

use compaction_governor::{
    config::Config,
    id::{OpId, OwnerId},
    policy::{Kind, Means},
    record::Root,
    session::{
        Claim, Claimed, Commit, Durability, Event, Open, Operation, Pin, Pinnable, Report, Session, Settings, Settle,
        StoreCommand, StoreReply, Undo, Unpin, Write, run,
    },
    store::{
        Batch, Capabilities, CompareAndSwap, Expect, Part, Revision, Snapshot, Store, StoreError, Survives, SyncStore,
    },
    summary::Finish,
    time::{Millis, Timestamp},
    transcript::{Entry, Role},
};

use crate::store::{SESSION, SimStore};

pub(crate) const START: Timestamp = Timestamp(1_800_000_000_000);

/// The simulated store behind the store trait; every call leaves a crash image from before and one from after it.
#[derive(Default)]
pub(crate) struct Kept {
    store: RefCell<SimStore>,
    pub(crate) images: RefCell<Vec<SimStore>>,
}

impl Kept {
    pub(crate) fn of(store: SimStore) -> Self {
        Self { store: RefCell::new(store), images: RefCell::default() }
    }

    pub(crate) fn root(&self) -> Option<Root> {
        self.store.borrow().root().cloned()
    }

    fn call(&self, command: &StoreCommand) -> StoreReply {
        self.images.borrow_mut().push(self.store.borrow().image());
        let (reply, _) = self.store.borrow_mut().execute(command, START);
        self.images.borrow_mut().push(self.store.borrow().image());
        reply
    }
}

impl SyncStore for Kept {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            compare_and_swap: CompareAndSwap::Linearizable,
            atomic_batch: true,
            survives: Survives::ProcessKill,
            max_value_bytes: None,
        }
    }

    fn open(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load(&self, _: &str) -> Result<Option<Snapshot>, StoreError> {
        match self.call(&StoreCommand::Load) {
            StoreReply::Loaded(loaded) => loaded,
            other => panic!("{other:?}"),
        }
    }

    fn commit(&self, _: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        match self.call(&StoreCommand::Commit { expect, batch: batch.clone(), op }) {
            StoreReply::Committed(committed) => committed,
            other => panic!("{other:?}"),
        }
    }

    fn list(&self, _: Option<&str>, _: usize) -> Result<Vec<String>, StoreError> {
        Ok(vec![SESSION.to_owned()])
    }

    fn remove(&self, _: &str, _: Option<Revision>) -> Result<(), StoreError> {
        panic!("the script removes nothing")
    }

    fn quarantine(&self, _: &str, _: Part, _: &[u8], _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A host that follows the script, whatever its session answers.
pub(crate) struct Host<'a, S: Store> {
    pub(crate) session: RefCell<Session>,
    pub(crate) store: &'a S,
    pub(crate) now: Timestamp,
    fixed: u32,
    entries: u64,
    /// Model calls that were made for summaries.
    pub(crate) paid: u32,
}

impl<'a, S: Store> Host<'a, S> {
    pub(crate) fn new(store: &'a S, owner: u64, now: Timestamp) -> Self {
        let config = Config { context_window: Some(32_768), ..Config::default() };
        let settings = Settings { config, ..Settings::default() };
        let session = Session::new(SESSION, OwnerId(owner), settings, store.capabilities()).expect("valid settings");
        Self { session: RefCell::new(session), store, now, fixed: 4_000, entries: 0, paid: 0 }
    }

    /// Runs one operation; then a little time passes, enough for a store to be tried again.
    pub(crate) fn run<O: Operation>(&mut self, operation: O) -> O::Output {
        let output = pollster::block_on(run(&self.session, self.store, operation, self.now));
        self.now = self.now.after(Millis::secs(20));
        output
    }

    pub(crate) fn open(&mut self) -> compaction_governor::session::Found {
        self.run(Open::new())
    }

    fn say(&mut self) {
        let role = if self.entries.is_multiple_of(2) { Role::User } else { Role::Assistant };
        self.session.borrow_mut().push(Entry::alone(1_000 + self.entries, role, 500));
        self.entries += 1;
    }

    pub(crate) fn show(&mut self, entries: u64) {
        while self.entries < entries {
            self.say();
        }
    }

    pub(crate) fn grow(&mut self) {
        while !self.session.borrow().over_line() {
            self.say();
        }
    }

    pub(crate) fn call(&mut self) {
        let (shown, view_revision, entries) = {
            let session = self.session.borrow();
            (session.view().tokens(), session.state().view_revision, session.index().len())
        };
        let prompt_tokens = self.fixed + u32::try_from(shown).expect("small");
        self.run(Write::new(Report { prompt_tokens, view_revision: Some(view_revision), sent_at: self.now, entries }));
    }

    /// A pass, if one may start, and the reading after it with `more` tokens besides the messages.
    pub(crate) fn pass(&mut self, more: u32) -> bool {
        self.grow();
        let Claimed::Planned(planned) = self.run(Write::rereading(Claim::new(Kind::Auto))) else { return false };
        self.paid += u32::from(planned.pass.means == Means::Model);
        self.run(Write::new(Commit {
            attempt: planned.attempt,
            text: format!("The user asked for {} things. Done: src/a.rs with tests. Open: the rest.", self.entries),
            finish: Finish::Stop,
            fallback: false,
            spent: 900,
            carry: String::new(),
            through: String::new(),
        }));
        self.fixed += more;
        self.call();
        true
    }

    /// The whole script.
    pub(crate) fn play(&mut self) {
        self.open();
        self.pass(0);
        self.pass(0);
        self.pass(16_000);
        self.pass(8_000);
        assert!(!self.pass(0), "two that did not help are enough");
        self.now = self.now.after(Millis::secs(301));
        self.fixed -= 22_000;
        self.pass(0);
        let pin = Pinnable::Text("Never on Fridays.".to_owned());
        let id = pin.id();
        let _ = self.run(Write::new(Pin(pin)));
        self.run(Write::new(Unpin(id)));
        let _ = self.run(Write::new(Undo::new(None)));
        self.run(Write::event(Event::Credentials));
        self.settle();
    }

    /// Whatever was not written yet has had its time.
    pub(crate) fn settle(&mut self) {
        for _ in 0..4 {
            self.now = self.now.after(Millis::secs(61));
            self.run(Write::new(Settle));
        }
    }

    pub(crate) fn durability(&self) -> Durability {
        self.session.borrow().durability()
    }
}
