//! Public reports of money lost to passes and prompt caches, rebuilt small.

use compaction_governor::{
    transcript::{Entry, Role},
    view::Part,
};

use super::*;

// The fault: the idle rule knew a theoretical floor; the real one was higher, and each resume compacted again.
// What it cost: 64,105 to 44,579 tokens, then the same pass for a chat that had not grown, and 256 s of waiting.
// What now holds: without new messages no check, no reload and no hand starts a pass that has nothing new to say.
#[test]
fn m01_a_chat_that_has_not_grown_is_not_compacted_again() {
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings(80_000, Some(64_000)));
    tab.fixed = 25_502;
    tab.call();
    tab.grow_to_threshold();
    tab.pass();
    let commits = tab.store.commits();
    for check in 0..5 {
        tab = reopen_in(&tab, 10 + check);
        tab.call();
        tab.wait(Millis::secs(3_600));
        assert!(matches!(tab.claim(Kind::Auto), Claimed::Refused(_)), "check {check}");
    }
    assert_eq!(tab.store.commits(), commits, "and nothing was written");
}

fn reopen_in(tab: &Tab<Counting>, owner: u64) -> Tab<Counting> {
    let (mut other, _) = Tab::open_with(tab.store.another_context(), owner, tab.now, settings(80_000, Some(64_000)));
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}

// The fault: what changes stood before what stays, and each pass wrote the whole prefix anew.
// What it cost: 97,000 unchanged tokens per pass, 0 read from the cache on the next call.
// What now holds: the system head stays in front through every pass, and between two passes every call begins with
// the whole call before it, the carry included.
#[test]
fn m03_between_two_passes_each_prompt_begins_with_the_one_before() {
    let mut tab = fresh();
    tab.session.push(Entry::alone(1, Role::System, 400));
    for _ in 0..3 {
        tab.grow_to_threshold();
        let before = tab.session.view();
        let planned = tab.claimed();
        tab.commit_with(&planned, SUMMARY, "mode: read-only");
        assert_eq!(tab.session.view().stable_prefix(&before, tab.session.index().len()), 1, "the head, at a pass");
        let (mut last, shown) = (tab.session.view(), tab.session.shown_summary());
        for _ in 0..8 {
            let entries = tab.session.index().len();
            tab.observe(tab.entries() + 2);
            tab.call();
            let view = tab.session.view();
            assert_eq!(view.stable_prefix(&last, entries), items(&last), "all of it");
            assert_eq!(tab.session.shown_summary(), shown);
            last = view;
        }
    }
}

/// How many messages a view shows.
fn items(view: &compaction_governor::view::View) -> u32 {
    let size = |part: &Part| if let Part::Verbatim { from, to } = *part { to - from } else { 1 };
    view.parts().iter().map(size).sum()
}

// The fault: the summary was a join of all that had ever been remembered: 165,000 characters under a threshold of
// 100,000 tokens.
// What it cost: 27.39 of 30.45 dollars for writing the cache, in a session that never came below its line.
// What now holds: a summariser that joins is refused at the cap, and what is shown never grows beyond it.
// seeds: B5
#[test]
fn m04_a_summary_that_grows_with_every_pass_is_refused_at_its_cap() {
    let mut tab = fresh();
    let mut joined = String::from(SUMMARY);
    let mut refused = 0;
    for pass in 0..12 {
        tab.grow_to_threshold();
        let Claimed::Planned(planned) = tab.claim(Kind::Auto) else { break };
        for n in 0..20 {
            joined.push_str(&format!(" Pass {pass}: file src/{}.rs has {} lines.", pass * 7_919 + n, n * n + pass));
        }
        match tab.commit(&planned, &joined) {
            Committed::Live { .. } => drop(tab.call()),
            Committed::Rejected { rejection, .. } => {
                assert!(matches!(rejection, Rejection::OverCap { .. }), "{rejection:?}");
                refused += 1;
                tab.wait(Millis::secs(3_600));
            }
            Committed::Superseded => panic!("nobody else is here"),
        }
        let most = planned.plan.summary_cap as usize * 7 / 2;
        assert!(tab.session.summary().is_none_or(|text| text.len() <= most));
    }
    assert!(refused > 0);
}

// The fault: old tool results were shrunk in place, call by call.
// What it cost: 27 of 86 calls did not begin with the call before, and made up 72.1 % of what missed the cache.
// What now holds: in 86 calls only the commits change what was sent before.
#[test]
fn m05_only_a_commit_changes_what_was_sent_before() {
    let mut tab = fresh();
    let (mut broken, mut passes) = (0, 0);
    let mut last = tab.session.view();
    for _ in 0..86 {
        let entries = tab.session.index().len();
        tab.observe(tab.entries() + 2);
        if tab.session.decide(tab.now).pass().is_some() {
            let planned = tab.claimed();
            tab.commit(&planned, SUMMARY);
            passes += 1;
        }
        tab.call();
        let view = tab.session.view();
        broken += u32::from(view.stable_prefix(&last, entries) < items(&last));
        last = view;
    }
    assert!(passes >= 3 && broken == passes, "{broken} of 86 calls, {passes} passes");
}
