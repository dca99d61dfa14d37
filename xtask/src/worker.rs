//! The chat Worker in workerd on this machine, by wrangler and as its own file says.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::demo::{ask, fetch_all};
use crate::project::Project;
use crate::serve;
use crate::sh::say;
use crate::{build, npm};

/// `cargo xtask demo --worker`.
pub(crate) fn run(project: &Project, port: u16, check: bool) -> Result<()> {
    // Said before the build, so that nobody waits for it in vain; a free port is free again when it is dropped.
    let port = serve::listen(port)?.local_addr()?.port();
    build::package(project)?;
    let mut worker = Worker::start(project, port, check)?;
    if check {
        fetch_all(port)?;
        return talk(port);
    }
    println!("The chat is at http://127.0.0.1:{port}/   (Ctrl-C stops it)");
    worker.0.wait().context("wrangler cannot be waited for").map(drop)
}

/// One message, answered as a stream; then the snapshot of its conversation.
fn talk(port: u16) -> Result<()> {
    let told = ask(port, "POST", "/chat/check", "hello")?;
    if !told.contains("\"type\":\"done\",\"text\":\"You said: hello\"") {
        bail!("the Worker did not answer a message: {told}");
    }
    let context = ask(port, "GET", "/chat/check/context", "")?;
    if !context.contains("\"durability\":\"durable\"") {
        bail!("the Worker does not say what it keeps: {context}");
    }
    say("a message is answered, and its conversation is kept");
    Ok(())
}

/// wrangler with the workerd it started; ended when dropped.
struct Worker(Child);

impl Worker {
    fn start(project: &Project, port: u16, quiet: bool) -> Result<Self> {
        let mut wrangler = Command::new(npm::bin(project, "wrangler"));
        wrangler.current_dir(&project.root).env("WRANGLER_SEND_METRICS", "false").env("CI", "1");
        wrangler.args(["dev", "--config", "www/worker/wrangler.jsonc", "--ip", "127.0.0.1", "--persist-to"]);
        wrangler.arg(project.scratch("worker")?).args(["--port", &port.to_string()]).stdin(Stdio::null());
        if quiet {
            wrangler.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut worker = Self(wrangler.spawn().context("wrangler does not start")?);
        let until = Instant::now() + STARTS_WITHIN;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = worker.0.try_wait()? {
                bail!("wrangler ended with {status} before it served anything");
            }
            if Instant::now() > until {
                bail!("wrangler served nothing within {} s", STARTS_WITHIN.as_secs());
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(worker)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Asked to, it ends its workerd too; killed, it could not.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

const STARTS_WITHIN: Duration = Duration::from_secs(60);
