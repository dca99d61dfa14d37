//! Objects as hosts write them: over a map of their own, answering with values, promises or late; and every way to lie.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(inline_js = r#"
const places = new Map()

// A place by its name; the same name is the same data.
function place(name) {
  if (!places.has(name)) places.set(name, new Map())
  return places.get(name)
}

class Host {
  constructor(name) { this.sessions = place(name) }
  load(session) {
    const held = this.sessions.get(session)
    return held ? { revision: held.revision, parts: new Map(held.parts) } : null
  }
  commit(session, expected, { puts, deletes }) {
    const held = this.sessions.get(session)
    const actual = held?.revision ?? null
    if (actual !== expected) return { conflict: actual }
    const parts = new Map(held?.parts)
    for (const part of deletes) parts.delete(part)
    for (const [part, bytes] of puts) parts.set(part, bytes.slice())
    this.sessions.set(session, { revision: (actual ?? 0) + 1, parts })
    return { revision: (actual ?? 0) + 1 }
  }
  list(after, limit) {
    return [...this.sessions.keys()].sort().filter((id) => after === undefined || id > after).slice(0, Math.min(limit, 5))
  }
  remove(session, expected) {
    const actual = this.sessions.get(session)?.revision ?? null
    if (expected !== undefined && actual !== expected) return { conflict: actual }
    this.sessions.delete(session)
  }
}

const METHODS = ['load', 'commit', 'list', 'remove']
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
let turns = 0

// How a host answers: at once, with a promise, or late and by turns earlier and later than the call before.
const ANSWERING = {
  values: (value) => value,
  promises: async (value) => value,
  late: async (value) => { await later(turns++ % 3); return value },
}

export function host(name, answering) {
  const host = new Host(name)
  const answer = ANSWERING[answering]
  const object = {}
  for (const method of METHODS) object[method] = (...args) => answer(host[method](...args))
  return object
}

// Three bytes where a root record begins with eight of the store's own.
export function damage(name, session) { place(name).get(session).parts.set('root', new Uint8Array(3)) }

// The same with some methods replaced: `body` is given the host's own methods and answers the replacements.
export function lying(name, body) {
  const host = new Host(name)
  return Object.assign(Object.fromEntries(METHODS.map((method) => [method, (...args) => host[method](...args)])), body(host))
}
"#)]
extern "C" {
    /// A host that keeps the contract: `values`, `promises` or `late`.
    pub(crate) fn host(name: &str, answering: &str) -> JsValue;
    /// Spoils the root record of a session in a place.
    pub(crate) fn damage(name: &str, session: &str);
    fn lying(name: &str, body: &Function) -> JsValue;
}

/// A host with some methods of its own: `methods` is what stands between the braces of an object; `host` behaves.
pub(crate) fn liar(name: &str, methods: &str) -> JsValue {
    lying(name, &Function::new_with_args("host", &format!("return {{ {methods} }}")))
}
