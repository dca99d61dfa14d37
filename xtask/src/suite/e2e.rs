//! The page in real browsers: `tests/e2e/*.test.mjs`, told where the page and the browsers are by `PAGE_URL`,
//! `CHROMIUM` and `FIREFOX`.

use anyhow::{Result, bail};

use super::Part;
use crate::browsers::{self, Engine};
use crate::project::Project;
use crate::serve::Server;
use crate::tally::Tally;
use crate::{build, npm, sh};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let files = project.files("tests/e2e", |name| name.ends_with(".test.mjs"));
    if files.is_empty() {
        bail!("tests/e2e holds no *.test.mjs");
    }
    let chromium = browsers::binary(Engine::Chromium)?;
    let firefox = browsers::binary(Engine::Firefox)?;
    build::all(project)?;
    let server = Server::start(&project.root.join("www/dist"), 0)?;
    let mut node = npm::node_test(project)?;
    node.args(files).env("PAGE_URL", server.address()).env("CHROMIUM", chromium).env("FIREFOX", firefox);
    Ok(vec![Part::of("page tests", &sh::listen(&mut node)?, Tally::of_node)])
}
