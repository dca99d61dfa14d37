//! Results without their calls, calls without their results, reasoning without what it led to.

use compaction_governor::{
    plan::{Keep, PlanInput, Repair, Stray, plan, repair},
    tokens::Tokens,
    transcript::{Kind, Role},
    view::{Part, Why},
};

use super::talk::Talk;

/// What a provider refuses: half of a pair among the entries that are sent as they are.
fn assert_paired(talk: &Talk) {
    let sent = talk.verbatim();
    let is_sent = |at: u32| sent.binary_search(&at).is_ok();
    for &at in &sent {
        assert!(talk.index.members(at).all(is_sent) || !talk.index.is(at, Kind::CALL.with(Kind::RESULT)), "entry {at}");
    }
}

/// Two parallel calls and their results, in the order given.
fn batch(calls: u8, results: &[u32]) -> Talk {
    let mut talk = Talk::new();
    talk.user(100);
    let call = talk.call(calls, 200);
    for &tokens in results {
        talk.result(call, tokens);
    }
    talk.user(50);
    talk
}

// A fixed index cut a batch of parallel calls in two.
// The provider refused every request from then on: the session was dead.
// Cuts fall between batches alone, and a forced one sends the rest as plain text.
#[test]
fn sd_06_o01_a_parallel_batch_survives_a_cut_forced_at_each_index() {
    for (calls, results) in [(2, &[900, 700][..]), (3, &[900, 700]), (2, &[700, 900])] {
        let talk = batch(calls, results);
        assert!(talk.index.boundaries().iter().eq([0, 1, 4]), "{calls} calls");
        for cut in 0..=talk.index.len() {
            let mut forced = talk.clone();
            forced.force(cut);
            assert!(forced.view().check(&forced.index).is_ok());
            assert_paired(&forced);
            let late = |part: &&Part| matches!(part, Part::Placeholder { why: Why::LateResult, .. });
            let late = forced.view().parts().iter().filter(late).count();
            assert_eq!(late, [0, 0, 2, 1, 0, 0][cut as usize], "cut at {cut}");
        }
    }
}

// The same, by the planner itself, whatever a host wants kept.
// A host with three entries to keep lost its session at the first pass.
// A plan always exists or says why not.
#[test]
fn sd_06_a_plan_of_a_parallel_batch_keeps_it_whole_or_says_why_not() {
    for keep_entries in 0..6 {
        let talk = batch(3, &[9_000, 7_000]);
        let keep = Keep { entries: keep_entries, tokens: 0, turns: 0 };
        let planned = plan(&talk.index, &PlanInput { keep, urgent: false, ..talk.input(12_000) });
        match planned {
            Ok(slice) => assert!([1, 4].contains(&slice.cut), "cut at {}", slice.cut),
            Err(refusal) => assert!(["nothing_to_compact", "floor_bound"].contains(&refusal.code()), "{refusal:?}"),
        }
    }
}

// An orphan result lay between two passes, inside the kept window.
// It came back with each pass; the provider refused 33 of them in a row.
// Pairs are looked at on the final view, after all passes.
#[test]
fn o02_an_orphan_result_between_two_passes_is_never_sent_as_a_result() {
    let mut talk = Talk::new();
    talk.user(100);
    let early = talk.call(2, 300);
    talk.result(early, 4_000);
    talk.answer(50);
    talk.user(60);
    let first = talk.pass(4_000, 300).unwrap();
    assert!(first.cut > early);
    talk.steps(3, 1_500);
    let late = talk.result(early, 800);
    talk.steps(2, 1_500);
    assert_paired(&talk);
    let as_text = Part::Placeholder { index: late, why: Why::LateResult };
    assert!(talk.view().parts().contains(&as_text));
    talk.steps(4, 1_500);
    let second = talk.pass(8_000, 300).unwrap();
    assert!(second.cut > first.cut);
    assert_paired(&talk);
}

