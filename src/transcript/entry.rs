//! One neutral item of a transcript.

use crate::tokens::Tokens;

/// One neutral item of a transcript; a host message maps to one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A hash of the host's message id together with its content, so that an edit under the same id is noticed.
    pub id: u64,
    /// Who speaks.
    pub role: Role,
    /// What else is known of it.
    pub kind: Kind,
    /// The reader's count, before calibration.
    pub tokens: Tokens,
    /// The index of the entry that opened the atomic group it belongs to (a call and all its results share one), or
    /// [`Entry::ALONE`]. A reference that cannot hold (forward, answered long ago, no call) counts as alone.
    pub group: u32,
    /// How many results an entry with [`Kind::CALL`] waits for, or how many calls one with [`Kind::RESULT`] alone
    /// answers; 0 reads as 1, more than 255 as 255.
    pub calls: u8,
    /// About how many UTF-8 bytes it weighs, media included; 0 where nobody knows. An index keeps it within 6.25 %. No
    /// part of any fingerprint.
    pub bytes: u32,
}

impl Entry {
    /// The group of an entry that belongs to no call.
    pub const ALONE: u32 = u32::MAX;

    /// An entry that stands alone.
    #[must_use]
    pub const fn alone(id: u64, role: Role, tokens: Tokens) -> Self {
        Self { id, role, kind: Kind::NONE, tokens, group: Self::ALONE, calls: 0, bytes: 0 }
    }

    /// What it is, apart from what it weighs and belongs to.
    #[must_use]
    pub(crate) const fn shape(&self) -> Shape {
        Shape { role: self.role, kind: self.kind }
    }

    /// Whether it starts a turn: a user spoke, not the host in a user's name, and it is neither a tool's result nor a
    /// summary that a host left behind.
    #[must_use]
    pub const fn is_real_user(&self) -> bool {
        self.shape().is_real_user()
    }

    /// How many calls it answers, if it is a result: some formats put all results of a turn into one message.
    pub(super) fn answers(&self) -> u32 {
        if self.kind.any(Kind::CALL) { 1 } else { u32::from(self.calls.max(1)) }
    }

    /// Whether it stays verbatim for ever: a system entry, unless it is a summary that a host left behind (B1).
    #[must_use]
    pub const fn is_system(&self) -> bool {
        self.shape().is_system()
    }

    /// Whether it may belong to what came before it: to a call, or to an entry that leads it.
    pub(super) const fn may_join(&self) -> bool {
        self.shape().may_change()
    }
}

/// What an entry is: enough for most questions, and read from two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(super) role: Role,
    pub(super) kind: Kind,
}

impl Shape {
    pub(super) const fn is_real_user(self) -> bool {
        let not_real = Kind(Kind::SYNTHETIC.0 | Kind::RESULT.0 | Kind::HOST_SUMMARY.0);
        matches!(self.role, Role::User) && !self.kind.any(not_real)
    }

    pub(super) const fn is_system(self) -> bool {
        matches!(self.role, Role::System) && !self.kind.any(Kind::HOST_SUMMARY)
    }

    /// Neither a system entry nor a real user message: it belongs to what came before it, or something may stand for it.
    pub(crate) const fn may_change(self) -> bool {
        !self.is_real_user() && !self.is_system()
    }
}

/// Who speaks in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// The host's instructions; `developer` as well.
    System = 0,
    /// The user, or the host in the user's place.
    User = 1,
    /// The model.
    Assistant = 2,
    /// A tool.
    Tool = 3,
}

impl Role {
    /// The role with this number; `None` above 3.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::System),
            1 => Some(Self::User),
            2 => Some(Self::Assistant),
            3 => Some(Self::Tool),
            _ => None,
        }
    }
}

/// A set of flags. Fourteen bits are kept; the ones without a name are reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind(u16);

impl Kind {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// Made by the host in a user's name: renews nothing, clears nothing (rule 11).
    pub const SYNTHETIC: Self = Self(1);
    /// Opens [`Entry::calls`] tool calls.
    pub const CALL: Self = Self(2);
    /// Answers a tool call.
    pub const RESULT: Self = Self(4);
    /// Carries an image or another blob. Never pins a boundary.
    pub const IMAGE: Self = Self(8);
    /// A summary that the host left in its own history, in any role: may always be summarised again (B1).
    pub const HOST_SUMMARY: Self = Self(16);
    /// Never parted from the entry behind it: reasoning that a provider wants back together with what it led to. A real
    /// user message or a system entry is not led by anything: there the lead came to nothing.
    pub const LEADS: Self = Self(32);
    /// A text that is mostly base64 or minified data.
    pub const BLOB: Self = Self(64);

    /// How many bits an index keeps.
    pub(super) const BITS: u32 = 14;

    /// The set with these bits; bits without a place are dropped.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any flag of `other` is set.
    #[must_use]
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_turn_is_real_only_when_a_user_spoke() {
        let user = Entry::alone(1, Role::User, 5);
        assert!(user.is_real_user());
        for kind in [Kind::SYNTHETIC, Kind::RESULT, Kind::HOST_SUMMARY] {
            assert!(!Entry { kind, ..user }.is_real_user(), "{kind:?}");
        }
        assert!(Entry { kind: Kind::IMAGE, ..user }.is_real_user());
        assert!(!Entry { role: Role::Assistant, ..user }.is_real_user());
    }

    #[test]
    fn a_role_reads_back_its_number_and_nothing_else() {
        for role in [Role::System, Role::User, Role::Assistant, Role::Tool] {
            assert_eq!(Role::from_code(role as u8), Some(role));
        }
        assert_eq!(Role::from_code(4), None);
        assert_eq!(Kind::from_bits(u16::MAX).bits(), 0x3FFF);
    }
}
