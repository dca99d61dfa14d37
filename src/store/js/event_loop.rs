//! The two things that a future needs from the event loop: to be told, and to be woken after a while.

use core::cell::RefCell;
use core::future::poll_fn;
use core::task::{Poll, Waker};
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::time::Millis;

/// A value that an event handler delivers to one waiting future. Only the first delivery counts.
#[derive(Debug)]
pub(in crate::store) struct Signal<T>(Rc<RefCell<State<T>>>);

#[derive(Debug)]
enum State<T> {
    Waiting(Option<Waker>),
    Delivered(T),
    Taken,
}

impl<T> Signal<T> {
    pub(in crate::store) fn new() -> Self {
        Self(Rc::new(RefCell::new(State::Waiting(None))))
    }

    pub(in crate::store) fn set(&self, value: T) {
        let mut state = self.0.borrow_mut();
        if let State::Waiting(waker) = &mut *state {
            let waker = waker.take();
            *state = State::Delivered(value);
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }

    pub(in crate::store) async fn wait(&self) -> T {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            match core::mem::replace(&mut *state, State::Taken) {
                State::Delivered(value) => Poll::Ready(value),
                State::Waiting(_) | State::Taken => {
                    *state = State::Waiting(Some(context.waker().clone()));
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &Function, milliseconds: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
}

/// Ends after `length`. Works in pages, workers and Node alike; dropped, it leaves no timer behind.
pub(in crate::store) async fn alarm(length: Millis) {
    let timer = Timer::new(length);
    timer.elapsed.wait().await;
}

struct Timer {
    id: JsValue,
    elapsed: Signal<()>,
    _handler: Closure<dyn FnMut()>,
}

impl Timer {
    fn new(length: Millis) -> Self {
        let elapsed = Signal::new();
        let told = elapsed.clone();
        let handler = Closure::<dyn FnMut()>::new(move || told.set(()));
        // A delay above i32::MAX milliseconds would fire at once.
        let milliseconds = i32::try_from(length.0).unwrap_or(i32::MAX);
        let id = set_timeout(handler.as_ref().unchecked_ref(), f64::from(milliseconds));
        Self { id, elapsed, _handler: handler }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}
