//! What every plan, prune, cap, repair and view keeps to, on generated transcripts: parallel calls, missing, late and
//! doubled results, leads, images and blobs, pins, a host's own turns, system entries in the middle, summaries left in
//! history, an open call at the end, giant entries.

mod transcripts;

use compaction_governor::{
    plan::{CapInput, Capping, PlanInput, Refusal, Repair, Replaced, SlicePlan, caps, plan, prune, repair, verify},
    tokens::{Tokens, permille},
    transcript::{Entry, Index, Kind, Role},
    view::{Generation, Part, View, Why},
};
use transcripts::{
    Transcript,
    cases::{Draw, for_all},
    host::Host,
    plain::Plain,
};

/// Plans, and holds the outcome against the plain planner.
fn check_plan(transcript: &Transcript, index: &Index, input: &PlanInput<'_>) -> Result<SlicePlan, Refusal> {
    let planned = plan(index, input);
    assert_eq!(planned, plan(index, input), "equal inputs, equal outputs");
    let plain = Plain::new(transcript, input);
    let capped = caps(index, &CapInput::of(input));
    let capping = PlanInput { replaced: Replaced { capped: &capped, ..input.replaced }, ..*input };
    let cut_down = Plain::new(transcript, &capping);
    let caps_help = capped != input.replaced.capped;
    let (landing, needed) = (cut_down.uncut() as Tokens, cut_down.needed() as Tokens);
    // What is to be kept is kept, capped where it is giant, and gives way last.
    match (plain.best_keeping(), plain.best_giving_way()) {
        (Some(cut), _) => check_slice(&plain, index, &planned, cut),
        _ if caps_help && landing <= needed => assert_eq!(planned, Err(Refusal::CapsSuffice { landing, needed })),
        (None, giving_way) => match cut_down.best_keeping().filter(|_| caps_help) {
            Some(cut) => check_slice(&cut_down, index, &planned, cut),
            None => match (giving_way, cut_down.best_giving_way().filter(|_| caps_help)) {
                (Some(cut), _) => check_slice(&plain, index, &planned, cut),
                (None, Some(cut)) => check_slice(&cut_down, index, &planned, cut),
                (None, None) => {
                    let refusal = planned.clone().expect_err("no cut is worth a call");
                    check_refusal(if caps_help { &cut_down } else { &plain }, index, refusal);
                }
            },
        },
    }
    planned
}

fn check_slice(plain: &Plain<'_>, index: &Index, planned: &Result<SlicePlan, Refusal>, cut: u32) {
    let transcript = plain.transcript;
    let slice = planned.as_ref().unwrap_or_else(|refusal| panic!("refused with {refusal:?}"));
    assert_eq!(slice.cut, cut);
    assert_eq!(verify(index, slice), Ok(()));
    assert!(transcript.may_cut(cut), "a group is split");
    assert!(transcript.open_from().is_none_or(|open| open >= cut), "an open call is cut");
    let material: Vec<u32> = slice.material().into_iter().flatten().collect();
    let expected: Vec<u32> = (0..transcript.len()).filter(|&at| plain.sliced(at, cut)).collect();
    assert_eq!(material, expected, "what is summarised");
    assert!(!material.iter().any(|&at| transcript.is_system(at) || plain.pinned(at)));
    let pinned: Vec<u32> = (transcript.head_len()..cut).filter(|&at| plain.shown(at, cut)).collect();
    assert_eq!(slice.pinned, pinned, "what is pinned");
    assert_eq!(u64::from(slice.promised_tokens), plain.landing(cut));
    assert!(u64::from(slice.promised_tokens) <= plain.needed());
    assert!(slice.pruned.iter().chain(slice.capped.iter().map(|(at, _)| at)).all(|&at| !plain.pinned(at)));
}

fn check_refusal(plain: &Plain<'_>, index: &Index, refusal: Refusal) {
    match refusal {
        Refusal::NothingToCompact { .. } => {
            let last = plain.legal().last().copied();
            assert!(last.is_none_or(|cut| !plain.news(cut) || plain.best_giving_way().is_none()));
        }
        Refusal::FloorBound { floor, landing, needed, largest } => {
            assert_eq!(u64::from(needed), plain.needed());
            assert!(landing > needed && floor <= landing, "{landing} of {needed} with a floor of {floor}");
            check_in_the_way(plain, largest);
        }
        Refusal::OpenToolCalls { from, landing, needed } => {
            assert_eq!(Some(from), plain.transcript.open_from());
            assert!(landing <= needed);
        }
        other => panic!("unexpected {other:?} of {} entries", index.len()),
    }
}

