//! Whether something must be made again: a hash over its inputs and its outputs, kept from the last time.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xxhash_rust::xxh3::Xxh3;

use crate::project::Project;

/// One thing that is made from files.
pub(crate) struct Stamp {
    file: PathBuf,
    inputs: Vec<PathBuf>,
    outputs: Vec<PathBuf>,
    settings: String,
}

impl Stamp {
    /// `inputs` and `outputs` are files or folders; `settings` is whatever else decides the result.
    pub(crate) fn new(project: &Project, name: &str, settings: String) -> Result<Self> {
        let file = project.scratch("stamps")?.join(name);
        Ok(Self { file, inputs: Vec::new(), outputs: Vec::new(), settings })
    }

    pub(crate) fn reads(mut self, path: PathBuf) -> Self {
        self.inputs.push(path);
        self
    }

    pub(crate) fn writes(mut self, path: PathBuf) -> Self {
        self.outputs.push(path);
        self
    }

    /// True when nothing that is read or written has changed since [`Stamp::keep`].
    pub(crate) fn is_fresh(&self) -> bool {
        let outputs_exist = self.outputs.iter().all(|path| path.exists());
        outputs_exist && fs::read_to_string(&self.file).is_ok_and(|kept| self.state().is_ok_and(|now| now == kept))
    }

    /// Remembers the present state as made.
    pub(crate) fn keep(&self) -> Result<()> {
        fs::write(&self.file, self.state()?).with_context(|| format!("{} cannot be written", self.file.display()))
    }

    fn state(&self) -> Result<String> {
        let mut hash = Xxh3::new();
        hash.update(self.settings.as_bytes());
        for path in self.inputs.iter().chain(&self.outputs) {
            feed(&mut hash, path)?;
        }
        Ok(format!("{:032x}", hash.digest128()))
    }
}

fn feed(hash: &mut Xxh3, path: &Path) -> Result<()> {
    hash.update(path.as_os_str().as_encoded_bytes());
    if !path.is_dir() {
        // An input that does not exist is a state like any other: it hashes as its bare name.
        hash.update(&fs::read(path).unwrap_or_default());
        return Ok(());
    }
    let mut inside: Vec<_> = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    inside.retain(|path| !MADE.iter().any(|made| path.ends_with(made)));
    inside.sort();
    inside.iter().try_for_each(|path| feed(hash, path))
}

/// Folders inside an input that are made from it. An output is named in full, so it is never one of these.
const MADE: [&str; 2] = ["dist", "node_modules"];

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(folder: &Path) -> Stamp {
        let (file, settings) = (folder.join("stamp"), "same".to_owned());
        Stamp { file, inputs: vec![folder.join("in")], outputs: vec![folder.join("out")], settings }
    }

    #[test]
    fn a_stamp_is_stale_before_the_first_time_and_after_any_change() {
        let folder = std::env::temp_dir().join(format!("cg-stamp-{}", std::process::id()));
        fs::create_dir_all(folder.join("in/deep")).unwrap();
        fs::write(folder.join("in/deep/a"), "1").unwrap();
        fs::write(folder.join("out"), "made").unwrap();
        assert!(!stamp(&folder).is_fresh());

        stamp(&folder).keep().unwrap();
        assert!(stamp(&folder).is_fresh());

        fs::write(folder.join("in/deep/a"), "2").unwrap();
        assert!(!stamp(&folder).is_fresh(), "an input changed");
        stamp(&folder).keep().unwrap();
        fs::write(folder.join("out"), "touched by hand").unwrap();
        assert!(!stamp(&folder).is_fresh(), "an output changed");
        stamp(&folder).keep().unwrap();
        fs::remove_file(folder.join("out")).unwrap();
        assert!(!stamp(&folder).is_fresh(), "an output is gone");
        fs::remove_dir_all(folder).unwrap();
    }
}
