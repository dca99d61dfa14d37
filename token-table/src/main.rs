//! `cargo run -p token-table`: makes the table and measures it; `--check` only says whether both are what is kept.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use compaction_governor::tokens::Table;
use token_table::{KEPT_ERRORS, KEPT_TABLE, error, fit, test_messages, tokenizers::Tokenizers, training_messages};

fn main() -> Result<()> {
    let check = std::env::args().any(|arg| arg == "--check");
    let tokenizers = Tokenizers::new()?;
    let bytes = fit::table(&training_messages()?, &tokenizers);
    keep(KEPT_TABLE, &bytes, check)?;
    let table = Table::of(&bytes).context("the fit gave no table")?;
    let shown = error::shown(table, &test_messages()?, &tokenizers);
    for row in &shown.rows {
        println!("{}", row.join("\t"));
    }
    keep(KEPT_ERRORS, (serde_json::to_string_pretty(&shown)? + "\n").as_bytes(), check)
}

fn keep(file: &str, bytes: &[u8], check: bool) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if !check {
        return fs::write(&path, bytes).with_context(|| file.to_owned());
    }
    if fs::read(&path).with_context(|| file.to_owned())? != bytes {
        bail!("{file} is not what this program makes");
    }
    Ok(())
}
