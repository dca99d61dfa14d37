//! The browser's localStorage, found without a panic wherever this runs.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{Storage, Window};

use gloo_storage::Storage as _;

use crate::store::UnavailableWhy;

/// The browser's object, after asking everything that `raw()` takes for granted and would panic over.
pub(in crate::store) fn local_storage() -> Result<Storage, UnavailableWhy> {
    let global = js_sys::global();
    if !global.is_instance_of::<Window>() {
        return Err(UnavailableWhy::NoApi);
    }
    // A getter that throws is how a browser denies access: cookies blocked, sandboxed frame.
    let found = Reflect::get(&global, &"localStorage".into()).map_err(|_| UnavailableWhy::Denied)?;
    if found.is_null() || found.is_undefined() {
        return Err(UnavailableWhy::NoApi);
    }
    Ok(gloo_storage::LocalStorage::raw())
}
