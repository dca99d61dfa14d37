//! One tab: a session object, what its host knows, and the operation that is on its way.

use compaction_governor::{
    id::{AttemptId, OwnerId},
    record::Root,
    session::{Planned, Session, Settings, StoreCommand, StoreReply},
    store::{Capabilities, CompareAndSwap, Survives},
    time::Timestamp,
    transcript::Entry,
};

use crate::{
    op::{Op, What},
    store::SESSION,
    summariser::Answer,
};

pub(crate) struct Tab {
    pub(crate) session: Session,
    pub(crate) owner: u64,
    /// The transcript as its host has shown it to the session.
    pub(crate) copy: Vec<Entry>,
    pub(crate) opened: bool,
    pub(crate) busy: Option<Busy>,
    pub(crate) queue: Vec<Op>,
    pub(crate) job: Option<Job>,
    /// Jobs that are over, whose summariser may still answer.
    pub(crate) zombies: Vec<Job>,
    pub(crate) sent: Vec<Sent>,
    /// Attempts that this tab was told are over.
    pub(crate) ended: Vec<AttemptId>,
    pub(crate) standing: Standing,
    /// The root of its last commit, if there was no room for that.
    pub(crate) refused: Option<Box<Root>>,
}

/// What a tab has done since the store last took something from it.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    /// Memory may be ahead of the store.
    pub(crate) ahead: bool,
    /// The operations since then, the one on its way included.
    pub(crate) since: Vec<What>,
    /// The lowest clock of them.
    pub(crate) lowest: Option<Timestamp>,
    /// The session said that a pass helped.
    pub(crate) helped: bool,
    /// User turns that were shown to the session, and not noted yet.
    pub(crate) user_spoke: u32,
    /// How many of them there were when the operation on its way began.
    pub(crate) spoken_before: u32,
}

/// An operation on its way.
pub(crate) struct Busy {
    pub(crate) op: Op,
    pub(crate) command: StoreCommand,
    pub(crate) reply: Option<StoreReply>,
    pub(crate) now: Timestamp,
    /// Store calls so far.
    pub(crate) calls: u32,
    /// Faults, and commits of others, that it met: each excuses some calls.
    pub(crate) met: u32,
    /// The root that was refused just now for want of room, with what it came with.
    pub(crate) refused: Option<Box<Root>>,
}

/// A summary that is being written.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) planned: Planned,
    pub(crate) answer: Answer,
    pub(crate) due: Timestamp,
}

/// A request that is on its way to the provider.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) view_revision: u32,
    pub(crate) entries: u32,
    pub(crate) prompt: u32,
    pub(crate) at: Timestamp,
}

impl Tab {
    pub(crate) fn new(owner: u64, settings: &Settings) -> Self {
        let session = Session::new(SESSION, OwnerId(owner), settings.clone(), CAPABILITIES).expect("valid settings");
        Self {
            session,
            owner,
            copy: Vec::new(),
            opened: false,
            busy: None,
            queue: Vec::new(),
            job: None,
            zombies: Vec::new(),
            sent: Vec::new(),
            ended: Vec::new(),
            standing: Standing::default(),
            refused: None,
        }
    }

    /// The host shows the session what it has: what no longer holds is cut, what is new appended.
    pub(crate) fn sync(&mut self, entries: &[Entry]) -> bool {
        let same = self.copy.iter().zip(entries).take_while(|(ours, theirs)| ours == theirs).count();
        if same == self.copy.len() && same == entries.len() {
            return false;
        }
        if same < self.copy.len() {
            self.copy.truncate(same);
            self.session.truncate(u32::try_from(same).expect("short"));
        }
        for entry in &entries[same..] {
            self.session.push(*entry);
            self.copy.push(*entry);
            self.standing.user_spoke += u32::from(entry.is_real_user());
        }
        true
    }

    /// What a provider counts for the next prompt.
    pub(crate) fn prompt(&self, fixed: u32) -> u32 {
        let kept: usize = self.session.pins().texts.iter().map(|text| text.len() / 4).sum();
        u32::try_from(self.session.view().tokens() + kept as u64).expect("small") + fixed
    }
}

const CAPABILITIES: Capabilities = Capabilities {
    compare_and_swap: CompareAndSwap::Linearizable,
    atomic_batch: true,
    survives: Survives::ProcessKill,
    max_value_bytes: None,
};
