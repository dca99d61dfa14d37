//! Lists of operations with whatever answers a store might give, in whatever order, right or not: nothing panics, every operation
//! ends, and the state is always one that can be.

use compaction_governor::{
    config::Config,
    error::Applied,
    id::{AttemptId, ModelId, OpId, OwnerId},
    policy::{Breach, FailureClass, Kind, check},
    record::{Pins, Root, Summary, encode_pins, encode_root, encode_summary},
    session::{
        Adopt, Claim, Commit, Edit, Event, Fail, Open, Operation, Peek, Pin, Pinnable, Remove, Report, Session,
        Settings, Settle, Step, StoreCommand, StoreReply, Undo, Unpin, Write,
    },
    store::{Capabilities, CompareAndSwap, Part, Recover, Revision, Snapshot, StoreError, StoreErrorKind, Survives},
    summary::Finish,
    time::{Millis, Timestamp},
    transcript::{Entry, Role},
};
use proptest::{collection::vec, prelude::*};

use crate::{NOW, SESSION, arbitrary, for_all, runs::Draw};

/// What a host does, by a number each; the second is whatever it takes.
#[derive(Clone, Debug)]
struct Act {
    what: u8,
    with: u64,
    answers: Vec<Answer>,
    waits: u64,
}

#[derive(Clone, Debug)]
enum Answer {
    Nothing,
    /// A record of this seed, at this revision, by this operation; damaged or not.
    Found(u64, Revision, u64, bool),
    LoadFails(u8, bool),
    Committed(Revision),
    CommitFails(u8, bool),
    Removed(bool),
    Quarantined,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let answer = prop_oneof![
        2 => Just(Answer::Nothing),
        4 => (any::<u64>(), 0..6_u64, any::<u64>(), prop::bool::weighted(0.2))
            .prop_map(|(seed, revision, op, damaged)| Answer::Found(seed, revision, op, damaged)),
        2 => (any::<u8>(), any::<bool>()).prop_map(|(kind, unknown)| Answer::LoadFails(kind, unknown)),
        5 => (0..6_u64).prop_map(Answer::Committed),
        3 => (any::<u8>(), any::<bool>()).prop_map(|(kind, unknown)| Answer::CommitFails(kind, unknown)),
        1 => any::<bool>().prop_map(Answer::Removed),
        1 => Just(Answer::Quarantined),
    ];
    let wait = prop_oneof![4 => 0..1_000_u64, 2 => 0..700_000_u64, 1 => any::<u64>()];
    let act = (0..20_u8, any::<u64>(), vec(answer, 1..6), wait).prop_map(|(what, with, answers, waits)| Act {
        what,
        with,
        answers,
        waits,
    });
    vec(act, 1..24)
}

fn error(kind: u8, unknown: bool) -> StoreError {
    let kind = match kind % 8 {
        0 => StoreErrorKind::Conflict { actual: Some(u64::from(kind)) },
        1 => StoreErrorKind::Conflict { actual: None },
        2 => StoreErrorKind::QuotaExceeded,
        3 => StoreErrorKind::Corrupt,
        4 => StoreErrorKind::Timeout,
        5 => StoreErrorKind::Indeterminate,
        6 => StoreErrorKind::Closed,
        _ => StoreErrorKind::Backend { name: "UnknownError".to_owned() },
    };
    StoreError { kind, applied: if unknown { Applied::Unknown } else { Applied::No }, recover: Recover::Retry }
}

fn snapshot(seed: u64, revision: Revision, op: u64, damaged: bool) -> Snapshot {
    let mut draw = Draw::new(seed);
    let session = if seed.is_multiple_of(9) { "another" } else { SESSION };
    let root = Root { session: session.to_owned(), ..arbitrary::root(&mut draw) };
    let mut parts = vec![(Part::Root, encode_root(&root))];
    let pins = Pins { texts: draw.some(3, |draw| draw.text(12)), ..Pins::default() };
    parts.push((Part::Generation(0), encode_pins(session, &pins)));
    for made in &root.generations {
        let summary = Summary::new(session, made.number, made.attempt, "What was done so far, in src/a.rs.");
        parts.push((Part::Generation(made.number), encode_summary(&summary)));
    }
    if damaged {
        let at = draw.below(parts.len());
        let bit = draw.below(parts[at].1.len() * 8);
        parts[at].1[bit / 8] ^= 1 << (bit % 8);
    }
    Snapshot { revision, op_id: OpId(op), parts }
}

