//! A static file server for one folder: enough for the page and its tests, nothing for the world.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow, bail};
use tiny_http::{Header, Method, Request, Response};

/// A running server; dropping it stops it.
pub(crate) struct Server {
    inner: Arc<tiny_http::Server>,
    workers: Vec<JoinHandle<()>>,
    /// The port that is really used.
    pub(crate) port: u16,
}

impl Server {
    /// Serves `folder` on the loopback interface; port 0 takes a free one.
    pub(crate) fn start(folder: &Path, port: u16) -> Result<Self> {
        let root = folder.canonicalize().with_context(|| format!("{} is not there", folder.display()))?;
        let listener = listen(port)?;
        let port = listener.local_addr()?.port();
        let inner = tiny_http::Server::from_listener(listener, None).map_err(|error| anyhow!(error))?;
        let inner = Arc::new(inner);
        let workers = (0..WORKERS).map(|_| work(Arc::clone(&inner), root.clone())).collect();
        Ok(Self { inner, workers, port })
    }

    /// The address to type into a browser.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until the process is ended.
    pub(crate) fn forever(mut self) {
        for worker in std::mem::take(&mut self.workers) {
            let _ = worker.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for _ in &self.workers {
            self.inner.unblock();
        }
    }
}

/// Takes the port, or says in one sentence why that cannot be.
pub(crate) fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow!("port {port} is in use: choose another with `cargo xtask demo --port {}`", other(port))
        }
        _ => anyhow!("port {port} cannot be used ({error}): choose another with `--port`"),
    })
}

fn other(port: u16) -> u16 {
    port.checked_add(1).unwrap_or(DEFAULT_PORT)
}

/// The port when none is named.
pub(crate) const DEFAULT_PORT: u16 = 8787;
/// Browsers open up to six connections to one host; a few workers keep one slow reader from blocking the rest.
const WORKERS: usize = 4;

fn work(server: Arc<tiny_http::Server>, root: PathBuf) -> JoinHandle<()> {
    thread::spawn(move || {
        while let Ok(request) = server.recv() {
            answer(request, &root);
        }
    })
}

fn answer(request: Request, root: &Path) {
    let reply = match request.method() {
        Method::Get | Method::Head => reply(root, request.url()),
        _ => Reply::plain(405, "only GET and HEAD"),
    };
    let mut response = Response::from_data(reply.body).with_status_code(reply.status);
    for (name, value) in
        [("Content-Type", reply.mime), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
    {
        response.add_header(Header::from_bytes(name, value).expect("names and values are fixed ASCII"));
    }
    // The reader may have gone away; there is nobody left to tell.
    let _ = request.respond(response);
}

struct Reply {
    status: u16,
    mime: &'static str,
    body: Vec<u8>,
}

impl Reply {
    fn plain(status: u16, text: &str) -> Self {
        Self { status, mime: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes() }
    }
}

fn reply(root: &Path, url: &str) -> Reply {
    let Ok(file) = resolve(root, url) else { return Reply::plain(404, "not found") };
    match fs::read(&file) {
        Ok(body) => Reply { status: 200, mime: mime(&file), body },
        Err(_) => Reply::plain(404, "not found"),
    }
}

/// The file a URL means. An error for whatever lies outside the root, symbolic links followed, or is hidden.
fn resolve(root: &Path, url: &str) -> Result<PathBuf> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = decoded(path.trim_start_matches('/')).context("not a path")?;
    let plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    if path.contains(['\\', '\0']) || !Path::new(&path).components().all(plain) {
        bail!("leaves the folder");
    }
    let mut file = root.join(path);
    if file.is_dir() {
        file.push("index.html");
    }
    let file = file.canonicalize()?;
    if !file.starts_with(root) {
        bail!("leaves the folder");
    }
    Ok(file)
}

fn decoded(path: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? * 16 + hex(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" | "md" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cg-serve-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("site/deep")).unwrap();
        fs::write(folder.join("secret.txt"), "secret").unwrap();
        fs::write(folder.join("site/index.html"), "<p>page").unwrap();
        fs::write(folder.join("site/a b.wasm"), "\0asm").unwrap();
        fs::write(folder.join("site/.hidden"), "secret").unwrap();
        folder.canonicalize().unwrap()
    }

    #[test]
    fn a_file_is_served_with_its_type_and_a_folder_as_its_index() {
        let root = folder("types").join("site");
        let page = reply(&root, "/?x=1#y");
        assert_eq!((page.status, page.mime, &page.body[..]), (200, "text/html; charset=utf-8", &b"<p>page"[..]));
        assert_eq!(reply(&root, "/a%20b.wasm").mime, "application/wasm");
        assert_eq!(reply(&root, "/deep").status, 404);
        assert_eq!(reply(&root, "/none.js").status, 404);
        fs::remove_dir_all(root.parent().unwrap()).unwrap();
    }

    #[test]
    fn no_spelling_of_a_path_leaves_the_folder_or_shows_a_hidden_file() {
        let root = folder("escape").join("site");
        let secret = root.parent().unwrap().join("secret.txt");
        std::os::unix::fs::symlink(&secret, root.join("link.txt")).unwrap();
        let absolute = format!("/{}", secret.display());
        let escapes = [
            "/../secret.txt",
            "/deep/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..\\secret.txt",
            "/%5c..%5csecret.txt",
            "/deep/%2e%2e/%2e%2e/secret.txt",
            "/link.txt",
            "/.hidden",
            "/%2ehidden",
            "/index.html%00",
            "/%zz",
            "/%",
            absolute.as_str(),
        ];
        for url in escapes {
            assert_eq!(reply(&root, url).status, 404, "{url}");
        }
        fs::remove_dir_all(root.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_port_in_use_is_said_in_one_sentence_that_names_the_way_out() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let refusal = listen(port).unwrap_err().to_string();
        assert!(refusal.starts_with(&format!("port {port} is in use")) && refusal.contains("--port"), "{refusal}");
    }
}
