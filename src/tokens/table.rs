//! What the estimator knows of text: how often a token begins between two bytes.

use core::fmt;

/// Costs in units of [`Table::UNITS`] to a token, in [`Table::BYTES`] bytes.
#[derive(Clone, Copy)]
pub struct Table<'t> {
    /// What the second of two bytes costs behind the first. Row 0 is that of a text's first byte.
    pub(super) pairs: &'t [[u8; 256]; 256],
    /// The same for [`Run::Encoded`], by [`class`] of both bytes.
    encoded: &'t [[u8; CLASSES]; CLASSES],
}

impl<'t> Table<'t> {
    /// Units of a token. No byte costs more, so no text has more tokens than bytes.
    pub const UNITS: u8 = 32;
    /// 256 rows of 256 pairs, then the rows of encoded data.
    pub const BYTES: usize = 256 * 256 + CLASSES * CLASSES;

    /// The table in `bytes`; `None` where they are of another length.
    #[must_use]
    pub const fn of(bytes: &'t [u8]) -> Option<Self> {
        let Some((pairs, encoded)) = bytes.split_at_checked(256 * 256) else { return None };
        let (rows, _) = pairs.as_chunks::<256>();
        let (classes, _) = encoded.as_chunks::<CLASSES>();
        match (rows.first_chunk(), classes.first_chunk()) {
            (Some(pairs), Some(encoded)) if bytes.len() == Self::BYTES => Some(Self { pairs, encoded }),
            _ => None,
        }
    }

    /// Units of `bytes` behind `before`, which is 0 at the start of a text. Linear; what is appended only adds.
    #[must_use]
    pub fn units(&self, before: u8, bytes: &[u8]) -> u64 {
        let mut last = before;
        let mut sum = 0;
        let (windows, rest) = bytes.as_chunks::<WINDOW>();
        for window in windows {
            sum += u64::from(self.window(last, window));
            last = window[WINDOW - 1];
        }
        sum + u64::from(self.words(last, rest))
    }

    fn window(&self, before: u8, window: &[u8; WINDOW]) -> u32 {
        let plain = self.words(before, window);
        // Nearly every window of text holds a space: asking that of eight bytes at once spares the other questions.
        if has_space_or_wide(window) { plain } else { plain.max(self.run(before, window)) }
    }

    /// Word by word of eight bytes. One that only repeats the byte before costs what [`repeated`] says; while it is not
    /// full, it costs no more than that.
    fn words(&self, before: u8, bytes: &[u8]) -> u32 {
        let mut last = before;
        let mut sum = 0;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            sum += if is_repeated(last, word) { repeated(last) } else { self.word(last, word) };
            last = word[7];
        }
        sum + self.rest(last, rest)
    }

    /// Written out, because the module is built for size, which leaves loops as they are.
    fn word(&self, before: u8, word: &[u8; 8]) -> u32 {
        let [a, b, c, d, e, f, g, h] = *word;
        let front = (self.pair(before, a) + self.pair(a, b)) + (self.pair(b, c) + self.pair(c, d));
        front + (self.pair(d, e) + self.pair(e, f)) + (self.pair(f, g) + self.pair(g, h))
    }

    fn rest(&self, before: u8, rest: &[u8]) -> u32 {
        let mut last = before;
        let mut sum = 0;
        for &byte in rest {
            sum += self.pair(last, byte);
            last = byte;
        }
        if rest.iter().all(|&byte| byte == before) { sum.min(repeated(before)) } else { sum }
    }

    #[inline(always)]
    fn pair(&self, before: u8, byte: u8) -> u32 {
        u32::from(self.pairs[usize::from(before)][usize::from(byte)])
    }

    /// What a window costs as part of a run that is no text, 0 where it is none.
    fn run(&self, before: u8, window: &[u8; WINDOW]) -> u32 {
        match Run::of(before, window) {
            Some(Run::Letters) => LETTERS,
            Some(Run::Digits) => DIGITS,
            Some(Run::Encoded) => {
                let mut last = before;
                let mut sum = 0;
                for &byte in window {
                    sum += u32::from(self.encoded[class(last)][class(byte)]);
                    last = byte;
                }
                sum
            }
            None => 0,
        }
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

/// A window of a run that is no text: no word of a language and hardly a name in code is as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Lower case alone.
    Letters,
    /// Digits alone.
    Digits,
    /// Base64, hexadecimal and the like: at least `MIXED` digits and capitals, and nothing that base64 does not use.
    Encoded,
}

