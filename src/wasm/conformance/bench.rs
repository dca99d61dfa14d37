//! What JavaScript does for the suite: it makes stores, wakes, hears what broke, and lays hands on an engine.

use core::cell::RefCell;
use core::task::Waker;
use std::panic;
use std::sync::Arc;
use std::task::Wake;

use wasm_bindgen::prelude::*;

use super::place::{Place, Tested};
use crate::store::conformance::{Harness, Quarantined};
use crate::store::{Store, Survives};
use crate::time::Millis;

#[wasm_bindgen]
extern "C" {
    /// The other side of the suite.
    #[derive(Clone)]
    pub type Bench;

    /// A store apart from every other one, described.
    #[wasm_bindgen(method, catch)]
    fn fresh(this: &Bench) -> Result<JsValue, JsValue>;

    /// Another context over the same data.
    #[wasm_bindgen(method, catch)]
    fn again(this: &Bench, place: &JsValue) -> Result<JsValue, JsValue>;

    /// A store whose engine has stopped answering; nothing where calls answer at once.
    #[wasm_bindgen(method, catch)]
    async fn hanging(this: &Bench) -> Result<JsValue, JsValue>;

    /// Makes a session unreadable; false where that cannot be done.
    #[wasm_bindgen(method, catch)]
    async fn damage(this: &Bench, place: &JsValue, session: &str) -> Result<JsValue, JsValue>;

    /// The clause can go on.
    #[wasm_bindgen(method)]
    fn woken(this: &Bench);

    /// Why the clause is about to end.
    #[wasm_bindgen(method)]
    fn broke(this: &Bench, message: &str);
}

/// A bench that hears of wakes and panics.
pub(super) struct Benched(Bench);

impl Benched {
    pub(super) fn listening(bench: Bench) -> Self {
        // Once: after a panic the hook cannot be set again.
        if LISTENING.replace(Some(bench.clone())).is_none() {
            panic::set_hook(Box::new(|panic| tell(|bench| bench.broke(panic.payload_as_str().unwrap_or_default()))));
        }
        Self(bench)
    }

    fn place(described: Result<JsValue, JsValue>) -> Place {
        match described {
            Ok(described) => Place::of(described),
            Err(thrown) => panic!("the store could not be made: {}", sentence(&thrown)),
        }
    }
}

impl Harness for Benched {
    type Store = Place;

    async fn fresh(&self) -> Place {
        Self::place(self.0.fresh())
    }

    async fn another_context(&self, store: &Place) -> Place {
        match &store.store {
            Tested::Memory(memory) => store.beside(Tested::Memory(memory.another_context())),
            _ => Self::place(self.0.again(&store.described)),
        }
    }

    async fn reloaded(&self, store: Place) -> Place {
        if store.capabilities().survives == Survives::Memory {
            return self.fresh().await;
        }
        // What an object does when it is closed is its own business: the data has to be there all the same.
        let _ = store.close().await;
        Self::place(self.0.again(&store.described))
    }

    async fn hanging(&self) -> Option<Place> {
        let described = self.0.hanging().await.unwrap_or_else(|thrown| panic!("{}", sentence(&thrown)));
        (!described.is_undefined()).then(|| Place::of(described).with_deadline(SHORT))
    }

    async fn damage(&self, store: &Place, session: &str) -> bool {
        let damaged = self.0.damage(&store.described, session).await;
        damaged.unwrap_or_else(|thrown| panic!("{}", sentence(&thrown))).is_truthy()
    }

    async fn quarantined(&self, store: &Place, session: &str) -> Option<Vec<Quarantined>> {
        let kept = match &store.store {
            Tested::Memory(memory) => memory.quarantined(session),
            Tested::Injected(injected) => injected.quarantined(session).await.expect("the quarantine is readable"),
            Tested::LocalStorage(_) | Tested::IndexedDb(_) => return None,
        };
        Some(kept.into_iter().map(|(part, bytes, _)| (part, bytes)).collect())
    }
}

/// A waker that wakes the bench: there is one clause at a time.
pub(super) fn waker() -> Waker {
    struct WakesBench;

    impl Wake for WakesBench {
        fn wake(self: Arc<Self>) {
            tell(Bench::woken);
        }
    }

    Arc::new(WakesBench).into()
}

fn tell(what: impl FnOnce(&Bench)) {
    LISTENING.with_borrow(|bench| bench.as_ref().map(what));
}

fn sentence(thrown: &JsValue) -> String {
    js_sys::Error::from(thrown.clone()).to_string().into()
}

thread_local! {
    static LISTENING: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Enough for every call before the engine stops, and no long wait for the visitor.
const SHORT: Millis = Millis(150);
