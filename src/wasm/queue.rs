//! Every promise of this module is one and the same: futures are the largest part of what a page loads.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use crate::{session::Calls, wasm::store::AnyStore};

/// Store calls with what becomes of their result, behind one type.
pub(super) trait Queued: Calls {
    fn finish(self: Box<Self>) -> Result<JsValue, JsValue>;
}

/// Makes the calls of `job` on `store` when `before` has ended.
pub(super) fn promise(before: Option<Promise>, store: Rc<AnyStore>, mut job: Box<dyn Queued>) -> Promise {
    future_to_promise(async move {
        if let Some(before) = before {
            // How the one before ended is its own caller's business.
            let _ = JsFuture::from(before).await;
        }
        store.carry_out(&mut *job).await;
        job.finish()
    })
}
