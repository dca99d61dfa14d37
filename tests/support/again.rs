//! The test binary once more, as another process that runs one test with a job to do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const JOB: &str = "COMPACTION_GOVERNOR_JOB";

/// What the parent asks of this process; nothing where this is the parent.
pub(crate) fn job() -> Option<OsString> {
    std::env::var_os(JOB)
}

/// A process of `binary` that runs the test called `name` with this job.
pub(crate) fn child(binary: &Path, name: &str, job: &Path) -> Command {
    let mut child = Command::new(binary);
    child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(JOB, job).env_remove("PROMISES");
    child.stdin(Stdio::null()).stderr(Stdio::inherit());
    child
}

/// This test binary.
pub(crate) fn binary() -> PathBuf {
    std::env::current_exe().expect("a running test has a binary")
}
