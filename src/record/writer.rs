//! Writing maps with integer keys. Zero, false and none are not written: missing means the same.

use minicbor::Encoder;

use crate::record::{Unknown, numbers::Numbered};

/// One map in the making.
#[derive(Default)]
pub(super) struct MapWriter {
    pairs: u32,
    body: Vec<u8>,
}

impl MapWriter {
    /// A number; 0 is not written.
    pub(super) fn number(&mut self, key: u8, value: impl Into<u64>) {
        match value.into() {
            0 => {}
            value => self.optional(key, Some(value)),
        }
    }

    /// A number for which 0 and none differ.
    pub(super) fn optional(&mut self, key: u8, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            write(self.value(key).u64(value.into()));
        }
    }

    /// One of the values of an enum.
    pub(super) fn choice(&mut self, key: u8, value: Option<impl Numbered>) {
        self.optional(key, value.map(Numbered::number));
    }

    /// Yes, or nothing.
    pub(super) fn flag(&mut self, key: u8, value: bool) {
        if value {
            write(self.value(key).bool(true));
        }
    }

    /// Text, however short.
    pub(super) fn text(&mut self, key: u8, value: &str) {
        write(self.value(key).str(value));
    }

    /// Numbers; an empty list is not written.
    pub(super) fn numbers(&mut self, key: u8, values: impl ExactSizeIterator<Item = u64>) {
        if values.len() > 0 {
            let mut out = self.value(key);
            write(out.array(values.len() as u64));
            values.for_each(|value| write(out.u64(value)));
        }
    }

    /// Maps; an empty list is not written.
    pub(super) fn maps(&mut self, key: u8, maps: impl ExactSizeIterator<Item = Vec<u8>>) {
        if maps.len() > 0 {
            write(self.value(key).array(maps.len() as u64));
            maps.for_each(|map| self.body.extend_from_slice(&map));
        }
    }

    /// A map; an empty one is not written.
    pub(super) fn map(&mut self, key: u8, map: &[u8]) {
        if *map != EMPTY_MAP {
            self.value(key);
            self.body.extend_from_slice(map);
        }
    }

    /// The map's bytes, `unknown` at its end.
    pub(super) fn finish(self, unknown: &Unknown) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + unknown.raw.len() + 5);
        write(Encoder::new(&mut bytes).map(u64::from(self.pairs) + u64::from(unknown.pairs)));
        bytes.extend_from_slice(&self.body);
        bytes.extend_from_slice(&unknown.raw);
        bytes
    }

    fn value(&mut self, key: u8) -> Encoder<&mut Vec<u8>> {
        self.pairs += 1;
        let mut out = Encoder::new(&mut self.body);
        write(out.u8(key));
        out
    }
}

/// A vector takes every write.
fn write<T, E>(_: Result<T, E>) {}

const EMPTY_MAP: [u8; 1] = [0xa0];
