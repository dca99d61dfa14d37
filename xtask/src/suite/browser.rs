//! `#[wasm_bindgen_test]` in real engines: `tests/wasm_*.rs` in Chromium and Firefox, and in Node unless the file is
//! configured for a browser; `tests/wasm_conformance_*.rs` in WebKitGTK as well; `tests/node_*.rs` in Node alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Part;
use crate::browsers::{self, Engine};
use crate::project::Project;
use crate::promises::{self, Sighting};
use crate::sh::{self, say};
use crate::tally::Tally;
use crate::{npm, tools};

pub(super) fn run(project: &Project) -> Result<Vec<Part>> {
    let sources = project
        .files("tests", |name| (name.starts_with("wasm_") || name.starts_with("node_")) && name.ends_with(".rs"));
    tools::wasm_target(project)?;
    let compiled = compile(project, &sources)?;
    let runner = tools::wasm_test_runner(project)?;
    let mut parts = Vec::new();
    let windows = [Engine::Chromium, Engine::Firefox, Engine::WebKitGtk].map(Place::Window);
    for place in [Place::Node].into_iter().chain(windows) {
        let mine: Vec<_> = compiled.iter().filter(|test| test.places.contains(&place)).collect();
        if mine.is_empty() {
            continue;
        }
        match place.runner(project, &runner) {
            Ok(prepare) => parts.extend(mine.iter().map(|test| test.run(project, place, prepare()))),
            Err(error) => parts.push(Part::unable(format!("tests in {}", place.name()), &error)),
        }
    }
    if parts.is_empty() {
        bail!("tests/ holds no wasm_*.rs and no node_*.rs");
    }
    Ok(parts)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Node,
    Window(Engine),
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Window(engine) => engine.name(),
        }
    }

    /// Sets up the place once; the result makes one runner per test file.
    fn runner(self, project: &Project, runner: &Path) -> Result<impl Fn() -> Command> {
        let (runner, mut settings, mut screen) = (runner.to_path_buf(), Vec::new(), None);
        match self {
            Self::Node => {
                npm::node_version()?;
            }
            Self::Window(engine) => {
                settings.push(("WASM_BINDGEN_USE_BROWSER", "1".into()));
                settings.extend(browsers::webdriver(project, engine)?);
                screen = browsers::screen(engine)?;
            }
        }
        Ok(move || {
            let mut command = match &screen {
                None => Command::new(&runner),
                Some(screen) => {
                    let mut command = Command::new(screen);
                    command.arg("--auto-servernum").arg(&runner);
                    command
                }
            };
            for driver in OTHER_DRIVERS {
                command.env_remove(driver);
            }
            command.envs(settings.iter().cloned()).env("WASM_BINDGEN_TEST_TIMEOUT", "300");
            command.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
            command
        })
    }
}

/// The runner takes the first driver it finds named; only ours may be.
const OTHER_DRIVERS: [&str; 4] = ["CHROMEDRIVER", "GECKODRIVER", "SAFARIDRIVER", "MSEDGEDRIVER"];

struct Compiled {
    name: String,
    wasm: PathBuf,
    places: Vec<Place>,
}

impl Compiled {
    fn run(&self, project: &Project, place: Place, mut runner: Command) -> Part {
        let name = format!("{} in {}", self.name, place.name());
        say(&name);
        let heard = sh::listen(runner.arg(&self.wasm)).and_then(|heard| {
            self.note_contract(project, place, &heard.stdout)?;
            Ok(heard)
        });
        match heard {
            Ok(heard) => Part::of(name, &heard, Tally::of_rust),
            Err(error) => Part::unable(name, &error),
        }
    }

    /// A browser's tests write no files: what they saw of the contract is counted from what the runner prints.
    fn note_contract(&self, project: &Project, place: Place, stdout: &str) -> Result<()> {
        let stores = [("indexed_db", "indexedDb"), ("local_storage", "localStorageStore"), ("injected", "injected")];
        let tested = self.name.strip_prefix("wasm_conformance_");
        let Some((_, store)) = stores.iter().find(|(file, _)| tested == Some(file)) else { return Ok(()) };
        let contract = fs::read_to_string(project.root.join("src/store/conformance/mod.rs"))?;
        let (kept, of) = clauses_kept(&contract, stdout);
        // An engine that did not start has tried nothing; its part says why.
        if of == 0 {
            return Ok(());
        }
        promises::note(project, &Sighting::new(store, place.name(), "contract", kept, of))
    }
}

