//! What the histories met.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use compaction_governor::policy::{Action, Applied, Exit, Outcome, Verdict};

/// How often the histories met what they are meant to meet. A generator that misses a rule proves nothing about it.
#[derive(Default)]
pub(crate) struct Seen(BTreeMap<Cow<'static, str>, u64>);

impl Seen {
    fn count(&mut self, what: impl Into<Cow<'static, str>>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    pub(crate) fn note(&mut self, applied: &Applied, window_moved: bool) {
        if let Some(settled) = applied.verdict {
            self.count(settled.verdict.code());
            if settled.estimated && settled.verdict == Verdict::Ineffective {
                self.count("strike by estimate");
            }
        }
        match &applied.outcome {
            Outcome::Ignored(why) => self.count(format!("{why:?}")),
            Outcome::Refused(decision) => self.count(format!("claim refused: {}", decision.reason())),
            Outcome::Taken => {}
        }
        if window_moved {
            self.count("window learned");
        }
        if applied.state.guards.struck_models.is_full() {
            self.count("struck models full");
        }
        let recovery = applied.state.guards.recovery.filter(|recovery| recovery.rung >= 4);
        if recovery.is_some() {
            self.count("an hour between probes");
        }
    }

    pub(crate) fn note_action(&mut self, action: &Action) {
        match action {
            Action::Compact(pass) => match pass.probe {
                Some(exit) => self.count(match exit {
                    Exit::Time => "probe: Time",
                    Exit::Growth => "probe: Growth",
                    Exit::Emergency => "probe: Emergency",
                    Exit::Model => "probe: Model",
                }),
                None => self.count(pass.trigger.code()),
            },
            Action::Blocked(blocked) => self.count(blocked.reason.code()),
            Action::Wait { reason, .. } => self.count(reason.code()),
            Action::Hold(hold) => self.count(hold.code()),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what.clone()).or_default() += times;
        }
    }

    pub(crate) fn assert_everything_was_met(&self) {
        for what in EVERYTHING {
            assert!(self.0.get(what).is_some_and(|times| *times >= 20), "met too rarely: {what}\n{self}");
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, times)| writeln!(f, "{times:>10}  {what}"))
    }
}

const EVERYTHING: [&str; 34] = [
    "effective",
    "weak",
    "ineffective",
    "strike by estimate",
    "StaleView",
    "FewerEntries",
    "Impossible",
    "NotThisAttempt",
    "StaleClaim",
    "AlreadySeen",
    "window learned",
    "struck models full",
    "an hour between probes",
    "probe: Time",
    "probe: Growth",
    "probe: Emergency",
    "probe: Model",
    "threshold",
    "turn_limit",
    "cooldown",
    "fallback_streak",
    "refilling",
    "floor_bound",
    "nothing_to_compact",
    "in_progress",
    "awaiting_usage",
    "probe_in_progress",
    "open_tool_calls",
    "disabled",
    "window_unknown",
    "below_threshold",
    "claim refused: cooldown",
    "claim refused: below_threshold",
    "claim refused: ineffective",
];
