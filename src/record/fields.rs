//! Reading maps with integer keys, whatever stands in them.
//!
//! Missing, null and negative read as 0 or none. What is there and cannot be, being of another type or above its range,
//! reads as the value that the caller names: the one that guards most. Either way reading goes on.

use core::cell::Cell;

use minicbor::{Decoder, data::Type};

use crate::record::{Unknown, numbers::Numbered};

/// The fields of one map, still raw.
pub(super) struct Fields<'b, 'r> {
    values: [&'b [u8]; MOST_KEYS],
    /// The pairs that this build does not know.
    pub(super) unknown: Unknown,
    repaired: &'r Cell<bool>,
}

enum Value {
    Missing,
    Number(u64),
    Unreadable,
}

impl<'b, 'r> Fields<'b, 'r> {
    /// Splits the map `raw`, whose keys below `known` this build knows. `None` when it is no map, does not end where `raw`
    /// ends, or names a known key twice. `repaired` is set as soon as a value had to be replaced.
    pub(super) fn split(raw: &'b [u8], known: u8, repaired: &'r Cell<bool>) -> Option<Self> {
        let mut input = Decoder::new(raw);
        let mut fields = Self { values: [&[]; MOST_KEYS], unknown: Unknown::default(), repaired };
        for _ in 0..input.map().ok()?? {
            let start = input.position();
            let key = if input.datatype().ok()? == Type::U8 { Some(input.u8().ok()?) } else { skip(&mut input)? };
            let value = item(&mut input)?;
            match key.filter(|key| *key < known) {
                Some(key) => fields.know(key, value)?,
                None => fields.unknown.push(raw.get(start..input.position())?),
            }
        }
        (input.position() == raw.len()).then_some(fields)
    }

    /// A number.
    pub(super) fn number<T: TryFrom<u64> + Default>(&self, key: u8, absurd: T) -> T {
        self.optional(key, Some(absurd)).unwrap_or_default()
    }

    /// A number for which 0 and none differ.
    pub(super) fn optional<T: TryFrom<u64>>(&self, key: u8, absurd: Option<T>) -> Option<T> {
        let found = match self.value(key) {
            Value::Missing => return None,
            Value::Number(number) => T::try_from(number).ok(),
            Value::Unreadable => None,
        };
        found.or_else(|| self.replaced(absurd))
    }

    /// One of the values of an enum.
    pub(super) fn choice<T: Numbered>(&self, key: u8, absurd: Option<T>) -> Option<T> {
        match self.optional(key, Some(u64::MAX))? {
            0 => None,
            number => T::of(number).or_else(|| self.replaced(absurd)),
        }
    }

    /// Yes or no; what cannot be read is yes.
    pub(super) fn flag(&self, key: u8) -> bool {
        match Decoder::new(self.raw(key)).bool() {
            Ok(flag) => flag,
            Err(_) => !matches!(self.value(key), Value::Missing) && self.replaced(true),
        }
    }

    /// Text, if it is text.
    pub(super) fn text(&self, key: u8) -> Option<&'b str> {
        Decoder::new(self.raw(key)).str().ok()
    }

    /// The items of a list; nothing where there is none, `None` where it is something else.
    pub(super) fn items(&self, key: u8) -> Option<Vec<&'b [u8]>> {
        let Some(raw) = self.present(key) else { return Some(Vec::new()) };
        let mut input = Decoder::new(raw);
        let length = input.array().ok().flatten();
        let items = length.and_then(|length| (0..length).map(|_| item(&mut input)).collect());
        items.or_else(|| self.replaced(None))
    }

    /// A list of numbers; `None` where any of them is none.
    pub(super) fn numbers<T: TryFrom<u64>>(&self, key: u8) -> Option<Vec<T>> {
        let number = |raw: &&[u8]| match value(raw) {
            Value::Number(number) => T::try_from(number).ok(),
            _ => None,
        };
        let numbers = self.items(key)?.iter().map(number).collect::<Option<_>>();
        numbers.or_else(|| self.replaced(None))
    }

    /// The fields of the map at `key`: `Ok(None)` where there is none, `Err` where it is something else.
    pub(super) fn map(&self, key: u8, known: u8) -> Result<Option<Self>, Unreadable> {
        let Some(raw) = self.present(key) else { return Ok(None) };
        self.nested(raw, known).map(Some).ok_or_else(|| self.replaced(Unreadable))
    }

    /// The fields of the map `raw`, which stands somewhere in this one.
    pub(super) fn nested(&self, raw: &'b [u8], known: u8) -> Option<Self> {
        Self::split(raw, known, self.repaired)
    }

    /// `value`, which stands in for what could not be read.
    pub(super) fn replaced<T>(&self, value: T) -> T {
        self.repaired.set(true);
        value
    }

    fn know(&mut self, key: u8, value: &'b [u8]) -> Option<()> {
        let place = self.values.get_mut(usize::from(key)).filter(|place| place.is_empty())?;
        *place = value;
        Some(())
    }

    fn value(&self, key: u8) -> Value {
        value(self.raw(key))
    }

    fn present(&self, key: u8) -> Option<&'b [u8]> {
        match self.value(key) {
            Value::Missing => None,
            _ => Some(self.raw(key)),
        }
    }

    fn raw(&self, key: u8) -> &'b [u8] {
        self.values[usize::from(key)]
    }
}

/// What should be a map is something else.
pub(super) struct Unreadable;

impl Unknown {
    fn push(&mut self, pair: &[u8]) {
        self.pairs += 1;
        self.raw.extend_from_slice(pair);
    }
}

fn value(raw: &[u8]) -> Value {
    let mut input = Decoder::new(raw);
    match input.datatype() {
        Err(_) | Ok(Type::Null | Type::Undefined | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Int) => {
            Value::Missing
        }
        Ok(_) => input.u64().map_or(Value::Unreadable, Value::Number),
    }
}

/// The next item, whole.
fn item<'b>(input: &mut Decoder<'b>) -> Option<&'b [u8]> {
    let start = input.position();
    input.skip().ok()?;
    input.input().get(start..input.position())
}

/// Passes a key that is no small number: no build of this crate knows it by another form.
fn skip(input: &mut Decoder<'_>) -> Option<Option<u8>> {
    input.skip().ok().map(|()| None)
}

/// More keys than any map of this schema has.
const MOST_KEYS: usize = 32;