fn reply(answer: &Answer) -> StoreReply {
    match *answer {
        Answer::Nothing => StoreReply::Loaded(Ok(None)),
        Answer::Found(seed, revision, op, damaged) => {
            StoreReply::Loaded(Ok(Some(snapshot(seed, revision, op, damaged))))
        }
        Answer::LoadFails(kind, unknown) => StoreReply::Loaded(Err(error(kind, unknown))),
        Answer::Committed(revision) => StoreReply::Committed(Ok(revision)),
        Answer::CommitFails(kind, unknown) => StoreReply::Committed(Err(error(kind, unknown))),
        Answer::Removed(removed) => StoreReply::Removed(if removed { Ok(()) } else { Err(error(6, false)) }),
        Answer::Quarantined => StoreReply::Quarantined,
    }
}

/// Runs `operation` on these answers, over and over; it has to end.
fn run<O: Operation>(session: &mut Session, mut operation: O, act: &Act, now: Timestamp) -> Result<(), TestCaseError> {
    let mut step = operation.begin(session, now);
    let mut answers = act.answers.iter().cycle();
    for _ in 0..MOST_CALLS {
        match step {
            Step::Done => {
                operation.finish(session);
                return Ok(());
            }
            // A quarantine stops nothing, so a store has nothing else to say to it.
            Step::Store(StoreCommand::Quarantine { .. }) => {
                step = operation.resume(session, StoreReply::Quarantined, now)
            }
            Step::Store(_) => step = operation.resume(session, reply(answers.next().expect("at least one")), now),
        }
    }
    Err(TestCaseError::fail(format!("no end after {MOST_CALLS} store calls: {act:?}")))
}

fn perform(session: &mut Session, act: &Act, now: Timestamp) -> Result<(), TestCaseError> {
    let small = u32::try_from(act.with % 9_000).expect("small");
    let own = session.planned().map(|planned| planned.attempt);
    let attempt = own.filter(|_| !act.with.is_multiple_of(4)).unwrap_or(AttemptId(act.with));
    let view_revision = session.state().view_revision.saturating_sub(small % 2);
    let entries = session.index().len();
    match act.what {
        0 => return run(session, Open::new(), act, now),
        1 => return run(session, Write::new(Settle), act, now),
        2 | 3 => {
            let report = Report { prompt_tokens: small, view_revision: Some(view_revision), sent_at: now, entries };
            return run(session, Write::new(report), act, now);
        }
        4 => return run(session, Write::rereading(Claim::new(Kind::Auto)), act, now),
        5 => return run(session, Write::rereading(Claim::new(Kind::Manual)), act, now),
        6 => return run(session, Write::rereading(Claim::new(Kind::Overflow)), act, now),
        7 | 8 => {
            let text = if act.with.is_multiple_of(3) {
                String::new()
            } else {
                "Done: src/a.rs. Open: the rest of it.".to_owned()
            };
            let commit = Commit {
                attempt,
                text,
                finish: Finish::Stop,
                fallback: act.with.is_multiple_of(5),
                spent: small,
                carry: "c".repeat(small as usize),
                through: "m".to_owned(),
            };
            return run(session, Write::new(commit), act, now);
        }
        9 => {
            let class = FailureClass::ALL[small as usize % FailureClass::COUNT];
            return run(session, Write::new(Fail { attempt, class, retry_after: Some(Millis(act.with)) }), act, now);
        }
        10 => return run(session, Write::new(Pin(Pinnable::Text(format!("rule {}", small % 5)))), act, now),
        11 => {
            let pin = session.pinnable(small % entries.max(1)).unwrap_or(Pinnable::Text(String::new()));
            return run(session, Write::new(Pin(pin)), act, now);
        }
        12 => return run(session, Write::new(Unpin(act.with)), act, now),
        13 => return run(session, Write::new(Undo::new(None)), act, now),
        14 => {
            let live = session.live().map_or_else(|| "nothing".to_owned(), |live| live.attempt.to_string());
            return run(session, Write::new(Edit::new(&live, "Amended: src/b.rs is done too.".to_owned())), act, now);
        }
        15 => return run(session, Write::event(event(act, attempt, view_revision)), act, now),
        16 => {
            return run(
                session,
                Write::new(Adopt { covered: small, summary_tokens: 40, manual: small % 2 == 0 }),
                act,
                now,
            );
        }
        17 if act.with.is_multiple_of(3) => return run(session, Remove::default(), act, now),
        17 => return run(session, Peek::default(), act, now),
        18 => session.truncate(small % (entries + 1)),
        _ => {
            for at in 0..act.with % 12 {
                let role = [Role::User, Role::Assistant, Role::System, Role::Tool][(act.with >> at) as usize % 4];
                session.push(Entry::alone(act.with % 50 + at, role, small));
            }
        }
    }
    Ok(())
}

