//! What a person takes back, writes anew and pins, for JavaScript.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::{
    id::AttemptId,
    session::{AmendError, Amended, Edit, Mutation, Pin, PinError, Pinnable, Pinned, Undo, Unpin, Write},
    wasm::{convert, fault::Fault, object::Members, session::Core},
};

#[wasm_bindgen]
impl Core {
    /// Takes the live summary back; `compaction_id` says which that has to be.
    pub fn undo(&self, compaction_id: Option<String>, now: f64) -> Result<Promise, JsValue> {
        self.amend(Undo { compaction: compaction_id }, now)
    }

    /// Puts `text` in the place of the live summary.
    pub fn edit(&self, compaction_id: &str, text: String, now: f64) -> Result<Promise, JsValue> {
        self.amend(Edit::new(compaction_id, text), now)
    }

    /// Pins a text of the host's.
    #[wasm_bindgen(js_name = pinText)]
    pub fn pin_text(&self, text: String, now: f64) -> Result<Promise, JsValue> {
        self.pin(Pinnable::Text(text), now)
    }

    /// Pins the entry at `index`.
    #[wasm_bindgen(js_name = pinEntry)]
    pub fn pin_entry(&self, index: u32, now: f64) -> Result<Promise, JsValue> {
        let entry = self.pinnable(index).ok_or_else(|| Fault::from(PinError::UnknownEntry))?;
        self.pin(entry, now)
    }

    /// Takes a pin away; an id that is none changes nothing.
    pub fn unpin(&self, id: &str, now: f64) -> Result<Promise, JsValue> {
        // Pins are named as attempts are.
        let id = AttemptId::parse(id).map_or(0, |id| id.0);
        self.promise(Write::rereading(Unpin(id)), now, |(), _, _| Ok(JsValue::UNDEFINED))
    }
}

impl Core {
    /// Decided on what the store holds: another tab may be at work.
    fn amend<M>(&self, mutation: M, now: f64) -> Result<Promise, JsValue>
    where
        M: Mutation<Output = Result<Amended, AmendError>> + 'static,
    {
        self.promise(Write::rereading(mutation), now, |amended, _, _| Ok(convert::amended(&amended)))
    }

    fn pin(&self, what: Pinnable, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::rereading(Pin(what)), now, |pinned, _, _| pin_result(&pinned))
    }
}

/// The public `PinResult`; what is no matter of size is an error.
fn pin_result(pinned: &Result<Pinned, PinError>) -> Result<JsValue, JsValue> {
    let mut out = Members::new();
    match *pinned {
        Ok(Pinned { id, floor }) => {
            out.text("status", "pinned");
            out.text("id", &AttemptId(id).to_string());
            out.number("floorTokens", floor);
        }
        Err(PinError::FloorBound { floor, threshold }) => {
            out.text("status", "refused");
            out.number("floorTokens", floor);
            out.number("thresholdTokens", threshold);
        }
        Err(refusal) => return Err(Fault::from(refusal).into()),
    }
    Ok(out.finish())
}
