//! What the estimator knows of text: how often a token begins between two bytes.

use core::fmt;

/// Costs in units of [`Table::UNITS`] to a token, in [`Table::BYTES`] bytes.
#[derive(Clone, Copy)]
pub struct Table<'t> {
    /// What a byte costs behind another one, at the number that both are in a text, little end first. A text begins
    /// behind 0.
    pub(super) pairs: &'t [u8; PAIRS],
    /// The same for [`Run::Encoded`], by [`class`] of both bytes.
    encoded: &'t [[u8; CLASSES]; CLASSES],
}

impl<'t> Table<'t> {
    /// Units of a token. No byte costs more, so no text has more tokens than bytes.
    pub const UNITS: u8 = 32;
    /// The pairs, then the rows of encoded data.
    pub const BYTES: usize = PAIRS + CLASSES * CLASSES;

    /// The table in `bytes`; `None` where they are of another length.
    #[must_use]
    pub const fn of(bytes: &'t [u8]) -> Option<Self> {
        let Some((pairs, encoded)) = bytes.split_first_chunk() else { return None };
        let (classes, _) = encoded.as_chunks::<CLASSES>();
        match classes.first_chunk() {
            Some(encoded) if bytes.len() == Self::BYTES => Some(Self { pairs, encoded }),
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
    #[inline(always)]
    fn word(&self, before: u8, word: &[u8; 8]) -> u32 {
        let bytes = u64::from_le_bytes(*word);
        let behind = bytes << 8 | u64::from(before);
        let pair = |both: u64| u32::from(self.pairs[usize::from(both as u16)]);
        let front = (pair(behind) + pair(behind >> 8)) + (pair(behind >> 16) + pair(behind >> 24));
        front + (pair(behind >> 32) + pair(behind >> 40)) + (pair(behind >> 48) + pair(bytes >> 48))
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

    fn pair(&self, before: u8, byte: u8) -> u32 {
        u32::from(self.pairs[usize::from(u16::from_le_bytes([before, byte]))])
    }

    /// What a window costs as part of a run that is no text, 0 where it is none.
    fn run(&self, before: u8, window: &[u8; WINDOW]) -> u32 {
        let classes = Classes::of(window);
        match classes.run(before, window) {
            Some(Run::Letters) => LETTERS,
            Some(Run::Digits) => DIGITS,
            Some(Run::Encoded) => classes.cost(before, self.encoded),
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
        if has_space_or_wide(window) { None } else { Classes::of(window).run(before, window) }
    }
}

/// Where the bytes of each class are in a window without white space and of ASCII alone: a bit for each byte.
struct Classes([u32; CLASSES]);

impl Classes {
    /// Eight bytes at once: by the byte, this would take longer than all else.
    fn of(window: &[u8; WINDOW]) -> Self {
        let [mut lower, mut upper, mut digits] = [0; 3];
        for word in window.as_chunks::<8>().0.iter().rev() {
            let word = u64::from_le_bytes(*word);
            lower = lower << 8 | between(word, b'a', b'z');
            upper = upper << 8 | between(word, b'A', b'Z');
            digits = digits << 8 | between(word, b'0', b'9');
        }
        Self([lower, upper, digits, !(lower | upper | digits)])
    }

    fn run(&self, before: u8, window: &[u8; WINDOW]) -> Option<Run> {
        const ALL: u32 = u32::MAX;
        let [lower, upper, digits, others] = self.0;
        let run = match (lower, digits) {
            (ALL, _) => Run::Letters,
            (_, ALL) => Run::Digits,
            _ if (upper | digits).count_ones() < MIXED => return None,
            _ => Run::Encoded,
        };
        let mut last = before;
        for word in window.as_chunks::<8>().0 {
            if is_repeated(last, word) {
                return None;
            }
            last = word[7];
        }
        let mut left = others;
        while left != 0 {
            if !matches!(window[left.trailing_zeros() as usize % WINDOW], b'+' | b'/' | b'=' | b'-' | b'_') {
                return None;
            }
            left &= left - 1;
        }
        Some(run)
    }

    /// What encoded data cost behind `before`, by the classes of both bytes of each pair.
    fn cost(&self, before: u8, pairs: &[[u8; CLASSES]; CLASSES]) -> u32 {
        let [lower, upper, digits, others] = self.0;
        let before = class(before);
        let row = |class: usize| {
            let behind = self.0[class] << 1 | u32::from(before == class);
            let cost = |bytes: u32, cost: u8| (behind & bytes).count_ones() * u32::from(cost);
            let [a, b, c, d] = pairs[class];
            (cost(lower, a) + cost(upper, b)) + (cost(digits, c) + cost(others, d))
        };
        (row(0) + row(1)) + (row(2) + row(3))
    }
}

/// Which of eight bytes of ASCII are from `first` to `last`, a bit for each.
#[inline(always)]
fn between(word: u64, first: u8, last: u8) -> u32 {
    let at_least = |byte: u8| word.wrapping_add(REPEAT * u64::from(0x80 - byte));
    let inside = at_least(first) & !at_least(last + 1) & HIGH;
    // Brings the highest bits of the eight bytes side by side.
    (inside.wrapping_mul(0x0002_0408_1020_4081) >> 56) as u32
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
const MIXED: u32 = 8;
/// Units of a window of letters at random: half a token each, and a little more.
const LETTERS: u32 = 17 * WINDOW as u32;
/// Units of a window of digits: three to a token.
const DIGITS: u32 = 32 * WINDOW as u32 / 3;
/// A byte times this is a word of that byte.
const REPEAT: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte of a word.
const HIGH: u64 = 0x80 * REPEAT;
/// As many pairs as there are of bytes.
const PAIRS: usize = 256 * 256;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Classes, Run, class};
    use crate::tokens::{TABLE, estimate, from_units, units};

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn classes_found_by_the_word_are_those_of_each_byte(text in "[!-~]{32}", base64 in "[A-Za-z0-9+/=_-]{32}", before in any::<u8>()) {
            for text in [text, base64] {
                let window = text.as_bytes().first_chunk().expect("32 bytes");
                let classes = Classes::of(window);
                let mut cost = 0;
                let mut last = before;
                for (at, &byte) in window.iter().enumerate() {
                    let inside = classes.0.map(|bits| bits >> at & 1);
                    prop_assert_eq!(inside, core::array::from_fn(|other| u32::from(other == class(byte))));
                    cost += u32::from(TABLE.encoded[class(last)][class(byte)]);
                    last = byte;
                }
                prop_assert_eq!(classes.cost(before, TABLE.encoded), cost);
                let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte);
                let marked = window.iter().filter(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
                let plain = window.iter().all(u8::is_ascii_lowercase) || window.iter().all(u8::is_ascii_digit);
                let encoded = Run::of(before, window) == Some(Run::Encoded);
                let repeats = window.as_chunks::<8>().0.iter().any(|word| word.iter().all(|byte| byte == &word[0]));
                prop_assert!(repeats || encoded == (window.iter().all(fits) && marked >= 8 && !plain));
            }
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
