//! What a user downloads: the WASM and its minified glue, against the limit in `wasm-pack.toml`; and what each entry of the
//! package, each message format and each cargo feature weighs.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::project::Project;
use crate::standard_library::StandardLibrary;
use crate::tables::Table;
use crate::{build, sh};

/// Bytes of one file.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Weight {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// Bytes of both files.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sizes {
    wasm: Weight,
    glue: Weight,
    /// Entries, formats and features: for people, not for the gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

/// What one part of the package weighs, or with which the whole would.
#[derive(Serialize, Deserialize)]
struct Part {
    name: String,
    #[serde(flatten)]
    weight: Weight,
}

/// `cargo xtask size`. `features` builds the WASM anew for each cargo feature that changes it, which takes minutes.
pub(crate) fn run(project: &Project, json: bool, update: bool, features: bool) -> Result<()> {
    let mut sizes = measure(project)?;
    sizes.parts = entries(project)?;
    sizes.parts.extend(if features { by_feature(project)? } else { kept_features(project) });
    let limit = project.settings.size.gzip_limit_bytes;
    if json {
        println!("{}", sizes.json(limit));
    } else {
        print!("{}", sizes.shown(limit));
    }
    if update {
        keep(project, &sizes)?;
    }
    sizes.check(limit)
}

/// The entries of the package as they are downloaded, and each format as an application bundles it.
fn entries(project: &Project) -> Result<Vec<Part>> {
    build::package(project)?;
    let mut node = Command::new("node");
    node.arg("xtask/js/entries.mjs").arg("pkg/dist").current_dir(&project.root);
    serde_json::from_str(&sh::quiet(&mut node)?).context("entries.mjs printed something else than sizes")
}

/// WASM and glue with one cargo feature more or less than what is shipped.
fn by_feature(project: &Project) -> Result<Vec<Part>> {
    let shipped = &project.settings.wasm.features;
    let mut parts = Vec::new();
    for feature in WASM_FEATURES {
        let (mut features, on) = (shipped.clone(), shipped.iter().any(|name| name == feature));
        match on {
            true => features.retain(|name| name != feature),
            false => features.push(feature.to_owned()),
        }
        let [wasm, glue] = build::variant(project, &features)?;
        let weight = weigh(project, &wasm, &glue)?.total();
        let verb = if on { "without" } else { "with" };
        parts.push(Part { name: format!("{FEATURE}{verb} `{feature}`"), weight });
    }
    Ok(parts)
}

/// What was weighed the last time: they take too long for each call.
fn kept_features(project: &Project) -> Vec<Part> {
    let parts = kept(project).map_or_else(|_| Vec::new(), |kept| kept.parts);
    parts.into_iter().filter(|part| part.name.starts_with(FEATURE)).collect()
}

/// Builds the WASM and weighs it; an error where this machine cannot build the one that is shipped.
pub(crate) fn measure(project: &Project) -> Result<Sizes> {
    StandardLibrary::choose(project).require_rebuilt()?;
    build::wasm(project)?;
    weigh(project, &project.wasm_file(), &project.glue_file())
}

fn weigh(project: &Project, wasm: &Path, glue: &Path) -> Result<Sizes> {
    let mut node = Command::new("node");
    node.arg("xtask/js/size.mjs").arg(wasm).arg(glue).current_dir(&project.root);
    serde_json::from_str(&sh::quiet(&mut node)?).context("size.mjs printed something else than sizes")
}

/// The gate, and whether the sizes that README shows are still the real ones.
pub(crate) fn verify(project: &Project) -> Result<()> {
    let sizes = measure(project)?;
    sizes.check(project.settings.size.gzip_limit_bytes)?;
    match kept(project) {
        Ok(kept) => sizes.compare(&kept),
        // Nothing kept, nothing shown.
        Err(_) => Ok(()),
    }
}

/// Weighs everything and keeps it for README.
pub(crate) fn update(project: &Project) -> Result<()> {
    let mut sizes = measure(project)?;
    sizes.parts = entries(project)?;
    sizes.parts.extend(kept_features(project));
    keep(project, &sizes)
}

fn keep(project: &Project, sizes: &Sizes) -> Result<()> {
    let file = project.root.join(KEPT);
    fs::create_dir_all(file.parent().context("no folder to write to")?)?;
    fs::write(file, serde_json::to_string_pretty(sizes)? + "\n").context("the sizes cannot be kept")
}

/// The table of the kept sizes.
pub(crate) fn markdown(project: &Project) -> Result<String> {
    Ok(kept(project)?.table().markdown())
}

fn kept(project: &Project) -> Result<Sizes> {
    let text = fs::read_to_string(project.root.join(KEPT)).with_context(|| format!("{KEPT} cannot be read"))?;
    serde_json::from_str(&text).with_context(|| format!("{KEPT} holds no sizes"))
}