/// The entry in the way could not have been summarised, and none that stays is heavier.
fn check_in_the_way(plain: &Plain<'_>, largest: Option<(u32, Tokens)>) {
    let end = plain.legal().last().copied().unwrap_or(0);
    let heaviest = (0..plain.transcript.len()).filter(|&at| plain.shown(at, end)).map(|at| plain.weight(at)).max();
    match largest {
        Some((at, tokens)) => {
            assert_eq!(u64::from(tokens), plain.scaled(plain.weight(at)));
            assert!(plain.weight(at) >= heaviest.unwrap_or(0), "entry {at} is not the one in the way");
            let keeping = plain.legal().into_iter().rfind(|&cut| plain.keeps(cut)).unwrap_or(end);
            assert!(plain.shown(at, keeping.min(end)), "entry {at} could have been summarised");
        }
        None => assert_eq!(heaviest.unwrap_or(0), 0, "only what is no entry is in the way"),
    }
}

/// Entries as a view shows them.
#[derive(Default)]
struct Shown {
    /// Verbatim, cleared or capped, in order.
    entries: Vec<u32>,
    verbatim: Vec<u32>,
    late: Vec<u32>,
}

fn check_view(transcript: &Transcript, index: &Index, generations: &[Generation]) -> (View, Shown) {
    let view = View::new(index, generations);
    assert_eq!(view, View::new(index, generations), "equal inputs, equal outputs");
    assert_eq!(view.check(index), Ok(()));
    let mut shown = Shown::default();
    let mut summaries = 0;
    for part in view.parts() {
        match *part {
            Part::Verbatim { from, to } => {
                shown.entries.extend(from..to);
                shown.verbatim.extend(from..to);
            }
            Part::Placeholder { index, why: Why::LateResult } => shown.late.push(index),
            Part::Placeholder { index, .. } | Part::Capped { index, .. } => shown.entries.push(index),
            Part::Summary { .. } => summaries += 1,
            _ => panic!("unknown part"),
        }
    }
    assert_eq!(summaries, u32::from(view.covered_count() > 0), "exactly one summary is live");
    check_shown(transcript, &view, &shown);
    (view, shown)
}

fn check_shown(transcript: &Transcript, view: &View, shown: &Shown) {
    assert!(shown.entries.is_sorted_by(|a, b| a < b), "doubled or out of order: {:?}", shown.entries);
    let is_shown = |at: u32| shown.entries.binary_search(&at).is_ok();
    for at in 0..transcript.len() {
        let hidden = !is_shown(at) && !shown.late.contains(&at);
        assert!(!hidden || at < view.covered_count(), "entry {at} is lost");
        assert!(!is_shown(at) || !shown.late.contains(&at), "entry {at} is doubled");
        assert!(!transcript.is_system(at) || shown.verbatim.binary_search(&at).is_ok(), "system entry {at}");
    }
    let speaks = |at: u32| transcript.is_system(at) || transcript.entries[at as usize].is_real_user();
    // What leads a late result of another call is kept beside it by the cut alone.
    let pairs = |pair: &&(u32, u32)| !speaks(pair.1) && transcript.group_of(pair.0) == transcript.group_of(pair.1);
    for &(member, first) in transcript.bound.iter().filter(pairs) {
        assert_eq!(
            is_shown(member),
            is_shown(first) && !shown.late.contains(&member),
            "{member} without {first} in {transcript:?}\n{view:?}"
        );
    }
    let users = shown.entries.iter().rev().find(|&&at| transcript.entries[at as usize].is_real_user());
    assert_eq!(users.copied(), transcript.newest_user(), "the newest user message is the last one");
}

