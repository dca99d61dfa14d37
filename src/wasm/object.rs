//! Plain objects for JavaScript, member by member.
//!
//! By hand: a general serialiser is compiled once per struct and brings a hash map, some fifteen kilobytes of a page.

use js_sys::Object;
use wasm_bindgen::prelude::*;

/// A plain object in the making.
pub(super) struct Members(Plain);

impl Members {
    /// No members.
    pub(super) fn new() -> Self {
        Self(Object::new().unchecked_into())
    }

    /// Text.
    pub(super) fn text(&self, name: &str, value: &str) {
        self.0.set_text(name, value);
    }

    /// Text, or no such member.
    pub(super) fn optional_text(&self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Text, or null.
    pub(super) fn nullable_text(&self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.value(name, &JsValue::NULL),
        }
    }

    /// A number; exact up to 2^53.
    pub(super) fn number(&self, name: &str, value: impl Into<u64>) {
        self.0.set_number(name, value.into() as f64);
    }

    /// A number, or no such member.
    pub(super) fn optional_number(&self, name: &str, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    /// A number, or null.
    pub(super) fn nullable_number(&self, name: &str, value: Option<impl Into<u64>>) {
        match value {
            Some(value) => self.number(name, value),
            None => self.value(name, &JsValue::NULL),
        }
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str, value: bool) {
        self.value(name, &JsValue::from_bool(value));
    }

    /// Whatever JavaScript knows.
    pub(super) fn value(&self, name: &str, value: &JsValue) {
        self.0.set_value(name, value);
    }

    /// The object.
    pub(super) fn finish(self) -> JsValue {
        self.0.into()
    }
}

#[wasm_bindgen]
extern "C" {
    /// An object that takes every property.
    #[wasm_bindgen(js_name = Object)]
    type Plain;

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_text(this: &Plain, name: &str, value: &str);

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_number(this: &Plain, name: &str, value: f64);

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_value(this: &Plain, name: &str, value: &JsValue);
}
