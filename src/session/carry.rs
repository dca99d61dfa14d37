//! What the host owns and the model must see word for word: asked for at a commit, frozen with it, shown behind it.

use crate::{
    config::Line,
    plan::summary_cap,
    session::{Notice, Planned, Session, sight},
    tokens::{Tokens, rough},
    view,
};

/// Why a carry is not shown. The pass is committed without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CarryRefusal {
    /// Longer than [`CARRY_TOKENS`].
    TooLarge {
        /// Its tokens.
        tokens: Tokens,
        /// The most it may take.
        most: Tokens,
    },
    /// With it no later pass could land low enough: what cannot be removed would leave too little to save (rule 5).
    FloorBound {
        /// Its tokens.
        tokens: Tokens,
        /// The most it may take in this session.
        most: Tokens,
    },
}

impl CarryRefusal {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::FloorBound { .. } => "floor_bound",
        }
    }

    /// Its tokens, and the most it may take.
    #[must_use]
    pub const fn numbers(&self) -> (Tokens, Tokens) {
        match *self {
            Self::TooLarge { tokens, most } | Self::FloorBound { tokens, most } => (tokens, most),
        }
    }
}

impl Session {
    /// The live summary as the model is shown it, with what is kept word for word behind it. Equal state, equal bytes.
    #[must_use]
    pub fn shown_summary(&self) -> Option<String> {
        let live = self.live()?;
        Some(view::wrap_with(&live.text, &self.kept_texts(Some(live.number))))
    }

    /// `carry` as it is frozen with the commit of `planned`: as it was given, or nothing, and the host hears why.
    pub(super) fn admitted_carry(&mut self, carry: &str, planned: &Planned) -> String {
        let carry = carry.trim();
        match self.check_carry(rough(carry.len() as u64)) {
            Ok(()) => carry.to_owned(),
            Err(refusal) => {
                self.notify(Notice::CarryRefused { attempt: planned.attempt, refusal });
                String::new()
            }
        }
    }

    fn check_carry(&self, tokens: Tokens) -> Result<(), CarryRefusal> {
        if tokens > CARRY_TOKENS {
            return Err(CarryRefusal::TooLarge { tokens, most: CARRY_TOKENS });
        }
        let fixed = self.overhead().saturating_add(self.kept_tokens(None));
        match self.room_above(sight::floor(self, self.pinned_entries(), fixed)) {
            Some(most) if tokens > most => Err(CarryRefusal::FloorBound { tokens, most }),
            _ => Ok(()),
        }
    }

    /// Tokens that could be added to a floor of `floor` before no pass can land low enough beside a summary of full
    /// length; nothing where no window is known.
    pub(super) fn room_above(&self, floor: Tokens) -> Option<Tokens> {
        let lines = self.seen().lines?;
        let taken = floor.saturating_add(summary_cap(Some(lines.window)));
        Some(lines.accept_below(Line::Threshold).saturating_sub(taken))
    }

    /// Tokens of what stands word for word behind the summary with number `live`.
    pub(super) fn kept_tokens(&self, live: Option<u32>) -> Tokens {
        let mut tokens: Tokens = 0;
        for text in self.kept_texts(live) {
            tokens = tokens.saturating_add(rough(text.len() as u64));
        }
        tokens
    }

    fn kept_texts(&self, live: Option<u32>) -> Vec<&str> {
        let mut texts = Vec::new();
        if let Some(written) = live.and_then(|number| self.written(number)).filter(|written| !written.carry.is_empty())
        {
            texts.push(written.carry.as_str());
        }
        for text in &self.pins().texts {
            texts.push(text);
        }
        texts
    }
}

/// A todo list, a permission mode and a plan take a few hundred; more is re-read in every prompt, and never compacted.
pub const CARRY_TOKENS: Tokens = 2_048;
