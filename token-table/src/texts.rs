//! From packages to messages: pieces of about 4,000 characters, in an order that every machine shares.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::fetch;
use crate::sources::{Class, Part, Source, Take};

/// One message of one class.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its class.
    pub class: Class,
    /// Its text.
    pub text: String,
}

/// The messages of `sources`, at most `most` of each part of a package.
///
/// # Errors
/// When a package cannot be fetched or holds none of what is looked for.
pub fn messages(sources: &[Source], most: usize) -> Result<Vec<Message>> {
    let mut all = Vec::new();
    for source in sources {
        let folder = fetch::folder(source)?;
        for part in source.parts {
            let pieces = pieces(&folder, part, most)?;
            anyhow::ensure!(!pieces.is_empty(), "{} holds no text for {:?}", source.package, part.class);
            all.extend(pieces.into_iter().map(|text| Message { class: part.class, text }));
        }
    }
    Ok(all)
}

/// Evenly spread over the files, so that no one of them is all there is.
fn pieces(folder: &Path, part: &Part, most: usize) -> Result<Vec<String>> {
    let mut joined = String::new();
    for file in files(folder, part)? {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let taken = taken(&text, part.take);
        let taken = cut(&taken, MOST_OF_A_FILE);
        if !taken.is_empty() {
            joined += taken;
            joined.push('\n');
        }
    }
    let whole = split(&joined, part.class.piece());
    let step = whole.len().div_ceil(most).max(1);
    Ok(whole.into_iter().step_by(step).collect())
}

fn files(folder: &Path, part: &Part) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, &mut found)?;
    found.retain(|file| {
        let Ok(inner) = file.strip_prefix(folder) else { return false };
        let name = inner.to_string_lossy().replace('\\', "/");
        part.under.iter().any(|under| name.starts_with(under)) && part.ends.iter().any(|end| name.ends_with(end))
    });
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Pieces of `length` characters; a shorter rest is one if it is at least half as long.
fn split(text: &str, length: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let long = chars.chunks(length).filter(|piece| piece.len() >= length / 2);
    long.map(|piece| piece.iter().collect()).collect()
}

fn cut(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    &text[..end]
}

fn taken(text: &str, take: Take) -> String {
    match take {
        Take::Whole => text.to_owned(),
        Take::Paragraphs => paragraphs(text),
        Take::Fences => fences(text),
        Take::Lines => lines(text),
        Take::Strings => strings(text),
    }
}

fn paragraphs(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for paragraph in text.split("\n\n") {
        let marks = paragraph.matches("```").count();
        let prose =
            !fenced && marks == 0 && !paragraph.starts_with(['#', '-', '|', '*', '<', '>', ' ', '+', ':', '[', '{']);
        fenced ^= marks % 2 == 1;
        if prose && paragraph.chars().count() >= LEAST_PARAGRAPH {
            kept += paragraph.trim();
            kept += "\n\n";
        }
    }
    kept
}

fn fences(text: &str) -> String {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.split_once('\n')).map(|(_, code)| code).collect::<Vec<_>>().join("\n")
}

fn lines(text: &str) -> String {
    let told = text.lines().map(|line| line.trim_start_matches([' ', '*', '/'])).filter(|line| is_told(line));
    told.flat_map(|line| [line, "\n"]).collect()
}

/// Strings in double or single quotes, by a scan that knows escapes and nothing else of any language.
fn strings(text: &str) -> String {
    let mut kept = String::new();
    let mut current: Option<(char, String)> = None;
    let mut escaped = false;
    for c in text.chars() {
        match &mut current {
            None if c == '"' || c == '\'' => current = Some((c, String::new())),
            None => {}
            Some(_) if c == '\n' => current = None,
            Some((quote, inner)) if c == *quote && !escaped => {
                if is_told(inner) {
                    kept += inner;
                    kept.push('\n');
                }
                current = None;
            }
            Some((_, inner)) => inner.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    kept
}

fn is_told(text: &str) -> bool {
    text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() >= LEAST_LETTERS
}

const MOST_OF_A_FILE: usize = 400_000;
const LEAST_PARAGRAPH: usize = 80;
const LEAST_LETTERS: usize = 3;
