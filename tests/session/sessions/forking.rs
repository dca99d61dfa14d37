//! A copy is whole, its own, and no way around a guard.

use compaction_governor::{policy::Phase, record::Unknown};

use super::*;

#[test]
fn a_fork_has_summary_pins_and_guards_under_its_own_name_and_incarnation() {
    let mut tab = talked();
    assert_eq!(tab.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.report(planned.before - 1_200);
    assert_eq!(tab.session.state().guards.weak_streak, 1);
    assert_eq!(fork(&tab.store, "chat", "copy"), Ok(()));
    let (original, copy) = (root(&tab.store, "chat"), root(&tab.store, "copy"));
    assert_eq!((copy.session.as_str(), copy.incarnation), ("copy", DRAWN));
    assert_eq!(copy.state, original.state);
    assert_eq!(copy.generations, original.generations);
    let opened = beside(&tab, "copy", 2);
    assert_eq!(opened.session.summary(), Some(SUMMARY));
    assert_eq!(opened.session.pins().texts, [RULE]);
    assert_eq!(opened.session.view().generation(), tab.session.view().generation());
    assert_eq!(opened.session.state().guards, tab.session.state().guards, "a strike is a strike");
}

#[test]
fn a_fork_and_its_original_know_nothing_of_each_other() {
    let mut tab = talked();
    fork(&tab.store, "chat", "copy").expect("free");
    let copied = kept(&tab.store, "copy");
    tab.call();
    tab.grow_to_threshold();
    tab.pass();
    assert_eq!(kept(&tab.store, "copy"), copied);
    let original = kept(&tab.store, "chat");
    let mut copy = beside(&tab, "copy", 2);
    copy.call();
    assert_eq!(kept(&tab.store, "chat"), original);
    assert_ne!(kept(&tab.store, "copy"), copied, "its verdict is its own");
}

#[test]
fn an_attempt_that_runs_has_ended_in_the_copy_as_interrupted_and_goes_on_in_the_original() {
    let (mut tab, _) = Tab::open(MemoryStore::new(), 1, START);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    fork(&tab.store, "chat", "copy").expect("free");
    let copied = root(&tab.store, "copy").state;
    assert_eq!((&copied.phase, copied.guards.interrupted.streak), (&Phase::Idle, 1));
    assert_eq!(policy::check(&copied), Ok(()));
    let mut copy = beside(&tab, "copy", 2);
    assert!(copy.session.decide(copy.now).pass().is_some(), "free to compact by itself");
    assert_eq!(copy.commit(&planned, SUMMARY), Committed::Superseded);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert!(!shows(&tab.store, "copy", SUMMARY));
}

#[test]
fn a_probe_that_runs_is_no_probe_of_the_copy_whose_exit_is_armed_anew() {
    let (mut tab, _) = Tab::open(MemoryStore::new(), 1, START);
    for _ in 0..2 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        tab.commit(&planned, SUMMARY);
        tab.report(planned.before - 1_200);
        tab.report(9_000);
    }
    tab.grow_to_threshold();
    tab.wait(Millis::secs(301));
    let probe = tab.claimed();
    assert!(probe.pass.probe.is_some());
    perform_sync(&tab.store, Fork::new("chat", "copy", DRAWN, tab.now)).expect("free");
    let copy = beside(&tab, "copy", 2);
    assert_eq!(block(copy.session.decide(copy.now)), Some(Block::Ineffective));
    let armed = copy.session.state().guards.recovery.map(|recovery| recovery.deadline);
    assert_eq!(armed, Some(tab.now.after(Millis::secs(300))));
    assert_eq!(policy::check(copy.session.state()), Ok(()));
}

#[test]
fn a_verdict_that_is_pending_is_given_once_in_each_by_its_own_reading() {
    let mut tab = talked();
    fork(&tab.store, "chat", "copy").expect("free");
    let mut copy = beside(&tab, "copy", 2);
    assert_eq!(copy.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
    assert_eq!(copy.call().verdict, None);
    assert_eq!(tab.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
}

#[test]
fn a_fork_is_refused_by_name_and_changes_nothing() {
    let tab = talked();
    let store = &tab.store;
    let before = kept(store, "chat");
    assert_eq!(fork(store, "nobody", "copy"), Err(SessionsError::Unknown));
    assert_eq!(fork(store, "chat", "chat"), Err(SessionsError::Exists));
    put_root(store, "damaged", vec![1, 2, 3]);
    put_root(store, "foreign", parts(store, "chat").remove(0).1);
    put_root(store, "newer", newer(parts(store, "chat").remove(0).1));
    assert_eq!(fork(store, "damaged", "copy"), Err(SessionsError::Unreadable));
    assert_eq!(fork(store, "foreign", "copy"), Err(SessionsError::Unreadable));
    assert_eq!(fork(store, "newer", "copy"), Err(SessionsError::Newer { min_reader: 2 }));
    let damaged = kept(store, "damaged");
    assert_eq!(fork(store, "chat", "damaged"), Err(SessionsError::Exists), "what is there may be worth keeping");
    assert_eq!((kept(store, "damaged"), kept(store, "chat"), kept(store, "copy")), (damaged, before, None));
    assert_eq!(fork(store, "chat", "copy"), Ok(()));
    assert_eq!(fork(store, "chat", "copy"), Err(SessionsError::Exists));
}

#[test]
fn a_damaged_summary_stays_behind_and_one_of_a_later_build_refuses_the_copy() {
    let tab = talked();
    let store = &tab.store;
    let mut batch = Batch { puts: parts(store, "chat"), ..Batch::default() };
    let at = batch.puts.iter().position(|(part, _)| *part == Part::Generation(1)).expect("a summary");
    let whole = batch.puts[at].1.clone();
    batch.puts[at].1 = newer(whole.clone());
    put(store, "chat", &batch);
    assert_eq!(fork(store, "chat", "copy"), Err(SessionsError::Newer { min_reader: 2 }));
    batch.puts[at].1 = whole[1..].to_vec();
    let revision = kept(store, "chat").map_or(0, |snapshot| snapshot.revision);
    SyncStore::commit(store, "chat", Expect::Revision(revision), &batch, compaction_governor::id::OpId(9))
        .expect("taken");
    assert_eq!(fork(store, "chat", "copy"), Ok(()));
    let names: Vec<_> = parts(store, "copy").into_iter().map(|(part, _)| part).collect();
    assert_eq!(names, [Part::Root, Part::Generation(0)]);
}

#[test]
fn what_a_later_build_wrote_into_a_record_is_in_its_copy() {
    let tab = talked();
    let mut payload = parts(&tab.store, "chat").remove(0).1.split_off(16);
    // One more pair at the end of the map: key 31, "later".
    payload[0] += 1;
    payload.extend([0x18, 31, 0x65]);
    payload.extend(b"later");
    let mut part = b"CGR1\x01\x00\x01\x00".to_vec();
    part.extend(u32::try_from(payload.len()).expect("short").to_le_bytes());
    part.extend(crc32c::crc32c_append(crc32c::crc32c(&part), &payload).to_le_bytes());
    part.extend(payload);
    put_root(&tab.store, "chat", part);
    assert_ne!(root(&tab.store, "chat").unknown.root, Unknown::default());
    fork(&tab.store, "chat", "copy").expect("free");
    assert_eq!(root(&tab.store, "copy").unknown, root(&tab.store, "chat").unknown);
}
