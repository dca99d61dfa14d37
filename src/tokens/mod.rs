//! Token counts and the rough estimate that stands in until a provider has reported.

mod ratio;
mod table;

pub use ratio::Ratio;
pub use table::{CLASSES, Run, Table, WINDOW, class, is_repeated, repeated};

/// A number of tokens. `u32::MAX` is far above any model's window; sums saturate.
pub type Tokens = u32;

/// What the estimator knows; `cargo run -p token-table` makes it. The length is that of the file, so it reads.
static TABLE: Table<'static> = match Table::of(include_bytes!("table.bin")) {
    Some(table) => table,
    None => panic!("table.bin has another length"),
};

/// About how many tokens `text` has for a model of today; never more than bytes. Linear in its length, and what is
/// appended to a text never lowers the count.
#[must_use]
pub fn estimate(text: &str) -> Tokens {
    from_units(TABLE.units(0, text.as_bytes()))
}

/// Units, [`Table::UNITS`] to a token, of the UTF-8 bytes of a text behind the byte `before`, which is 0 at its start: for
/// a text that comes in parts.
#[must_use]
pub fn units(before: u8, bytes: &[u8]) -> u64 {
    TABLE.units(before, bytes)
}

/// Units that a byte costs behind another one, at `byte * 256 + other`, where they belong to no run.
#[must_use]
pub fn pairs() -> &'static [u8] {
    TABLE.pairs
}

/// As whole tokens, rounded up.
#[must_use]
pub fn from_units(units: u64) -> Tokens {
    Tokens::try_from(units.div_ceil(Table::UNITS.into())).unwrap_or(Tokens::MAX)
}

/// Bytes of UTF-8 text per token assumed by [`rough`]: 3.5, as a ratio of integers.
/// Between the 4 that suits English prose and the 2.7 measured on JSON, logs and CJK text.
const ROUGH_BYTES_PER_TOKEN: (u64, u64) = (7, 2);

/// A rough token count for a text of `bytes` UTF-8 bytes: rounded up, never above the number of bytes.
#[must_use]
pub fn rough(bytes: u64) -> Tokens {
    let (numerator, denominator) = ROUGH_BYTES_PER_TOKEN;
    let tokens = bytes.saturating_mul(denominator).div_ceil(numerator).min(bytes);
    Tokens::try_from(tokens).unwrap_or(Tokens::MAX)
}

/// `parts` thousandths of `tokens`, rounded down.
#[must_use]
pub fn permille(tokens: Tokens, parts: u32) -> Tokens {
    let scaled = u64::from(tokens) * u64::from(parts) / 1_000;
    Tokens::try_from(scaled).unwrap_or(Tokens::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_is_bytes_over_three_and_a_half_rounded_up_and_never_above_bytes() {
        let cases = [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (7, 2), (8, 3), (35, 10), (3_500, 1_000)];
        for (bytes, expected) in cases {
            assert_eq!(rough(bytes), expected, "{bytes} bytes");
        }
        assert!((0..5_000).all(|bytes| u64::from(rough(bytes)) <= bytes));
        assert_eq!(rough(u64::MAX), Tokens::MAX);
    }
}
