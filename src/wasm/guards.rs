//! The guard state in plain words, for a page or a terminal that shows it.

use wasm_bindgen::prelude::*;

use crate::{
    policy::{FailureClass, Phase},
    record::{self, Loaded, Root},
    time::Timestamp,
    wasm::object::Members,
};

/// What a root record says.
pub(super) fn guards(root: &Root) -> JsValue {
    let guards = &root.state.guards;
    let phase = match root.state.phase {
        Phase::Idle => "idle",
        Phase::Compacting { .. } => "compacting",
        Phase::AwaitingVerdict { .. } => "awaiting_verdict",
    };
    let mut out = Members::new();
    out.text("phase", phase);
    out.number("viewRevision", root.state.view_revision);
    out.number("ineffectiveStreak", guards.ineffective_streak);
    out.number("weakStreak", guards.weak_streak);
    out.number("fallbackStreak", guards.fallback_streak);
    out.flag("tripped", guards.tripped());
    out.nullable_number("recoveryAt", guards.recovery.map(|recovery| recovery.deadline.0));
    out.number("rung", guards.recovery.map_or(0, |recovery| recovery.rung));
    out.number("probes", guards.recovery.map_or(0, |recovery| recovery.probes));
    out.nullable_number("baselineTokens", guards.baseline_tokens);
    out.nullable_number("strikeThresholdTokens", guards.strike_threshold);
    let cooldown = guards.failures.cooldown;
    out.nullable_number("cooldownUntil", cooldown.map(|cooldown| cooldown.until.0));
    out.nullable_text("cooldownClass", cooldown.map(|cooldown| FailureClass::code(cooldown.class)));
    out.number("interruptedStreak", guards.interrupted.streak);
    out.number("attemptsWithoutProgress", guards.attempts_without_progress);
    out.flag("afterLastResort", guards.after_last_resort);
    out.nullable_number("lastAttemptEnd", guards.last_attempt_end.map(|at| at.0));
    out.nullable_number("learnedWindowTokens", guards.window.limit);
    out.nullable_number("anchorTokens", root.anchor.map(|anchor| anchor.prompt_tokens));
    out.nullable_number("overheadTokens", root.anchor.map(|anchor| anchor.overhead));
    out.nullable_number("updatedAt", root.updated_at().map(|at| at.0));
    out.number("compactions", root.compactions);
    out.number("generations", root.generations.len() as u64);
    out.number("summaryTokensSpent", root.spent_tokens);
    out.finish()
}

/// What the root record in `bytes` says of `session`; undefined where it is not readable as that session's.
#[wasm_bindgen(js_name = decodeRecord)]
pub fn decode_record(bytes: &[u8], session: &str) -> JsValue {
    match record::load_root(Some(bytes), session, Timestamp::default()) {
        Loaded::Found { root, .. } => guards(&root),
        _ => JsValue::UNDEFINED,
    }
}
