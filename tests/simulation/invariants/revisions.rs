//! Every acknowledged revision is in the store for ever, and each is one more than the last: nothing that was promised is
//! taken back, nothing is half there, and nothing is left behind that no root names.

use std::collections::HashMap;

use compaction_governor::{
    record::{LoadedSummary, load_summary},
    store::{Part, Snapshot},
};

use super::Commit;
use crate::store::{Change, SESSION, SimStore};

pub(super) fn check(
    numbers: &mut HashMap<u32, u64>,
    store: &SimStore,
    change: &Change,
    commit: &Commit<'_>,
) -> Result<(), String> {
    let stored = store.stored().ok_or("nothing is stored after a commit")?;
    let before = change.before.as_ref().map_or(0, |before| before.revision);
    if stored.revision != before + 1 {
        return Err(format!("revision {} came after {before}", stored.revision));
    }
    grows(commit)?;
    whole(stored, commit)?;
    for generation in &commit.new.generations {
        let taken = *numbers.entry(generation.number).or_insert(generation.attempt.0);
        if taken != generation.attempt.0 {
            return Err(format!("generation {} was another attempt's before", generation.number));
        }
    }
    Ok(())
}

/// What only ever grows, grew.
fn grows(commit: &Commit<'_>) -> Result<(), String> {
    let (old, new) = (commit.old, commit.new);
    if old.incarnation != new.incarnation {
        return Err(format!("the session was begun anew: {} became {}", old.incarnation, new.incarnation));
    }
    if old.state.view_revision > new.state.view_revision {
        return Err("the view went back to an older revision".to_owned());
    }
    if old.compactions > new.compactions || old.spent_tokens > new.spent_tokens {
        return Err("compactions or tokens were forgotten".to_owned());
    }
    Ok(())
}

/// Root and summaries are one commit: no root names a summary that is not there, and no summary is there unnamed.
fn whole(stored: &Snapshot, commit: &Commit<'_>) -> Result<(), String> {
    let named: Vec<u32> = commit.new.generations.iter().map(|generation| generation.number).collect();
    for number in &named {
        let found = load_summary(stored.part(Part::Generation(*number)), SESSION, *number);
        if !matches!(found, LoadedSummary::Found(_)) {
            return Err(format!("generation {number} has no summary"));
        }
    }
    let unnamed = stored.parts.iter().find(|(part, _)| match part {
        Part::Root | Part::Generation(0) => false,
        Part::Generation(number) => !named.contains(number),
    });
    unnamed.map_or(Ok(()), |(part, _)| Err(format!("part {part} was left behind")))
}
