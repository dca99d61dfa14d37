//! Conversations in a few words, and a host's numbers for them.

use compaction_governor::{
    plan::{Capping, Keep, PlanInput, Refusal, Replaced, SlicePlan, floor, plan, summary_cap},
    tokens::{Tokens, permille},
    transcript::{Entry, Index, Kind, Role},
    view::{Generation, View},
};

/// A conversation under way, with what was committed for it.
#[derive(Clone, Default)]
pub(crate) struct Talk {
    pub(crate) index: Index,
    pub(crate) generations: Vec<Generation>,
    next_id: u64,
}

impl Talk {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn say(&mut self, role: Role, kind: Kind, tokens: Tokens) -> u32 {
        self.add(Entry { kind, ..Entry::alone(0, role, tokens) })
    }

    pub(crate) fn user(&mut self, tokens: Tokens) -> u32 {
        self.say(Role::User, Kind::NONE, tokens)
    }

    pub(crate) fn system(&mut self, tokens: Tokens) -> u32 {
        self.say(Role::System, Kind::NONE, tokens)
    }

    pub(crate) fn answer(&mut self, tokens: Tokens) -> u32 {
        self.say(Role::Assistant, Kind::NONE, tokens)
    }

    pub(crate) fn call(&mut self, calls: u8, tokens: Tokens) -> u32 {
        self.add(Entry { kind: Kind::CALL, calls, ..Entry::alone(0, Role::Assistant, tokens) })
    }

    pub(crate) fn result(&mut self, call: u32, tokens: Tokens) -> u32 {
        self.add(Entry { kind: Kind::RESULT, group: call, ..Entry::alone(0, Role::Tool, tokens) })
    }

    /// So many messages of user and model by turns.
    pub(crate) fn exchanges(&mut self, count: u32, tokens: Tokens) {
        for number in 0..count {
            self.say(if number % 2 == 0 { Role::User } else { Role::Assistant }, Kind::NONE, tokens);
        }
    }

    /// So many calls of one tool, each with its result.
    pub(crate) fn steps(&mut self, count: u32, result_tokens: Tokens) {
        for _ in 0..count {
            let call = self.call(1, 50);
            self.result(call, result_tokens);
        }
    }

    pub(crate) fn add(&mut self, entry: Entry) -> u32 {
        self.next_id += 1;
        self.index.push(Entry { id: self.next_id, ..entry });
        self.index.len() - 1
    }

    pub(crate) fn view(&self) -> View {
        let view = View::new(&self.index, &self.generations);
        assert_eq!(view.check(&self.index), Ok(()));
        view
    }

    /// Entries that the view sends as they are.
    pub(crate) fn verbatim(&self) -> Vec<u32> {
        let view = self.view();
        let ranges = view.parts().iter().filter_map(|part| match *part {
            compaction_governor::view::Part::Verbatim { from, to } => Some(from..to),
            _ => None,
        });
        ranges.flatten().collect()
    }

    /// What the prompt weighs without its fixed part.
    pub(crate) fn weight(&self) -> Tokens {
        self.view().tokens() as Tokens
    }

    /// Numbers of a pass at `threshold` with nothing fixed and nothing kept.
    pub(crate) fn input(&self, threshold: Tokens) -> PlanInput<'_> {
        self.input_above(threshold, 0)
    }

    /// The same above so many tokens of system prompt and tool schemas.
    pub(crate) fn input_above(&self, threshold: Tokens, overhead: Tokens) -> PlanInput<'_> {
        let live = Generation::live(&self.generations, &self.index);
        let replaced = live.map_or(Replaced::default(), Generation::replaced);
        let floor = floor(&self.index, &[], replaced, overhead, 1_000);
        PlanInput {
            previous: live.map(Generation::covered),
            occupancy: self.weight() + overhead,
            overhead,
            target_tokens: floor + permille(threshold.saturating_sub(floor), 250),
            accept_below: permille(threshold, 850),
            min_saving_permille: 100,
            keep: Keep { entries: 0, tokens: 0, turns: 0 },
            pins: &[],
            replaced,
            capping: Capping::Never,
            urgent: true,
            summary_cap: summary_cap(Some(threshold / 4 * 5)),
            scale_permille: 1_000,
        }
    }

    /// Plans, and commits with a summary of so many tokens.
    pub(crate) fn pass(&mut self, threshold: Tokens, summary: Tokens) -> Result<SlicePlan, Refusal> {
        let slice = plan(&self.index, &self.input(threshold))?;
        self.commit(&slice, summary);
        Ok(slice)
    }

    pub(crate) fn commit(&mut self, slice: &SlicePlan, summary: Tokens) {
        let number = self.generations.len() as u32;
        let next = Generation::of(&self.index, slice, number, summary.min(slice.summary_cap));
        self.generations.push(next);
    }

    /// Records what is capped for this input, without any summary.
    pub(crate) fn record(&mut self, capped: Vec<(u32, u32)>) {
        let live = Generation::live(&self.generations, &self.index);
        let number = self.generations.len() as u32;
        let next = Generation::replacing(&self.index, live, number, Vec::new(), capped);
        self.generations.push(next);
    }

    /// Commits a cut wherever a host wants it, checked by nobody.
    pub(crate) fn force(&mut self, cut: u32) {
        let slice = SlicePlan {
            from: 0,
            cut,
            pinned: Vec::new(),
            released: Vec::new(),
            pruned: Vec::new(),
            capped: Vec::new(),
            slice_tokens: 0,
            promised_tokens: 0,
            summary_cap: Tokens::MAX,
        };
        self.commit(&slice, 100);
    }
}
