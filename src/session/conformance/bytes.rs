//! Root records as other builds write them, made from the bytes of this one's.

use crate::record::crc32c;

/// Bytes in front of the payload; the last four of them are its checksum.
const HEADER: usize = 16;
/// Where the oldest schema that may read the record stands.
const MIN_READER: core::ops::Range<usize> = 6..8;
/// Key 31, which no build so far writes, with the value `true`.
pub(super) const LATER_FIELD: [u8; 3] = [0x18, 0x1F, 0xF5];

/// The record as a build writes it that this one may not read.
pub(super) fn of_the_future(mut record: Vec<u8>) -> Vec<u8> {
    record[MIN_READER].copy_from_slice(&u16::MAX.to_le_bytes());
    sealed(record)
}

/// The record as a build writes it that knows one field more.
pub(super) fn with_later_field(mut record: Vec<u8>) -> Vec<u8> {
    assert!((0xA0..0xB7).contains(&record[HEADER]), "a map of few fields, whose length stands in its first byte");
    record[HEADER] += 1;
    record.extend_from_slice(&LATER_FIELD);
    let length = u32::try_from(record.len() - HEADER).expect("a root record is small");
    record[8..12].copy_from_slice(&length.to_le_bytes());
    sealed(record)
}

fn sealed(mut record: Vec<u8>) -> Vec<u8> {
    let checksum = crc32c([&record[..HEADER - 4], &record[HEADER..]]);
    record[HEADER - 4..HEADER].copy_from_slice(&checksum.to_le_bytes());
    record
}
