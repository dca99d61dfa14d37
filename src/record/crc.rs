//! CRC-32C, the checksum of every part.
//!
//! Bit by bit instead of by table: a root record takes some ten microseconds either way, and a table would be an eighth of
//! everything that a page may download.

use crc::{CRC_32_ISCSI, Crc, NoTable};

/// The checksum of `parts`, as if they were one.
pub(crate) fn crc32c(parts: [&[u8]; 2]) -> u32 {
    let mut digest = CRC_32C.digest();
    parts.into_iter().for_each(|part| digest.update(part));
    digest.finalize()
}

const CRC_32C: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISCSI);

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
