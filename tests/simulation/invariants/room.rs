//! A store without room for a summary takes the counters all the same, all of them: else the strike that a pass has earned is
//! earned again after a reload, and the model is paid again.

use compaction_governor::{
    policy::{Guards, LearnedWindow},
    record::Root,
    time::Timestamp,
};

use super::Commit;

pub(super) fn check(commit: &Commit<'_>) -> Result<(), String> {
    let Some(refused) = &commit.by.refused else { return Ok(()) };
    let (wanted, stored) = (counters(refused), counters(commit.new));
    if wanted != stored {
        return Err(format!("there was no room, and counters are gone\n  refused: {wanted:?}\n  stored:  {stored:?}"));
    }
    let fewer = |root: &Root| root.generations.len();
    if fewer(commit.new) > fewer(refused) {
        return Err("there was no room, and more was stored".to_owned());
    }
    Ok(())
}

/// Everything that counts or bars, but what a view that is not stored takes with it (its readings, and when its probe's exit
/// is armed anew), and the turns of a history that a person has cut meanwhile.
fn counters(root: &Root) -> (Guards, u32, u64) {
    let mut guards = root.state.guards.clone();
    if let Some(recovery) = &mut guards.recovery {
        recovery.deadline = Timestamp(0);
    }
    guards.last_commit_at = None;
    guards.reported_entries = 0;
    guards.user_turn = 0;
    guards.window = LearnedWindow::default();
    (guards, root.compactions, root.spent_tokens)
}
