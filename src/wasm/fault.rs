//! Errors that JavaScript can read: a code, and whether anything was applied.

use core::fmt::Display;

use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;

use crate::{
    config::ConfigError,
    error::Applied,
    session::{PinError, RequestError, ResumeError, sessions::SessionsError},
    store::StoreError,
};

/// A fault on its way to JavaScript.
pub(super) struct Fault {
    code: &'static str,
    message: String,
    retryable: bool,
    applied: Applied,
}

impl Fault {
    /// An argument that cannot be, as JavaScript gets it.
    #[inline(never)]
    pub(super) fn argument(message: &str) -> JsValue {
        Self::refused("bad_argument", &message).into()
    }

    /// Nothing was changed, and the same again would be refused again.
    #[inline(never)]
    fn refused(code: &'static str, why: &dyn Display) -> Self {
        Self { code, message: why.to_string(), retryable: false, applied: Applied::No }
    }
}

impl From<ConfigError> for Fault {
    #[inline(never)]
    fn from(error: ConfigError) -> Self {
        Self::refused("bad_setting", &error)
    }
}

impl From<RequestError> for Fault {
    #[inline(never)]
    fn from(error: RequestError) -> Self {
        Self::refused("bad_request", &error)
    }
}

impl From<PinError> for Fault {
    #[inline(never)]
    fn from(error: PinError) -> Self {
        Self::refused(error.code(), &error)
    }
}

impl From<ResumeError> for Fault {
    #[inline(never)]
    fn from(error: ResumeError) -> Self {
        Self::refused(error.code(), &error)
    }
}

impl From<SessionsError> for Fault {
    #[inline(never)]
    fn from(error: SessionsError) -> Self {
        Self { code: error.code(), message: error.to_string(), retryable: error.retryable(), applied: error.applied() }
    }
}

impl From<StoreError> for Fault {
    #[inline(never)]
    fn from(error: StoreError) -> Self {
        Self {
            code: error.kind.code(),
            message: error.to_string(),
            retryable: error.retryable(),
            applied: error.applied,
        }
    }
}

impl From<Fault> for JsValue {
    #[inline(never)]
    fn from(fault: Fault) -> Self {
        let error = Error::new(&fault.message);
        error.set_name("CompactionError");
        for (key, value) in [
            ("code", fault.code.into()),
            ("retryable", fault.retryable.into()),
            ("applied", fault.applied.code().into()),
        ] {
            // A fresh error object takes every property.
            let _ = Reflect::set(&error, &key.into(), &value);
        }
        error.into()
    }
}
