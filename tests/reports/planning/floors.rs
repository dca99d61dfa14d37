//! Where what no pass can remove is most of the prompt.

use compaction_governor::{
    plan::{CapInput, Capping, Keep, PlanInput, Refusal, caps, plan},
    transcript::{Kind, Role},
};

use super::talk::Talk;

// System prompt and tools of 29,000 tokens stood above a trigger of 27,853.
// The agent compacted from its first second on, four messages at a time.
// One refusal with both numbers, and no plan, until the fixed part falls.
#[test]
fn f01_a_fixed_part_above_the_trigger_is_a_refusal_with_its_numbers() {
    let mut talk = Talk::new();
    talk.user(100);
    talk.answer(277);
    talk.user(100);
    let refused = plan(&talk.index, &talk.input_above(27_853, 29_000)).unwrap_err();
    let Refusal::FloorBound { floor, landing, needed, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(floor, 29_100);
    assert!(landing >= floor && needed == 23_675, "{refused:?}");
    talk.steps(25, 1_000);
    assert!(plan(&talk.index, &talk.input_above(27_853, 9_400)).is_ok(), "normal again");
}

// Rules, tools and system text made 173,000 of 200,000 tokens.
// Six passes ran in three minutes, each of which could only touch the rest.
// The refusal says how much of the prompt is fixed.
#[test]
fn f02_a_window_that_is_mostly_fixed_says_so_instead_of_passing_again() {
    let mut talk = Talk::new();
    talk.user(400);
    talk.steps(6, 2_000);
    talk.user(50);
    for _ in 0..6 {
        let refused = plan(&talk.index, &talk.input_above(160_000, 173_000)).unwrap_err();
        assert!(matches!(refused, Refusal::FloorBound { floor: 173_050, .. }), "{refused:?}");
    }
}

// A window of 28,000 less output and reserve, a system prompt of 15,000 and 4,000 tokens to keep.
// It worked three times, then gave up after three attempts that could not land low enough.
// Targets shrink to the room that is left above the fixed part.
#[test]
fn f04_a_small_window_lands_in_the_room_above_its_system_prompt() {
    let mut talk = Talk::new();
    talk.system(15_000);
    let threshold = 22_400;
    for round in 0..8 {
        talk.user(100);
        talk.steps(7, 800);
        let keep = Keep { entries: 0, tokens: 4_000, turns: 0 };
        let slice = plan(&talk.index, &PlanInput { keep, ..talk.input(threshold) });
        let Ok(slice) = slice else { continue };
        assert!(slice.promised_tokens < 19_100, "round {round}: {}", slice.promised_tokens);
        talk.commit(&slice, 400);
        assert!(talk.weight() < threshold);
    }
    assert!(talk.generations.len() >= 5, "{} passes", talk.generations.len());
}

// Each pass left the thread four fifths full: retained items, images, and the fixed part.
// Six in a row within two hours, and no edit made.
// Where headroom cannot be reached, the heaviest entry is named; where it may be cut, the room is there.
#[test]
fn f05_a_pass_that_cannot_make_room_names_what_holds_it() {
    let mut talk = Talk::new();
    talk.user(200);
    talk.steps(4, 500);
    let user = talk.user(90);
    let call = talk.call(1, 100);
    let held = talk.result(call, 70_000);
    let keep = Keep { entries: 2, tokens: 0, turns: 0 };
    let input = PlanInput { keep, urgent: false, ..talk.input(80_000) };
    let refused = plan(&talk.index, &input).unwrap_err();
    assert!(matches!(refused, Refusal::FloorBound { largest: Some((at, 70_000)), .. } if at == held), "{refused:?}");
    let input = PlanInput { capping: Capping::Giants, ..input };
    assert_eq!(plan(&talk.index, &input).unwrap_err().code(), "caps_suffice", "and no model is needed");
    talk.record(caps(&talk.index, &CapInput::of(&input)));
    assert!(talk.weight() < 10_000, "{}", talk.weight());
    assert!(talk.verbatim().contains(&user));
}

// One of two parallel calls was answered with half of the window; the other was still waited for.
// The agent stood still until the second result came, and then overflowed.
// Waiting is the answer only where nothing may be cut: else the giant is capped, and the open call stays.
#[test]
fn a_giant_result_of_an_open_call_does_not_hold_a_pass_back() {
    let mut talk = Talk::new();
    talk.user(200);
    talk.steps(70, 1_000);
    talk.user(90);
    let call = talk.call(2, 100);
    let answered = talk.result(call, 70_000);
    let input = talk.input(80_000);
    assert_eq!(plan(&talk.index, &input).unwrap_err().code(), "open_tool_calls");
    let slice = plan(&talk.index, &PlanInput { capping: Capping::Giants, ..input }).unwrap();
    assert!(slice.cut <= call && slice.cut > 1, "the open call stays, and its giant result is cut");
    assert!(slice.capped.iter().map(|capped| capped.0).eq([answered]));
}

// Summaries piled up outside of the trigger's count, until the oldest was evicted.
// The agent forgot its beginning although it paid for each summary.
// They count, and two of them are merged by the next pass.
#[test]
fn f06_summaries_count_towards_the_prompt_and_are_merged() {
    let mut talk = Talk::new();
    for _ in 0..6 {
        talk.say(Role::Assistant, Kind::HOST_SUMMARY, 1_000);
    }
    talk.user(50);
    assert_eq!(talk.weight(), 6_050);
    let slice = talk.pass(5_000, 900).unwrap();
    assert_eq!((slice.from, slice.cut, slice.material().len()), (0, 6, 1));
    assert!(talk.weight() < 1_500, "{}", talk.weight());
}

// A pinned text larger than the room: a host pinned what it wanted never to lose.
// Every pass was planned and every one was in vain.
// Pins are part of the fixed part, and the refusal names the largest of them.
#[test]
fn a_pin_that_leaves_no_room_is_named_and_gives_way_when_it_is_unpinned() {
    let mut talk = Talk::new();
    talk.user(100);
    let pinned = talk.answer(30_000);
    talk.steps(10, 1_000);
    talk.user(20);
    let pins = [pinned];
    let input = PlanInput { pins: &pins, capping: Capping::NewestUserToo, ..talk.input(30_000) };
    let refused = plan(&talk.index, &input).unwrap_err();
    assert!(matches!(refused, Refusal::FloorBound { largest: Some((1, 30_000)), .. }), "{refused:?}");
    let slice = plan(&talk.index, &PlanInput { pins: &[], ..input }).unwrap();
    assert!(slice.material().into_iter().flatten().any(|at| at == pinned));
}
