//! What one model counts for one token of the estimate, learned from its reports.

use crate::tokens::Tokens;

/// Decayed sums of what was counted and what had been estimated for the same entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// Tokens that reports counted, older ones for less.
    pub counted: Tokens,
    /// The estimates of the same.
    pub estimated: Tokens,
}

impl Ratio {
    /// Takes what a report counted for entries that were estimated at `estimated`. What cannot be is not taken: a
    /// report that is further off than `MOST` counts something else than these entries.
    pub fn learn(&mut self, counted: Tokens, estimated: Tokens) {
        let (wide, narrow) = (u64::from(counted.max(estimated)), u64::from(counted.min(estimated)));
        if narrow == 0 || wide > MOST * narrow {
            return;
        }
        let decayed =
            |sum: Tokens, new: Tokens| (u64::from(sum) * KEPT / 10).min(MOST_SUM) as Tokens + new.min(MOST_NEW);
        *self = Self { counted: decayed(self.counted, counted), estimated: decayed(self.estimated, estimated) };
    }

    /// Thousandths of a model's token for one of the estimate; 1,000 while nothing is known. Little evidence moves it
    /// little.
    #[must_use]
    pub fn permille(&self) -> u32 {
        let (counted, estimated) = (u64::from(self.counted) + DOUBT, u64::from(self.estimated) + DOUBT);
        (counted * 1_000 / estimated) as u32
    }

    /// Whether anything was learned.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.estimated > 0
    }
}

/// Tokens of doubt: as if as many had been estimated exactly.
const DOUBT: u64 = 200;
/// Tenths of the sums that stay when a report is taken: about ten reports back, half is forgotten after seven.
const KEPT: u64 = 9;
/// Texts of no vocabulary measured are further off the estimate than three times; a quarter more for what frames them.
const MOST: u64 = 4;
/// Sums stay below what a number of tokens can hold.
const MOST_SUM: u64 = 1 << 30;
const MOST_NEW: Tokens = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_follows_what_is_counted_and_forgets_what_was() {
        let mut ratio = Ratio::default();
        assert_eq!((ratio.permille(), ratio.is_known()), (1_000, false));
        ratio.learn(1_300, 1_000);
        assert_eq!((ratio.permille(), ratio.is_known()), (1_250, true));
        for _ in 0..20 {
            ratio.learn(1_300, 1_000);
        }
        assert!((1_290..=1_300).contains(&ratio.permille()), "{ratio:?}");
        for _ in 0..20 {
            ratio.learn(800, 1_000);
        }
        assert!((800..=870).contains(&ratio.permille()), "{ratio:?}");
    }

    #[test]
    fn a_count_that_cannot_be_of_the_same_entries_teaches_nothing() {
        let mut ratio = Ratio::default();
        for (counted, estimated) in [(0, 100), (100, 0), (401, 100), (100, 401)] {
            ratio.learn(counted, estimated);
        }
        assert_eq!(ratio, Ratio::default());
        for _ in 0..100 {
            ratio.learn(Tokens::MAX, Tokens::MAX / 2);
        }
        assert!(ratio.permille() >= 1_000, "sums do not wrap: {ratio:?}");
    }
}
