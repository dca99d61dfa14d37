//! Checks that write nothing but build products, and the repairs for those that have one.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::project::Project;
use crate::seeds::Seeds;
use crate::sh::{self, say};
use crate::{build, npm, readme, size, tidy, tools};

/// `cargo xtask verify`: every check runs, then the failed ones are named.
pub(crate) fn run(project: &Project) -> Result<()> {
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        say(format!("checking {name}"));
        let start = Instant::now();
        match check(project) {
            Ok(()) => println!("  fine ({:.1} s)", start.elapsed().as_secs_f64()),
            Err(error) => {
                println!("  {}", format!("{error:#}").replace('\n', "\n  "));
                failed.push(name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("not in order: {} (`cargo xtask fix` mends format, lints and README blocks)", failed.join(", "));
    }
    println!("all {} checks are fine", CHECKS.len());
    Ok(())
}

/// `cargo xtask fix`. What clippy cannot mend is left to a person, but keeps nothing else from being mended.
pub(crate) fn fix(project: &Project) -> Result<()> {
    say("rewriting README blocks");
    readme::fix(project)?;
    let mut left = Vec::new();
    for (name, mut clippy) in [("native", native_clippy(project)), ("WASM", wasm_clippy(project))] {
        say(format!("applying what clippy suggests, {name}"));
        left.extend(sh::run(clippy.args(["--fix", "--allow-dirty", "--allow-staged"])).err());
    }
    say("formatting");
    sh::run(cargo(project, "fmt").arg("--all"))?;
    match left.pop() {
        Some(error) => Err(error.context("clippy left something to mend by hand")),
        None => Ok(()),
    }
}

type Check = fn(&Project) -> Result<()>;

/// The quick ones first.
const CHECKS: [(&str, Check); 14] = [
    ("format", |project| sh::quiet(cargo(project, "fmt").args(["--all", "--check"])).map(drop)),
    ("the tree", tidy::check),
    ("README blocks", readme::check),
    ("founding requirements", |project| Seeds::scan(project)?.check()),
    ("lints, native", |project| sh::quiet(native_clippy(project).args(["--", "-D", "warnings"])).map(drop)),
    ("lints, WASM", |project| {
        tools::wasm_target(project)?;
        sh::quiet(wasm_clippy(project).args(["--", "-D", "warnings"])).map(drop)
    }),
    ("docs, native", |project| docs(project, &["--workspace"])),
    ("docs, WASM", |project| {
        docs(project, &["--package", "compaction-governor", "--target", &project.settings.wasm.target])
    }),
    ("layers", |project| sh::quiet(cargo(project, "test").args(["--locked", "--test", "layers"])).map(drop)),
    ("licences, bans, sources", deny),
    ("the crate's package", package),
    ("build", build::all),
    ("size", size::verify),
    ("types", types),
];

fn cargo(project: &Project, command: &str) -> Command {
    let mut cargo = sh::cargo();
    cargo.arg(command).current_dir(&project.root);
    cargo
}

fn native_clippy(project: &Project) -> Command {
    let mut clippy = cargo(project, "clippy");
    clippy.args(["--quiet", "--workspace", "--all-targets", "--all-features", "--locked"]);
    clippy
}

/// The library and the tests that are meant for WASM: the others do not compile there.
fn wasm_clippy(project: &Project) -> Command {
    let tests = project
        .files("tests", |name| (name.starts_with("wasm_") || name.starts_with("node_")) && name.ends_with(".rs"));
    let mut clippy = cargo(project, "clippy");
    clippy.args(["--quiet", "--package", "compaction-governor", "--lib", "--all-features", "--locked"]);
    clippy.args(["--target", &project.settings.wasm.target]);
    for name in tests.iter().filter_map(|test| test.file_stem()) {
        clippy.arg("--test").arg(name);
    }
    clippy
}

fn docs(project: &Project, which: &[&str]) -> Result<()> {
    let mut doc = cargo(project, "doc");
    doc.args(["--quiet", "--no-deps", "--all-features", "--locked"]).args(which).env("RUSTDOCFLAGS", "-D warnings");
    sh::quiet(&mut doc).map(drop)
}

/// Advisories need the network and change under our feet: they are not part of this check.
fn deny(project: &Project) -> Result<()> {
    let mut deny = Command::new(tools::cargo_deny(project)?);
    deny.args(["--all-features", "check", "bans", "licenses", "sources"]).current_dir(&project.root);
    sh::quiet(&mut deny).map(drop)
}

/// What would be published compiles from what is in it, and cargo has nothing to say but that the tests stay here.
fn package(project: &Project) -> Result<()> {
    let mut package = cargo(project, "package");
    package.args(["--offline", "--locked", "--allow-dirty", "--color=never", "--package", "compaction-governor"]);
    let told = sh::told(&mut package)?;
    let expected = |line: &str| line.starts_with("warning: ignoring ") && line.ends_with("published package");
    let warnings: Vec<_> = told.lines().filter(|line| line.starts_with("warning") && !expected(line)).collect();
    if !warnings.is_empty() {
        bail!("cargo package says:\n{}", warnings.join("\n"));
    }
    Ok(())
}

fn types(project: &Project) -> Result<()> {
    ["pkg", "www"]
        .iter()
        .try_for_each(|workspace| sh::quiet(&mut npm::script(project, workspace, "typecheck")).map(drop))
}
