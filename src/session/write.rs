//! Write-through: an event is applied in memory first, then written if something durable changed.

use crate::{
    error::Applied,
    id::OpId,
    policy,
    record::{self, Anchor, Loaded, LoadedSummary, Root},
    session::{Notice, Operation, Progress, Session, StoreCommand, StoreReply, link::Health},
    store::{Batch, Expect, Part, Snapshot, StoreError, StoreErrorKind},
    time::Timestamp,
};

/// A change of the root that can be made again on the root that won a conflict.
pub trait Mutation {
    /// What it ends in.
    type Output;

    /// Makes the change in memory.
    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<Self::Output>;

    /// It will not be made again.
    fn ended(&mut self, _session: &mut Session, _output: &Self::Output) {}
}

/// What a change asks to be written besides the root.
#[derive(Debug)]
pub struct Mutated<T> {
    /// What it ended in.
    pub output: T,
    /// Parts that go into the same commit.
    pub puts: Vec<(Part, Vec<u8>)>,
    /// Parts that the same commit deletes.
    pub deletes: Vec<Part>,
}

impl<T> Mutated<T> {
    /// A change of the root alone.
    pub fn root_only(output: T) -> Self {
        Self { output, puts: Vec::new(), deletes: Vec::new() }
    }
}

/// Makes a change and writes it through; nothing is written where nothing durable changed.
#[derive(Debug)]
pub struct Write<M: Mutation> {
    mutation: M,
    /// Whether the root record is read again before the change: what a claim does.
    reread: bool,
    before: Root,
    notices: usize,
    output: Option<M::Output>,
    deletes: Vec<Part>,
    puts: Vec<(Part, Vec<u8>)>,
    op: Option<OpId>,
    conflicts: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The root record is being read again, or for the first time after a failure.
    Rereading,
    /// The change is made; the commit is out.
    Committing,
    /// A commit was not answered, or lost a race: the store is being asked what holds.
    Resolving,
}

impl<M: Mutation> Write<M> {
    /// Writes `mutation` through on what memory holds.
    pub fn new(mutation: M) -> Self {
        Self {
            mutation,
            reread: false,
            before: Root::default(),
            notices: 0,
            output: None,
            deletes: Vec::new(),
            puts: Vec::new(),
            op: None,
            conflicts: 0,
            stage: Stage::Rereading,
        }
    }

    /// Writes `mutation` through on what the store holds: for a claim, which decides again on the winner's state.
    pub fn rereading(mutation: M) -> Self {
        Self { reread: true, ..Self::new(mutation) }
    }

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Progress<M::Output> {
        self.before = session.root().clone();
        self.notices = session.notices_len();
        let mutated = self.mutation.mutate(session, now);
        self.output = Some(mutated.output);
        self.puts = mutated.puts;
        self.deletes = mutated.deletes;
        let changed = self.before.state.differs_durably(&session.root().state) || !self.puts.is_empty();
        if !changed && !session.link().unsaved {
            return self.done(session);
        }
        if !session.link().usable(now) {
            session.link_mut().unsaved |= changed;
            return self.done(session);
        }
        self.commit(session)
    }

    fn commit(&mut self, session: &mut Session) -> Progress<M::Output> {
        let op = *self.op.get_or_insert_with(|| session.draw_op());
        let mut batch = Batch::root(record::encode_root(session.root()));
        if session.link().unsaved {
            batch.puts.extend(session.summary_parts());
        } else {
            batch.puts.extend(self.puts.iter().cloned());
        }
        batch.deletes.clone_from(&self.deletes);
        self.stage = Stage::Committing;
        let expect = session.revision().map_or(Expect::Absent, Expect::Revision);
        Progress::Store(StoreCommand::Commit { expect, batch, op })
    }

    fn committed(
        &mut self,
        session: &mut Session,
        reply: Result<u64, StoreError>,
        now: Timestamp,
    ) -> Progress<M::Output> {
        match reply {
            Ok(revision) => self.written(session, revision),
            Err(error)
                if matches!(error.kind, StoreErrorKind::Conflict { .. }) || error.applied == Applied::Unknown =>
            {
                self.stage = Stage::Resolving;
                Progress::Store(StoreCommand::Load)
            }
            Err(_) => self.unwritten(session, now),
        }
    }

    fn written(&mut self, session: &mut Session, revision: u64) -> Progress<M::Output> {
        session.set_revision(Some(revision));
        session.link_mut().unsaved = false;
        session.link_mut().assumed_strike = false;
        session.attach();
        self.done(session)
    }

    /// The conversation goes on in memory; the next operation tries again.
    fn unwritten(&mut self, session: &mut Session, now: Timestamp) -> Progress<M::Output> {
        session.link_mut().unsaved = true;
        session.detach(now);
        self.done(session)
    }

    fn resolved(
        &mut self,
        session: &mut Session,
        reply: Result<Option<Snapshot>, StoreError>,
        now: Timestamp,
    ) -> Progress<M::Output> {
        self.conflicts += 1;
        match reply {
            Ok(Some(snapshot)) if Some(snapshot.op_id) == self.op => self.written(session, snapshot.revision),
            Ok(found) if self.conflicts <= MAX_CONFLICTS => {
                if found.as_ref().map(|snapshot| snapshot.revision) == session.revision() {
                    return self.commit(session);
                }
                session.truncate_notices(self.notices);
                session.replace_root(self.before.clone());
                session.adopt(found, now);
                self.op = None;
                self.mutate(session, now)
            }
            _ => self.unwritten(session, now),
        }
    }

