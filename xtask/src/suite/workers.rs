//! Durable Objects and what else a Worker keeps sessions in: `tests/workers/*.test.mjs` in workerd, which npm brings. `REDIS_SERVER`,
//! `CHROMIUM` and `FIREFOX` say where the rest is.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::Part;
use crate::browsers::{self, Engine, Wanted};
use crate::project::Project;
use crate::tally::Tally;
use crate::{build, npm, sh};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let mut files = project.files("tests/workers", |name| name.ends_with(".test.mjs"));
    if files.is_empty() {
        bail!("tests/workers holds no *.test.mjs");
    }
    build::package(project)?;
    let mut node = npm::node_test(project)?;
    let mut parts = Vec::new();
    for (variable, found, file) in programs() {
        match found {
            Ok(program) => {
                node.env(variable, program);
            }
            Err(error) => {
                files.retain(|other| !other.ends_with(file));
                parts.push(Part::unable(file, &error));
            }
        }
    }
    parts.push(Part::of("tests in workerd", &sh::listen(node.args(files))?, Tally::of_node));
    Ok(parts)
}

/// What else is needed: its variable, where it is, and the file that needs it.
fn programs() -> [(&'static str, Result<PathBuf>, &'static str); 4] {
    [
        ("REDIS_SERVER", REDIS.find(), "tests/workers/redis.test.mjs"),
        ("CHROMIUM", browsers::binary(Engine::Chromium), "tests/workers/move.test.mjs"),
        ("CHROMIUM", browsers::binary(Engine::Chromium), "tests/workers/page.test.mjs"),
        ("FIREFOX", browsers::binary(Engine::Firefox), "tests/workers/move.test.mjs"),
    ]
}

const REDIS: Wanted =
    Wanted { what: "Redis", variable: "REDIS_SERVER", names: &["redis-server"], debian: "redis-server" };
