//! One open connection: it yields to an upgrade by another page, and knows when it was taken away.

use core::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbTransaction};

use super::transaction::{self, Scope, Transaction, thrown};
use crate::store::Durability;

#[derive(Debug)]
pub(super) struct Connection {
    database: IdbDatabase,
    open: Rc<Cell<bool>>,
    _on_version_change: Closure<dyn FnMut()>,
    _on_close: Closure<dyn FnMut()>,
}

#[wasm_bindgen]
extern "C" {
    /// The database with the form of `transaction` that takes options, which `web-sys` keeps behind an unstable flag.
    #[wasm_bindgen(extends = IdbDatabase)]
    type DatabaseWithOptions;

    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn transaction_with_options(
        this: &DatabaseWithOptions,
        stores: &Array,
        mode: &str,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;
}

impl Connection {
    pub(super) fn new(database: IdbDatabase) -> Self {
        let open = Rc::new(Cell::new(true));
        let (yielding, gone) = (Rc::clone(&open), Rc::clone(&open));
        let yielded = database.clone();
        let on_version_change = Closure::new(move || {
            yielding.set(false);
            yielded.close();
        });
        let on_close = Closure::new(move || gone.set(false));
        database.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
        database.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        Self { database, open, _on_version_change: on_version_change, _on_close: on_close }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.get()
    }

    pub(super) fn begin(self: &Rc<Self>, scope: Scope, durability: Durability) -> transaction::Result<Transaction> {
        let stores = Array::new();
        for name in scope.stores() {
            stores.push(&JsValue::from_str(name));
        }
        let options = Object::new();
        let hint = match durability {
            Durability::Relaxed => "relaxed",
            Durability::Strict => "strict",
        };
        // A plain object accepts every property.
        let _ = Reflect::set(&options, &"durability".into(), &hint.into());
        self.database
            .unchecked_ref::<DatabaseWithOptions>()
            .transaction_with_options(&stores, scope.mode(), &options)
            .map(|raw| Transaction::new(raw, Rc::clone(self), scope))
            .map_err(thrown)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.database.set_onversionchange(None);
        self.database.set_onclose(None);
        self.database.close();
    }
}
