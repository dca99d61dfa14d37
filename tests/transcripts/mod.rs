//! Generated transcripts, and what a plain reading of them says: an oracle that shares no code with the index.

// A module of a test binary has no outside to be reached from.
#![allow(unreachable_pub)]

use compaction_governor::transcript::{Entry, Index, Kind, Role};
use proptest::prelude::*;

/// One thing that happens in a conversation.
#[derive(Clone, Copy, Debug)]
pub enum Happening {
    User,
    HostTurn,
    System,
    Answer,
    /// A further part of the answer before it, in its group.
    AnswerPart,
    /// The model calls this many tools.
    Call(u8),
    /// A result for the nth call from the end, answered or not.
    Result(u8),
    /// All results still missing for the last call, newest first.
    AllResults,
    /// A summary that the host left, in one of three roles.
    HostSummary(u8),
    /// A result that names an entry at random.
    StrayResult(u32),
}

pub fn happening() -> impl Strategy<Value = (Happening, u32)> {
    let what = prop_oneof![
        4 => Just(Happening::User),
        1 => Just(Happening::HostTurn),
        1 => Just(Happening::System),
        4 => Just(Happening::Answer),
        1 => Just(Happening::AnswerPart),
        5 => (0_u8..4).prop_map(Happening::Call),
        3 => (0_u8..5).prop_map(Happening::Result),
        5 => Just(Happening::AllResults),
        1 => (0_u8..3).prop_map(Happening::HostSummary),
        1 => (0_u32..80).prop_map(Happening::StrayResult),
    ];
    let tokens = prop_oneof![12 => 0_u32..600, 1 => 20_000_u32..60_000];
    (what, tokens)
}

pub fn conversation() -> impl Strategy<Value = Vec<(Happening, u32)>> {
    prop::collection::vec(happening(), 0..40)
}

/// A transcript with what a plain reading says of it.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub entries: Vec<Entry>,
    /// Members that may not be parted: each with the first entry of what it belongs to.
    pub bound: Vec<(u32, u32)>,
    groups: Vec<u32>,
    calls: Vec<Call>,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    at: u32,
    group: u32,
    left: u32,
}

impl Transcript {
    pub fn of(happenings: &[(Happening, u32)]) -> Self {
        let mut transcript = Self::default();
        for &(happening, tokens) in happenings {
            transcript.add(happening, tokens);
        }
        transcript
    }

    pub fn index(&self) -> Index {
        let mut index = Index::new();
        self.entries.iter().for_each(|&entry| index.push(entry));
        index
    }

    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub fn add(&mut self, happening: Happening, tokens: u32) {
        let last = self.len().checked_sub(1);
        match happening {
            Happening::User => self.push(Role::User, Kind::NONE, tokens, Entry::ALONE, 0),
            Happening::HostTurn => self.push(Role::User, Kind::SYNTHETIC, tokens, Entry::ALONE, 0),
            Happening::System => self.push(Role::System, Kind::NONE, tokens, Entry::ALONE, 0),
            Happening::Answer => self.push(Role::Assistant, Kind::NONE, tokens, Entry::ALONE, 0),
            Happening::AnswerPart => {
                let group = last.map_or(Entry::ALONE, |last| self.group_of(last));
                self.push(Role::Assistant, Kind::NONE, tokens, group, 0);
            }
            Happening::Call(calls) => {
                let at = self.len();
                self.push(Role::Assistant, Kind::CALL, tokens, Entry::ALONE, calls);
                self.calls.push(Call { at, group: at, left: u32::from(calls.max(1)) });
            }
            Happening::Result(nth) => {
                let call = self.calls.iter().rev().nth(usize::from(nth)).map(|call| call.group);
                self.push(Role::Tool, Kind::RESULT, tokens, call.unwrap_or(Entry::ALONE), 0);
            }
            Happening::AllResults => {
                let Some(&Call { group, left, .. }) = self.calls.last() else { return };
                (0..left).for_each(|_| self.push(Role::Tool, Kind::RESULT, tokens, group, 0));
            }
            Happening::HostSummary(role) => {
                let role = [Role::System, Role::User, Role::Assistant][usize::from(role)];
                self.push(role, Kind::HOST_SUMMARY, tokens, Entry::ALONE, 0);
            }
            Happening::StrayResult(group) => self.push(Role::Tool, Kind::RESULT, tokens, group, 0),
        }
    }

    fn push(&mut self, role: Role, kind: Kind, tokens: u32, group: u32, calls: u8) {
        let at = self.len();
        let group = if group < at { self.group_of(group) } else { at };
        let follows = at > 0 && self.group_of(at - 1) == group;
        let call = self.calls.iter_mut().find(|call| call.group == group && call.left > 0);
        let result = kind.bits() & Kind::RESULT.bits() != 0;
        let answered = call.filter(|_| result).map(|call| call.left -= 1).is_some();
        let joins = group < at && (follows || answered);
        if joins {
            self.bound.push((at, group));
        }
        self.groups.push(if joins { group } else { at });
        let id = u64::from(at) * 7_919 + 1;
        self.entries.push(Entry { id, role, kind, tokens, group, calls, bytes: 0 });
    }

    /// The first entry of what the entry at `at` belongs to.
    pub fn group_of(&self, at: u32) -> u32 {
        self.groups[at as usize]
    }

    /// Whether a cut before `at` parts nothing.
    pub fn may_cut(&self, at: u32) -> bool {
        self.bound.iter().all(|&(member, first)| (member < at) == (first < at))
    }

    /// The oldest call that still waits: not all its results, no user since, no new answer since a result.
    pub fn open_from(&self) -> Option<u32> {
        let waits = |call: &&Call| {
            let after = || (call.at + 1)..self.len();
            let user = after().any(|at| self.entries[at as usize].is_real_user());
            let result = after().find(|&at| self.entries[at as usize].kind.any(Kind::RESULT));
            let new_answer = |at: u32| self.entries[at as usize].role == Role::Assistant && self.group_of(at) == at;
            let went_on = result.is_some_and(|result| (result..self.len()).any(new_answer));
            call.left > 0 && !user && !went_on
        };
        self.calls.iter().find(waits).map(|call| call.group)
    }

    pub fn newest_user(&self) -> Option<u32> {
        (0..self.len()).rev().find(|&at| self.entries[at as usize].is_real_user())
    }

    pub fn head_len(&self) -> u32 {
        self.entries.iter().take_while(|entry| entry.is_system()).count() as u32
    }

    pub fn is_system(&self, at: u32) -> bool {
        self.entries[at as usize].is_system()
    }

    pub fn tokens_where(&self, keep: impl Fn(u32) -> bool) -> u64 {
        (0..self.len()).filter(|&at| keep(at)).map(|at| u64::from(self.entries[at as usize].tokens)).sum()
    }
}
