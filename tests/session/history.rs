//! Taking a summary back, writing it anew, and how much of the past is kept.

use compaction_governor::{
    session::{AmendError, Amended, Edit, HISTORY_BYTES, Undo},
    store::Part,
};

use super::*;

const BETTER: &str = "The user asked for a login page and password reset. Done: both. Open: nothing.";

fn undo(tab: &mut Tab<Counting>, compaction: Option<&str>) -> Result<Amended, AmendError> {
    tab.run(Write::rereading(Undo::new(compaction.map(str::to_owned))))
}

fn edit(tab: &mut Tab<Counting>, compaction: &str, text: &str) -> Result<Amended, AmendError> {
    tab.run(Write::rereading(Edit::new(compaction, text.to_owned())))
}

fn compacted(passes: u32) -> Tab<Counting> {
    let mut tab = fresh();
    for _ in 0..passes {
        tab.grow_to_threshold();
        tab.pass();
    }
    tab
}

fn live_id(tab: &Tab<Counting>) -> String {
    tab.session.root().generations.last().expect("one").attempt.to_string()
}

#[test]
fn undo_shows_the_summary_before_then_the_transcript_and_is_one_durable_commit_each() {
    let mut tab = compacted(2);
    let before = (tab.session.view().covered_count(), tab.store.commits());
    let undone = undo(&mut tab, None).expect("the second");
    assert!(undone.after > undone.before, "{undone:?}");
    assert_eq!(tab.store.commits(), before.1 + 1);
    let one = reopen(&tab, 2);
    assert_eq!(one.session.view().generation(), Some(1));
    assert!(one.session.view().covered_count() < before.0);
    let id = live_id(&tab);
    undo(&mut tab, Some(&id)).expect("the first, by its id");
    let none = reopen(&tab, 3);
    assert_eq!((none.session.view().generation(), none.session.summary()), (None, None));
    assert_eq!(none.session.view().check(none.session.index()), Ok(()));
    assert_eq!(tab.store.bytes().iter().filter(|(part, _)| *part != Part::Root).count(), 0, "and no text is left");
    assert_eq!(undo(&mut tab, None), Err(AmendError::Nothing));
}

#[test]
fn undo_is_refused_by_name_while_an_attempt_runs_for_an_unknown_id_and_for_one_that_is_not_live() {
    let mut tab = compacted(2);
    let bytes = tab.store.bytes();
    let first = tab.session.root().generations[0].attempt.to_string();
    let live = tab.session.root().generations[1].attempt;
    assert_eq!(undo(&mut tab, Some(&first)), Err(AmendError::NotLive { live }));
    for unknown in ["", "zzz", "00000000000000aa"] {
        assert_eq!(undo(&mut tab, Some(unknown)), Err(AmendError::Unknown), "{unknown:?}");
    }
    assert_eq!(tab.store.bytes(), bytes);
    tab.grow_to_threshold();
    let mut other = reopen(&tab, 2);
    other.claimed();
    assert_eq!(undo(&mut tab, None), Err(AmendError::Running), "another tab's counts");
    assert_eq!(edit(&mut other, &live.to_string(), BETTER), Err(AmendError::Running));
    let said = AmendError::Running.to_string();
    assert!(said.contains("stands as it was") && said.contains("wait"), "{said}");
}

#[test]
fn a_pending_verdict_of_an_undone_pass_is_void_and_no_counter_moves() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    assert_eq!(tab.spoilt_pass(16_000), Verdict::Weak);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    let late = tab.session.state().view_revision;
    let guards = tab.session.state().guards.clone();
    undo(&mut tab, None).expect("taken back");
    let report = Report {
        prompt_tokens: 30_000,
        view_revision: Some(late),
        sent_at: tab.now,
        entries: tab.session.index().len(),
    };
    assert_eq!(tab.run(Write::new(report)).ignored, Some(Ignored::StaleView), "of the view that was taken back");
    assert_eq!(tab.report(27_000).verdict, None);
    assert_eq!(tab.session.state().guards.weak_streak, guards.weak_streak);
    assert_eq!(tab.session.state().guards.ineffective_streak, guards.ineffective_streak);
    assert_eq!(tab.session.state().guards.attempts_without_progress, guards.attempts_without_progress);
    assert_eq!(reopen(&tab, 2).session.state().guards.weak_streak, 1);
}