fn compile(project: &Project, sources: &[PathBuf]) -> Result<Vec<Compiled>> {
    say("compiling the tests to WASM");
    let names: Vec<_> = sources.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
    let mut cargo = sh::cargo();
    cargo.args(["test", "--no-run", "--locked", "--all-features", "--package", "compaction-governor"]);
    cargo.args(["--target", &project.settings.wasm.target, "--message-format=json-render-diagnostics"]);
    cargo.args(names.iter().flat_map(|name| ["--test", name])).current_dir(&project.root);
    let built = executables(&sh::result(&mut cargo)?);
    sources
        .iter()
        .zip(names)
        .map(|(source, name)| {
            let wasm = built.get(name).with_context(|| format!("cargo built no {name}"))?.clone();
            let text = fs::read_to_string(project.root.join(source))?;
            Ok(Compiled { name: name.to_owned(), wasm, places: places(name, &text) })
        })
        .collect()
}

/// Where a test file runs, by its name and its `wasm_bindgen_test_configure!`.
fn places(name: &str, source: &str) -> Vec<Place> {
    let windows = [Place::Window(Engine::Chromium), Place::Window(Engine::Firefox)];
    if name.starts_with("node_") {
        vec![Place::Node]
    } else if source.contains("run_in_shared_worker") || source.contains("run_in_service_worker") {
        // Firefox's driver cannot start the runner's page in these.
        vec![windows[0]]
    } else {
        let node = (!source.contains("wasm_bindgen_test_configure!")).then_some(Place::Node);
        let webkit = name.starts_with("wasm_conformance_").then_some(Place::Window(Engine::WebKitGtk));
        node.into_iter().chain(windows).chain(webkit).collect()
    }
}

/// How many tests are named after a clause of the contract, and how many of them passed.
fn clauses_kept(contract: &str, stdout: &str) -> (u64, u64) {
    let listed = contract.split_once("$with! {").and_then(|(_, rest)| rest.split_once('}'));
    let clauses: Vec<_> = listed.map_or("", |(list, _)| list).split_whitespace().collect();
    let (mut kept, mut of) = (0, 0);
    for line in stdout.lines() {
        let Some((path, verdict)) = line.trim().strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) else {
            continue;
        };
        if clauses.contains(&path.rsplit("::").next().unwrap_or(path)) {
            of += 1;
            kept += u64::from(verdict.starts_with("ok"));
        }
    }
    (kept, of)
}

fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    artifacts
        .filter_map(|artifact| {
            let name = artifact.pointer("/target/name")?.as_str()?.to_owned();
            Some((name, PathBuf::from(artifact.get("executable")?.as_str()?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOWS: [Place; 2] = [Place::Window(Engine::Chromium), Place::Window(Engine::Firefox)];

    #[test]
    fn a_test_file_runs_where_its_name_and_configuration_allow() {
        assert_eq!(places("node_import", ""), [Place::Node]);
        assert_eq!(places("wasm_core", "fn plain() {}"), [Place::Node, WINDOWS[0], WINDOWS[1]]);
        assert_eq!(places("wasm_idb", "wasm_bindgen_test_configure!(run_in_browser);"), WINDOWS);
        let all = [&WINDOWS[..], &[Place::Window(Engine::WebKitGtk)]].concat();
        assert_eq!(places("wasm_conformance_idb", "wasm_bindgen_test_configure!(run_in_browser);"), all);
        assert_eq!(places("wasm_conformance_js", ""), [&[Place::Node], &all[..]].concat());
        assert_eq!(places("wasm_sw", "wasm_bindgen_test_configure!(run_in_service_worker);"), WINDOWS[..1]);
    }

    #[test]
    fn the_clauses_that_were_kept_are_counted_and_other_tests_are_not() {
        let contract = "macro { $with! {\n a_first\n b_second\n } }";
        let printed = "test conformance::a_first ... ok\ntest b_second ... FAIL\ntest another ... ok\n";
        assert_eq!(clauses_kept(contract, printed), (1, 2));
    }

    #[test]
    fn the_executables_are_read_from_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"wasm_core"},"executable":"/t/wasm_core-1.wasm"}
not json"#;
        let found = executables(messages);
        assert_eq!(found.len(), 1);
        assert_eq!(found["wasm_core"], Path::new("/t/wasm_core-1.wasm"));
    }
}
