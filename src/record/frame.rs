//! The frame of every part, fixed for life: who wrote it, who may read it, how long it is and whether it is whole.
//!
//! Little endian: magic `CGR1` (4 bytes; `CGA1` for an archive), schema (2), `min_reader` (2), payload length (4), CRC-32C of
//! the twelve bytes before it and of the payload (4), payload.

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

/// What a frame begins with.
#[derive(Clone, Copy)]
pub(super) struct Head {
    magic: [u8; 4],
    schema: u16,
    min_reader: u16,
}

impl Head {
    /// That of a part.
    pub(super) const PART: Self = Self { magic: *b"CGR1", schema: SCHEMA, min_reader: MIN_READER };
    /// That of a part that was sealed: only who opens it may read it, and no release ever counts so far.
    pub(super) const SEALED: Self = Self { schema: u16::MAX, min_reader: u16::MAX, ..Self::PART };
    /// That of an archive.
    pub(super) const ARCHIVE: Self = Self { magic: *b"CGA1", schema: ARCHIVE_SCHEMA, min_reader: ARCHIVE_MIN_READER };

    pub(super) const fn is_sealed(self) -> bool {
        self.min_reader == Self::SEALED.min_reader
    }
}

/// `payload` in the frame of a part.
pub(super) fn seal(payload: &[u8]) -> Vec<u8> {
    seal_as(Head::PART, payload)
}

/// `payload` in a frame with this head.
#[inline(never)]
pub(super) fn seal_as(head: Head, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&head.magic);
    bytes.extend_from_slice(&head.schema.to_le_bytes());
    bytes.extend_from_slice(&head.min_reader.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    let checksum = crc32c([&bytes, payload]);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The payload of a part that is whole and meant for this build.
pub(super) fn open(bytes: &[u8]) -> Result<&[u8], Fault> {
    open_as(Head::PART, bytes).map(|(_, payload)| payload)
}

/// The payload of a frame with the magic of `mine` that is whole and that `mine` may read, and the head that it has.
/// Wholeness first: a damaged header claims nothing.
#[inline(never)]
pub(super) fn open_as(mine: Head, bytes: &[u8]) -> Result<(Head, &[u8]), Fault> {
    let corrupt = |why| Err(Fault::Corrupt(why));
    let Some((head, payload)) = bytes.split_first_chunk::<HEADER>() else { return corrupt(CorruptKind::Length) };
    let [m0, m1, m2, m3, s0, s1, r0, r1, l0, l1, l2, l3, c0, c1, c2, c3] = *head;
    if [m0, m1, m2, m3] != mine.magic {
        return corrupt(CorruptKind::Magic);
    }
    if u32::try_from(payload.len()) != Ok(u32::from_le_bytes([l0, l1, l2, l3])) {
        return corrupt(CorruptKind::Length);
    }
    if crc32c([&head[..CHECKED], payload]) != u32::from_le_bytes([c0, c1, c2, c3]) {
        return corrupt(CorruptKind::Checksum);
    }
    match u16::from_le_bytes([r0, r1]) {
        min_reader if min_reader > mine.schema => Err(Fault::Future { min_reader }),
        min_reader => Ok((Head { schema: u16::from_le_bytes([s0, s1]), min_reader, ..mine }, payload)),
    }
}

/// What this build writes.
pub const SCHEMA: u16 = 1;
/// The oldest schema whose readers can read what this build writes.
pub const MIN_READER: u16 = 1;

/// What this build writes as an archive.
const ARCHIVE_SCHEMA: u16 = 1;
/// The oldest schema whose readers can read such an archive.
const ARCHIVE_MIN_READER: u16 = 1;

pub(super) const HEADER: usize = 16;
const CHECKED: usize = 12;
