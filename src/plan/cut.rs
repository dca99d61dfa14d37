//! Choosing the cut, and checking it.

use crate::{
    plan::{Covered, Fault, PlanInput, Refusal, SlicePlan},
    tokens::{Tokens, permille},
    transcript::{Index, Kind},
};

/// The smallest slice whose landing reaches the target, else the one that lands lowest; or why none is worth a call.
///
/// The slice starts behind the system head and what the live summary covers, ends between two atomic groups, holds no
/// system entry, no open tool call and not the newest real user message. Where the turn is so long that the cut falls
/// behind that message, it is pinned: the view shows head, summary, pinned entries, tail.
///
/// # Errors
/// The [`Refusal`], with its numbers.
pub fn plan(index: &Index, input: &PlanInput<'_>) -> Result<SlicePlan, Refusal> {
    let slicer = Slicer::new(index, input);
    let furthest = index.boundary_at_or_before(index.open_from().unwrap_or(u32::MAX));
    let keeping = index.boundary_at_or_before(slicer.keep_limit().min(furthest));
    let refusal = match slicer.attempt(keeping) {
        Ok(plan) => return Ok(plan),
        Err(refusal) if keeping == furthest => refusal,
        Err(_) => match slicer.attempt(furthest) {
            Ok(plan) => return Ok(plan),
            Err(refusal) => refusal,
        },
    };
    Err(slicer.waiting_for_calls().unwrap_or(refusal))
}

/// What no compaction can remove, in model tokens: overhead, system entries, newest real user message, open tool calls
/// (rule 1). The rest of the live turn is not part of it. Constant time.
#[must_use]
pub fn floor(index: &Index, overhead: Tokens, scale_permille: u32) -> Tokens {
    let open = index.open_from().unwrap_or(u32::MAX);
    let open_tokens = index.tokens(open..u32::MAX) - index.system_tokens(open..u32::MAX);
    let user_tokens = index.newest_user().map_or(0, |user| index.tokens(user..user + 1));
    let entries = index.system_tokens(0..u32::MAX) + user_tokens + open_tokens;
    clamp(u64::from(overhead) + scaled(entries, scale_permille))
}

/// Walks the slice and the tail and names the first entry that breaks a rule. Linear; [`plan`] runs it on each plan.
///
/// # Errors
/// The [`Fault`] found first.
pub fn verify(index: &Index, plan: &SlicePlan) -> Result<(), Fault> {
    let tail = index.roots().get(plan.cut as usize..).unwrap_or(&[]);
    if let Some(at) = tail.iter().position(|&root| root < plan.cut) {
        return Err(Fault::GroupSplit(plan.cut + at as u32));
    }
    if let Some(open) = index.open_from().filter(|&open| open < plan.cut) {
        return Err(Fault::OpenCallCut(open));
    }
    let pinned = |at: &u32| plan.pinned.binary_search(at).is_ok();
    if let Some(user) = index.newest_user().filter(|user| *user < plan.cut && !pinned(user)) {
        return Err(Fault::NewestUserCut(user));
    }
    let mut expected = plan.pinned.iter().copied().skip_while(|&at| at < plan.from).peekable();
    for at in plan.from..plan.cut {
        if expected.next_if_eq(&at).is_none() && index.is_system(at) {
            return Err(Fault::SystemCut(at));
        }
    }
    Ok(())
}

/// One planning run: what does not change while cuts are compared.
struct Slicer<'a> {
    index: &'a Index,
    input: &'a PlanInput<'a>,
    previous: Covered<'a>,
    /// The first entry that may enter the slice.
    from: u32,
    newest_user: Option<u32>,
    head_tokens: u64,
    released_tokens: u64,
}

impl<'a> Slicer<'a> {
    fn new(index: &'a Index, input: &'a PlanInput<'a>) -> Self {
        let previous = input.previous.unwrap_or_default();
        let mut slicer = Self {
            index,
            input,
            previous,
            from: previous.count.clamp(index.head_len(), index.len()),
            newest_user: index.newest_user(),
            head_tokens: index.tokens(0..index.head_len()),
            released_tokens: 0,
        };
        slicer.released_tokens = slicer.released().map(|at| index.tokens(at..at + 1)).sum();
        slicer
    }

    /// Pinned by the last commit, and neither a system entry nor the newest user message any more.
    fn released(&self) -> impl Iterator<Item = u32> {
        let within = self.index.head_len()..self.from;
        let stale = move |at: &u32| within.contains(at) && self.newest_user != Some(*at) && !self.index.is_system(*at);
        self.previous.pinned.iter().copied().filter(stale)
    }

