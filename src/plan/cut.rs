//! Choosing the cut, and checking it.

use core::ops::Range;

use crate::{
    plan::{
        CapInput, Capping, Covered, PlanInput, Refusal, Replaced, SlicePlan, caps,
        fixed::{clamp, fixed, floor, pinned_groups, scaled},
        shown::{Places, savings},
        verify,
    },
    tokens::{Tokens, permille},
    transcript::{Index, Kind},
};

/// The smallest slice whose landing reaches the target; the one that lands lowest where none does, or where the target is
/// above what is accepted anyway; or why none is worth a call.
///
/// The slice starts behind the system head and what the live summary covers, ends between two atomic groups, holds no
/// system entry, no open tool call, no pin and not the newest real user message. Where the turn is so long that the cut
/// falls behind that message, it is pinned: the view shows head, summary, pinned entries, tail.
///
/// Where no slice is worth a call with what is to be kept, giant entries that would stay are capped if
/// [`PlanInput::capping`] allows it: if that is enough, no model is needed. Only then, and where it is urgent, does what is
/// to be kept give way: a result that no model has read yet is better cut than summarised.
///
/// # Errors
/// The [`Refusal`], with its numbers.
pub fn plan(index: &Index, input: &PlanInput<'_>) -> Result<SlicePlan, Refusal> {
    let slicer = Slicer::new(index, input);
    let refused = match slicer.keeping() {
        Err(refused) => refused,
        planned => return planned,
    };
    let capped = match input.capping {
        Capping::Never => input.replaced.capped.to_vec(),
        _ => caps(index, &CapInput::of(input)),
    };
    if capped == input.replaced.capped {
        return slicer.giving_way(refused);
    }
    let input = PlanInput { replaced: Replaced { capped: &capped, ..input.replaced }, ..*input };
    let cut_down = Slicer::new(index, &input);
    let (landing, needed) = (clamp(cut_down.uncut()), cut_down.needed());
    if landing <= needed {
        return Err(Refusal::CapsSuffice { landing, needed });
    }
    let refused = match cut_down.keeping() {
        Err(refused) => refused,
        planned => return planned,
    };
    slicer.giving_way(refused).or_else(|_| cut_down.giving_way(refused))
}

/// One planning run: what does not change while cuts are compared.
struct Slicer<'a> {
    index: &'a Index,
    input: &'a PlanInput<'a>,
    previous: Covered<'a>,
    /// The first entry that may enter the slice.
    from: u32,
    /// Pins and the newest user message, as they are shown.
    fixed: Places,
    /// What is saved by not showing entries as they are.
    savings: Places,
    head_tokens: u64,
    released_tokens: u64,
}

impl<'a> Slicer<'a> {
    fn new(index: &'a Index, input: &'a PlanInput<'a>) -> Self {
        let previous = input.previous.unwrap_or_default();
        let pinned = pinned_groups(index, input.pins);
        let savings = savings(index, input.replaced, &pinned, previous.count);
        let mut slicer = Self {
            index,
            input,
            previous,
            from: previous.count.clamp(index.head_len(), index.len()),
            fixed: fixed(index, &pinned, &savings),
            savings,
            head_tokens: index.tokens(0..index.head_len()),
            released_tokens: 0,
        };
        slicer.released_tokens = slicer.released().map(|at| index.tokens(at..at + 1)).sum();
        slicer
    }

    /// With what is to be kept left as it is.
    fn keeping(&self) -> Result<SlicePlan, Refusal> {
        self.attempt(self.index.boundary_at_or_before(self.input.keep.limit(self.index).min(self.furthest())))
    }

    /// Where it is urgent, what is to be kept gives way; else it stays refused.
    fn giving_way(&self, refused: Refusal) -> Result<SlicePlan, Refusal> {
        let furthest = self.furthest();
        let planned = if self.input.urgent { self.attempt(furthest) } else { Err(refused) };
        planned.map_err(|refusal| self.waiting_for_calls(furthest).unwrap_or(refusal))
    }

