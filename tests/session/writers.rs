//! Two tabs of one session, by hand: what each can do while the other has a summary written.

use compaction_governor::{
    error::Applied,
    policy::Interrupted,
    session::{
        AmendError, Amended, Claim, Commit, Edit, Notice, Operation, Others, Pin, Pinnable, Refresh, Remove, Status,
        Step, Steps, StoreCommand, StoreReply, TakeOver, Undo,
    },
    store::{Recover, StoreError},
    summary::Finish,
    transcript::{Entry, Role},
};

use super::*;

const LATE: &str = "A late summary of the same part, from a tab that had been away for a long time.";

/// Two tabs of one conversation, the first with an attempt going.
fn working() -> (Tab<Counting>, Tab<Counting>, compaction_governor::session::Planned) {
    let mut first = fresh();
    first.grow_to_threshold();
    let planned = first.claimed();
    let second = reopen(&first, 2);
    (first, second, planned)
}

fn claim_alone(tab: &mut Tab<Counting>) -> Claimed {
    tab.run(Write::rereading(Claim::alone(Kind::Auto)))
}

fn pin(tab: &mut Tab<Counting>, text: &str) {
    tab.run(Write::rereading(Pin(Pinnable::Text(text.to_owned())))).expect("room");
}

fn commit_of(planned: &compaction_governor::session::Planned, text: &str) -> Write<Commit> {
    Write::new(Commit {
        attempt: planned.attempt,
        text: text.to_owned(),
        finish: Finish::Stop,
        fallback: false,
        spent: 900,
        carry: String::new(),
        through: String::new(),
    })
}

fn stored(tab: &Tab<Counting>) -> Tab<Counting> {
    reopen(tab, 99)
}

/// What an attempt leaves behind that was overtaken, on the first tab's side.
fn cancelled(tab: &mut Tab<Counting>) -> bool {
    let statuses: Vec<_> = tab
        .session
        .drain_notices()
        .into_iter()
        .filter_map(|notice| match notice {
            Notice::Compaction { status, .. } => Some(status),
            _ => None,
        })
        .collect();
    statuses.last() == Some(&Status::Cancelled)
}

fn assert_no_failure(tab: &Tab<Counting>) {
    let guards = &tab.session.state().guards;
    assert_eq!((guards.failures.cooldown, guards.ineffective_streak, guards.weak_streak), (None, 0, 0));
}

/// Runs `operation` on the tab; the acknowledgement of its commit is lost, and `other` writes before anybody asks.
fn run_losing<O: Operation>(tab: &mut Tab<Counting>, mut operation: O, other: impl FnOnce()) -> O::Output {
    let mut other = Some(other);
    let mut step = operation.begin(&mut tab.session, tab.now);
    while let Step::Store(command) = step {
        let reply = match command {
            StoreCommand::Load => StoreReply::Loaded(tab.store.load("chat")),
            StoreCommand::Commit { expect, batch, op } => {
                let committed = tab.store.commit("chat", expect, &batch, op);
                match other.take() {
                    Some(other) => {
                        assert!(committed.is_ok(), "the first one is applied");
                        other();
                        let kind = StoreErrorKind::Indeterminate;
                        StoreReply::Committed(Err(StoreError {
                            kind,
                            applied: Applied::Unknown,
                            recover: Recover::Never,
                        }))
                    }
                    None => StoreReply::Committed(committed),
                }
            }
            other => panic!("unexpected {other:?}"),
        };
        step = operation.resume(&mut tab.session, reply, tab.now);
    }
    operation.finish(&mut tab.session)
}

#[test]
fn entries_and_a_pin_of_the_other_tab_are_behind_a_summary_that_is_committed_on_the_newer_root() {
    let (mut first, mut second, planned) = working();
    second.observe(second.entries() + 4);
    pin(&mut second, "The flag is called --all.");
    first.observe(first.entries() + 4);
    assert_ne!(first.session.revision(), second.session.revision());
    let version = second.session.root().spent_tokens;
    assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(first.session.pins().texts, ["The flag is called --all."]);
    assert_eq!(first.session.root().spent_tokens, version + 900, "paid once, counted once");
    let third = stored(&first);
    assert_eq!((third.session.summary(), third.session.pins().texts.len()), (Some(SUMMARY), 1));
    assert_eq!(third.session.view().covered_count(), planned.plan.cut);
    assert_no_failure(&third);
}

