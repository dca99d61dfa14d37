//! Whole sessions of a store, for JavaScript. A copy is an export and an import; a session removes itself.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::{
    session::{
        Call, Calls, StoreReply,
        sessions::{Errand, Export, Ids, Import},
    },
    wasm::{
        convert,
        fault::Fault,
        queue::{Queued, promise},
        session::wide,
        store::StoreHandle,
    },
};

#[wasm_bindgen]
impl StoreHandle {
    /// At most `limit` ids of sessions that are kept, behind `after`.
    #[wasm_bindgen(js_name = listSessions)]
    pub fn list_sessions(&self, after: Option<String>, limit: u32) -> Promise {
        self.errand(Ids::new(after, limit as usize), |ids| {
            let list = Array::new();
            for id in &ids {
                list.push(&id.into());
            }
            list.into()
        })
    }

    /// All that is kept for `id`, as bytes.
    #[wasm_bindgen(js_name = exportSession)]
    pub fn export_session(&self, id: &str) -> Promise {
        self.errand(Export::new(id), |bytes| Uint8Array::from(bytes.as_slice()).into())
    }

    /// Writes what was exported, under its own id or another one; the two words are drawn at random by the caller.
    #[wasm_bindgen(js_name = importSession)]
    pub fn import_session(
        &self,
        bytes: &[u8],
        id: Option<String>,
        hi: u32,
        lo: u32,
        now: f64,
    ) -> Result<Promise, JsValue> {
        let now = convert::timestamp(now)?;
        Ok(self.errand(Import::new(bytes, id.as_deref(), wide(hi, lo), now), |()| JsValue::UNDEFINED))
    }
}

impl StoreHandle {
    fn errand<E: Errand + 'static>(&self, errand: E, out: fn(E::Output) -> JsValue) -> Promise {
        promise(None, self.share(), Box::new(Job { errand, out }))
    }
}

/// An errand with what becomes of its result.
struct Job<E: Errand> {
    errand: E,
    out: fn(E::Output) -> JsValue,
}

impl<E: Errand> Calls for Job<E> {
    fn next(&mut self, answer: Option<StoreReply>) -> Option<Call> {
        self.errand.next(answer)
    }
}

impl<E: Errand> Queued for Job<E> {
    fn finish(self: Box<Self>) -> Result<JsValue, JsValue> {
        self.errand.finish().map(self.out).map_err(|error| Fault::from(error).into())
    }
}
