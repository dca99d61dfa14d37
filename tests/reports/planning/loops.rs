//! Passes that run again and again because of where they land or what they keep.

use compaction_governor::{
    plan::{CapInput, Capping, Covered, Keep, PlanInput, caps, plan},
    transcript::{Kind, Role},
};

use super::talk::Talk;

// A pass landed exactly on the cap, so that the next message was above it again.
// 113 became 80, 82 became 80, 84 became 80: three passes in two turns.
// The first pass lands at three quarters or below, and the next two messages change nothing.
#[test]
fn sd_04_l02_a_pass_lands_well_below_its_trigger_and_the_next_messages_need_none() {
    const TRIGGER: u32 = 80_000;
    let mut talk = Talk::new();
    talk.exchanges(113, 1_000);
    let slice = talk.pass(TRIGGER, 4_000).unwrap();
    assert!(slice.promised_tokens <= 60_000 && talk.weight() <= 60_000, "{}", slice.promised_tokens);
    for _ in 0..2 {
        talk.user(1_000);
        talk.answer(1_000);
        assert!(talk.weight() < TRIGGER, "{}", talk.weight());
    }
}

// The newest item alone was larger than the tail that was to be kept, so nothing was kept.
// The agent read the same files again and again: 104 passes in 239 steps.
// It stays, cut to what there is room for.
#[test]
fn l06_a_newest_item_above_the_tail_is_kept_cut_down_rather_than_lost() {
    let mut talk = Talk::new();
    talk.user(60);
    talk.steps(2, 10_300);
    let call = talk.call(1, 40);
    let newest = talk.result(call, 14_073);
    let keep = Keep { entries: 2, tokens: 0, turns: 0 };
    let input = PlanInput { keep, urgent: false, capping: Capping::Giants, ..talk.input(8_000) };
    assert_eq!(plan(&talk.index, &input).unwrap_err().code(), "caps_suffice");
    let capped = caps(&talk.index, &CapInput::of(&input));
    assert!(capped.iter().any(|capped| capped.0 == newest), "{capped:?}");
    talk.record(capped);
    assert!((500..3_000).contains(&talk.weight()), "{}", talk.weight());
}

// The transcript was nearly empty after a pass, and each later turn compacted it again.
// A new tiny summary each time: the prefix changed with every turn.
// A range of nothing is never summarised.
#[test]
fn l12_a_nearly_empty_transcript_is_not_compacted_again() {
    let mut talk = Talk::new();
    talk.user(100);
    talk.steps(30, 1_000);
    talk.answer(40);
    talk.user(20);
    talk.pass(1_500, 300).unwrap();
    assert_eq!(talk.view().covered_count(), 61, "all but the last two messages");
    let keep = Keep { entries: 2, tokens: 0, turns: 0 };
    for threshold in [1_500, 300, 120] {
        let input = PlanInput { keep, urgent: false, ..talk.input(threshold) };
        assert_eq!(plan(&talk.index, &input).unwrap_err().code(), "nothing_to_compact", "at {threshold}");
    }
}

// Everything recent was a result whose call was gone, so that nothing could be forgotten.
// Each pass kept 4 events, forgot none, and asked for the next pass.
// Strays bind nothing: they are summarised like anything else.
#[test]
fn l16_results_whose_calls_are_gone_can_be_forgotten() {
    let mut talk = Talk::new();
    for _ in 0..4 {
        talk.system(100);
    }
    talk.user(50);
    for _ in 0..40 {
        talk.result(u32::MAX, 1_000);
    }
    let slice = talk.pass(20_000, 600).unwrap();
    assert!(slice.cut > 25, "cut at {}", slice.cut);
    assert!(talk.weight() < 17_000, "{}", talk.weight());
}

// Twenty-four passes in a row saved nothing: 308,977 became 305,845, and so on.
// Each cost a call of 300,000 tokens.
// A plan that saves less than a tenth is no plan.
#[test]
fn l10_a_pass_that_would_save_less_than_a_tenth_is_refused() {
    let mut talk = Talk::new();
    talk.user(280_000);
    talk.steps(5, 4_000);
    let refused = plan(&talk.index, &talk.input(250_000)).unwrap_err();
    assert_eq!(refused.code(), "floor_bound");
}

// A previous summary of 1,200 tokens and nine messages, all within the tail that is kept.
// Each check made a new summary of the summary.
// Nothing to compact, each time, with the same words.
#[test]
fn sd_08_q01_a_protected_tail_is_nothing_to_compact_each_time() {
    let mut talk = Talk::new();
    talk.user(100);
    talk.steps(10, 1_000);
    let covered = talk.index.len();
    talk.user(200);
    talk.steps(4, 2_000);
    let previous = Some(Covered { count: covered, pinned: &[], summary_tokens: 1_200 });
    let keep = Keep { entries: 9, tokens: 0, turns: 0 };
    let input = PlanInput { previous, keep, urgent: false, ..talk.input(8_000) };
    let first = plan(&talk.index, &input).unwrap_err();
    assert_eq!(first.code(), "nothing_to_compact");
    (0..2).for_each(|_| assert_eq!(plan(&talk.index, &input), Err(first)));
    let all_turns = Keep { entries: 0, tokens: 0, turns: 1 };
    assert_eq!(plan(&talk.index, &PlanInput { keep: all_turns, ..input }), Err(first), "nor by turns");
}

// 140,000 tokens were reported where local estimates summed up to 35,000.
// A tail of 80,000 estimated tokens was all there was: the slice was empty, and the pass ran again.
// One accounting: a tail of 80,000 tokens of the model is a quarter of it in estimates.
#[test]
fn sd_10_t04_a_tail_in_model_tokens_is_a_quarter_of_it_in_estimates() {
    let mut talk = Talk::new();
    talk.exchanges(70, 500);
    let scale_permille = 4_000;
    let keep = Keep { entries: 0, tokens: 80_000 * 1_000 / scale_permille, turns: 0 };
    let input = PlanInput {
        occupancy: 140_000,
        target_tokens: 80_000,
        accept_below: 102_000,
        keep,
        urgent: false,
        scale_permille,
        ..talk.input(120_000)
    };
    let slice = plan(&talk.index, &input).unwrap();
    let tail = talk.index.tokens(slice.cut..u32::MAX);
    assert!((20_000..=21_000).contains(&tail), "{tail} estimated tokens of tail");
    let slice_in_model_tokens = slice.slice_tokens * 4;
    assert!((56_000..=60_000).contains(&slice_in_model_tokens), "{slice_in_model_tokens}");
}

// Nothing but a host's own summaries and its own turns in the slice.
// A pass was paid for, and said what was said before.
// A host's turn is news; a summary of its own is not.
#[test]
fn a_slice_of_one_summary_and_nothing_new_is_no_reason_to_call_a_model() {
    let mut talk = Talk::new();
    talk.say(Role::User, Kind::HOST_SUMMARY, 6_000);
    talk.user(10);
    assert_eq!(talk.pass(5_000, 100).unwrap_err().code(), "nothing_to_compact");
    let mut host = Talk::new();
    host.say(Role::User, Kind::HOST_SUMMARY, 6_000);
    host.say(Role::User, Kind::SYNTHETIC, 500);
    host.user(10);
    assert!(host.pass(5_000, 100).is_ok());
}