#[test]
fn an_edit_in_the_covered_range_supersedes_without_failure_and_the_next_pass_may_start_at_once() {
    let (mut first, mut second, planned) = working();
    pin(&mut second, "A newer root.");
    first.session.truncate(planned.plan.cut - 1);
    for id in 0..40 {
        first.session.push(Entry::alone(9_000 + id, Role::User, 900));
    }
    assert_eq!(first.commit(&planned, SUMMARY), Committed::Superseded);
    assert!(cancelled(&mut first));
    assert_no_failure(&stored(&second));
    assert_eq!(stored(&second).session.summary(), None);
    assert!(matches!(first.claim(Kind::Auto), Claimed::Planned(_)));
}

#[test]
fn a_summary_that_came_under_the_attempt_supersedes_it() {
    let mut first = fresh();
    first.grow_to_threshold();
    first.pass();
    first.grow_to_threshold();
    let mut second = reopen(&first, 2);
    let planned = first.claimed();
    assert_eq!(planned.previous, Some(1));
    // The second tab's host edits what the first summary covers, then its history gets another one behind the deadline.
    second.wait(Millis::secs(601));
    second.run(Write::rereading(Undo::new(None))).expect("the attempt is past its deadline");
    assert_eq!(first.commit(&planned, LATE), Committed::Superseded);
    assert_eq!(stored(&second).session.summary(), None);
}

#[test]
fn undo_and_edit_in_the_other_tab_wait_while_the_attempt_runs_and_it_lands() {
    let mut first = fresh();
    first.grow_to_threshold();
    first.pass();
    let live = first.session.root().generations[0].attempt.to_string();
    first.grow_to_threshold();
    let mut second = reopen(&first, 2);
    let planned = first.claimed();
    let bytes = first.store.bytes();
    assert_eq!(second.run(Write::rereading(Undo::new(None))), Err(AmendError::Running));
    assert_eq!(second.run(Write::rereading(Edit::new(&live, LATE.to_owned()))), Err(AmendError::Running));
    assert_eq!(first.store.bytes(), bytes);
    assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
}

#[test]
fn a_reset_in_the_other_tab_supersedes_and_leaves_nothing_but_the_reset() {
    let (mut first, mut second, planned) = working();
    second.event(Event::Reset);
    let bytes = first.store.bytes();
    assert_eq!(first.commit(&planned, LATE), Committed::Superseded);
    assert_eq!(first.store.bytes(), bytes);
    assert_eq!(stored(&second).session.state().guards.interrupted, Interrupted::default());
    assert!(matches!(first.claim(Kind::Auto), Claimed::Planned(_)));
}

#[test]
fn a_session_removed_in_the_other_tab_gets_no_late_summary() {
    let (mut first, mut second, planned) = working();
    second.run(Remove::default()).expect("removed");
    assert_eq!(first.commit(&planned, LATE), Committed::Superseded);
    assert_no_failure(&first);
    let kept = SyncStore::load(&first.store, "chat").expect("memory answers").map(|snapshot| snapshot.parts);
    let bytes: Vec<u8> = kept.unwrap_or_default().into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(!bytes.windows(14).any(|window| window == &LATE.as_bytes()[..14]));
}

#[test]
fn what_the_other_tab_would_clear_or_claim_by_any_trigger_waits_for_the_attempt() {
    let (first, mut second, _) = working();
    let bytes = first.store.bytes();
    for kind in [Kind::Auto, Kind::Manual, Kind::Overflow] {
        let Claimed::Refused(decision) = second.claim(kind) else { panic!("{kind:?}: two at once") };
        assert!(matches!(decision.action, Action::Wait { reason: Wait::InProgress, retry_at: Some(_) }), "{kind:?}");
    }
    assert_eq!(first.store.bytes(), bytes);
}

