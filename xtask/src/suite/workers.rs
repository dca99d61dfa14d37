//! Durable Objects and what else a Worker keeps sessions in: `tests/workers/*.test.mjs` in workerd, which npm brings, and
//! against a Redis server, which `REDIS_SERVER` names.

use anyhow::{Result, bail};

use super::Part;
use crate::browsers::Wanted;
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
    match REDIS.find() {
        Ok(redis) => {
            node.env("REDIS_SERVER", redis);
        }
        Err(error) => {
            files.retain(|file| !file.ends_with(REDIS_ALONE));
            parts.push(Part::unable("sessions in Redis", &error));
        }
    }
    parts.push(Part::of("tests in workerd", &sh::listen(node.args(files))?, Tally::of_node));
    Ok(parts)
}

const REDIS: Wanted =
    Wanted { what: "Redis", variable: "REDIS_SERVER", names: &["redis-server"], debian: "redis-server" };
/// The file that needs Redis and nothing else.
const REDIS_ALONE: &str = "tests/workers/redis.test.mjs";
