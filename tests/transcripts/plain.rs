//! The planner again, by trying every place: slow, and written apart from the one it checks.

use compaction_governor::{
    plan::{Covered, PlanInput, Replaced},
    tokens::permille,
    transcript::{Entry, Kind},
};

use super::Transcript;

pub struct Plain<'a> {
    pub transcript: &'a Transcript,
    pub input: &'a PlanInput<'a>,
    pub previous: Covered<'a>,
}

impl<'a> Plain<'a> {
    pub fn new(transcript: &'a Transcript, input: &'a PlanInput<'a>) -> Self {
        Self { transcript, input, previous: input.previous.unwrap_or_default() }
    }

    pub fn from(&self) -> u32 {
        self.previous.count.max(self.transcript.head_len())
    }

    /// Whether a pin keeps it, its own or one of its group's.
    pub fn pinned(&self, at: u32) -> bool {
        let same_group = |&pin: &u32| self.transcript.group_of(pin) == self.transcript.group_of(at);
        !self.transcript.is_system(at) && self.input.pins.iter().any(same_group)
    }

    pub fn pinned_entries(&self) -> Vec<u32> {
        (0..self.transcript.len()).filter(|&at| self.pinned(at)).collect()
    }

    /// Shown under a cut at `cut`.
    pub fn shown(&self, at: u32, cut: u32) -> bool {
        at >= cut || self.transcript.is_system(at) || self.transcript.newest_user() == Some(at) || self.pinned(at)
    }

    /// What it weighs as it is shown.
    pub fn weight(&self, at: u32) -> u64 {
        let entry = self.transcript.entries[at as usize];
        let late = at >= self.previous.count && self.transcript.group_of(at) < self.previous.count;
        if self.pinned(at) || entry.is_system() || late {
            return entry.tokens.into();
        }
        let Replaced { pruned, capped } = self.input.replaced;
        if pruned.contains(&at) && !entry.is_real_user() {
            return entry.tokens.min(32).into();
        }
        let newest = self.transcript.newest_user() == Some(at);
        match capped.iter().find(|capped| capped.0 == at) {
            Some(&(_, bytes)) if !entry.is_real_user() || newest => capped_weight(entry, bytes),
            _ => entry.tokens.into(),
        }
    }

    pub fn weight_where(&self, keep: impl Fn(u32) -> bool) -> u64 {
        (0..self.transcript.len()).filter(|&at| keep(at)).map(|at| self.weight(at)).sum()
    }

    pub fn released(&self, at: u32) -> bool {
        at < self.from() && self.previous.pinned.contains(&at) && !self.shown(at, self.from())
    }

    pub fn sliced(&self, at: u32, cut: u32) -> bool {
        self.released(at) || (at >= self.from() && !self.shown(at, cut))
    }

    pub fn scaled(&self, tokens: u64) -> u64 {
        tokens * u64::from(self.input.scale_permille) / 1_000
    }

    fn slice_tokens(&self, cut: u32) -> u64 {
        let released = self.transcript.tokens_where(|at| self.released(at));
        let fresh = self.weight_where(|at| !self.released(at) && self.sliced(at, cut));
        released + fresh + u64::from(self.previous.summary_tokens)
    }

    pub fn landing(&self, cut: u32) -> u64 {
        let verbatim = self.scaled(self.weight_where(|at| self.shown(at, cut)));
        u64::from(self.input.overhead) + verbatim + self.cap(self.slice_tokens(cut))
    }

    /// The prompt as it is shown, without any slice.
    pub fn uncut(&self) -> u64 {
        let shown = self.weight_where(|at| self.shown(at, self.from()));
        let released = self.transcript.tokens_where(|at| self.released(at));
        let summary = u64::from(self.previous.summary_tokens);
        u64::from(self.input.overhead) + self.scaled(shown + released + summary)
    }

    fn cap(&self, slice: u64) -> u64 {
        u64::from(self.input.summary_cap).min(self.scaled(slice) / 2)
    }

