//! `cargo test` on this machine, doc tests included.

use anyhow::Result;

use super::Part;
use crate::project::Project;
use crate::promises;
use crate::sh;
use crate::tally::Tally;

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let mut cargo = sh::cargo();
    // Later binaries run although an earlier one failed: the sum is meant to be true.
    cargo.args(["test", "--workspace", "--all-features", "--locked", "--no-fail-fast"]).current_dir(&project.root);
    cargo.env("PROMISES", promises::file(project)?);
    Ok(vec![Part::of("cargo test", &sh::listen(&mut cargo)?, Tally::of_rust)])
}
