//! From any state on, all is well: how long until a pass commits.

use compaction_governor::policy::{Event, Kind, State, decide, limits};
use compaction_governor::time::Timestamp;

use super::{Answer, DAY, How, SECOND, Scope, Violation, line_of};

impl Scope {
    /// Minutes until a pass commits when from now on everything is well: tab 0 alone, a healthy summariser, the prompt
    /// held at the threshold, usage reported. What time made due is written once, at its start.
    pub(crate) fn minutes_to_a_pass(&self, credentials: bool) -> Result<u64, Violation> {
        let mut world = self.clone();
        world.tabs[0].call = None;
        // Holding the prompt takes text out of the view, which changes what is true of a pass still pending.
        world.watched = false;
        let start = world.now;
        world.event(0, Event::TimePassed)?;
        if credentials {
            world.event(0, Event::CredentialsChanged)?;
        }
        loop {
            world.hold_at_threshold();
            world.step(0, 0, How::Reported)?;
            let seen = world.observe(0);
            let now = Timestamp(world.now);
            let decision = decide(&world.tabs[0].memory, &seen, now);
            if decision.pass().is_some() {
                world.claim(0, Kind::Auto, line_of(&seen), seen)?;
                if world.ends(0, Answer::Good, 1)? {
                    return Ok((world.now - start).div_ceil(60 * SECOND));
                }
            }
            // Nothing is asked before the answer says that it may change: an answer that says too late is found out.
            let minute = world.now + 60 * SECOND;
            world.now = decision.wake_at().map_or(minute, |at| at.0.max(minute));
            if world.now - start > 30 * DAY {
                return Err(format!("blocked for ever: {decision:?}"));
            }
        }
    }

    /// A standing cooldown that only a person, or its own time, ends: minutes from now.
    pub(crate) fn person_needed(&self) -> Option<u64> {
        let longest = |state: &State| {
            let cooldown = state.guards.failures.cooldown.filter(|cooldown| cooldown.class.needs_a_person())?;
            let length = limits::cooldown(cooldown.class, state.guards.failures.streaks[cooldown.class as usize], None);
            Some(length.0.min(cooldown.until.0.saturating_sub(self.now)).div_ceil(60 * SECOND))
        };
        [&self.store, &self.tabs[0].memory].into_iter().filter_map(|state| longest(state)).max()
    }

    /// What is missing is added, what is too much is taken out of the view.
    fn hold_at_threshold(&mut self) {
        let view = self.tabs[0].memory.view_revision;
        let threshold = self.lines_for(&self.tabs[0].memory).map_or(0, |lines| lines.threshold);
        self.added += threshold.saturating_sub(self.prompt(view));
        self.removed[view as usize] += self.prompt(view).saturating_sub(threshold);
    }
}
