//! Where things are, and what `wasm-pack.toml` and `Cargo.lock` say about them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// One checkout and its settings.
pub(crate) struct Project {
    /// The folder that holds the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// What `wasm-pack.toml` says.
    pub(crate) settings: Settings,
    /// The version of wasm-bindgen in `Cargo.lock`; the CLI's must be the same.
    pub(crate) wasm_bindgen: String,
}

/// The content of `wasm-pack.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) wasm: Wasm,
    pub(crate) bindgen: Arguments,
    pub(crate) opt: Arguments,
    pub(crate) suite: Suite,
    pub(crate) size: Limit,
    pub(crate) tools: Versions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wasm {
    pub(crate) target: String,
    pub(crate) name: String,
    pub(crate) out: PathBuf,
    pub(crate) features: Vec<String>,
    pub(crate) std: Rebuilt,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rebuilt {
    pub(crate) crates: Vec<String>,
    pub(crate) features: Vec<String>,
    pub(crate) rustflags: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) args: Vec<String>,
}

/// The WASM of the conformance suite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) features: Vec<String>,
    pub(crate) bindgen: Vec<String>,
    pub(crate) opt: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    pub(crate) gzip_limit_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Versions {
    pub(crate) geckodriver: String,
    pub(crate) cargo_deny: String,
}

impl Project {
    /// Finds the checkout this xtask was compiled in and reads its settings.
    pub(crate) fn open() -> Result<Self> {
        let own = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = own.parent().context("xtask lies in no workspace")?.to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |given| root.join(given));
        let settings = fs::read_to_string(root.join("wasm-pack.toml")).context("wasm-pack.toml cannot be read")?;
        let settings = toml::from_str(&settings).context("wasm-pack.toml is not as xtask expects it")?;
        let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
        let wasm_bindgen = locked_version(&lock, "wasm-bindgen").context("Cargo.lock names no wasm-bindgen")?;
        Ok(Self { root, target, settings, wasm_bindgen })
    }

    /// A folder for what xtask makes for itself, inside the target folder.
    pub(crate) fn scratch(&self, name: &str) -> Result<PathBuf> {
        let path = self.target.join("xtask").join(name);
        fs::create_dir_all(&path).with_context(|| format!("{} cannot be created", path.display()))?;
        Ok(path)
    }

    /// The folder that holds the WASM and its glue.
    pub(crate) fn wasm_dir(&self) -> PathBuf {
        self.root.join(&self.settings.wasm.out)
    }

    /// The finished WASM.
    pub(crate) fn wasm_file(&self) -> PathBuf {
        self.wasm_dir().join(format!("{}_bg.wasm", self.settings.wasm.name))
    }

    /// The JavaScript that wasm-bindgen wrote beside it.
    pub(crate) fn glue_file(&self) -> PathBuf {
        self.wasm_dir().join(format!("{}.js", self.settings.wasm.name))
    }

    /// The files of `folder` whose name matches, sorted, as paths relative to the root.
    pub(crate) fn files(&self, folder: &str, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<_> = names.filter(|name| wanted(name)).map(|name| Path::new(folder).join(name)).collect();
        found.sort();
        found
    }
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let after_name = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?.1;
    Some(after_name.split_once('"')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_version_is_that_of_the_named_package_and_no_longer_name() {
        let lock =
            "name = \"wasm-bindgen-test\"\nversion = \"0.3.80\"\n\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(lock, "bindgen"), None);
    }
}
