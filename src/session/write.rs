//! Write-through: an event is applied in memory first, then written if something durable changed.

use crate::{
    error::Applied,
    id::OpId,
    policy,
    record::{self, Anchor, Loaded, Root},
    session::{
        Notice, Operation, Session, Step, Steps, StoreCommand, StoreReply, command::PINS, content::lacks_room,
        link::Health,
    },
    store::{Batch, Expect, Mark, Part, Revision, Snapshot, StoreError, StoreErrorKind},
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

/// What a change ended in, and what goes into the commit besides the root.
#[derive(Debug)]
pub struct Mutated<T> {
    /// What it ended in.
    pub output: T,
    /// Parts that go into the same commit.
    pub parts: Parts,
}

/// Parts of a commit besides the root.
#[derive(Debug, Default)]
pub struct Parts {
    /// Written with it.
    pub puts: Vec<(Part, Vec<u8>)>,
    /// Deleted with it.
    pub deletes: Vec<Part>,
}

impl Parts {
    /// All of both.
    pub(super) fn join(&mut self, more: Self) {
        self.puts.extend(more.puts);
        self.deletes.extend(more.deletes);
    }
}

impl<T> Mutated<T> {
    /// A change of the root alone.
    pub fn root_only(output: T) -> Self {
        Self { output, parts: Parts::default() }
    }
}

/// Makes a change and writes it through; nothing is written where nothing durable changed.
#[derive(Debug)]
pub struct Write<M: Mutation> {
    made: Made<M, M::Output>,
    /// Boxed: the same small pointer in every kind of write, instead of half a kilobyte that each of them moves.
    writer: Box<Writer>,
}

impl<M: Mutation> Write<M> {
    /// Writes `mutation` through on what memory holds.
    pub fn new(mutation: M) -> Self {
        Self { made: Made { mutation, output: None }, writer: Writer::new(false) }
    }

    /// Writes `mutation` through on what the store holds: for a claim, which decides again on the winner's state.
    pub fn rereading(mutation: M) -> Self {
        Self { made: Made { mutation, output: None }, writer: Writer::new(true) }
    }
}

/// A change with what it ended in when it was made last.
#[derive(Debug)]
struct Made<M, T> {
    mutation: M,
    output: Option<T>,
}

/// A change of memory, as the writer sees it.
trait Change {
    fn make(&mut self, session: &mut Session, now: Timestamp) -> Parts;
}

impl<M: Mutation> Change for Made<M, M::Output> {
    fn make(&mut self, session: &mut Session, now: Timestamp) -> Parts {
        let mutated = self.mutation.mutate(session, now);
        self.output = Some(mutated.output);
        mutated.parts
    }
}

impl<M: Mutation> Steps for Write<M> {
    fn begin(&mut self, session: &mut Session, now: Timestamp) -> Step {
        self.writer.begin(session, now, &mut self.made)
    }

    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Step {
        self.writer.resume(session, reply, now, &mut self.made)
    }
}

impl<M: Mutation> Operation for Write<M> {
    type Output = M::Output;

    fn finish(self, session: &mut Session) -> M::Output {
        let Made { mut mutation, output } = self.made;
        let output = output.expect("no step is the last one before the change was made");
        mutation.ended(session, &output);
        output
    }
}

/// The store calls of a write, whatever the change is.
#[derive(Debug, Default)]
struct Writer {
    /// Whether the root record is read again before the change: what a claim does.
    reread: bool,
    before: Root,
    notices: usize,
    parts: Parts,
    /// What the commit that is out holds beside the root.
    sent: Parts,
    /// A commit with parts was refused for want of room: what follows goes without.
    root_only: bool,
    op: Option<OpId>,
    conflicts: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The root record is being read again, or for the first time after a failure.
    #[default]
    Rereading,
    /// What the store held and nobody can read is put aside, before it is written over.
    SettingAside,
    /// The change is made; the commit is out.
    Committing,
    /// A commit was not answered, or lost a race: the store is being asked what holds.
    Resolving,
}

impl Writer {
    #[inline(never)]
    fn new(reread: bool) -> Box<Self> {
        Box::new(Self { reread, ..Self::default() })
    }

    fn begin(&mut self, session: &mut Session, now: Timestamp, change: &mut dyn Change) -> Step {
        let unread = session.link().health == Health::Loading || session.needs_reread();
        if (self.reread || unread) && session.link().usable(now) {
            self.stage = Stage::Rereading;
            return Step::Store(StoreCommand::Load);
        }
        self.mutate(session, now, change)
    }

    fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp, change: &mut dyn Change) -> Step {
        match (self.stage, reply) {
            (Stage::Rereading, StoreReply::Loaded(Ok(found))) => {
                session.reread(found, now);
                self.go_on(session, now, change)
            }
            (Stage::SettingAside, StoreReply::Quarantined) => self.go_on(session, now, change),
            (Stage::Rereading, StoreReply::Loaded(Err(error))) if error.kind == StoreErrorKind::Corrupt => {
                session.attach();
                session.end_assumption(now);
                session.write_over(now);
                self.mutate(session, now, change)
            }
            (Stage::Rereading, StoreReply::Loaded(Err(error))) => {
                session.detach(error, now);
                self.mutate(session, now, change)
            }
            // A reply to no command of this kind: the change is made on what memory holds.
            (Stage::Rereading | Stage::SettingAside, _) => {
                session.detach(StoreError::maybe_applied(StoreErrorKind::Indeterminate), now);
                self.mutate(session, now, change)
            }
            (Stage::Resolving, StoreReply::Loaded(reply)) => self.resolved(session, reply, now, change),
            (Stage::Committing, StoreReply::Committed(reply)) => self.committed(session, reply, now),
            // A reply to a command that was not handed out last: the runner's fault; the state in memory stands.
            _ => unwritten(session, StoreError::maybe_applied(StoreErrorKind::Indeterminate), now),
        }
    }

    /// The store has been read: what of it cannot be read is kept first.
    fn go_on(&mut self, session: &mut Session, now: Timestamp, change: &mut dyn Change) -> Step {
        match session.quarantine_next() {
            Some(step) => {
                self.stage = Stage::SettingAside;
                step
            }
            None => self.mutate(session, now, change),
        }
    }

    fn mutate(&mut self, session: &mut Session, now: Timestamp, change: &mut dyn Change) -> Step {
        self.before = session.root().clone();
        self.notices = session.notices_len();
        self.parts = change.make(session, now);
        session.note_stale(self.parts.deletes.iter().copied());
        let parts = !self.parts.puts.is_empty() || !self.parts.deletes.is_empty();
        let changed = parts || self.before.state.differs_durably(&session.root().state);
        if !changed && !session.link().unsaved && !session.content_due(now) {
            return Step::Done;
        }
        if !session.link().usable(now) {
            session.link_mut().unsaved |= changed;
            return Step::Done;
        }
        self.commit(session, now)
    }

    fn commit(&mut self, session: &mut Session, now: Timestamp) -> Step {
        let op = *self.op.get_or_insert_with(|| session.draw_op());
        self.sent = session.parts_to_write(&self.parts, self.root_only, now);
        let left = session.link().unsaved || self.before.state.differs_durably(&session.root().state);
        if !left && self.sent.puts.is_empty() && self.sent.deletes.is_empty() {
            return Step::Done;
        }
        let mut batch = Batch::root(record::encode_root(&session.root_to_write(&self.sent.puts, now)));
        batch.puts.extend_from_slice(&self.sent.puts);
        batch.deletes.clone_from(&self.sent.deletes);
        self.stage = Stage::Committing;
        let expect = session.revision().map_or(Expect::Absent, Expect::Revision);
        Step::Store(StoreCommand::Commit { expect, batch, op })
    }

    fn committed(&mut self, session: &mut Session, reply: Result<Revision, StoreError>, now: Timestamp) -> Step {
        match reply {
            Ok(revision) => self.written(session, revision),
            Err(error) if lacks_room(&error) && !self.sent.puts.is_empty() => {
                session.refuse_content(&self.sent.puts, now);
                self.root_only = true;
                self.commit(session, now)
            }
            Err(error) if error.kind == StoreErrorKind::Corrupt && session.revision().is_some() => {
                session.write_over(now);
                self.commit(session, now)
            }
            Err(error)
                if matches!(error.kind, StoreErrorKind::Conflict { .. }) || error.applied == Applied::Unknown =>
            {
                self.stage = Stage::Resolving;
                Step::Store(StoreCommand::Load)
            }
            Err(error) => unwritten(session, error, now),
        }
    }

    fn resolved(
        &mut self,
        session: &mut Session,
        reply: Result<Option<Snapshot>, StoreError>,
        now: Timestamp,
        change: &mut dyn Change,
    ) -> Step {
        self.conflicts += 1;
        match reply {
            Ok(Some(snapshot)) if Some(snapshot.op_id) == self.op => self.written(session, snapshot.revision),
            Err(error) if error.kind == StoreErrorKind::Corrupt && session.revision().is_some() => {
                session.write_over(now);
                self.commit(session, now)
            }
            Ok(found) if self.conflicts <= MAX_CONFLICTS => {
                if found.as_ref().map(|snapshot| snapshot.revision) == session.revision() {
                    return self.commit(session, now);
                }
                session.truncate_notices(self.notices);
                session.replace_root(self.before.clone());
                session.adopt(found, now);
                self.op = None;
                self.go_on(session, now, change)
            }
            Ok(found) => {
                let actual = found.map(|snapshot| snapshot.revision);
                unwritten(session, StoreError::not_applied(StoreErrorKind::Conflict { actual }), now)
            }
            Err(error) => unwritten(session, error, now),
        }
    }

    fn written(&self, session: &mut Session, revision: Revision) -> Step {
        session.set_revision(Some(revision));
        session.link_mut().unsaved = false;
        session.link_mut().owed_tokens = 0;
        session.link_mut().stale.clear();
        session.content_written(&self.sent);
        session.attach();
        Step::Done
    }
}