#[test]
fn an_index_reads_a_transcript_as_a_plain_reading_does() {
    for_all("index", |draw| {
        let transcript = Transcript::drawn(draw);
        let index = transcript.index();
        let boundaries: Vec<u32> = (0..transcript.len()).filter(|&at| transcript.may_cut(at)).collect();
        assert!(index.boundaries().iter().eq(boundaries.iter().copied()));
        assert_eq!(index.is_boundary(index.len()), transcript.len() == 0 || transcript.may_cut(transcript.len()));
        assert_eq!(index.open_from(), transcript.open_from());
        assert_eq!(index.newest_user(), transcript.newest_user());
        assert_eq!(index.head_len(), transcript.head_len());
        for at in 0..transcript.len() {
            let group = transcript.group_of(at);
            assert_eq!(index.root(at), group);
            assert_eq!(index.entry(at), Entry { group, ..transcript.entries[at as usize] });
            assert!(index.members(at).eq((0..transcript.len()).filter(|&other| transcript.group_of(other) == group)));
        }
    });
}

// seeds: A9, B1, B2, B4
#[test]
fn a_plan_is_the_smallest_legal_cut_that_reaches_its_goal_or_a_refusal_that_is_true() {
    for_all("plan", |draw| {
        let transcript = Transcript::drawn(draw);
        let mut host = Host::drawn(draw);
        host.pin(&transcript, draw);
        let index = transcript.index();
        let input = PlanInput { capping: host.capping, ..host.input(&index, &[]) };
        check_plan(&transcript, &index, &input).ok();
    });
}

/// A conversation with what was committed for it.
struct Passes {
    transcript: Transcript,
    host: Host,
    generations: Vec<Generation>,
}

impl Passes {
    fn drawn(draw: &mut Draw) -> Self {
        let transcript = Transcript::drawn(draw);
        let host = Host::drawn(draw);
        Self { transcript, host, generations: Vec::new() }
    }

    fn number(&self) -> u32 {
        self.generations.len() as u32
    }

    /// Clears what is worth it, and holds the list against what may be cleared.
    fn prune(&mut self, index: &Index) {
        let input = self.host.prune_input(index, &self.generations);
        let Some(pruned) = prune(index, &input) else { return };
        assert_eq!(Some(&pruned), prune(index, &input).as_ref(), "equal inputs, equal outputs");
        let pinned = Plain::new(&self.transcript, &self.host.input(index, &self.generations)).pinned_entries();
        for &at in &pruned.entries {
            let entry = self.transcript.entries[at as usize];
            let never = entry.is_real_user() || entry.is_system() || entry.kind.any(Kind::HOST_SUMMARY);
            assert!(!never && !pinned.contains(&at) && at >= input.from, "entry {at} was cleared");
            assert!(self.host.live_turn || self.transcript.newest_user().is_none_or(|user| at < user));
            assert!(self.transcript.open_from().is_none_or(|open| at < open), "entry {at} may be part of an open call");
            assert!(!input.replaced.pruned.contains(&at), "entry {at} was cleared before");
        }
        let live = Generation::live(&self.generations, index);
        let mut all = [input.replaced.pruned, &pruned.entries].concat();
        all.sort_unstable();
        let next = Generation::replacing(index, live, self.number(), all, input.replaced.capped.to_vec());
        let before = check_view(&self.transcript, index, &self.generations).0.tokens();
        self.generations.push(next);
        let (view, shown) = check_view(&self.transcript, index, &self.generations);
        assert_eq!(view.generation(), Some(self.number() - 1), "the new one is live");
        assert!(pruned.entries.iter().all(|at| shown.verbatim.binary_search(at).is_err()));
        let freed = u64::from(pruned.freed_tokens) * 1_000 / u64::from(self.host.scale_permille);
        // Scaled down and up again, and less than a token each way.
        assert!((before - view.tokens()).abs_diff(freed) <= 4, "{before} less {freed} became {}", view.tokens());
    }

    /// Plans, and commits what comes of it with a summary of this share of its cap.
    fn pass(&mut self, index: &Index, summary_permille: u32) {
        let before = self.host.occupancy(index, &self.generations);
        let input = PlanInput { capping: self.host.capping, ..self.host.input(index, &self.generations) };
        let pins = Plain::new(&self.transcript, &input).pinned_entries();
        let (next, promised) = match check_plan(&self.transcript, index, &input) {
            Ok(slice) => {
                let cap = u64::from(slice.summary_cap) * 1_000 / u64::from(self.host.scale_permille);
                let summary = permille(cap as Tokens, summary_permille);
                (Generation::of(index, &slice, self.number(), summary), slice.promised_tokens)
            }
            Err(Refusal::CapsSuffice { landing, .. }) => {
                let live = Generation::live(&self.generations, index);
                let capped = caps(index, &CapInput::of(&input));
                let pruned = input.replaced.pruned.to_vec();
                (Generation::replacing(index, live, self.number(), pruned, capped), landing)
            }
            Err(_) => return,
        };
        let committed = next.summary == next.number;
        self.generations.push(next);
        let (view, shown) = check_view(&self.transcript, index, &self.generations);
        assert_eq!(view.generation(), Some(self.number() - 1), "the new one is live");
        if committed {
            assert!(pins.iter().all(|pin| shown.verbatim.binary_search(pin).is_ok()), "pins {pins:?} are verbatim");
        }
        let after = self.host.occupancy(index, &self.generations);
        assert!(after <= promised + 1, "{after} after {promised} was promised");
        assert!(after < before);
        self.pass_again(index);
    }

