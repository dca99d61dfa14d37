//! The number of every enum value, for life: never reused, never renumbered, independent of the order of declaration.
//! All start at 1, so that 0 and a missing key both mean "none".

use crate::{
    config::Line,
    policy::{Exit, FailureClass, Kind, RefusedKind, Verdict},
};

/// An enum whose values have numbers.
pub(super) trait Numbered: Copy {
    /// The number of this value.
    fn number(self) -> u8;
    /// The value with this number.
    fn of(number: u64) -> Option<Self>;
}

macro_rules! numbered {
    ($enum:ident: $($variant:ident = $number:literal),+) => {
        impl Numbered for $enum {
            fn number(self) -> u8 {
                match self { $(Self::$variant => $number),+ }
            }

            fn of(number: u64) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

numbered!(Kind: Auto = 1, Manual = 2, Overflow = 3);
numbered!(Line: Threshold = 1, Emergency = 2);
numbered!(Exit: Time = 1, Growth = 2, Emergency = 3, Model = 4);
numbered!(Verdict: Effective = 1, Weak = 2, Ineffective = 3);
numbered!(RefusedKind: FloorBound = 1, NothingToCompact = 2);
numbered!(FailureClass: BadSummary = 1, Other = 2, Timeout = 3, RateLimit = 4, NoSummarizer = 5, Auth = 6, Quota = 7);
