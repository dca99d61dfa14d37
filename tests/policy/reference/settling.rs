//! What becomes true by time or evidence: verdicts, strikes, interruptions.

use compaction_governor::policy::{Confidence, Kind, Observation, Verdict};

use super::lengths::{HOUR, SECOND, doubled, interrupted_length};
use super::{Clock, Judged, Reference, Stage, Try};

impl Reference {
    /// What has become true by now: an attempt past its deadline is interrupted, a verdict that is due is given by the
    /// estimate. Dated when it became due, or it would move away each time it is asked.
    pub(super) fn settle_due(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        if let Stage::Compacting(of) = &self.stage {
            if now >= of.deadline {
                self.interrupt(now);
            }
            return None;
        }
        let Stage::Awaiting { at, silent, .. } = &self.stage else {
            return None;
        };
        if obs.confidence == Confidence::Unknown {
            return None;
        }
        let crowded = obs.lines.is_some_and(|lines| obs.occupancy >= lines.emergency);
        if *silent >= 2 || now.saturating_sub(*at) >= 300 * SECOND || crowded {
            return self.settle_by_estimate(obs, now);
        }
        None
    }

    pub(super) fn settle_by_estimate(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        let Stage::Awaiting { at, .. } = &self.stage else {
            return None;
        };
        let dated = now.min(at + 300 * SECOND);
        self.judge(obs.occupancy.into(), obs.appended_since_claim.into(), true, dated)
    }

    /// A proven overflow counts as at or above the line, whatever the session's own figure says.
    pub(super) fn settle_overflow(&mut self, obs: &Observation, now: u64) -> Option<Judged> {
        let Stage::Awaiting { line, .. } = &self.stage else {
            return None;
        };
        self.judge(u64::from(obs.occupancy).max(*line), 0, false, now)
    }

    /// Rule 3.
    pub(super) fn judge(&mut self, reading: u64, appended: u64, estimated: bool, now: u64) -> Option<Judged> {
        let Stage::Awaiting { of, line, .. } = self.stage.clone() else {
            return None;
        };
        self.stage = Stage::Idle;
        let net = reading.saturating_sub(appended);
        let saved = of.before.saturating_sub(net);
        let verdict = if net >= line {
            Verdict::Ineffective
        } else if saved * 10 >= of.before {
            Verdict::Effective
        } else {
            Verdict::Weak
        };
        self.baseline = Some(reading);
        match verdict {
            Verdict::Effective => {
                self.ineffective = 0;
                self.weak = 0;
                self.after_last_resort = false;
                self.attempts = 0;
            }
            Verdict::Weak => {
                self.weak += self.ineffective + 1;
                self.ineffective = 0;
                self.strike(&of, line);
            }
            Verdict::Ineffective => {
                self.ineffective += 1;
                self.strike(&of, line);
            }
        }
        if verdict != Verdict::Effective && of.probe.is_some() {
            self.probe_failed(&of, now);
        }
        self.tidy(now);
        Some((of.id, verdict, net, estimated))
    }

    pub(super) fn strike(&mut self, of: &Try, line: u64) {
        self.strike_line = Some(self.strike_line.unwrap_or(line).min(line));
        self.add_struck(of.model);
    }

    pub(super) fn add_struck(&mut self, model: u64) {
        if !self.struck.contains(&model) && self.struck.len() < 8 {
            self.struck.push(model);
        }
    }

    /// Rule 4 (a): a probe that was not effective doubles the length.
    pub(super) fn probe_failed(&mut self, of: &Try, now: u64) {
        self.add_struck(of.model);
        if let Some(clock) = &mut self.clock {
            clock.rung += 1;
            clock.deadline = clock.deadline.max(now + doubled(300 * SECOND, clock.rung, HOUR));
        }
    }

    /// What is always true: a clock exactly while tripped, no struck model and no strike line without a strike.
    pub(super) fn tidy(&mut self, now: u64) {
        if self.ineffective + self.weak == 0 {
            self.strike_line = None;
            if self.fallbacks == 0 {
                self.struck.clear();
            }
        }
        // The rung goes with the clock: an effective pass that leaves the guard tripped (a fallback) frees no one.
        if !self.tripped() {
            self.clock = None;
        } else if self.clock.is_none() {
            self.clock = Some(Clock { deadline: now + 300 * SECOND, rung: 0, probes: 0 });
        }
    }

    /// Rule 12.
    pub(super) fn interrupt(&mut self, now: u64) {
        let Stage::Compacting(of) = self.stage.clone() else {
            return;
        };
        self.stage = Stage::Idle;
        if of.kind == Kind::Manual {
            return;
        }
        let at = now.min(of.deadline);
        self.last_end = Some(at);
        self.interrupted += 1;
        if let Some(length) = interrupted_length(self.interrupted) {
            self.interrupted_until = Some(at + length);
        }
        if of.probe.is_some() {
            self.rearm_same(at);
        }
    }

    pub(super) fn rearm_same(&mut self, now: u64) {
        if let Some(clock) = &mut self.clock {
            clock.deadline = clock.deadline.max(now + doubled(300 * SECOND, clock.rung, HOUR));
        }
    }
}
