//! The page in real browsers: `tests/e2e/*.test.mjs`, told where the page and the browsers are by `PAGE_URL`,
//! `CHROMIUM` and `FIREFOX`.

use std::process::Command;

use anyhow::{Result, bail};

use super::Part;
use crate::browsers::{self, Engine};
use crate::project::Project;
use crate::serve::Server;
use crate::tally::Tally;
use crate::{build, sh};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let files = project.files("tests/e2e", |name| name.ends_with(".test.mjs"));
    if files.is_empty() {
        bail!("tests/e2e holds no *.test.mjs");
    }
    let chromium = browsers::binary(Engine::Chromium)?;
    let firefox = browsers::binary(Engine::Firefox)?;
    build::all(project)?;
    let server = Server::start(&project.root.join("www/dist"), 0)?;
    let mut node = Command::new("node");
    // One file at a time: browsers that share two cores time out beside each other.
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).args(files).current_dir(&project.root);
    node.env("PAGE_URL", server.address()).env("CHROMIUM", chromium).env("FIREFOX", firefox);
    Ok(vec![Part::of("page tests", &sh::listen(&mut node)?, Tally::of_node)])
}
