//! The object itself: its methods, each of which may throw, and its answers, each of which may be a promise.

use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::error::Applied;
use crate::store::js::exception;
use crate::store::{StoreError, StoreErrorKind};

#[wasm_bindgen]
extern "C" {
    /// An `InjectedStore`.
    #[derive(Debug)]
    pub(super) type InjectedObject;

    #[wasm_bindgen(method, catch)]
    pub(super) fn load(this: &InjectedObject, session: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn commit(
        this: &InjectedObject,
        session: &str,
        expected: &JsValue,
        batch: &JsValue,
        op: &str,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn list(this: &InjectedObject, after: Option<&str>, limit: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn remove(this: &InjectedObject, session: &str, expected: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn close(this: &InjectedObject) -> Result<JsValue, JsValue>;

    /// Not the one of `js_sys`: a promise whose `constructor` throws makes this throw.
    #[wasm_bindgen(catch, js_namespace = Promise)]
    fn resolve(value: &JsValue) -> Result<Promise, JsValue>;
}

/// Boxed: the error is as large as all else here together, and every `?` would move it.
pub(in crate::store) type Boxed<T> = Result<T, Box<StoreError>>;

impl InjectedObject {
    /// Refuses what an object without the optional method `call` is asked for.
    pub(super) fn offers(&self, call: &'static str) -> Result<(), StoreError> {
        let method = Reflect::get(self, &call.into());
        if method.is_ok_and(|method| method.is_function()) {
            return Ok(());
        }
        Err(StoreError::not_applied(StoreErrorKind::Unsupported { call }))
    }
}

/// The value of an answer. What was thrown, or is rejected with, is an error that may have been `applied`.
pub(in crate::store) async fn settled(answer: Result<JsValue, JsValue>, applied: Applied) -> Boxed<JsValue> {
    let failed = |thrown: JsValue| Box::new(exception::error(&thrown, applied));
    let answer = answer.map_err(failed)?;
    let is_promise = Reflect::get(&answer, &"then".into()).is_ok_and(|then| then.is_function());
    if !is_promise {
        return Ok(answer);
    }
    JsFuture::from(resolve(&answer).map_err(failed)?).await.map_err(failed)
}
