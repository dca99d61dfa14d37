//! Every operation that a host runs, as one value that a scheduler can hold.

use compaction_governor::{
    id::AttemptId,
    session::{
        Adopt, AmendError, Amended, Claim, Claimed, Commit, Committed, Edit, Event, Fail, Failed, Found, Open,
        Operation, Others, Pin, PinError, Pinned, Refresh, Report, Reported, Session, Settle, Step, Steps, StoreReply,
        TakeOver, Undo, Unpin, Write,
    },
    time::Timestamp,
};

/// What was asked for, for the invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Open,
    Settle,
    /// With the prompt that it reports.
    Report(u32),
    Event(Happening),
    Claim(compaction_governor::policy::Kind),
    /// Of this attempt; whether without a model.
    Commit(AttemptId, bool),
    Fail(AttemptId),
    Pin,
    Unpin,
    Undo,
    Edit,
    Refresh,
    TakeOver,
    Adopt,
}

/// [`Event`] without what makes it incomparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Silent,
    Overflow,
    Renewed,
    Cancelled,
    Person,
    Reset,
}

enum Kind {
    Open(Open),
    Settle(Write<Settle>),
    Report(Write<Report>),
    Event(Write<Event>),
    Claim(Write<Claim>),
    Commit(Write<Commit>),
    Fail(Write<Fail>),
    Pin(Write<Pin>),
    Unpin(Write<Unpin>),
    Undo(Write<Undo>),
    Edit(Write<Edit>),
    Refresh(Refresh),
    TakeOver(Write<TakeOver>),
    Adopt(Write<Adopt>),
}

/// What an operation ended in.
#[derive(Debug)]
pub(crate) enum Came {
    Opened(Found),
    Settled,
    Reported(Reported),
    Happened,
    Overflowed(bool),
    Claimed(Box<Claimed>),
    Committed(Committed),
    Failed(Failed),
    Pinned(Result<Pinned, PinError>),
    Unpinned,
    Amended(Result<Amended, AmendError>),
    /// Whether something was new.
    Refreshed(bool),
    /// Whether there was an attempt to end.
    TakenOver(bool),
    Adopted,
}

/// An operation in the making.
pub(crate) struct Op {
    pub(crate) what: What,
    kind: Kind,
}

impl Op {
    pub(crate) fn open() -> Self {
        Self { what: What::Open, kind: Kind::Open(Open::new()) }
    }

    pub(crate) fn settle() -> Self {
        Self { what: What::Settle, kind: Kind::Settle(Write::new(Settle)) }
    }

    /// Settles on what the store holds.
    pub(crate) fn look() -> Self {
        Self { what: What::Settle, kind: Kind::Settle(Write::rereading(Settle)) }
    }

    pub(crate) fn report(report: Report) -> Self {
        Self { what: What::Report(report.prompt_tokens), kind: Kind::Report(Write::new(report)) }
    }

    pub(crate) fn event(event: Event) -> Self {
        let happening = match event {
            Event::StepWithoutUsage { .. } => Happening::Silent,
            Event::Overflow { .. } => Happening::Overflow,
            Event::Renewed(_) => Happening::Renewed,
            Event::Cancelled(_) => Happening::Cancelled,
            Event::Model(_) | Event::Credentials => Happening::Person,
            Event::Reset => Happening::Reset,
        };
        Self { what: What::Event(happening), kind: Kind::Event(Write::event(event)) }
    }

    pub(crate) fn claim(kind: compaction_governor::policy::Kind, others: Others) -> Self {
        Self { what: What::Claim(kind), kind: Kind::Claim(Write::rereading(Claim::beside(others, kind))) }
    }

    pub(crate) fn commit(commit: Commit) -> Self {
        Self { what: What::Commit(commit.attempt, commit.fallback), kind: Kind::Commit(Write::new(commit)) }
    }

    pub(crate) fn fail(fail: Fail) -> Self {
        Self { what: What::Fail(fail.attempt), kind: Kind::Fail(Write::new(fail)) }
    }

    pub(crate) fn pin(pin: Pin) -> Self {
        Self { what: What::Pin, kind: Kind::Pin(Write::new(pin)) }
    }

    pub(crate) fn unpin(unpin: Unpin) -> Self {
        Self { what: What::Unpin, kind: Kind::Unpin(Write::new(unpin)) }
    }

    pub(crate) fn undo() -> Self {
        Self { what: What::Undo, kind: Kind::Undo(Write::new(Undo::new(None))) }
    }

    pub(crate) fn edit(edit: Edit) -> Self {
        Self { what: What::Edit, kind: Kind::Edit(Write::new(edit)) }
    }

    pub(crate) fn refresh() -> Self {
        Self { what: What::Refresh, kind: Kind::Refresh(Refresh::new()) }
    }

    pub(crate) fn take_over() -> Self {
        Self { what: What::TakeOver, kind: Kind::TakeOver(Write::rereading(TakeOver)) }
    }

    pub(crate) fn adopt(adopt: Adopt) -> Self {
        Self { what: What::Adopt, kind: Kind::Adopt(Write::new(adopt)) }
    }

    fn steps(&mut self) -> &mut dyn Steps {
        match &mut self.kind {
            Kind::Open(op) => op,
            Kind::Settle(op) => op,
            Kind::Report(op) => op,
            Kind::Event(op) => op,
            Kind::Claim(op) => op,
            Kind::Commit(op) => op,
            Kind::Fail(op) => op,
            Kind::Pin(op) => op,
            Kind::Unpin(op) => op,
            Kind::Undo(op) => op,
            Kind::Edit(op) => op,
            Kind::Refresh(op) => op,
            Kind::TakeOver(op) => op,
            Kind::Adopt(op) => op,
        }
    }

    pub(crate) fn begin(&mut self, session: &mut Session, now: Timestamp) -> Step {
        self.steps().begin(session, now)
    }

    pub(crate) fn resume(&mut self, session: &mut Session, reply: StoreReply, now: Timestamp) -> Step {
        self.steps().resume(session, reply, now)
    }

    pub(crate) fn finish(self, session: &mut Session) -> Came {
        match self.kind {
            Kind::Open(op) => Came::Opened(op.finish(session)),
            Kind::Settle(op) => {
                op.finish(session);
                Came::Settled
            }
            Kind::Report(op) => Came::Reported(op.finish(session)),
            Kind::Event(op) => {
                let happened = op.finish(session);
                match self.what {
                    What::Event(Happening::Overflow) if happened.ignored.is_none() => {
                        Came::Overflowed(happened.decision.pass().is_some())
                    }
                    _ => Came::Happened,
                }
            }
            Kind::Claim(op) => Came::Claimed(Box::new(op.finish(session))),
            Kind::Commit(op) => Came::Committed(op.finish(session)),
            Kind::Fail(op) => Came::Failed(op.finish(session)),
            Kind::Pin(op) => Came::Pinned(op.finish(session)),
            Kind::Unpin(op) => {
                op.finish(session);
                Came::Unpinned
            }
            Kind::Undo(op) => Came::Amended(op.finish(session)),
            Kind::Edit(op) => Came::Amended(op.finish(session)),
            Kind::Refresh(op) => Came::Refreshed(op.finish(session)),
            Kind::TakeOver(op) => Came::TakenOver(op.finish(session)),
            Kind::Adopt(op) => {
                op.finish(session);
                Came::Adopted
            }
        }
    }
}
