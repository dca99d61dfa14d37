//! At most one attempt is live, and what comes late from one that was superseded changes nothing: nobody pays twice for one
//! slice, and no zombie puts an older summary over a newer one.

use super::{Commit, compacting};
use crate::op::{Happening, What};

pub(super) fn check(commit: &Commit<'_>) -> Result<(), String> {
    if commit.ahead() {
        return Ok(());
    }
    one_after_another(commit)?;
    only_the_live_one_commits(commit)?;
    no_zombie_writes(commit)
}

/// An attempt is replaced only when it is over: by its deadline, by itself, or by a person.
fn one_after_another(commit: &Commit<'_>) -> Result<(), String> {
    let (Some(old), Some(new)) = (commit.live(), compacting(commit.new)) else { return Ok(()) };
    let over = old.id == new.id || old.deadline <= commit.by.now;
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
        let edited = commit.last() == Some(What::Edit);
        if !live && !edited {
            return Err(format!("generation {} is of attempt {}, which was not live", made.number, made.attempt));
        }
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
    let last_resort = commit.new.generations.last().is_some_and(|made| made.attempt == attempt && made.last_resort);
    let live = commit.live().is_some_and(|live| live.id == attempt);
    if live || last_resort { Ok(()) } else { Err(format!("attempt {attempt} wrote after it was over")) }
}
