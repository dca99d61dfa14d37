//! Wall-clock time as an argument. Nothing here reads a clock; the clock is treated as jumpy.

/// An instant in epoch milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

/// A length of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Timestamp {
    /// This instant moved `length` into the future; never wraps.
    #[must_use]
    pub fn after(self, length: Millis) -> Self {
        Self(self.0.saturating_add(length.0))
    }

    /// The time from `earlier` to this instant; nothing when `earlier` lies in the future.
    #[must_use]
    pub fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl Millis {
    /// A length in seconds.
    #[must_use]
    pub const fn secs(seconds: u64) -> Self {
        Self(seconds * 1_000)
    }

    /// This length doubled `times` times, at most `cap`.
    #[must_use]
    pub fn doubled(self, times: u8, cap: Self) -> Self {
        let factor = 1_u64.checked_shl(u32::from(times)).unwrap_or(u64::MAX);
        Self(self.0.saturating_mul(factor).min(cap.0))
    }
}
