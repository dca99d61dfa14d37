//! Writing maps with integer keys. Zero, false and none are not written: missing means the same.

use crate::record::{
    Unknown,
    cbor::{BYTES, LIST, MAP, NUMBER, SIMPLE, TEXT, TRUE, write_head},
    numbers::Numbered,
};

/// One map in the making.
#[derive(Default)]
pub(super) struct MapWriter {
    pairs: u32,
    body: Vec<u8>,
}

impl MapWriter {
    /// A number; 0 is not written.
    pub(super) fn number(&mut self, key: u8, value: impl Into<u64>) {
        let value = value.into();
        self.optional(key, (value > 0).then_some(value));
    }

    /// A number for which 0 and none differ.
    pub(super) fn optional(&mut self, key: u8, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.value(key, NUMBER, value.into());
        }
    }

    /// One of the values of an enum.
    pub(super) fn choice(&mut self, key: u8, value: Option<impl Numbered>) {
        self.optional(key, value.map(Numbered::number));
    }

    /// Yes, or nothing.
    pub(super) fn flag(&mut self, key: u8, value: bool) {
        if value {
            self.value(key, SIMPLE, TRUE);
        }
    }

    /// Text, however short.
    pub(super) fn text(&mut self, key: u8, value: &str) {
        self.value(key, TEXT, value.len() as u64);
        self.body.extend_from_slice(value.as_bytes());
    }

    /// Bytes, however few.
    pub(super) fn bytes(&mut self, key: u8, value: &[u8]) {
        self.value(key, BYTES, value.len() as u64);
        self.body.extend_from_slice(value);
    }

    /// Numbers, each followed by its bytes; an empty list is not written.
    pub(super) fn numbered(&mut self, key: u8, values: &[(u32, Vec<u8>)]) {
        if !values.is_empty() {
            self.value(key, LIST, 2 * values.len() as u64);
            for (number, bytes) in values {
                write_head(&mut self.body, NUMBER, u64::from(*number));
                write_head(&mut self.body, BYTES, bytes.len() as u64);
                self.body.extend_from_slice(bytes);
            }
        }
    }

    /// Numbers; an empty list is not written.
    pub(super) fn numbers(&mut self, key: u8, values: impl ExactSizeIterator<Item = u64>) {
        if values.len() > 0 {
            self.value(key, LIST, values.len() as u64);
            for value in values {
                write_head(&mut self.body, NUMBER, value);
            }
        }
    }

    /// Maps; an empty list is not written.
    pub(super) fn maps(&mut self, key: u8, maps: impl ExactSizeIterator<Item = Vec<u8>>) {
        if maps.len() > 0 {
            self.value(key, LIST, maps.len() as u64);
            for map in maps {
                self.body.extend_from_slice(&map);
            }
        }
    }

    /// A map; an empty one is not written.
    pub(super) fn map(&mut self, key: u8, map: &[u8]) {
        if *map != EMPTY_MAP {
            self.key(key);
            self.body.extend_from_slice(map);
        }
    }

    /// The map's bytes, `unknown` at its end.
    pub(super) fn finish(self, unknown: &Unknown) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_head(&mut bytes, MAP, u64::from(self.pairs) + u64::from(unknown.pairs));
        bytes.extend_from_slice(&self.body);
        bytes.extend_from_slice(&unknown.raw);
        bytes
    }

    #[inline(never)]
    fn value(&mut self, key: u8, major: u8, number: u64) {
        self.key(key);
        write_head(&mut self.body, major, number);
    }

    fn key(&mut self, key: u8) {
        self.pairs += 1;
        write_head(&mut self.body, NUMBER, key.into());
    }
}

const EMPTY_MAP: [u8; 1] = [MAP << 5];
