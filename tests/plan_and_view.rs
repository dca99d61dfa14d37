//! What every plan and every view keeps to, on generated transcripts: parallel calls, missing, late and doubled results,
//! a host's own turns, system entries in the middle, summaries left in history, an open call at the end, giant entries.

mod cases;
mod transcripts;

use cases::for_all;
use compaction_governor::{
    plan::{Capping, Covered, Keep, PlanInput, Refusal, Replaced, SlicePlan, floor, plan, summary_cap, verify},
    tokens::{Tokens, permille},
    transcript::Index,
    view::{Generation, Part, View},
};
use proptest::prelude::*;
use transcripts::{Happening, Transcript, conversation, happening};

/// A host's numbers.
#[derive(Clone, Copy, Debug)]
struct Host {
    window: Tokens,
    overhead: Tokens,
    keep: Keep,
    urgent: bool,
    scale_permille: u32,
    /// Where the threshold would be, as a share of the occupancy: most plans should be worth it.
    threshold_permille: u32,
}

fn host() -> impl Strategy<Value = Host> {
    let keep = (0_u32..6, prop_oneof![3 => Just(0), 1 => 0_u32..2_000]);
    let numbers = (
        prop_oneof![Just(8_192_u32), Just(32_768), Just(131_072)],
        prop_oneof![2 => Just(0_u32), 1 => 0_u32..4_000],
        (keep, any::<bool>()),
        prop_oneof![3 => Just(1_000_u32), 1 => 300_u32..4_000],
        700_u32..1_100,
    );
    numbers.prop_map(|(window, overhead, ((entries, tokens), urgent), scale_permille, threshold_permille)| Host {
        window,
        overhead,
        keep: Keep { entries, tokens, turns: 0 },
        urgent,
        scale_permille,
        threshold_permille,
    })
}

impl Host {
    fn occupancy(&self, index: &Index, generations: &[Generation]) -> Tokens {
        let entries = View::new(index, generations).tokens() * u64::from(self.scale_permille) / 1_000;
        self.overhead + entries as Tokens
    }

    fn input<'a>(&self, index: &Index, generations: &'a [Generation]) -> PlanInput<'a> {
        let occupancy = self.occupancy(index, generations);
        let threshold = permille(occupancy, self.threshold_permille);
        // What the policy does with these is its own business: here only their order matters.
        let floor = floor(index, &[], Replaced::default(), self.overhead, self.scale_permille);
        PlanInput {
            previous: Generation::live(generations, index).map(Generation::covered),
            occupancy,
            overhead: self.overhead,
            target_tokens: floor + permille(threshold.saturating_sub(floor), 250),
            accept_below: permille(threshold, 850),
            min_saving_permille: 100,
            keep: self.keep,
            pins: &[],
            replaced: Replaced::default(),
            capping: Capping::Never,
            urgent: self.urgent,
            summary_cap: summary_cap(Some(self.window)),
            scale_permille: self.scale_permille,
        }
    }
}

/// The planner again, by trying every place: slow, and written apart from the one it checks.
struct Plain<'a> {
    transcript: &'a Transcript,
    input: &'a PlanInput<'a>,
    previous: Covered<'a>,
}

