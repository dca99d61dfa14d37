//! What a record holds in one engine must read the same in another: ids are the same numbers in WASM and natively.

use compaction_governor::id::{AttemptId, ModelId, OwnerId};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_model_and_an_attempt_have_the_same_id_in_every_engine() {
    assert_eq!(format!("{:016x}", ModelId::of("a model").0), "c0b88d47a1993541");
    assert_eq!(AttemptId::derive(OwnerId(7), 1).to_string(), "24f201c228c46f2c");
}