    fn furthest(&self) -> u32 {
        self.index.boundary_at_or_before(self.index.open_from().unwrap_or(u32::MAX))
    }

    /// Pinned by the last commit, and neither a system entry nor the newest user message nor a pin any more.
    fn released(&self) -> impl Iterator<Item = u32> {
        let within = self.index.head_len()..self.from;
        let stale = move |at: &u32| within.contains(at) && !self.fixed.holds(*at) && !self.index.is_system(*at);
        self.previous.pinned.iter().copied().filter(stale)
    }

    /// The plan whose cut lies at or before `limit`, itself a boundary; or why it is not worth a call.
    fn attempt(&self, limit: u32) -> Result<SlicePlan, Refusal> {
        if limit <= self.from {
            return Err(self.nothing());
        }
        let cut = self.cut(limit);
        if !self.is_worth_words(cut) {
            return Err(self.nothing());
        }
        let landing = self.landing(cut);
        if landing > u64::from(self.needed()) {
            return Err(self.floor_bound(limit, landing));
        }
        let plan = self.slice(cut);
        verify(self.index, &plan).map_err(Refusal::Inconsistent)?;
        Ok(plan)
    }

    /// The landing never rises with the cut, and a slice worth words stays so: the first boundary that reaches the goal
    /// with something to say is found by halving. A target above what is accepted is no goal: it would have a slice
    /// refused where a longer one will do, and a pass asked for by hand say little, again and again.
    fn cut(&self, limit: u32) -> u32 {
        let lowest = self.landing(limit);
        let target = u64::from(self.input.target_tokens);
        let goal = if target > u64::from(self.needed()) { lowest } else { lowest.max(target) };
        let all = self.index.boundaries();
        // Summaries that a host left behind are collapsed into one, none is left for a later pass (B2).
        let least = self.index.summary_before(limit).map_or(self.from, |summary| summary.max(self.from));
        let first = self.index.boundaries_below(least.saturating_add(1));
        let behind = self.index.boundaries_below(limit.saturating_add(1));
        let mut at = all.partition_point(first..behind, |boundary| self.landing(boundary) > goal);
        if at < behind && all.get(at).is_some_and(|cut| !self.is_worth_words(cut)) {
            at = all.partition_point(at..behind, |cut| !self.is_worth_words(cut));
        }
        all.get(at).filter(|_| at < behind).unwrap_or(limit)
    }

    /// Where the prompt lands with this cut and a summary of full length.
    fn landing(&self, cut: u32) -> u64 {
        let head = self.index.head_len();
        let verbatim = self.head_tokens + self.pinned_tokens(head..cut) + self.shown(cut..u32::MAX);
        u64::from(self.input.overhead) + self.scaled(verbatim) + self.cap(cut)
    }

    /// The prompt as it is shown, without any slice.
    fn uncut(&self) -> u64 {
        let covered = self.head_tokens + self.pinned_tokens(self.index.head_len()..self.from) + self.released_tokens;
        let shown = covered + u64::from(self.previous.summary_tokens) + self.shown(self.from..u32::MAX);
        u64::from(self.input.overhead) + self.scaled(shown)
    }

    /// Rule 6: at most the cap, at most half the slice.
    fn cap(&self, cut: u32) -> u64 {
        u64::from(self.input.summary_cap).min(self.scaled(self.summarised(cut)) / 2)
    }

    /// What the summary will stand for: the previous one, what is released, and the slice without what stays pinned.
    fn summarised(&self, cut: u32) -> u64 {
        let entries = self.shown(self.from..cut) - self.pinned_tokens(self.from..cut);
        u64::from(self.previous.summary_tokens) + self.released_tokens + entries
    }

    /// Tokens of what stays verbatim even where it is covered.
    fn pinned_tokens(&self, range: Range<u32>) -> u64 {
        self.index.system_tokens(range.clone()) + self.fixed.within(range)
    }