    /// A second plan on the result of the first refuses, or it shrinks the prompt by a tenth at least.
    fn pass_again(&self, index: &Index) {
        let input = self.host.input(index, &self.generations);
        if let Ok(again) = check_plan(&self.transcript, index, &input) {
            assert!(again.promised_tokens <= input.occupancy - permille(input.occupancy, 100));
            let covered = self.generations.last().map_or(0, |last| last.covered_count);
            assert_eq!(again.from, covered.max(index.head_len()));
        }
    }
}

// seeds: B1, B2, B4
#[test]
fn a_session_of_many_passes_loses_nothing_and_each_pass_shrinks_it() {
    for_all("session", |draw| {
        let mut passes = Passes::drawn(draw);
        for _ in 0..1 + draw.rng.below(4) {
            passes.host.pin(&passes.transcript, draw);
            let index = passes.transcript.index();
            if draw.rng.percent(50) {
                passes.prune(&index);
            }
            passes.pass(&index, draw.rng.below(1_000) as u32);
            passes.transcript.go_on(draw);
            check_view(&passes.transcript, &passes.transcript.index(), &passes.generations);
        }
    });
}

#[test]
fn caps_hit_every_giant_that_stays_and_nothing_that_must_stay_whole() {
    for_all("caps", |draw| {
        let transcript = Transcript::drawn(draw);
        let mut host = Host::drawn(draw);
        host.pin(&transcript, draw);
        let index = transcript.index();
        let input = PlanInput { capping: host.capping, ..host.input(&index, &[]) };
        let capped = caps(&index, &CapInput::of(&input));
        assert!(capped.is_sorted_by(|a, b| a.0 < b.0));
        let replaced = Replaced { pruned: &[], capped: &capped };
        let shown = PlanInput { replaced, ..input };
        let (before, after) = (Plain::new(&transcript, &input), Plain::new(&transcript, &shown));
        let most = (u64::from(input.target_tokens) / 4 * 1_000 / u64::from(input.scale_permille)).max(256);
        for at in 0..transcript.len() {
            let cut = capped.iter().any(|capped| capped.0 == at);
            let newest = transcript.newest_user() == Some(at);
            let user = transcript.entries[at as usize].is_real_user();
            let whole = transcript.is_system(at) || before.pinned(at) || (user && !newest);
            let may = !whole && (!newest || host.capping == Capping::NewestUserToo);
            assert!(!cut || (may && after.weight(at) <= most && after.weight(at) < before.weight(at)), "entry {at}");
            let live = transcript.newest_user().is_some_and(|user| at >= user);
            let due = host.capping != Capping::Never && may && live && before.weight(at) > most + 4;
            assert!(!due || cut, "entry {at} of {} is above {most}", before.weight(at));
        }
        let index_again = caps(&index, &CapInput { replaced, ..CapInput::of(&input) });
        assert_eq!(index_again, capped, "decided once");
    });
}

#[test]
fn an_edit_falls_back_to_the_longest_summary_of_what_did_not_change() {
    for_all("edit", |draw| {
        let mut passes = Passes::drawn(draw);
        for _ in 0..2 {
            let index = passes.transcript.index();
            passes.prune(&index);
            if let Ok(slice) = plan(&index, &passes.host.input(&index, &passes.generations)) {
                let next = Generation::of(&index, &slice, passes.number(), 1);
                passes.generations.push(next);
            }
            passes.transcript.go_on(draw);
        }
        let at = draw.rng.below(passes.transcript.len().into()) as u32;
        let mut index = passes.transcript.index();
        index.truncate(at);
        if draw.rng.below(2) == 0 {
            for &entry in passes.transcript.entries.iter().skip(at as usize) {
                index.push(Entry { id: entry.id ^ 1, ..entry });
            }
        }
        let view = View::new(&index, &passes.generations);
        assert_eq!(view.check(&index), Ok(()));
        let fits = passes.generations.iter().filter(|generation| generation.matched_count <= at);
        assert_eq!(view.covered_count(), fits.map(|generation| generation.covered_count).max().unwrap_or(0));
    });
}

