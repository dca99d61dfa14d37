//! What the object is given to write: parts by name, the root record in its envelope, and the quarantine's own record.

use js_sys::{Array, Map, Uint8Array};
use wasm_bindgen::JsValue;

use crate::id::OpId;
use crate::store::js::value::object;
use crate::store::{Batch, Part};

/// Bytes in front of the root record: the operation id, highest byte first.
pub(super) const ENVELOPE: usize = 8;

/// `batch` as `{ puts, deletes }`; parts of `surplus` that it does not put are deleted with it.
pub(super) fn value(batch: &Batch, op: OpId, surplus: &[(Part, Vec<u8>)]) -> JsValue {
    let (puts, deletes) = (Map::new(), Array::new());
    for (part, bytes) in &batch.puts {
        let is_root = *part == Part::Root;
        let value = if is_root { enveloped(bytes, op) } else { Uint8Array::from(bytes.as_slice()) };
        puts.set(&name(*part), &value);
    }
    for part in batch.deletes.iter().chain(surplus.iter().map(|(part, _)| part)) {
        if !puts.has(&name(*part)) && !deletes.includes(&name(*part), 0) {
            deletes.push(&name(*part));
        }
    }
    object(&[("puts", puts.into()), ("deletes", deletes.into())])
}

/// The quarantine's record with one more entry: two parts each, the bytes and then `part reason`, and at most `most` of
/// them.
pub(super) fn with_garbage(parts: &[(Part, Vec<u8>)], part: Part, bytes: &[u8], reason: &str, most: usize) -> Batch {
    let entries: Vec<u32> = entries(parts).map(|(number, ..)| number).collect();
    let next = entries.last().map_or(0, |last| last.wrapping_add(2));
    let label = [&part.to_string(), " ", reason].concat().into_bytes();
    let batch = Batch::root(Vec::new()).put(Part::Generation(next), bytes.to_vec());
    let surplus = (entries.len() + 1).saturating_sub(most);
    entries.iter().take(surplus).fold(batch.put(Part::Generation(next + 1), label), |batch, oldest| {
        batch.delete(Part::Generation(*oldest)).delete(Part::Generation(oldest + 1))
    })
}

/// What such a record holds, oldest first.
#[cfg(feature = "conformance")]
pub(super) fn set_aside(parts: &[(Part, Vec<u8>)]) -> Vec<(Part, Vec<u8>, String)> {
    let read = |label: &[u8]| {
        let label = String::from_utf8_lossy(label).into_owned();
        label.split_once(' ').and_then(|(part, reason)| Some((Part::parse(part)?, reason.to_owned())))
    };
    let kept =
        entries(parts).filter_map(|(_, bytes, label)| read(label).map(|(part, reason)| (part, bytes.to_vec(), reason)));
    kept.collect()
}

/// Number, bytes and label of each entry.
fn entries(parts: &[(Part, Vec<u8>)]) -> impl Iterator<Item = (u32, &[u8], &[u8])> {
    parts.windows(2).filter_map(|pair| match pair {
        [(Part::Generation(number), bytes), (Part::Generation(label), text)]
            if number % 2 == 0 && *label == number | 1 =>
        {
            Some((*number, bytes.as_slice(), text.as_slice()))
        }
        _ => None,
    })
}

fn name(part: Part) -> JsValue {
    part.to_string().into()
}

fn enveloped(bytes: &[u8], op: OpId) -> Uint8Array {
    Uint8Array::from([&op.0.to_be_bytes()[..], bytes].concat().as_slice())
}
