//! Identities: numbers that mean something only by being equal or not.

use core::fmt;

/// One try at compacting, from claim to end. Users see it as `compactionId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(pub u64);

/// One opened session object: a tab, a worker, an isolate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u64);

/// A model by the hash of its name. [`ModelId::UNNAMED`] where the host names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(pub u64);

/// One store commit, so that a repeated or unanswered one can be told from a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u64);

impl ModelId {
    /// The model of a host that names none.
    pub const UNNAMED: Self = Self(0);

    /// The model called `name`; stable across releases (xxh3).
    #[must_use]
    pub fn of(name: &str) -> Self {
        if name.is_empty() { Self::UNNAMED } else { Self(text_hash(name)) }
    }
}

impl AttemptId {
    /// The `nth` attempt of `owner`: no clock and no random number beyond the owner's own.
    #[must_use]
    pub fn derive(owner: OwnerId, nth: u64) -> Self {
        Self(derive(owner, nth, 1))
    }

    /// Reads the form that [`fmt::Display`] writes; nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let well_formed = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        well_formed.then(|| u64::from_str_radix(text, 16).ok().map(Self)).flatten()
    }
}

impl OpId {
    /// The `nth` store commit of `owner`.
    #[must_use]
    pub fn derive(owner: OwnerId, nth: u64) -> Self {
        Self(derive(owner, nth, 2))
    }
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What stands for a text; stable across releases (xxh3). One copy for all: the algorithm is a kilobyte.
#[inline(never)]
pub(crate) fn text_hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

fn derive(owner: OwnerId, nth: u64, purpose: u8) -> u64 {
    let mut bytes = [purpose; 17];
    bytes[..8].copy_from_slice(&owner.0.to_le_bytes());
    bytes[8..16].copy_from_slice(&nth.to_le_bytes());
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_id_reads_back_what_it_writes_and_nothing_else() {
        let id = AttemptId::derive(OwnerId(7), 1);
        assert_eq!(AttemptId::parse(&id.to_string()), Some(id));
        for text in ["", "+123456789abcdef", "0123456789ABCDEF", "0123456789abcde"] {
            assert_eq!(AttemptId::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn attempts_and_commits_of_one_owner_never_share_an_id() {
        assert_ne!(AttemptId::derive(OwnerId(1), 1).0, OpId::derive(OwnerId(1), 1).0);
        assert_ne!(AttemptId::derive(OwnerId(1), 1), AttemptId::derive(OwnerId(2), 1));
    }
}
