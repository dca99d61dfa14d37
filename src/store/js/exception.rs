//! From what a browser's engine throws or reports to an error of the contract.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::store::{StoreError, StoreErrorKind, UnavailableWhy};

/// The error for an exception or a `DOMException`.
pub(in crate::store) fn error(exception: &JsValue, applied: Applied) -> StoreError {
    let kind = kind(exception);
    match applied {
        Applied::No => StoreError::not_applied(kind),
        Applied::Unknown => StoreError::maybe_applied(kind),
    }
}

/// What happened, by the exception's name.
pub(in crate::store) fn kind(exception: &JsValue) -> StoreErrorKind {
    // So says the call of a Durable Object that has too much to do.
    if Reflect::get(exception, &"overloaded".into()).is_ok_and(|said| said.is_truthy()) {
        return StoreErrorKind::Busy;
    }
    let name = Reflect::get(exception, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
    match name.as_str() {
        "QuotaExceededError" => StoreErrorKind::QuotaExceeded,
        "VersionError" => StoreErrorKind::Superseded,
        "InvalidStateError" => StoreErrorKind::ConnectionClosed,
        "SecurityError" | "NotAllowedError" => StoreErrorKind::Unavailable { why: UnavailableWhy::Denied },
        _ => StoreErrorKind::Backend { name },
    }
}
