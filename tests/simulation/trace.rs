//! The last steps, for whoever reads about a failing seed.

use std::collections::VecDeque;

/// Keeps the last lines only.
#[derive(Default)]
pub(crate) struct Trace(Option<VecDeque<String>>);

impl Trace {
    /// Lines are written from here on. Off, they cost nothing: a failing seed is run again with it.
    pub(crate) fn on() -> Self {
        Self(Some(VecDeque::new()))
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.0 {
            if lines.len() == KEPT {
                lines.pop_front();
            }
            lines.push_back(line());
        }
    }

    pub(crate) fn lines(&self) -> String {
        let lines = self.0.iter().flatten();
        lines.map(|line| format!("  {line}\n")).collect()
    }
}

const KEPT: usize = 60;