impl Plain<'_> {
    fn from(&self) -> u32 {
        self.previous.count.max(self.transcript.head_len())
    }

    /// Shown verbatim under a cut at `cut`.
    fn shown(&self, at: u32, cut: u32) -> bool {
        at >= cut || self.transcript.is_system(at) || self.transcript.newest_user() == Some(at)
    }

    fn released(&self, at: u32) -> bool {
        at < self.from() && self.previous.pinned.contains(&at) && !self.shown(at, self.from())
    }

    fn sliced(&self, at: u32, cut: u32) -> bool {
        self.released(at) || (at >= self.from() && !self.shown(at, cut))
    }

    fn scaled(&self, tokens: u64) -> u64 {
        tokens * u64::from(self.input.scale_permille) / 1_000
    }

    fn landing(&self, cut: u32) -> u64 {
        let slice = self.transcript.tokens_where(|at| self.sliced(at, cut)) + u64::from(self.previous.summary_tokens);
        let summary = self.cap(slice);
        u64::from(self.input.overhead) + self.scaled(self.transcript.tokens_where(|at| self.shown(at, cut))) + summary
    }

    fn cap(&self, slice: u64) -> u64 {
        u64::from(self.input.summary_cap).min(self.scaled(slice) / 2)
    }

    fn legal(&self) -> Vec<u32> {
        let end = self.transcript.open_from().unwrap_or(self.transcript.len());
        (self.from() + 1..=end).filter(|&at| self.transcript.may_cut(at)).collect()
    }

    fn needed(&self) -> u64 {
        let occupancy = self.input.occupancy;
        u64::from(self.input.accept_below.min(occupancy - permille(occupancy, 100)))
    }

    fn news(&self, cut: u32) -> bool {
        use compaction_governor::transcript::Kind;
        let summary = |at: &u32| self.transcript.entries[*at as usize].kind.any(Kind::HOST_SUMMARY);
        let (summaries, others): (Vec<u32>, Vec<u32>) =
            (0..self.transcript.len()).filter(|&at| self.sliced(at, cut)).partition(summary);
        let released_tokens = self.transcript.tokens_where(|at| self.released(at));
        let fresh = others.iter().any(|&at| at >= self.from());
        let slice = self.transcript.tokens_where(|at| self.sliced(at, cut)) + u64::from(self.previous.summary_tokens);
        self.cap(slice) >= 8
            && (fresh || released_tokens > 0 || summaries.len() + usize::from(self.input.previous.is_some()) >= 2)
    }

    /// The cut that should have been chosen.
    fn best(&self) -> Option<u32> {
        let legal = self.legal();
        let keep = self.input.keep;
        let kept = |&cut: &u32| {
            let tail = self.transcript.tokens_where(|at| at >= cut);
            let all = self.transcript.tokens_where(|_| true);
            self.transcript.len() - cut >= keep.entries.min(self.transcript.len())
                && tail >= u64::from(keep.tokens).min(all + 1)
        };
        let keeping: Vec<u32> = legal.iter().copied().filter(kept).collect();
        self.best_of(&keeping).or_else(|| self.best_of(&legal).filter(|_| self.input.urgent))
    }

    fn best_of(&self, cuts: &[u32]) -> Option<u32> {
        let lowest = self.landing(*cuts.last()?);
        let goal = lowest.max(u64::from(self.input.target_tokens));
        let cut = cuts.iter().copied().find(|&cut| self.landing(cut) <= goal)?;
        (self.news(cut) && self.landing(cut) <= self.needed()).then_some(cut)
    }
}

fn check_plan(
    transcript: &Transcript,
    index: &Index,
    input: &PlanInput<'_>,
) -> Result<Option<SlicePlan>, TestCaseError> {
    let plain = Plain { transcript, input, previous: input.previous.unwrap_or_default() };
    let planned = plan(index, input);
    prop_assert_eq!(&planned, &plan(index, input), "equal inputs, equal outputs");
    let slice = match planned {
        Ok(slice) => slice,
        Err(refusal) => {
            prop_assert_eq!(plain.best(), None, "refused with {:?}", refusal);
            check_refusal(&plain, refusal)?;
            return Ok(None);
        }
    };
    prop_assert_eq!(Some(slice.cut), plain.best());
    prop_assert_eq!(verify(index, &slice), Ok(()));
    prop_assert!(transcript.may_cut(slice.cut), "a group is split");
    prop_assert!(transcript.open_from().is_none_or(|open| open >= slice.cut), "an open call is cut");
    let cut = slice.cut;
    let expected: Vec<u32> = (0..transcript.len()).filter(|&at| plain.sliced(at, cut)).collect();
    prop_assert_eq!(slice.material().into_iter().flatten().collect::<Vec<_>>(), expected, "what is summarised");
    let pinned: Vec<u32> = (transcript.head_len()..cut).filter(|&at| plain.shown(at, cut)).collect();
    prop_assert_eq!(&slice.pinned, &pinned, "what is pinned");
    prop_assert_eq!(u64::from(slice.promised_tokens), plain.landing(cut));
    prop_assert!(u64::from(slice.promised_tokens) <= plain.needed());
    Ok(Some(slice))
}

