//! The page and the storage faults in real browsers: `tests/e2e/*.test.mjs`, told where the page and the browsers are by
//! `PAGE_URL`, `CHROMIUM`, `FIREFOX`, `MINIBROWSER` and `XVFB_RUN`.

use anyhow::{Result, bail};

use super::Part;
use crate::browsers::{self, Engine};
use crate::project::Project;
use crate::serve::Server;
use crate::tally::Tally;
use crate::{build, npm, sh};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let mut files = project.files("tests/e2e", |name| name.ends_with(".test.mjs"));
    if files.is_empty() {
        bail!("tests/e2e holds no *.test.mjs");
    }
    let chromium = browsers::binary(Engine::Chromium)?;
    let firefox = browsers::binary(Engine::Firefox)?;
    let webkit =
        browsers::binary(Engine::WebKitGtk).and_then(|program| Ok((program, browsers::screen(Engine::WebKitGtk)?)));
    build::all(project)?;
    let server = Server::start(&project.root.join("www/dist"), 0)?;
    let mut node = npm::node_test(project)?;
    node.env("PAGE_URL", server.address()).env("CHROMIUM", chromium).env("FIREFOX", firefox);
    let mut parts = Vec::new();
    match webkit {
        Ok((program, screen)) => {
            node.env("MINIBROWSER", program).envs(screen.map(|screen| ("XVFB_RUN", screen)));
        }
        Err(error) => {
            files.retain(|file| !file.ends_with(WEBKIT_ALONE));
            parts.push(Part::unable("page tests in WebKitGTK", &error));
        }
    }
    parts.push(Part::of("page tests", &sh::listen(node.args(files))?, Tally::of_node));
    Ok(parts)
}

/// The file that needs WebKitGTK and nothing else.
const WEBKIT_ALONE: &str = "tests/e2e/storage-webkit.test.mjs";