#[test]
fn an_edit_is_a_generation_of_its_own_over_the_same_range_and_undo_brings_the_old_one_back() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit_with(&planned, SUMMARY, "mode: read-only");
    tab.call();
    let (old, covered) = (live_id(&tab), tab.session.view().covered_count());
    let edited = edit(&mut tab, &old, BETTER).expect("an honest summary");
    assert_ne!(edited.attempt.to_string(), old);
    let reloaded = reopen(&tab, 2);
    assert_eq!((reloaded.session.summary(), reloaded.session.view().covered_count()), (Some(BETTER), covered));
    assert!(reloaded.session.shown_summary().expect("live").contains("mode: read-only"), "what was frozen stays");
    undo(&mut tab, Some(&edited.attempt.to_string())).expect("the edit");
    assert_eq!(tab.session.summary(), Some(SUMMARY));
    let numbers: Vec<u32> = tab.session.root().generations.iter().map(|generation| generation.number).collect();
    assert_eq!(numbers, [1]);
    edit(&mut tab, &old, BETTER).expect("again");
    assert_eq!(tab.session.root().generations.last().map(|generation| generation.number), Some(3), "no number twice");
}

#[test]
fn an_edit_is_held_to_the_limits_of_the_pass_it_replaces_also_after_a_reload() {
    let mut tab = compacted(1);
    let id = live_id(&tab);
    let bounds = tab.session.live().expect("live").bounds.expect("known");
    let long: String = (0..).map(|n| format!("src/{}.rs has {} lines. ", n * 7_919, n * n)).take(2_000).collect();
    let fits: String = long.chars().take(bounds.cap as usize * 7 / 2).collect();
    let over: String = long.chars().take(bounds.cap as usize * 7 / 2 + 7).collect();
    let bytes = tab.store.bytes();
    let mut reloaded = reopen(&tab, 2);
    for (text, code) in
        [("", "empty"), ("I'm sorry, but I can't help with that.", "refusal"), (over.as_str(), "over_cap")]
    {
        let refused = edit(&mut reloaded, &id, text).expect_err("no summary");
        assert_eq!(refused.code(), code);
    }
    assert_eq!(tab.store.bytes(), bytes, "nothing was written");
    assert_eq!(reloaded.session.summary(), Some(SUMMARY));
    edit(&mut tab, &id, &fits).expect("as long as it may be");
}

#[test]
fn undo_before_the_transcript_was_shown_means_the_summary_that_covers_most() {
    let tab = compacted(2);
    let (mut cold, _) = Tab::open(tab.store.another_context(), 2, tab.now);
    let live = tab.session.root().generations[1].attempt;
    assert_eq!(undo(&mut cold, None).map(|undone| undone.attempt), Ok(live));
    assert_eq!(reopen(&tab, 3).session.view().generation(), Some(1));
}

#[test]
fn an_undo_that_another_tab_overtook_is_decided_again_on_what_that_tab_left() {
    let mut first = compacted(1);
    let id = live_id(&first);
    let mut second = reopen(&first, 2);
    second.grow_to_threshold();
    second.pass();
    let live = second.session.root().generations.last().expect("one").attempt;
    first.observe(second.entries());
    assert_eq!(undo(&mut first, Some(&id)), Err(AmendError::NotLive { live }));
    assert_eq!(first.session.view().generation(), Some(2));
}

// seeds: B5
#[test]
fn texts_of_the_past_stay_within_their_budget_oldest_dropped_first_and_the_live_one_never() {
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings(200_000, None));
    let text = |pass: u64| -> String {
        (0..).map(|n| format!("{pass}.{n}: src/{}.rs, {} lines. ", n * 7_919 + pass, n * n)).take(700).collect()
    };
    for pass in 0..6 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        assert!(matches!(tab.commit(&planned, text(pass).trim()), Committed::Live { .. }));
        tab.call();
        tab.wait(Millis::secs(600));
    }
    let kept: Vec<u32> = tab.session.root().generations.iter().map(|generation| generation.number).collect();
    let bytes: usize = kept.iter().map(|number| tab.session.text(*number).expect("its text").len()).sum();
    let one = text(0).len();
    assert!(bytes <= HISTORY_BYTES && bytes + one > HISTORY_BYTES, "{} of {one} bytes each", kept.len());
    assert_eq!(kept, [2, 3, 4, 5, 6]);
    let parts = tab.store.bytes().len();
    assert_eq!(parts, 1 + kept.len(), "what was dropped is gone from the store");
}
