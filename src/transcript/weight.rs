//! How many bytes an entry weighs, in one byte.

/// The code of `bytes`: exact below 16, above that eight steps from one power of two to the next.
pub(super) const fn encode(bytes: u32) -> u8 {
    if bytes < STEPS {
        return bytes as u8;
    }
    let power = bytes.ilog2();
    let step = (bytes >> (power - STEP_BITS)) % STEPS;
    // At most (31 - 2) * 8 + 7.
    ((power - STEP_BITS + 1) * STEPS + step) as u8
}

/// The middle of what `code` stands for: at most 6.25 % off, and coded again it is `code`.
pub(super) const fn decode(code: u8) -> u32 {
    let code = code as u32;
    if code < 2 * STEPS {
        return code;
    }
    let shift = code / STEPS - 1;
    if shift + STEP_BITS >= u32::BITS {
        return u32::MAX;
    }
    ((STEPS + code % STEPS) << shift) + (1 << shift) / 2
}

/// Steps from one power of two to the next: with 32 powers they just fill a byte.
const STEPS: u32 = 1 << STEP_BITS;
const STEP_BITS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_at_most_a_sixteenth_off_and_reads_back_as_itself() {
        let powers = (0..u32::BITS).map(|power| 1_u32 << power);
        let around = powers.flat_map(|power| [power - 1, power, power + 1, power + power / 3, power + power / 2]);
        for bytes in around.chain(0..5_000).chain([u32::MAX]) {
            let read = decode(encode(bytes));
            assert!(u64::from(read.abs_diff(bytes)) * 16 <= u64::from(bytes), "{bytes} reads as {read}");
            assert!(bytes >= 16 || read == bytes, "{bytes} is small enough to be exact");
        }
        for code in 0..=encode(u32::MAX) {
            assert_eq!(encode(decode(code)), code);
        }
    }
}