fn check_refusal(plain: &Plain<'_>, refusal: Refusal) -> Result<(), TestCaseError> {
    match refusal {
        Refusal::NothingToCompact { .. } => {
            let last = plain.legal().last().copied();
            prop_assert!(last.is_none_or(|cut| !plain.news(cut) || plain.best().is_none()));
        }
        Refusal::FloorBound { floor, landing, needed, .. } => {
            prop_assert_eq!(u64::from(needed), plain.needed());
            prop_assert!(landing > needed && floor <= landing, "{} of {} with a floor of {}", landing, needed, floor);
        }
        Refusal::OpenToolCalls { from, landing, needed } => {
            prop_assert_eq!(Some(from), plain.transcript.open_from());
            prop_assert!(landing <= needed);
        }
        other => prop_assert!(false, "unexpected {:?}", other),
    }
    Ok(())
}

fn check_view(transcript: &Transcript, index: &Index, generations: &[Generation]) -> Result<View, TestCaseError> {
    let view = View::new(index, generations);
    prop_assert_eq!(&view, &View::new(index, generations), "equal inputs, equal outputs");
    prop_assert_eq!(view.check(index), Ok(()));
    let mut verbatim = Vec::new();
    let mut replaced = Vec::new();
    let mut summaries = 0;
    for part in view.parts() {
        match *part {
            Part::Verbatim { from, to } => verbatim.extend(from..to),
            Part::Placeholder { index, .. } => replaced.push(index),
            Part::Summary { .. } => summaries += 1,
            _ => prop_assert!(false, "unknown part"),
        }
    }
    prop_assert_eq!(summaries, u32::from(view.generation().is_some()), "exactly one summary is live");
    prop_assert!(verbatim.is_sorted_by(|a, b| a < b), "doubled or out of order: {:?}", verbatim);
    let shown = |at: u32| verbatim.binary_search(&at).is_ok();
    for at in 0..transcript.len() {
        let hidden = !shown(at) && !replaced.contains(&at);
        prop_assert!(!hidden || at < view.covered_count(), "entry {} is lost", at);
        prop_assert!(!hidden || !transcript.is_system(at), "system entry {} is hidden", at);
    }
    for &(member, first) in &transcript.bound {
        prop_assert!(!shown(member) || shown(first), "entry {} is an orphan of {}", member, first);
    }
    let users = verbatim.iter().rev().find(|&&at| transcript.entries[at as usize].is_real_user());
    prop_assert_eq!(users.copied(), transcript.newest_user(), "the newest user message is the last one");
    Ok(view)
}

#[test]
fn an_index_reads_a_transcript_as_a_plain_reading_does() {
    for_all("index", conversation(), |happenings| {
        let transcript = Transcript::of(&happenings);
        let index = transcript.index();
        let boundaries: Vec<u32> = (0..transcript.len()).filter(|&at| transcript.may_cut(at)).collect();
        prop_assert_eq!(index.boundaries(), &boundaries[..]);
        prop_assert_eq!(index.open_from(), transcript.open_from());
        prop_assert_eq!(index.newest_user(), transcript.newest_user());
        prop_assert_eq!(index.head_len(), transcript.head_len());
        for at in 0..transcript.len() {
            prop_assert_eq!(index.root(at), transcript.group_of(at));
        }
        Ok(())
    });
}

// seeds: A9, B1, B2, B4
#[test]
fn a_plan_is_the_smallest_legal_cut_that_reaches_its_goal_or_a_refusal_that_is_true() {
    for_all("plan", (conversation(), host()), |(happenings, host)| {
        let transcript = Transcript::of(&happenings);
        let index = transcript.index();
        check_plan(&transcript, &index, &host.input(&index, &[])).map(|_| ())
    });
}

