//! Tables of measured figures, and the benchmark run whose tables README shows.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::project::Project;

/// Where the last kept benchmark run lies.
pub(crate) const BENCH: &str = "tests/measured/bench.json";

/// Where the errors of the token estimator lie, as `cargo run -p token-table` measured them.
const ACCURACY: &str = "tests/measured/accuracy.json";

/// One table; every cell is text that the measuring program has already rounded and given a unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// A run of all benchmarks.
#[derive(Serialize, Deserialize)]
pub(crate) struct Bench {
    /// Processor, Node and Rust of the run.
    pub(crate) machine: String,
    pub(crate) tables: Vec<Table>,
}

impl Table {
    /// An error when a row has not one cell per column.
    pub(crate) fn check(&self) -> Result<()> {
        match self.rows.iter().position(|row| row.len() != self.columns.len()) {
            Some(row) => bail!("row {row} has not {} cells, one per column", self.columns.len()),
            None => Ok(()),
        }
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let title = self.title.as_ref().map(|title| format!("**{title}**\n\n")).unwrap_or_default();
        let rule = format!("|{}\n", "---|".repeat(self.columns.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        title + &line(&self.columns) + &rule + &rows
    }
}

/// The Markdown of the kept benchmark run.
pub(crate) fn bench(project: &Project) -> Result<String> {
    let text = fs::read_to_string(project.root.join(BENCH)).with_context(|| format!("{BENCH} cannot be read"))?;
    let Bench { machine, tables } = serde_json::from_str(&text).with_context(|| format!("{BENCH} holds no run"))?;
    let tables: Vec<_> = tables.iter().map(Table::markdown).collect();
    Ok(format!("{}\nMeasured on {machine}.\n", tables.join("\n")))
}

/// The Markdown of the estimator's errors.
pub(crate) fn accuracy(project: &Project) -> Result<String> {
    let text = fs::read_to_string(project.root.join(ACCURACY)).with_context(|| format!("{ACCURACY} cannot be read"))?;
    let table: Table = serde_json::from_str(&text).with_context(|| format!("{ACCURACY} holds no table"))?;
    table.check()?;
    Ok(table.markdown())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_with_its_title_and_escapes_what_would_end_a_cell() {
        let text = r#"{"title":"Deciding","columns":["what","ns"],"rows":[["a|b","3"]]}"#;
        let table: Table = serde_json::from_str(text).unwrap();
        assert_eq!(table.markdown(), "**Deciding**\n\n| what | ns |\n|---|---|\n| a\\|b | 3 |\n");
    }

    #[test]
    fn a_row_of_the_wrong_width_is_refused() {
        let table = Table { title: None, columns: vec!["one".into()], rows: vec![vec!["a".into(), "b".into()]] };
        assert!(table.check().is_err());
    }
}
