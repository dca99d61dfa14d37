//! A tab for the clauses: one session object on a store that is awaited, and a clock that is set by hand.

use core::cell::RefCell;

use crate::config::Config;
use crate::id::{OpId, OwnerId};
use crate::policy::{FailureClass, Kind};
use crate::record::{Loaded, Root, load_root};
use crate::session::{
    Claim, Claimed, Fail, Found, Open, Operation, Pin, PinError, Pinnable, Pinned, Session, Settings, Settle, Write,
    run,
};
use crate::store::{Batch, Expect, Part, Snapshot, Store};
use crate::time::{Millis, Timestamp};
use crate::transcript::{Entry, Role};

/// The session of every clause.
pub(super) const SESSION: &str = "a session";
/// When every clause begins.
pub(super) const START: Timestamp = Timestamp(1_800_000_000_000);

pub(super) struct Tab<'s, S> {
    pub(super) session: RefCell<Session>,
    store: &'s S,
    pub(super) now: Timestamp,
}

impl<'s, S: Store> Tab<'s, S> {
    /// A new session object, as of `owner`, which opens the record that `store` holds.
    pub(super) async fn open(store: &'s S, owner: u64, now: Timestamp) -> (Self, Found) {
        let config = Config { context_window: Some(32_768), ..Config::default() };
        let settings = Settings { config, ..Settings::default() };
        let session = Session::new(SESSION, OwnerId(owner), settings, store.capabilities()).expect("valid settings");
        let tab = Self { session: RefCell::new(session), store, now };
        let found = tab.run(Open::new()).await;
        (tab, found)
    }

    pub(super) async fn run<O: Operation>(&self, operation: O) -> O::Output {
        run(&self.session, self.store, operation, self.now).await
    }

    /// The smallest durable change that a person can make.
    pub(super) async fn pin(&self, text: &str) -> Result<Pinned, PinError> {
        self.run(Write::rereading(Pin(Pinnable::Text(text.to_owned())))).await
    }

    /// A pass that was claimed and whose summariser asks to wait for `wait`.
    pub(super) async fn claim_and_fail(&self, wait: Millis) {
        for id in 0.. {
            if self.session.borrow().over_line() {
                break;
            }
            let role = if id % 2 == 0 { Role::User } else { Role::Assistant };
            self.session.borrow_mut().push(Entry::alone(1_000 + id, role, 500));
        }
        let Claimed::Planned(planned) = self.run(Write::rereading(Claim::new(Kind::Auto))).await else {
            panic!("a conversation over its threshold could not be claimed");
        };
        let fail = Fail { attempt: planned.attempt, class: FailureClass::RateLimit, retry_after: Some(wait) };
        self.run(Write::new(fail)).await;
    }

    /// Later, what could not be written is tried again.
    pub(super) async fn settle_after(&mut self, length: Millis) {
        self.now = self.now.after(length);
        self.run(Write::new(Settle)).await;
    }
}

/// Commits `root` as the record of the session, in the place of what is there.
pub(super) async fn plant<S: Store>(store: &S, root: Vec<u8>, op: u64) {
    let held = store.load(SESSION).await.expect("a load succeeds");
    let expect = held.map_or(Expect::Absent, |snapshot| Expect::Revision(snapshot.revision));
    store.commit(SESSION, expect, &Batch::root(root), OpId(op)).await.expect("a commit that is in order succeeds");
}

/// All that is held for the session.
pub(super) async fn held<S: Store>(store: &S) -> Snapshot {
    store.load(SESSION).await.expect("a load succeeds").expect("the session is there")
}

/// The bytes of the root record that is held.
pub(super) async fn root_bytes<S: Store>(store: &S) -> Vec<u8> {
    held(store).await.part(Part::Root).expect("every snapshot has a root record").to_vec()
}

/// The root record that is held, which must be a good one.
pub(super) async fn root<S: Store>(store: &S) -> Root {
    match load_root(Some(&root_bytes(store).await), SESSION, START) {
        Loaded::Found { root, .. } => root,
        other => panic!("the record cannot be read: {other:?}"),
    }
}
