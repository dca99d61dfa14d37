//! A codec that the host brings, or that the package makes of `crypto.subtle`.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::{Codec, Sealed, open_parts, seal_parts};
use crate::error::Applied;
use crate::store::deadline::within;
use crate::store::injected::settled;
use crate::store::js::engine::{Answer, Engine, Reply, Request};
use crate::store::js::event_loop::alarm;
use crate::store::{Batch, Capabilities, Mark, Recalled, Store, StoreError, StoreErrorKind};
use crate::time::Millis;

/// How long a codec may take before the call counts as failed. Sealing a record takes well under a millisecond.
const DEADLINE: Millis = Millis::secs(10);

/// How many bytes it may add: a nonce, a tag, the id of a key, and room.
const OVERHEAD: u64 = 128;

#[wasm_bindgen]
extern "C" {
    /// A `Codec` of the package's surface.
    #[derive(Debug)]
    pub type JsCodec;

    #[wasm_bindgen(method, catch, js_name = seal)]
    fn js_seal(this: &JsCodec, bytes: &Uint8Array, about: &Uint8Array) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = open)]
    fn js_open(this: &JsCodec, bytes: &Uint8Array, about: &Uint8Array) -> Result<JsValue, JsValue>;
}

impl Codec for JsCodec {
    async fn seal(&self, bytes: &[u8], about: &[u8]) -> Result<Vec<u8>, StoreError> {
        let answer = answered(self.js_seal(&bytes.into(), &about.into())).await?;
        let sealed = answer.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec);
        sealed.filter(|sealed| sealed.len() as u64 <= bytes.len() as u64 + OVERHEAD).ok_or_else(unavailable)
    }

    async fn open(&self, sealed: &[u8], about: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let answer = answered(self.js_open(&sealed.into(), &about.into())).await?;
        match answer.dyn_ref::<Uint8Array>() {
            Some(bytes) => Ok(Some(bytes.to_vec())),
            None if answer.is_undefined() || answer.is_null() => Ok(None),
            None => Err(unavailable()),
        }
    }

    fn overhead(&self) -> u64 {
        OVERHEAD
    }
}

/// The same sealing, asked as an engine is; without a codec nothing stands between.
impl Engine for Sealed<Box<dyn Engine>, JsCodec> {
    fn capabilities(&self) -> Capabilities {
        Store::capabilities(self)
    }

    fn answer<'a>(&'a self, session: &'a str, request: Request<'a>) -> Answer<'a> {
        match &self.codec {
            Some(codec) => Box::pin(self.answered(codec, session, request)),
            None => self.store.answer(session, request),
        }
    }

    fn recall(&self, session: &str) -> Recalled {
        Engine::recall(&self.store, session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        Engine::remember(&self.store, session, mark);
    }
}

impl Sealed<Box<dyn Engine>, JsCodec> {
    async fn answered(&self, codec: &JsCodec, session: &str, request: Request<'_>) -> Result<Reply, StoreError> {
        let mut sealed = Batch::default();
        let refused = match request {
            Request::Commit { batch, .. } => {
                sealed.clone_from(batch);
                batch.check(&Engine::capabilities(self))
            }
            Request::Quarantine { part, bytes, .. } => {
                sealed.puts.push((part, bytes.to_vec()));
                Engine::capabilities(self).check_size(bytes)
            }
            _ => Ok(()),
        };
        if let Err(refused) = refused {
            return self.refused(refused).await;
        }
        seal_parts(codec, session, &mut sealed.puts).await?;
        let request = match request {
            Request::Commit { expect, op, .. } => Request::Commit { expect, batch: &sealed, op },
            Request::Quarantine { part, reason, .. } => Request::Quarantine { part, bytes: &sealed.puts[0].1, reason },
            other => other,
        };
        let mut reply = self.store.answer(session, request).await?;
        if let Some(snapshot) = &mut reply.snapshot {
            open_parts(codec, session, &mut snapshot.parts).await?;
        }
        Ok(reply)
    }
}

/// Whatever a codec throws or rejects with is one error: a message might say what was to be sealed.
async fn answered(answer: Result<JsValue, JsValue>) -> Result<JsValue, StoreError> {
    within(settled(answer, Applied::No), alarm(DEADLINE), Applied::No).await.map_err(|_| unavailable())
}

fn unavailable() -> StoreError {
    StoreError::not_applied(StoreErrorKind::KeyUnavailable)
}
