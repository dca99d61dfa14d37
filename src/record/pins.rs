//! What a person pinned: a part of its own, so that the root record stays small.

use core::{cell::Cell, fmt};

use crate::record::{Unknown, fields::Fields, frame, load, part, writer::MapWriter};

/// What stays word for word until it is unpinned.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// Pinned entries, in the order in which they were pinned.
    pub entries: Vec<PinnedEntry>,
    /// Pinned texts, in the order in which they were pinned.
    pub texts: Vec<String>,
    /// Keys that this build does not know.
    pub unknown: Unknown,
}

/// A pinned entry. Its id alone is not enough: messages that say the same have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinnedEntry {
    /// Its id.
    pub id: u64,
    /// How many entries before it have the same id.
    pub nth: u32,
}

impl Pins {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len() + self.texts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Says how many there are, never what they say.
impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pins").field("entries", &self.entries).field("texts", &self.texts.len()).finish_non_exhaustive()
    }
}

/// The bytes of the pins of `session`: the same pins give the same bytes.
#[must_use]
pub fn encode_pins(session: &str, pins: &Pins) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.number(part::KIND, part::PINS);
    map.text(part::SESSION, session);
    let mut entries = Vec::new();
    for entry in &pins.entries {
        entries.extend([entry.id, entry.nth.into()]);
    }
    map.numbers(ENTRIES, entries.into_iter());
    map.maps(TEXTS, pins.texts.iter().map(|text| encode_text(text)));
    frame::seal(&map.finish(&pins.unknown))
}

/// Reads the bytes that a store keeps as the pins of `session`; none where they cannot be read as such, and of each list
/// no more than [`MAX_PINS`].
#[must_use]
pub fn load_pins(bytes: Option<&[u8]>, session: &str) -> Pins {
    let repaired = Cell::new(false);
    let fields = bytes.and_then(|bytes| load::open(bytes, part::PINS, KNOWN, &repaired).ok());
    fields
        .filter(|fields| fields.text(part::SESSION) == Some(session))
        .map(|fields| decode(&fields))
        .unwrap_or_default()
}

fn encode_text(text: &str) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.text(TEXT, text);
    map.finish(&Unknown::default())
}

fn decode(fields: &Fields<'_, '_>) -> Pins {
    let mut texts = Vec::new();
    for raw in fields.items(TEXTS).unwrap_or_default().into_iter().take(MAX_PINS) {
        let found = fields.nested(raw, TEXT_KNOWN);
        texts.extend(found.and_then(|found| found.text(TEXT).map(str::to_owned)));
    }
    let mut entries = Vec::new();
    for pair in fields.numbers(ENTRIES, u64::MAX).unwrap_or_default().chunks_exact(2).take(MAX_PINS) {
        if let &[id, nth] = pair {
            entries.push(PinnedEntry { id, nth: u32::try_from(nth).unwrap_or(u32::MAX) });
        }
    }
    Pins { entries, texts, unknown: fields.unknown.clone() }
}

/// More is not a handful of things that matter but a second conversation.
pub const MAX_PINS: usize = 32;

/// Keys below this one are known to this build; the first two are those of every part.
const KNOWN: u8 = 4;
const ENTRIES: u8 = 2;
const TEXTS: u8 = 3;

const TEXT_KNOWN: u8 = 1;
const TEXT: u8 = 0;