    /// Tokens of what the view shows for these entries, were none of them covered.
    fn shown(&self, range: Range<u32>) -> u64 {
        self.index.tokens(range.clone()) - self.savings.within(range)
    }

    fn is_worth_words(&self, cut: u32) -> bool {
        self.cap(cut) >= MIN_SUMMARY_TOKENS && self.has_news(cut)
    }

    /// Whether the slice holds more than what is summarised already (B4). Two summaries that were never merged count.
    fn has_news(&self, cut: u32) -> bool {
        let mut summaries = u32::from(self.previous.count > 0);
        let news = (self.from..cut).any(|at| {
            let summary = self.index.is(at, Kind::HOST_SUMMARY);
            let stays = self.index.is_system(at) || self.fixed.holds(at);
            summaries += u32::from(summary && !stays);
            !summary && !stays
        });
        news || summaries >= 2 || self.released_tokens > 0
    }

    fn slice(&self, cut: u32) -> SlicePlan {
        let stays = |at: u32| at >= cut || self.fixed.holds(at);
        let Replaced { pruned, capped } = self.input.replaced;
        SlicePlan {
            from: self.from,
            cut,
            pinned: self.pinned(cut),
            released: self.released().collect(),
            pruned: pruned.iter().copied().filter(|&at| at >= cut && self.savings.holds(at)).collect(),
            capped: capped.iter().copied().filter(|&(at, _)| stays(at) && self.savings.holds(at)).collect(),
            slice_tokens: clamp(self.summarised(cut)),
            promised_tokens: clamp(self.landing(cut)),
            summary_cap: clamp(self.cap(cut)),
        }
    }

    /// Covered entries that stay verbatim: both lists are ascending, and so is what comes of them.
    fn pinned(&self, cut: u32) -> Vec<u32> {
        let head = self.index.head_len();
        let mut pinned: Vec<u32> = self.index.systems(head..cut).collect();
        for at in self.fixed.entries().filter(|&at| (head..cut).contains(&at)) {
            let place = pinned.partition_point(|&other| other < at);
            pinned.insert(place, at);
        }
        pinned
    }

    /// The highest landing that rule 5 accepts.
    fn needed(&self) -> Tokens {
        let PlanInput { occupancy, min_saving_permille, accept_below, .. } = *self.input;
        accept_below.min(occupancy.saturating_sub(permille(occupancy, min_saving_permille)))
    }

    /// Open calls are the reason only where the plan without them would do.
    fn waiting_for_calls(&self, furthest: u32) -> Option<Refusal> {
        let from = self.index.open_from()?;
        let limit = if self.input.urgent { u32::MAX } else { self.input.keep.limit(self.index) };
        let end = Some(self.index.boundary_at_or_before(limit)).filter(|&end| end > furthest)?;
        let landing = self.landing(end);
        let would_do = landing <= u64::from(self.needed()) && self.is_worth_words(end);
        would_do.then(|| Refusal::OpenToolCalls { from, landing: clamp(landing), needed: self.needed() })
    }

    fn nothing(&self) -> Refusal {
        Refusal::NothingToCompact { covered: self.previous.count.min(self.from), entries: self.index.len() }
    }

    fn floor_bound(&self, limit: u32, landing: u64) -> Refusal {
        let PlanInput { pins, replaced, overhead, scale_permille, .. } = *self.input;
        let floor = floor(self.index, pins, replaced, overhead, scale_permille);
        let (landing, needed) = (clamp(landing), self.needed());
        Refusal::FloorBound { floor, landing, needed, largest: self.largest(limit) }
    }

    /// The heaviest entry that would still be shown under a cut at `cut`, the first of equals.
    fn largest(&self, cut: u32) -> Option<(u32, Tokens)> {
        let mut largest = None;
        let mut most = 0;
        let stays = (0..self.index.head_len()).chain(self.pinned(cut)).chain(cut..self.index.len());
        for at in stays {
            let tokens = self.shown(at..at + 1);
            if tokens > most {
                most = tokens;
                largest = Some((at, clamp(self.scaled(tokens))));
            }
        }
        largest
    }

