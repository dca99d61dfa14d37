//! How the session stands with its store.

use crate::{
    session::content::Content,
    store::{Capabilities, Mark, Part, Recalled, StoreError, Survives},
    time::{Millis, Timestamp},
};

/// What the state of a session survives right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Reload, crashed tab, killed browser or process.
    Durable,
    /// A reload only.
    ReloadOnly,
    /// The counters do what the store promises; a summary or the pins had no room and are in memory only, until there is.
    CountersOnly,
    /// Nothing: chosen so.
    Memory,
    /// Nothing until the store answers again; writes are retried.
    Degraded,
}

/// How the session stands with its store.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) health: Health,
    /// What the store promises.
    capabilities: Capabilities,
    /// Memory is ahead of the store.
    pub(super) unsaved: bool,
    /// The history could not be read and was taken for one strike (rule 14); not to be mistaken for an earned one.
    pub(super) assumed_strike: bool,
    /// What the second memory said before the last load, and after it.
    pub(super) recalled: (Recalled, Recalled),
    /// What it was told last.
    pub(super) remembered: Option<Mark>,
    /// The mark whose record is known to be gone.
    pub(super) lost: Option<Mark>,
    /// Bytes that could not be read and still have to go to the quarantine.
    pub(super) unreadable: Vec<(Part, Vec<u8>)>,
    /// Generations that the root names no more and that the store may still hold.
    pub(super) stale: Vec<u32>,
    /// Generations whose summaries the record holds, at the revision that memory is based on.
    pub(super) stored: Vec<u32>,
    /// How the store failed last; stands while it is degraded.
    pub(super) trouble: Option<StoreError>,
    /// What the store has no room for.
    pub(super) content: Content,
    /// What summarisers were paid for and no record counts yet: it rides along with the next write.
    pub(super) owed_tokens: u64,
}

/// Whether the store can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// Nothing was read yet.
    Loading,
    /// The last call was answered.
    Attached,
    /// The last call failed.
    Degraded { retry_at: Timestamp, rung: u8 },
    /// The record belongs to a newer release: never written.
    ReadOnly,
}

impl Link {
    pub(super) fn new(capabilities: Capabilities) -> Self {
        Self {
            health: Health::Loading,
            capabilities,
            unsaved: false,
            assumed_strike: false,
            recalled: (Recalled::Unknown, Recalled::Unknown),
            remembered: None,
            lost: None,
            unreadable: Vec::new(),
            stale: Vec::new(),
            stored: Vec::new(),
            trouble: None,
            content: Content::default(),
            owed_tokens: 0,
        }
    }

    pub(super) fn durability(&self) -> Durability {
        match (self.health, self.capabilities.survives) {
            (Health::Degraded { .. } | Health::ReadOnly, _) => Durability::Degraded,
            (_, Survives::Reload | Survives::ProcessKill) if self.content.is_held_back() => Durability::CountersOnly,
            (_, Survives::Memory) => Durability::Memory,
            (_, Survives::Reload) => Durability::ReloadOnly,
            (_, Survives::ProcessKill) => Durability::Durable,
        }
    }

    /// Whether forgetting everything was the host's own choice (rule 14).
    pub(super) fn chosen_as_memory(&self) -> bool {
        self.capabilities.survives == Survives::Memory
    }

    pub(super) fn answered(&mut self) {
        self.health = Health::Attached;
        self.trouble = None;
    }

    pub(super) fn failed(&mut self, now: Timestamp) {
        let rung = match self.health {
            Health::Degraded { rung, .. } => rung.saturating_add(1),
            _ => 0,
        };
        self.health = Health::Degraded { retry_at: now.after(RETRY.doubled(rung, LONGEST_RETRY)), rung };
    }

    /// Whether a store call is worth trying now.
    pub(super) fn usable(&self, now: Timestamp) -> bool {
        match self.health {
            Health::ReadOnly => false,
            Health::Loading | Health::Attached => true,
            Health::Degraded { retry_at, rung } => {
                now >= retry_at || retry_at.since(now) > RETRY.doubled(rung, LONGEST_RETRY)
            }
        }
    }

    /// When something that is not stored is tried again.
    pub(super) fn retry_at(&self) -> Option<Timestamp> {
        match self.health {
            Health::Degraded { retry_at, .. } => Some(retry_at).filter(|_| self.unsaved),
            Health::Attached => self.content.retry_at(),
            _ => None,
        }
    }
}

impl Durability {
    /// The stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::ReloadOnly => "reload_only",
            Self::CountersOnly => "counters_only",
            Self::Memory => "memory",
            Self::Degraded => "degraded",
        }
    }
}

/// A store that failed is tried again after this long, doubled with each failure. Counted from when the call was made,
/// like the store's own deadline of ten seconds, and longer than it: a store that hangs holds up one turn, not each.
const RETRY: Millis = Millis::secs(15);
/// And at least this often: a full disk is emptied by a person.
const LONGEST_RETRY: Millis = Millis::secs(60);
