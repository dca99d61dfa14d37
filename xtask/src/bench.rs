//! Measuring: each `pkg/bench/*.mjs` writes one JSON table to the file named in `BENCH_OUT`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::project::Project;
use crate::sh::{self, say};
use crate::tables::{self, Bench, Table};
use crate::{build, consumers, size};

/// `cargo xtask bench`.
pub(crate) fn run(project: &Project, update: bool) -> Result<()> {
    build::package(project)?;
    let scripts = project.files("pkg/bench", |name| name.ends_with(".mjs"));
    if scripts.is_empty() {
        bail!("pkg/bench holds no benchmark (*.mjs)");
    }
    let folder = project.target.join("bench");
    fs::create_dir_all(&folder)?;
    let tools = consumers::tools(project)?;
    let tables = scripts.iter().map(|script| measure(project, script, &folder, &tools)).collect::<Result<Vec<_>>>()?;
    for table in &tables {
        println!("\n{}", table.markdown());
    }
    if update {
        keep(project, tables)?;
    }
    Ok(())
}

fn measure(project: &Project, script: &Path, folder: &Path, tools: &Path) -> Result<Table> {
    say(format!("measuring {}", script.display()));
    let name = script.file_stem().context("a benchmark without a name")?;
    let file = folder.join(name).with_extension("json");
    // A table of an earlier run must not pass for one of this run.
    let _ = fs::remove_file(&file);
    let mut node = Command::new("node");
    node.arg("--expose-gc").arg(script).env("BENCH_OUT", &file).env("CONSUMER_TOOLS", tools);
    sh::run(node.current_dir(&project.root))?;
    let text = fs::read_to_string(&file).with_context(|| format!("{} wrote nothing to BENCH_OUT", script.display()))?;
    let table: Table = serde_json::from_str(&text)
        .with_context(|| format!("{} wrote no {{title, columns, rows}} of texts", script.display()))?;
    table.check().with_context(|| script.display().to_string())?;
    Ok(table)
}

fn keep(project: &Project, tables: Vec<Table>) -> Result<()> {
    let bench = Bench { machine: machine()?, tables };
    fs::create_dir_all(project.root.join("tests/measured"))?;
    fs::write(project.root.join(tables::BENCH), serde_json::to_string_pretty(&bench)? + "\n")?;
    size::update(project)?;
    say(format!("kept in {} and {}; `cargo xtask fix` puts them into README", tables::BENCH, size::KEPT));
    Ok(())
}

fn machine() -> Result<String> {
    let cpus = "const os = require('os'), all = os.cpus(); `${all.length} × ${all[0]?.model ?? 'unknown processor'}`";
    let processor = sh::quiet(Command::new("node").args(["-p", cpus]))?;
    let node = sh::quiet(Command::new("node").arg("--version"))?;
    let rustc = sh::quiet(Command::new("rustc").arg("--version"))?;
    let rust = rustc.split_whitespace().nth(1).unwrap_or("unknown");
    Ok(format!("{}, Node {}, Rust {rust}", processor.trim(), node.trim().trim_start_matches('v')))
}
