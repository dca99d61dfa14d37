//! Ending an attempt: a summary that is accepted becomes live with its covered range, in one commit; anything else
//! leaves history as it was.

use crate::{
    id::AttemptId,
    policy::{Event, Failure, FailureClass, Ignored, Kind, Means, Outcome},
    record::{Bounds, Generation, Kept, Summary},
    session::{
        Planned, Session, Status,
        resume::kept_id,
        sight::UNSCALED,
        write::{Mutated, Mutation, Parts},
    },
    summary::{self, Finish, Limits, Rejection},
    time::{Millis, Timestamp},
    tokens::{Tokens, rough},
    view,
};

/// A summary for the attempt, from a model or without one.
#[derive(Clone)]
pub struct Commit {
    /// The attempt.
    pub attempt: AttemptId,
    /// What was written.
    pub text: String,
    /// How the provider says that it ended.
    pub finish: Finish,
    /// Whether it was written without a model.
    pub fallback: bool,
    /// What the summariser was paid for, in tokens.
    pub spent: Tokens,
    /// What the host wants behind the summary word for word from now on; empty for nothing.
    pub carry: String,
    /// The host's id of the last message before the cut; empty where it has none.
    pub through: String,
}

/// What came of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// The summary is live.
    Live {
        /// Occupancy at the claim.
        before: Tokens,
        /// Estimated occupancy now.
        after: Tokens,
    },
    /// The text is no summary; history stays as it was.
    Rejected {
        /// Why.
        rejection: Rejection,
        /// When the cooldown ends that this earned.
        retry_at: Option<Timestamp>,
    },
    /// Another tab, an edit or time overtook the attempt: no failure, nothing is lost.
    Superseded,
}

/// The attempt ended without a summary.
#[derive(Clone, Copy, Debug)]
pub struct Fail {
    /// The attempt.
    pub attempt: AttemptId,
    /// How.
    pub class: FailureClass,
    /// What the provider asked to wait.
    pub retry_after: Option<Millis>,
}

/// What came of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// When the cooldown ends that this earned.
    pub retry_at: Option<Timestamp>,
    /// A plain summary (no model) is to take the model's place: nothing was recorded, commit it instead (rule 8).
    pub fallback: bool,
}

/// Says how long the text is, never what it says.
impl core::fmt::Debug for Commit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Commit")
            .field("attempt", &self.attempt)
            .field("text_bytes", &self.text.len())
            .field("carry_bytes", &self.carry.len())
            .field("fallback", &self.fallback)
            .finish_non_exhaustive()
    }
}

/// A late result is committed on whatever root the store holds by then, as long as three things are as they were at the
/// claim: the attempt runs, the covered range is unchanged, and so is the summary that it takes in. Then only entries
/// were appended. A conflict makes it again on the newer root, under the same conditions; otherwise it is superseded.
impl Mutation for Commit {
    type Output = Committed;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Committed> {
        // Once, however often it is made again.
        session.owe(core::mem::take(&mut self.spent));
        let Some(planned) = session.planned().filter(|planned| planned.attempt == self.attempt).cloned() else {
            return Mutated::root_only(Committed::Superseded);
        };
        if let Some(live) = self.landed(session, &planned) {
            return Mutated::root_only(live);
        }
        if !holds(session, &planned) {
            return Mutated::root_only(superseded(session, &planned, now));
        }
        let text = self.text.clone();
        match session.judge(&planned, &text, self.finish) {
            Ok(accepted) => {
                let received = session.received_of(self.attempt).cloned();
                let held = received.as_ref().map(|received| received.text.as_str());
                let accepted =
                    held.map_or(accepted, |text| summary::Accepted { text, tokens: rough(text.len() as u64) });
                self.live(session, &planned, accepted, now)
            }
            Err(rejection) => Mutated::root_only(rejected(session, &planned, rejection, now)),
        }
    }

    fn ended(&mut self, session: &mut Session, _: &Committed) {
        session.end_planned(self.attempt);
    }
}

impl Commit {
    /// It went through before another writer came, and its acknowledgement was lost: the store's list names the attempt.
    fn landed(&self, session: &mut Session, planned: &Planned) -> Option<Committed> {
        if !session.names(self.attempt) {
            return None;
        }
        session.owed_was_written();
        let after = session.observation().occupancy;
        session.notify(planned.notice(Status::Completed, Some(after), None));
        Some(Committed::Live { before: planned.before, after })
    }

    fn live(
        &self,
        session: &mut Session,
        planned: &Planned,
        accepted: summary::Accepted<'_>,
        now: Timestamp,
    ) -> Mutated<Committed> {
        let last_resort = planned.pass.means == Means::LastResort;
        let event = match last_resort {
            true => Event::LastResort,
            false => Event::Committed { attempt: self.attempt, fallback: self.fallback },
        };
        if let Outcome::Ignored(Ignored::NotThisAttempt) = session.apply(event, now).outcome {
            return Mutated::root_only(superseded(session, planned, now));
        }
        let parts = session.make_live(self, planned, accepted.tokens, accepted.text, now);
        let after = session.observation().occupancy;
        Mutated { output: Committed::Live { before: planned.before, after }, parts }
    }

