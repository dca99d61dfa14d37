//! Tools that are compiled once per version and kept in the user's cache folder, the WASM target and the source of std.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::project::Project;
use crate::sh::{self, Unavailable, say};

/// The `wasm-bindgen` that fits `Cargo.lock`.
pub(crate) fn wasm_bindgen(project: &Project) -> Result<PathBuf> {
    let tool = installed("wasm-bindgen-cli", &project.wasm_bindgen, "wasm-bindgen")?;
    let told = sh::quiet(Command::new(&tool).arg("--version"))?;
    if !told.split_whitespace().any(|word| word == project.wasm_bindgen) {
        bail!("the cached wasm-bindgen says `{}`, Cargo.lock wants {}", told.trim(), project.wasm_bindgen);
    }
    Ok(tool)
}

/// The runner of `#[wasm_bindgen_test]`, from the same package.
pub(crate) fn wasm_test_runner(project: &Project) -> Result<PathBuf> {
    installed("wasm-bindgen-cli", &project.wasm_bindgen, "wasm-bindgen-test-runner")
}

/// The WebDriver for Firefox.
pub(crate) fn geckodriver(project: &Project) -> Result<PathBuf> {
    installed("geckodriver", &project.settings.tools.geckodriver, "geckodriver")
}

/// The checker of licences, bans and sources.
pub(crate) fn cargo_deny(project: &Project) -> Result<PathBuf> {
    installed("cargo-deny", &project.settings.tools.cargo_deny, "cargo-deny")
}

/// Adds the WASM target to the toolchain unless it is there.
pub(crate) fn wasm_target(project: &Project) -> Result<()> {
    let target = &project.settings.wasm.target;
    let folder = sh::quiet(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    say(format!("adding the Rust target {target}"));
    sh::run(Command::new("rustup").args(["target", "add", target]))
        .map_err(|_| Unavailable(format!("the Rust target {target} could not be added: is the network there?")))?;
    Ok(())
}

/// Adds the source of the standard library to the toolchain unless it is there.
pub(crate) fn std_source() -> Result<()> {
    let sysroot = sh::quiet(Command::new("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/Cargo.lock").is_file() {
        return Ok(());
    }
    say("adding the source of Rust's standard library");
    sh::run(Command::new("rustup").args(["component", "add", "rust-src"]))
        .map_err(|_| Unavailable("the Rust component rust-src could not be added: is the network there?".to_owned()))?;
    Ok(())
}

fn installed(package: &str, version: &str, tool: &str) -> Result<PathBuf> {
    let root = cache()?.join(format!("{package}-{version}"));
    let path = root.join("bin").join(tool);
    if path.is_file() {
        return Ok(path);
    }
    say(format!("compiling {package} {version} once, into {} (a few minutes)", root.display()));
    let mut install = sh::cargo();
    install.args(["install", package, "--version", version, "--root"]).arg(&root);
    // A shared target folder would keep the tool's own build artefacts for ever.
    install.env_remove("CARGO_TARGET_DIR");
    sh::run(&mut install)
        .map_err(|_| Unavailable(format!("{package} {version} could not be installed: is the network there?")))?;
    Ok(path)
}

/// Where tools are kept between checkouts.
pub(crate) fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|given| !given.is_empty()) {
        Some(given) => PathBuf::from(given),
        None => PathBuf::from(env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?).join(".cache"),
    };
    Ok(base.join("compaction-governor"))
}
