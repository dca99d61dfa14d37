//! What a person takes back, writes anew and pins, for JavaScript.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::{
    id::AttemptId,
    session::{AmendError, Amended, Edit, Mutation, Pin, PinError, Pinnable, Pinned, Undo, Unpin, Write},
    transcript::{Entry, Kind, Role},
    wasm::{
        convert,
        fault::Fault,
        object::Members,
        session::{Core, wide},
    },
};

#[wasm_bindgen]
impl Core {
    /// Takes the live summary back; `compaction_id` says which that has to be.
    pub fn undo(&self, compaction_id: Option<String>, now: f64) -> Result<Promise, JsValue> {
        self.amend(Undo::new(compaction_id), now)
    }

    /// Puts `text` in the place of the live summary.
    pub fn edit(&self, compaction_id: &str, text: String, now: f64) -> Result<Promise, JsValue> {
        self.amend(Edit::new(compaction_id, text), now)
    }

    /// Goes on behind the message called `after`. `head` holds four words for each system message in front: id, high and
    /// low, flags, tokens. The answer: how many of them were taken, and the index of the next entry to push.
    #[wasm_bindgen(js_name = resumeAfter)]
    pub fn resume_after(&self, after: &str, head: &[u32]) -> Result<Vec<u32>, JsValue> {
        let mut entries = Vec::new();
        for words in head.chunks_exact(4) {
            if let &[hi, lo, flags, tokens] = words {
                let kind = Kind::from_bits(flags as u16);
                entries.push(Entry { kind, ..Entry::alone(wide(hi, lo), Role::System, tokens) });
            }
        }
        let (taken, next) = self.resume_session(after, &entries).map_err(Fault::from)?;
        Ok(vec![taken, next])
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
        self.unpinned(AttemptId::parse(id).map_or(0, |id| id.0), now)
    }

    /// Takes the pin of the entry at `index` away.
    #[wasm_bindgen(js_name = unpinEntry)]
    pub fn unpin_entry(&self, index: u32, now: f64) -> Result<Promise, JsValue> {
        self.unpinned(self.pinnable(index).map_or(0, |entry| entry.id()), now)
    }
}

impl Core {
    fn unpinned(&self, id: u64, now: f64) -> Result<Promise, JsValue> {
        self.promise(Write::rereading(Unpin(id)), now, |(), _, _| Ok(JsValue::UNDEFINED))
    }

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
