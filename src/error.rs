//! What every error of this crate can say of itself.

/// Whether the operation that failed changed anything durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It did not: the old state stands.
    No,
    /// Nobody can tell yet: a later load decides, by the operation's id.
    Unknown,
}

impl Applied {
    /// The stable word: `no` or `unknown`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}
