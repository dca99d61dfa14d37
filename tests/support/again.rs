//! The test binary once more, as another process that runs one test with a job to do.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::Folder;

const JOB: &str = "COMPACTION_GOVERNOR_JOB";

/// What the parent asks of this process; nothing where this is the parent.
pub(crate) fn job() -> Option<OsString> {
    std::env::var_os(JOB)
}

/// A process that runs the test called `name` with this job. It runs a copy of the binary, which any user can read.
pub(crate) fn child(folder: &Folder, name: &str, job: &Path) -> Command {
    let binary = folder.path().join("test");
    if !binary.exists() {
        std::fs::copy(std::env::current_exe().expect("a running test has a binary"), &binary).expect("room for a copy");
    }
    let mut child = Command::new(binary);
    child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(JOB, job).env_remove("PROMISES");
    child.stdin(Stdio::null()).stderr(Stdio::inherit());
    child
}
