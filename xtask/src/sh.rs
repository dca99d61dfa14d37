//! Starting other programs: aloud, quietly, or listening to what they print.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Error, Result, anyhow, bail};

/// Says what is being done, as one line that stands out from the programs' own output; standard output stays free for
/// results.
pub(crate) fn say(what: impl AsRef<str>) {
    eprintln!("→ {}", what.as_ref());
}

/// The cargo that started us, so that a `+toolchain` choice is kept.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end; the program prints for itself. An exit code other than 0 is an error that names it.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    io::stdout().flush()?;
    let status = command.status().map_err(|error| missing(command, error))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs without a word; what it printed is returned, and shown only inside the error.
pub(crate) fn quiet(command: &mut Command) -> Result<String> {
    let Output { status, stdout, stderr } = command.output().map_err(|error| missing(command, error))?;
    if !status.success() {
        let told = [stdout, stderr].concat();
        bail!("`{}` failed ({status})\n{}", shown(command), String::from_utf8_lossy(&told).trim_end());
    }
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}

/// Runs without a word; what it told on standard error is returned.
pub(crate) fn told(command: &mut Command) -> Result<String> {
    let Output { status, stderr, .. } = command.output().map_err(|error| missing(command, error))?;
    let told = String::from_utf8_lossy(&stderr).into_owned();
    if !status.success() {
        bail!("`{}` failed ({status})\n{}", shown(command), told.trim_end());
    }
    Ok(told)
}

/// Runs with standard error shown and standard output, which is meant for us, returned.
pub(crate) fn result(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| missing(command, error))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What a program printed while it ran before our eyes, and whether it ended well.
pub(crate) struct Heard {
    pub(crate) success: bool,
    pub(crate) stdout: String,
}

/// Runs aloud and keeps a copy of standard output.
pub(crate) fn listen(command: &mut Command) -> Result<Heard> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| missing(command, error))?;
    let stdout = echo(&mut child)?;
    let status = child.wait()?;
    Ok(Heard { success: status.success(), stdout })
}

fn echo(child: &mut Child) -> Result<String> {
    let pipe = child.stdout.take().context("no standard output to listen to")?;
    let (mut reader, mut heard, mut line) = (BufReader::new(pipe), String::new(), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        let mut out = io::stdout().lock();
        out.write_all(&line)?;
        out.flush()?;
        heard.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(heard)
}

/// The first program of that name on the PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// Whether we may do what only root may.
pub(crate) fn is_root() -> bool {
    quiet(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Something this machine lacks: a tool, a browser, the network. Tests that need it are skipped, not failed.
#[derive(Debug)]
pub(crate) struct Unavailable(pub(crate) String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

fn missing(command: &Command, error: io::Error) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return anyhow!(error).context(format!("`{}` cannot be started", shown(command)));
    }
    let name = name(command.get_program());
    let advice = match name.as_str() {
        "node" | "npm" => ": install Node.js 20 or newer (it brings npm)",
        "rustup" => ": install Rust by rustup",
        _ => "",
    };
    Unavailable(format!("{name} is not on the PATH{advice}")).into()
}

fn shown(command: &Command) -> String {
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    [name(command.get_program())].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn name(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_in_one_line() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(error.to_string(), "no-such-program-here is not on the PATH");
    }

    #[test]
    fn a_failing_program_is_named_with_its_arguments() {
        let error = quiet(Command::new("sh").args(["-c", "echo why; exit 3"])).unwrap_err().to_string();
        assert!(error.starts_with("`sh -c echo why; exit 3` failed") && error.ends_with("why"), "{error}");
    }

    #[test]
    fn listening_keeps_what_was_printed_and_how_it_ended() {
        let heard = listen(Command::new("sh").args(["-c", "echo one; exit 1"])).unwrap();
        assert_eq!((heard.stdout.as_str(), heard.success), ("one\n", false));
    }
}
