//! The guard state in plain words, for a page or a terminal that shows it.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::{
    policy::{FailureClass, Phase},
    record::{self, Loaded, Root},
    time::Timestamp,
    tokens::Tokens,
    wasm::convert,
};

/// What a root record says.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GuardsOut {
    phase: &'static str,
    view_revision: u32,
    ineffective_streak: u8,
    weak_streak: u8,
    fallback_streak: u8,
    tripped: bool,
    recovery_at: Option<u64>,
    rung: u8,
    probes: u8,
    baseline_tokens: Option<Tokens>,
    strike_threshold_tokens: Option<Tokens>,
    cooldown_until: Option<u64>,
    cooldown_class: Option<&'static str>,
    interrupted_streak: u8,
    attempts_without_progress: u8,
    after_last_resort: bool,
    last_attempt_end: Option<u64>,
    learned_window_tokens: Option<Tokens>,
    anchor_tokens: Option<Tokens>,
    overhead_tokens: Option<Tokens>,
    compactions: u32,
    generations: usize,
    summary_tokens_spent: u64,
}

impl GuardsOut {
    pub(super) fn of(root: &Root) -> Self {
        let guards = &root.state.guards;
        Self {
            phase: match root.state.phase {
                Phase::Idle => "idle",
                Phase::Compacting { .. } => "compacting",
                Phase::AwaitingVerdict { .. } => "awaiting_verdict",
            },
            view_revision: root.state.view_revision,
            ineffective_streak: guards.ineffective_streak,
            weak_streak: guards.weak_streak,
            fallback_streak: guards.fallback_streak,
            tripped: guards.tripped(),
            recovery_at: guards.recovery.map(|recovery| recovery.deadline.0),
            rung: guards.recovery.map_or(0, |recovery| recovery.rung),
            probes: guards.recovery.map_or(0, |recovery| recovery.probes),
            baseline_tokens: guards.baseline_tokens,
            strike_threshold_tokens: guards.strike_threshold,
            cooldown_until: guards.failures.cooldown.map(|cooldown| cooldown.until.0),
            cooldown_class: guards.failures.cooldown.map(|cooldown| FailureClass::code(cooldown.class)),
            interrupted_streak: guards.interrupted.streak,
            attempts_without_progress: guards.attempts_without_progress,
            after_last_resort: guards.after_last_resort,
            last_attempt_end: guards.last_attempt_end.map(|at| at.0),
            learned_window_tokens: guards.window.limit,
            anchor_tokens: root.anchor.map(|anchor| anchor.prompt_tokens),
            overhead_tokens: root.anchor.map(|anchor| anchor.overhead),
            compactions: root.compactions,
            generations: root.generations.len(),
            summary_tokens_spent: root.spent_tokens,
        }
    }
}

/// What the root record in `bytes` says of `session`; undefined where it is not readable as that session's.
#[wasm_bindgen(js_name = decodeRecord)]
pub fn decode_record(bytes: &[u8], session: &str) -> JsValue {
    match record::load_root(Some(bytes), session, Timestamp::default()) {
        Loaded::Found { root, .. } => convert::object(&GuardsOut::of(&root)),
        _ => JsValue::UNDEFINED,
    }
}
