//! Images, blobs and giants: few tokens that weigh megabytes, one entry that fills the window.

use compaction_governor::{
    plan::{Capping, Keep, LEAST_FREED_BYTES, PlanInput, PruneInput, Refusal, Replaced, plan, prune},
    transcript::{Entry, Kind, Role},
    view::{Generation, Part},
};

use super::talk::Talk;

fn pruning(talk: &Talk) -> PruneInput<'_> {
    let live = Generation::live(&talk.generations, &talk.index);
    PruneInput {
        from: live.map_or(0, |live| live.covered_count),
        keep: Keep { entries: 2, tokens: 0, turns: 0 },
        live_turn: false,
        pins: &[],
        replaced: live.map_or(Replaced::default(), Generation::replaced),
        least_tokens: 8_000,
        least_bytes: LEAST_FREED_BYTES,
        scale_permille: 1_000,
    }
}

fn clear(talk: &mut Talk) -> u64 {
    let pruned = prune(&talk.index, &pruning(talk)).expect("there is enough to clear");
    let live = Generation::live(&talk.generations, &talk.index);
    let all = [live.map_or(&[][..], |live| &live.pruned), &pruned.entries].concat();
    let next = Generation::replacing(&talk.index, live, talk.generations.len() as u32, all, Vec::new());
    talk.generations.push(next);
    pruned.freed_bytes
}

// Three results of 450,000 characters of base64 made the request for a summary itself too large.
// Manual and automatic passes were refused alike: the thread was poisoned.
// Blobs leave the prompt before any model is asked, and the newest turn stays.
#[test]
fn s01_blobs_are_cleared_before_a_summary_is_asked_for() {
    let mut talk = Talk::new();
    for blob in 0..3 {
        talk.user(200);
        let call = talk.call(1, 60);
        let kind = Kind::RESULT.with(Kind::BLOB);
        let entry = Entry { kind, group: call, bytes: 450_000, ..Entry::alone(0, Role::Tool, 300_000) };
        talk.add(entry);
        talk.answer(100 + blob);
    }
    let newest = talk.user(80);
    let before = talk.weight();
    clear(&mut talk);
    assert!(before > 900_000 && talk.weight() < 2_000, "{before} became {}", talk.weight());
    assert!(talk.verbatim().contains(&newest));
}

// An image cost 230 tokens and 4.2 MB; a budget in tokens never saw it.
// Each pass carried all images on: 7.7 MB became 57.9 MB in five passes.
// A second budget in bytes clears them, once, and a prune is never decided twice.
#[test]
fn s04_images_of_few_tokens_and_many_bytes_are_cleared_by_their_bytes() {
    let mut talk = Talk::new();
    for _ in 0..12 {
        talk.user(40);
        let call = talk.call(1, 30);
        let kind = Kind::RESULT.with(Kind::IMAGE);
        talk.add(Entry { kind, group: call, bytes: 4_200_000, ..Entry::alone(0, Role::Tool, 230) });
        talk.answer(60);
    }
    talk.user(10);
    let before = talk.weight();
    let freed = clear(&mut talk);
    assert!(freed > 45_000_000, "{freed} bytes");
    assert!(before - talk.weight() < 8_000, "tokens alone would not have called for it");
    assert_eq!(prune(&talk.index, &pruning(&talk)), None, "decided once");
}

// One turn held most of the window, and the vendor's pass found too few groups to cut at.
// The pass failed as long as the turn went on.
// A long turn is cut between its pairs, with the user's words kept in front of the rest.
#[test]
fn s11_a_turn_of_most_of_the_window_is_cut_between_its_pairs() {
    let mut talk = Talk::new();
    let user = talk.user(500);
    talk.steps(50, 2_450);
    let slice = talk.pass(100_000, 4_000).unwrap();
    assert_eq!(slice.pinned, [user]);
    assert!(talk.weight() < 85_000, "{}", talk.weight());
}

// A text-only conversation was told that it is too long even after its tool results were removed.
// The user looked for results that were not there.
// There is nothing to clear, and the refusal names the entry in the way.
#[test]
fn s12_a_conversation_without_results_is_told_what_is_really_in_the_way() {
    let mut talk = Talk::new();
    talk.user(300);
    talk.answer(200);
    let giant = talk.user(60_000);
    assert_eq!(prune(&talk.index, &pruning(&talk)), None);
    let refused = plan(&talk.index, &PlanInput { capping: Capping::Giants, ..talk.input(40_000) }).unwrap_err();
    let Refusal::FloorBound { largest, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(largest, Some((giant, 60_000)));
}

// A call with arguments of half the window, and a result as large, in the newest turn.
// Neither can be summarised while the turn goes on: every pass was refused.
// Both are cut in the view, and a plan exists.
#[test]
fn a_giant_call_in_the_kept_tail_is_capped_and_a_plan_exists() {
    let mut talk = Talk::new();
    talk.user(100);
    talk.steps(70, 1_000);
    let call = talk.call(1, 50_000);
    let result = talk.result(call, 50_000);
    let keep = Keep { entries: 2, tokens: 0, turns: 0 };
    let whole = PlanInput { keep, urgent: false, ..talk.input(80_000) };
    let refused = plan(&talk.index, &whole).unwrap_err();
    assert!(matches!(refused, Refusal::FloorBound { largest: Some((at, 50_000)), .. } if at == call), "{refused:?}");
    let slice = plan(&talk.index, &PlanInput { capping: Capping::Giants, ..whole }).unwrap();
    assert!(slice.capped.iter().map(|capped| capped.0).eq([call, result]));
    talk.commit(&slice, 1_000);
    let capped = |part: &&Part| matches!(part, Part::Capped { .. });
    assert_eq!(talk.view().parts().iter().filter(capped).count(), 2);
    assert!(talk.weight() <= slice.promised_tokens, "{} of {}", talk.weight(), slice.promised_tokens);
}