/// Where the sizes that README shows are kept.
pub(crate) const KEPT: &str = "tests/measured/size.json";
/// The cargo features that change the WASM. `sqlite` is native alone.
const WASM_FEATURES: [&str; 2] = ["small-allocator", "conformance"];
/// How the name of such a part begins.
const FEATURE: &str = "WASM and glue ";
/// Another compiler makes slightly other code; more than this is another program.
const TOLERANCE_PERCENT: u64 = 5;

impl Sizes {
    /// The gate: an error above the limit.
    pub(crate) fn check(&self, limit: u64) -> Result<()> {
        let gzip = self.total().gzip;
        if gzip > limit {
            bail!(
                "WASM and glue take {gzip} bytes gzipped, {} above the limit of {limit} in wasm-pack.toml",
                gzip - limit
            );
        }
        Ok(())
    }

    fn compare(&self, kept: &Self) -> Result<()> {
        let (now, then) = (self.total().gzip, kept.total().gzip);
        if now.abs_diff(then) * 100 > then * TOLERANCE_PERCENT {
            bail!(
                "README shows {then} bytes gzipped, it is {now}: `cargo xtask size --update`, then `cargo xtask fix`"
            );
        }
        Ok(())
    }

    fn total(&self) -> Weight {
        let Self { wasm, glue, .. } = self;
        Weight { raw: wasm.raw + glue.raw, gzip: wasm.gzip + glue.gzip, brotli: wasm.brotli + glue.brotli }
    }

    fn named(&self) -> Vec<(&str, Weight)> {
        let gated = [("WASM", self.wasm), ("glue, minified", self.glue), ("together", self.total())];
        gated.into_iter().chain(self.parts.iter().map(|part| (part.name.as_str(), part.weight))).collect()
    }

    fn shown(&self, limit: u64) -> String {
        let mut text = format!("{:<44}{:>10}{:>10}{:>10}\n", "bytes", "raw", "gzip -9", "brotli");
        for (name, Weight { raw, gzip, brotli }) in self.named() {
            let _ = writeln!(text, "{name:<44}{raw:>10}{gzip:>10}{brotli:>10}");
        }
        let share = self.total().gzip * 100 / limit.max(1);
        let _ = writeln!(text, "{:<44}{:>10}{limit:>10}  {share} % used", "limit", "");
        text
    }

    fn json(&self, limit: u64) -> String {
        let Self { wasm, glue, parts } = self;
        serde_json::json!({ "wasm": wasm, "glue": glue, "parts": parts, "total": self.total(), "gzip_limit_bytes": limit }).to_string()
    }

    fn table(&self) -> Table {
        let row =
            |(name, weight): (&str, Weight)| vec![name.to_owned(), kb(weight.raw), kb(weight.gzip), kb(weight.brotli)];
        let columns = ["", "raw", "gzip -9", "brotli"].map(str::to_owned).to_vec();
        Table { title: None, columns, rows: self.named().into_iter().map(row).collect() }
    }
}

fn kb(bytes: u64) -> String {
    format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Sizes {
        let weight = |raw, gzip, brotli| Weight { raw, gzip, brotli };
        let parts = vec![Part { name: "`./slim`".to_owned(), weight: weight(1, 2, 3) }];
        Sizes { wasm: weight(100_000, 40_000, 35_000), glue: weight(9_000, 3_000, 2_500), parts }
    }

    #[test]
    fn the_gate_counts_wasm_and_glue_together_and_names_both_numbers() {
        assert!(sizes().check(43_000).is_ok());
        let refusal = sizes().check(42_999).unwrap_err().to_string();
        assert!(refusal.contains("43000 bytes") && refusal.contains("1 above the limit of 42999"), "{refusal}");
    }

    #[test]
    fn kept_sizes_that_are_no_longer_true_are_refused_with_both_numbers() {
        let mut grown = sizes();
        grown.wasm.gzip += 2_150;
        assert!(grown.compare(&sizes()).is_ok());
        grown.wasm.gzip += 1;
        let refusal = grown.compare(&sizes()).unwrap_err().to_string();
        assert!(refusal.contains("43000") && refusal.contains("45151"), "{refusal}");
    }

    #[test]
    fn the_table_has_a_row_per_file_and_part_a_sum_and_the_limit() {
        let shown = sizes().shown(60_000);
        let line = |name, cells| format!("{name:<44}{cells}\n");
        assert!(shown.contains(&line("together", "    109000     43000     37500")), "{shown}");
        assert!(shown.contains(&line("`./slim`", "         1         2         3")), "{shown}");
        assert!(shown.ends_with("60000  71 % used\n"), "{shown}");
    }
}
