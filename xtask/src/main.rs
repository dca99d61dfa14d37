//! The house of Compaction Governor: one command that serves the page, one that tests, one that checks, one that
//! mends. Every command sets up what it needs, says what it is doing, and keeps what it made for the next time.

mod arrange;
mod bench;
mod browsers;
mod build;
mod consumers;
mod demo;
mod npm;
mod project;
mod promises;
mod readme;
mod seeds;
mod serve;
mod sh;
mod size;
mod stamp;
mod standard_library;
mod suite;
mod tables;
mod tally;
mod tidy;
mod tools;
mod verify;
mod worker;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

use project::Project;
use suite::Stage;

const HELP: &str = "\
cargo xtask <command>

  demo [--port N] [--check]   build the page and serve it (port 8787; 0 takes a free one); --check fetches it and stops
       [--worker]            the chat in a Durable Object instead, in workerd
  test [--only STAGE]         run every test; stages: native, browser, e2e, packages, workers; --update keeps
                              what was seen of the stores' promises and of the package's consumers for README
  verify                      only checks: format, lints, docs, layers, licences, size, types, README
  fix                         repairs what `verify` can repair: format, lints, README blocks
  build                       WASM, package and page
  bench [--update]            measure; --update keeps the figures README shows
  size [--json] [--update] [--features]
                              the WASM and its glue against the limit, and what each entry and format weighs;
                              --features builds and weighs each cargo feature anew (minutes)";

fn main() -> ExitCode {
    match parse().and_then(perform) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

enum Task {
    Help,
    Demo { port: Option<u16>, check: bool, in_worker: bool },
    Test { only: Option<Stage>, update: bool },
    Verify,
    Fix,
    Build,
    Bench { update: bool },
    Size { json: bool, update: bool, features: bool },
}

fn parse() -> Result<Task> {
    let mut args = lexopt::Parser::from_env();
    let (mut command, mut port, mut only) = (None, None, None);
    let (mut check, mut in_worker, mut update, mut json, mut features) = (false, false, false, false, false);
    while let Some(arg) = args.next()? {
        match (arg, command.as_deref()) {
            (Short('h') | Long("help"), _) => return Ok(Task::Help),
            (Value(name), None) => command = Some(name.string()?),
            (Long("port"), Some("demo")) => port = Some(args.value()?.parse()?),
            (Long("check"), Some("demo")) => check = true,
            (Long("worker"), Some("demo")) => in_worker = true,
            (Long("only"), Some("test")) => only = Some(args.value()?.string()?.parse()?),
            (Long("update"), Some("bench" | "size" | "test")) => update = true,
            (Long("json"), Some("size")) => json = true,
            (Long("features"), Some("size")) => features = true,
            (other, _) => return Err(other.unexpected().into()),
        }
    }
    Ok(match command.as_deref() {
        None | Some("help") => Task::Help,
        Some("demo") => Task::Demo { port, check, in_worker },
        Some("test") => Task::Test { only, update },
        Some("verify") => Task::Verify,
        Some("fix") => Task::Fix,
        Some("build") => Task::Build,
        Some("bench") => Task::Bench { update },
        Some("size") => Task::Size { json, update, features },
        Some(other) => bail!("there is no command `{other}`\n\n{HELP}"),
    })
}

fn perform(task: Task) -> Result<ExitCode> {
    let project = Project::open()?;
    match task {
        Task::Help => println!("{HELP}"),
        Task::Demo { port, check, in_worker } => demo::run(&project, port, check, in_worker)?,
        Task::Test { only, update } => return suite::run(&project, only, update),
        Task::Verify => verify::run(&project)?,
        Task::Fix => verify::fix(&project)?,
        Task::Build => build::all(&project)?,
        Task::Bench { update } => bench::run(&project, update)?,
        Task::Size { json, update, features } => size::run(&project, json, update, features)?,
    }
    Ok(ExitCode::SUCCESS)
}
