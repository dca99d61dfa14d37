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
use crate::{arrange, npm, tools};

/// Everything: WASM, package, page.
pub(crate) fn all(project: &Project) -> Result<()> {
    package(project)?;
    page(project)
}

/// The WASM and the npm package in `pkg/dist`.
pub(crate) fn package(project: &Project) -> Result<()> {
    wasm(project)?;
    suite(project)?;
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
    std.announce();
    let settings = &project.settings;
    let compiled =
        compile(project, "wasm", &settings.wasm.features, |cargo, flags| std.prepare(project, cargo, flags))?;
    finish(project, &settings.wasm.name, &compiled, &settings.bindgen.args, &settings.opt.args)
}

/// The WASM with other cargo features than the shipped one, and its glue, in a folder of their own: to be weighed.
pub(crate) fn variant(project: &Project, features: &[String]) -> Result<[PathBuf; 2]> {
    let settings = &project.settings;
    let std = StandardLibrary::choose(project);
    let compiled = compile(project, "wasm", features, |cargo, flags| std.prepare(project, cargo, flags))?;
    let (out, name) = (project.scratch("variant")?, &settings.wasm.name);
    bind(project, name, &compiled, &settings.bindgen.args, &out)?;
    let wasm = out.join(format!("{name}_bg.wasm"));
    optimise(project, &wasm, &settings.opt.args)?;
    Ok([wasm, out.join(format!("{name}.js"))])
}

/// The WASM of the conformance suite and its glue, beside the one that is shipped to pages. On the toolchain's own standard
/// library: what a clause says when it breaks is a panic's message, and nobody loads it to chat.
fn suite(project: &Project) -> Result<()> {
    let suite = &project.settings.suite;
    say("compiling the WASM of the conformance suite");
    let compiled = compile(project, &suite.name, &suite.features, |_, _| {})?;
    finish(project, &suite.name, &compiled, &suite.bindgen, &suite.opt)
}

fn compile(
    project: &Project,
    folder: &str,
    features: &[String],
    prepare: impl FnOnce(&mut Command, &mut Vec<String>),
) -> Result<PathBuf> {
    let Wasm { target, name, .. } = &project.settings.wasm;
    // A folder of its own: the flags are others than those of the tests, and each would throw out the other's work.
    let folder = project.scratch(folder)?;
    let mut cargo = sh::cargo();
    cargo.args(["build", "--release", "--locked", "--lib", "--package", "compaction-governor", "--target", target]);
    cargo.arg("--features").arg(features.join(",")).arg("--target-dir").arg(&folder);
    let mut rustflags = remapped(project)?;
    prepare(&mut cargo, &mut rustflags);
    // The encoded form wins over RUSTFLAGS and survives blanks in paths.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rustflags.join("\u{1f}")).current_dir(&project.root);
    sh::run(&mut cargo)?;
    Ok(folder.join(target).join("release").join(format!("{name}.wasm")))
}

/// From what rustc made to what is bundled, unless that is there.
fn finish(project: &Project, name: &str, compiled: &Path, bindgen: &[String], opt: &[String]) -> Result<()> {
    let wasm = project.wasm_dir().join(format!("{name}_bg.wasm"));
    let flags = [bindgen, opt].concat().join(" ");
    let stamp = Stamp::new(project, &format!("wasm-{name}"), format!("{flags} {}", project.wasm_bindgen))?
        .reads(compiled.to_path_buf())
        .reads(project.root.join("package-lock.json"))
        .writes(wasm.clone())
        .writes(project.wasm_dir().join(format!("{name}.js")));
    if stamp.is_fresh() {
        return Ok(());
    }
    bind(project, name, compiled, bindgen, &project.wasm_dir())?;
    optimise(project, &wasm, opt)?;
    arrange(project, &wasm)?;
    refuse_machine_paths(project, &wasm)?;
    stamp.keep()
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

fn bind(project: &Project, name: &str, compiled: &Path, flags: &[String], out: &Path) -> Result<()> {
    let tool = tools::wasm_bindgen(project)?;
    say(format!("binding it with wasm-bindgen {}", project.wasm_bindgen));
    let mut bindgen = Command::new(tool);
    bindgen.args(flags).arg("--out-name").arg(name);
    sh::run(bindgen.arg("--out-dir").arg(out).arg(compiled))
}

fn optimise(project: &Project, wasm: &Path, flags: &[String]) -> Result<()> {
    say(format!("optimising it with wasm-opt {}", flags.join(" ")));
    wasm_opt(project, flags, wasm, wasm)
}

/// Alike functions side by side; what the names and the list of features were good for is over then.
fn arrange(project: &Project, wasm: &Path) -> Result<()> {
    let named = project.scratch("arranged")?.join("named.wasm");
    arrange::name_by_place(wasm, &named)?;
    let flags = ["--reorder-functions-by-name", "--strip-debug", "--strip-target-features"].map(str::to_owned);
    wasm_opt(project, &flags, &named, wasm)
}

fn wasm_opt(project: &Project, flags: &[String], from: &Path, to: &Path) -> Result<()> {
    sh::run(Command::new(npm::bin(project, "wasm-opt")).args(flags).arg(from).arg("-o").arg(to))
}

fn refuse_machine_paths(project: &Project, wasm: &Path) -> Result<()> {
    let bytes = fs::read(wasm).with_context(|| format!("{} was not written", wasm.display()))?;
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
