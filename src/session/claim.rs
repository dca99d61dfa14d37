//! Claiming: the intent is in the store before a model is called, on the state that is there, or it is refused.

use crate::{
    config::Line,
    id::AttemptId,
    plan::{self, CapInput, Capping, PlanInput, Refusal, SlicePlan, summary_cap},
    policy::{
        self, Action, Block, Blocked, Decision, Event, Kind, Means, Observation, Outcome, Pass, RefusedKind, Trigger,
        Wait,
    },
    session::{
        Notice, Session, Status,
        sight::{Sight, fixed_tokens},
        write::{Mutated, Mutation, Parts},
    },
    time::Timestamp,
    tokens::Tokens,
};

/// An attempt that wants to begin.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    kind: Kind,
    others: Others,
    /// Drawn once, however often the claim is made again.
    attempt: Option<AttemptId>,
}

/// What whoever claims knows of other writers besides what the store says. It saves money; the store decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    /// Nothing.
    #[default]
    Unknown,
    /// None is at work: the claimer holds the session's lock. An attempt that the store shows as running is nobody's.
    Idle,
    /// One is at work: it holds the lock. Nothing is claimed, nor cleared.
    Working,
}

/// What came of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It holds: summarise this slice, then commit or fail.
    Planned(Planned),
    /// Old results and media were cleared instead, and that was enough: no model has to be asked.
    Pruned {
        /// What it took off the prompt, in tokens.
        freed: Tokens,
        /// What holds now.
        decision: Decision,
    },
    /// It was refused, and this is what holds.
    Refused(Decision),
}

/// A slice that is being summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The attempt.
    pub attempt: AttemptId,
    /// Why it was claimed.
    pub kind: Kind,
    /// What started it.
    pub pass: Pass,
    /// The slice.
    pub plan: SlicePlan,
    /// The transcript's fingerprint up to the cut: a commit holds only while it is the same.
    pub fingerprint: u64,
    /// The generation whose summary goes into the next one.
    pub previous: Option<u32>,
    /// Occupancy at the claim.
    pub before: Tokens,
    /// When it was claimed.
    pub started_at: Timestamp,
    /// When it counts as interrupted.
    pub deadline: Timestamp,
}

