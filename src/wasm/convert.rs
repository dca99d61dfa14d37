//! All conversion: checked numbers in, public objects out. Field names are those of the TypeScript surface.

use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::{
    id::AttemptId,
    policy::{Action, Confidence, Decision, FailureClass, Kind, Means, Phase, Trigger, Verdict, sentence},
    record::Generation,
    session::{Committed, Planned, Session},
    summary::Finish,
    time::{Millis, Timestamp},
    tokens::Tokens,
    wasm::fault::Fault,
};

/// What is absent reads `null` where the public type says so; optional members are left out.
const SERIALIZER: serde_wasm_bindgen::Serializer =
    serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);

/// A public object on its way out.
pub(super) fn object<T: Serialize>(value: &T) -> JsValue {
    // Plain structs of numbers, strings and lists: nothing here can fail to serialise.
    value.serialize(&SERIALIZER).unwrap_or(JsValue::UNDEFINED)
}

/// A number of tokens: whole, not negative, at most `u32::MAX`.
pub(super) fn tokens(name: &str, value: f64) -> Result<Tokens, Fault> {
    whole(name, value, f64::from(u32::MAX)).map(|value| value as Tokens)
}

/// As [`tokens`]; 0 stands for "not set".
pub(super) fn optional_tokens(name: &str, value: f64) -> Result<Option<Tokens>, Fault> {
    tokens(name, value).map(|value| Some(value).filter(|value| *value > 0))
}

/// An instant in epoch milliseconds.
pub(super) fn timestamp(value: f64) -> Result<Timestamp, Fault> {
    whole("now", value, MAX_SAFE).map(|value| Timestamp(value as u64))
}

/// A length in milliseconds; 0 stands for "not set".
pub(super) fn optional_millis(name: &str, value: f64) -> Result<Option<Millis>, Fault> {
    let value = whole(name, value, MAX_SAFE)?;
    Ok(Some(Millis(value as u64)).filter(|length| length.0 > 0))
}

/// An attempt's id, as it was handed out.
pub(super) fn attempt(text: &str) -> Result<AttemptId, Fault> {
    AttemptId::parse(text).ok_or_else(|| Fault::argument("a compaction id is 16 hexadecimal digits".to_owned()))
}

/// Why an attempt is claimed.
pub(super) fn kind(text: &str) -> Result<Kind, Fault> {
    match text {
        "auto" => Ok(Kind::Auto),
        "manual" => Ok(Kind::Manual),
        "overflow" => Ok(Kind::Overflow),
        _ => Err(Fault::argument("an attempt is auto, manual or overflow".to_owned())),
    }
}

/// How an answer ended; what is not known is `unknown`.
pub(super) fn finish(text: &str) -> Finish {
    match text {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        "refusal" => Finish::Refusal,
        "tool_calls" => Finish::ToolCalls,
        _ => Finish::Unknown,
    }
}

/// A failure class by its stable word.
pub(super) fn failure(text: &str) -> Result<FailureClass, Fault> {
    FailureClass::parse(text)
        .ok_or_else(|| Fault::argument("a failure class is one of the documented words".to_owned()))
}

/// UTF-8 ends of the texts that begin at these UTF-16 offsets of `joined`; the last offset is the end of all.
pub(super) fn utf8_ends(joined: &str, offsets: &[u32]) -> Vec<u32> {
    let mut wanted = offsets.iter().skip(1).copied().peekable();
    let mut ends = Vec::with_capacity(offsets.len().saturating_sub(1));
    let (mut utf16, mut utf8) = (0_u32, 0_u32);
    for c in joined.chars() {
        while wanted.next_if(|offset| *offset <= utf16).is_some() {
            ends.push(utf8);
        }
        utf16 += c.len_utf16() as u32;
        utf8 += c.len_utf8() as u32;
    }
    ends.extend(wanted.map(|_| utf8));
    ends
}

fn whole(name: &str, value: f64, most: f64) -> Result<f64, Fault> {
    match value.trunc() == value && (0.0..=most).contains(&value) {
        true => Ok(value),
        false => Err(Fault::argument([name, " must be a whole number from 0 up"].concat())),
    }
}

/// The public `Decision`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DecisionOut {
    used_tokens: Option<Tokens>,
    threshold_tokens: Option<Tokens>,
    target_tokens: Option<Tokens>,
    window_tokens: Option<Tokens>,
    floor_tokens: Tokens,
    confidence: &'static str,
    sentence: String,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unblocks_at_tokens: Option<Tokens>,
}

impl DecisionOut {
    pub(super) fn of(decision: &Decision, now: Timestamp) -> Self {
        let (action, unblocks_at_tokens) = match decision.action {
            Action::Hold(_) => ("hold", None),
            Action::Compact(_) => ("compact", None),
            Action::Wait { .. } => ("wait", None),
            Action::Blocked(blocked) => ("blocked", blocked.unblocks_at_tokens),
        };
        let compacts = decision.pass().is_some();
        Self {
            used_tokens: (decision.confidence != Confidence::Unknown).then_some(decision.used),
            threshold_tokens: decision.lines.map(|lines| lines.threshold),
            target_tokens: decision.lines.map(|lines| lines.target(decision.floor)),
            window_tokens: decision.lines.map(|lines| lines.window),
            floor_tokens: decision.floor,
            confidence: decision.confidence.code(),
            sentence: sentence(decision, now),
            action,
            trigger: compacts.then(|| decision.reason()),
            reason: (!compacts).then(|| decision.reason()),
            retry_at: decision.wake_at().map(|at| at.0),
            unblocks_at_tokens,
        }
    }
}

