//! Another realm of this page: a hidden frame, whose `indexedDB` works where the page's own lost its server for good.
//!
//! Measured in WebKit: after a crash of its storage process a page can never open a database again, nor can its workers;
//! a frame that is made afterwards can. Pages only: a worker has no frames.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::IdbFactory;

/// A frame of ours, in the page for as long as this lives.
pub(super) struct Realm {
    frame: Frame,
    pub(super) factory: IdbFactory,
}

#[wasm_bindgen]
extern "C" {
    type Page;

    #[wasm_bindgen(method, catch, js_name = createElement)]
    fn create_element(this: &Page, name: &str) -> Result<Frame, JsValue>;

    #[wasm_bindgen(method, getter, js_name = documentElement)]
    fn document_element(this: &Page) -> Option<Element>;

    type Element;

    #[wasm_bindgen(method, catch)]
    fn append(this: &Element, frame: &Frame) -> Result<(), JsValue>;

    type Frame;

    #[wasm_bindgen(method, setter)]
    fn set_hidden(this: &Frame, hidden: bool);

    #[wasm_bindgen(method, getter, catch, js_name = contentWindow)]
    fn content_window(this: &Frame) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, getter, js_name = isConnected)]
    fn is_connected(this: &Frame) -> bool;

    #[wasm_bindgen(method)]
    fn remove(this: &Frame);
}

impl Realm {
    /// A new one; `None` where there is no page, or it does not let us.
    pub(super) fn new() -> Option<Self> {
        let page = Reflect::get(&js_sys::global(), &"document".into()).ok().filter(JsValue::is_object)?;
        let page: Page = page.unchecked_into();
        let frame = page.create_element("iframe").ok()?;
        frame.set_hidden(true);
        // Beside the body, which hosts like to write anew.
        page.document_element()?.append(&frame).ok()?;
        let factory = frame.content_window().and_then(|window| Reflect::get(&window, &"indexedDB".into()));
        match factory {
            Ok(factory) if factory.is_object() => Some(Self { frame, factory: factory.unchecked_into() }),
            _ => {
                frame.remove();
                None
            }
        }
    }

    /// Whether the frame is still in the page. What came from one that the host took out answers `null` to everything.
    pub(super) fn is_in_page(&self) -> bool {
        self.frame.is_connected()
    }
}

impl Drop for Realm {
    fn drop(&mut self) {
        self.frame.remove();
    }
}

impl core::fmt::Debug for Realm {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Realm")
    }
}