impl Claim {
    /// A claim of this kind, by who knows of others what the store says.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self::beside(Others::Unknown, kind)
    }

    /// A claim by the holder of the session's lock: an attempt that the store shows as running is ended first, in the same
    /// commit. It counts as interrupted, once.
    #[must_use]
    pub fn alone(kind: Kind) -> Self {
        Self::beside(Others::Idle, kind)
    }

    /// A claim by who knows this of others.
    #[must_use]
    pub fn beside(others: Others, kind: Kind) -> Self {
        Self { kind, others, attempt: None }
    }

    fn decide(self, session: &Session, now: Timestamp) -> Decision {
        let (state, seen) = (session.state(), session.observation());
        match self.kind {
            Kind::Auto => policy::decide(state, &seen, now),
            Kind::Manual => policy::decide_manual(state, &seen, now),
            Kind::Overflow => policy::decide_overflow(state, &seen, now),
        }
    }

    fn claim(&mut self, session: &mut Session, parts: &mut Parts, now: Timestamp) -> Claimed {
        let decision = self.decide(session, now);
        let Some(pass) = decision.pass() else { return Claimed::Refused(decision) };
        match (session.plan(&pass), pass.trigger) {
            (Ok((plan, line)), _) => self.begin(session, Pass { line, ..pass }, plan, now),
            (Err(Refusal::CapsSuffice { .. }), _) => self.cap(session, &pass, parts, now),
            // Rule 10: the provider has refused the prompt; what cannot be worth a model call may still let it go on.
            (Err(_), Trigger::Overflow) if pass.means == Means::Model => {
                let last = Pass { means: Means::LastResort, probe: None, ..pass };
                match session.plan(&last) {
                    Ok((plan, line)) => self.begin(session, Pass { line, ..last }, plan, now),
                    Err(refusal) => Claimed::Refused(refused(session, refusal)),
                }
            }
            (Err(refusal), Trigger::Threshold | Trigger::Probe) => {
                if let Some(kind) = durable_kind(refusal) {
                    session.apply(Event::PlanRefused { kind }, now);
                    return Claimed::Refused(self.decide(session, now));
                }
                Claimed::Refused(refused(session, refusal))
            }
            (Err(refusal), _) => Claimed::Refused(refused(session, refusal)),
        }
    }

    /// The claim went through before another writer came, and its acknowledgement was lost: the store shows it running.
    /// Where it shows anything else, what was planned before the conflict is void.
    fn held(&self, session: &mut Session) -> Option<Claimed> {
        let planned = session.planned().filter(|planned| Some(planned.attempt) == self.attempt)?.clone();
        if session.state().attempt().is_none_or(|attempt| attempt.id != planned.attempt) {
            session.end_planned(planned.attempt);
            return None;
        }
        session.notify(planned.notice(Status::InProgress, None, None));
        Some(Claimed::Planned(planned))
    }

    /// Clears what can be had without a model before one is asked, but for a person, who asked for a summary.
    fn prune(&mut self, session: &mut Session, parts: &mut Parts, now: Timestamp) -> Option<Claimed> {
        let pass = self.decide(session, now).pass().filter(|pass| pass.trigger != Trigger::Manual)?;
        let (written, freed) = session.prune_for(&pass, self.kind, now)?;
        *parts = written;
        let decision = self.decide(session, now);
        let seen = session.observation();
        let enough = match self.kind {
            // The provider has refused the prompt: where it lands has to leave room, not only to fit.
            Kind::Overflow => seen.lines.is_some_and(|lines| seen.occupancy <= lines.accept_below(Line::Threshold)),
            _ => decision.pass().is_none(),
        };
        enough.then_some(Claimed::Pruned { freed, decision })
    }

    /// Cuts giant entries that no summary could stand for: that alone lands low enough.
    fn cap(self, session: &mut Session, pass: &Pass, parts: &mut Parts, now: Timestamp) -> Claimed {
        let before = session.observation().occupancy;
        parts.join(session.cap_for(pass, self.kind, now));
        let freed = before.saturating_sub(session.observation().occupancy);
        Claimed::Pruned { freed, decision: self.decide(session, now) }
    }

    fn begin(&mut self, session: &mut Session, pass: Pass, plan: SlicePlan, now: Timestamp) -> Claimed {
        let attempt = *self.attempt.get_or_insert_with(|| session.draw_attempt());
        let seen = session.observation();
        if pass.means == Means::Model {
            let claim = policy::Claim {
                attempt,
                owner: session.owner(),
                kind: self.kind,
                view_revision: seen.view_revision,
                line: pass.line,
            };
            match session.apply(Event::Claimed(claim), now).outcome {
                Outcome::Taken => {}
                Outcome::Refused(decision) => return Claimed::Refused(*decision),
                Outcome::Ignored(_) => return Claimed::Refused(self.decide(session, now)),
            }
        }
        let planned = Planned {
            attempt,
            kind: self.kind,
            pass,
            fingerprint: session.index().fingerprint(plan.cut),
            plan,
            previous: session.sight().view.generation(),
            before: seen.occupancy,
            started_at: now,
            deadline: now.after(policy::limits::ATTEMPT_DEADLINE),
        };
        session.set_planned(Some(planned.clone()));
        session.notify(planned.notice(Status::InProgress, None, None));
        Claimed::Planned(planned)
    }
}

impl Mutation for Claim {
    type Output = Claimed;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Claimed> {
        session.pass_time(now);
        if let Some(held) = self.held(session) {
            return Mutated::root_only(held);
        }
        match self.others {
            Others::Unknown => {}
            Others::Idle => drop(session.abandon_orphan(now)),
            Others::Working => return Mutated::root_only(Claimed::Refused(elsewhere(self.decide(session, now)))),
        }
        let mut parts = Parts::default();
        let output = match self.prune(session, &mut parts, now) {
            Some(pruned) => pruned,
            None => self.claim(session, &mut parts, now),
        };
        Mutated { output, parts }
    }
}

impl Planned {
    pub(super) fn notice(&self, status: Status, after: Option<Tokens>, failure: Option<&'static str>) -> Notice {
        Notice::Compaction {
            attempt: self.attempt,
            status,
            trigger: self.pass.trigger,
            started_at: self.started_at,
            before: self.before,
            after,
            failure,
        }
    }
}

impl Session {
    /// The slice for `pass`, and the line it is accepted for: the threshold where that is possible (rule 5).
    fn plan(&self, pass: &Pass) -> Result<(SlicePlan, Line), Refusal> {
        let wanted = match (pass.trigger, pass.means) {
            (Trigger::Manual, _) | (_, Means::LastResort) => return Ok((self.plan_for(Worth::Any, pass)?, pass.line)),
            _ => Worth::Landing(Line::Threshold),
        };
        match self.plan_for(wanted, pass) {
            Ok(plan) => Ok((plan, Line::Threshold)),
            Err(_) if pass.line == Line::Emergency => {
                Ok((self.plan_for(Worth::Landing(Line::Emergency), pass)?, Line::Emergency))
            }
            Err(refusal) => Err(refusal),
        }
    }