// seeds: B1, B2, B4
#[test]
fn a_session_of_many_passes_loses_nothing_and_each_pass_shrinks_it() {
    let input = (conversation(), prop::collection::vec(conversation_part(), 1..5), host(), 0_u32..1_000);
    for_all("session", input, |(first, later, host, summary_permille)| {
        let mut transcript = Transcript::of(&first);
        let mut generations: Vec<Generation> = Vec::new();
        for part in later {
            let index = transcript.index();
            let before = host.occupancy(&index, &generations);
            if let Some(slice) = check_plan(&transcript, &index, &host.input(&index, &generations))? {
                let cap = u64::from(slice.summary_cap) * 1_000 / u64::from(host.scale_permille);
                let summary = permille(cap as Tokens, summary_permille);
                let number = generations.len() as u32;
                generations.push(Generation::of(&index, &slice, number, summary));
                let view = check_view(&transcript, &index, &generations)?;
                prop_assert_eq!(view.generation(), Some(number), "the new one is live");
                let after = host.occupancy(&index, &generations);
                prop_assert!(
                    after <= slice.promised_tokens + 1,
                    "{} after {} was promised",
                    after,
                    slice.promised_tokens
                );
                prop_assert!(after < before);
                check_again(&transcript, &index, host, &generations)?;
            }
            part.iter().for_each(|&(happening, tokens)| transcript.add(happening, tokens));
            check_view(&transcript, &transcript.index(), &generations)?;
        }
        Ok(())
    });
}

fn conversation_part() -> impl Strategy<Value = Vec<(Happening, u32)>> {
    prop::collection::vec(happening(), 0..20)
}

/// A second plan on the result of the first refuses, or it shrinks the prompt by a tenth at least.
fn check_again(
    transcript: &Transcript,
    index: &Index,
    host: Host,
    generations: &[Generation],
) -> Result<(), TestCaseError> {
    let input = host.input(index, generations);
    if let Some(again) = check_plan(transcript, index, &input)? {
        prop_assert!(again.promised_tokens <= input.occupancy - permille(input.occupancy, 100));
        prop_assert!(again.from == generations.last().map_or(0, |last| last.covered_count.max(index.head_len())));
    }
    Ok(())
}

#[test]
fn an_edit_falls_back_to_the_longest_summary_of_what_did_not_change() {
    let input = (conversation(), conversation_part(), host(), any::<prop::sample::Index>(), any::<bool>());
    for_all("edit", input, |(first, later, host, place, truncated)| {
        let mut transcript = Transcript::of(&first);
        let mut generations: Vec<Generation> = Vec::new();
        for part in [&later[..later.len() / 2], &later[later.len() / 2..]] {
            let index = transcript.index();
            if let Ok(slice) = plan(&index, &host.input(&index, &generations)) {
                generations.push(Generation::of(&index, &slice, generations.len() as u32, 1));
            }
            part.iter().for_each(|&(happening, tokens)| transcript.add(happening, tokens));
        }
        if transcript.len() == 0 {
            return Ok(());
        }
        let at = place.index(transcript.len() as usize) as u32;
        let mut index = transcript.index();
        index.truncate(at);
        if !truncated {
            for &entry in &transcript.entries[at as usize..] {
                index.push(compaction_governor::transcript::Entry { id: entry.id ^ 1, ..entry });
            }
        }
        let view = View::new(&index, &generations);
        prop_assert_eq!(view.check(&index), Ok(()));
        let longest = generations.iter().map(|generation| generation.covered_count).filter(|&count| count <= at).max();
        prop_assert_eq!(view.covered_count(), longest.unwrap_or(0));
        Ok(())
    });
}

#[test]
fn a_view_without_a_summary_is_the_transcript_and_says_how_much_of_it_is_new() {
    for_all("identity", conversation(), |happenings| {
        let transcript = Transcript::of(&happenings);
        let index = transcript.index();
        let view = check_view(&transcript, &index, &[])?;
        let whole = [Part::Verbatim { from: 0, to: index.len() }];
        prop_assert_eq!(view.parts(), if index.is_empty() { &whole[..0] } else { &whole[..] });
        prop_assert_eq!(view.tokens(), index.tokens(0..u32::MAX));
        let mut grown = index.clone();
        grown.push(compaction_governor::transcript::Entry::alone(1, compaction_governor::transcript::Role::User, 5));
        prop_assert_eq!(View::new(&grown, &[]).stable_prefix(&view, index.len()), index.len());
        Ok(())
    });
}
