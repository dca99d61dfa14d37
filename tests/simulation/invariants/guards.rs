//! The durable guard is never weaker than what was acknowledged: strikes, cooldowns and deadlines go by the events that may
//! clear them, never by a reload, a conflict, a merge or a clock.

use compaction_governor::{
    id::AttemptId,
    policy::{FailureClass, Guards, Phase, Verdict, limits},
    record::Root,
    time::{Millis, Timestamp},
};

use super::Commit;
use crate::op::{Happening, What};

/// Whether what was stands, or went by what may clear it: before, after, and how it came to be.
type Rule = fn(&Guards, &Guards, &Commit<'_>) -> bool;

pub(super) fn check(commit: &Commit<'_>) -> Result<(), String> {
    if commit.did(|what| *what == What::Event(Happening::Reset)) {
        return Ok(());
    }
    if commit.by.blank && !commit.ahead() && judged(commit) && !commit.did(|what| matches!(what, What::Report(_))) {
        return Err("a pass was judged by a transcript that nobody has shown".to_owned());
    }
    let (old, new) = (&commit.old.state.guards, &commit.new.state.guards);
    let all: [(&str, Rule); 7] = [
        ("strikes", strikes),
        ("fallback summaries", fallbacks),
        ("failures", failures),
        ("the cooldown", cooldown),
        ("the recovery deadline", recovery),
        ("interrupted attempts", interrupted),
        ("attempts without progress", progress),
    ];
    match all.iter().find(|(_, holds)| !holds(old, new, commit)) {
        Some((name, _)) => {
            Err(format!("{name} went by nothing that may clear them\n  before: {old:?}\n  after:  {new:?}"))
        }
        None => Ok(()),
    }
}

fn strikes(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    let sum = |guards: &Guards| u16::from(guards.ineffective_streak) + u16::from(guards.weak_streak);
    let fewer = sum(new) < sum(old);
    let weak_fewer = new.weak_streak < old.weak_streak;
    let reported = commit.did(|what| matches!(what, What::Report(prompt) if *prompt > 0));
    !fewer && !weak_fewer || helped(commit) || (!weak_fewer && reported)
}

/// The pass that awaited its verdict was judged effective in this commit, or the pass and its verdict are both in it.
fn helped(commit: &Commit<'_>) -> bool {
    let judged = |attempt: u64| {
        let found = commit.new.generations.iter().find(|generation| generation.attempt.0 == attempt);
        found.is_none_or(|generation| generation.verdict == Some(Verdict::Effective))
    };
    match commit.old.state.phase {
        Phase::AwaitingVerdict { attempt, .. } if judged(attempt.id.0) => true,
        _ => commit.ahead() && (commit.by.standing.helped || newly_effective(commit)),
    }
}

/// A verdict that the operation on its way has given, and of which no listener has heard yet.
fn newly_effective(commit: &Commit<'_>) -> bool {
    let effective = |root: &Root, attempt: AttemptId| {
        root.generations.iter().any(|made| made.attempt == attempt && made.verdict == Some(Verdict::Effective))
    };
    let attempts = |root: &Root| root.generations.iter().map(|made| made.attempt).collect::<Vec<_>>();
    let (stored, held_back) = (attempts(commit.new), attempts(&commit.by.memory));
    stored.iter().any(|attempt| effective(commit.new, *attempt) && !effective(commit.old, *attempt))
        || held_back.iter().any(|attempt| !stored.contains(attempt) && effective(&commit.by.memory, *attempt))
        || commit.last() == Some(What::Undo)
}

/// A verdict was given, whatever it was.
fn judged(commit: &Commit<'_>) -> bool {
    let verdict = |root: &Root, attempt: AttemptId| {
        root.generations.iter().find(|made| made.attempt == attempt).and_then(|made| made.verdict)
    };
    let attempts = commit.old.generations.iter().map(|made| made.attempt);
    attempts.into_iter().any(|attempt| verdict(commit.old, attempt).is_none() && verdict(commit.new, attempt).is_some())
}

/// A model's summary went live: of this session's own summariser, or the host's.
fn healthy(commit: &Commit<'_>) -> bool {
    commit.did(|what| match what {
        What::Adopt => true,
        What::Commit(attempt, false) => commit.ahead() || commit.live().is_some_and(|live| live.id == *attempt),
        _ => false,
    })
}

fn fallbacks(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    new.fallback_streak >= old.fallback_streak || healthy(commit)
}

fn failures(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    let kept = old.failures.streaks.iter().zip(&new.failures.streaks).all(|(before, after)| after >= before);
    kept || healthy(commit)
}

fn cooldown(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    let Some(before) = old.failures.cooldown else { return true };
    let longest = limits::longest_cooldown(before.class, old.failures.streaks[before.class as usize]);
    // Ahead of the store, a longer cooldown of such a class may have taken its place before the person acted.
    let mendable = before.class.needs_a_person() || commit.ahead();
    let person = mendable && (commit.did(|what| *what == What::Event(Happening::Person)) || by_hand(commit));
    let kept = new.failures.cooldown.is_some_and(|after| kept(before.until, after.until, longest, commit));
    kept || person || healthy(commit)
}

/// A pass by hand went well.
fn by_hand(commit: &Commit<'_>) -> bool {
    commit.did(|what| matches!(what, What::Commit(_, false) | What::Adopt))
}

/// An instant is where it was or later; earlier only where the clock went back behind it.
fn kept(before: Timestamp, after: Timestamp, longest: Millis, commit: &Commit<'_>) -> bool {
    after >= before || before > commit.lowest().after(longest)
}

fn recovery(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    match (old.recovery, new.recovery) {
        (Some(before), Some(after)) => {
            let longest = limits::RECOVERY.doubled(before.rung, limits::LONGEST_RUNG);
            // Ahead of the store one trip may have ended by a low reading, and another begun.
            let another = commit.ahead() && commit.did(|what| matches!(what, What::Report(prompt) if *prompt > 0));
            let same_trip = another || after.rung >= before.rung && after.probes >= before.probes;
            // Which memory knew all the time, and what is stored without its summary does not: its exit is taken.
            let judging = |root: &Root| matches!(root.state.phase, Phase::AwaitingVerdict { attempt, .. } if attempt.probe.is_some());
            let taken = commit.ahead() && judging(commit.new) && !judging(commit.old);
            same_trip && (taken || kept(before.deadline, after.deadline, longest, commit))
                || commit.ahead() && helped(commit)
        }
        (Some(_), None) => !new.tripped(),
        (None, _) => true,
    }
}

fn interrupted(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    let ended = commit.did(|what| matches!(what, What::Commit(..) | What::Fail(_) | What::Adopt));
    new.interrupted.streak >= old.interrupted.streak || ended
}

fn progress(old: &Guards, new: &Guards, commit: &Commit<'_>) -> bool {
    let renewed = old.last_attempt_end.is_some_and(|end| commit.by.now >= end.after(limits::CAP_RENEWAL));
    new.attempts_without_progress >= old.attempts_without_progress
        || helped(commit)
        || renewed
        || commit.ahead()
        || commit.by.standing.user_spoke > 0
        || new.user_turn != old.user_turn
}

const _: () = assert!(FailureClass::COUNT == 7, "a new class of failure needs its rule here");
