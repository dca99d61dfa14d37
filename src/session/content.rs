//! What a store has no room for: the counters are written without it, it goes on in memory, and is tried again rarely.

use crate::{
    policy::{Event, Phase, apply},
    record::Root,
    session::{
        Session,
        command::PINS,
        write::{Parts, summary_part},
    },
    store::{Part, StoreError, StoreErrorKind},
    time::{Millis, Timestamp},
};

/// Parts that are in memory only, because a commit with them was refused and one without them was not.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    held_back: Vec<Part>,
    retry: Option<Retry>,
}

#[derive(Clone, Copy, Debug)]
struct Retry {
    at: Timestamp,
    rung: u8,
}

impl Content {
    pub(super) fn is_held_back(&self) -> bool {
        !self.held_back.is_empty()
    }

    pub(super) fn retry_at(&self) -> Option<Timestamp> {
        self.retry.map(|retry| retry.at).filter(|_| self.is_held_back())
    }

    /// Whether parts may go into a commit now. A clock that was set back shortens the wait, it never prolongs it.
    fn admitted(&self, now: Timestamp) -> bool {
        self.retry.is_none_or(|retry| now >= retry.at || retry.at.since(now) > length(retry.rung))
    }

    fn refused(&mut self, parts: &[Part], now: Timestamp) {
        let rung = self.retry.map_or(0, |retry| retry.rung.saturating_add(1));
        self.retry = Some(Retry { at: now.after(length(rung)), rung });
        self.hold_back(parts);
    }

    fn stored(&mut self, stored: impl Fn(&Part) -> bool) {
        self.held_back.retain(|part| !stored(part));
        self.forget_wait();
    }

    /// Where nothing waits for room any more, the next part is tried at once.
    fn forget_wait(&mut self) {
        if self.held_back.is_empty() {
            self.retry = None;
        }
    }

    fn hold_back(&mut self, parts: &[Part]) {
        for part in parts {
            if !self.held_back.contains(part) {
                self.held_back.push(*part);
            }
        }
    }
}

/// Whether a commit that failed like this may still fit without its summaries.
pub(super) fn lacks_room(error: &StoreError) -> bool {
    matches!(error.kind, StoreErrorKind::QuotaExceeded | StoreErrorKind::ValueTooLarge { .. })
}

impl Session {
    /// What goes into a commit beside the root: `parts` of the change that is written, and what earlier ones left behind.
    pub(super) fn parts_to_write(&mut self, parts: &Parts, root_only: bool, now: Timestamp) -> Parts {
        let mut puts = if self.link().unsaved { self.own_parts() } else { parts.puts.clone() };
        self.drop_settled_content();
        for part in self.link().content.held_back.clone() {
            if !puts.iter().any(|(name, _)| *name == part) {
                puts.extend(self.own_part(part));
            }
        }
        if root_only || !self.link().content.admitted(now) {
            self.hold_back_content(&core::mem::take(&mut puts));
        }
        let mut deletes = self.stale_parts();
        if parts.deletes.contains(&PINS) || (self.link().unsaved && self.pins().is_empty()) {
            deletes.push(PINS);
        }
        Parts { puts, deletes }
    }

    /// The root as it may be stored without what is held back: it names no summary that is not there, and awaits no verdict
    /// on one.
    pub(super) fn root_to_write(&self, puts: &[(Part, Vec<u8>)], now: Timestamp) -> Root {
        let mut root = self.root().clone();
        let missing = |number| {
            let part = Part::Generation(number);
            self.link().content.held_back.contains(&part) && !puts.iter().any(|(put, _)| *put == part)
        };
        if !root.generations.iter().any(|generation| missing(generation.number)) {
            return root;
        }
        let awaited = match &root.state.phase {
            Phase::AwaitingVerdict { attempt, .. } => Some(attempt.id),
            _ => None,
        };
        if root.generations.iter().any(|one| missing(one.number) && Some(one.attempt) == awaited) {
            let view_revision = root.state.view_revision;
            root.state = apply(&root.state, Event::Undone, &self.seen(), now).state;
            root.state.view_revision = view_revision;
        }
        root.generations.retain(|generation| !missing(generation.number));
        // It was counted on a prompt that nobody but this session could make again.
        root.anchor = None;
        root
    }

    /// Whether something is only in memory and may be tried again.
    pub(super) fn content_due(&self, now: Timestamp) -> bool {
        self.link().content.is_held_back() && self.link().content.admitted(now)
    }

    /// A commit with `puts` was refused for want of room.
    pub(super) fn refuse_content(&mut self, puts: &[(Part, Vec<u8>)], now: Timestamp) {
        let lacking = self.not_stored(puts);
        self.change_link(|session| session.link_mut().content.refused(&lacking, now));
    }

    /// A commit with these parts was acknowledged.
    pub(super) fn content_written(&mut self, sent: &Parts) {
        let put = |part: &Part| sent.puts.iter().any(|(put, _)| put == part);
        self.change_link(|session| session.link_mut().content.stored(put));
        let stored = &mut self.link_mut().stored;
        stored.retain(|number| !sent.deletes.contains(&Part::Generation(*number)));
        for (part, _) in &sent.puts {
            if let Part::Generation(number) = *part
                && *part != PINS
                && !stored.contains(&number)
            {
                stored.push(number);
            }
        }
    }

    /// The parts that a commit would have brought to the store: what it holds already needs no room.
    fn not_stored(&self, puts: &[(Part, Vec<u8>)]) -> Vec<Part> {
        puts.iter().map(|(part, _)| *part).filter(|part| !self.is_stored(*part)).collect()
    }

    /// Everything but the root: what a store that lagged behind is given.
    fn own_parts(&self) -> Vec<(Part, Vec<u8>)> {
        let mut parts = Vec::new();
        for generation in &self.root().generations {
            parts.extend(self.own_part(Part::Generation(generation.number)));
        }
        parts.extend(self.own_part(PINS));
        parts
    }

    /// One part as memory has it, if the root names it.
    fn own_part(&self, part: Part) -> Option<(Part, Vec<u8>)> {
        match part {
            PINS => self.pin_parts().puts.pop(),
            Part::Generation(number) => {
                let named = self.root().generations.iter().any(|generation| generation.number == number);
                self.written(number).filter(|_| named).map(summary_part)
            }
            Part::Root => None,
        }
    }

    fn hold_back_content(&mut self, puts: &[(Part, Vec<u8>)]) {
        let lacking = self.not_stored(puts);
        self.change_link(|session| session.link_mut().content.hold_back(&lacking));
    }

    /// What was taken back or dropped since, or that another writer's record holds, has no need of room any more.
    pub(super) fn drop_settled_content(&mut self) {
        let mut held_back = core::mem::take(&mut self.link_mut().content.held_back);
        held_back.retain(|part| self.own_part(*part).is_some() && !self.is_stored(*part));
        let content = &mut self.link_mut().content;
        content.held_back = held_back;
        content.forget_wait();
    }

    fn is_stored(&self, part: Part) -> bool {
        self.link().stored.iter().any(|number| part == Part::Generation(*number))
    }
}

fn length(rung: u8) -> Millis {
    RETRY.doubled(rung, LONGEST_RETRY)
}

/// A full store is emptied by a person or by the host: the first try a minute later, then twice as long after each.
const RETRY: Millis = Millis::secs(60);
const LONGEST_RETRY: Millis = Millis::secs(3_600);
