//! What a test saw a store keep, for the table of promises: one line of JSON each, in the file that PROMISES names.

use std::fs::OpenOptions;
use std::io::Write;

/// `store` kept `promise` in `place` `kept` times out of `of`. Call it with what was counted, before asserting.
pub(crate) fn seen(store: &str, place: &str, promise: &str, kept: u64, of: u64) {
    let Some(path) = std::env::var_os("PROMISES") else { return };
    let line = format!(
        "{{\"store\":\"{store}\",\"place\":\"{place}\",\"promise\":\"{promise}\",\"kept\":{kept},\"of\":{of}}}\n"
    );
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the file that PROMISES names can be written");
}
