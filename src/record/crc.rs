//! CRC-32C, the checksum of every part.
//!
//! Sixteen entries instead of the usual 256 or 2,048: a root record takes a few microseconds either way, and the large
//! table alone would be an eighth of everything that a page may download.

const POLYNOMIAL: u32 = 0x82f6_3b78;
const TABLE: [u32; 16] = table();

/// The checksum of `parts`, as if they were one.
pub(super) fn crc32c(parts: [&[u8]; 2]) -> u32 {
    !parts.into_iter().flatten().fold(!0, |crc, byte| {
        let crc = crc ^ u32::from(*byte);
        let crc = crc >> 4 ^ TABLE[(crc & 15) as usize];
        crc >> 4 ^ TABLE[(crc & 15) as usize]
    })
}

const fn table() -> [u32; 16] {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 4 {
            crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_any_bytes_is_that_of_the_reference_crate() {
        assert_eq!(crc32c([b"1234", b"56789"]), 0xe306_9283, "the check value of the standard");
        let bytes: Vec<u8> = (0..4_096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for length in [0, 1, 7, 8, 9, 255, 4_096] {
            assert_eq!(crc32c([&bytes[..length], &[]]), reference::crc32c(&bytes[..length]), "{length} bytes");
        }
    }

    use ::crc32c as reference;
}
