//! What must not be in the tree: paths of this machine, registry hosts, loose ends, files too long to read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::project::Project;

/// An error that lists every place.
pub(crate) fn check(project: &Project) -> Result<()> {
    let rules = Rules::of_this_machine(project);
    let mut found = Vec::new();
    walk(&project.root, Path::new(""), &mut |file| {
        if let Ok(text) = fs::read_to_string(project.root.join(file)) {
            found.extend(rules.breaches(&file.display().to_string(), &text));
        }
    })?;
    if !found.is_empty() {
        bail!("{}", found.join("\n"));
    }
    Ok(())
}

struct Rules {
    folders: Vec<String>,
}

impl Rules {
    fn of_this_machine(project: &Project) -> Self {
        let home = env::var_os("HOME").map(PathBuf::from);
        let named = [Some(project.root.clone()), home].into_iter().flatten();
        let folders = named.filter(|folder| folder.parent().is_some()).map(|folder| format!("{}/", folder.display()));
        Self { folders: folders.collect() }
    }

    fn breaches(&self, file: &str, text: &str) -> Vec<String> {
        let is_code = CODE.iter().any(|end| file.ends_with(end));
        let is_lock = file.ends_with("package-lock.json");
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let mut tell = |what: &str| found.push(format!("{file}:{}: {what}", number + 1));
            if self.folders.iter().any(|folder| line.contains(folder)) {
                tell("a path of this machine");
            }
            if HOSTS.iter().any(|host| line.contains(host)) && file != "Cargo.lock" {
                tell("a registry host");
            }
            if is_lock && line.contains("\"resolved\": \"http") {
                tell("`resolved` ties the lockfile to one registry");
            }
            if is_code && LOOSE.iter().any(|end| line.contains(end)) {
                tell("a loose end");
            }
        }
        let lines = text.lines().count();
        if is_code && lines > LONGEST {
            found.push(format!("{file}: {lines} lines, more than {LONGEST}"));
        }
        found
    }
}

const CODE: [&str; 5] = [".rs", ".ts", ".tsx", ".mjs", ".js"];
/// Hard stop for one file; a longer one hides a wall in the wrong place.
const LONGEST: usize = 500;
// Written apart, so that this file does not find itself.
const HOSTS: [&str; 4] = [
    concat!("registry.", "npmjs"),
    concat!("static.rust-", "lang"),
    concat!("pypi", ".org"),
    concat!("deb.", "debian"),
];
const LOOSE: [&str; 7] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("X", "XX"),
    concat!(".on", "ly("),
    concat!("#[ig", "nore"),
    concat!("unimpl", "emented!"),
    concat!("to", "do!("),
];

fn walk(root: &Path, folder: &Path, visit: &mut impl FnMut(&Path)) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, folder.join(entry.file_name()));
        let made = ["target", "node_modules", "dist", ".git"].iter().any(|name| path.ends_with(name));
        if kind.is_dir() && !made {
            walk(root, &path, visit)?;
        } else if kind.is_file() && path.extension().is_none_or(|end| end != "log") {
            visit(&path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(file: &str, text: &str) -> Vec<String> {
        Rules { folders: vec!["/home/someone/".to_owned()] }.breaches(file, text)
    }

    #[test]
    fn a_path_of_this_machine_is_found_with_its_line() {
        assert_eq!(breaches("a.md", "fine\nsee /home/someone/x"), ["a.md:2: a path of this machine"]);
    }

    #[test]
    fn a_lockfile_tied_to_a_registry_is_refused_and_a_workspace_link_is_not() {
        assert!(breaches("package-lock.json", "\"resolved\": \"pkg\",\n").is_empty());
        assert_eq!(breaches("package-lock.json", "\"resolved\": \"https://mirror.example/x.tgz\"").len(), 1);
    }

    #[test]
    fn loose_ends_and_long_files_are_refused_in_code_alone() {
        let loose = format!("// {} later", LOOSE[0]);
        assert_eq!(breaches("a.rs", &loose), ["a.rs:1: a loose end"]);
        assert!(breaches("a.md", &loose).is_empty());
        assert_eq!(breaches("a.ts", &"x\n".repeat(501)), ["a.ts: 501 lines, more than 500"]);
    }
}
