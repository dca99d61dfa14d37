//! What a person pins: durable at once, shown word for word until it is unpinned.

use thiserror::Error;

use crate::{
    id::text_hash,
    record::{self, MAX_PINS, PinnedEntry},
    session::{
        Session,
        command::PINS,
        sight,
        write::{Mutated, Mutation, Parts},
    },
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
    /// An entry: it stays verbatim, with the whole group it belongs to.
    Entry(PinnedEntry),
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
    /// The entry is not in the transcript.
    #[error("no message of this conversation has this id; nothing was pinned; show the session the message first")]
    UnknownEntry,
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
            Self::UnknownEntry => "unknown_message",
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
            Self::Entry(entry) => entry_id(entry),
        }
    }
}

/// Says how long the text is, never what it says.
impl core::fmt::Debug for Pinnable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Text(text) => f.debug_struct("Text").field("bytes", &text.len()).finish(),
            Self::Entry(entry) => f.debug_tuple("Entry").field(entry).finish(),
        }
    }
}

impl core::fmt::Debug for Pin {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Pin").field(&self.0).finish()
    }
}

/// Where the pinned entries are.
#[derive(Clone, Debug, Default)]
pub(super) struct PinnedPlaces {
    places: Vec<u32>,
    /// For each pin, how many entries with its id have come so far.
    seen: Vec<u32>,
}

impl PinnedPlaces {
    /// Their places in the transcript, ascending.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Takes note of the next entry; whether it is pinned.
    pub(super) fn note(&mut self, pins: &[PinnedEntry], at: u32, id: u64) -> bool {
        let mut pinned = false;
        self.seen.resize(pins.len(), 0);
        for (pin, seen) in pins.iter().zip(&mut self.seen) {
            if pin.id == id {
                pinned |= *seen == pin.nth;
                *seen += 1;
            }
        }
        if pinned {
            self.places.push(at);
        }
        pinned
    }
}

impl Mutation for Pin {
    type Output = Result<Pinned, PinError>;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Self::Output> {
        session.pass_time(now);
        let id = self.0.id();
        let parts = match session.has_pin(id) {
            true => Parts::default(),
            false => match session.admits(&self.0) {
                Ok(()) => session.add_pin(&self.0),
                Err(refusal) => return Mutated::root_only(Err(refusal)),
            },
        };
        Mutated { output: Ok(Pinned { id, floor: session.observation().floor }), parts }
    }
}

impl Mutation for Unpin {
    type Output = ();

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<()> {
        session.pass_time(now);
        if !session.has_pin(self.0) {
            return Mutated::root_only(());
        }
        session.edit_pins(|pins| {
            pins.texts.retain(|text| text_id(text) != self.0);
            pins.entries.retain(|entry| entry_id(entry) != self.0);
        });
        Mutated { output: (), parts: session.pin_parts() }
    }
}

impl Session {
    fn has_pin(&self, id: u64) -> bool {
        let pins = self.pins();
        pins.entries.iter().any(|entry| entry_id(entry) == id) || pins.texts.iter().any(|text| text_id(text) == id)
    }

    /// Whether the entry at `at` belongs to the group of one that is pinned: a group is shown whole or not at all.
    pub(super) fn joins_a_pin(&self, at: u32) -> bool {
        let root = |at: u32| self.index().roots().get(at as usize);
        self.pinned_entries().iter().any(|pin| root(*pin) == root(at))
    }

    fn add_pin(&mut self, what: &Pinnable) -> Parts {
        self.edit_pins(|pins| match what {
            Pinnable::Text(text) => pins.texts.push(text.trim().to_owned()),
            Pinnable::Entry(entry) => pins.entries.push(*entry),
        });
        self.pin_parts()
    }