    fn generation(
        &self,
        session: &Session,
        planned: &Planned,
        number: u32,
        tokens: Tokens,
        now: Timestamp,
    ) -> Generation {
        let covers = view::Generation::of(session.index(), &planned.plan, number, tokens);
        Generation {
            number,
            attempt: self.attempt,
            at: now,
            kind: planned.kind,
            probe: planned.pass.probe.is_some(),
            covered_entries: covers.covered_count,
            covered_last_id: covers.covered_last_id,
            matched_entries: (covers.matched_count != covers.covered_count).then_some(covers.matched_count),
            fingerprint: covers.fingerprint,
            pinned: covers.pinned,
            before_tokens: planned.before,
            after_tokens: None,
            summary_tokens: tokens,
            prune: false,
            fallback: self.fallback,
            last_resort: planned.pass.means == Means::LastResort,
            verdict: None,
            unknown: crate::record::Unknown::default(),
        }
    }
}

impl Mutation for Fail {
    type Output = Failed;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Failed> {
        let planned = session.planned().filter(|planned| planned.attempt == self.attempt).cloned();
        let automatic = planned.as_ref().is_some_and(|planned| planned.kind != Kind::Manual);
        if automatic && session.settings().fallback.contains(&self.class) {
            return Mutated::root_only(Failed { retry_at: None, fallback: true });
        }
        let failure = Failure { class: self.class, grew: false, retry_after: self.retry_after };
        let outcome = session.apply(Event::Failed { attempt: self.attempt, failure }, now).outcome;
        if let Some(planned) = planned {
            session.notify(match outcome {
                Outcome::Ignored(_) => planned.notice(Status::Cancelled, None, None),
                _ => planned.notice(Status::Failed, None, Some(self.class.code())),
            });
        }
        Mutated::root_only(Failed { retry_at: cooldown(session, now), fallback: false })
    }

    fn ended(&mut self, session: &mut Session, output: &Failed) {
        if !output.fallback {
            session.end_planned(self.attempt);
        }
    }
}

impl Session {
    /// Counts what a summariser was paid for, whatever comes of its answer. It rides along with the next write; what another
    /// writer leaves in the store meanwhile does not undo it.
    pub fn owe(&mut self, tokens: Tokens) {
        self.link_mut().owed_tokens += u64::from(tokens);
        self.edit_root(|root| root.spent_tokens = root.spent_tokens.saturating_add(tokens.into()));
    }

    /// The store's count has it already, and it was added once more to what was read.
    fn owed_was_written(&mut self) {
        let owed = core::mem::take(&mut self.link_mut().owed_tokens);
        self.edit_root(|root| root.spent_tokens = root.spent_tokens.saturating_sub(owed));
    }

    /// Makes an accepted summary live, with the range it covers; the parts that go into the same store commit.
    pub(super) fn make_live(
        &mut self,
        commit: &Commit,
        planned: &Planned,
        tokens: Tokens,
        text: &str,
        now: Timestamp,
    ) -> Parts {
        let carry = self.admitted_carry(&commit.carry, planned);
        let number = self.next_number();
        let generation = commit.generation(self, planned, number, tokens, now);
        let bounds = Bounds { slice_tokens: planned.plan.slice_tokens, cap: planned.plan.summary_cap };
        let summary = Summary {
            carry,
            bounds: Some(bounds),
            kept: self
                .received_of(commit.attempt)
                .map(|received| Kept { found: received.receipt.found, kept: received.receipt.kept }),
            pruned: planned.plan.pruned.clone(),
            capped: planned.plan.capped.clone(),
            through: kept_id(&commit.through),
            behind: self.behind(&planned.plan),
            ..Summary::new(self.id(), number, commit.attempt, text)
        };
        let parts = self.add_generation(generation, summary);
        self.notify(planned.notice(Status::Completed, Some(self.observation().occupancy), None));
        parts
    }
}

/// What a summary for `planned` has to stay below.
#[must_use]
pub fn limits(planned: &Planned) -> Limits {
    Limits { slice_tokens: planned.plan.slice_tokens, cap: planned.plan.summary_cap, scale_permille: UNSCALED }
}

/// Whether the transcript only grew since the claim, and nobody put another summary under it.
fn holds(session: &Session, planned: &Planned) -> bool {
    session.index().fingerprint(planned.plan.cut) == planned.fingerprint
        && session.sight().view.generation() == planned.previous
}

fn superseded(session: &mut Session, planned: &Planned, now: Timestamp) -> Committed {
    session.apply(Event::Abandoned { attempt: planned.attempt }, now);
    session.notify(planned.notice(Status::Cancelled, None, None));
    Committed::Superseded
}

fn rejected(session: &mut Session, planned: &Planned, rejection: Rejection, now: Timestamp) -> Committed {
    let grew = matches!(rejection, Rejection::Grew { .. });
    let failure = Failure { class: FailureClass::BadSummary, grew, retry_after: None };
    session.apply(Event::Failed { attempt: planned.attempt, failure }, now);
    session.notify(planned.notice(Status::Failed, None, Some(rejection.code())));
    Committed::Rejected { rejection, retry_at: cooldown(session, now) }
}

fn cooldown(session: &Session, now: Timestamp) -> Option<Timestamp> {
    session.state().guards.failures.cooldown.map(|cooldown| cooldown.until).filter(|until| now < *until)
}
