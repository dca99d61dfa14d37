//! A compaction that the host or its provider made by itself: taken as it is, and judged like any other.

use crate::{
    config::Line,
    id::AttemptId,
    plan::SlicePlan,
    policy::{self, Event, Kind, Means, Pass, Trigger},
    session::{
        Commit, Planned, Session,
        sight::narrow,
        write::{Mutated, Mutation},
    },
    summary::Finish,
    time::Timestamp,
    tokens::Tokens,
};

/// A compaction of the first `covered` entries into `summary_tokens` tokens, made elsewhere. Entries are counted, not
/// compared: the transcript is to be left as it is until this has ended.
#[derive(Clone, Copy, Debug)]
pub struct Adopt {
    /// How many leading entries it replaced.
    pub covered: u32,
    /// Tokens of its summary.
    pub summary_tokens: Tokens,
    /// Whether a person asked for it: then it gives no strike (rule 3).
    pub manual: bool,
}

impl Mutation for Adopt {
    type Output = AttemptId;

    fn mutate(&mut self, session: &mut Session, now: Timestamp) -> Mutated<AttemptId> {
        session.pass_time(now);
        let attempt = session.draw_attempt();
        let before = session.observation().occupancy;
        let kind = self.kind();
        let claim = policy::Claim {
            attempt,
            owner: session.owner(),
            kind,
            view_revision: session.state().view_revision,
            line: Line::Threshold,
        };
        session.apply(Event::Adopted(claim), now);
        session.apply(Event::Committed { attempt, fallback: false }, now);
        let planned = self.planned(session, attempt, before, now);
        let commit = Commit {
            attempt,
            text: String::new(),
            finish: Finish::Stop,
            fallback: false,
            spent: 0,
            carry: String::new(),
            through: String::new(),
        };
        let parts = session.make_live(&commit, &planned, self.summary_tokens, "", now);
        Mutated { output: attempt, parts }
    }
}

impl Adopt {
    fn kind(&self) -> Kind {
        if self.manual { Kind::Manual } else { Kind::Auto }
    }

    fn planned(&self, session: &Session, attempt: AttemptId, before: Tokens, now: Timestamp) -> Planned {
        let cut = self.covered.min(session.index().len());
        let from = session.sight().view.covered_count().min(cut);
        let plan = SlicePlan {
            from,
            cut,
            pinned: Vec::new(),
            released: Vec::new(),
            pruned: Vec::new(),
            capped: Vec::new(),
            slice_tokens: narrow(session.index().tokens(from..cut)),
            promised_tokens: self.summary_tokens,
            summary_cap: self.summary_tokens,
        };
        let pass = Pass { trigger: Trigger::Threshold, probe: None, means: Means::Model, line: Line::Threshold };
        Planned {
            attempt,
            kind: self.kind(),
            pass,
            fingerprint: session.index().fingerprint(cut),
            plan,
            previous: None,
            before,
            started_at: now,
            deadline: now,
        }
    }
}