#[test]
fn an_attempt_past_its_deadline_is_taken_over_without_any_lock_and_its_late_end_changes_nothing() {
    let (mut first, mut second, late) = working();
    second.wait(Millis::secs(599));
    assert!(matches!(second.claim(Kind::Auto), Claimed::Refused(_)));
    second.wait(Millis::secs(1));
    let planned = second.claimed();
    assert_zombie(&mut first, &late, &second);
    assert!(matches!(second.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_zombie(&mut first, &late, &second);
}

/// Whatever `zombie` does with its attempt: the store and the other tab's next view stay as they are.
fn assert_zombie(zombie: &mut Tab<Counting>, late: &compaction_governor::session::Planned, other: &Tab<Counting>) {
    zombie.now = other.now;
    let bytes = zombie.store.bytes();
    let renewed = zombie.event(Event::Renewed(late.attempt));
    assert_eq!(renewed.ignored, Some(Ignored::NotThisAttempt));
    zombie.event(Event::Cancelled(late.attempt));
    assert_eq!(zombie.store.bytes(), bytes, "renewed and cancelled");
    zombie.fail(late, FailureClass::Quota);
    assert_eq!(zombie.store.bytes(), bytes, "failed");
    assert_eq!(zombie.commit(late, LATE), Committed::Superseded);
    assert_eq!(zombie.store.bytes(), bytes, "committed");
    assert_eq!(stored(zombie).session.state(), other.session.state());
}

#[test]
fn who_holds_the_lock_ends_an_orphan_and_claims_in_one_commit_and_counts_it_once() {
    let (mut first, mut second, late) = working();
    second.wait(Millis::secs(2));
    first.now = second.now;
    let commits = first.store.commits();
    let Claimed::Planned(planned) = claim_alone(&mut second) else { panic!("nobody is at work") };
    assert_eq!(first.store.commits(), commits + 1);
    assert_ne!(planned.attempt, late.attempt);
    assert_eq!(stored(&first).session.state().guards.interrupted.streak, 1);
    assert_no_failure(&stored(&first));
    assert_zombie(&mut first, &late, &second);
    assert!(matches!(second.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(stored(&first).session.state().guards.interrupted.streak, 0, "an attempt that ended clears it");
}

#[test]
fn the_failure_of_a_tab_that_was_taken_over_is_told_as_overtaken() {
    let (mut first, mut second, late) = working();
    claim_alone(&mut second);
    first.session.drain_notices();
    first.fail(&late, FailureClass::Auth);
    assert!(cancelled(&mut first));
}

#[test]
fn three_holders_that_die_in_a_row_earn_a_pause() {
    let (first, _, _) = working();
    let mut last = first;
    for owner in 2..=3 {
        let mut next = reopen(&last, owner);
        next.wait(Millis::secs(5));
        assert!(matches!(claim_alone(&mut next), Claimed::Planned(_)), "{owner}");
        last = next;
    }
    let mut fourth = reopen(&last, 4);
    let Claimed::Refused(decision) = claim_alone(&mut fourth) else { panic!("a fourth call") };
    assert_eq!(block(decision), Some(Block::Cooldown));
    assert_eq!(stored(&fourth).session.state().guards.interrupted.streak, 3, "written, although nothing was claimed");
}

#[test]
fn an_orphan_can_be_ended_without_a_claim_and_only_once() {
    let (first, mut second, late) = working();
    assert!(second.run(Write::rereading(TakeOver)));
    let commits = first.store.commits();
    assert!(!second.run(Write::rereading(TakeOver)));
    assert_eq!(first.store.commits(), commits);
    let state = stored(&second).session.state().clone();
    assert_eq!((state.attempt().map(|attempt| attempt.id), state.guards.interrupted.streak), (None, 1), "{late:?}");
}

#[test]
fn an_attempt_of_the_same_object_is_no_orphan() {
    let (mut first, _, planned) = working();
    assert!(!first.run(Write::rereading(TakeOver)));
    let Claimed::Refused(decision) = claim_alone(&mut first) else { panic!("beside itself") };
    assert!(matches!(decision.action, Action::Wait { reason: Wait::InProgress, .. }));
    assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
}

#[test]
fn an_attempt_by_hand_that_is_taken_over_moves_no_counter() {
    let mut first = fresh();
    first.grow_to_threshold();
    let Claimed::Planned(_) = first.claim(Kind::Manual) else { panic!("by hand") };
    let mut second = reopen(&first, 2);
    assert!(matches!(claim_alone(&mut second), Claimed::Planned(_)));
    assert_eq!(stored(&second).session.state().guards.interrupted.streak, 0);
}

#[test]
fn while_another_holds_the_lock_nothing_is_claimed_nor_written_whatever_the_store_shows() {
    let mut first = fresh();
    first.grow_to_threshold();
    let mut second = fresh_beside(&first);
    let commits = first.store.commits();
    for kind in [Kind::Auto, Kind::Manual, Kind::Overflow] {
        let Claimed::Refused(decision) = second.run(Write::rereading(Claim::beside(Others::Working, kind))) else {
            panic!("{kind:?}")
        };
        assert!(matches!(decision.action, Action::Wait { reason: Wait::InProgress, retry_at: None }), "{kind:?}");
    }
    assert_eq!(first.store.commits(), commits);
    let planned = first.claimed();
    let Claimed::Refused(decision) = second.run(Write::rereading(Claim::beside(Others::Working, Kind::Auto))) else {
        panic!("two at once")
    };
    let retry_at = Some(planned.deadline);
    assert_eq!(decision.action, Action::Wait { reason: Wait::InProgress, retry_at });
}

fn fresh_beside(first: &Tab<Counting>) -> Tab<Counting> {
    let (mut second, _) = Tab::open(first.store.another_context(), 2, first.now);
    second.observe(first.entries());
    second
}

// The fault: a claim whose acknowledgement was lost, and another tab's write behind it, was taken for a lost race.
// What it cost: its own intent stood in the way for ten minutes, with nobody at work.
// What now holds: the store shows the attempt running, so it holds.
#[test]
fn a_claim_whose_acknowledgement_was_lost_before_another_writer_came_holds() {
    let mut first = fresh();
    first.grow_to_threshold();
    let mut second = fresh_beside(&first);
    first.session.drain_notices();
    let claim = Write::rereading(Claim::new(Kind::Auto));
    let Claimed::Planned(planned) = run_losing(&mut first, claim, || pin(&mut second, "Something else.")) else {
        panic!("its own intent stands in its way")
    };
    let told: Vec<_> = first.session.drain_notices();
    assert_eq!(told.len(), 1, "begun once: {told:?}");
    assert!(matches!(first.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(stored(&second).session.root().compactions, 1);
}

#[test]
fn a_claim_that_lost_a_race_leaves_no_plan_behind() {
    let mut first = fresh();
    first.grow_to_threshold();
    let mut second = fresh_beside(&first);
    let mut operation = Write::rereading(Claim::new(Kind::Auto));
    let step = operation.begin(&mut first.session, first.now);
    assert!(matches!(step, Step::Store(StoreCommand::Load)));
    let load = |store: &Counting| StoreReply::Loaded(store.load("chat"));
    let reply = load(&first.store);
    let Step::Store(StoreCommand::Commit { expect, batch, op }) =
        operation.resume(&mut first.session, reply, first.now)
    else {
        panic!("an intent")
    };
    let planned = second.claimed();
    let conflict = first.store.commit("chat", expect, &batch, op);
    assert!(conflict.is_err());
    operation.resume(&mut first.session, StoreReply::Committed(conflict), first.now);
    let reply = load(&first.store);
    assert!(matches!(operation.resume(&mut first.session, reply, first.now), Step::Done));
    assert!(matches!(operation.finish(&mut first.session), Claimed::Refused(_)));
    assert_eq!(first.session.planned(), None);
    assert!(matches!(second.commit(&planned, SUMMARY), Committed::Live { .. }));
}

// The fault: a commit whose acknowledgement was lost, and another tab's write behind it, was called superseded.
// What it cost: the host heard of a cancelled pass whose summary was live.
// What now holds: the root names the attempt, so it is live, once.
#[test]
fn a_commit_whose_acknowledgement_was_lost_before_another_writer_came_is_live_once() {
    let (mut first, mut second, planned) = working();
    let committed = run_losing(&mut first, commit_of(&planned, SUMMARY), || pin(&mut second, "Something else."));
    let Committed::Live { before, after } = committed else { panic!("{committed:?}") };
    assert!(before > after);
    let root = stored(&second).session.root().clone();
    assert_eq!((root.compactions, root.generations.len(), root.spent_tokens), (1, 1, 900));
    assert_eq!(first.session.pins().texts.len(), 1);
    assert_eq!(first.session.planned(), None);
}

// The fault: an undo whose acknowledgement was lost was made again on the root of another writer.
// What it cost: the summary before the one that was meant.
// What now holds: taken back once; written anew once.
#[test]
fn an_undo_or_an_edit_whose_acknowledgement_was_lost_is_made_once() {
    for edited in [false, true] {
        let mut first = fresh();
        for _ in 0..2 {
            first.grow_to_threshold();
            first.pass();
        }
        let mut second = reopen(&first, 2);
        let live = first.session.root().generations[1].attempt;
        let other = || pin(&mut second, "Something else.");
        let amended: Result<Amended, AmendError> = match edited {
            false => run_losing(&mut first, Write::rereading(Undo::new(None)), other),
            true => run_losing(&mut first, Write::rereading(Edit::new(&live.to_string(), LATE.to_owned())), other),
        };
        let numbers: Vec<u32> =
            stored(&first).session.root().generations.iter().map(|generation| generation.number).collect();
        assert_eq!(numbers, if edited { vec![1, 2, 3] } else { vec![1] });
        let named = amended.expect("it went through").attempt;
        assert_eq!(named == live, !edited);
    }
}

// The fault: the last resort has no intent in the store, so nothing told its commit that another tab had been there.
// What it cost: a second plain summary over the first, or over one that a model had written.
// What now holds: it lands only over the summary that it was planned on.
#[test]
fn of_two_last_resorts_at_once_the_second_is_superseded() {
    let mut first = fresh();
    first.grow_to_threshold();
    let planned = first.claimed();
    first.fail(&planned, FailureClass::Auth);
    let mut second = reopen(&first, 2);
    let resort = |tab: &mut Tab<Counting>| {
        let view_revision = tab.session.state().view_revision;
        tab.event(Event::Overflow { view_revision, limit: None });
        match tab.claim(Kind::Overflow) {
            Claimed::Planned(planned) => planned,
            other => panic!("{other:?}"),
        }
    };
    let (mine, theirs) = (resort(&mut first), resort(&mut second));
    assert_eq!(mine.pass.means, policy::Means::LastResort);
    assert!(matches!(first.commit(&mine, SUMMARY), Committed::Live { .. }));
    assert_eq!(second.commit(&theirs, LATE), Committed::Superseded);
    assert_eq!(second.session.summary(), Some(SUMMARY), "and shows what the first one wrote");
    assert_eq!(stored(&first).session.root().generations.len(), 1);
}

#[test]
fn a_refresh_takes_what_another_tab_wrote_and_writes_nothing() {
    let (mut first, mut second, planned) = working();
    first.commit(&planned, SUMMARY);
    let (commits, version): (u32, u32) = (first.store.commits(), second.session.version());
    assert!(second.run(Refresh::new()));
    assert_eq!((second.session.summary(), second.session.state()), (Some(SUMMARY), first.session.state()));
    assert_ne!(second.session.version(), version);
    let (version, calls) = (second.session.version(), second.store.calls());
    assert!(!second.run(Refresh::new()));
    assert_eq!((second.session.version(), second.session.drain_notices()), (version, Vec::new()));
    assert_eq!((first.store.commits(), second.store.calls() - calls), (commits, 2), "open and load");
}

#[test]
fn a_refresh_of_a_store_that_fails_costs_one_call_and_nothing_else() {
    let (_, mut second, _) = working();
    let state = second.session.state().clone();
    second.store.refuse(Some(StoreErrorKind::QuotaExceeded));
    let calls = second.store.calls();
    for _ in 0..10 {
        assert!(!second.run(Refresh::new()));
    }
    assert_eq!((second.store.calls() - calls, second.durability()), (1, Durability::Degraded));
    assert_eq!(second.session.state(), &state);
}

#[test]
fn a_refresh_after_a_removal_forgets_too_and_nothing_is_written_again() {
    let (mut first, mut second, planned) = working();
    first.commit(&planned, SUMMARY);
    second.run(Refresh::new());
    first.run(Remove::default()).expect("removed");
    assert!(second.run(Refresh::new()));
    assert_eq!((second.session.summary(), second.session.revision()), (None, None));
    second.settle();
    assert_eq!(SyncStore::load(&second.store, "chat"), Ok(None));
}
