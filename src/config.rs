//! What a host may set, checked once, and the lines that follow from it.

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::tokens::{Tokens, permille};

/// How many alternatives a trigger may list.
pub const MAX_TRIGGERS: usize = 4;

/// When to compact. Every field that is set must hold; one [`Trigger`] of a list is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// At this many tokens of the prompt.
    pub tokens: Option<Tokens>,
    /// At this share of the window, in thousandths.
    pub window_permille: Option<u32>,
    /// With this many entries in the view.
    pub entries: Option<u32>,
}

/// What a host may set. [`Config::default`] is what it gets without setting anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The model's limit in tokens, as the host states it.
    pub context_window: Option<Tokens>,
    /// The longest answer that the provider counts against the window.
    pub max_output: Option<Tokens>,
    /// When to compact; empty: [`DEFAULT_TRIGGER_PERMILLE`] of the window, kept below the usable part.
    pub triggers: ArrayVec<Trigger, MAX_TRIGGERS>,
    /// An absolute cap on the threshold. Advised for windows above 256,000: 200,000.
    pub threshold_cap: Option<Tokens>,
}

/// A setting that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A window too small to hold anything.
    #[error(
        "a window of {found} tokens is below the {least} that hold a prompt and a summary; state the model's limit"
    )]
    WindowTooSmall {
        /// What was given.
        found: Tokens,
        /// The least that works.
        least: Tokens,
    },
    /// A share outside of what a share can be.
    #[error("a trigger at {found} thousandths of the window is outside 1..=1000; give a fraction between 0 and 1")]
    FractionOutOfRange {
        /// What was given, in thousandths.
        found: u32,
    },
    /// A trigger with no condition would always hold.
    #[error("a trigger without tokens, fraction or messages would hold always; set one of them")]
    EmptyTrigger,
}

/// The token lines of one window, all in tokens of the whole prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The model's limit, as far as it is known.
    pub window: Tokens,
    /// What a prompt may fill: the window less the longest answer that is counted against it.
    pub usable: Tokens,
    /// High-water mark: a pass is due at or above it.
    pub threshold: Tokens,
    /// At or above it the next prompt may overflow; guards open once (rule 4 b) and a plan needs less (rule 5).
    pub emergency: Tokens,
}

/// Which line a pass is judged against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// [`Lines::threshold`].
    Threshold,
    /// [`Lines::emergency`].
    Emergency,
}

impl Config {
    /// Checks every setting; the first fault is returned and nothing is corrected silently.
    ///
    /// # Errors
    /// [`ConfigError`] names the value and what would do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if let Some(found) = self.context_window.filter(|window| *window < MIN_WINDOW) {
            return Err(ConfigError::WindowTooSmall { found, least: MIN_WINDOW });
        }
        for trigger in &self.triggers {
            if let Some(found) = trigger.window_permille.filter(|parts| *parts == 0 || *parts > 1_000) {
                return Err(ConfigError::FractionOutOfRange { found });
            }
            if *trigger == Trigger::default() {
                return Err(ConfigError::EmptyTrigger);
            }
        }
        Ok(())
    }

    /// The lines for a `window` and a view of `entries` entries (rule 1).
    #[must_use]
    pub fn lines(&self, window: Tokens, entries: u32) -> Lines {
        let usable = usable(window, self.max_output);
        let emergency = permille(usable, EMERGENCY_PERMILLE);
        let threshold = self.threshold(window, usable, entries).min(self.threshold_cap.unwrap_or(Tokens::MAX));
        Lines { window, usable, threshold: threshold.min(emergency), emergency }
    }

    fn threshold(&self, window: Tokens, usable: Tokens, entries: u32) -> Tokens {
        if self.triggers.is_empty() {
            return permille(window, DEFAULT_TRIGGER_PERMILLE).min(permille(usable, USABLE_PERMILLE));
        }
        let due = |trigger: &&Trigger| trigger.entries.is_none_or(|least| entries >= least);
        self.triggers.iter().filter(due).map(|trigger| trigger.tokens_at(window)).min().unwrap_or(Tokens::MAX)
    }
}

impl Trigger {
    fn tokens_at(&self, window: Tokens) -> Tokens {
        let share = self.window_permille.map_or(0, |parts| permille(window, parts));
        self.tokens.unwrap_or(0).max(share)
    }
}

impl Lines {
    /// The tokens of `line`.
    #[must_use]
    pub fn at(&self, line: Line) -> Tokens {
        match line {
            Line::Threshold => self.threshold,
            Line::Emergency => self.emergency,
        }
    }

