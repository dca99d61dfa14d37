//! Serving the page, and a check that it can be served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::project::Project;
use crate::serve::{self, DEFAULT_PORT, Server};
use crate::sh::say;
use crate::worker;

/// `cargo xtask demo`.
pub(crate) fn run(project: &Project, port: Option<u16>, check: bool, in_worker: bool) -> Result<()> {
    let port = port.unwrap_or(DEFAULT_PORT);
    if in_worker {
        return worker::run(project, port, check);
    }
    // Said before the build, so that nobody waits for it in vain.
    drop(serve::listen(port)?);
    build::all(project)?;
    let server = Server::start(&project.root.join("www/dist"), port)?;
    if check {
        return fetch_all(server.port);
    }
    println!("The page is at {}   (Ctrl-C stops it)", server.address());
    server.forever();
    Ok(())
}

/// The page and all that it names.
pub(crate) fn fetch_all(port: u16) -> Result<()> {
    let page = fetch(port, "/")?;
    let text = String::from_utf8_lossy(&page.body).into_owned();
    if !page.head.contains("text/html") || text.is_empty() {
        bail!("the page is not served as HTML");
    }
    let assets = named_assets(&text);
    if assets.is_empty() {
        bail!("the page names no script and no style: nothing would run");
    }
    for asset in &assets {
        let reply = fetch(port, &format!("/{}", asset.trim_start_matches("./").trim_start_matches('/')))?;
        if reply.body.is_empty() || reply.head.contains("application/octet-stream") {
            bail!("{asset} is empty or of no known type");
        }
    }
    say(format!("the page and {} it names are served", assets.join(", ")));
    Ok(())
}

/// What the page's `src` and `href` attributes name on this server.
fn named_assets(html: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for attribute in [" src=\"", " href=\""] {
        let values = html.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
        let local = values.filter(|value| !value.is_empty() && !value.starts_with(['#', '?']) && !value.contains(':'));
        found.extend(local.map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

struct Fetched {
    head: String,
    body: Vec<u8>,
}

/// The body of a reply, with `sent` as that of the request.
pub(crate) fn ask(port: u16, method: &str, path: &str, sent: &str) -> Result<String> {
    Ok(String::from_utf8_lossy(&request(port, method, path, sent)?.body).into_owned())
}

fn fetch(port: u16, path: &str) -> Result<Fetched> {
    request(port, "GET", path, "")
}

fn request(port: u16, method: &str, path: &str, sent: &str) -> Result<Fetched> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("the server does not answer")?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let length = sent.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{sent}"
    )?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).with_context(|| format!("{path} does not come"))?;
    let end =
        reply.windows(4).position(|window| window == b"\r\n\r\n").with_context(|| format!("{path} is no reply"))?;
    let head = String::from_utf8_lossy(&reply[..end]).into_owned();
    if head.split(' ').nth(1) != Some("200") {
        bail!("{path} is answered by `{}`", head.lines().next().unwrap_or_default());
    }
    let body = reply.split_off(end + 4);
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return Ok(Fetched { head, body });
    }
    let body = unchunked(&body).with_context(|| format!("{path} is answered by chunks that do not end"))?;
    Ok(Fetched { head, body })
}

/// What a body in chunks holds.
fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let length = usize::from_str_radix(str::from_utf8(&rest[..end]).ok()?.trim(), 16).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + length)?);
        rest = rest.get(end + 4 + length..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assets_of_a_page_are_its_own_scripts_styles_and_images() {
        let html = r##"<link rel="icon" href="data:,"><link rel=stylesheet href="./page.css"><a href="#top">
            <a href="https://example.org/x"><script type=module src="/main.js"></script><img src="a.svg"><img src="a.svg">"##;
        assert_eq!(named_assets(html), ["./page.css", "/main.js", "a.svg"]);
    }

    #[test]
    fn a_body_in_chunks_is_put_together_and_a_torn_one_is_none() {
        assert_eq!(unchunked(b"4\r\nYou \r\n5\r\nsaid:\r\n0\r\n\r\n").unwrap(), b"You said:");
        assert_eq!(unchunked(b"4\r\nYo"), None);
    }

    #[test]
    fn a_served_file_is_fetched_and_a_missing_one_is_an_error_with_its_status() {
        let folder = std::env::temp_dir().join(format!("cg-demo-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("index.html"), "<p>").unwrap();
        let server = Server::start(&folder, 0).unwrap();
        assert_eq!(fetch(server.port, "/").unwrap().body, b"<p>");
        let error = fetch(server.port, "/none.js").err().unwrap().to_string();
        assert!(error.contains("/none.js") && error.contains("404"), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
