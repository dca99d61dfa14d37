//! Token counts and the rough estimate that stands in until a provider has reported.

/// A number of tokens. `u32::MAX` is far above any model's window; sums saturate.
pub type Tokens = u32;

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