/// The conversation goes on in memory; the next operation tries again.
fn unwritten(session: &mut Session, error: StoreError, now: Timestamp) -> Step {
    session.link_mut().unsaved = true;
    session.detach(error, now);
    Step::Done
}

/// Memory and what was found in the store become one.
impl Session {
    /// The store has answered a read: takes what it holds, where that is not what memory is based on. Whether it was new.
    pub(super) fn reread(&mut self, found: Option<Snapshot>, now: Timestamp) -> bool {
        self.attach();
        self.end_assumption(now);
        let new = found.as_ref().map(|snapshot| snapshot.revision) != self.revision();
        if new || found.is_none() {
            self.adopt(found, now);
        }
        new
    }

    /// Takes what another writer left in the store. What memory could not write yet is merged into it (rule 14).
    pub(super) fn adopt(&mut self, found: Option<Snapshot>, now: Timestamp) {
        let mine = self.mark();
        let Some(snapshot) = found else {
            let loss = self.loss(mine, None);
            if let Some(loss) = loss {
                // Memory is all that is left of it, and is written again, as another life of the session.
                self.set_revision(None);
                self.lose(loss, mine.is_some(), now);
            } else if mine.is_some() {
                self.lose_record(now);
            }
            return;
        };
        self.set_revision(Some(snapshot.revision));
        match record::load_root(snapshot.part(Part::Root), self.id(), now) {
            Loaded::Found { root, .. } => self.adopt_root(mine, root, &snapshot, now),
            Loaded::Future { .. } => self.change_link(|session| session.link_mut().health = Health::ReadOnly),
            Loaded::Foreign { session } => self.notify(Notice::ForeignRecord { session }),
            // Unreadable under a live session: memory knows better than a rebuilt record, and is written over it.
            Loaded::Corrupt { .. } => self.set_root_aside(snapshot.part(Part::Root)),
            Loaded::Absent => self.link_mut().unsaved = true,
        }
    }