    fn plan_for(&self, worth: Worth, pass: &Pass) -> Result<SlicePlan, Refusal> {
        plan::plan(self.index(), &self.plan_input(&self.sight(), worth, pass))
    }

    /// The giant entries that `pass` may cut, those that are cut already included.
    pub(super) fn caps_for(&self, pass: &Pass) -> Vec<(u32, u32)> {
        let sight = self.sight();
        plan::caps(self.index(), &CapInput::of(&self.plan_input(&sight, Worth::Any, pass)))
    }

    fn plan_input<'a>(&'a self, sight: &Sight, worth: Worth, pass: &Pass) -> PlanInput<'a> {
        let seen = &sight.seen;
        let previous = self.shown_generation();
        PlanInput {
            previous: previous.map(crate::view::Generation::covered),
            occupancy: seen.occupancy,
            overhead: fixed_tokens(self, &sight.view),
            target_tokens: target(seen),
            accept_below: worth.accept_below(seen),
            min_saving_permille: worth.min_saving_permille(),
            keep: self.settings().keep.unwrap_or_default(),
            pins: self.pinned_entries(),
            replaced: previous.map_or_else(plan::Replaced::default, crate::view::Generation::replaced),
            capping: capping(pass),
            urgent: self.settings().keep.is_none() || (pass.line == Line::Emergency && pass.trigger != Trigger::Manual),
            summary_cap: summary_cap(seen.lines.map(|lines| lines.window)),
            scale_permille: self.ratio().permille(),
        }
    }
}

/// A person asked for a summary; only the last resort may cut what the user said.
fn capping(pass: &Pass) -> Capping {
    match (pass.trigger, pass.means) {
        (_, Means::LastResort) => Capping::NewestUserToo,
        (Trigger::Manual, _) => Capping::Never,
        _ => Capping::Giants,
    }
}

/// What makes a plan worth carrying out.
#[derive(Clone, Copy, Debug)]
enum Worth {
    /// It lands low enough against this line, and saves a tenth of the prompt (rule 5).
    Landing(Line),
    /// It was asked for, or nothing else lets the conversation go on: any progress will do.
    Any,
}

impl Worth {
    fn accept_below(self, seen: &Observation) -> Tokens {
        match (self, seen.lines) {
            (Self::Landing(line), Some(lines)) => lines.accept_below(line),
            _ => seen.occupancy,
        }
    }

    fn min_saving_permille(self) -> u32 {
        match self {
            Self::Landing(_) => policy::limits::LEAST_SAVING_PERMILLE,
            Self::Any => 0,
        }
    }
}

/// Where no window is known the prompt itself stands in for the threshold.
fn target(seen: &Observation) -> Tokens {
    match seen.lines {
        Some(lines) => lines.target(seen.floor),
        None => seen.floor.saturating_add(seen.occupancy.saturating_sub(seen.floor) / 4),
    }
}

fn durable_kind(refusal: Refusal) -> Option<RefusedKind> {
    match refusal {
        Refusal::FloorBound { .. } => Some(RefusedKind::FloorBound),
        Refusal::NothingToCompact { .. } | Refusal::Inconsistent(_) => Some(RefusedKind::NothingToCompact),
        _ => None,
    }
}

/// A refusal of the planner as a decision, for a pass that leaves no trace when it is refused.
fn refused(session: &Session, refusal: Refusal) -> Decision {
    let seen = session.observation();
    let action = match refusal {
        Refusal::OpenToolCalls { .. } => Action::Wait { reason: Wait::OpenToolCalls, retry_at: None },
        Refusal::FloorBound { .. } => blocked(Block::FloorBound),
        _ => blocked(Block::NothingToCompact),
    };
    Decision { action, used: seen.occupancy, lines: seen.lines, floor: seen.floor, confidence: seen.confidence }
}

/// Somebody holds the lock: what would let a pass start is a wait, whether their intent is in the store yet or not.
fn elsewhere(decision: Decision) -> Decision {
    match decision.pass() {
        Some(_) => Decision { action: Action::Wait { reason: Wait::InProgress, retry_at: None }, ..decision },
        None => decision,
    }
}

fn blocked(reason: Block) -> Action {
    Action::Blocked(Blocked { reason, retry_at: None, unblocks_at_tokens: None })
}
