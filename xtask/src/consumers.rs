//! Who uses the packed package, as the tests in `tests/packages` saw it. They write one line of JSON per consumer that
//! opened a session, compacted once and read it back, into the file that the variable `CONSUMERS_SEEN` names.

use std::fs;
use std::path::PathBuf;
use std::process;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::project::Project;
use crate::sh::{self, Unavailable, say};
use crate::tables::Table;
use crate::{npm, tools};

/// Where the consumers that README shows are kept.
const KEPT: &str = "tests/measured/consumers.json";

/// All consumers there are, in the order of the table. One that was not seen at all is missed.
const CONSUMERS: [&str; 15] = [
    "Node",
    "Deno",
    "Bun",
    "plain script",
    "Vite",
    "webpack",
    "rollup",
    "esbuild",
    "Next.js",
    "wrangler",
    "Jest",
    "Vitest",
    "TypeScript",
    "publint",
    "arethetypeswrong",
];

/// One way in which one consumer was seen to use the package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    consumer: String,
    version: String,
    how: String,
    r#where: String,
}

/// The folder of the tools that consume the package, by what its manifest and lockfile say.
pub(crate) fn tools(project: &Project) -> Result<PathBuf> {
    let manifests =
        ["package.json", "package-lock.json"].map(|name| project.root.join("tests/packages/tools").join(name));
    let mut hash = Xxh3::new();
    for manifest in &manifests {
        hash.update(&fs::read(manifest).with_context(|| format!("{} cannot be read", manifest.display()))?);
    }
    let cache = tools::cache()?;
    let folder = cache.join(format!("consumers-{:016x}", hash.digest()));
    if folder.join("node_modules").is_dir() {
        return Ok(folder);
    }
    say(format!("installing the consumers of the package once, into {}", folder.display()));
    // Named as what it is when it is whole: an install that was cut short is none.
    let making = cache.join(format!("consumers-{}", process::id()));
    fs::create_dir_all(&making)?;
    for manifest in &manifests {
        fs::copy(manifest, making.join(manifest.file_name().context("a manifest without a name")?))?;
    }
    let mut install = npm::npm(project);
    // Not `ci`: that insists on Vite's optional dependency for Windows, which not every registry has. The lockfile holds as well.
    install.args(["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]);
    sh::run(install.current_dir(&making))
        .map_err(|_| Unavailable("the consumers could not be installed: is the network there?".to_owned()))?;
    match fs::rename(&making, &folder) {
        // Another run was faster.
        Err(_) if folder.is_dir() => fs::remove_dir_all(&making)?,
        renamed => renamed?,
    }
    Ok(folder)
}

/// The file that the tests of this run write to, empty.
pub(crate) fn begin(project: &Project) -> Result<PathBuf> {
    let file = project.scratch("consumers")?.join("seen.jsonl");
    fs::write(&file, "").context("the file of consumers cannot be written")?;
    Ok(file)
}

/// Ends a run: with `update` keeps what was seen, else it has to be what is kept.
pub(crate) fn end(project: &Project, update: bool) -> Result<()> {
    let seen = project.scratch("consumers")?.join("seen.jsonl");
    let seen = read(&fs::read_to_string(seen)?)?;
    if update {
        return fs::write(project.root.join(KEPT), serde_json::to_string_pretty(&seen)? + "\n")
            .with_context(|| format!("{KEPT} cannot be written"));
    }
    let differences = differences(&kept(project)?, &seen);
    if !differences.is_empty() {
        let list = differences.join("\n  ");
        bail!("README shows other consumers than ran (`cargo xtask test --only packages --update`):\n  {list}");
    }
    Ok(())
}

/// The table of the kept consumers.
pub(crate) fn markdown(project: &Project) -> Result<String> {
    let row = |cell: Cell| vec![cell.consumer, cell.version, cell.how, cell.r#where];
    let columns = ["consumer", "version", "how", "ran in"].map(str::to_owned).to_vec();
    let rows = kept(project)?.into_iter().map(row).collect();
    Ok(Table { title: None, columns, rows }.markdown())
}

fn kept(project: &Project) -> Result<Vec<Cell>> {
    let text = fs::read_to_string(project.root.join(KEPT)).with_context(|| format!("{KEPT} cannot be read"))?;
    serde_json::from_str(&text).with_context(|| format!("{KEPT} holds no consumers"))
}

/// In the order of the table; an error for a consumer that nobody knows, or one that nobody saw.
fn read(lines: &str) -> Result<Vec<Cell>> {
    let cells = lines.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no consumer: {line}")));
    let mut cells: Vec<Cell> = cells.collect::<Result<_>>()?;
    let place = |cell: &Cell| CONSUMERS.iter().position(|name| *name == cell.consumer);
    if let Some(unknown) = cells.iter().find(|cell| place(cell).is_none()) {
        bail!("a test saw `{}`, which is not in the table of consumers", unknown.consumer);
    }
    let unseen = CONSUMERS.iter().filter(|name| cells.iter().all(|cell| cell.consumer != **name));
    let unseen: Vec<_> = unseen.copied().collect();
    if !unseen.is_empty() {
        bail!("not seen to use the package: {}", unseen.join(", "));
    }
    cells.sort_by_key(place);
    Ok(cells)
}

/// What is kept and was not seen, and what was seen and is not kept. Node is the machine's own, in whatever version.
fn differences(kept: &[Cell], seen: &[Cell]) -> Vec<String> {
    let same = |a: &Cell, b: &Cell| {
        let versions = a.version == b.version || a.consumer == "Node";
        versions && (&a.consumer, &a.how, &a.r#where) == (&b.consumer, &b.how, &b.r#where)
    };
    let lacks = |list: &[Cell], cell: &Cell| !list.iter().any(|other| same(cell, other));
    let told = |what: &str, cell: &Cell| {
        let Cell { consumer, version, how, r#where } = cell;
        format!("{what}: {consumer} {version}, {how}, in {where}")
    };
    let missing = kept.iter().filter(|cell| lacks(seen, cell)).map(|cell| told("kept and not seen", cell));
    missing.chain(seen.iter().filter(|cell| lacks(kept, cell)).map(|cell| told("seen and not kept", cell))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(consumer: &str, version: &str, how: &str) -> Cell {
        let [consumer, version, how] = [consumer, version, how].map(str::to_owned);
        Cell { consumer, version, how, r#where: "Node".to_owned() }
    }

    fn line(consumer: &str) -> String {
        serde_json::to_string(&cell(consumer, "1", "import")).unwrap() + "\n"
    }

    #[test]
    fn consumers_stand_in_the_order_of_the_table_whichever_ran_first() {
        let lines: String = CONSUMERS.iter().rev().map(|name| line(name)).collect();
        let names: Vec<_> = read(&lines).unwrap().into_iter().map(|cell| cell.consumer).collect();
        assert_eq!(names, CONSUMERS);
    }

    #[test]
    fn a_consumer_that_nobody_saw_or_knows_is_named() {
        let lines: String = CONSUMERS[1..].iter().map(|name| line(name)).collect();
        assert_eq!(read(&lines).unwrap_err().to_string(), "not seen to use the package: Node");
        assert!(read(&line("Noded")).unwrap_err().to_string().contains("`Noded`"));
    }

    #[test]
    fn what_ran_otherwise_than_readme_shows_is_told_both_ways_and_nodes_version_is_free() {
        let kept = [cell("Node", "20.1.0", "import"), cell("Vite", "8.4.0", "dev")];
        assert!(differences(&kept, &[cell("Node", "22.0.0", "import"), cell("Vite", "8.4.0", "dev")]).is_empty());
        let told = differences(&kept, &[cell("Node", "20.1.0", "import"), cell("Vite", "8.4.1", "dev")]);
        assert_eq!(
            told,
            ["kept and not seen: Vite 8.4.0, dev, in Node", "seen and not kept: Vite 8.4.1, dev, in Node"]
        );
    }
}
