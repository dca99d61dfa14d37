//! What a test saw the SQLite store keep, for the table of promises.

use std::fs::OpenOptions;
use std::io::Write;

/// One look at a promise; it counts as broken unless [`Seen::kept`] is reached.
#[derive(Debug)]
pub(crate) struct Seen {
    promise: &'static str,
    kept: u64,
    of: u64,
}

impl Seen {
    pub(crate) fn of(promise: &'static str) -> Self {
        Self { promise, kept: 0, of: 1 }
    }

    pub(crate) fn kept(mut self) {
        self.kept = self.of;
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        let Some(path) = std::env::var_os("PROMISES") else { return };
        let (promise, kept, of) = (self.promise, self.kept, self.of);
        let line = format!(
            "{{\"store\":\"sqlite\",\"place\":\"native\",\"promise\":\"{promise}\",\"kept\":{kept},\"of\":{of}}}\n"
        );
        let mut file = OpenOptions::new().append(true).create(true).open(path).expect("the file of promises opens");
        // One write: tests run beside each other.
        file.write_all(line.as_bytes()).expect("the file of promises can be written");
    }
}
