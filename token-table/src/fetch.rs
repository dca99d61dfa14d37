//! Packages, fetched once by npm into the user's cache folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::sources::Source;

/// The folder of `source`, unpacked.
///
/// # Errors
/// When npm cannot fetch it, which without a network is no fault of the table, or when it is not what was pinned.
pub fn folder(source: &Source) -> Result<PathBuf> {
    let name = source.package.trim_start_matches('@').replace(['/', '@'], "-");
    let cache = cache()?;
    let folder = cache.join(&name);
    if !folder.join(DONE).is_file() {
        fetch(source, &cache, &folder).with_context(|| source.package.to_owned())?;
    }
    Ok(folder)
}

fn fetch(source: &Source, cache: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let packed = run(Command::new("npm").args(["pack", "--silent", source.package]).current_dir(cache))?;
    let archive = cache.join(packed.trim().lines().last().context("npm named no archive")?);
    run(Command::new("tar").arg("-xzf").arg(&archive).args(["--strip-components", "1", "-C"]).arg(folder))?;
    fs::remove_file(&archive)?;
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("package.json"))?)?;
    if manifest["license"] != source.licence {
        bail!("states the licence {}, not {}", manifest["license"], source.licence);
    }
    fs::write(folder.join(DONE), "")?;
    Ok(())
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().context("it could not be started")?;
    if !output.status.success() {
        bail!("{:?} failed: is the network there?", command.get_program());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|given| !given.is_empty()) {
        Some(given) => PathBuf::from(given),
        None => PathBuf::from(env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?).join(".cache"),
    };
    let folder = base.join("compaction-governor").join("texts");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Written last: a folder without it was not fetched to its end.
const DONE: &str = ".fetched";