    fn admits(&self, what: &Pinnable) -> Result<(), PinError> {
        if self.pins().len() >= MAX_PINS {
            return Err(PinError::TooMany { most: MAX_PINS });
        }
        let before = self.observation().floor;
        let after = match what {
            Pinnable::Text(text) => before.saturating_add(text_tokens(text)?),
            Pinnable::Entry(entry) => self.floor_with(*entry)?,
        };
        match (self.room_above(before), self.observation().lines) {
            (Some(room), Some(lines)) if after.saturating_sub(before) > room => {
                Err(PinError::FloorBound { floor: after, threshold: lines.threshold })
            }
            _ => Ok(()),
        }
    }

    /// What no compaction could remove with `entry` pinned as well.
    fn floor_with(&self, entry: PinnedEntry) -> Result<Tokens, PinError> {
        let index = self.index();
        let mut alike = (0..index.len()).filter(|at| index.entry(*at).id == entry.id);
        let place = alike.nth(entry.nth as usize).ok_or(PinError::UnknownEntry)?;
        let mut pins = self.pinned_entries().to_vec();
        pins.push(place);
        pins.sort_unstable();
        let members: usize = pins.iter().map(|pin| index.members(*pin).count()).sum();
        if members > MAX_PINNED_ENTRIES {
            return Err(PinError::TooMany { most: MAX_PINNED_ENTRIES });
        }
        Ok(sight::floor(self, &pins, sight::fixed_tokens(self, &self.sight().view)))
    }

    /// The entry at `at`, to pin it by.
    #[must_use]
    pub fn pinnable(&self, at: u32) -> Option<Pinnable> {
        let index = self.index();
        let id = (at < index.len()).then(|| index.entry(at).id)?;
        let nth = (0..at).filter(|before| index.entry(*before).id == id).count();
        Some(Pinnable::Entry(PinnedEntry { id, nth: nth as u32 }))
    }

    /// The part that goes into the commit of a change of the pins.
    pub(super) fn pin_parts(&self) -> Parts {
        match self.pins().is_empty() {
            true => Parts { puts: Vec::new(), deletes: vec![PINS] },
            false => Parts { puts: vec![(PINS, record::encode_pins(self.id(), self.pins()))], deletes: Vec::new() },
        }
    }

    /// What another writer left; joined by what could not be written from here yet: a pin is a person's word.
    /// Whether what is stored could be read: pins that are all gone are deleted, never stored.
    pub(super) fn take_pins(&mut self, bytes: Option<&[u8]>) -> bool {
        let mut found = record::load_pins(bytes, self.id());
        let whole = bytes.is_none() || !found.is_empty();
        if !whole {
            self.set_aside(PINS, bytes);
            self.link_mut().unsaved = true;
        }
        if self.link().unsaved {
            join(&mut found.entries, &self.pins().entries);
            join(&mut found.texts, &self.pins().texts);
        }
        self.edit_pins(|pins| *pins = found);
        whole
    }
}

fn text_tokens(text: &str) -> Result<Tokens, PinError> {
    match rough(text.trim().len() as u64) {
        0 => Err(PinError::Empty),
        tokens if tokens > PIN_TOKENS => Err(PinError::TooLarge { tokens, most: PIN_TOKENS }),
        tokens => Ok(tokens),
    }
}

fn entry_id(entry: &PinnedEntry) -> u64 {
    entry.id.wrapping_add(entry.nth.into())
}

fn text_id(text: &str) -> u64 {
    text_hash(text.trim())
}

fn join<T: Clone + PartialEq>(found: &mut Vec<T>, mine: &[T]) {
    for one in mine {
        if !found.contains(one) && found.len() < MAX_PINS {
            found.push(one.clone());
        }
    }
}

/// Entries that pins may keep, groups counted whole: each is named by every later generation, in a record of two kilobytes.
const MAX_PINNED_ENTRIES: usize = 128;
/// A pinned text is a fact or a rule, not a document: those are entries, which can be pinned whatever their length.
pub const PIN_TOKENS: Tokens = 1_024;
