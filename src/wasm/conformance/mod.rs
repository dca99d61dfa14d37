//! The conformance suite for a page: its clauses by name, each polled by JavaScript.
//!
//! A broken clause panics, and a panic is a trap. Polled from a `try` of JavaScript's it is an exception there and nowhere
//! else, and its message arrived before it; what the clause had under way is left behind, and the next one begins.

mod bench;
mod place;

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use wasm_bindgen::prelude::*;

use crate::session::conformance as of_sessions;
use crate::store::conformance::{self as of_stores, Outcome};
pub use bench::Bench;
use bench::Benched;

/// One clause on its way.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a class of JavaScript; nothing in Rust prints it")]
pub struct Clause {
    running: Running,
}

type Running = Pin<Box<dyn Future<Output = Outcome>>>;

#[wasm_bindgen]
impl Clause {
    /// Goes on as far as it can: `undefined` until it has ended, then an empty text where the clause holds, else what the
    /// store does not declare. To be called again whenever the bench was woken.
    pub fn poll(&mut self) -> Option<String> {
        match self.running.as_mut().poll(&mut Context::from_waker(&bench::waker())) {
            Poll::Pending => None,
            Poll::Ready(Outcome::Held) => Some(String::new()),
            Poll::Ready(Outcome::NotDeclared(what)) => Some(what.to_owned()),
        }
    }
}

/// The names of all clauses, in their order.
#[wasm_bindgen(js_name = clauseNames)]
#[must_use]
pub fn clause_names() -> Vec<String> {
    [STORE_CLAUSES, SESSION_CLAUSES].concat().into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Begins the clause called `name`; `undefined` where there is none.
#[wasm_bindgen(js_name = startClause)]
#[must_use]
pub fn start_clause(name: &str, bench: Bench) -> Option<Clause> {
    let (_, start) = STORE_CLAUSES.iter().chain(SESSION_CLAUSES).find(|(known, _)| *known == name)?;
    Some(Clause { running: start(Benched::listening(bench)) })
}

type Start = fn(Benched) -> Running;

macro_rules! store_clauses {
    ($($name:ident)*) => {
        &[$((stringify!($name), |bench| Box::pin(async move { of_stores::$name(&bench).await }))),*]
    };
}

macro_rules! session_clauses {
    ($($name:ident)*) => {
        &[$((stringify!($name), |bench| Box::pin(async move { of_sessions::$name(&bench).await }))),*]
    };
}

const STORE_CLAUSES: &[(&str, Start)] = crate::for_each_clause!(store_clauses);
const SESSION_CLAUSES: &[(&str, Start)] = crate::for_each_session_clause!(session_clauses);