    fn scaled(&self, tokens: u64) -> u64 {
        scaled(tokens, self.input.scale_permille)
    }
}

/// Less cannot say anything: a slice of fewer than twice as many tokens is left as it is. A twentieth of the smallest
/// window a host may set is more.
const MIN_SUMMARY_TOKENS: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{Keep, summary_cap},
        transcript::{Entry, Role},
    };

    /// A system entry, then `turns` of a user message, a call, its result and an answer.
    fn chat(turns: u32, result_tokens: Tokens) -> Index {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 1_000));
        for turn in 0..turns {
            index.push(Entry::alone(u64::from(turn) + 1, Role::User, 200));
            steps(&mut index, 1, result_tokens);
            index.push(Entry::alone(9, Role::Assistant, 300));
        }
        index
    }

    fn steps(index: &mut Index, count: u32, result_tokens: Tokens) {
        for _ in 0..count {
            let group = index.len();
            index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(7, Role::Assistant, 100) });
            index.push(Entry { kind: Kind::RESULT, group, ..Entry::alone(8, Role::Tool, result_tokens) });
        }
    }

    /// Numbers of a session with `window`, its threshold at 80 %, and this overhead.
    fn input<'a>(index: &Index, window: Tokens, overhead: Tokens, previous: Option<Covered<'a>>) -> PlanInput<'a> {
        let threshold = permille(window, 800);
        let floor = floor(index, &[], Replaced::default(), overhead, 1_000);
        let covered = previous.map_or(0, |previous| previous.count);
        let summary = previous.map_or(0, |previous| u64::from(previous.summary_tokens));
        let entries = index.tokens(covered..u32::MAX) + summary;
        PlanInput {
            previous,
            occupancy: clamp(u64::from(overhead) + entries),
            overhead,
            target_tokens: floor + permille(threshold.saturating_sub(floor), 250),
            accept_below: permille(threshold, 850),
            min_saving_permille: 100,
            keep: Keep { entries: 0, tokens: 0, turns: 0 },
            pins: &[],
            replaced: Replaced::default(),
            capping: Capping::Never,
            urgent: false,
            summary_cap: summary_cap(Some(window)),
            scale_permille: 1_000,
        }
    }

    #[test]
    fn the_smallest_cut_that_reaches_the_target_is_taken() {
        let index = chat(40, 700);
        let input = input(&index, 64_000, 0, None);
        let plan = plan(&index, &input).unwrap();
        assert!(plan.promised_tokens <= input.target_tokens);
        let before = index.boundary_at_or_before(plan.cut - 1);
        assert!(Slicer::new(&index, &input).landing(before) > u64::from(input.target_tokens));
        assert_eq!((plan.from, plan.pinned.as_slice()), (1, [].as_slice()), "no need to reach into the live turn");
    }

    #[test]
    fn a_run_of_one_turn_compacts_with_its_user_message_pinned() {
        let mut index = chat(0, 0);
        index.push(Entry::alone(1, Role::User, 400));
        steps(&mut index, 100, 900);
        let plan = plan(&index, &input(&index, 128_000, 0, None)).unwrap();
        assert_eq!(plan.pinned, [1]);
        let material: Vec<u32> = plan.material().into_iter().flatten().collect();
        assert!(material.into_iter().eq(2..plan.cut), "the slice begins behind the user message");
        assert!(index.is_boundary(plan.cut));
    }

    // seeds: A9
    #[test]
    fn a_floor_of_30_000_in_a_window_of_64_000_compacts_and_one_above_the_threshold_says_so() {
        let index = chat(30, 200);
        let founding = plan(&index, &input(&index, 64_000, 30_000, None)).unwrap();
        assert!(founding.promised_tokens <= permille(51_200, 850));

        let small = chat(1, 100);
        let hopeless = PlanInput { accept_below: permille(27_853, 850), ..input(&small, 32_768, 29_000, None) };
        let expected_landing = Slicer::new(&small, &hopeless).landing(small.len());
        let Err(Refusal::FloorBound { floor, landing, needed, largest }) = plan(&small, &hopeless) else { panic!() };
        assert_eq!((floor, needed, largest), (30_200, 23_675, Some((0, 1_000))));
        assert_eq!(u64::from(landing), expected_landing);
    }

    // seeds: B4
    #[test]
    fn a_slice_without_anything_new_is_refused_and_named() {
        let index = chat(6, 3_000);
        let covered = Covered { count: index.len(), pinned: &[], summary_tokens: 1_200 };
        let refused = plan(&index, &input(&index, 8_192, 0, Some(covered))).unwrap_err();
        assert_eq!(refused, Refusal::NothingToCompact { covered: 25, entries: 25 });
        assert_eq!(refused.code(), "nothing_to_compact");

        let mut summaries = chat(0, 0);
        summaries.push(Entry { kind: Kind::HOST_SUMMARY, ..Entry::alone(1, Role::System, 9_000) });
        summaries.push(Entry::alone(2, Role::User, 10));
        let alone = plan(&summaries, &input(&summaries, 8_192, 0, None)).unwrap_err();
        assert_eq!(alone.code(), "nothing_to_compact", "one summary is as short as it gets");
    }

    // seeds: B1, B2
    #[test]
    fn summaries_that_piled_up_in_history_in_any_role_are_merged_by_one_pass() {
        let mut index = chat(0, 0);
        for n in 0..139_u32 {
            let role = [Role::System, Role::User, Role::Assistant][n as usize % 3];
            index.push(Entry { kind: Kind::HOST_SUMMARY, ..Entry::alone(u64::from(n), role, 2_000) });
        }
        index.push(Entry::alone(1, Role::User, 50));
        let plan = plan(&index, &input(&index, 128_000, 0, None)).unwrap();
        assert_eq!((plan.from, index.head_len()), (1, 1));
        assert!(plan.promised_tokens < permille(102_400, 850), "{}", plan.promised_tokens);
        assert!(plan.pinned.is_empty());
    }

    #[test]
    fn an_open_call_at_the_end_is_the_reason_only_where_its_results_would_help() {
        let mut index = chat(0, 0);
        index.push(Entry::alone(1, Role::User, 100));
        index.push(Entry { kind: Kind::CALL, calls: 2, ..Entry::alone(2, Role::Assistant, 6_000) });
        index.push(Entry { kind: Kind::RESULT, group: 2, ..Entry::alone(3, Role::Tool, 100) });
        let waiting = plan(&index, &input(&index, 8_192, 0, None)).unwrap_err();
        assert!(matches!(waiting, Refusal::OpenToolCalls { from: 2, .. }), "{waiting:?}");
        assert_eq!(floor(&index, &[], Replaced::default(), 0, 1_000), 7_200);
        let hopeless = plan(&index, &input(&index, 8_192, 7_000, None)).unwrap_err();
        assert_ne!(hopeless.code(), "open_tool_calls");
        index.push(Entry { kind: Kind::RESULT, group: 2, ..Entry::alone(4, Role::Tool, 100) });
        assert_eq!(plan(&index, &input(&index, 8_192, 0, None)).unwrap().cut, 5);
    }

    #[test]
    fn what_is_to_be_kept_gives_way_only_where_it_is_urgent() {
        let index = chat(20, 1_000);
        let all = Keep { entries: u32::MAX, tokens: 0, turns: 0 };
        let calm = PlanInput { keep: all, ..input(&index, 32_768, 0, None) };
        assert_eq!(plan(&index, &calm).unwrap_err().code(), "nothing_to_compact");
        assert!(plan(&index, &PlanInput { urgent: true, ..calm }).is_ok());
        let tail = Keep { entries: 0, tokens: 9_000, turns: 0 };
        let kept = plan(&index, &PlanInput { keep: tail, urgent: true, ..calm }).unwrap();
        assert!(index.tokens(kept.cut..u32::MAX) >= 9_000, "not before the plan is refused");
    }

    // seeds: B4
    #[test]
    fn sd_08_a_tail_that_is_all_protected_is_nothing_to_compact() {
        let index = chat(3, 9_000);
        let protected = Keep { entries: 9, tokens: 0, turns: 0 };
        let covered = Covered { count: 4, pinned: &[1], summary_tokens: 1_200 };
        let input = PlanInput { keep: protected, ..input(&index, 32_768, 0, Some(covered)) };
        let expected = Err(Refusal::NothingToCompact { covered: 4, entries: 13 });
        (0..3).for_each(|_| assert_eq!(plan(&index, &input), expected));
    }

    #[test]
    fn an_earlier_newest_user_message_goes_into_the_next_summary() {
        let mut index = chat(0, 0);
        index.push(Entry::alone(1, Role::User, 5_000));
        steps(&mut index, 10, 2_000);
        let first = plan(&index, &input(&index, 32_768, 0, None)).unwrap();
        assert_eq!(first.pinned, [1]);
        index.push(Entry::alone(2, Role::User, 50));
        steps(&mut index, 20, 2_000);
        let covered = Covered { count: first.cut, pinned: &first.pinned, summary_tokens: 800 };
        let second = plan(&index, &input(&index, 32_768, 0, Some(covered))).unwrap();
        assert_eq!(second.released, [1]);
        assert_eq!(second.material()[0], 1..2);
    }

    #[test]
    fn a_pin_stays_out_of_the_slice_with_its_pair_until_it_is_unpinned() {
        let index = chat(40, 700);
        let pinned = PlanInput { pins: &[3], ..input(&index, 64_000, 0, None) };
        let first = plan(&index, &pinned).unwrap();
        assert_eq!(first.pinned, [2, 3], "a result is pinned with its call");
        assert!(first.material().into_iter().flatten().all(|at| at != 2 && at != 3));
        let covered = Covered { count: first.cut, pinned: &first.pinned, summary_tokens: 800 };
        let again = PlanInput { pins: &[3], ..input(&index, 32_000, 0, Some(covered)) };
        assert_eq!(plan(&index, &again).unwrap().pinned, [2, 3]);
        let unpinned = plan(&index, &PlanInput { pins: &[], ..again }).unwrap();
        assert_eq!((unpinned.released.as_slice(), unpinned.pinned.as_slice()), ([2, 3].as_slice(), [].as_slice()));
        assert_eq!(unpinned.material()[..2], [2..3, 3..4], "the next summary takes them in");
    }

    #[test]
    fn a_target_above_what_is_accepted_refuses_no_slice_that_would_do() {
        let index = chat(10, 1_000);
        let base = input(&index, 20_000, 0, None);
        let high = PlanInput { target_tokens: 12_000, accept_below: 9_000, ..base };
        assert!(plan(&index, &high).unwrap().promised_tokens <= 9_000);
    }

    #[test]
    fn a_slice_of_an_old_summary_alone_reaches_on_to_what_is_new() {
        let mut index = chat(0, 0);
        index.push(Entry { kind: Kind::HOST_SUMMARY, ..Entry::alone(1, Role::User, 9_000) });
        index.push(Entry::alone(2, Role::Assistant, 500));
        index.push(Entry::alone(3, Role::User, 10));
        assert_eq!(plan(&index, &input(&index, 8_192, 0, None)).unwrap().cut, 3);
    }

    #[test]
    fn counts_that_are_too_low_are_scaled_before_they_are_compared() {
        let index = chat(40, 700);
        let plain = input(&index, 64_000, 0, None);
        let scaled = PlanInput { scale_permille: 4_000, occupancy: plain.occupancy * 4, ..plain };
        let cuts = [plain, scaled].map(|input| plan(&index, &input).map(|plan| plan.cut).unwrap());
        assert!(cuts[0] < cuts[1], "{cuts:?}: four times the tokens leave a quarter of the tail");
    }
}
