//! Blocks of Markdown that are copies of something else. `fix` writes them, `verify` compares.
//!
//! ```text
//! <!-- include: pkg/examples/loop.ts -->     the file, in a code fence
//! <!-- /include -->
//! <!-- table: seeds -->                      seeds, accuracy, bench, size, promises or consumers
//! <!-- /table -->
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::project::Project;
use crate::{consumers, promises, seeds, size, tables};

/// The files whose blocks are kept.
const FILES: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "pkg/README.md"];

/// An error that names the files whose blocks are out of date.
pub(crate) fn check(project: &Project) -> Result<()> {
    let stale: Vec<_> = outdated(project)?.into_iter().map(|(file, _)| file).collect();
    if !stale.is_empty() {
        bail!("blocks in {} are out of date: `cargo xtask fix` rewrites them", stale.join(", "));
    }
    Ok(())
}

/// Rewrites the blocks that are out of date.
pub(crate) fn fix(project: &Project) -> Result<()> {
    for (file, text) in outdated(project)? {
        fs::write(project.root.join(file), text).with_context(|| format!("{file} cannot be written"))?;
    }
    Ok(())
}

fn outdated(project: &Project) -> Result<Vec<(&'static str, String)>> {
    let mut stale = Vec::new();
    for file in FILES {
        let Ok(text) = fs::read_to_string(project.root.join(file)) else { continue };
        let fresh = rewritten(&text, |block| content(project, block)).with_context(|| file.to_owned())?;
        if fresh != text {
            stale.push((file, fresh));
        }
    }
    Ok(stale)
}

/// What a block asks for.
#[derive(Debug, PartialEq, Eq)]
enum Block<'a> {
    Include(&'a str),
    Table(&'a str),
}

fn content(project: &Project, block: Block<'_>) -> Result<String> {
    match block {
        Block::Include(path) => {
            let text =
                fs::read_to_string(project.root.join(path)).with_context(|| format!("{path} cannot be included"))?;
            Ok(fenced(path, &text))
        }
        Block::Table("seeds") => Ok(seeds::Seeds::scan(project)?.markdown()),
        Block::Table("bench") => tables::bench(project),
        Block::Table("accuracy") => tables::accuracy(project),
        Block::Table("size") => size::markdown(project),
        Block::Table("promises") => promises::markdown(project),
        Block::Table("consumers") => consumers::markdown(project),
        Block::Table(other) => {
            bail!("there is no table `{other}`: seeds, accuracy, bench, size, promises or consumers")
        }
    }
}

/// The text with the inside of each block made anew.
fn rewritten(text: &str, content: impl Fn(Block<'_>) -> Result<String>) -> Result<String> {
    let (mut fresh, mut rest) = (String::new(), text);
    while let Some((start, kind)) = next_block(rest) {
        let (before, from_marker) = rest.split_at(start);
        let (marker, after) = from_marker.split_once(" -->").context("a block marker does not end")?;
        let argument = marker.trim_start_matches("<!-- ").trim_start_matches(kind).trim_start_matches(": ");
        let end = format!("<!-- /{kind} -->");
        let (_, after) = after.split_once(&end).with_context(|| format!("`{marker} -->` has no `{end}`"))?;
        let block = if kind == "include" { Block::Include(argument) } else { Block::Table(argument) };
        let inside = content(block)?;
        fresh += &format!("{before}{marker} -->\n{}\n{end}", inside.trim_end());
        rest = after;
    }
    Ok(fresh + rest)
}

/// A marker counts at the start of a line alone, so that a text may speak of markers.
fn next_block(text: &str) -> Option<(usize, &'static str)> {
    let first = |kind: &'static str| {
        let marker = format!("<!-- {kind}: ");
        let mut places = text.match_indices(&marker).map(|(at, _)| at);
        Some((places.find(|&at| at == 0 || text[..at].ends_with('\n'))?, kind))
    };
    ["include", "table"].into_iter().filter_map(first).min()
}

fn fenced(path: &str, text: &str) -> String {
    let language = Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or_default();
    let language = if language == "mjs" { "js" } else { language };
    let fence = if text.contains("```") { "````" } else { "```" };
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(block: Block<'_>) -> Result<String> {
        match block {
            Block::Include(path) => Ok(fenced(path, "let a = 1;\n")),
            Block::Table(name) => Ok(format!("| {name} |\n")),
        }
    }

    const FRESH: &str = "# T\n<!-- include: a/b.mjs -->\n```js\nlet a = 1;\n```\n<!-- /include -->\ntext\n<!-- table: size -->\n| size |\n<!-- /table -->\nend\n";

    #[test]
    fn a_stale_block_is_rewritten_and_the_text_around_it_kept() {
        let stale =
            "# T\n<!-- include: a/b.mjs -->\nold\n<!-- /include -->\ntext\n<!-- table: size --><!-- /table -->\nend\n";
        assert_eq!(rewritten(stale, echo).unwrap(), FRESH);
    }

    #[test]
    fn a_fresh_text_stays_byte_for_byte_the_same() {
        assert_eq!(rewritten(FRESH, echo).unwrap(), FRESH);
        let spoken = "a `<!-- table: size -->` inside a line is text\n";
        assert_eq!(rewritten(spoken, echo).unwrap(), spoken);
    }

    #[test]
    fn a_block_without_an_end_is_named() {
        let error = rewritten("<!-- table: size -->\n", echo).unwrap_err().to_string();
        assert!(error.contains("<!-- table: size -->") && error.contains("<!-- /table -->"), "{error}");
    }

    #[test]
    fn a_fence_is_longer_than_one_inside_the_file() {
        assert!(fenced("a.md", "```js\n```\n").starts_with("````md\n"));
    }
}
