//! The question of every keystroke, answered without an object: a method borrows and returns its object each time, which
//! takes longer than the answer.

use core::{
    cell::Cell,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

use wasm_bindgen::prelude::*;

use crate::session::Session;

/// Whether a pass can be due at all in the session with this number: 1 no, 2 yes, 0 ask the session.
#[wasm_bindgen(js_name = overLine)]
pub fn over_line(number: usize) -> u8 {
    match LINES.get(number) {
        Some(line) => line.load(Relaxed),
        None => 0,
    }
}

/// A session's place among the answers, for as long as JavaScript holds the session.
pub(super) struct Line(usize);

impl Line {
    /// A free place for `session`; beyond the last one the session answers for itself.
    pub(super) fn take(session: &mut Session) -> Self {
        let taken = TAKEN.get();
        let number = taken.trailing_ones() as usize;
        if let Some(line) = LINES.get(number) {
            TAKEN.set(taken | 1 << number);
            session.mirror_over_line(line);
        }
        Self(number)
    }

    pub(super) fn number(&self) -> usize {
        self.0
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        TAKEN.set(TAKEN.get() & !(1_u64.checked_shl(self.0 as u32).unwrap_or_default()));
    }
}

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// More sessions than a page holds at a time. Atomic only to be shared without a borrow: WASM has one thread.
static LINES: [AtomicU8; 64] = [const { AtomicU8::new(0) }; 64];
