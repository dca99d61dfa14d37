//! What users install: the unit tests of `pkg`, and `tests/packages/*.test.mjs` against the packed tarball in a folder
//! of its own. Those tests are copied there, so that `compaction-governor` is the installed one; `REPOSITORY` names
//! the checkout.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use super::Part;
use crate::project::Project;
use crate::promises;
use crate::sh::{self, say};
use crate::tally::Tally;
use crate::{build, npm};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    build::package(project)?;
    say("unit tests of the package");
    let unit = sh::listen(npm::script(project, "pkg", "test").env("PROMISES", promises::file(project)?))?;
    let consumer = Consumer::install(project)?;
    let packed = sh::listen(&mut consumer.tests(project)?)?;
    Ok(vec![
        Part::of("unit tests of pkg", &unit, Tally::of_node),
        Part::of("tests of the packed package", &packed, Tally::of_node),
    ])
}

/// A fresh folder with nothing but our package installed; removed at the end.
struct Consumer(PathBuf);

impl Consumer {
    fn install(project: &Project) -> Result<Self> {
        say("packing the package and installing it into a fresh folder");
        let consumer = Self(env::temp_dir().join(format!("compaction-governor-consumer-{}", process::id())));
        let folder = &consumer.0;
        fs::create_dir_all(folder)?;
        let mut pack = npm::npm(project);
        pack.args(["pack", "--workspace", "pkg", "--json", "--pack-destination"]).arg(folder);
        sh::quiet(&mut pack)?;
        let tarball = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
        let tarball = tarball.into_iter().find(|path| path.extension().is_some_and(|end| end == "tgz"));
        let tarball = tarball.context("npm pack wrote no tarball")?;
        fs::write(folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
        let mut install = npm::npm(project);
        install.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]).arg(tarball);
        sh::quiet(install.current_dir(folder))?;
        copy(&project.root.join("tests/packages"), &folder.join("tests"))?;
        Ok(consumer)
    }

    fn tests(&self, project: &Project) -> Result<Command> {
        let files = project.files("tests/packages", |name| name.ends_with(".test.mjs"));
        if files.is_empty() {
            bail!("tests/packages holds no *.test.mjs");
        }
        let names = files.iter().filter_map(|file| Some(Path::new("tests").join(file.file_name()?)));
        let mut node = npm::node_test(project)?;
        node.args(names).current_dir(&self.0).env("REPOSITORY", &project.root);
        Ok(node)
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        // A folder left in the temporary directory harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
    } else if from.exists() {
        fs::copy(from, to)?;
    }
    Ok(())
}
