//! Generated transcripts, and what a plain reading of them says: an oracle that shares no code with the index.

// A module of a test binary has no outside to be reached from.
#![allow(unreachable_pub)]

pub mod cases;
pub mod host;
pub mod plain;
#[path = "../policy/rng.rs"]
mod rng;

use cases::Draw;
use compaction_governor::transcript::{Entry, Index, Kind, Role};

/// One thing that happens in a conversation.
#[derive(Clone, Copy, Debug)]
pub enum Happening {
    User,
    HostTurn,
    System,
    Answer,
    /// A further part of the answer before it, in its group.
    AnswerPart,
    /// Reasoning that belongs to what comes next.
    Leads,
    /// The model calls up to this many tools.
    Call(u64),
    /// A result for one of the last calls, answered or not.
    Result(u64),
    /// All results still missing for the last call, newest first.
    AllResults,
    /// A summary that the host left, in any role.
    HostSummary,
    /// A result that names an entry at random.
    StrayResult,
}

const HAPPENINGS: [(u64, Happening); 11] = [
    (4, Happening::User),
    (1, Happening::HostTurn),
    (1, Happening::System),
    (4, Happening::Answer),
    (1, Happening::AnswerPart),
    (2, Happening::Leads),
    (5, Happening::Call(4)),
    (3, Happening::Result(5)),
    (5, Happening::AllResults),
    (1, Happening::HostSummary),
    (1, Happening::StrayResult),
];

/// A transcript with what a plain reading says of it.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub entries: Vec<Entry>,
    /// Pairs of entries that may not be parted.
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
    pub fn drawn(draw: &mut Draw) -> Self {
        let mut transcript = Self::default();
        transcript.go_on(draw);
        transcript
    }

    /// Some more happens.
    pub fn go_on(&mut self, draw: &mut Draw) {
        for _ in 0..draw.count() {
            let happening = draw.rng.weighted(&HAPPENINGS);
            self.add(happening, draw);
        }
    }

    pub fn index(&self) -> Index {
        let mut index = Index::new();
        self.entries.iter().for_each(|&entry| index.push(entry));
        index
    }

    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    fn add(&mut self, happening: Happening, draw: &mut Draw) {
        let alone = |role, kind| Entry { kind, ..Entry::alone(0, role, 0) };
        match happening {
            Happening::User => self.push(alone(Role::User, Kind::NONE), draw),
            Happening::HostTurn => self.push(alone(Role::User, Kind::SYNTHETIC), draw),
            Happening::System => self.push(alone(Role::System, Kind::NONE), draw),
            Happening::Answer => self.push(alone(Role::Assistant, Kind::NONE), draw),
            Happening::AnswerPart => {
                let group = self.len().checked_sub(1).map_or(Entry::ALONE, |last| self.group_of(last));
                self.push(Entry { group, ..alone(Role::Assistant, Kind::NONE) }, draw);
            }
            Happening::Leads => self.push(alone(Role::Assistant, Kind::LEADS), draw),
            Happening::Call(most) => {
                let (at, calls) = (self.len(), draw.rng.below(most) as u8);
                self.push(Entry { calls, ..alone(Role::Assistant, Kind::CALL) }, draw);
                self.calls.push(Call { at, group: self.group_of(at), left: u32::from(calls.max(1)) });
            }
            Happening::Result(latest) => {
                let nth = draw.rng.below(latest) as usize;
                let group = self.calls.iter().rev().nth(nth).map_or(Entry::ALONE, |call| call.at);
                self.push(Entry { group, ..alone(Role::Tool, Kind::RESULT) }, draw);
            }
            Happening::AllResults => {
                let Some(&Call { at, left, .. }) = self.calls.last() else { return };
                (0..left).for_each(|_| self.push(Entry { group: at, ..alone(Role::Tool, Kind::RESULT) }, draw));
            }
            Happening::HostSummary => {
                let role = draw.rng.pick(&[Role::System, Role::User, Role::Assistant]);
                self.push(alone(role, Kind::HOST_SUMMARY), draw);
            }
            Happening::StrayResult => {
                let group = draw.rng.below(80) as u32;
                self.push(Entry { group, ..alone(Role::Tool, Kind::RESULT) }, draw);
            }
        }
    }

    fn push(&mut self, entry: Entry, draw: &mut Draw) {
        let at = self.len();
        let named = if entry.group < at { self.group_of(entry.group) } else { at };
        let follows = at > 0 && self.group_of(at - 1) == named;
        let call = self.calls.iter_mut().find(|call| call.group == named && call.left > 0);
        let answers = entry.kind.any(Kind::RESULT) && call.map(|call| call.left -= 1).is_some();
        let mut group = if named < at && (follows || answers) { named } else { at };
        if group < at {
            self.bound.push((at, group));
        }
        let led = at > 0 && self.entries[at as usize - 1].kind.any(Kind::LEADS);
        if led && !entry.is_real_user() && !entry.is_system() {
            self.bound.push((at, at - 1));
            group = if group == at { self.group_of(at - 1) } else { group };
        }
        self.groups.push(group);
        self.entries.push(drawn_weight(Entry { id: u64::from(at) * 7_919 + 1, ..entry }, draw));
    }

    /// The first entry of what the entry at `at` belongs to.
    pub fn group_of(&self, at: u32) -> u32 {
        self.groups[at as usize]
    }

    /// Whether a cut before `at` parts nothing, not even an entry from one that is still to come.
    pub fn may_cut(&self, at: u32) -> bool {
        let waits = at > 0 && at == self.len() && self.entries[at as usize - 1].kind.any(Kind::LEADS);
        !waits && self.bound.iter().all(|&(member, first)| (member < at) == (first < at))
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

/// Mostly a few hundred tokens of text, at times a giant, at times an image or a blob of many bytes.
fn drawn_weight(entry: Entry, draw: &mut Draw) -> Entry {
    let rng = &mut draw.rng;
    let tokens = if rng.below(13) == 0 { 20_000 + rng.below(40_000) } else { rng.below(600) } as u32;
    let (kind, bytes) = match rng.below(16) {
        0 => (Kind::IMAGE, 1_000_000 + rng.below(4_000_000) as u32),
        1 => (Kind::BLOB, tokens * 2),
        2..8 => (Kind::NONE, 0),
        _ => (Kind::NONE, tokens * 4),
    };
    Entry { tokens, bytes: kept(bytes), kind: entry.kind.with(kind), ..entry }
}

/// What an index keeps of so many bytes.
fn kept(bytes: u32) -> u32 {
    let step = bytes.max(8).ilog2() - 3;
    if step == 0 { bytes } else { ((bytes >> step) << step) + (1 << (step - 1)) }
}
