//! What stores promise, and what the tests saw them keep. Tests write one line of JSON per sighting into the file that
//! the variable `PROMISES` names; the full run sums them, prints the table and holds it against the kept one.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::project::Project;
use crate::tables::Table;

/// Where the sightings that README shows are kept.
const KEPT: &str = "tests/measured/promises.json";

/// What can be promised, by its code in a sighting.
const PROMISES: [(&str, &str); 10] = [
    ("contract", "every clause of the contract"),
    ("reload", "a reload changes nothing"),
    ("second_tab", "no event of several tabs is lost"),
    ("tab_crash", "a crashed tab changes nothing"),
    ("browser_kill", "a killed process loses nothing acknowledged"),
    ("quota", "a full store leaves the old state and says so"),
    ("corrupt_noticed", "a damaged record is noticed and kept aside"),
    ("lost_noticed", "a lost database is noticed"),
    ("rollback_noticed", "an older state served as the newest is noticed"),
    ("nothing_left", "`remove` leaves nothing to read"),
];

/// Who promises what.
const STORES: [(&str, &[&str]); 8] = [
    (
        "indexedDb",
        &[
            "contract",
            "reload",
            "second_tab",
            "tab_crash",
            "browser_kill",
            "quota",
            "corrupt_noticed",
            "lost_noticed",
            "rollback_noticed",
            "nothing_left",
        ],
    ),
    ("localStorageStore", &["contract", "reload", "corrupt_noticed"]),
    ("memory", &["contract"]),
    ("injected", &["contract"]),
    ("sqlite", &["contract", "second_tab", "browser_kill", "quota", "corrupt_noticed", "nothing_left"]),
    ("durableObject", &["contract", "reload", "browser_kill"]),
    ("D1 (example)", &["contract", "reload"]),
    ("Redis (example)", &["contract", "browser_kill"]),
];

/// One thing that a test saw, or the sum of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sighting {
    store: String,
    place: String,
    promise: String,
    kept: u64,
    of: u64,
}

impl Sighting {
    pub(crate) fn new(store: &str, place: &str, promise: &str, kept: u64, of: u64) -> Self {
        Self { store: store.into(), place: place.into(), promise: promise.into(), kept, of }
    }
}

/// The file that the tests of this run write to.
pub(crate) fn file(project: &Project) -> Result<PathBuf> {
    Ok(project.scratch("promises")?.join("seen.jsonl"))
}

/// Begins a run: what an earlier one saw is no sighting of this one.
pub(crate) fn begin(project: &Project) -> Result<()> {
    fs::write(file(project)?, "").context("the file of sightings cannot be written")
}

/// Notes what the runner itself saw.
pub(crate) fn note(project: &Project, sighting: &Sighting) -> Result<()> {
    let path = file(project)?;
    let seen = fs::read_to_string(&path).unwrap_or_default();
    let line = serde_json::to_string(sighting)?;
    fs::write(path, format!("{seen}{line}\n")).context("a sighting cannot be written")
}

/// Ends a full run: prints the table and, with `update`, keeps it; otherwise what was kept has to have been seen again.
pub(crate) fn end(project: &Project, update: bool) -> Result<()> {
    let seen = Seen::read(&fs::read_to_string(file(project)?)?)?;
    println!("\n{}", seen.table().markdown());
    if update {
        return fs::write(project.root.join(KEPT), serde_json::to_string_pretty(&seen.list())? + "\n")
            .with_context(|| format!("{KEPT} cannot be written"));
    }
    let broken = seen.broken(&kept(project)?);
    if !broken.is_empty() {
        bail!("promises were not seen kept:\n  {}", broken.join("\n  "));
    }
    Ok(())
}

/// The table of the kept sightings.
pub(crate) fn markdown(project: &Project) -> Result<String> {
    Ok(kept(project)?.table().markdown())
}

fn kept(project: &Project) -> Result<Seen> {
    // Nothing kept, nothing held against.
    let Ok(text) = fs::read_to_string(project.root.join(KEPT)) else { return Ok(Seen::default()) };
    let list: Vec<Sighting> = serde_json::from_str(&text).with_context(|| format!("{KEPT} holds no sightings"))?;
    list.into_iter().try_fold(Seen::default(), Seen::with)
}

/// All sightings of a run: by store, promise and place, how often kept and how often tried.
#[derive(Debug, Default)]
struct Seen(BTreeMap<(usize, usize, String), (u64, u64)>);

impl Seen {
    fn read(lines: &str) -> Result<Self> {
        let sightings =
            lines.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no sighting: {line}")));
        sightings.into_iter().try_fold(Self::default(), |seen, sighting| seen.with(sighting?))
    }