    fn done(&mut self, session: &mut Session) -> Progress<M::Output> {
        let output = self.output.take().expect("an operation ends once, after its change was made");
        self.mutation.ended(session, &output);
        Progress::Done(output)
    }
}

impl<M: Mutation> Operation for Write<M> {
    type Output = M::Output;

    fn begin(&mut self, session: &mut Session, now: Timestamp) -> Progress<M::Output> {
        let unread = session.link().health == Health::Loading || session.needs_reread();
        if (self.reread || unread) && session.link().usable(now) {
            self.stage = Stage::Rereading;
            return Progress::Store(StoreCommand::Load);
        }
        self.mutate(session, now)
    }

    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Progress<M::Output> {
        match (self.stage, reply) {
            (Stage::Rereading, StoreReply::Loaded(Ok(found))) => {
                session.attach();
                if found.as_ref().map(|snapshot| snapshot.revision) != session.revision() {
                    session.adopt(found, now);
                }
                self.mutate(session, now)
            }
            (Stage::Rereading, StoreReply::Loaded(Err(_))) => {
                session.detach(now);
                self.mutate(session, now)
            }
            (Stage::Resolving, StoreReply::Loaded(reply)) => self.resolved(session, reply, now),
            (Stage::Committing, StoreReply::Committed(reply)) => self.committed(session, reply, now),
            // A reply to a command that was not handed out last: the runner's fault; the state in memory stands.
            _ => self.unwritten(session, now),
        }
    }
}

/// Memory and what was found in the store become one.
impl Session {
    /// Takes what another writer left in the store. What memory could not write yet is merged into it (rule 14).
    pub(super) fn adopt(&mut self, found: Option<Snapshot>, now: Timestamp) {
        let Some(snapshot) = found else {
            // The record is gone: memory is all that is left of it, and is written again.
            self.link_mut().unsaved |= self.revision().is_some();
            self.set_revision(None);
            return;
        };
        self.set_revision(Some(snapshot.revision));
        match record::load_root(snapshot.part(Part::Root), self.id(), now) {
            Loaded::Found { root, .. } => self.take_root(root, &snapshot, now),
            Loaded::Future { .. } => self.link_mut().health = Health::ReadOnly,
            Loaded::Foreign { session } => self.notify(Notice::ForeignRecord { session }),
            // Unreadable under a live session: memory knows better than a rebuilt record, and is written over it.
            Loaded::Corrupt { .. } | Loaded::Absent => self.link_mut().unsaved = true,
        }
    }

    pub(super) fn take_root(&mut self, mut root: Root, snapshot: &Snapshot, now: Timestamp) {
        let mine = self.root();
        let same_view = mine.state.view_revision == root.state.view_revision;
        let anchor: Option<Anchor> = mine.anchor.filter(|_| same_view && self.reported_here());
        if self.link().unsaved {
            root.state = policy::merge(&root.state, &self.earned(), &self.seen(), now);
        }
        self.note_reported_here(anchor.is_some());
        root.anchor = anchor.or(root.anchor);
        self.replace_root(root);
        for number in self.root().generations.iter().map(|generation| generation.number).collect::<Vec<_>>() {
            if let LoadedSummary::Found(summary) =
                record::load_summary(snapshot.part(Part::Generation(number)), self.id(), number)
            {
                self.insert_text(number, summary.text);
            }
        }
    }

    /// The state in memory without the strike that stood in for an unread history.
    fn earned(&self) -> policy::State {
        let mut state = self.state().clone();
        if self.link().assumed_strike {
            state.guards.weak_streak = state.guards.weak_streak.saturating_sub(1);
        }
        state
    }

    /// After a failed opening nothing was read yet: the first call that may succeed has to.
    fn needs_reread(&self) -> bool {
        self.link().assumed_strike
    }

    pub(super) fn attach(&mut self) {
        self.change_health(|session| session.link_mut().answered());
    }

    pub(super) fn detach(&mut self, now: Timestamp) {
        self.change_health(|session| session.link_mut().failed(now));
    }

    fn change_health(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.durability();
        if self.link().health == Health::ReadOnly {
            return;
        }
        change(self);
        if self.durability() != before {
            self.notify(Notice::Storage(self.durability()));
        }
    }

    fn summary_parts(&self) -> Vec<(Part, Vec<u8>)> {
        let kept = self.root().generations.iter();
        kept.filter_map(|generation| {
            let text = self.text(generation.number)?.to_owned();
            Some((Part::Generation(generation.number), self.summary_bytes(generation.number, generation.attempt, text)))
        })
        .collect()
    }

    pub(super) fn summary_bytes(&self, number: u32, attempt: crate::id::AttemptId, text: String) -> Vec<u8> {
        let session = self.id().to_owned();
        record::encode_summary(&record::Summary { session, number, attempt, text, unknown: record::Unknown::default() })
    }
}

/// Conflicts in a row after which a write waits for the next operation: four tabs that write at once need about as many.
const MAX_CONFLICTS: u32 = 64;
