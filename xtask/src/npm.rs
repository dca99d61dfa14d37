//! The JavaScript side's tools: installed from the lockfile, called from `node_modules`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::project::Project;
use crate::promises;
use crate::sh::{self, Unavailable, say};
use crate::stamp::Stamp;

/// Installs what the lockfile names, unless that was done already.
pub(crate) fn install(project: &Project) -> Result<()> {
    let stamp =
        Stamp::new(project, "npm", node_version()?)?.writes(project.root.join("node_modules/.package-lock.json"));
    let stamp = MANIFESTS.iter().fold(stamp, |stamp, name| stamp.reads(project.root.join(name)));
    if stamp.is_fresh() {
        return Ok(());
    }
    say("installing the npm packages of package-lock.json");
    sh::run(npm(project).args(["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"])).map_err(
        |_| {
            Unavailable(
                "npm ci failed: is the network there, and does package-lock.json fit the package.json files?"
                    .to_owned(),
            )
        },
    )?;
    stamp.keep()
}

/// What `node --version` says; an error when it is missing or too old.
pub(crate) fn node_version() -> Result<String> {
    let told = sh::quiet(Command::new("node").arg("--version"))?;
    if release(&told).is_none_or(|(major, _)| major < OLDEST_NODE) {
        let told = format!("Node.js {OLDEST_NODE} or newer is needed, `node --version` says {}", told.trim());
        return Err(Unavailable(told).into());
    }
    Ok(told)
}

/// `npm`, in the project's root.
pub(crate) fn npm(project: &Project) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(&project.root);
    npm
}

/// Runs a script of a workspace; what it prints is shown.
pub(crate) fn script(project: &Project, workspace: &str, name: &str) -> Command {
    let mut npm = npm(project);
    npm.args(["run", "--silent", "--workspace", workspace, name]);
    npm
}

/// A program that a package brought.
pub(crate) fn bin(project: &Project, name: &str) -> PathBuf {
    project.root.join("node_modules/.bin").join(name)
}

/// `node --test`, in the project's root: one file at a time, because browsers that share two cores time out beside each
/// other, and with an end for a test that hangs.
pub(crate) fn node_test(project: &Project) -> Result<Command> {
    let mut node = Command::new("node");
    node.current_dir(&project.root).args(["--test", "--test-reporter=spec"]);
    node.env("PROMISES", promises::file(project)?);
    if release(&node_version()?).is_some_and(|release| release >= FIRST_WITH_LIMITS) {
        node.args(["--test-concurrency=1", "--test-timeout=300000"]);
    }
    Ok(node)
}

/// Major and minor version.
fn release(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim().strip_prefix('v')?.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

const OLDEST_NODE: u32 = 20;
/// Where `node --test` learned both options.
const FIRST_WITH_LIMITS: (u32, u32) = (20, 11);
const MANIFESTS: [&str; 4] = ["package-lock.json", "package.json", "pkg/package.json", "www/package.json"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_what_node_says() {
        assert_eq!(release("v20.9.2\n"), Some((20, 9)));
        assert_eq!(release("command not found"), None);
    }
}
