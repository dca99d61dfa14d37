//! What users install: the unit tests of `pkg`, and `tests/packages/*.test.mjs` against the packed tarball in a fresh
//! folder. Those tests are copied there, so that `compaction-governor` is the installed one; `REPOSITORY` names the
//! checkout. The tools that consume it (`tests/packages/tools`) are installed once, into the user's cache folder; the
//! fresh folder lies inside that one, so that they are found above it, as in a workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use super::Part;
use crate::browsers::{self, Engine};
use crate::project::Project;
use crate::sh::{self, say};
use crate::tally::Tally;
use crate::{build, consumers, npm, promises};

pub(super) fn run(project: &Project, update: bool) -> Result<Vec<Part>> {
    build::package(project)?;
    say("unit tests of the package");
    let unit = sh::listen(npm::script(project, "pkg", "test").env("PROMISES", promises::file(project)?))?;
    let mut parts = vec![Part::of("unit tests of pkg", &unit, Tally::of_node)];
    match packed(project) {
        Ok(packed) => {
            let good = packed.success;
            parts.push(Part::of("tests of the packed package", &packed, Tally::of_node));
            // A consumer that failed is told of already.
            if good && let Err(error) = consumers::end(project, update) {
                parts.push(Part::broken("consumers of the package".to_owned(), format!("{error:#}")));
            }
        }
        Err(error) => parts.push(Part::unable("tests of the packed package", &error)),
    }
    Ok(parts)
}

fn packed(project: &Project) -> Result<sh::Heard> {
    let browsers = [("CHROMIUM", Engine::Chromium), ("FIREFOX", Engine::Firefox)];
    let browsers = browsers.map(|(name, engine)| Ok((name, browsers::binary(engine)?)));
    let browsers: Vec<_> = browsers.into_iter().collect::<Result<_>>()?;
    let consumer = Consumer::install(project)?;
    let mut tests = consumer.tests(project)?;
    sh::listen(tests.envs(browsers).env("CONSUMERS_SEEN", consumers::begin(project)?))
}

/// A fresh folder with nothing but our package installed; removed at the end.
struct Consumer(PathBuf);

impl Consumer {
    fn install(project: &Project) -> Result<Self> {
        let tools = consumers::tools(project)?;
        say("packing the package and installing it into a fresh folder");
        let consumer = Self(tools.join(format!("fresh-{}", process::id())));
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
        // One lockfile alone, that of the tools, lies on the way up: Next.js takes the folder of the topmost for its root.
        install.args([
            "install",
            "--ignore-scripts",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
        ]);
        sh::quiet(install.arg(tarball).current_dir(folder))?;
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
        // A folder left there harms nobody.
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
