//! What a person pins: durable at once, shown word for word until it is unpinned.

use thiserror::Error;

use crate::{
    record,
    session::{
        Session,
        write::{Mutated, Mutation, Parts},
    },
    store::Part,
    time::Timestamp,
    tokens::{Tokens, rough},
};

/// Pins something.
#[derive(Clone)]
pub struct Pin(pub Pinnable);

/// What can be pinned.
#[derive(Clone, PartialEq, Eq)]
pub enum Pinnable {
    /// A text of the host's: it stands behind the summary.
    Text(String),
}

/// Takes the pin with this id away, as it was handed out.
#[derive(Clone, Copy, Debug)]
pub struct Unpin(pub u64);

/// It is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// What to unpin it by.
    pub id: u64,
    /// What no compaction can remove from now on.
    pub floor: Tokens,
}

/// Why nothing was pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PinError {
    /// With it no pass could land low enough: what cannot be removed would leave too little to save (rule 5).
    #[error(
        "with this pin the fixed part would be {floor} tokens under a threshold of {threshold}; unpin something first"
    )]
    FloorBound {
        /// What no compaction could remove.
        floor: Tokens,
        /// The threshold.
        threshold: Tokens,
    },
    /// A text longer than [`PIN_TOKENS`].
    #[error(
        "the text has {tokens} tokens and a pin takes at most {most}; nothing was pinned; pin the part that matters"
    )]
    TooLarge {
        /// Its tokens.
        tokens: Tokens,
        /// The most it may take.
        most: Tokens,
    },
    /// There are [`MAX_PINS`] already.
    #[error("{most} pins are the most there can be; nothing was pinned; unpin something first")]
    TooMany {
        /// The most there can be.
        most: usize,
    },
    /// A text without a word.
    #[error("the text is empty; nothing was pinned; pass what is to stay")]
    Empty,
}

impl PinError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::FloorBound { .. } => "floor_bound",
            Self::TooLarge { .. } => "too_large",
            Self::TooMany { .. } => "too_many_pins",
            Self::Empty => "empty",
        }
    }
}

impl Pinnable {
    /// What it is unpinned by: stable across releases (xxh3).
    #[must_use]
    pub fn id(&self) -> u64 {
        match self {
            Self::Text(text) => text_id(text),
        }
    }
}

/// Says how long the text is, never what it says.
impl core::fmt::Debug for Pinnable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Text(text) => f.debug_struct("Text").field("bytes", &text.len()).finish(),
        }
    }
}

impl core::fmt::Debug for Pin {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Pin").field(&self.0).finish()
    }
}

impl Mutation for Pin {
    type Output = Result<Pinned, PinError>;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Self::Output> {
        session.pass_time(now);
        let id = self.0.id();
        if !session.has_pin(id) {
            if let Err(refusal) = session.admits(&self.0) {
                return Mutated::root_only(Err(refusal));
            }
            session.edit_pins(|pins| match &self.0 {
                Pinnable::Text(text) => pins.texts.push(text.trim().to_owned()),
            });
        }
        let pinned = Pinned { id, floor: session.observation().floor };
        Mutated { output: Ok(pinned), parts: session.pin_parts() }
    }
}

impl Mutation for Unpin {
    type Output = ();

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<()> {
        session.pass_time(now);
        if !session.has_pin(self.0) {
            return Mutated::root_only(());
        }
        session.edit_pins(|pins| pins.texts.retain(|text| text_id(text) != self.0));
        Mutated { output: (), parts: session.pin_parts() }
    }
}

impl Session {
    fn has_pin(&self, id: u64) -> bool {
        self.pins().texts.iter().any(|text| text_id(text) == id)
    }

    fn admits(&self, what: &Pinnable) -> Result<(), PinError> {
        if self.pins().len() >= MAX_PINS {
            return Err(PinError::TooMany { most: MAX_PINS });
        }
        let tokens = match what {
            Pinnable::Text(text) => text_tokens(text)?,
        };
        let (floor, lines) = (self.seen().floor, self.seen().lines);
        match (self.room_above(floor), lines) {
            (Some(room), Some(lines)) if tokens > room => {
                Err(PinError::FloorBound { floor: floor.saturating_add(tokens), threshold: lines.threshold })
            }
            _ => Ok(()),
        }
    }

    /// The part that goes into the commit of a change of the pins.
    pub(super) fn pin_parts(&self) -> Parts {
        match self.pins().is_empty() {
            true => Parts { puts: Vec::new(), deletes: vec![PINS] },
            false => Parts { puts: vec![(PINS, record::encode_pins(self.id(), self.pins()))], deletes: Vec::new() },
        }
    }

    /// What another writer left; joined by what could not be written from here yet: a pin is a person's word.
    pub(super) fn take_pins(&mut self, bytes: Option<&[u8]>) {
        let mut found = record::load_pins(bytes, self.id());
        if self.link().unsaved {
            join(&mut found.entries, &self.pins().entries);
            join(&mut found.texts, &self.pins().texts);
        }
        self.edit_pins(|pins| *pins = found);
    }
}

fn text_tokens(text: &str) -> Result<Tokens, PinError> {
    match rough(text.trim().len() as u64) {
        0 => Err(PinError::Empty),
        tokens if tokens > PIN_TOKENS => Err(PinError::TooLarge { tokens, most: PIN_TOKENS }),
        tokens => Ok(tokens),
    }
}

fn text_id(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.trim().as_bytes())
}

fn join<T: Clone + PartialEq>(found: &mut Vec<T>, mine: &[T]) {
    for one in mine {
        if !found.contains(one) && found.len() < MAX_PINS {
            found.push(one.clone());
        }
    }
}

/// Where a store keeps the pins: generations are numbered from 1, so that this number is nobody's.
pub(super) const PINS: Part = Part::Generation(0);
/// More is not a handful of things that matter but a second conversation.
pub const MAX_PINS: usize = 32;
/// A pinned text is a fact or a rule, not a document: those are entries, which can be pinned whatever their length.
pub const PIN_TOKENS: Tokens = 1_024;
