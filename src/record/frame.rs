//! The frame of every part, fixed for life: who wrote it, who may read it, how long it is and whether it is whole.
//!
//! Little endian: magic `CGR1` (4 bytes), schema (2), `min_reader` (2), payload length (4), CRC-32C of the twelve bytes
//! before it and of the payload (4), payload.

use crate::record::{CorruptKind, crc::crc32c};

/// Why a frame cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The bytes are not what was written.
    Corrupt(CorruptKind),
    /// They are, and this build may not read them.
    Future {
        /// The oldest schema that can.
        min_reader: u16,
    },
}

/// `payload` in its frame.
pub(super) fn seal(payload: &[u8]) -> Vec<u8> {
    framed(payload, MIN_READER)
}

/// `payload` in a frame for readers from `min_reader` on.
pub(super) fn framed(payload: &[u8], min_reader: u16) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&SCHEMA.to_le_bytes());
    bytes.extend_from_slice(&min_reader.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    let checksum = crc32c([&bytes, payload]);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The payload of a frame that is whole and meant for this build.
pub(super) fn open(bytes: &[u8]) -> Result<&[u8], Fault> {
    match unframed(bytes) {
        Ok((_, min_reader)) if min_reader > SCHEMA => Err(Fault::Future { min_reader }),
        Ok((payload, _)) => Ok(payload),
        Err(why) => Err(Fault::Corrupt(why)),
    }
}

/// The payload of a frame that is whole, and who may read it. Wholeness first: a damaged header claims nothing.
pub(super) fn unframed(bytes: &[u8]) -> Result<(&[u8], u16), CorruptKind> {
    let Some((head, payload)) = bytes.split_first_chunk::<HEADER>() else { return Err(CorruptKind::Length) };
    let [m0, m1, m2, m3, _, _, r0, r1, l0, l1, l2, l3, c0, c1, c2, c3] = *head;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(CorruptKind::Magic);
    }
    if u32::try_from(payload.len()) != Ok(u32::from_le_bytes([l0, l1, l2, l3])) {
        return Err(CorruptKind::Length);
    }
    if crc32c([&head[..CHECKED], payload]) != u32::from_le_bytes([c0, c1, c2, c3]) {
        return Err(CorruptKind::Checksum);
    }
    Ok((payload, u16::from_le_bytes([r0, r1])))
}

/// What this build writes.
pub const SCHEMA: u16 = 1;
/// The oldest schema whose readers can read what this build writes.
pub const MIN_READER: u16 = 1;

const MAGIC: [u8; 4] = *b"CGR1";
pub(super) const HEADER: usize = 16;
const CHECKED: usize = 12;
