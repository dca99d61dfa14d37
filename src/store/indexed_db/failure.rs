//! From what the engine throws or reports to an error of the contract.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::store::{StoreError, StoreErrorKind, UnavailableWhy};

/// The error for an exception or a `DOMException` of the engine.
pub(super) fn of(exception: &JsValue, applied: Applied) -> StoreError {
    let kind = kind(exception);
    match applied {
        Applied::No => StoreError::not_applied(kind),
        Applied::Unknown => StoreError::maybe_applied(kind),
    }
}

/// The error for an aborted transaction. An abort rolls back; only a failure of the engine itself leaves doubt about that.
pub(super) fn of_abort(reason: Option<&JsValue>, writes: bool, connected: bool) -> StoreError {
    let named = reason.map_or(StoreErrorKind::Backend { name: "AbortError".into() }, kind);
    match named {
        StoreErrorKind::QuotaExceeded => StoreError::not_applied(named),
        _ if !connected && writes => StoreError::maybe_applied(StoreErrorKind::ConnectionClosed),
        _ if !connected => StoreError::not_applied(StoreErrorKind::ConnectionClosed),
        _ if writes && reason.is_some() => StoreError::maybe_applied(named),
        _ => StoreError::not_applied(named),
    }
}

fn kind(exception: &JsValue) -> StoreErrorKind {
    let name = Reflect::get(exception, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
    match name.as_str() {
        "QuotaExceededError" => StoreErrorKind::QuotaExceeded,
        "VersionError" => StoreErrorKind::Superseded,
        "InvalidStateError" => StoreErrorKind::ConnectionClosed,
        "SecurityError" | "NotAllowedError" => StoreErrorKind::Unavailable { why: UnavailableWhy::Denied },
        _ => StoreErrorKind::Backend { name },
    }
}