    /// An error for a store or a promise that nobody knows: a misspelt one would count as never seen. And for what was not
    /// tried: "0 of 0" is no sighting.
    fn with(mut self, sighting: Sighting) -> Result<Self> {
        let Sighting { store, place, promise, kept, of } = sighting;
        if of == 0 {
            bail!("`{promise}` of `{store}` was seen in {place} without being tried");
        }
        let at_store = STORES.iter().position(|(name, _)| *name == store);
        let at_promise = PROMISES.iter().position(|(code, _)| *code == promise);
        let (Some(at_store), Some(at_promise)) = (at_store, at_promise) else {
            bail!("a test saw `{promise}` of `{store}`, which is not in the table of promises");
        };
        let sum = self.0.entry((at_store, at_promise, place)).or_default();
        *sum = (sum.0 + kept, sum.1 + of);
        Ok(self)
    }

    fn list(&self) -> Vec<Sighting> {
        let one = |((store, promise, place), (kept, of)): (&(usize, usize, String), &(u64, u64))| {
            Sighting::new(STORES[*store].0, place, PROMISES[*promise].0, *kept, *of)
        };
        self.0.iter().map(one).collect()
    }

    /// What is promised and was not seen kept here, though `kept` says that it was once.
    fn broken(&self, kept: &Self) -> Vec<String> {
        let mut broken = Vec::new();
        for (key, before) in kept.0.iter().filter(|(key, _)| promised(key.0, key.1)) {
            let (store, promise, place) = (STORES[key.0].0, PROMISES[key.1].0, &key.2);
            match self.0.get(key) {
                None => broken.push(format!("{store}, {place}: `{promise}` was not tried")),
                // Some engines keep a promise never, which the table says; none may keep it less than it did.
                Some((now, of)) if now * before.1 < before.0 * of => {
                    broken.push(format!("{store}, {place}: `{promise}` was kept {now} times out of {of}"));
                }
                Some(_) => {}
            }
        }
        broken
    }

    fn table(&self) -> Table {
        let columns = ["store", "promise", "seen kept"].map(str::to_owned).to_vec();
        let mut rows = Vec::new();
        for (at_store, (store, promises)) in STORES.iter().enumerate() {
            for (at_promise, (code, sentence)) in PROMISES.iter().enumerate() {
                let cell = self.cell(at_store, at_promise);
                match (promises.contains(code), cell.is_empty()) {
                    (true, true) => {
                        rows.push([format!("`{store}`"), (*sentence).to_owned(), "not tried".to_owned()].to_vec())
                    }
                    (true, false) => rows.push([format!("`{store}`"), (*sentence).to_owned(), cell].to_vec()),
                    (false, false) => {
                        rows.push([format!("`{store}`"), format!("not promised: {sentence}"), cell].to_vec());
                    }
                    (false, true) => {}
                }
            }
        }
        Table { title: None, columns, rows }
    }

    fn cell(&self, store: usize, promise: usize) -> String {
        let places = self.0.iter().filter(|(key, _)| (key.0, key.1) == (store, promise));
        let shown: Vec<_> = places.map(|((_, _, place), (kept, of))| format!("{place} {kept} of {of}")).collect();
        shown.join(", ")
    }
}

fn promised(store: usize, promise: usize) -> bool {
    STORES[store].1.contains(&PROMISES[promise].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: &[&str]) -> Seen {
        Seen::read(&lines.join("\n")).unwrap()
    }

    const KILLED: &str = r#"{"store":"indexedDb","place":"Firefox","promise":"browser_kill","kept":50,"of":50}"#;
    const LOST: &str = r#"{"store":"indexedDb","place":"Firefox","promise":"browser_kill","kept":49,"of":50}"#;
    const WEAK: &str = r#"{"store":"localStorageStore","place":"Firefox","promise":"browser_kill","kept":0,"of":6}"#;

    #[test]
    fn sightings_of_one_thing_are_summed() {
        let Sighting { kept, of, .. } = seen(&[KILLED, LOST]).list().remove(0);
        assert_eq!((kept, of), (99, 100));
    }

    #[test]
    fn a_promise_that_was_kept_once_has_to_be_tried_and_kept_again() {
        let kept = seen(&[KILLED, WEAK]);
        assert_eq!(seen(&[KILLED]).broken(&kept), [""; 0]);
        assert_eq!(seen(&[LOST]).broken(&kept), ["indexedDb, Firefox: `browser_kill` was kept 49 times out of 50"]);
        assert_eq!(seen(&[]).broken(&kept), ["indexedDb, Firefox: `browser_kill` was not tried"]);
    }

    #[test]
    fn a_misspelt_store_or_promise_is_refused() {
        assert!(Seen::read(&KILLED.replace("indexedDb", "indexedDB")).is_err());
        assert!(Seen::read(&KILLED.replace("browser_kill", "kill")).is_err());
    }

    #[test]
    fn what_was_not_tried_is_no_sighting() {
        assert!(Seen::read(&KILLED.replace("50", "0")).is_err());
    }

    #[test]
    fn the_table_tells_what_is_promised_from_what_is_not() {
        let text = seen(&[KILLED, WEAK]).table().markdown();
        assert!(
            text.contains("| `indexedDb` | a killed process loses nothing acknowledged | Firefox 50 of 50 |"),
            "{text}"
        );
        assert!(text.contains("| `localStorageStore` | not promised: a killed process"), "{text}");
        assert!(text.contains("| `memory` | every clause of the contract | not tried |"), "{text}");
    }
}
