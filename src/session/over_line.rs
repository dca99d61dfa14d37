//! The question of every keystroke, and its answer: kept since the last change, also for whoever asks without the session.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

/// What [`Session::over_line`](super::Session::over_line) answered since the last change.
#[derive(Debug, Default)]
pub(super) struct OverLine {
    answer: Cell<Option<bool>>,
    mirror: Option<&'static AtomicU8>,
}

impl OverLine {
    #[inline]
    pub(super) fn known(&self) -> Option<bool> {
        self.answer.get()
    }

    pub(super) fn mirror_in(&mut self, mirror: &'static AtomicU8) {
        self.mirror = Some(mirror);
    }

    /// `None`: something has changed, and the session has to be asked.
    pub(super) fn answer(&self, answer: Option<bool>) {
        self.answer.set(answer);
        if let Some(mirror) = self.mirror {
            mirror.store(answer.map_or(UNANSWERED, |over| if over { OVER_LINE } else { BELOW_LINE }), Relaxed);
        }
    }
}

const UNANSWERED: u8 = 0;
/// The mirrored answer that no pass can be due.
pub const BELOW_LINE: u8 = 1;
/// The mirrored answer that one may be.
pub const OVER_LINE: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::OwnerId,
        session::{Session, Settings},
        store::{MemoryStore, SyncStore},
        transcript::{Entry, Role},
    };

    #[test]
    fn the_mirrored_answer_is_taken_back_by_every_change_and_given_again_by_asking() {
        static MIRROR: AtomicU8 = AtomicU8::new(OVER_LINE);
        let config = crate::config::Config { context_window: Some(10_000), ..crate::config::Config::default() };
        let settings = Settings { config, ..Settings::default() };
        let capabilities = SyncStore::capabilities(&MemoryStore::new());
        let mut session = Session::new("mirror", OwnerId(1), settings, capabilities).unwrap();
        session.mirror_over_line(&MIRROR);
        assert_eq!(MIRROR.load(Relaxed), UNANSWERED, "an older session's answer");
        for (tokens, answer) in [(1_000, BELOW_LINE), (9_000, OVER_LINE)] {
            session.push(Entry::alone(tokens.into(), Role::User, tokens));
            assert_eq!(MIRROR.load(Relaxed), UNANSWERED);
            assert_eq!(session.over_line(), answer == OVER_LINE);
            assert_eq!(MIRROR.load(Relaxed), answer);
        }
        session.truncate_index(1);
        assert_eq!(MIRROR.load(Relaxed), UNANSWERED);
    }
}
