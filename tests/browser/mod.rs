//! Hands inside the engine for browser tests: raw reads, stubs, and faults that no public method can cause.
#![allow(dead_code, reason = "each test file uses a part of it")]

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(inline_js = r#"
export function unique_name() { return `test-${Date.now()}-${Math.random()}` }

export function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function open(name, version, upgrade) {
  const request = indexedDB.open(name, version)
  request.onupgradeneeded = () => upgrade?.(request)
  return settled(request)
}

export async function rows(name, store) {
  const db = await open(name)
  const from = db.transaction(store).objectStore(store)
  const [keys, values] = await Promise.all([settled(from.getAllKeys()), settled(from.getAll())])
  const shape = { version: db.version, stores: [...db.objectStoreNames], keys, values }
  db.close()
  return shape
}

export async function put_row(name, store, key, value) {
  const db = await open(name)
  await settled(db.transaction(store, 'readwrite').objectStore(store).put(value, key))
  db.close()
}

// An upgrade by another page that comes to nothing: every open connection gets `versionchange`.
export async function upgrade_and_give_up(name) {
  await open(name, 2, (request) => request.transaction.abort()).then(
    (db) => { throw new Error(`opened version ${db.version}`) },
    (error) => { if (error.name !== 'AbortError') throw error },
  )
}

export async function upgrade(name) { (await open(name, 2)).close() }

// Keeps a read-write transaction over everything busy, so that no other one can start; ends by itself.
export async function hold(name, milliseconds) {
  const db = await open(name)
  const until = Date.now() + milliseconds
  const tx = db.transaction(['records', 'quarantine'], 'readwrite')
  const spin = () => { if (Date.now() < until) tx.objectStore('records').get(0).onsuccess = spin }
  const done = new Promise((resolve) => { tx.oncomplete = () => { db.close(); resolve() } })
  spin()
  return { done }
}

// Makes the database and takes it back after a while: whoever opens it meanwhile waits, and has to make it.
export function hold_creation(name, milliseconds) {
  const until = Date.now() + milliseconds
  const done = open(name, 1, (request) => {
    const store = request.result.createObjectStore('temporary')
    const spin = () => { if (Date.now() < until) store.get(0).onsuccess = spin; else request.transaction.abort() }
    spin()
  }).catch(() => {})
  return { done }
}

// Replaces a property until the returned function is called.
export function replace(owner, name, descriptor) {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  Object.defineProperty(owner, name, { configurable: true, ...descriptor })
  return () => { if (before) Object.defineProperty(owner, name, before); else delete owner[name] }
}

// Wraps a method of a prototype: `body(original, self, args, nth)` with nth counted from 1.
export function wrap(owner, name, body) {
  const original = owner[name]
  let nth = 0
  return replace(owner, name, { writable: true, value(...args) { return body((...a) => original.apply(this, a), this, args, ++nth) } })
}
"#)]
extern "C" {
    pub(crate) fn unique_name() -> String;
    #[wasm_bindgen(catch)]
    pub(crate) async fn rows(name: &str, store: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub(crate) async fn put_row(name: &str, store: &str, key: &JsValue, value: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub(crate) async fn upgrade_and_give_up(name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub(crate) async fn upgrade(name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub(crate) async fn hold(name: &str, milliseconds: f64) -> Result<JsValue, JsValue>;
    pub(crate) fn hold_creation(name: &str, milliseconds: f64) -> JsValue;
    fn replace(owner: &JsValue, name: &str, descriptor: &JsValue) -> Function;
    fn wrap(owner: &JsValue, name: &str, body: &Function) -> Function;
}

/// A changed runtime; dropped, everything is as before.
pub(crate) struct Stub(Function);

impl Stub {
    /// Makes `name` of the global object answer what the expression `value` says; `throw …` is an expression here too.
    pub(crate) fn global(name: &str, value: &str) -> Self {
        let get =
            Function::new_no_args(&if value.starts_with("throw") { value.into() } else { format!("return {value}") });
        let descriptor = js_sys::Object::new();
        Reflect::set(&descriptor, &"get".into(), &get).unwrap();
        Self(replace(&js_sys::global(), name, &descriptor))
    }

    /// Runs `body` in place of a method, with `original`, `self`, `args` and `nth` at hand.
    pub(crate) fn method(class: &str, name: &str, body: &str) -> Self {
        let body = Function::new_with_args("original, self, args, nth", body);
        Self(wrap(&eval(&format!("{class}.prototype")), name, &body))
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.0.call0(&JsValue::UNDEFINED).unwrap();
    }
}

/// The value of a JavaScript expression.
pub(crate) fn eval(expression: &str) -> JsValue {
    Function::new_no_args(&format!("return {expression}")).call0(&JsValue::UNDEFINED).unwrap()
}

/// Reads a path of properties, as JSON, with bytes as arrays.
pub(crate) fn json(value: &JsValue) -> String {
    let plain = Function::new_with_args(
        "value",
        "return JSON.stringify(value, (_, v) => v instanceof Uint8Array ? ['bytes', ...v] : v)",
    );
    plain.call1(&JsValue::UNDEFINED, value).unwrap().as_string().unwrap()
}

/// One property.
pub(crate) fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// Waits for a promise in a property.
pub(crate) async fn done(value: &JsValue) {
    JsFuture::from(field(value, "done").unchecked_into::<Promise>()).await.unwrap();
}

/// A key of `records` or `quarantine`.
pub(crate) fn key(session: &str, second: impl Into<JsValue>) -> JsValue {
    Array::of2(&session.into(), &second.into()).into()
}
