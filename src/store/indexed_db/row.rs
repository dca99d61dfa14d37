//! Keys and values of the object stores, as documented in the module above.

use js_sys::{Array, ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::IdbKeyRange;

use super::transaction::{Result, thrown};
use crate::id::OpId;
use crate::store::js::value;
use crate::store::{Part, Revision};

/// One value of `records`.
pub(super) struct Row {
    pub(super) revision: Revision,
    pub(super) op: OpId,
    pub(super) bytes: Vec<u8>,
}

impl Row {
    /// Reads a value; `None` where it is no such value.
    pub(super) fn read(value: &JsValue) -> Option<Self> {
        let (revision, op) = head(value)?;
        let bytes = Uint8Array::new(&Reflect::get(value, &"bytes".into()).ok()?).to_vec();
        Some(Self { revision, op, bytes })
    }
}

/// The revision and operation of a value whose bytes are there and not needed.
pub(super) fn head(value: &JsValue) -> Option<(Revision, OpId)> {
    let field = |name: &str| Reflect::get(value, &name.into()).ok();
    let revision = value::revision(&field("revision")?)?;
    let op = field("op")?.as_string().filter(|op| op.len() == 16)?;
    is_bytes(&field("bytes")?).then_some(())?;
    Some((revision, OpId(u64::from_str_radix(&op, 16).ok()?)))
}

/// Fills the bytes of a value with noise: what compresses would not take the same room. False: it holds no bytes.
pub(super) fn make_noise(value: &JsValue) -> bool {
    let Some(bytes) = Reflect::get(value, &"bytes".into()).ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok())
    else {
        return false;
    };
    let mut state = 1_u32;
    for at in 0..bytes.length() {
        // Numerical Recipes' generator; its high bits are noise enough for a compressor.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.set_index(at, (state >> 24) as u8);
    }
    true
}

/// The value for `bytes`, committed by `op` as `revision`.
pub(super) fn value(revision: Revision, op: OpId, bytes: &[u8]) -> JsValue {
    value::object(&[
        ("revision", JsValue::from_f64(revision as f64)),
        ("bytes", Uint8Array::from(bytes).into()),
        ("op", value::hex(op).into()),
    ])
}

/// The key of one part.
pub(super) fn key(session: &str, part: Part) -> JsValue {
    let part = match part {
        Part::Root => JsValue::from_str("root"),
        Part::Generation(number) => JsValue::from(number),
    };
    pair(session, &part)
}

/// A key `[session, second]`.
pub(super) fn pair(session: &str, second: &JsValue) -> JsValue {
    Array::of2(&session.into(), second).into()
}

/// The session and the part of a key; a part of a later release's is none of ours.
pub(super) fn part(key: &JsValue) -> Option<Part> {
    let second = key.dyn_ref::<Array>()?.get(1);
    match second.as_f64() {
        Some(number) => (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number))
            .then_some(Part::Generation(number as u32)),
        None => (second.as_string()? == "root").then_some(Part::Root),
    }
}

/// The session id of a key.
pub(super) fn session(key: &JsValue) -> Option<String> {
    key.dyn_ref::<Array>()?.get(0).as_string()
}

/// All keys of one session: an array sorts behind every number and string, so `[session, []]` ends them.
pub(super) fn all_of(session: &str) -> Result<JsValue> {
    let first = Array::of1(&session.into());
    IdbKeyRange::bound(&first, &pair(session, &Array::new())).map(Into::into).map_err(thrown)
}

/// All keys of the sessions behind `session`, or of all sessions.
pub(super) fn behind(session: Option<&str>) -> Result<JsValue> {
    let bound = session.map_or_else(|| Array::of1(&"".into()).into(), |session| pair(session, &Array::new()));
    IdbKeyRange::lower_bound(&bound).map(Into::into).map_err(thrown)
}

/// Whether it is an array of bytes of whichever realm: those of another one are no instances of this one's class.
fn is_bytes(value: &JsValue) -> bool {
    let element = || Reflect::get(value, &"BYTES_PER_ELEMENT".into()).ok()?.as_f64();
    ArrayBuffer::is_view(value) && element() == Some(1.0)
}
