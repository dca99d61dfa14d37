//! What the worlds met. A simulator that misses a fault proves nothing about it.

use std::{collections::BTreeMap, fmt};

use compaction_governor::{
    policy::Phase,
    session::{Claimed, Committed, Durability},
};

use crate::{op::Came, store::Change};

/// How often each thing happened.
#[derive(Default)]
pub(crate) struct Seen(BTreeMap<&'static str, u64>);

impl Seen {
    pub(crate) fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    pub(crate) fn note_end(&mut self, came: &Came, durability: Durability) {
        match durability {
            Durability::Degraded => self.note("degraded"),
            Durability::CountersOnly => self.note("counters only"),
            _ => {}
        }
        match came {
            Came::Opened(found) => self.note(match found {
                compaction_governor::session::Found::Unknown => "opened without an answer",
                found => found.code(),
            }),
            Came::Claimed(claimed) => self.note(match **claimed {
                Claimed::Planned(_) => "planned",
                Claimed::Pruned { .. } => "pruned",
                Claimed::Refused(_) => "claim refused",
            }),
            Came::Committed(Committed::Live { .. }) => self.note("live"),
            Came::Committed(Committed::Rejected { rejection, .. }) => self.note(rejection.code()),
            Came::Committed(Committed::Superseded) => self.note("superseded"),
            Came::Reported(reported) => {
                if let Some(why) = reported.ignored {
                    self.note(why.code());
                }
                if let Some(settled) = reported.verdict {
                    self.note(settled.verdict.code());
                }
            }
            Came::Failed(failed) => self.note(if failed.fallback { "fallback" } else { "failed" }),
            Came::Pinned(Ok(_)) => self.note("pinned"),
            Came::Unpinned => self.note("unpinned"),
            Came::Amended(Ok(_)) => self.note("undone or edited"),
            Came::Overflowed(_) => self.note("overflow"),
            Came::Refreshed(true) => self.note("refreshed"),
            Came::TakenOver(true) => self.note("taken over"),
            Came::Adopted => self.note("adopted"),
            Came::Refreshed(false) | Came::TakenOver(false) => {}
            Came::Settled | Came::Happened | Came::Pinned(Err(_)) | Came::Amended(Err(_)) => {}
        }
    }

    pub(crate) fn note_change(&mut self, change: &Change) {
        let guards = &change.new.state.guards;
        let before = change.old.as_ref().is_some_and(|old| old.state.guards.tripped());
        match (before, guards.tripped()) {
            (false, true) => self.note("tripped"),
            (true, false) => self.note("opened again"),
            _ => {}
        }
        if let Phase::Compacting { attempt } = change.new.state.phase
            && let Some(exit) = attempt.probe
        {
            self.note(match exit {
                compaction_governor::policy::Exit::Time => "probe: time",
                compaction_governor::policy::Exit::Growth => "probe: growth",
                compaction_governor::policy::Exit::Emergency => "probe: emergency",
                compaction_governor::policy::Exit::Model => "probe: model",
            });
        }
        if guards.after_last_resort {
            self.note("last resort");
        }
        if guards.interrupted.until.is_some() {
            self.note("cooldown of interrupted attempts");
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }

    pub(crate) fn assert_everything_was_met(&self) {
        for what in EVERYTHING {
            assert!(self.0.get(what).is_some_and(|times| *times >= LEAST), "met too rarely: {what}\n{self}");
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, times)| writeln!(f, "{times:>10}  {what}"))
    }
}

/// Each of these at least this often in a million steps; the rarest is met about thirty times.
const LEAST: u64 = 5;
const EVERYTHING: &[&str] = &[
    "a zombie answers",
    "adopted",
    "claim refused",
    "cooldown of interrupted attempts",
    "counters only",
    "degraded",
    "effective",
    "empty",
    "error_text",
    "existing",
    "failed",
    "fails",
    "fallback",
    "fewer_entries",
    "grew",
    "impossible",
    "ineffective",
    "is done and not answered",
    "is given up",
    "is not answered",
    "is sent twice",
    "killed",
    "last resort",
    "live",
    "new",
    "opened again",
    "opened without an answer",
    "over_cap",
    "overflow",
    "pinned",
    "planned",
    "probe: growth",
    "probe: model",
    "probe: time",
    "pruned",
    "recovered: below the line",
    "recovered: bound by what stays",
    "refreshed",
    "refusal",
    "repetition",
    "stale_view",
    "superseded",
    "taken over",
    "tripped",
    "undone or edited",
    "unfinished",
    "unpinned",
    "weak",
    "will come again",
];
