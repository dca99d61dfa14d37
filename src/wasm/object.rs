//! Plain objects for JavaScript, member by member, through one serialiser.
//!
//! Member by member, because a derived implementation is compiled once per struct and the module is what a page loads.

use serde::{Serialize, Serializer as _, ser::SerializeStruct};
use serde_wasm_bindgen::{Serializer, preserve};
use wasm_bindgen::JsValue;

/// A plain object in the making.
pub(super) struct Members(<&'static Serializer as serde::Serializer>::SerializeStruct);

impl Members {
    /// No members.
    pub(super) fn new() -> Self {
        Self(SERIALIZER.serialize_struct("", 0).expect("beginning an object cannot fail"))
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
    pub(super) fn value(&mut self, name: &'static str, value: &JsValue) {
        self.member(name, &Preserved(value));
    }

    /// The object.
    pub(super) fn finish(self) -> JsValue {
        self.0.end().unwrap_or(JsValue::UNDEFINED)
    }

    fn member(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) {
        // Texts, numbers and flags always serialise.
        let _ = self.0.serialize_field(name, value);
    }
}

/// A value that crosses as it is.
struct Preserved<'a>(&'a JsValue);

impl Serialize for Preserved<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        preserve::serialize(self.0, serializer)
    }
}

/// What is absent reads `null` where the public type says so; optional members are left out.
static SERIALIZER: Serializer = Serializer::new().serialize_missing_as_null(true);
