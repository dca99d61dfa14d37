//! The plain events of a session: each is applied in memory and written through.

use crate::{
    id::{AttemptId, ModelId},
    policy::{self, Decision, Event as PolicyEvent, Ignored, Outcome, Settled},
    record::Anchor,
    session::{
        Session, Status,
        sight::{self, RefusedPrompt, narrow, scaled},
        write::{Mutated, Mutation, Write},
    },
    time::Timestamp,
    tokens::Tokens,
};

/// Does what time alone has made due, takes note of a new user turn, and tries again what could not be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settle;

/// A model call completed and its provider counted the prompt.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// What it counted, cache reads included.
    pub prompt_tokens: Tokens,
    /// The view revision that the request was stamped with.
    pub view_revision: Option<u32>,
    /// When the request was sent.
    pub sent_at: Timestamp,
    /// Entries of the transcript that the prompt covered.
    pub entries: u32,
}

/// What came of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Why it changed nothing.
    pub ignored: Option<Ignored>,
    /// The verdict it settled.
    pub verdict: Option<Settled>,
}

/// Everything else that can happen.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A model call completed and no usage came with it.
    StepWithoutUsage {
        /// The view revision that the request was stamped with.
        view_revision: u32,
    },
    /// The provider refused a prompt as too long.
    Overflow {
        /// The view revision that the request was stamped with.
        view_revision: u32,
        /// The limit that the error stated.
        limit: Option<Tokens>,
    },
    /// The attempt is still being worked on.
    Renewed(AttemptId),
    /// The host gave the attempt up: no failure and no strike; only a third one in a row earns a short cooldown (rule 12).
    Cancelled(AttemptId),
    /// Another model is in force.
    Model(ModelId),
    /// The host's credentials changed.
    Credentials,
    /// Forget everything but the view.
    Reset,
}

/// What came of an [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Why it changed nothing.
    pub ignored: Option<Ignored>,
    /// What holds now; after an overflow, whether a pass may start for it.
    pub decision: Decision,
}

impl Mutation for Settle {
    type Output = ();

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<()> {
        session.pass_time(now);
        Mutated::root_only(())
    }
}

impl Mutation for Report {
    type Output = Reported;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Reported> {
        let entries = self.entries.min(session.index().len());
        let estimated = session.estimate_at(entries);
        let report = policy::Report {
            prompt_tokens: self.prompt_tokens,
            view_revision: self.view_revision,
            sent_at: self.sent_at,
            entries,
            estimated,
            appended_since_claim: sight::appended_since_claim(session, entries),
        };
        let applied = session.apply(PolicyEvent::UsageReported(report), now);
        let ignored = ignored(&applied.outcome);
        if ignored.is_none() {
            session.anchor(self.prompt_tokens, entries, now);
        }
        Mutated::root_only(Reported { ignored, verdict: applied.verdict })
    }
}

impl Mutation for Event {
    type Output = Happened;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Happened> {
        let event = match *self {
            Self::StepWithoutUsage { view_revision } => PolicyEvent::StepWithoutUsage { view_revision },
            Self::Overflow { view_revision, limit } => PolicyEvent::OverflowProven { view_revision, limit },
            Self::Renewed(attempt) => PolicyEvent::Renewed { attempt },
            Self::Cancelled(attempt) => {
                session.note_cancelled(attempt);
                PolicyEvent::Abandoned { attempt }
            }
            Self::Credentials => PolicyEvent::CredentialsChanged,
            Self::Reset => PolicyEvent::Reset,
            Self::Model(model) => {
                session.set_model(model);
                PolicyEvent::ModelChanged
            }
        };
        let ignored = ignored(&session.apply(event, now).outcome);
        match (&*self, ignored) {
            (Self::Overflow { view_revision, .. }, None) => {
                let entries = session.index().len();
                session.note_refused_prompt(Some(RefusedPrompt { view_revision: *view_revision, entries }));
            }
            (Self::StepWithoutUsage { .. }, None) => session.note_refused_prompt(None),
            _ => {}
        }
        let decision = match self {
            Self::Overflow { .. } => policy::decide_overflow(session.state(), &session.seen(), now),
            _ => session.decide(now),
        };
        Mutated::root_only(Happened { ignored, decision })
    }

    fn ended(&mut self, session: &mut Session, _: &Happened) {
        if let Self::Cancelled(attempt) = *self {
            session.end_planned(attempt);
        }
    }
}

impl Write<Event> {
    /// Writes `event` through. A reset is made on what the store holds: a tab with an empty memory has nothing to write.
    #[must_use]
    pub fn event(event: Event) -> Self {
        match event {
            Event::Reset => Self::rereading(event),
            _ => Self::new(event),
        }
    }
}

impl Session {
    /// Forgets the entries from `len` on: the host edited, regenerated or switched branches. Changes nothing durable.
    pub fn truncate(&mut self, len: u32) {
        self.truncate_index(len);
        let entries = self.index().len();
        let user_turns = self.index().user_turns();
        // This event reads no time.
        self.apply(PolicyEvent::TranscriptCut { entries, user_turns }, Timestamp::default());
        self.edit_root(|root| {
            if let Some(anchor) = root.anchor.as_mut().filter(|anchor| anchor.entries > entries) {
                // It counted entries that are gone: only what it taught of the fixed part stays.
                anchor.entries = u32::MAX;
            }
        });
    }

    /// What time alone has made due, and a user turn that was not seen yet.
    pub(super) fn pass_time(&mut self, now: Timestamp) {
        self.apply(PolicyEvent::TimePassed, now);
        let ordinal = self.index().user_turns();
        if ordinal > self.state().guards.user_turn {
            self.apply(PolicyEvent::UserTurn { ordinal }, now);
        }
    }

    fn note_cancelled(&mut self, attempt: AttemptId) {
        let planned = self.planned().filter(|planned| planned.attempt == attempt);
        if let Some(notice) = planned.map(|planned| planned.notice(Status::Cancelled, None, None)) {
            self.notify(notice);
        }
    }

    fn estimate_at(&self, entries: u32) -> Tokens {
        sight::occupancy(self, &self.sight().view, entries).0
    }

    /// Between two reports on one view only entries came: what these count for the model, and what they were estimated at.
    fn learn_from(&mut self, prompt_tokens: Tokens, entries: u32) {
        let view_revision = self.state().view_revision;
        if let Some(last) = self
            .root()
            .anchor
            .filter(|last| self.reported_here() && last.view_revision == view_revision && last.entries < entries)
        {
            let estimated = narrow(self.index().tokens(last.entries..entries));
            self.learn(prompt_tokens.saturating_sub(last.prompt_tokens), estimated);
        }
    }

    /// The report becomes what occupancy starts from, and what it leaves after the entries is the overhead (rule 2).
    fn anchor(&mut self, prompt_tokens: Tokens, entries: u32, now: Timestamp) {
        let left_out = self.index().tokens(entries..self.index().len());
        let shown = narrow(sight::shown_tokens(self, &self.sight().view).saturating_sub(left_out));
        let view_revision = self.state().view_revision;
        self.learn_from(prompt_tokens, entries);
        let overhead = prompt_tokens.saturating_sub(scaled(shown.into(), self.ratio()));
        self.note_reported_here(true);
        self.note_refused_prompt(None);
        self.edit_root(|root| root.anchor = Some(Anchor { prompt_tokens, view_revision, entries, overhead, at: now }));
    }
}

fn ignored(outcome: &Outcome) -> Option<Ignored> {
    match outcome {
        Outcome::Ignored(why) => Some(*why),
        Outcome::Taken | Outcome::Refused(_) => None,
    }
}