// A stream broke off in a call; the host closed it with a result of its own making, as a separate message.
// The next pass summarised the call and kept the result: refused for ever.
// A result made by the host is part of the pair like any other.
#[test]
fn o03_a_synthetic_result_of_a_broken_call_is_not_parted_from_it() {
    let mut talk = Talk::new();
    talk.user(3_000);
    let call = talk.call(1, 2_000);
    let made = talk.say(Role::User, Kind::SYNTHETIC, 10);
    talk.index.truncate(made);
    let result = talk.add(compaction_governor::transcript::Entry {
        kind: Kind::RESULT.with(Kind::SYNTHETIC),
        group: call,
        ..compaction_governor::transcript::Entry::alone(0, Role::User, 20)
    });
    talk.user(40);
    assert!(!talk.index.is_boundary(result));
    let slice = talk.pass(3_000, 200).unwrap();
    assert!(slice.cut <= call || slice.cut > result);
    assert_paired(&talk);
}

// The kept tail ended with a call that never got its result, since the request was refused for its size.
// The next request was refused for the dangling call: nothing to continue from.
// An open call is never cut, and one that was given up is named for repair.
#[test]
fn o04_a_call_without_a_result_is_left_open_at_the_end_and_closed_by_repair_later() {
    let mut talk = Talk::new();
    talk.user(5_000);
    talk.steps(3, 2_000);
    let dangling = talk.call(1, 400);
    let slice = plan(&talk.index, &talk.input(8_000)).unwrap();
    assert!(slice.cut <= dangling);
    assert_eq!(repair(&talk.index), [], "its result may still come");
    talk.user(30);
    assert_eq!(repair(&talk.index), [Repair::Close { entry: dangling, missing: 1 }]);
}

// The live turn was the result of a call, and the call went into the summary.
// The request began with a summary and a result of nothing.
// If the live turn is results, their call stays with them.
#[test]
fn o06_a_pass_on_a_turn_of_results_keeps_their_call_too() {
    let mut talk = Talk::new();
    talk.user(100);
    talk.steps(6, 3_000);
    let call = talk.call(1, 100);
    talk.result(call, 400);
    let keep = Keep { entries: 1, tokens: 0, turns: 0 };
    let slice = plan(&talk.index, &PlanInput { keep, ..talk.input(10_000) }).unwrap();
    talk.commit(&slice, 300);
    assert!(talk.verbatim().contains(&call));
    assert_paired(&talk);
}

// Signed reasoning was parted from the answer it led to.
// The provider refused the request: the blocks had changed.
// What leads goes with what it led to: both in, or both out.
#[test]
fn o07_signed_reasoning_is_in_or_out_together_with_its_answer() {
    let mut talk = Talk::new();
    talk.user(100);
    let mut led = Vec::new();
    for _ in 0..4 {
        let reasoning = talk.say(Role::Assistant, Kind::LEADS, 800);
        let call = talk.call(1, 200);
        talk.result(call, 900);
        led.push((reasoning, call));
    }
    for threshold in (1_000..8_000).step_by(250) {
        let Ok(slice) = plan(&talk.index, &talk.input(threshold)) else { continue };
        assert!(led.iter().all(|&(reasoning, call)| (reasoning < slice.cut) == (call < slice.cut)), "at {threshold}");
    }
    let best: Tokens = plan(&talk.index, &talk.input(4_000)).unwrap().promised_tokens;
    assert!(best < 4_000, "and it holds nothing back: {best}");
}

// A guard against orphans refused each plan in which a result lay outside of the selection.
// Every pass failed.
// The cut moves to the next place that parts nothing.
#[test]
fn o09_a_result_outside_of_the_selection_moves_the_cut_instead_of_refusing() {
    let mut talk = Talk::new();
    talk.user(100);
    let first = talk.call(1, 500);
    let second = talk.call(1, 500);
    talk.result(second, 4_000);
    talk.result(first, 4_000);
    talk.answer(50);
    talk.user(10);
    let keep = Keep { entries: 3, tokens: 0, turns: 0 };
    let slice = plan(&talk.index, &PlanInput { keep, urgent: true, ..talk.input(6_000) }).unwrap();
    assert_eq!(slice.cut, 5, "the interleaved calls are one group");
    let stray = talk.result(first, 10);
    assert_eq!(repair(&talk.index), [Repair::Drop { entry: stray, why: Stray::NoCall }]);
}
