//! Reading maps with integer keys, whatever stands in them.
//!
//! Missing, null and negative read as 0 or none. What is there and cannot be, being of another type or above its range,
//! reads as the value that the caller names: the one that guards most. Either way reading goes on.
//!
//! Loops where adapters would do: each chain of them is compiled for itself, and this layer has many.

use core::cell::Cell;

use crate::record::{
    Unknown,
    cbor::{FALSE, LIST, MAP, NEGATIVE, NULL, NUMBER, Reader, SIMPLE, TRUE, UNDEFINED},
    numbers::Numbered,
};

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
    Flag(bool),
    Unreadable,
}

impl<'b, 'r> Fields<'b, 'r> {
    /// Splits the map `raw`, whose keys below `known` this build knows. `None` when it is no map, does not end where `raw`
    /// ends, or names a known key twice. `repaired` is set as soon as a value had to be replaced.
    #[inline(never)]
    pub(super) fn split(raw: &'b [u8], known: u8, repaired: &'r Cell<bool>) -> Option<Self> {
        let mut input = Reader::new(raw);
        let mut fields = Self { values: [&[]; MOST_KEYS], unknown: Unknown::default(), repaired };
        for _ in 0..input.of(MAP)? {
            let (key, value) = (input.item()?, input.item()?);
            match Reader::new(key).of(NUMBER).filter(|key| *key < known.into()) {
                Some(key) => fields.know(usize::try_from(key).ok()?, value)?,
                None => fields.unknown.push(key, value),
            }
        }
        input.is_done().then_some(fields)
    }

    /// A number.
    pub(super) fn number<T: Whole>(&self, key: u8, absurd: T) -> T {
        T::narrow(self.whole_or_zero(key, T::MOST, absurd.into()))
    }

    /// A number for which 0 and none differ.
    pub(super) fn optional<T: Whole>(&self, key: u8, absurd: Option<T>) -> Option<T> {
        self.whole(key, T::MOST, absurd.map(Into::into)).map(T::narrow)
    }

    /// One of the values of an enum.
    pub(super) fn choice<T: Numbered>(&self, key: u8, absurd: Option<T>) -> Option<T> {
        match self.whole(key, u64::MAX, Some(u64::MAX))? {
            0 => None,
            number => T::of(number).or_else(|| self.replaced(absurd)),
        }
    }

    /// Yes or no; what cannot be read is yes.
    #[inline(never)]
    pub(super) fn flag(&self, key: u8) -> bool {
        match self.value(key) {
            Value::Missing => false,
            Value::Flag(flag) => flag,
            Value::Number(_) | Value::Unreadable => self.replaced(true),
        }
    }

    /// Text, if it is text.
    pub(super) fn text(&self, key: u8) -> Option<&'b str> {
        Reader::new(self.raw(key)).text()
    }

    /// Bytes, if they are bytes.
    pub(super) fn bytes(&self, key: u8) -> Option<&'b [u8]> {
        Reader::new(self.raw(key)).bytes()
    }

    /// The items of a list; nothing where there is none, `None` where it is something else.
    #[inline(never)]
    pub(super) fn items(&self, key: u8) -> Option<Vec<&'b [u8]>> {
        if self.is_missing(key) {
            return Some(Vec::new());
        }
        list(Reader::new(self.raw(key))).or_else(|| self.replaced(None))
    }

    /// A list of numbers of at most `most`; `None` where any of them is none.
    #[inline(never)]
    pub(super) fn numbers(&self, key: u8, most: u64) -> Option<Vec<u64>> {
        let mut numbers = Vec::new();
        for raw in self.items(key)? {
            match Reader::new(raw).of(NUMBER) {
                Some(number) if number <= most => numbers.push(number),
                _ => return self.replaced(None),
            }
        }
        Some(numbers)
    }

    /// The list of entries at `key`, empty where there is none; `None` where it is something else.
    pub(super) fn places(&self, key: u8) -> Option<Vec<u32>> {
        let mut places = Vec::new();
        for place in self.numbers(key, u32::MAX.into())? {
            places.push(place as u32);
        }
        Some(places)
    }

    /// The fields of the map at `key`: `Ok(None)` where there is none, `Err` where it is something else.
    pub(super) fn map(&self, key: u8, known: u8) -> Result<Option<Self>, Unreadable> {
        if self.is_missing(key) {
            return Ok(None);
        }
        self.nested(self.raw(key), known).map(Some).ok_or_else(|| self.replaced(Unreadable))
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

    /// The number at `key`, `absurd` where it is above `most` or none.
    #[inline(never)]
    fn whole(&self, key: u8, most: u64, absurd: Option<u64>) -> Option<u64> {
        match self.value(key) {
            Value::Missing => None,
            Value::Number(number) if number <= most => Some(number),
            _ => self.replaced(absurd),
        }
    }

    #[inline(never)]
    fn whole_or_zero(&self, key: u8, most: u64, absurd: u64) -> u64 {
        self.whole(key, most, Some(absurd)).unwrap_or_default()
    }

    fn know(&mut self, key: usize, value: &'b [u8]) -> Option<()> {
        let place = self.values.get_mut(key).filter(|place| place.is_empty())?;
        *place = value;
        Some(())
    }

    #[inline(never)]
    fn value(&self, key: u8) -> Value {
        match Reader::new(self.raw(key)).head() {
            None | Some((NEGATIVE, _) | (SIMPLE, NULL | UNDEFINED)) => Value::Missing,
            Some((NUMBER, number)) => Value::Number(number),
            Some((SIMPLE, number @ (FALSE | TRUE))) => Value::Flag(number == TRUE),
            Some(_) => Value::Unreadable,
        }
    }

    fn is_missing(&self, key: u8) -> bool {
        matches!(self.value(key), Value::Missing)
    }

    fn raw(&self, key: u8) -> &'b [u8] {
        self.values[usize::from(key)]
    }
}

fn list(mut input: Reader<'_>) -> Option<Vec<&[u8]>> {
    let mut items = Vec::new();
    for _ in 0..input.of(LIST)? {
        items.push(input.item()?);
    }
    Some(items)
}

/// A number of some width.
pub(super) trait Whole: Into<u64> + Copy {
    /// The largest.
    const MOST: u64;

    /// A number of at most [`Whole::MOST`].
    fn narrow(number: u64) -> Self;
}

impl Whole for u8 {
    const MOST: u64 = u8::MAX as u64;

    fn narrow(number: u64) -> Self {
        number as u8
    }
}

impl Whole for u32 {
    const MOST: u64 = u32::MAX as u64;

    fn narrow(number: u64) -> Self {
        number as u32
    }
}

impl Whole for u64 {
    const MOST: u64 = u64::MAX;

    fn narrow(number: u64) -> Self {
        number
    }
}

/// What should be a map is something else.
pub(super) struct Unreadable;

impl Unknown {
    fn push(&mut self, key: &[u8], value: &[u8]) {
        self.pairs += 1;
        self.raw.extend_from_slice(key);
        self.raw.extend_from_slice(value);
    }
}

/// More keys than any map of this schema has.
const MOST_KEYS: usize = 32;