/// The public `Snapshot`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SnapshotOut {
    used_tokens: Option<Tokens>,
    threshold_tokens: Option<Tokens>,
    target_tokens: Option<Tokens>,
    window_tokens: Option<Tokens>,
    floor_tokens: Tokens,
    confidence: &'static str,
    phase: &'static str,
    durability: &'static str,
    compactions: u32,
    summary_tokens_spent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wake_at: Option<u64>,
    decision: DecisionOut,
}

impl SnapshotOut {
    pub(super) fn of(session: &Session, loading: bool, now: Timestamp) -> Self {
        let decision = session.decide(now);
        let out = DecisionOut::of(&decision, now);
        let phase = match (&session.state().phase, decision.action) {
            _ if loading => "loading",
            (Phase::Compacting { .. }, _) => "compacting",
            (_, Action::Blocked(_)) => "blocked",
            (Phase::AwaitingVerdict { .. }, _) => "awaiting_verdict",
            (Phase::Idle, _) => "idle",
        };
        Self {
            used_tokens: out.used_tokens,
            threshold_tokens: out.threshold_tokens,
            target_tokens: out.target_tokens,
            window_tokens: out.window_tokens,
            floor_tokens: out.floor_tokens,
            confidence: out.confidence,
            phase,
            durability: session.durability().code(),
            compactions: session.root().compactions,
            summary_tokens_spent: session.root().spent_tokens,
            wake_at: session.wake_at(now).map(|at| at.0),
            decision: out,
        }
    }
}

/// A claimed slice. `material` holds the entries to summarise as pairs of first and behind-last, in order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanOut {
    compaction_id: String,
    trigger: &'static str,
    means: &'static str,
    material: Vec<u32>,
    from: u32,
    cut: u32,
    previous: bool,
    entries: u32,
    tokens: Tokens,
    promised_tokens: Tokens,
    before_tokens: Tokens,
    max_tokens: Tokens,
    deadline: u64,
}

impl PlanOut {
    pub(super) fn of(planned: &Planned) -> Self {
        let plan = &planned.plan;
        let material = plan.material();
        Self {
            compaction_id: planned.attempt.to_string(),
            trigger: planned.pass.trigger.code(),
            means: match planned.pass.means {
                Means::Model => "model",
                Means::LastResort => "last_resort",
            },
            entries: material.iter().map(|range| range.end - range.start).sum(),
            material: material.into_iter().flat_map(|range| [range.start, range.end]).collect(),
            from: plan.from,
            cut: plan.cut,
            previous: planned.previous.is_some(),
            tokens: plan.slice_tokens,
            promised_tokens: plan.promised_tokens,
            before_tokens: planned.before,
            max_tokens: plan.summary_cap,
            deadline: planned.deadline.0,
        }
    }
}

/// What came of a commit.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommitOut {
    status: &'static str,
    compaction_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<u64>,
}

impl CommitOut {
    pub(super) fn of(attempt: AttemptId, committed: &Committed) -> Self {
        let mut out = Self {
            status: "superseded",
            compaction_id: attempt.to_string(),
            before_tokens: None,
            after_tokens: None,
            code: None,
            message: None,
            retry_at: None,
        };
        match committed {
            Committed::Live { before, after } => {
                out.status = "committed";
                (out.before_tokens, out.after_tokens) = (Some(*before), Some(*after));
            }
            Committed::Rejected { rejection, retry_at } => {
                out.status = "failed";
                out.code = Some(rejection.code());
                out.message = Some(rejection.to_string());
                out.retry_at = retry_at.map(|at| at.0);
            }
            Committed::Superseded => {}
        }
        out
    }
}

/// The public `Compaction`: one committed summary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactionOut {
    compaction_id: String,
    at: u64,
    trigger: &'static str,
    covers_entries: u32,
    through_id: String,
    before_tokens: Tokens,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_tokens: Option<Tokens>,
    verdict: &'static str,
    summary: String,
}

impl CompactionOut {
    pub(super) fn of(generation: &Generation, summary: &str) -> Self {
        Self {
            compaction_id: generation.attempt.to_string(),
            at: generation.at.0,
            trigger: match (generation.probe, generation.kind) {
                (true, Kind::Auto) => Trigger::Probe,
                (_, Kind::Auto) => Trigger::Threshold,
                (_, Kind::Manual) => Trigger::Manual,
                (_, Kind::Overflow) => Trigger::Overflow,
            }
            .code(),
            covers_entries: generation.covered_entries,
            through_id: AttemptId(generation.covered_last_id).to_string(),
            before_tokens: generation.before_tokens,
            after_tokens: generation.after_tokens,
            verdict: generation.verdict.map_or("pending", Verdict::code),
            summary: summary.to_owned(),
        }
    }
}

/// Whole numbers beyond it are not exact in JavaScript.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
