//! Counting tests from what their runners print.

use std::fmt;
use std::ops::AddAssign;

/// How many tests passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// Sums the `test result:` lines of libtest, doc tests and wasm-bindgen-test.
    pub(crate) fn of_rust(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines() {
            let Some(result) = line.trim_start().strip_prefix("test result: ") else { continue };
            let count = |what: &str| number_before(result, what);
            sum += Self { passed: count(" passed"), failed: count(" failed"), skipped: count(" ignored") };
        }
        sum
    }

    /// Sums the summaries of `node --test`, in its readable (`ℹ pass 3`) and its TAP form (`# pass 3`).
    pub(crate) fn of_node(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines() {
            let line = plain(line);
            let Some((name, count)) =
                line.strip_prefix("ℹ ").or(line.strip_prefix("# ")).and_then(|rest| rest.split_once(' '))
            else {
                continue;
            };
            let Ok(count) = count.trim().parse::<u64>() else { continue };
            match name {
                "pass" => sum.passed += count,
                "fail" | "cancelled" => sum.failed += count,
                "skipped" | "todo" => sum.skipped += count,
                _ => {}
            }
        }
        sum
    }

    /// All tests that the runner knew of.
    pub(crate) fn total(self) -> u64 {
        self.passed + self.failed + self.skipped
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

fn number_before(text: &str, what: &str) -> u64 {
    let before = text.split_once(what).map_or("", |(before, _)| before);
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// The line without colour codes.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + part.split_once('m').map_or("", |(_, text)| text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64, skipped: u64) -> Tally {
        Tally { passed, failed, skipped }
    }

    #[test]
    fn libtest_lines_are_summed_over_binaries_and_doc_tests() {
        let output = "\
running 3 tests
test one ... ok
test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s
   Doc-tests compaction_governor
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
";
        assert_eq!(Tally::of_rust(output), tally(15, 2, 1));
    }

    #[test]
    fn the_wasm_runner_counts_like_libtest() {
        let output = "Running headless tests in Firefox on `http://127.0.0.1:1/`\n\
            test wasm_core::same ... ok\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; finished in 0.00s\n";
        assert_eq!(Tally::of_rust(output), tally(2, 0, 1));
    }

    #[test]
    fn both_summaries_of_node_are_summed_and_a_cancelled_test_failed() {
        let readable = "✔ saves (1ms)\nℹ tests 9\nℹ suites 1\nℹ pass 5\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 5\n";
        let tap = "# Subtest: pass\n# tests 2\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n";
        assert_eq!(Tally::of_node(readable), tally(5, 2, 2));
        assert_eq!(Tally::of_node(&format!("{readable}{tap}")), tally(7, 2, 2));
        assert_eq!(Tally::of_node("\u{1b}[34mℹ pass 4\u{1b}[39m\n"), tally(4, 0, 0));
    }

    #[test]
    fn output_without_a_summary_counts_nothing() {
        assert_eq!(Tally::of_rust("test says 3 passed ... ok\nthe test result: fine, 3 passed\n").total(), 0);
        assert_eq!(Tally::of_node("# pass the salt\nError: boom\n").total(), 0);
    }

    #[test]
    fn a_tally_is_shown_as_the_last_line_wants_it() {
        assert_eq!(tally(3, 0, 1).to_string(), "3 passed, 0 failed, 1 skipped");
    }
}