#[test]
fn a_view_without_a_summary_is_the_transcript_and_says_how_much_of_it_is_new() {
    for_all("identity", |draw| {
        let transcript = Transcript::drawn(draw);
        let index = transcript.index();
        let (view, _) = check_view(&transcript, &index, &[]);
        let whole = [Part::Verbatim { from: 0, to: index.len() }];
        assert_eq!(view.parts(), if index.is_empty() { &whole[..0] } else { &whole[..] });
        assert_eq!(view.tokens(), index.tokens(0..u32::MAX));
        let mut grown = index.clone();
        grown.push(Entry::alone(1, Role::User, 5));
        assert_eq!(View::new(&grown, &[]).stable_prefix(&view, index.len()), index.len());
    });
}

/// The entries that are left when `repairs` are made, in the words of a host: each with the place it had.
fn repaired(transcript: &Transcript, repairs: &[Repair]) -> Index {
    let mut places = vec![Entry::ALONE; transcript.entries.len()];
    let mut index = Index::new();
    for (at, &entry) in transcript.entries.iter().enumerate() {
        let mine = |repair: &&Repair| match **repair {
            Repair::Collapse { entry, .. } | Repair::Drop { entry, .. } => entry as usize == at,
            Repair::Close { entry, .. } | Repair::StripMedia { entry } => entry as usize == at,
            _ => false,
        };
        let mine: Vec<Repair> = repairs.iter().filter(mine).copied().collect();
        if let [Repair::Collapse { .. } | Repair::Drop { .. }, ..] = mine[..] {
            continue;
        }
        let group = places.get(entry.group as usize).copied().unwrap_or(Entry::ALONE);
        places[at] = index.len();
        let stripped = Kind::from_bits(entry.kind.bits() & !Kind::IMAGE.with(Kind::BLOB).bits());
        let kind = if let [.., Repair::StripMedia { .. }] = mine[..] { stripped } else { entry.kind };
        index.push(Entry { group, kind, ..entry });
        if let [Repair::Close { missing, .. }, ..] = mine[..] {
            let closing = Entry { group: places[at], kind: Kind::RESULT, ..Entry::alone(0, Role::Tool, 5) };
            (0..missing).for_each(|_| index.push(closing));
        }
    }
    index
}

// seeds: B7
#[test]
fn a_repaired_history_has_no_orphan_one_summary_at_most_and_needs_no_second_repair() {
    for_all("repair", |draw| {
        let transcript = Transcript::drawn(draw);
        let index = transcript.index();
        let repairs = repair(&index);
        assert_eq!(repairs, repair(&index), "equal inputs, equal outputs");
        let mended = repaired(&transcript, &repairs);
        // A part that named a dropped entry begins an answer of its own, and that may give a call up.
        let dropped =
            |at: u32| repairs.iter().any(|repair| matches!(*repair, Repair::Drop { entry, .. } if entry == at));
        let named = |at: u32| transcript.group_of(at) != at && dropped(transcript.group_of(at)) && !dropped(at);
        if !(0..transcript.len()).any(named) {
            assert_eq!(repair(&mended), [], "after {repairs:?}");
            assert_eq!(mended.open_from().is_some(), index.open_from().is_some(), "an open call may still be answered");
        }
        let all = &mended;
        let of_kind = |kind| (0..all.len()).filter(move |&at| all.is(at, kind));
        assert!(of_kind(Kind::HOST_SUMMARY).count() <= 1);
        for at in of_kind(Kind::RESULT) {
            assert!(mended.members(at).any(|member| mended.is(member, Kind::CALL)), "result {at} has no call");
        }
        let users = |index: &Index| index.turns().iter().map(|at| index.entry(at).id).collect::<Vec<_>>();
        assert_eq!(users(&mended), users(&index), "no user message is lost");
    });
}
