//! The conversation that all tabs show: what a person and a model wrote, and what the host edits in it.

use compaction_governor::transcript::{Entry, Kind, Role};

use crate::rng::Rng;

/// The host's own history: the truth about what is said.
pub(crate) struct Talk {
    pub(crate) entries: Vec<Entry>,
    /// Another branch of it, to switch to.
    other: Vec<Entry>,
    next_id: u64,
    /// Tokens that the provider counts besides the messages.
    pub(crate) fixed: u32,
    /// How long messages are, in tokens.
    longest: u64,
}

impl Talk {
    pub(crate) fn new(longest: u64, fixed: u32) -> Self {
        let entries = vec![Entry::alone(1, Role::System, 40)];
        Self { other: entries.clone(), entries, next_id: 100, fixed, longest }
    }

    /// Something is said.
    pub(crate) fn grow(&mut self, rng: &mut Rng) {
        let tokens = self.tokens(rng);
        let open = self.entries.last().filter(|last| last.kind.any(Kind::CALL)).is_some();
        match rng.below(100) {
            _ if open && rng.percent(80) => self.answer_call(tokens),
            0..30 => self.say(Role::User, Kind::NONE, tokens),
            30..62 => self.say(Role::Assistant, Kind::NONE, tokens),
            62..86 => self.call(tokens.min(60), rng.percent(75)),
            86..92 => self.say(Role::User, Kind::SYNTHETIC, tokens),
            92..94 => self.say(Role::System, Kind::NONE, 20),
            94..96 => self.say(Role::User, Kind::IMAGE, tokens),
            96..98 => self.say(Role::Assistant, Kind::HOST_SUMMARY, 80),
            _ => self.say(Role::User, Kind::NONE, u32::try_from(self.longest).expect("small") * 6),
        }
    }

    fn tokens(&self, rng: &mut Rng) -> u32 {
        u32::try_from(8 + rng.below(self.longest)).expect("small")
    }

    fn say(&mut self, role: Role, kind: Kind, tokens: u32) {
        self.next_id += 1;
        self.entries.push(Entry { kind, bytes: tokens * 4, ..Entry::alone(self.next_id, role, tokens) });
    }

    fn call(&mut self, tokens: u32, answered: bool) {
        self.say(Role::Assistant, Kind::CALL, tokens);
        if answered {
            self.answer_call(tokens * 5);
        }
    }

    fn answer_call(&mut self, tokens: u32) {
        let call = self.entries.iter().rposition(|entry| entry.kind.any(Kind::CALL)).expect("asked where there is one");
        self.say(Role::Tool, Kind::RESULT, tokens);
        self.entries.last_mut().expect("just said").group = u32::try_from(call).expect("short");
    }

    /// A short answer and a short question.
    pub(crate) fn answer_and_ask(&mut self) {
        self.say(Role::Assistant, Kind::NONE, 12);
        self.say(Role::User, Kind::NONE, 12);
    }

    /// What a person does to a history; whether the model has to answer again is not asked.
    pub(crate) fn edit(&mut self, rng: &mut Rng) -> &'static str {
        match rng.below(4) {
            0 => {
                let cut = self.near_the_end(rng);
                self.entries.truncate(cut);
                "truncated"
            }
            1 => {
                let at = self.near_the_end(rng).min(self.entries.len() - 1);
                self.next_id += 1;
                self.entries[at].id = self.next_id;
                "edited"
            }
            2 => {
                self.other.clone_from(&self.entries);
                let cut = self.near_the_end(rng);
                self.entries.truncate(cut);
                self.grow(rng);
                "branched"
            }
            _ => {
                core::mem::swap(&mut self.entries, &mut self.other);
                "switched branches"
            }
        }
    }

    /// Mostly the last messages, sometimes any.
    fn near_the_end(&self, rng: &mut Rng) -> usize {
        let len = self.entries.len() as u64;
        let back = if rng.percent(70) { rng.below(6) } else { rng.below(len) };
        usize::try_from(len.saturating_sub(back).max(1)).expect("small")
    }
}