impl Run {
    /// What `window` is part of. A run of one byte is none of these.
    #[must_use]
    pub fn of(before: u8, window: &[u8; WINDOW]) -> Option<Self> {
        let mut last = before;
        let mut counts = [0; CLASSES];
        for word in window.as_chunks::<8>().0 {
            if is_repeated(last, word) {
                return None;
            }
            last = word[7];
        }
        for &byte in window {
            counts[class(byte)] += 1;
            if class(byte) == CLASSES - 1 && !matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_') {
                return None;
            }
        }
        match counts {
            [WINDOW, ..] => Some(Self::Letters),
            [_, _, WINDOW, _] => Some(Self::Digits),
            [_, capitals, digits, _] if capitals + digits >= MIXED => Some(Self::Encoded),
            _ => None,
        }
    }
}

/// Whether `word` is `before` eight times.
#[must_use]
pub fn is_repeated(before: u8, word: &[u8; 8]) -> bool {
    u64::from_le_bytes(*word) == REPEAT * u64::from(before)
}

/// Units of eight times `byte` behind itself, as vocabularies hold runs: of white space and rules long ones, of letters
/// eight at a time, of digits three.
#[must_use]
pub const fn repeated(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => DIGITS / 4,
        b'a'..=b'z' | b'A'..=b'Z' => 32,
        b' '..=b'~' => 4,
        _ => 16,
    }
}

/// Lower case, upper case, digit, anything else.
#[must_use]
pub const fn class(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Whether any byte is white space or not ASCII.
fn has_space_or_wide(window: &[u8; WINDOW]) -> bool {
    const HIGH: u64 = 0x80 * REPEAT;
    let mut found = 0;
    for word in window.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*word);
        found |= word | (word.wrapping_sub(0x21 * REPEAT) & !word);
    }
    found & HIGH != 0
}

/// Classes that [`class`] tells apart.
pub const CLASSES: usize = 4;
/// Bytes that are looked at together.
pub const WINDOW: usize = 32;
/// Digits and capitals in a window that are more than a name or a path has.
const MIXED: usize = 8;
/// Units of a window of letters at random: half a token each, and a little more.
const LETTERS: u32 = 17 * WINDOW as u32;
/// Units of a window of digits: three to a token.
const DIGITS: u32 = 32 * WINDOW as u32 / 3;
/// A byte times this is a word of that byte.
const REPEAT: u64 = 0x0101_0101_0101_0101;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::tokens::{estimate, from_units, units};

    /// Text of runs, words and scripts in any mixture.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "\\PC{0,40}",
            "[a-z]{20,90}",
            "[A-Za-z0-9+/]{20,90}",
            "[0-9]{20,90}",
            " {1,70}",
            "a{1,70}",
            "\n{1,30}",
            "[一-龥]{0,30}",
            "[\u{1F300}-\u{1F6FF}]{0,9}",
            "[a-z ,.]{0,80}",
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn an_estimate_is_never_above_bytes_and_never_zero_for_a_text(text in text()) {
            let tokens = estimate(&text) as usize;
            prop_assert!(tokens <= text.len());
            prop_assert!(tokens > 0 || text.is_empty());
        }

        #[test]
        fn what_is_appended_never_lowers_an_estimate(text in text(), more in text()) {
            let mut grown = text.clone();
            let mut last = estimate(&grown);
            for added in more.chars() {
                grown.push(added);
                let now = estimate(&grown);
                prop_assert!(now >= last, "{grown:?}: {now} after {last}");
                last = now;
            }
        }

        #[test]
        fn a_text_in_parts_is_never_above_bytes_either(text in text(), at in any::<prop::sample::Index>()) {
            let bytes = text.as_bytes();
            let cut = if bytes.is_empty() { 0 } else { at.index(bytes.len()) };
            let before = if cut == 0 { 0 } else { bytes[cut - 1] };
            let parts = from_units(units(0, &bytes[..cut]) + units(before, &bytes[cut..]));
            prop_assert!(parts as usize <= bytes.len());
            prop_assert!(parts > 0 || bytes.is_empty());
        }
    }

    #[test]
    fn ten_times_a_run_is_ten_times_its_tokens() {
        for pattern in ["a", " ", "ab", "=", "\n", "中", "👨‍👩‍👧‍👦", "aB3/", "0", "word "] {
            let [short, long] = [10_000, 100_000].map(|times| f64::from(estimate(&pattern.repeat(times))));
            assert!((long / short - 10.0).abs() < 0.2, "{pattern:?}: {short} and {long}");
        }
    }
}
