//! Which standard library the shipped WASM is built on: one compiled from source for size, or the toolchain's own.
//!
//! Compiling it needs flags that a stable toolchain only takes under `RUSTC_BOOTSTRAP=1`, for that one call. They may
//! change without notice, so they are tried before they are used, on nothing. A toolchain that does not know them, or a
//! machine that cannot get the source, builds on the toolchain's own: everything works and is tested the same, but such
//! a module is not what is shipped, and the size gate refuses to weigh it.

use std::process::Command;

use anyhow::{Error, Result, bail};

use crate::project::{Project, Rebuilt};
use crate::sh::{self, say};
use crate::tools;

/// What the WASM is built on.
pub(crate) enum StandardLibrary {
    /// Compiled from source with the flags in `wasm-pack.toml`.
    Rebuilt,
    /// As the toolchain brings it, and why not otherwise.
    ReadyMade(Error),
}

impl StandardLibrary {
    /// Rebuilt where that can be done.
    pub(crate) fn choose(project: &Project) -> Self {
        match tools::std_source().and_then(|()| try_flags(project)) {
            Ok(()) => Self::Rebuilt,
            Err(why) => Self::ReadyMade(why),
        }
    }

    /// Says what is about to be compiled.
    pub(crate) fn announce(&self) {
        match self {
            Self::Rebuilt => say("compiling the WASM, on a standard library built for size"),
            Self::ReadyMade(why) => say(format!("compiling the WASM on the toolchain's own standard library: {why:#}")),
        }
    }

    /// Adds what this choice asks of the build.
    pub(crate) fn prepare(&self, project: &Project, cargo: &mut Command, rustflags: &mut Vec<String>) {
        if let Self::Rebuilt = self {
            let std = &project.settings.wasm.std;
            rustflags.extend_from_slice(&std.rustflags);
            cargo.args(flags(std)).env(PERMIT, "1");
        }
    }

    /// An error unless the module is what is shipped.
    pub(crate) fn require_rebuilt(self) -> Result<()> {
        match self {
            Self::Rebuilt => Ok(()),
            Self::ReadyMade(why) => Err(why.context("this is not the WASM that is shipped, so its size says nothing")),
        }
    }
}

/// Both programs are asked something that needs no work, with the flags in place.
fn try_flags(project: &Project) -> Result<()> {
    let std = &project.settings.wasm.std;
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "cfg", "--target", &project.settings.wasm.target]).args(&std.rustflags);
    let mut cargo = sh::cargo();
    cargo.args(flags(std)).args(["locate-project", "--quiet"]).current_dir(&project.root);
    for command in [&mut rustc, &mut cargo] {
        if sh::quiet(command.env(PERMIT, "1")).is_err() {
            bail!("this toolchain does not take the flags in [wasm.std] of wasm-pack.toml");
        }
    }
    Ok(())
}

fn flags(std: &Rebuilt) -> [String; 2] {
    [format!("-Zbuild-std={}", std.crates.join(",")), format!("-Zbuild-std-features={}", std.features.join(","))]
}

/// Lets a stable toolchain take unstable flags.
const PERMIT: &str = "RUSTC_BOOTSTRAP";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_the_toolchain_does_not_know_is_found_out_before_anything_is_compiled() {
        let mut project = Project::open().unwrap();
        assert!(try_flags(&project).is_ok());
        project.settings.wasm.std.rustflags = vec!["-Cpanic=in-the-streets".to_owned()];
        let refusal = try_flags(&project).unwrap_err().to_string();
        assert!(refusal.contains("[wasm.std]"), "{refusal}");
    }

    #[test]
    fn a_module_on_the_ready_made_library_is_never_weighed_and_says_why() {
        let ready_made = StandardLibrary::ReadyMade(Error::msg("no network"));
        let refusal = format!("{:#}", ready_made.require_rebuilt().unwrap_err());
        assert_eq!(refusal, "this is not the WASM that is shipped, so its size says nothing: no network");
        assert!(StandardLibrary::Rebuilt.require_rebuilt().is_ok());
    }
}
