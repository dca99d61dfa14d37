//! The few values that several backends read and write.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use crate::id::OpId;
use crate::store::Revision;

/// Above this, a JavaScript number no longer tells neighbours apart.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The revision that `value` is; `None` where it is none.
pub(in crate::store) fn revision(value: &JsValue) -> Option<Revision> {
    let number = value.as_f64().filter(|r| r.fract() == 0.0 && (1.0..=MAX_SAFE_INTEGER).contains(r))?;
    Some(number as Revision)
}

/// A plain object with these properties.
pub(in crate::store) fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A plain object accepts every property.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

/// An operation id as JavaScript gets it: 16 hexadecimal digits.
pub(in crate::store) fn hex(op: OpId) -> String {
    format!("{:016x}", op.0)
}
