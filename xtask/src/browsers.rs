//! Finding Chromium, Firefox and WebKitGTK with their drivers. On Debian, as root, what is missing is installed by apt-get.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use crate::project::Project;
use crate::sh::{self, Unavailable, say};
use crate::tools;

/// A browser engine the tests run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
    /// The engine of Safari, as Debian packages it; it needs a screen, which Xvfb stands in for.
    WebKitGtk,
}

impl Engine {
    /// The name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
            Self::WebKitGtk => "WebKitGTK",
        }
    }

    fn binary(self) -> Wanted {
        match self {
            Self::Chromium => Wanted {
                what: "Chromium",
                variable: "CHROMIUM",
                names: &["chromium", "chromium-browser", "google-chrome"],
                debian: "chromium",
            },
            Self::Firefox => Wanted {
                what: "Firefox",
                variable: "FIREFOX",
                names: &["firefox-esr", "firefox"],
                debian: "firefox-esr",
            },
            Self::WebKitGtk => Wanted {
                what: "WebKitGTK's MiniBrowser",
                variable: "MINIBROWSER",
                names: &MINIBROWSERS,
                debian: "webkit2gtk-driver",
            },
        }
    }
}

/// The browser's program.
pub(crate) fn binary(engine: Engine) -> Result<PathBuf> {
    engine.binary().find()
}

/// The settings that make the test runner drive this browser.
pub(crate) fn webdriver(project: &Project, engine: Engine) -> Result<Vec<(&'static str, OsString)>> {
    let binary = binary(engine)?;
    let (driver, path, options) = match engine {
        Engine::Chromium => {
            let options = json!({ "goog:chromeOptions": { "binary": binary, "args": chromium_flags(sh::is_root()) } });
            ("CHROMEDRIVER", CHROMEDRIVER.find()?, options)
        }
        Engine::Firefox => {
            let own = env::var_os("GECKODRIVER").map(PathBuf::from).or_else(|| sh::which("geckodriver"));
            let path = own.map_or_else(|| tools::geckodriver(project), Ok)?;
            ("GECKODRIVER", path, json!({ "moz:firefoxOptions": { "binary": binary } }))
        }
        Engine::WebKitGtk => {
            // The runner knows no driver of this name; the one of Safari is started by the same argument.
            let options = json!({ "webkitgtk:browserOptions": { "binary": binary, "args": ["--automation"] } });
            ("SAFARIDRIVER", WEBKIT_DRIVER.find()?, options)
        }
    };
    let file = project.scratch("webdriver")?.join(format!("{}.json", engine.name()));
    fs::write(&file, options.to_string())?;
    Ok(vec![(driver, path.into()), ("WASM_BINDGEN_TEST_WEBDRIVER_JSON", file.into())])
}

/// What a runner is started through where its browser needs a screen.
pub(crate) fn screen(engine: Engine) -> Result<Option<PathBuf>> {
    if engine == Engine::WebKitGtk { XVFB_RUN.find().map(Some) } else { Ok(None) }
}

/// Quiet, without a network of its own; the sandbox of Chromium does not start for root.
fn chromium_flags(root: bool) -> Vec<&'static str> {
    let mut flags = vec![
        "disable-gpu",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
    ];
    flags.extend(root.then_some("no-sandbox"));
    flags
}

const CHROMEDRIVER: Wanted =
    Wanted { what: "chromedriver", variable: "CHROMEDRIVER", names: &["chromedriver"], debian: "chromium-driver" };

const WEBKIT_DRIVER: Wanted = Wanted {
    what: "WebKitWebDriver",
    variable: "WEBKITWEBDRIVER",
    names: &["WebKitWebDriver"],
    debian: "webkit2gtk-driver",
};
const XVFB_RUN: Wanted = Wanted { what: "xvfb-run", variable: "XVFB_RUN", names: &["xvfb-run"], debian: "xvfb xauth" };
/// Where Debian keeps it, which is not on the PATH.
const MINIBROWSERS: [&str; 3] = [
    "MiniBrowser",
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
];

/// A program, the variable that overrides the search for it, and the Debian packages that bring it.
pub(crate) struct Wanted {
    pub(crate) what: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) names: &'static [&'static str],
    pub(crate) debian: &'static str,
}

impl Wanted {
    pub(crate) fn find(&self) -> Result<PathBuf> {
        if let Some(given) = env::var_os(self.variable) {
            let given = PathBuf::from(given);
            let told = format!("{} names {}, which is no file", self.variable, given.display());
            return if given.is_file() { Ok(given) } else { Err(Unavailable(told).into()) };
        }
        if let Some(found) = self.on_path() {
            return Ok(found);
        }
        if Path::new("/etc/debian_version").exists() && sh::is_root() {
            apt_get(self.debian);
        }
        self.on_path().ok_or_else(|| self.absent().into())
    }

    fn absent(&self) -> Unavailable {
        let Self { what, variable, debian, .. } = self;
        Unavailable(format!(
            "{what} is not on the PATH: install it (Debian: apt-get install {debian}) or set {variable}"
        ))
    }

    fn on_path(&self) -> Option<PathBuf> {
        self.names.iter().find_map(|name| sh::which(name))
    }
}

/// Tries; whether it helped is seen by looking again.
fn apt_get(packages: &str) {
    say(format!("installing {packages} by apt-get (root on Debian)"));
    let mut install = vec!["install", "-y", "-q", "--no-install-recommends"];
    install.extend(packages.split(' '));
    for arguments in [&["update", "-q"][..], &install] {
        if let Err(error) = sh::quiet(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
        {
            say(format!("{error:#}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_given_up_for_root_alone() {
        assert!(chromium_flags(true).contains(&"no-sandbox"));
        assert!(!chromium_flags(false).contains(&"no-sandbox"));
    }

    #[test]
    fn a_missing_browser_is_named_with_its_package_and_its_variable() {
        let wanted = Wanted { what: "Chromium", variable: "CHROMIUM", names: &["no-such-browser"], debian: "chromium" };
        assert_eq!(wanted.on_path(), None);
        let told = wanted.absent().to_string();
        assert_eq!(told, "Chromium is not on the PATH: install it (Debian: apt-get install chromium) or set CHROMIUM");
    }
}