    /// Behind which nothing is cut as long as [`PlanInput::keep`] is honoured.
    fn keep_limit(&self) -> u32 {
        let keep = self.input.keep;
        let by_entries = self.index.len().saturating_sub(keep.entries);
        let all = self.index.tokens(0..u32::MAX);
        match all.checked_sub(u64::from(keep.tokens)) {
            Some(before) => by_entries.min(self.index.prefix_within(before)),
            None => 0,
        }
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
            return Err(self.floor_bound(landing));
        }
        let plan = self.slice(cut);
        verify(self.index, &plan).map_err(Refusal::Inconsistent)?;
        Ok(plan)
    }

    /// The landing never rises with the cut, so the first boundary that reaches the goal is found by halving.
    fn cut(&self, limit: u32) -> u32 {
        let goal = u64::from(self.input.target_tokens).max(self.landing(limit));
        let all = self.index.boundaries();
        let first = all.partition_point(|&boundary| boundary <= self.from);
        let behind = all.partition_point(|&boundary| boundary <= limit);
        let within = &all[first..behind];
        let at = within.partition_point(|&boundary| self.landing(boundary) > goal);
        within.get(at).copied().unwrap_or(limit)
    }

    /// Where the prompt lands with this cut and a summary of full length.
    fn landing(&self, cut: u32) -> u64 {
        let pinned =
            self.index.system_tokens(self.index.head_len()..cut) + self.user_tokens(self.index.head_len(), cut);
        let verbatim = self.head_tokens + pinned + self.index.tokens(cut..u32::MAX);
        u64::from(self.input.overhead) + self.scaled(verbatim) + self.cap(cut)
    }

    /// Rule 6: at most the cap, at most half the slice.
    fn cap(&self, cut: u32) -> u64 {
        u64::from(self.input.summary_cap).min(self.scaled(self.summarised(cut)) / 2)
    }

    /// What the summary will stand for: the previous one, what is released, and the slice without what stays pinned.
    fn summarised(&self, cut: u32) -> u64 {
        let pinned = self.index.system_tokens(self.from..cut) + self.user_tokens(self.from, cut);
        let entries = self.index.tokens(self.from..cut) - pinned;
        u64::from(self.previous.summary_tokens) + self.released_tokens + entries
    }

    /// Tokens of the newest user message, where it lies between the two.
    fn user_tokens(&self, from: u32, cut: u32) -> u64 {
        self.newest_user.filter(|user| (from..cut).contains(user)).map_or(0, |user| self.index.tokens(user..user + 1))
    }

    fn is_worth_words(&self, cut: u32) -> bool {
        self.cap(cut) >= MIN_SUMMARY_TOKENS && self.has_news(cut)
    }

    /// Whether the slice holds more than what is summarised already (B4). Two summaries that were never merged count.
    fn has_news(&self, cut: u32) -> bool {
        let mut summaries = u32::from(self.input.previous.is_some());
        let news = (self.from..cut).any(|at| {
            let summary = self.index.is(at, Kind::HOST_SUMMARY);
            summaries += u32::from(summary);
            !summary && !self.index.is_system(at) && self.newest_user != Some(at)
        });
        news || summaries >= 2 || self.released_tokens > 0
    }

    fn slice(&self, cut: u32) -> SlicePlan {
        let head = self.index.head_len();
        let mut pinned = self.index.systems(head..cut).to_vec();
        if let Some(user) = self.newest_user.filter(|user| (head..cut).contains(user)) {
            let at = pinned.partition_point(|&system| system < user);
            pinned.insert(at, user);
        }
        SlicePlan {
            from: self.from,
            cut,
            pinned,
            released: self.released().collect(),
            slice_tokens: clamp(self.summarised(cut)),
            promised_tokens: clamp(self.landing(cut)),
            summary_cap: clamp(self.cap(cut)),
        }
    }

    /// The highest landing that rule 5 accepts.
    fn needed(&self) -> Tokens {
        let PlanInput { occupancy, min_saving_permille, accept_below, .. } = *self.input;
        accept_below.min(occupancy.saturating_sub(permille(occupancy, min_saving_permille)))
    }

    /// Open calls are the reason only where the plan without them would do.
    fn waiting_for_calls(&self) -> Option<Refusal> {
        let from = self.index.open_from()?;
        let end = self.index.len();
        let landing = self.landing(end);
        let would_do = landing <= u64::from(self.needed()) && self.is_worth_words(end);
        would_do.then(|| Refusal::OpenToolCalls { from, landing: clamp(landing), needed: self.needed() })
    }

    fn nothing(&self) -> Refusal {
        Refusal::NothingToCompact { covered: self.previous.count.min(self.from), entries: self.index.len() }
    }

    fn floor_bound(&self, landing: u64) -> Refusal {
        let floor = floor(self.index, self.input.overhead, self.input.scale_permille);
        Refusal::FloorBound { floor, landing: clamp(landing), needed: self.needed() }
    }

    fn scaled(&self, tokens: u64) -> u64 {
        scaled(tokens, self.input.scale_permille)
    }
}

fn scaled(tokens: u64, permille: u32) -> u64 {
    tokens.saturating_mul(u64::from(permille)) / 1_000
}

fn clamp(tokens: u64) -> Tokens {
    Tokens::try_from(tokens).unwrap_or(Tokens::MAX)
}

/// Less cannot say anything: a slice of fewer than twice as many tokens is left as it is. A twentieth of the smallest
/// window a host may set is more.
const MIN_SUMMARY_TOKENS: u64 = 8;
