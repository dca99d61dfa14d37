//! Text on its way to the estimator: JavaScript writes it as UTF-8 into one buffer here, and asks what it costs. As a
//! `&str` it would be copied character by character.

use core::{cell::RefCell, hint::black_box};

use js_sys::{Uint8Array, WebAssembly::Memory};
use wasm_bindgen::{JsCast, prelude::*};

use crate::tokens::{self, Table};

/// The buffer, as a view that lasts until the memory grows.
#[wasm_bindgen(js_name = countBuffer)]
pub fn count_buffer() -> Uint8Array {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.resize(BYTES, 0);
        let memory = wasm_bindgen::memory().unchecked_into::<Memory>();
        Uint8Array::new_with_byte_offset_and_length(&memory.buffer(), scratch.as_ptr() as u32, BYTES as u32)
    })
}

/// Units, [`Table::UNITS`] to a token, of the first `written` bytes of the buffer, behind the byte `before`.
#[wasm_bindgen(js_name = countBytes)]
pub fn count_bytes(written: usize, before: u8) -> u32 {
    // JavaScript wrote what no code here did.
    SCRATCH.with_borrow(|scratch| tokens::units(before, black_box(scratch).get(..written).unwrap_or_default()) as u32)
}

/// For strings too short to repay the call: the pairs, then what each byte costs eight times behind itself.
#[wasm_bindgen(js_name = countTable)]
pub fn count_table() -> Vec<u8> {
    let mut table = tokens::pairs().to_vec();
    table.extend((0..=u8::MAX).map(|byte| tokens::repeated(byte) as u8));
    table
}

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// As many as 16,384 UTF-16 units take at most.
const BYTES: usize = 3 * 16_384;
/// JavaScript knows it as well.
const _: () = assert!(Table::UNITS == 32);
