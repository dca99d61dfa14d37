//! From a claim to a commit: in which shape the summary is asked for, in parts or whole, and what it is held against.

use compaction_governor::{
    policy::Kind,
    session::{Ask, Asking, Committed, Event, Planned, Sent, Taken},
    summary::{Finish, Rejection},
    time::Millis,
};

use crate::{counting::Counting, fresh, tab::SUMMARY, tab::Tab};

const TAGGED: &str =
    "<cg-new-summary>\nThe user asked for a login page. Done: src/auth.rs. Open: reset by mail.\n</cg-new-summary>";

/// A claimed pass and the texts of its slice, each `bytes` long.
fn claimed(bytes: usize) -> (Tab<Counting>, Planned, String, Vec<u32>) {
    let mut tab = fresh();
    // One more message with its answer has to fit beside the prompt.
    tab.fixed = 0;
    tab.grow_to_threshold();
    tab.call();
    let planned = tab.claimed();
    let entries: usize = planned.plan.material().iter().map(ExactSizeIterator::len).sum();
    let (mut joined, mut ends) = (String::new(), Vec::new());
    for n in 0..entries {
        let text = format!("entry {n} in src/part_{n}.rs ");
        joined.push_str(&text);
        joined.push_str(&"x ".repeat(bytes.saturating_sub(text.len()) / 2));
        ends.push(joined.len() as u32);
    }
    (tab, planned, joined, ends)
}

fn ask<'a>(joined: &'a str, ends: &'a [u32]) -> Ask<'a> {
    Ask { joined, ends, focus: None, window: None, output_limit: None, sent: None, until: None }
}

/// The last prompt, as a host whose summariser is the conversation's own model hands it over.
fn sent(tab: &Tab<Counting>) -> Option<Sent> {
    let view_revision = tab.session.state().view_revision;
    Some(Sent { view_revision, entries: tab.session.index().len(), at: tab.now })
}

fn in_place(tab: &mut Tab<Counting>, planned: &Planned, ask: &Ask<'_>) -> bool {
    let asking = tab.session.request(planned.attempt, ask, tab.now).expect("fits");
    matches!(asking, Asking::InPlace { .. })
}

#[test]
fn a_warm_cache_is_asked_in_place_and_each_condition_alone_ends_it() {
    let (mut tab, planned, joined, ends) = claimed(100);
    let warm = Ask { sent: sent(&tab), ..ask(&joined, &ends) };
    assert!(in_place(&mut tab, &planned, &warm));
    assert!(!in_place(&mut tab, &planned, &ask(&joined, &ends)), "not the conversation's own model");
    let last = warm.sent.expect("set");
    for (why, other) in [
        ("another view", Sent { view_revision: last.view_revision + 1, ..last }),
        ("it held less than the slice", Sent { entries: planned.plan.cut - 1, ..last }),
    ] {
        assert!(!in_place(&mut tab, &planned, &Ask { sent: Some(other), ..warm }), "{why}");
    }
    tab.wait(Millis::secs(300));
    assert!(in_place(&mut tab, &planned, &warm), "five minutes");
    tab.wait(Millis::secs(1));
    assert!(!in_place(&mut tab, &planned, &warm), "the cache is cold");
}

#[test]
fn after_a_proven_overflow_nothing_is_asked_behind_the_prompt_that_was_refused() {
    let mut tab = fresh();
    tab.fixed = 0;
    tab.grow_to_threshold();
    tab.call();
    tab.event(Event::Overflow { view_revision: 0, limit: None });
    let compaction_governor::session::Claimed::Planned(planned) = tab.claim(Kind::Overflow) else { panic!("a pass") };
    let entries: usize = planned.plan.material().iter().map(ExactSizeIterator::len).sum();
    let ends = vec![0; entries];
    let warm = Ask { sent: sent(&tab), ..ask("", &ends) };
    assert!(!in_place(&mut tab, &planned, &warm));
}

#[test]
fn an_answer_in_place_that_is_no_summary_is_asked_for_once_more_and_never_in_place_again() {
    let (mut tab, planned, joined, ends) = claimed(100);
    let warm = Ask { sent: sent(&tab), ..ask(&joined, &ends) };
    assert!(in_place(&mut tab, &planned, &warm));
    assert_eq!(
        tab.session.refusal(planned.attempt, "Aye, captain!", Finish::Stop),
        None,
        "it does not end the attempt"
    );
    assert_eq!(tab.session.take(planned.attempt, "Aye, captain!", Finish::Stop), Taken::Next);
    assert!(!in_place(&mut tab, &planned, &warm));
    assert_eq!(tab.session.take(planned.attempt, SUMMARY, Finish::Stop), Taken::Last);
    assert!(matches!(tab.commit(&planned, SUMMARY), Committed::Live { .. }));
}

