//! Class 1: loops, thrash and repeated passes.

use compaction_governor::{
    policy::{Block, FailureClass, Kind, Verdict},
    session::{Claimed, Event},
    time::Millis,
};

use crate::{block, pass_to, tab, tab::SUMMARY};

#[test]
fn l04_a_summary_that_stays_over_the_threshold_backs_off_after_two() {
    // The fault: output still over the threshold started the next generation at once.
    // What it cost: 17 generations in two days, the last five within minutes.
    // What now holds: the second useless pass blocks, with a time and a size at which one more is tried.
    let mut tab = tab(64_000, 40_000);
    tab.observe(90);
    let mut passes = 0;
    for landing in [41_000, 43_000, 42_000, 40_000, 43_000] {
        tab.observe(tab.entries() + 2);
        tab.report(44_000);
        if let Some(verdict) = pass_to(&mut tab, landing) {
            assert_eq!(verdict, Verdict::Ineffective);
            passes += 1;
        }
    }
    assert!((1..=2).contains(&passes), "{passes} passes");
}

#[test]
fn l05_overflow_after_overflow_is_capped_at_three_attempts_without_progress() {
    // The fault: overflow, compaction, overflow without a limit and without a look at what it bought.
    // What it cost: 35 passes in a row within an hour.
    // What now holds: at most three attempts between signs of progress, however often the provider refuses.
    let mut tab = tab(64_000, 48_000);
    tab.grow_to_threshold();
    let mut calls = 0;
    for _ in 0..35 {
        tab.observe(tab.entries() + 1);
        let view_revision = tab.session.state().view_revision;
        tab.event(Event::Overflow { view_revision, limit: None });
        if let Claimed::Planned(planned) = tab.claim(Kind::Overflow) {
            if planned.pass.means == compaction_governor::policy::Means::Model {
                calls += 1;
            }
            tab.commit(&planned, SUMMARY);
        }
        tab.wait(Millis::secs(20));
    }
    assert!(calls <= 3, "{calls} model calls");
}

#[test]
fn l08_turns_that_the_host_made_up_renew_nothing() {
    // The fault: a synthetic "continue" after each pass re-armed the trigger.
    // What it cost: a pass every 100 seconds, more than 50 of them.
    // What now holds: only a real user turn counts; the strikes stand.
    use compaction_governor::transcript::{Entry, Kind, Role};
    let mut tab = tab(64_000, 48_000);
    tab.observe(100);
    let mut passes = 0;
    for n in 0..50 {
        tab.session.push(Entry { kind: Kind::SYNTHETIC, ..Entry::alone(9_000 + n, Role::User, 500) });
        tab.settle();
        tab.report(50_000);
        passes += u32::from(pass_to(&mut tab, 49_000).is_some());
        tab.wait(Millis::secs(2));
    }
    assert!((1..=2).contains(&passes), "{passes} passes");
}

#[test]
fn l10_passes_that_reduce_nothing_stop_after_two() {
    // The fault: no look at what a pass bought.
    // What it cost: 24 passes from 308,977 tokens to 305,832.
    // What now holds: two weak passes trip the guard.
    let mut tab = tab(320_000, 300_000);
    tab.observe(612);
    let mut passes = 0;
    for (before, after) in [(308_977, 305_845), (305_832, 305_841), (305_865, 305_946), (305_946, 305_832)] {
        tab.observe(tab.entries() + 2);
        tab.report(before);
        passes += u32::from(pass_to(&mut tab, after).is_some());
    }
    assert_eq!((passes, block(tab.session.decide(tab.now))), (2, Some(Block::Ineffective)));
}

#[test]
fn l13_no_pass_follows_a_failed_one_within_its_cooldown() {
    // The fault: no least interval between attempts.
    // What it cost: 29 passes in four hours, the last eight within twelve minutes.
    // What now holds: a failure waits 60 seconds, doubling, while the conversation goes on.
    let mut tab = tab(64_000, 48_000);
    tab.grow_to_threshold();
    let mut attempts = 0;
    for _ in 0..12 * 6 {
        if let Claimed::Planned(planned) = tab.claim(Kind::Auto) {
            tab.fail(&planned, FailureClass::Other);
            attempts += 1;
        }
        tab.observe(tab.entries() + 2);
        tab.wait(Millis::secs(10));
    }
    assert_eq!(attempts, 4, "at 0, 60, 180 and 420 seconds");
}

#[test]
fn l14_a_refused_pass_by_hand_is_final_until_something_is_new() {
    // The fault: the refusal said "add more", and the model asked again.
    // What it cost: 101 calls in ten minutes, 1.8 million tokens.
    // What now holds: each is refused by name, without a model call and without a write.
    let mut tab = tab(64_000, 48_000);
    tab.observe(1);
    let commits = tab.store.commits();
    for _ in 0..101 {
        let Claimed::Refused(decision) = tab.claim(Kind::Manual) else { panic!("nothing to compact") };
        assert_eq!(block(decision), Some(Block::NothingToCompact));
    }
    assert_eq!(tab.store.commits(), commits);
}
