//! What a user downloads: the WASM and its minified glue, against the limit in `wasm-pack.toml`.

use std::fmt::Write;
use std::fs;
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
}

/// `cargo xtask size`.
pub(crate) fn run(project: &Project, json: bool, update: bool) -> Result<()> {
    let sizes = measure(project)?;
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

/// Builds the WASM and weighs it; an error where this machine cannot build the one that is shipped.
pub(crate) fn measure(project: &Project) -> Result<Sizes> {
    StandardLibrary::choose(project).require_rebuilt()?;
    build::wasm(project)?;
    let mut node = Command::new("node");
    node.arg("xtask/js/size.mjs").arg(project.wasm_file()).arg(project.glue_file()).current_dir(&project.root);
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

/// Keeps the sizes for README.
pub(crate) fn keep(project: &Project, sizes: &Sizes) -> Result<()> {
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
        let Self { wasm, glue } = self;
        Weight { raw: wasm.raw + glue.raw, gzip: wasm.gzip + glue.gzip, brotli: wasm.brotli + glue.brotli }
    }

    fn named(&self) -> [(&'static str, Weight); 3] {
        [("WASM", self.wasm), ("glue, minified", self.glue), ("together", self.total())]
    }

    fn shown(&self, limit: u64) -> String {
        let mut text = format!("{:<16}{:>10}{:>10}{:>10}\n", "bytes", "raw", "gzip -9", "brotli");
        for (name, Weight { raw, gzip, brotli }) in self.named() {
            let _ = writeln!(text, "{name:<16}{raw:>10}{gzip:>10}{brotli:>10}");
        }
        let share = self.total().gzip * 100 / limit.max(1);
        let _ = writeln!(text, "{:<16}{:>10}{limit:>10}  {share} % used", "limit", "");
        text
    }

    fn json(&self, limit: u64) -> String {
        let Self { wasm, glue } = self;
        serde_json::json!({ "wasm": wasm, "glue": glue, "total": self.total(), "gzip_limit_bytes": limit }).to_string()
    }

    fn table(&self) -> Table {
        let row =
            |(name, weight): (&str, Weight)| vec![name.to_owned(), kb(weight.raw), kb(weight.gzip), kb(weight.brotli)];
        let columns = ["", "raw", "gzip -9", "brotli"].map(str::to_owned).to_vec();
        Table { title: None, columns, rows: self.named().map(row).to_vec() }
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
        Sizes { wasm: weight(100_000, 40_000, 35_000), glue: weight(9_000, 3_000, 2_500) }
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
    fn the_table_has_a_row_per_file_a_sum_and_the_limit() {
        let shown = sizes().shown(60_000);
        assert!(shown.contains("together            109000     43000     37500\n"), "{shown}");
        assert!(shown.ends_with("60000  71 % used\n"), "{shown}");
    }
}
