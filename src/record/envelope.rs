//! The frame of a part that was sealed before it came to the store.
//!
//! It asks for a reader that no release will ever be. Whoever has no key takes it for a record of a newer release: the
//! session is read-only and the record stays as it is.

use crate::record::frame::{self, Head};

/// `sealed` as the bytes of a part.
#[must_use]
pub fn envelope(sealed: &[u8]) -> Vec<u8> {
    frame::seal_as(Head::SEALED, sealed)
}

/// What was sealed, if these are the bytes of a sealed part, and whole.
#[must_use]
pub fn sealed(bytes: &[u8]) -> Option<&[u8]> {
    frame::open_as(Head::SEALED, bytes).ok().filter(|(head, _)| head.is_sealed()).map(|(_, sealed)| sealed)
}

/// How many bytes longer an envelope is than what is in it.
pub const ENVELOPE_BYTES: u64 = frame::HEADER as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        record::{Loaded, Root, encode_root, load_root},
        time::Timestamp,
    };

    #[test]
    fn a_sealed_part_opens_as_what_was_sealed_and_a_plain_or_damaged_one_does_not() {
        let plain = encode_root(&Root::new("chat", 7));
        let enveloped = envelope(b"sealed");
        assert_eq!(sealed(&enveloped), Some(&b"sealed"[..]));
        assert_eq!(enveloped.len() as u64, b"sealed".len() as u64 + ENVELOPE_BYTES);
        assert_eq!(sealed(&plain), None);
        let mut damaged = enveloped;
        *damaged.last_mut().expect("it has a payload") ^= 1;
        assert_eq!(sealed(&damaged), None);
    }

    #[test]
    fn whoever_has_no_key_takes_a_sealed_root_for_one_of_a_newer_release() {
        let found = load_root(Some(&envelope(b"sealed")), "chat", Timestamp(0));
        assert_eq!(found, Loaded::Future { min_reader: u16::MAX });
    }
}