    /// Low-water mark: what a plan aims at, given what no compaction can remove (rule 1).
    #[must_use]
    pub fn target(&self, floor: Tokens) -> Tokens {
        floor.saturating_add(permille(self.threshold.saturating_sub(floor), TARGET_ROOM_PERMILLE))
    }

    /// Where a plan has to land for a model to be called, judged against `line` (rule 5).
    #[must_use]
    pub fn accept_below(&self, line: Line) -> Tokens {
        match line {
            Line::Threshold => permille(self.threshold, LANDING_PERMILLE),
            Line::Emergency => permille(self.emergency, EMERGENCY_LANDING_PERMILLE),
        }
    }
}

fn usable(window: Tokens, max_output: Option<Tokens>) -> Tokens {
    match window.saturating_sub(max_output.unwrap_or(0)) {
        0 => permille(window, USABLE_LEFT_PERMILLE),
        left => left,
    }
}

/// The smallest window that can hold a prompt, a summary and an answer.
pub const MIN_WINDOW: Tokens = 256;
/// Share of the window at which a pass is due. At 0.60 a 200,000 window needs 39 % more passes, at 0.90 it costs 7 % more.
pub const DEFAULT_TRIGGER_PERMILLE: u32 = 800;
/// Share of the usable part that the default threshold never exceeds: an answer must still fit.
pub const USABLE_PERMILLE: u32 = 850;
/// Share of the window taken as usable when the longest answer would leave nothing.
pub const USABLE_LEFT_PERMILLE: u32 = 200;
/// The emergency line, as a share of the usable part.
pub const EMERGENCY_PERMILLE: u32 = 950;
/// Share of the room between floor and threshold that a plan leaves in use. 0 saves 12 % more and costs 17 % of the text.
pub const TARGET_ROOM_PERMILLE: u32 = 250;
/// A plan must land at or below this share of the threshold: higher, and the next turn compacts again.
pub const LANDING_PERMILLE: u32 = 850;
/// At the emergency line landing at or below this share of that line is enough: the alternative is a refused prompt.
pub const EMERGENCY_LANDING_PERMILLE: u32 = 900;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(window: Tokens, max_output: Option<Tokens>) -> Lines {
        Config { max_output, ..Config::default() }.lines(window, 0)
    }

    #[test]
    fn default_lines_follow_rule_one() {
        let plain = lines(64_000, None);
        assert_eq!((plain.threshold, plain.emergency), (51_200, 60_800));
        assert_eq!(plain.target(30_000), 35_300);
        let answered = lines(16_384, Some(4_096));
        assert_eq!((answered.usable, answered.threshold), (12_288, 10_444));
        assert_eq!(lines(1_000, Some(1_000)).usable, 200, "an answer as long as the window leaves a fifth");
    }

    #[test]
    fn a_stated_threshold_is_kept_below_the_emergency_line() {
        let at = |tokens| Config {
            triggers: [Trigger { tokens: Some(tokens), ..Trigger::default() }].into_iter().collect(),
            ..Config::default()
        };
        assert_eq!(at(27_853).lines(32_768, 0).threshold, 27_853);
        assert_eq!(at(32_768).lines(32_768, 0).threshold, 31_129);
    }

    #[test]
    fn all_conditions_of_one_trigger_and_any_trigger_of_a_list_decide() {
        let both = Trigger { tokens: Some(500), window_permille: Some(700), entries: Some(10) };
        let late = Trigger { window_permille: Some(900), ..Trigger::default() };
        let config = Config { triggers: [both, late].into_iter().collect(), ..Config::default() };
        assert_eq!(config.lines(1_000, 9).threshold, 900, "too few entries for the first");
        assert_eq!(config.lines(1_000, 10).threshold, 700);
    }

    #[test]
    fn settings_that_cannot_be_are_refused_with_their_value() {
        let small = Config { context_window: Some(10), ..Config::default() };
        assert_eq!(small.validate(), Err(ConfigError::WindowTooSmall { found: 10, least: MIN_WINDOW }));
        let share = |parts| Config {
            triggers: [Trigger { window_permille: Some(parts), ..Trigger::default() }].into_iter().collect(),
            ..Config::default()
        };
        assert_eq!(share(1_001).validate(), Err(ConfigError::FractionOutOfRange { found: 1_001 }));
        assert_eq!(share(1_000).validate(), Ok(()));
        let empty = Config { triggers: [Trigger::default()].into_iter().collect(), ..Config::default() };
        assert_eq!(empty.validate(), Err(ConfigError::EmptyTrigger));
    }
}