fn event(act: &Act, attempt: AttemptId, view_revision: u32) -> Event {
    match act.with % 7 {
        0 => Event::StepWithoutUsage { view_revision },
        1 => Event::Overflow { view_revision, limit: Some(u32::try_from(act.with % 40_000).expect("small")) },
        2 => Event::Renewed(attempt),
        3 => Event::Cancelled(attempt),
        4 => Event::Model(ModelId(act.with % 3)),
        5 => Event::Credentials,
        _ => Event::Reset,
    }
}

fn session() -> Session {
    let capabilities = Capabilities {
        compare_and_swap: CompareAndSwap::Linearizable,
        atomic_batch: true,
        survives: Survives::ProcessKill,
        max_value_bytes: None,
    };
    let config = Config { context_window: Some(16_000), ..Config::default() };
    let settings = Settings { config, fallback: vec![FailureClass::Timeout], ..Settings::default() };
    Session::new(SESSION, OwnerId(9), settings, capabilities).expect("valid settings")
}

#[test]
fn any_list_of_operations_with_any_answers_ends_without_a_panic_in_a_state_that_can_be() {
    for_all("operations", 6_000, acts(), |acts| {
        let (mut session, mut now) = (session(), NOW);
        for act in &acts {
            now = Timestamp(now.0.wrapping_add(act.waits));
            perform(&mut session, act, now)?;
            can_be(&session, act)?;
            prop_assert_eq!(session.view().check(session.index()), Ok(()), "after {:?}", act);
            let _ = (session.decide(now), session.wake_at(now), session.shown_summary(), session.resume_after());
        }
        let settle = Act { what: 1, with: 0, answers: vec![Answer::CommitFails(2, false)], waits: 0 };
        perform(&mut session, &settle, now)?;
        prop_assert_eq!(check(session.state()), Ok(()), "settled");
        Ok(())
    });
}

/// Whatever a record said: a tripped guard that came without its deadline is armed by the next event that takes note of time.
fn can_be(session: &Session, act: &Act) -> Result<(), TestCaseError> {
    let unarmed = session.state().guards.tripped() && session.state().guards.recovery.is_none();
    match check(session.state()) {
        Ok(()) => Ok(()),
        Err(Breach::RecoveryOutOfStep) if unarmed => Ok(()),
        Err(breach) => Err(TestCaseError::fail(format!("{breach} after {act:?}: {:?}", session.state()))),
    }
}

/// 256 conflicts, each with two commits, a load and up to eighteen parts to set aside; and the calls of a reload.
const MOST_CALLS: u32 = 6_000;