    fn adopt_root(&mut self, mine: Option<Mark>, root: Root, snapshot: &Snapshot, now: Timestamp) {
        let found = Mark { incarnation: root.incarnation, revision: snapshot.revision };
        let loss = self.loss(mine, Some(found));
        let known = mine.is_some_and(|mine| mine.incarnation == found.incarnation);
        match loss {
            Some(_) if known => self.outlive(&root, now),
            _ => {
                self.take_root(root, snapshot, now);
            }
        }
        if let Some(loss) = loss {
            self.lose(loss, known, now);
        }
    }

    /// Whether all that the root names was there.
    pub(super) fn take_root(&mut self, mut root: Root, snapshot: &Snapshot, now: Timestamp) -> bool {
        let mine = self.root();
        // Views are numbered: what memory alone has committed may have the number of another writer's view.
        let same_view = mine.state.view_revision == root.state.view_revision && !self.link().unsaved;
        let anchor: Option<Anchor> = mine.anchor.filter(|_| same_view && self.reported_here());
        if self.link().unsaved {
            root.state = policy::merge(&root.state, self.state(), &self.seen(), now);
        }
        self.note_reported_here(anchor.is_some());
        root.anchor = anchor.or(root.anchor);
        root.spent_tokens = root.spent_tokens.saturating_add(self.link().owed_tokens);
        self.replace_root(root);
        let pins = self.take_pins(snapshot.part(PINS));
        self.take_summaries(snapshot, now) && pins
    }

    /// The history is known from here on: the strike that stood in for it goes, every earned one stays.
    fn end_assumption(&mut self, now: Timestamp) {
        if !core::mem::take(&mut self.link_mut().assumed_strike) {
            return;
        }
        self.edit_root(|root| {
            let strikes = &mut root.state.guards.weak_streak;
            *strikes = strikes.saturating_sub(1);
        });
        self.apply(policy::Event::TimePassed, now);
    }

    /// After a failed opening nothing was read yet: the first call that may succeed has to.
    fn needs_reread(&self) -> bool {
        self.link().assumed_strike
    }
}

/// A summary as the part that a store keeps.
pub(super) fn summary_part(summary: &record::Summary) -> (Part, Vec<u8>) {
    (Part::Generation(summary.number), record::encode_summary(summary))
}

/// Conflicts in a row after which a write waits for the next operation. Four tabs that write at once lose 60 races in a row
/// about once in 800 writes, since an engine serves whoever asks again first; four times as many is out of reach.
const MAX_CONFLICTS: u32 = 256;
