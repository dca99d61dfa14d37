//! What a page learns of other tabs besides what the store says, and what it makes of it, for JavaScript.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::{
    session::{Others, Refresh, TakeOver, Write},
    wasm::session::Core,
};

#[wasm_bindgen]
impl Core {
    /// Takes what another writer left in the store, because somebody hinted that there is something: true where there was.
    pub fn refresh(&self, now: f64) -> Result<Promise, JsValue> {
        self.promise(Refresh::new(), now, |new, _, _| Ok(new.into()))
    }

    /// Ends the attempt that the store shows as running, for the holder of the session's lock: true where there was one.
    #[wasm_bindgen(js_name = takeOver)]
    pub fn take_over(&self, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::rereading(TakeOver), now, |ended, _, _| Ok(ended.into()))
    }

    /// The store's revision that memory is based on; 0 for none.
    pub fn revision(&self) -> f64 {
        self.session().revision().unwrap_or(0) as f64
    }
}

/// 0: nothing is known of others. 1: none is at work. 2: one is.
pub(super) fn others(code: u8) -> Others {
    match code {
        1 => Others::Idle,
        2 => Others::Working,
        _ => Others::Unknown,
    }
}