#[test]
fn an_answer_in_place_is_committed_without_its_tags_and_a_cut_off_one_is_refused() {
    let (mut tab, planned, joined, ends) = claimed(100);
    let warm = Ask { sent: sent(&tab), ..ask(&joined, &ends) };
    assert!(in_place(&mut tab, &planned, &warm));
    assert_eq!(tab.session.refusal(planned.attempt, TAGGED, Finish::Length), Some(Rejection::Unfinished));
    assert_eq!(tab.session.take(planned.attempt, TAGGED, Finish::Stop), Taken::Last);
    tab.commit(&planned, TAGGED);
    assert!(
        tab.session.summary().is_some_and(|summary| summary.starts_with("The user") && !summary.contains("cg-new"))
    );
}

#[test]
fn a_long_slice_is_asked_for_part_by_part_and_each_part_takes_the_summary_so_far_in() {
    let (mut tab, planned, joined, ends) = claimed(2_000);
    let small = Ask { window: Some(6_000), output_limit: Some(400), ..ask(&joined, &ends) };
    let (mut parts, mut shown) = (0, Vec::new());
    loop {
        let Asking::Separate(request) = tab.session.request(planned.attempt, &small, tab.now).expect("fits") else {
            panic!("in place")
        };
        for n in 0..ends.len() {
            if request.user.contains(&format!("entry {n} in src/part_{n}.rs")) {
                shown.push(n);
            }
        }
        assert_eq!(request.user.contains("Summary so far"), parts > 0);
        parts += 1;
        assert!(parts <= ends.len(), "each part goes on where the one before ended");
        let so_far = format!("Summary so far, up to part {parts}: the user wants the parts ported.");
        if tab.session.take(planned.attempt, &so_far, Finish::Stop) == Taken::Last {
            tab.commit(&planned, &so_far);
            break;
        }
    }
    assert!(parts > 2, "{parts} parts");
    assert_eq!(shown, (0..ends.len()).collect::<Vec<_>>(), "none lost, none twice");
    assert!(tab.session.summary().is_some_and(|summary| summary.contains(&format!("up to part {parts}"))));
}

#[test]
fn a_part_that_is_refused_ends_the_attempt_and_leaves_history_as_it_was() {
    let (mut tab, planned, joined, ends) = claimed(2_000);
    let small = Ask { window: Some(6_000), output_limit: Some(400), ..ask(&joined, &ends) };
    tab.session.request(planned.attempt, &small, tab.now).expect("fits");
    assert_eq!(tab.session.take(planned.attempt, "", Finish::Stop), Taken::Last);
    assert!(matches!(tab.commit(&planned, ""), Committed::Rejected { rejection: Rejection::Empty, .. }));
    assert_eq!(tab.session.summary(), None);
}

#[test]
fn what_a_summary_lost_becomes_its_last_line_and_the_receipt_counts_what_stands_elsewhere() {
    let (mut tab, planned, joined, ends) = claimed(100);
    let answer = (SUMMARY, Finish::Stop);
    tab.session
        .hold_against(planned.attempt, answer, (&joined, &ends), &["src/part_1.rs stands in the tail"])
        .expect("fits");
    let receipt = tab.session.receipt(planned.attempt).expect("held").clone();
    assert_eq!(receipt.found as usize, ends.len());
    assert_eq!(receipt.kept as usize + receipt.missing.len(), ends.len());
    assert!(receipt.kept == 1 && !receipt.missing.iter().any(|name| name.contains("part_1.rs")), "{receipt:?}");
    tab.commit(&planned, SUMMARY);
    let text = tab.session.summary().expect("live").to_owned();
    assert!(text.starts_with(SUMMARY) && text.lines().count() == 3, "{text}");
    let last = ends.len() - 1;
    assert!(text.contains(&format!("src/part_{last}.rs")), "the latest first: {text}");
    let kept = tab.session.live().and_then(|live| live.kept).expect("stored");
    assert_eq!((kept.found, kept.kept), (receipt.found, 1));
}

#[test]
fn an_answer_that_will_be_refused_is_held_against_nothing() {
    let (mut tab, planned, joined, ends) = claimed(100);
    tab.session.hold_against(planned.attempt, ("", Finish::Stop), (&joined, &ends), &[]).expect("no error");
    assert_eq!(tab.session.receipt(planned.attempt), None);
    assert!(tab.session.hold_against(planned.attempt, (SUMMARY, Finish::Stop), (&joined, &ends[1..]), &[]).is_err());
}
