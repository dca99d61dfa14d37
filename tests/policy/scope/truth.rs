//! What is true of passes and states, held against what the policy says.

use compaction_governor::policy::{Event, Phase, Settled, State, Verdict, check, decide, decide_overflow};
use compaction_governor::time::Timestamp;

use super::{Scope, Violation};

impl Scope {
    /// No strike for a good pass, none missing for a useless one, no verdict lost.
    pub(super) fn judge(&mut self, before: &State, event: Event, verdict: Option<&Settled>) -> Result<(), Violation> {
        if !self.watched {
            return Ok(());
        }
        let strikes = |state: &State| state.guards.ineffective_streak + state.guards.weak_streak;
        if let Some(settled) = verdict {
            let Some(pending) = self.pending.take() else { return Err(format!("a verdict of nothing: {settled:?}")) };
            let proven = matches!(event, Event::OverflowProven { .. });
            match (pending.useless, settled.verdict) {
                (false, Verdict::Effective) if strikes(&self.store) > 0 => {
                    return Err("a pass that helped left strikes".into());
                }
                (false, Verdict::Effective) => self.useless = 0,
                // An overflow proves the prompt too large, whatever the pass did (rule 3).
                (false, _) if !proven => return Err(format!("a strike for a good pass: {settled:?} {pending:?}")),
                (true, Verdict::Effective) => return Err(format!("a useless pass was called effective: {pending:?}")),
                _ if strikes(&self.store) < strikes(before) + 1 => return Err("a strike went missing".into()),
                _ => {}
            }
        }
        self.cleared_by_a_reading(before, event);
        if event == Event::LastResort {
            self.useless -=
                u8::from(self.pending.as_ref().is_some_and(|pending| pending.useless && pending.by_threshold));
            (self.pending, self.open) = (None, None);
        }
        let awaited = match &self.store.phase {
            Phase::AwaitingVerdict { attempt, .. } => Some(attempt.id.0),
            _ => None,
        };
        match &self.pending {
            Some(pending) if awaited != Some(pending.id) => Err(format!("a verdict was lost: {pending:?}")),
            _ => Ok(()),
        }
    }

    /// Exit (c): a reading below the threshold takes ineffective strikes away; weak ones stand.
    pub(super) fn cleared_by_a_reading(&mut self, before: &State, event: Event) {
        let cleared = self.store.guards.ineffective_streak < before.guards.ineffective_streak
            && self.store.guards.weak_streak == before.guards.weak_streak;
        if matches!(event, Event::UsageReported(_)) && cleared {
            self.useless = self.useless.min(self.store.guards.weak_streak);
        }
    }

    pub(super) fn useful_so_far(&self) -> Result<bool, Violation> {
        if self.useless > 2 { Err("a third useless pass without an exit".into()) } else { Ok(true) }
    }

    /// What holds of every state: it can be, and asking changes neither it nor the answer.
    pub(crate) fn holds(&self) -> Result<(), Violation> {
        for state in [&self.store, &self.tabs[0].memory, &self.tabs[1].memory] {
            check(state).map_err(|breach| breach.to_string())?;
        }
        let (seen, state, now) = (self.observe(0), &self.tabs[0].memory, Timestamp(self.now));
        let before = State::clone(state);
        let asked = (decide(state, &seen, now), decide_overflow(state, &seen, now));
        if asked != (decide(state, &seen, now), decide_overflow(state, &seen, now)) || before != **state {
            return Err("asking changed the state or the answer".into());
        }
        Ok(())
    }
}
