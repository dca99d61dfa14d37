//! Reading what the object answered. `None` everywhere: it is nothing of what the contract allows.

use js_sys::{Array, ArrayBuffer, Reflect, Symbol, Uint8Array};
use wasm_bindgen::prelude::*;

use super::batch::ENVELOPE;
use crate::id::OpId;
use crate::store::js::value::revision;
use crate::store::{Part, Revision, Snapshot};

/// All parts of a session together are far smaller; more is not copied.
const MAX_BYTES: u32 = 64 << 20;

#[wasm_bindgen]
extern "C" {
    /// A list of its own with what is in `list`: no getter of the host's is behind an element of it.
    #[wasm_bindgen(catch, js_namespace = Array, js_name = from)]
    fn copied(list: &JsValue) -> Result<Array, JsValue>;

    /// A view of our own on the bytes of a view of the host's.
    #[wasm_bindgen(js_name = Uint8Array)]
    type OwnView;

    #[wasm_bindgen(catch, constructor, js_class = Uint8Array)]
    fn new(buffer: &JsValue, offset: u32, length: u32) -> Result<OwnView, JsValue>;
}

/// A session as the object holds it, the root record still with its envelope.
pub(super) struct Held {
    pub(super) revision: Revision,
    pub(super) parts: Vec<(Part, Vec<u8>)>,
}

/// What became of a commit.
#[derive(Clone, Copy)]
pub(super) enum Written {
    At(Revision),
    Conflict(Option<Revision>),
}

impl Held {
    /// Reads `{ revision, parts }`. Parts of a later release's are none of ours.
    pub(super) fn read(answer: &JsValue) -> Option<Self> {
        let revision = revision(&member(answer, "revision")?)?;
        let (mut parts, mut budget): (Vec<(Part, Vec<u8>)>, _) = (Vec::new(), MAX_BYTES);
        let listed = member(answer, "parts")?;
        // An object that is no list would be copied as an empty one, and taken for a damaged record.
        Reflect::get(&listed, &Symbol::iterator()).ok().filter(JsValue::is_function)?;
        for entry in copied(&listed).ok()?.iter() {
            let name = Reflect::get_u32(&entry, 0).ok()?.as_string()?;
            let bytes = bytes(&Reflect::get_u32(&entry, 1).ok()?, &mut budget)?;
            let Some(part) = Part::parse(&name) else { continue };
            match parts.binary_search_by(|(kept, _)| kept.cmp(&part)) {
                Ok(_) => return None,
                Err(place) => parts.insert(place, (part, bytes)),
            }
        }
        Some(Self { revision, parts })
    }

    /// Without the envelope; what has no whole one back as it is: it cannot be read.
    pub(super) fn snapshot(mut self) -> Result<Snapshot, Self> {
        let Some(op) = self.root().first_chunk::<ENVELOPE>().map(|op| OpId(u64::from_be_bytes(*op))) else {
            return Err(self);
        };
        self.parts[0].1.drain(..ENVELOPE);
        Ok(Snapshot { revision: self.revision, op_id: op, parts: self.parts })
    }

    /// The root record as it is held, or nothing.
    pub(super) fn root(&self) -> &[u8] {
        self.parts
            .first()
            .filter(|(part, _)| *part == Part::Root)
            .map(|(_, bytes)| bytes.as_slice())
            .unwrap_or_default()
    }
}

/// Reads `{ revision }` or `{ conflict }`.
pub(super) fn written(answer: &JsValue) -> Option<Written> {
    let conflict = member(answer, "conflict")?;
    if conflict.is_undefined() {
        return revision(&member(answer, "revision")?).map(Written::At);
    }
    if conflict.is_null() { Some(Written::Conflict(None)) } else { Some(Written::Conflict(Some(revision(&conflict)?))) }
}

/// Reads a list of session ids.
pub(super) fn names(answer: &JsValue) -> Option<Vec<String>> {
    Array::is_array(answer).then_some(())?;
    copied(answer).ok()?.iter().map(|name| name.as_string()).collect()
}

fn member(answer: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(answer, &name.into()).ok()
}

/// The bytes under any view, also one of another realm, where `instanceof` fails.
fn bytes(value: &JsValue, budget: &mut u32) -> Option<Vec<u8>> {
    if !ArrayBuffer::is_view(value) {
        return None;
    }
    let number = |name| member(value, name)?.as_f64().map(|number| number as u32);
    let (offset, length) = (number("byteOffset")?, number("byteLength")?);
    *budget = budget.checked_sub(length)?;
    let view = OwnView::new(&member(value, "buffer")?, offset, length).ok()?;
    Some(view.unchecked_into::<Uint8Array>().to_vec())
}
