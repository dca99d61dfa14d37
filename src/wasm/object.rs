//! Plain objects for JavaScript, member by member, each value through one serialiser.
//!
//! Member by member, because a derived implementation is compiled once per struct and the module is what a page loads.

use core::cell::RefCell;

use js_sys::{JsString, Object};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// A plain object in the making.
pub(super) struct Members(Settable);

#[wasm_bindgen]
extern "C" {
    /// An object by `object[name] = value`: `Reflect.set` takes three times as long.
    type Settable;

    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Settable, name: &JsString, value: &JsValue);
}

impl Members {
    /// No members.
    pub(super) fn new() -> Self {
        Self(Object::new().unchecked_into())
    }

    /// Text.
    pub(super) fn text(&mut self, name: &'static str, value: &str) {
        self.member(name, value);
    }

    /// Text, or no such member.
    pub(super) fn optional_text(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Text, or null.
    pub(super) fn nullable_text(&mut self, name: &'static str, value: Option<&str>) {
        self.member(name, &value);
    }

    /// A number; exact up to 2^53.
    pub(super) fn number(&mut self, name: &'static str, value: impl Into<u64>) {
        self.member(name, &(value.into() as f64));
    }

    /// A number, or no such member.
    pub(super) fn optional_number(&mut self, name: &'static str, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    /// A number, or null.
    pub(super) fn nullable_number(&mut self, name: &'static str, value: Option<impl Into<u64>>) {
        self.member(name, &value.map(|value| value.into() as f64));
    }

    /// Yes or no.
    pub(super) fn flag(&mut self, name: &'static str, value: bool) {
        self.member(name, &value);
    }

    /// Whatever JavaScript knows.
    #[inline(never)]
    pub(super) fn value(&mut self, name: &'static str, value: &JsValue) {
        named(name, |name| self.0.set(name, value));
    }

    /// The object.
    pub(super) fn finish(self) -> JsValue {
        self.0.into()
    }

    fn member(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) {
        // Texts, numbers and flags always serialise.
        let value = value.serialize(&SERIALIZER).unwrap_or_default();
        self.value(name, &value);
    }
}

/// Hands `then` the name as JavaScript's own string, which is made once: making one costs more than all else here.
fn named<T>(name: &'static str, then: impl FnOnce(&JsString) -> T) -> T {
    NAMES.with_borrow_mut(|names| {
        let place = names.binary_search_by_key(&name.as_ptr(), |(of, _)| of.as_ptr());
        let at = place.unwrap_or_else(|free| {
            names.insert(free, (name, name.into()));
            free
        });
        then(&names[at].1)
    })
}

thread_local! {
    /// Member names by where they lie in memory.
    static NAMES: RefCell<Vec<(&'static str, JsString)>> = const { RefCell::new(Vec::new()) };
}

/// What is absent reads `null` where the public type says so; optional members are left out.
static SERIALIZER: Serializer = Serializer::new().serialize_missing_as_null(true);
