//! A tab: one session object on a store, with a clock that is set by hand and a host whose fixed part is known.

use compaction_governor::{
    config::Config,
    id::OwnerId,
    policy::{Kind, Verdict},
    session::{
        Claim, Claimed, Commit, Committed, Durability, Event, Fail, Found, Open, Operation, Planned, Report, Reported,
        ResumeError, Session, Settings, Settle, Write, run_sync,
    },
    store::SyncStore,
    summary::Finish,
    time::{Millis, Timestamp},
    tokens::Tokens,
    transcript::{Entry, Role},
};

/// Entries of the scripted conversation are this long, so that figures in tests can be read.
pub(crate) const ENTRY: Tokens = 500;

pub(crate) struct Tab<S: SyncStore> {
    pub(crate) session: Session,
    pub(crate) store: S,
    pub(crate) now: Timestamp,
    /// What the provider counts besides the entries.
    pub(crate) fixed: Tokens,
    entries: u64,
}

impl<S: SyncStore> Tab<S> {
    pub(crate) fn open(store: S, owner: u64, now: Timestamp) -> (Self, Found) {
        let settings =
            Settings { config: Config { context_window: Some(32_768), ..Config::default() }, ..Settings::default() };
        Self::open_with(store, owner, now, settings)
    }

    pub(crate) fn open_with(store: S, owner: u64, now: Timestamp, settings: Settings) -> (Self, Found) {
        Self::open_as("chat", store, owner, now, settings)
    }

    pub(crate) fn open_as(id: &str, store: S, owner: u64, now: Timestamp, settings: Settings) -> (Self, Found) {
        let capabilities = store.capabilities();
        let session = Session::new(id, OwnerId(owner), settings, capabilities).expect("valid settings");
        let mut tab = Self { session, store, now, fixed: 4_000, entries: 0 };
        let found = tab.run(Open::new());
        (tab, found)
    }

    pub(crate) fn run<O: Operation>(&mut self, operation: O) -> O::Output {
        run_sync(&mut self.session, &self.store, operation, self.now)
    }

    pub(crate) fn wait(&mut self, length: Millis) {
        self.now = self.now.after(length);
    }

    /// The host shows what it has behind the last summary, as after a reload in tail mode.
    pub(crate) fn observe_behind(&mut self, after: &str, entries: u64) -> Result<(), ResumeError> {
        let (_, next) = self.session.resume(after, &[])?;
        self.entries = next.into();
        self.observe(entries);
        Ok(())
    }

    /// The host shows its whole transcript again, as after a reload.
    pub(crate) fn observe(&mut self, entries: u64) {
        while self.entries < entries {
            let role = if self.entries.is_multiple_of(2) { Role::User } else { Role::Assistant };
            self.session.push(Entry::alone(1_000 + self.entries, role, ENTRY));
            self.entries += 1;
        }
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Turns without reports, until the prompt is at the threshold.
    pub(crate) fn grow_to_threshold(&mut self) {
        while !self.session.over_line() {
            self.observe(self.entries + 2);
        }
    }

    /// One model call: the provider counts the fixed part and the view.
    pub(crate) fn call(&mut self) -> Reported {
        let counted = self.fixed + self.view_tokens();
        self.report(counted)
    }

    pub(crate) fn report(&mut self, prompt_tokens: Tokens) -> Reported {
        let view_revision = Some(self.session.state().view_revision);
        let entries = self.session.index().len();
        let report = Report { prompt_tokens, view_revision, sent_at: self.now, entries };
        self.run(Write::new(report))
    }

    pub(crate) fn view_tokens(&self) -> Tokens {
        Tokens::try_from(self.session.view().tokens()).expect("small")
    }

    pub(crate) fn settle(&mut self) {
        self.run(Write::new(Settle));
    }

    pub(crate) fn event(&mut self, event: Event) -> compaction_governor::session::Happened {
        self.run(Write::event(event))
    }

    pub(crate) fn claim(&mut self, kind: Kind) -> Claimed {
        self.run(Write::rereading(Claim::new(kind)))
    }

    pub(crate) fn claimed(&mut self) -> Planned {
        match self.claim(Kind::Auto) {
            Claimed::Planned(planned) => planned,
            other => panic!("refused: {other:?}"),
        }
    }

    pub(crate) fn commit(&mut self, planned: &Planned, text: &str) -> Committed {
        self.commit_with(planned, text, "")
    }

    pub(crate) fn commit_with(&mut self, planned: &Planned, text: &str, carry: &str) -> Committed {
        let attempt = planned.attempt;
        self.run(Write::new(Commit {
            attempt,
            text: text.to_owned(),
            finish: Finish::Stop,
            fallback: false,
            spent: 900,
            carry: carry.to_owned(),
            through: format!("m{}", planned.plan.cut),
        }))
    }

    pub(crate) fn fail(&mut self, planned: &Planned, class: compaction_governor::policy::FailureClass) {
        self.run(Write::new(Fail { attempt: planned.attempt, class, retry_after: None }));
    }

    /// A whole pass that lands, and whatever the provider counts afterwards.
    pub(crate) fn pass(&mut self) -> Reported {
        let planned = self.claimed();
        assert!(matches!(self.commit(&planned, SUMMARY), Committed::Live { .. }));
        self.call()
    }

    /// A pass after which the host puts `more` tokens outside the messages into its prompt.
    pub(crate) fn spoilt_pass(&mut self, more: Tokens) -> Verdict {
        let planned = self.claimed();
        assert!(matches!(self.commit(&planned, SUMMARY), Committed::Live { .. }));
        self.fixed += more;
        self.call().verdict.expect("a fresh report gives the verdict").verdict
    }

    pub(crate) fn durability(&self) -> Durability {
        self.session.durability()
    }
}

/// An honest summary.
pub(crate) const SUMMARY: &str =
    "The user asked for a login page. Done: src/auth.rs with tests. Open: password reset by mail.";
