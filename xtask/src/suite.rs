//! Running every test and summing what the runners report.

mod browser;
mod e2e;
mod native;
mod packages;
mod workers;

use std::env;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Error, Result, bail};

use crate::project::Project;
use crate::promises;
use crate::sh::{Heard, Unavailable, say};
use crate::tally::Tally;

/// One kind of test, with its own set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Native,
    Browser,
    E2e,
    Packages,
    Workers,
}

/// `cargo xtask test`. The last line it prints is the sum. A full run also holds what it saw of the stores' promises
/// against what is kept of them, or keeps it with `update`; the packages stage does so with its consumers.
pub(crate) fn run(project: &Project, only: Option<Stage>, update: bool) -> Result<ExitCode> {
    promises::begin(project)?;
    let stages = only.map_or(Stage::ALL.to_vec(), |stage| vec![stage]);
    let (mut summary, mut parts) = (Vec::new(), Vec::new());
    for stage in stages {
        say(format!("tests: {}", stage.name()));
        let start = Instant::now();
        let ran = stage.run(project, update).unwrap_or_else(|error| vec![Part::unable(stage.name(), &error)]);
        summary.push(format!("{:<9}{:>5.1} min  {}", stage.name(), start.elapsed().as_secs_f64() / 60.0, sum(&ran)));
        summary.extend(ran.iter().filter_map(Part::remark));
        parts.extend(ran);
    }
    if only.is_none()
        && let Err(error) = promises::end(project, update)
    {
        let part = Part::broken("promises of the stores".to_owned(), format!("{error:#}"));
        summary.extend(part.remark());
        parts.push(part);
    }
    println!("\n{}", summary.join("\n"));
    println!("tests: {}", sum(&parts));
    Ok(if is_good(&parts, is_ci()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Stage {
    const ALL: [Self; 5] = [Self::Native, Self::Browser, Self::E2e, Self::Packages, Self::Workers];

    fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Browser => "browser",
            Self::E2e => "e2e",
            Self::Packages => "packages",
            Self::Workers => "workers",
        }
    }

    fn run(self, project: &Project, update: bool) -> Result<Vec<Part>> {
        match self {
            Self::Native => native::run(project),
            Self::Browser => browser::run(project),
            Self::E2e => e2e::run(project),
            Self::Packages => packages::run(project, update),
            Self::Workers => workers::run(project),
        }
    }
}

impl FromStr for Stage {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|stage| stage.name() == name) {
            Some(stage) => Ok(stage),
            None => bail!("there is no stage `{name}`: native, browser, e2e, packages or workers"),
        }
    }
}

/// One run of one runner inside a stage.
struct Part {
    name: String,
    tally: Tally,
    trouble: Option<Trouble>,
}

/// Why a part's numbers are not the whole story.
enum Trouble {
    /// Something it needs is not on this machine.
    Missing(String),
    /// It ended without a word about its tests, or badly without a failed one.
    Broken(String),
}

impl Part {
    /// Judges a run. One that reports no test, or fails without a failed test, counts as one failure.
    fn of(name: impl Into<String>, heard: &Heard, count: fn(&str) -> Tally) -> Self {
        let (name, tally) = (name.into(), count(&heard.stdout));
        if tally.total() == 0 {
            return Self::broken(name, "reported no test at all".to_owned());
        }
        if !heard.success && tally.failed == 0 {
            let tally = Tally { failed: 1, ..tally };
            return Self {
                name,
                tally,
                trouble: Some(Trouble::Broken("ended with an error outside its tests".to_owned())),
            };
        }
        Self { name, tally, trouble: None }
    }

    /// A part whose set-up failed: skipped when the machine lacks something, failed otherwise.
    fn unable(name: impl Into<String>, error: &Error) -> Self {
        match error.downcast_ref::<Unavailable>() {
            Some(reason) => Self::missing(name, reason.to_string()),
            None => Self::broken(name.into(), format!("{error:#}")),
        }
    }

    fn missing(name: impl Into<String>, reason: String) -> Self {
        let tally = Tally { skipped: 1, ..Tally::default() };
        Self { name: name.into(), tally, trouble: Some(Trouble::Missing(reason)) }
    }

    fn broken(name: String, reason: String) -> Self {
        let tally = Tally { failed: 1, ..Tally::default() };
        Self { name, tally, trouble: Some(Trouble::Broken(reason)) }
    }

    fn remark(&self) -> Option<String> {
        match &self.trouble {
            None if self.tally.failed == 0 => None,
            None => Some(format!("  {} failed: {}", self.name, self.tally)),
            Some(Trouble::Missing(reason)) => Some(format!("  {} skipped: {reason}", self.name)),
            Some(Trouble::Broken(reason)) => Some(format!("  {} failed: {reason}", self.name)),
        }
    }
}

fn sum(parts: &[Part]) -> Tally {
    let mut sum = Tally::default();
    parts.iter().for_each(|part| sum += part.tally);
    sum
}

/// Nothing failed, something ran, and under CI nothing was left out for want of a tool.
fn is_good(parts: &[Part], ci: bool) -> bool {
    let Tally { passed, failed, .. } = sum(parts);
    let left_out = parts.iter().any(|part| matches!(part.trouble, Some(Trouble::Missing(_))));
    failed == 0 && passed > 0 && !(ci && left_out)
}

fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(success: bool, stdout: &str) -> Heard {
        Heard { success, stdout: stdout.to_owned() }
    }

    fn passing() -> Part {
        Part::of("fine", &heard(true, "test result: ok. 2 passed; 0 failed; 0 ignored"), Tally::of_rust)
    }

    #[test]
    fn a_run_without_tests_is_a_failure_even_when_it_ended_well() {
        let part = Part::of("empty", &heard(true, "no tests to run!\n"), Tally::of_rust);
        assert_eq!(part.tally.failed, 1);
        assert_eq!(part.remark().unwrap(), "  empty failed: reported no test at all");
    }

    #[test]
    fn a_run_that_ends_badly_without_a_failed_test_counts_one_failure() {
        let part = Part::of("torn", &heard(false, "test result: ok. 2 passed; 0 failed; 0 ignored"), Tally::of_rust);
        assert_eq!((part.tally.passed, part.tally.failed), (2, 1));
    }

    #[test]
    fn a_missing_tool_is_skipped_with_its_reason_and_only_ci_refuses_that() {
        let error = Error::new(Unavailable("no geckodriver".to_owned())).context("tests in Firefox");
        let parts = [passing(), Part::unable("firefox", &error)];
        assert_eq!(sum(&parts).to_string(), "2 passed, 0 failed, 1 skipped");
        assert!(parts[1].remark().unwrap().contains("no geckodriver"));
        assert!(is_good(&parts, false) && !is_good(&parts, true));
    }

    #[test]
    fn a_failed_set_up_is_a_failure_and_nothing_run_at_all_is_not_good() {
        let parts = [passing(), Part::unable("build", &anyhow::anyhow!("does not compile"))];
        assert!(!is_good(&parts, false));
        assert!(!is_good(&[Part::missing("all", "no network".to_owned())], false));
    }

    #[test]
    fn a_stage_is_chosen_by_its_name() {
        assert_eq!("e2e".parse::<Stage>().unwrap(), Stage::E2e);
        assert!("everything".parse::<Stage>().is_err());
    }
}
