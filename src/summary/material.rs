//! The slice as text.

use core::fmt;

use crate::transcript::{Entry, Kind, Role};

/// The texts of a slice's entries, joined to one string, with the place where each ends.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    text: &'a str,
    items: &'a [Item],
}

/// One entry of the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where its text ends, in UTF-8 bytes of the joined string. It begins where the one before ends.
    pub end: u32,
    /// Who speaks.
    pub role: Role,
    /// What else is known of it.
    pub kind: Kind,
}

/// An offset that cannot be: descending, past the end, inside a character, or a last one short of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadOffset {
    /// Which item; the number of items where text is left over.
    pub item: u32,
}

impl<'a> Material<'a> {
    /// The material, if its offsets hold.
    ///
    /// # Errors
    /// The first item whose offset cannot be.
    pub fn new(text: &'a str, items: &'a [Item]) -> Result<Self, BadOffset> {
        let mut start = 0;
        for (item, Item { end, .. }) in items.iter().enumerate() {
            let end = *end as usize;
            if end < start || !text.is_char_boundary(end) {
                return Err(BadOffset { item: item as u32 });
            }
            start = end;
        }
        if start == text.len() { Ok(Self { text, items }) } else { Err(BadOffset { item: items.len() as u32 }) }
    }

    /// How many entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entries in order, each with its text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Item, &'a str)> + use<'a> {
        let material = *self;
        (0..self.items.len()).map(move |at| material.item(at))
    }

    #[inline(never)]
    fn item(self, at: usize) -> (Item, &'a str) {
        let start = at.checked_sub(1).map_or(0, |before| self.items[before].end as usize);
        (self.items[at], between(self.text, start, self.items[at].end as usize))
    }
}

impl Item {
    /// Whether a user really wrote it.
    #[must_use]
    pub const fn is_real_user(&self) -> bool {
        Entry { kind: self.kind, ..Entry::alone(0, self.role, 0) }.is_real_user()
    }
}

impl fmt::Debug for Material<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Material").field("bytes", &self.text.len()).field("items", &self.items.len()).finish()
    }
}

// The helpers below are called from many places that run once per pass: one copy of each is enough (the size gate).

/// Without blanks around it.
#[inline(never)]
pub(super) fn trim(text: &str) -> &str {
    text.trim()
}

/// The part of `text` from `start` to `end`, which stand between characters: a slice that could panic would bring the
/// tables of printable characters for its message.
#[inline(never)]
pub(super) fn between(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// The rest of `text` from `start`.
pub(super) fn from(text: &str, start: usize) -> &str {
    between(text, start, text.len())
}

/// The longest start of `text` within `bytes` that breaks no character.
#[inline(never)]
pub(super) fn head_of(text: &str, bytes: usize) -> &str {
    between(text, 0, text.floor_char_boundary(bytes))
}

/// The longest end of `text` within `bytes` that breaks no character.
pub(super) fn tail_of(text: &str, bytes: usize) -> &str {
    from(text, text.ceil_char_boundary(text.len().saturating_sub(bytes)))
}

/// Where `needle` first occurs. Ours are short: a plain walk is a tenth of the code that a searcher brings along.
#[inline(never)]
pub(super) fn find(text: &str, needle: &str) -> Option<usize> {
    text.as_bytes().windows(needle.len()).position(|window| window == needle.as_bytes())
}

/// Appends `number` in digits.
#[inline(never)]
pub(super) fn push_number(out: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = fmt::Write::write_fmt(out, format_args!("{number}"));
}

/// Entries as tests write them, joined.
#[cfg(test)]
pub(super) fn joined(entries: &[(Role, Kind, &str)]) -> (String, Vec<Item>) {
    let mut text = String::new();
    let mut items = Vec::new();
    for &(role, kind, entry) in entries {
        text.push_str(entry);
        items.push(Item { end: text.len() as u32, role, kind });
    }
    (text, items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(end: u32) -> Item {
        Item { end, role: Role::User, kind: Kind::NONE }
    }

    #[test]
    fn offsets_that_cannot_be_are_refused_by_the_first_item_that_has_one() {
        let bad = |items: &[Item]| Material::new("aé漢", items).err().map(|bad| bad.item);
        assert_eq!(bad(&[item(1), item(3), item(6)]), None);
        assert_eq!(bad(&[item(1), item(2), item(6)]), Some(1), "inside a character");
        assert_eq!(bad(&[item(3), item(1), item(6)]), Some(1), "descending");
        assert_eq!(bad(&[item(7)]), Some(0), "past the end");
        assert_eq!(bad(&[item(3)]), Some(1), "text left over");
    }

    #[test]
    fn items_read_back_in_both_directions() {
        let items = [item(1), item(1), item(6)];
        let material = Material::new("aé漢", &items).unwrap();
        assert_eq!(material.iter().map(|(_, text)| text).collect::<Vec<_>>(), ["a", "", "é漢"]);
        assert_eq!(material.iter().rev().map(|(_, text)| text).collect::<Vec<_>>(), ["é漢", "", "a"]);
        assert!(!format!("{material:?}").contains('漢'), "text must not be printed");
    }
}
