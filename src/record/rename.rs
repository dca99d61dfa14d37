//! A part under another session's name.

use crate::record::{
    cbor::{MAP, NUMBER, Reader, TEXT, write_head},
    frame::{self, Fault, Head},
    part,
};

/// What became of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Renamed {
    /// Its bytes under the new name.
    Part(Vec<u8>),
    /// It cannot be read as a part of the session that it was kept for.
    Unreadable,
    /// Written by a later build that says this one cannot read it.
    Future {
        /// The oldest schema that can read it.
        min_reader: u16,
    },
}

/// The part in `bytes`, which belongs to `from`, as one of `to`. Everything else in it stays as it is, byte for byte, and so
/// does what it says of its readers: keys that this build does not know survive at any depth.
#[must_use]
pub fn rename_part(bytes: &[u8], from: &str, to: &str) -> Renamed {
    match frame::open_as(Head::PART, bytes) {
        Ok((head, payload)) => match rename(payload, from, to) {
            Some(payload) => Renamed::Part(frame::seal_as(head, &payload)),
            None => Renamed::Unreadable,
        },
        Err(Fault::Future { min_reader }) => Renamed::Future { min_reader },
        Err(Fault::Corrupt(_)) => Renamed::Unreadable,
    }
}

fn rename(payload: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    let mut input = Reader::new(payload);
    let mut renamed = Vec::new();
    let pairs = input.of(MAP)?;
    write_head(&mut renamed, MAP, pairs);
    let mut owned = false;
    for _ in 0..pairs {
        let (key, value) = (input.item()?, input.item()?);
        renamed.extend_from_slice(key);
        if Reader::new(key).of(NUMBER) != Some(part::SESSION.into()) {
            renamed.extend_from_slice(value);
            continue;
        }
        if owned || Reader::new(value).text() != Some(from) {
            return None;
        }
        owned = true;
        write_head(&mut renamed, TEXT, to.len() as u64);
        renamed.extend_from_slice(to.as_bytes());
    }
    (owned && input.is_done()).then_some(renamed)
}
