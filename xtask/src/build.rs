//! From Rust to what is shipped: WASM, its glue, the npm package, the page.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::project::{Project, Wasm};
use crate::sh::{self, say};
use crate::stamp::Stamp;
use crate::standard_library::StandardLibrary;
use crate::{npm, tools};

/// Everything: WASM, package, page.
pub(crate) fn all(project: &Project) -> Result<()> {
    package(project)?;
    page(project)
}

/// The WASM and the npm package in `pkg/dist`.
pub(crate) fn package(project: &Project) -> Result<()> {
    wasm(project)?;
    let stamp = Stamp::new(project, "package", String::new())?
        .reads(project.root.join("pkg"))
        .reads(project.root.join("package-lock.json"))
        .writes(project.root.join("pkg/dist"));
    script_if_stale(project, "pkg", "building the npm package", &stamp)?;
    if !project.wasm_file().is_file() {
        bail!(
            "the build script of pkg removed {}: it must leave that folder alone",
            project.settings.wasm.out.display()
        );
    }
    Ok(())
}

/// The page in `www/dist`; needs the package.
fn page(project: &Project) -> Result<()> {
    let stamp = Stamp::new(project, "page", String::new())?
        .reads(project.root.join("www"))
        .reads(project.root.join("pkg/dist"))
        .reads(project.root.join("package-lock.json"))
        .writes(project.root.join("www/dist"));
    script_if_stale(project, "www", "building the page", &stamp)
}

/// The optimised WASM and its glue in the folder that `wasm-pack.toml` names.
pub(crate) fn wasm(project: &Project) -> Result<()> {
    npm::install(project)?;
    tools::wasm_target(project)?;
    let std = StandardLibrary::choose(project);
    let compiled = compile(project, &std)?;
    let settings = &project.settings;
    let flags = [&settings.bindgen.args[..], &settings.opt.args].concat().join(" ");
    let stamp = Stamp::new(project, "wasm", format!("{flags} {}", project.wasm_bindgen))?
        .reads(compiled.clone())
        .reads(project.root.join("package-lock.json"))
        .writes(project.wasm_file())
        .writes(project.glue_file());
    if stamp.is_fresh() {
        return Ok(());
    }
    bind(project, &compiled)?;
    optimise(project)?;
    refuse_machine_paths(project)?;
    stamp.keep()
}

fn compile(project: &Project, std: &StandardLibrary) -> Result<PathBuf> {
    std.announce();
    let Wasm { target, features, name, .. } = &project.settings.wasm;
    // A folder of its own: the flags are others than those of the tests, and each would throw out the other's work.
    let folder = project.scratch("wasm")?;
    let mut cargo = sh::cargo();
    cargo.args(["build", "--release", "--locked", "--lib", "--package", "compaction-governor", "--target", target]);
    cargo.arg("--features").arg(features.join(",")).arg("--target-dir").arg(&folder);
    let mut rustflags = remapped(project)?;
    std.prepare(project, &mut cargo, &mut rustflags);
    // The encoded form wins over RUSTFLAGS and survives blanks in paths.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rustflags.join("\u{1f}")).current_dir(&project.root);
    sh::run(&mut cargo)?;
    Ok(folder.join(target).join("release").join(format!("{name}.wasm")))
}

/// Panic messages carry source paths; these flags make them the same on every machine.
fn remapped(project: &Project) -> Result<Vec<String>> {
    let folders = machine_folders(project)?;
    Ok(folders.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect())
}

/// Folders a compiler may name, and what they are called instead. Of several that match, rustc takes the last, so the
/// wide ones come first.
fn machine_folders(project: &Project) -> Result<Vec<(PathBuf, &'static str)>> {
    let home = env::var_os("HOME").map(PathBuf::from).context("HOME is not set")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let sysroot = PathBuf::from(sh::quiet(Command::new("rustc").args(["--print", "sysroot"]))?.trim());
    let registries = fs::read_dir(cargo.join("registry/src")).into_iter().flatten().flatten();
    let registries: Vec<_> = registries.map(|entry| (entry.path(), "crates")).collect();
    let mut folders = vec![(home, "home"), (sysroot, "rust"), (cargo, "cargo")];
    folders.extend(registries);
    folders.push((project.root.clone(), "compaction-governor"));
    Ok(folders)
}

fn bind(project: &Project, compiled: &Path) -> Result<()> {
    let tool = tools::wasm_bindgen(project)?;
    say(format!("binding it with wasm-bindgen {}", project.wasm_bindgen));
    let mut bindgen = Command::new(tool);
    bindgen.args(&project.settings.bindgen.args).arg("--out-name").arg(&project.settings.wasm.name);
    sh::run(bindgen.arg("--out-dir").arg(project.wasm_dir()).arg(compiled))
}

fn optimise(project: &Project) -> Result<()> {
    let flags = &project.settings.opt.args;
    say(format!("optimising it with wasm-opt {}", flags.join(" ")));
    let wasm = project.wasm_file();
    sh::run(Command::new(npm::bin(project, "wasm-opt")).args(flags).arg(&wasm).arg("-o").arg(&wasm))
}

fn refuse_machine_paths(project: &Project) -> Result<()> {
    let wasm = project.wasm_file();
    let bytes = fs::read(&wasm).with_context(|| format!("{} was not written", wasm.display()))?;
    if let Some((folder, _)) = machine_folders(project)?.iter().find(|(folder, _)| names_folder(&bytes, folder)) {
        bail!("{} names {}: a path escaped --remap-path-prefix", wasm.display(), folder.display());
    }
    Ok(())
}

fn names_folder(bytes: &[u8], folder: &Path) -> bool {
    let mut needle = folder.as_os_str().as_encoded_bytes().to_vec();
    needle.push(b'/');
    needle.len() > 2 && bytes.windows(needle.len()).any(|window| window == needle)
}

fn script_if_stale(project: &Project, workspace: &str, what: &str, stamp: &Stamp) -> Result<()> {
    if stamp.is_fresh() {
        return Ok(());
    }
    say(what);
    sh::run(&mut npm::script(project, workspace, "build"))?;
    stamp.keep()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_folder_inside_the_wasm_is_found_and_a_longer_name_is_not() {
        let home = Path::new("/home/someone");
        assert!(names_folder(b"\0asm panicked at /home/someone/x.rs", home));
        assert!(!names_folder(b"\0asm panicked at /home/someone-else/x.rs", home));
    }
}
