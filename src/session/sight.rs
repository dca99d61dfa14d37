//! What the session sees: one accounting for trigger, cut and verdict (rule 2).

use crate::{
    plan,
    policy::{Confidence, Observation, Phase},
    session::{Session, link::Health},
    tokens::{Ratio, Tokens},
    view::View,
};

/// The view of the transcript and what is observed on it. Rebuilt when either changed, in time that depends on neither.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) view: View,
    pub(super) seen: Observation,
}

impl Sight {
    pub(super) fn of(session: &Session) -> Self {
        let view = View::new(session.index(), session.generations());
        let (occupancy, confidence) = occupancy(session, &view, session.index().len());
        let state = &session.root().state;
        let items = session.index().len().saturating_sub(view.covered_count()).saturating_add(1);
        let lines = state.window(session.settings().config.context_window);
        let seen = Observation {
            enabled: session.link().health != Health::ReadOnly && view.covered_count() >= session.index().base_len(),
            lines: lines.map(|window| session.settings().config.lines(window, items)),
            occupancy,
            confidence,
            floor: floor(session, session.pinned_entries(), fixed_tokens(session, &view)),
            appended_since_claim: appended_since_claim(session, session.index().len()),
            model: session.model(),
            view_revision: state.view_revision,
            entries: session.index().len(),
            model_calls: session.index().model_calls(),
            open_calls: session.index().open_from().is_some(),
        };
        Self { view, seen }
    }
}

/// A prompt that was refused for its length: of which view, and up to which entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefusedPrompt {
    pub(super) view_revision: u32,
    pub(super) entries: u32,
}

/// What no compaction can remove with these entries pinned.
pub(super) fn floor(session: &Session, pins: &[u32], fixed: Tokens) -> Tokens {
    plan::floor(session.index(), pins, plan::Replaced::default(), fixed, session.ratio().permille())
}

/// What no compaction can remove besides entries: overhead, and what is kept word for word.
pub(super) fn fixed_tokens(session: &Session, view: &View) -> Tokens {
    session.overhead().saturating_add(session.kept_tokens(view.generation()))
}

/// Tokens of everything that the view shows, with what is kept word for word behind its summary.
pub(super) fn shown_tokens(session: &Session, view: &View) -> u64 {
    let kept = view.generation().filter(|_| view.covered_count() > 0).map_or(0, |live| session.kept_tokens(Some(live)));
    view.tokens() + u64::from(kept)
}

/// Tokens of the prompt that shows the first `entries` entries of the view: the last trusted count and an estimate of
/// what was added since, or, where no count was made of this view, the estimate with what was learned outside of it.
pub(super) fn occupancy(session: &Session, view: &View, entries: u32) -> (Tokens, Confidence) {
    let index = session.index();
    let root = session.root();
    let anchored = root.anchor.as_ref().filter(|anchor| {
        anchor.view_revision == root.state.view_revision && (anchor.entries <= entries || index.is_empty())
    });
    if let Some(anchor) = anchored {
        let added = index.tokens(anchor.entries..entries.max(anchor.entries));
        let confidence = if session.reported_here() { Confidence::Reported } else { Confidence::Calibrated };
        return (anchor.prompt_tokens.saturating_add(scaled(added, session.ratio())), confidence);
    }
    let left_out = index.tokens(entries..index.len());
    let shown = shown_tokens(session, view).saturating_sub(left_out);
    let confidence = match (&root.anchor, index.is_empty()) {
        (_, true) => Confidence::Unknown,
        (Some(_), false) => Confidence::Calibrated,
        (None, false) => Confidence::Estimated,
    };
    (scaled(shown, session.ratio()).saturating_add(session.overhead()), confidence)
}

/// Estimate of the entries up to `entries` that came after the claim of the pass awaiting its verdict.
pub(super) fn appended_since_claim(session: &Session, entries: u32) -> Tokens {
    match &session.root().state.phase {
        Phase::AwaitingVerdict { attempt, .. } => {
            scaled(session.index().tokens(attempt.entries..entries.max(attempt.entries)), session.ratio())
        }
        _ => 0,
    }
}

/// Sums of a long transcript are wide; what a prompt can hold is not.
pub(super) fn narrow(tokens: u64) -> Tokens {
    Tokens::try_from(tokens).unwrap_or(Tokens::MAX)
}

/// Tokens of the index as the model counts them.
pub(super) fn scaled(tokens: u64, ratio: Ratio) -> Tokens {
    narrow(tokens.saturating_mul(ratio.permille().into()) / 1_000)
}

/// A summary is held against its slice by the same count of both.
pub(super) const UNSCALED: u32 = 1_000;
