//! The founding requirements and the tests that hold them. A comment line `// seeds: A1, C3` directly above a test
//! (attributes and other comments may stand between) says which it holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::project::Project;

/// Requirements that must have a test by now; `verify` fails without.
pub(crate) const REQUIRED_SEEDS: &[&str] = &[
    "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "C1", "C2",
    "C3", "C4", "C5", "C6",
];

/// Every requirement, in the words README uses.
const SEEDS: [(&str, &str); 23] = [
    ("A1", "The provider's real prompt count against a threshold triggers compaction"),
    ("A2", "A pass whose next real prompt is still at the threshold counts as ineffective; two block"),
    ("A3", "That count is part of the durable session, beside cooldown and fallback streak"),
    ("A4", "Each verdict goes to memory and store on one path; a failing store never reaches the conversation"),
    ("A5", "A missing, null, negative or non-numeric count loads as zero or more, never as an error"),
    ("A6", "A verdict that changes nothing is not written"),
    ("A7", "Queries are answered from memory; a claim looks at what another agent stored"),
    ("A8", "A real report below the threshold clears the count, durably"),
    ("A9", "A fixed part near the threshold is said, not compacted in vain"),
    ("B1", "Earlier summaries go into the next one"),
    ("B2", "They are collapsed into one before another is added"),
    ("B3", "No second pass in a turn unless the tokens really dropped; attempts per turn are capped"),
    ("B4", "No pass when the slice holds nothing new"),
    ("B5", "Number and total size of summaries are capped"),
    ("B6", "Inline images stay out of the summary request"),
    ("B7", "A damaged session can be repaired without editing data by hand"),
    ("B8", "Degenerate summaries are recognised and refused"),
    ("C1", "A pass that saved less than 10 % is ineffective; two in a row block"),
    ("C2", "The block lifts 300 s after the trip"),
    ("C3", "It lifts when the prompt has grown by 20 %"),
    ("C4", "Within the cooldown and without growth it stays"),
    ("C5", "Nothing recovers where no compaction ever ran"),
    ("C6", "Time and prompt size are recorded after each compaction and reset with the session"),
];

/// Which tests name which requirement.
#[derive(Default)]
pub(crate) struct Seeds(BTreeMap<&'static str, Vec<Test>>);

struct Test {
    file: String,
    name: String,
}

impl Seeds {
    /// Reads every test of the project.
    pub(crate) fn scan(project: &Project) -> Result<Self> {
        let mut seeds = Self::default();
        for folder in ["src", "tests", "pkg/test"] {
            seeds.folder(&project.root, Path::new(folder))?;
        }
        Ok(seeds)
    }

    /// An error that lists the required requirements no test names.
    pub(crate) fn check(&self) -> Result<()> {
        let missing: Vec<_> = REQUIRED_SEEDS.iter().filter(|id| !self.0.contains_key(*id)).copied().collect();
        if !missing.is_empty() {
            bail!("no test names {}: write `// seeds: ID` above the test that holds it", missing.join(", "));
        }
        Ok(())
    }

    /// The table for README.
    pub(crate) fn markdown(&self) -> String {
        let mut text = "| id | asked for | held by |\n|---|---|---|\n".to_owned();
        for (id, asked) in SEEDS {
            let tests = self.0.get(id).map(|tests| tests.iter().map(Test::markdown).collect::<Vec<_>>().join("<br>"));
            text += &format!("| {id} | {asked} | {} |\n", tests.unwrap_or_else(|| "not yet".to_owned()));
        }
        text
    }

    fn folder(&mut self, root: &Path, folder: &Path) -> Result<()> {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { return Ok(()) };
        let mut names: Vec<_> = entries.flatten().map(|entry| folder.join(entry.file_name())).collect();
        names.sort();
        for name in names {
            let source = name.extension().is_some_and(|end| ["rs", "mjs", "ts", "tsx"].iter().any(|kind| end == *kind));
            if root.join(&name).is_dir() {
                self.folder(root, &name)?;
            } else if source {
                self.file(&name.display().to_string(), &fs::read_to_string(root.join(&name))?)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, file: &str, text: &str) -> Result<()> {
        let mut lines = text.lines().map(str::trim).enumerate();
        while let Some((number, line)) = lines.next() {
            let Some(ids) = line.strip_prefix("// seeds: ") else { continue };
            let place = || format!("{file}:{}", number + 1);
            let name = lines.by_ref().map(|(_, line)| line).find(|line| !is_between(line)).and_then(test_name);
            let name = name.with_context(|| format!("{}: no test follows this line", place()))?;
            for id in ids.split(',').map(str::trim) {
                let known = SEEDS.iter().find(|(known, _)| *known == id);
                let (id, _) = known.with_context(|| format!("{}: there is no requirement `{id}`", place()))?;
                self.0.entry(id).or_default().push(Test { file: file.to_owned(), name: name.to_owned() });
            }
        }
        Ok(())
    }
}

impl Test {
    fn markdown(&self) -> String {
        format!("{} (`{}`)", self.name.replace('_', " ").replace('|', "\\|"), self.file)
    }
}

/// What may stand between the line and its test.
fn is_between(line: &str) -> bool {
    line.is_empty() || line.starts_with("#[") || line.starts_with("//")
}

/// The name of a Rust test function, or the title of a JavaScript test.
fn test_name(line: &str) -> Option<&str> {
    let line = line.trim_start_matches("pub ").trim_start_matches("async ");
    if let Some(rest) = line.strip_prefix("fn ") {
        return rest.split(['(', '<']).next();
    }
    let title = line.trim_start_matches("await ");
    let title = ["test(", "it(", "t.test("].iter().find_map(|call| title.strip_prefix(call))?;
    let quote = title.chars().next().filter(|first| ['\'', '"', '`'].contains(first))?;
    title[1..].split_once(quote).map(|(title, _)| title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_above_a_rust_or_a_javascript_test_names_what_it_holds() {
        let mut seeds = Seeds::default();
        seeds.file("tests/a.rs", "// seeds: A1, C3\n/// Why.\n#[test]\nfn a_prompt_grows() {\n").unwrap();
        seeds.file("pkg/test/a.mjs", "  // seeds: A1\n  test('stays \"blocked\"', async () => {\n").unwrap();
        let told = seeds.markdown();
        assert!(told.contains("a prompt grows (`tests/a.rs`)<br>stays \"blocked\" (`pkg/test/a.mjs`)"), "{told}");
        assert!(told.contains("grown by 20 % | a prompt grows (`tests/a.rs`) |"), "{told}");
        assert!(
            told.contains("| B7 | A damaged session can be repaired without editing data by hand | not yet |"),
            "{told}"
        );
    }

    #[test]
    fn an_unknown_requirement_and_a_line_without_a_test_are_refused_with_their_place() {
        let unknown = Seeds::default().file("a.rs", "\n// seeds: A10\nfn x() {").unwrap_err().to_string();
        assert_eq!(unknown, "a.rs:2: there is no requirement `A10`");
        let loose = Seeds::default().file("a.rs", "// seeds: A1\nlet x = 1;\n").unwrap_err().to_string();
        assert_eq!(loose, "a.rs:1: no test follows this line");
    }

    #[test]
    fn every_required_requirement_is_a_known_one() {
        assert!(REQUIRED_SEEDS.iter().all(|id| SEEDS.iter().any(|(known, _)| known == id)));
    }
}
