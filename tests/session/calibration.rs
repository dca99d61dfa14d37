//! What reports teach of a model's tokens: nothing guessed, and nothing kept for another model.

use compaction_governor::{
    config::Config,
    id::ModelId,
    policy::{Confidence, Kind},
    session::{Claimed, Event, Settings},
};

use crate::{START, counting::Counting, tab::SUMMARY, tab::Tab};

/// A provider that counts `tenths` tenths of every estimate, and a fixed part beside.
const FIXED: u32 = 3_000;

fn reported(tab: &mut Tab<Counting>, tenths: u32) -> u32 {
    FIXED + tab.view_tokens() * tenths / 10
}

fn taught(tenths: u32) -> Tab<Counting> {
    let config = Config { context_window: Some(200_000), ..Config::default() };
    let settings = Settings { config, ..Settings::default() };
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings);
    for entries in [20, 40, 60, 80] {
        tab.observe(entries);
        let counted = reported(&mut tab, tenths);
        tab.report(counted);
    }
    tab
}

fn off_permille(seen: u32, real: u32) -> u32 {
    seen.abs_diff(real) * 1_000 / real
}

#[test]
fn what_is_added_is_counted_as_earlier_reports_counted_it() {
    for tenths in [5, 10, 13, 27] {
        let mut tab = taught(tenths);
        tab.observe(100);
        let (seen, real) = (tab.session.observation(), reported(&mut tab, tenths));
        assert!(off_permille(seen.occupancy, real) <= 5, "{tenths}: {} for {real}", seen.occupancy);
        assert_eq!(seen.confidence, Confidence::Reported);
    }
}

#[test]
fn the_overhead_is_what_a_report_leaves_after_entries_as_the_model_counts_them() {
    for tenths in [5, 10, 13, 27] {
        let tab = taught(tenths);
        let overhead = tab.session.root().anchor.expect("it was reported").overhead;
        // What the ratio may still be off, of 40,000 tokens.
        assert!(overhead.abs_diff(FIXED) <= 1_200, "{tenths}: {overhead}");
    }
}

#[test]
fn the_first_prompt_after_a_pass_is_estimated_within_three_per_cent() {
    for tenths in [7, 13, 20] {
        let mut tab = taught(tenths);
        let Claimed::Planned(planned) = tab.claim(Kind::Manual) else { panic!("refused") };
        tab.commit(&planned, SUMMARY);
        let (seen, real) = (tab.session.observation(), reported(&mut tab, tenths));
        assert_eq!(seen.confidence, Confidence::Calibrated);
        assert!(off_permille(seen.occupancy, real) <= 30, "{tenths}: {} for {real}", seen.occupancy);
    }
}

#[test]
fn another_model_starts_from_the_plain_estimate() {
    let mut tab = taught(20);
    let reported = tab.session.observation().occupancy;
    tab.event(Event::Model(ModelId(9)));
    let before = tab.view_tokens();
    tab.observe(100);
    let added = tab.view_tokens() - before;
    assert_eq!(tab.session.observation().occupancy, reported + added);
}