    pub fn legal(&self) -> Vec<u32> {
        let end = self.transcript.open_from().unwrap_or(self.transcript.len());
        (self.from() + 1..=end).filter(|&at| self.transcript.may_cut(at)).collect()
    }

    pub fn needed(&self) -> u64 {
        let occupancy = self.input.occupancy;
        u64::from(self.input.accept_below.min(occupancy - permille(occupancy, 100)))
    }

    pub fn news(&self, cut: u32) -> bool {
        let summary = |at: &u32| self.transcript.entries[*at as usize].kind.any(Kind::HOST_SUMMARY);
        let (summaries, others): (Vec<u32>, Vec<u32>) =
            (0..self.transcript.len()).filter(|&at| self.sliced(at, cut)).partition(summary);
        let released_tokens = self.transcript.tokens_where(|at| self.released(at));
        let fresh = others.iter().any(|&at| at >= self.from());
        let summaries = summaries.len() + usize::from(self.previous.count > 0);
        self.cap(self.slice_tokens(cut)) >= 8 && (fresh || released_tokens > 0 || summaries >= 2)
    }

    /// Whether a cut there leaves what is to be kept.
    /// Whether all that is to be kept stays behind `cut`, or would but for summaries at its front.
    pub fn keeps(&self, cut: u32) -> bool {
        let is_summary = |at: &u32| self.transcript.entries[*at as usize].kind.any(Kind::HOST_SUMMARY);
        let from = (0..=cut).rev().find(|&from| from == 0 || self.keeps_from(from)).unwrap_or(0);
        (from..cut).all(|at| is_summary(&at))
    }

    fn keeps_from(&self, cut: u32) -> bool {
        let keep = self.input.keep;
        let tail = self.transcript.tokens_where(|at| at >= cut);
        let all = self.transcript.tokens_where(|_| true);
        let is_turn = |at: &u32| self.transcript.entries[*at as usize].is_real_user();
        let turns = (0..self.transcript.len()).filter(is_turn).count();
        let turns_behind = (cut..self.transcript.len()).filter(is_turn).count();
        self.transcript.len() - cut >= keep.entries.min(self.transcript.len())
            && tail >= u64::from(keep.tokens).min(all + 1)
            && turns_behind >= turns.min(keep.turns as usize)
    }

    /// The cut that should have been chosen with what is to be kept left as it is.
    pub fn best_keeping(&self) -> Option<u32> {
        let keeping: Vec<u32> = self.legal().into_iter().filter(|&cut| self.keeps(cut)).collect();
        self.best_of(&keeping)
    }

    /// The cut that should have been chosen where it gives way.
    pub fn best_giving_way(&self) -> Option<u32> {
        self.best_of(&self.legal()).filter(|_| self.input.urgent)
    }

    fn best_of(&self, cuts: &[u32]) -> Option<u32> {
        let furthest = *cuts.last()?;
        let lowest = self.landing(furthest);
        let is_summary = |at: &u32| self.transcript.entries[*at as usize].kind.any(Kind::HOST_SUMMARY);
        // No summary that could have been merged stays for a later pass.
        let least = (0..furthest).rev().find(is_summary).unwrap_or(0);
        let target = u64::from(self.input.target_tokens);
        let goal = if target > self.needed() { lowest } else { lowest.max(target) };
        let cut = cuts.iter().copied().find(|&cut| cut > least && self.landing(cut) <= goal && self.news(cut))?;
        (self.landing(cut) <= self.needed()).then_some(cut)
    }
}

/// Text of at most four bytes a token, cut to `bytes`, and the 32 tokens that say so.
fn capped_weight(entry: Entry, bytes: u32) -> u64 {
    let (tokens, most) = (u64::from(entry.tokens), u64::from(entry.tokens) * 4);
    let text = if entry.bytes == 0 { most } else { most.min(entry.bytes.into()) };
    if text <= bytes.into() { tokens } else { tokens.min(tokens * u64::from(bytes) / text + 32) }
}
