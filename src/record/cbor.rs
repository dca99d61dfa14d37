//! As much of CBOR (RFC 8949) as records have: definite lengths only, which is all that any build writes.
//!
//! By hand, because it is this short and a general decoder is not: with one, this layer took two thirds more of a page.

/// Unsigned numbers.
pub(super) const NUMBER: u8 = 0;
/// Negative numbers.
pub(super) const NEGATIVE: u8 = 1;
/// Bytes.
pub(super) const BYTES: u8 = 2;
/// UTF-8 text.
pub(super) const TEXT: u8 = 3;
/// Lists.
pub(super) const LIST: u8 = 4;
/// Maps.
pub(super) const MAP: u8 = 5;
/// Flags, null and floats; which of them is the head's number.
pub(super) const SIMPLE: u8 = 7;

/// The number of `false` among [`SIMPLE`].
pub(super) const FALSE: u64 = 20;
/// The number of `true` among [`SIMPLE`].
pub(super) const TRUE: u64 = 21;
/// The number of `null` among [`SIMPLE`].
pub(super) const NULL: u64 = 22;
/// The number of `undefined` among [`SIMPLE`].
pub(super) const UNDEFINED: u64 = 23;

const TAG: u8 = 6;

/// Appends the head of a value: its major type and its number, in the shortest form.
#[inline(never)]
pub(super) fn write_head(out: &mut Vec<u8>, major: u8, number: u64) {
    let bytes = number.to_be_bytes();
    let (info, length) = match number {
        0..24 => (bytes[7], 0),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..0x1_0000_0000 => (26, 4),
        _ => (27, 8),
    };
    out.push(major << 5 | info);
    out.extend_from_slice(&bytes[8 - length..]);
}

/// What is left to read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether everything was read.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The head of the next value: its major type and its number.
    #[inline(never)]
    pub(super) fn head(&mut self) -> Option<(u8, u64)> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        let length = match first & 31 {
            info @ 0..24 => return Some((first >> 5, info.into())),
            info @ 24..28 => 1 << (info - 24),
            _ => return None,
        };
        let number = self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Some((first >> 5, number))
    }

    /// The number of the next head, if it is one of `major`.
    pub(super) fn of(&mut self, major: u8) -> Option<u64> {
        self.head().filter(|(found, _)| *found == major).map(|(_, number)| number)
    }

    /// The next value, whole.
    #[inline(never)]
    pub(super) fn item(&mut self) -> Option<&'b [u8]> {
        let start = self.rest;
        let mut left: u64 = 1;
        while left > 0 {
            let (major, number) = self.head()?;
            let inside = match major {
                BYTES | TEXT => {
                    self.take(number)?;
                    0
                }
                LIST => number,
                MAP => number.checked_mul(2)?,
                TAG => 1,
                _ => 0,
            };
            left = (left - 1).checked_add(inside)?;
        }
        start.get(..start.len() - self.rest.len())
    }

    /// The next value, if it is text.
    pub(super) fn text(&mut self) -> Option<&'b str> {
        let length = self.of(TEXT)?;
        core::str::from_utf8(self.take(length)?).ok()
    }

    /// The next value, if it is bytes.
    pub(super) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.of(BYTES)?;
        self.take(length)
    }

    fn take(&mut self, length: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use minicbor::{Decoder, Encoder};

    use super::*;

    const EDGES: [u64; 12] =
        [0, 1, 23, 24, 255, 256, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX - 1, u64::MAX];

    #[test]
    fn heads_are_those_of_the_reference_crate_both_ways() {
        for number in EDGES {
            let mut ours = Vec::new();
            write_head(&mut ours, NUMBER, number);
            let mut theirs = Vec::new();
            Encoder::new(&mut theirs).u64(number).expect("a vector takes it");
            assert_eq!(ours, theirs, "{number}");
            assert_eq!(Decoder::new(&ours).u64().ok(), Some(number));
            assert_eq!(Reader::new(&theirs).of(NUMBER), Some(number));
            assert_eq!(Reader::new(&theirs[..theirs.len() - 1]).head(), None, "{number} cut short");
        }
    }

    #[test]
    fn item_ends_where_the_value_does_and_never_goes_beyond_the_bytes() {
        let mut bytes = Vec::new();
        let mut out = Encoder::new(&mut bytes);
        out.array(4).and_then(|out| out.map(1)).and_then(|out| out.str("key")).expect("a vector takes it");
        out.bytes(&[1, 2, 3]).and_then(|out| out.f64(0.5)).and_then(|out| out.i64(-500)).expect("a vector takes it");
        out.tag(minicbor::data::Tag::new(7)).and_then(|out| out.bool(true)).expect("a vector takes it");
        let whole = bytes.len();
        bytes.push(0);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.item(), Some(&bytes[..whole]));
        assert_eq!((reader.of(NUMBER), reader.is_done()), (Some(0), true));
        for length in 0..whole {
            assert_eq!(Reader::new(&bytes[..length]).item(), None, "{length} bytes");
        }
        for endless in [&[0x9b, 255, 255, 255, 255, 255, 255, 255, 255][..], &[0x9f, 0xff], &[0xff], &[0x5f, 0xff]] {
            assert_eq!(Reader::new(endless).item(), None, "{endless:?}");
        }
    }
}
