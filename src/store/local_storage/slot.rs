//! One slot: all of a session as of one commit, behind a checksum.
//!
//! Little-endian: crc32c of everything behind it (4 bytes), revision (8), operation (8), number of parts (4), then per
//! part: generation's number plus one, or 0 for the root (8), length (4), bytes.

use super::packing;
use crate::id::OpId;
use crate::record::crc32c;
use crate::store::{Batch, Part, Revision, Snapshot};

/// What a slot holds.
#[derive(PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(super) struct Slot {
    pub(super) revision: Revision,
    pub(super) op: OpId,
    /// In order, each part once.
    parts: Vec<(Part, Vec<u8>)>,
}

impl Slot {
    /// Reads a text; `None` where it is torn, garbage, or not ours.
    pub(super) fn read(text: &str) -> Option<Self> {
        let bytes = packing::unpack(text)?;
        let (checksum, body) = bytes.split_first_chunk::<CHECKSUM>()?;
        if crc32c([body, &[]]) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let mut body = body;
        let revision = take_u64(&mut body)?;
        let op = OpId(take_u64(&mut body)?);
        let count = take_u32(&mut body)?;
        let mut batch = Batch::default();
        for _ in 0..count {
            batch.puts.push(take_part(&mut body)?);
        }
        let mut parts = Vec::new();
        batch.write_to(&mut parts);
        let first_is_root = parts.first().is_some_and(|(part, _)| *part == Part::Root);
        (body.is_empty() && first_is_root).then_some(Self { revision, op, parts })
    }

    /// The text for this slot.
    pub(super) fn write(&self) -> String {
        let mut slot = vec![0; CHECKSUM];
        slot.extend_from_slice(&self.revision.to_le_bytes());
        slot.extend_from_slice(&self.op.0.to_le_bytes());
        slot.extend_from_slice(&(self.parts.len() as u32).to_le_bytes());
        for (part, bytes) in &self.parts {
            slot.extend_from_slice(&tag(*part).to_le_bytes());
            slot.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            slot.extend_from_slice(bytes);
        }
        let checksum = crc32c([&slot[CHECKSUM..], &[]]);
        slot[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        packing::pack(&slot)
    }

    /// What follows `current` by a commit of `batch`.
    pub(super) fn after(current: Option<Self>, batch: &Batch, op: OpId) -> Self {
        let (revision, mut parts) = current.map_or((0, Vec::new()), |slot| (slot.revision, slot.parts));
        batch.write_to(&mut parts);
        Self { revision: revision + 1, op, parts }
    }

    /// The contract's form of it.
    pub(super) fn snapshot(self) -> Snapshot {
        Snapshot { revision: self.revision, op_id: self.op, parts: self.parts }
    }
}

fn tag(part: Part) -> u64 {
    match part {
        Part::Root => 0,
        Part::Generation(number) => u64::from(number) + 1,
    }
}

fn take_part(body: &mut &[u8]) -> Option<(Part, Vec<u8>)> {
    let part = match take_u64(body)?.checked_sub(1) {
        None => Part::Root,
        Some(number) => Part::Generation(u32::try_from(number).ok()?),
    };
    let length = usize::try_from(take_u32(body)?).ok()?;
    let (bytes, rest) = body.split_at_checked(length)?;
    *body = rest;
    Some((part, bytes.to_vec()))
}

fn take_u64(body: &mut &[u8]) -> Option<u64> {
    let (number, rest) = body.split_first_chunk()?;
    *body = rest;
    Some(u64::from_le_bytes(*number))
}

fn take_u32(body: &mut &[u8]) -> Option<u32> {
    let (number, rest) = body.split_first_chunk()?;
    *body = rest;
    Some(u32::from_le_bytes(*number))
}

/// Bytes in front that hold the checksum of the rest.
const CHECKSUM: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slot() -> Slot {
        let batch =
            Batch::root(vec![1, 2, 3]).put(Part::Generation(0), vec![]).put(Part::Generation(u32::MAX), vec![9; 40]);
        Slot::after(None, &batch, OpId(u64::MAX))
    }

    #[test]
    fn a_slot_comes_back_as_it_was() {
        let snapshot = Slot::read(&slot().write()).map(Slot::snapshot);
        assert_eq!(snapshot, Some(slot().snapshot()));
    }

    #[test]
    fn a_slot_cut_anywhere_or_with_any_unit_changed_is_refused() {
        let units: Vec<char> = slot().write().chars().collect();
        for index in 0..units.len() {
            let cut: String = units[..index].iter().collect();
            assert_eq!(Slot::read(&cut), None, "cut at {index}");
            let mut changed = units.clone();
            changed[index] = if changed[index] == '\u{4001}' { '\u{4002}' } else { '\u{4001}' };
            // The last unit counts bits; a lie about them is only told by what it does to the bytes.
            assert_eq!(Slot::read(&changed.iter().collect::<String>()), None, "changed at {index}");
        }
    }

    #[test]
    fn a_batch_on_a_slot_deletes_first_and_raises_the_revision() {
        let batch = Batch::root(vec![7]).delete(Part::Generation(0)).delete(Part::Root);
        let snapshot = Slot::after(Some(slot()), &batch, OpId(5)).snapshot();
        assert_eq!((snapshot.revision, snapshot.op_id), (2, OpId(5)));
        assert_eq!(snapshot.parts, vec![(Part::Root, vec![7]), (Part::Generation(u32::MAX), vec![9; 40])]);
    }

    proptest! {
        #[test]
        fn a_true_checksum_over_any_body_never_panics(body: Vec<u8>) {
            let mut bytes = crc32c([&body, &[]]).to_le_bytes().to_vec();
            bytes.extend(body);
            let _ = Slot::read(&packing::pack(&bytes));
        }
    }
}
