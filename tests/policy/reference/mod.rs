//! The rules of the policy once more, written from the design's text alone and apart from `src/policy`: plain numbers,
//! no cleverness, one function per rule. What the text leaves open is marked `choice:`.
//!
//! It shares the words of the policy (events, observations, actions) and none of its code.

mod deciding;
mod events;
mod lengths;
mod settling;

use compaction_governor::config::Line;
use compaction_governor::policy::{
    Action, Attempt, Exit, FailureClass, Ignored, Kind, Phase, RefusedKind, State, Verdict,
};

/// An attempt, as far as a rule speaks of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Try {
    pub(crate) id: u64,
    pub(crate) owner: u64,
    pub(crate) kind: Kind,
    pub(crate) probe: Option<Exit>,
    pub(crate) model: u64,
    pub(crate) before: u64,
    pub(crate) entries: u64,
    pub(crate) line: Line,
    pub(crate) deadline: u64,
}

/// The phase. A pending verdict keeps its line, its revision, its time and the silent steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Idle,
    Compacting(Try),
    Awaiting { of: Try, line: u64, revision: u64, at: u64, silent: u64 },
}

/// Rule 4's clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clock {
    pub(crate) deadline: u64,
    pub(crate) rung: u64,
    pub(crate) probes: u64,
}

/// Everything, in plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    pub(crate) stage: Stage,
    pub(crate) revision: u64,
    pub(crate) ineffective: u64,
    pub(crate) weak: u64,
    pub(crate) strike_line: Option<u64>,
    pub(crate) struck: Vec<u64>,
    pub(crate) fallbacks: u64,
    pub(crate) streaks: Vec<u64>,
    pub(crate) cooldown: Option<(FailureClass, u64)>,
    pub(crate) clock: Option<Clock>,
    pub(crate) baseline: Option<u64>,
    pub(crate) emergency_spent: bool,
    /// Kind, occupancy, floor, until.
    pub(crate) refused: Option<(RefusedKind, u64, u64, u64)>,
    pub(crate) commits: Vec<u64>,
    pub(crate) interrupted: u64,
    pub(crate) interrupted_until: Option<u64>,
    pub(crate) attempts: u64,
    pub(crate) overflow_spent: bool,
    pub(crate) last_end: Option<u64>,
    pub(crate) last_commit: Option<u64>,
    pub(crate) after_last_resort: bool,
    pub(crate) reported_entries: u64,
    pub(crate) user_turn: u64,
    pub(crate) limit: Option<u64>,
    pub(crate) accepted: Option<u64>,
}

/// What the reference says came of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Came {
    Taken,
    Ignored(Ignored),
    Refused(Action),
}

/// Attempt, verdict, net, estimated.
pub(crate) type Judged = (u64, Verdict, u64, bool);

impl Reference {
    /// The numbers of a real state, for comparing.
    pub(crate) fn of(state: &State) -> Self {
        let g = &state.guards;
        Self {
            stage: stage_of(&state.phase),
            revision: state.view_revision.into(),
            ineffective: g.ineffective_streak.into(),
            weak: g.weak_streak.into(),
            strike_line: g.strike_threshold.map(u64::from),
            struck: g.struck_models.iter().map(|model| model.0).collect(),
            fallbacks: g.fallback_streak.into(),
            streaks: g.failures.streaks.iter().map(|streak| u64::from(*streak)).collect(),
            cooldown: g.failures.cooldown.map(|cooldown| (cooldown.class, cooldown.until.0)),
            clock: g.recovery.map(|recovery| Clock {
                deadline: recovery.deadline.0,
                rung: recovery.rung.into(),
                probes: recovery.probes.into(),
            }),
            baseline: g.baseline_tokens.map(u64::from),
            emergency_spent: g.emergency_spent,
            refused: g.refused.map(|r| (r.kind, r.at_tokens.into(), r.floor.into(), r.until.0)),
            commits: g.commit_ordinals.iter().map(|ordinal| u64::from(*ordinal)).collect(),
            interrupted: g.interrupted.streak.into(),
            interrupted_until: g.interrupted.until.map(|until| until.0),
            attempts: g.attempts_without_progress.into(),
            overflow_spent: g.overflow_pass_spent,
            last_end: g.last_attempt_end.map(|at| at.0),
            last_commit: g.last_commit_at.map(|at| at.0),
            after_last_resort: g.after_last_resort,
            reported_entries: g.reported_entries.into(),
            user_turn: g.user_turn.into(),
            limit: g.window.limit.map(u64::from),
            accepted: g.window.accepted.map(u64::from),
        }
    }

    /// Rule 10: the stated window or a smaller learned one; rule 2: raised by an accepted larger prompt.
    pub(crate) fn window(&self, stated: Option<u64>) -> Option<u64> {
        let least = [stated, self.limit].into_iter().flatten().min()?;
        Some(least.max(self.accepted.unwrap_or(0)))
    }
}

fn stage_of(phase: &Phase) -> Stage {
    let attempt = |a: &Attempt| Try {
        id: a.id.0,
        owner: a.owner.0,
        kind: a.kind,
        probe: a.probe,
        model: a.model.0,
        before: a.before.into(),
        entries: a.entries.into(),
        line: a.line,
        deadline: a.deadline.0,
    };
    match phase {
        Phase::Idle => Stage::Idle,
        Phase::Compacting { attempt: of } => Stage::Compacting(attempt(of)),
        Phase::AwaitingVerdict { attempt: of, line_tokens, view_revision, committed_at, steps_without_usage } => {
            Stage::Awaiting {
                of: attempt(of),
                line: (*line_tokens).into(),
                revision: (*view_revision).into(),
                at: committed_at.0,
                silent: (*steps_without_usage).into(),
            }
        }
    }
}
