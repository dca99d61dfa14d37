//! At most one attempt is live, and what comes late from one that was superseded changes nothing: nobody pays twice for one
//! slice, and no zombie puts an older summary over a newer one.

use compaction_governor::policy::Kind;

use super::{Commit, compacting};
use crate::op::{Happening, What};

pub(super) fn check(commit: &Commit<'_>) -> Result<(), String> {
    if commit.ahead() {
        return Ok(());
    }
    one_after_another(commit)?;
    taken_over_counts_once(commit)?;
    only_the_live_one_commits(commit)?;
    no_zombie_writes(commit)
}

/// An attempt is replaced only when it is over: by its deadline, by itself, or by a person.
fn one_after_another(commit: &Commit<'_>) -> Result<(), String> {
    let (Some(old), Some(new)) = (commit.live(), compacting(commit.new)) else { return Ok(()) };
    // Who holds the lock knows that nobody works on it; a host that has compacted by itself has ended whatever ran.
    let ended = commit.by.alone || commit.last() == Some(What::Adopt);
    let over = old.id == new.id || old.deadline <= commit.by.now || ended;
    if over {
        Ok(())
    } else {
        Err(format!("attempt {} began while {} was live until {:?}", new.id, old.id, old.deadline))
    }
}

fn only_the_live_one_commits(commit: &Commit<'_>) -> Result<(), String> {
    let known = |number: u32| commit.old.generations.iter().any(|generation| generation.number == number);
    for made in commit.new.generations.iter().filter(|made| !known(made.number) && !made.prune && !made.last_resort) {
        let live = commit.live().is_some_and(|live| live.id == made.attempt);
        let edited = matches!(commit.last(), Some(What::Edit | What::Adopt));
        if !live && !edited {
            return Err(format!("generation {} is of attempt {}, which was not live", made.number, made.attempt));
        }
    }
    Ok(())
}

/// An attempt that nobody works on any more counts as interrupted, once, whoever ends it.
fn taken_over_counts_once(commit: &Commit<'_>) -> Result<(), String> {
    // An attempt by hand counts nowhere, and one's own goes on.
    let goes_on = |id| compacting(commit.new).is_some_and(|new| new.id == id);
    let ended = commit.live().is_some_and(|live| live.kind != Kind::Manual && !goes_on(live.id));
    let taken_over = commit.last() == Some(What::TakeOver) && ended;
    let streak = |root: &compaction_governor::record::Root| root.state.guards.interrupted.streak;
    if taken_over && streak(commit.new) != streak(commit.old).saturating_add(1) {
        return Err(format!("taken over, and {} interrupted became {}", streak(commit.old), streak(commit.new)));
    }
    Ok(())
}

fn no_zombie_writes(commit: &Commit<'_>) -> Result<(), String> {
    let attempt = match commit.last() {
        Some(What::Commit(attempt, _) | What::Fail(attempt)) => attempt,
        Some(What::Event(Happening::Renewed | Happening::Cancelled)) if commit.live().is_none() => {
            return Err("an attempt that is over was renewed or cancelled".to_owned());
        }
        _ => return Ok(()),
    };
    // Where there was no room for its summary, memory says what it was.
    let known = commit.new.generations.iter().chain(&commit.by.memory.generations);
    let last_resort = known.into_iter().any(|made| made.attempt == attempt && made.last_resort);
    let live = commit.live().is_some_and(|live| live.id == attempt);
    if live || last_resort { Ok(()) } else { Err(format!("attempt {attempt} wrote after it was over")) }
}
