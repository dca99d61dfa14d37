//! All conversion: checked numbers in, public objects out. Field names are those of the TypeScript surface.

use js_sys::Array;
use wasm_bindgen::JsValue;

use crate::{
    id::AttemptId,
    policy::{Action, Confidence, Decision, FailureClass, Kind, Means, Phase, Trigger, Verdict, sentence},
    record::{Generation, Summary},
    session::{AmendError, Amended, Asking, Committed, Planned, Receipt, Session},
    summary::Finish,
    time::{Millis, Timestamp},
    tokens::Tokens,
    wasm::{fault::Fault, object::Members},
};

/// A number of tokens: whole, not negative, at most `u32::MAX`.
#[inline(never)]
pub(super) fn tokens(name: &str, value: f64) -> Result<Tokens, JsValue> {
    whole(name, value, f64::from(u32::MAX)).map(|value| value as Tokens)
}

/// As [`tokens`]; 0 stands for "not set".
pub(super) fn optional_tokens(name: &str, value: f64) -> Result<Option<Tokens>, JsValue> {
    tokens(name, value).map(|value| Some(value).filter(|value| *value > 0))
}

/// An instant in epoch milliseconds.
#[inline(never)]
pub(super) fn timestamp(value: f64) -> Result<Timestamp, JsValue> {
    whole("now", value, MAX_SAFE).map(|value| Timestamp(value as u64))
}

/// A length in milliseconds; 0 stands for "not set".
pub(super) fn optional_millis(name: &str, value: f64) -> Result<Option<Millis>, JsValue> {
    let value = whole(name, value, MAX_SAFE)?;
    Ok(Some(Millis(value as u64)).filter(|length| length.0 > 0))
}

/// An attempt's id, as it was handed out.
#[inline(never)]
pub(super) fn attempt(text: &str) -> Result<AttemptId, JsValue> {
    AttemptId::parse(text).ok_or_else(|| Fault::argument("a compaction id is 16 hexadecimal digits"))
}

/// Why an attempt is claimed.
pub(super) fn kind(text: &str) -> Result<Kind, JsValue> {
    match text {
        "auto" => Ok(Kind::Auto),
        "manual" => Ok(Kind::Manual),
        "overflow" => Ok(Kind::Overflow),
        _ => Err(Fault::argument("an attempt is auto, manual or overflow")),
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
pub(super) fn failure(text: &str) -> Result<FailureClass, JsValue> {
    FailureClass::parse(text).ok_or_else(|| Fault::argument("a failure class is one of the documented words"))
}

/// UTF-8 ends of the texts that begin at these UTF-16 offsets of `joined`; the last offset is the end of all.
pub(super) fn utf8_ends(joined: &str, offsets: &[u32]) -> Vec<u32> {
    let wanted = offsets.get(1..).unwrap_or_default();
    let mut ends = Vec::with_capacity(wanted.len());
    let (mut utf16, mut utf8) = (0_u32, 0_u32);
    for c in joined.chars() {
        while wanted.get(ends.len()).is_some_and(|offset| *offset <= utf16) {
            ends.push(utf8);
        }
        utf16 += c.len_utf16() as u32;
        utf8 += c.len_utf8() as u32;
    }
    ends.resize(wanted.len(), utf8);
    ends
}

#[inline(never)]
fn whole(name: &str, value: f64, most: f64) -> Result<f64, JsValue> {
    match value.trunc() == value && (0.0..=most).contains(&value) {
        true => Ok(value),
        false => Err(Fault::argument(&format!("{name} must be a whole number from 0 up"))),
    }
}

/// The public `Decision`.
pub(super) fn decision(decision: &Decision, now: Timestamp) -> JsValue {
    let mut out = Members::new();
    reading(&mut out, decision);
    out.text("sentence", &sentence(decision, now));
    let (action, unblocks_at) = match decision.action {
        Action::Hold(_) => ("hold", None),
        Action::Compact(_) => ("compact", None),
        Action::Wait { .. } => ("wait", None),
        Action::Blocked(blocked) => ("blocked", blocked.unblocks_at_tokens),
    };
    out.text("action", action);
    out.text(if decision.pass().is_some() { "trigger" } else { "reason" }, decision.reason());
    out.optional_number("retryAt", decision.wake_at().map(|at| at.0));
    out.optional_number("unblocksAtTokens", unblocks_at);
    out.finish()
}

/// The public `Snapshot`.
pub(super) fn snapshot(session: &Session, loading: bool, now: Timestamp) -> JsValue {
    let decided = session.decide(now);
    let phase = match (&session.state().phase, decided.action) {
        _ if loading => "loading",
        (Phase::Compacting { .. }, _) => "compacting",
        (_, Action::Blocked(_)) => "blocked",
        (Phase::AwaitingVerdict { .. }, _) => "awaiting_verdict",
        (Phase::Idle, _) => "idle",
    };
    let mut out = Members::new();
    reading(&mut out, &decided);
    out.text("phase", phase);
    out.text("durability", session.durability().code());
    if let Some(trouble) = session.trouble() {
        let mut error = Members::new();
        error.text("code", trouble.code());
        error.text("recover", trouble.recover.code());
        out.value("storeError", &error.finish());
    }
    out.number("compactions", session.root().compactions);
    out.number("summaryTokensSpent", session.root().spent_tokens);
    out.optional_number("wakeAt", session.wake_at(now).map(|at| at.0));
    out.value("decision", &decision(&decided, now));
    out.finish()
}

/// What decisions and snapshots both say.
fn reading(out: &mut Members, decision: &Decision) {
    let used = (decision.confidence != Confidence::Unknown).then_some(decision.used);
    out.nullable_number("usedTokens", used);
    out.nullable_number("thresholdTokens", decision.lines.map(|lines| lines.threshold));
    out.nullable_number("targetTokens", decision.lines.map(|lines| lines.target(decision.floor)));
    out.nullable_number("windowTokens", decision.lines.map(|lines| lines.window));
    out.number("floorTokens", decision.floor);
    out.text("confidence", decision.confidence.code());
}

/// A claimed slice. `material` holds the entries to summarise as pairs of first and behind-last, in order.
pub(super) fn planned(planned: &Planned) -> JsValue {
    let plan = &planned.plan;
    let (pairs, mut entries) = (Array::new(), 0);
    for range in plan.material() {
        pairs.push(&range.start.into());
        pairs.push(&range.end.into());
        entries += range.end - range.start;
    }
    let mut out = Members::new();
    out.text("compactionId", &planned.attempt.to_string());
    out.text("trigger", planned.pass.trigger.code());
    let means = match planned.pass.means {
        Means::Model => "model",
        Means::LastResort => "last_resort",
    };
    out.text("means", means);
    out.value("material", &pairs);
    out.number("from", plan.from);
    out.number("cut", plan.cut);
    out.flag("previous", planned.previous.is_some());
    out.number("entries", entries);
    out.number("tokens", plan.slice_tokens);
    out.number("promisedTokens", plan.promised_tokens);
    out.number("beforeTokens", planned.before);
    out.number("maxTokens", plan.summary_cap);
    out.number("deadline", planned.deadline.0);
    out.finish()
}

/// A request to a summariser.
pub(super) fn asking(asking: &Asking) -> JsValue {
    let mut out = Members::new();
    match asking {
        Asking::Separate(request) => {
            out.text("mode", "separate");
            out.text("system", &request.system);
            out.text("user", &request.user);
            out.number("maxTokens", request.max_tokens);
            out.flag("more", !request.last);
        }
        Asking::InPlace { message, max_tokens } => {
            out.text("mode", "in_place");
            out.text("user", message);
            out.number("maxTokens", *max_tokens);
        }
    }
    out.finish()
}

/// What came of a commit.
pub(super) fn committed(attempt: AttemptId, committed: &Committed, receipt: Option<&Receipt>) -> JsValue {
    let status = match committed {
        Committed::Live { .. } => "committed",
        Committed::Rejected { .. } => "failed",
        Committed::Superseded => "superseded",
    };
    let mut out = Members::new();
    out.text("status", status);
    out.text("compactionId", &attempt.to_string());
    match committed {
        Committed::Live { before, after } => {
            out.number("beforeTokens", *before);
            out.number("afterTokens", *after);
            if let Some(receipt) = receipt {
                out.value("receipt", &self::receipt(receipt));
            }
        }
        Committed::Rejected { rejection, retry_at } => {
            out.text("code", rejection.code());
            out.text("message", &rejection.to_string());
            out.optional_number("retryAt", retry_at.map(|at| at.0));
        }
        Committed::Superseded => {}
    }
    out.finish()
}

/// What came of taking a summary back, or of writing it anew.
pub(super) fn amended(amended: &Result<Amended, AmendError>) -> JsValue {
    let mut out = Members::new();
    match amended {
        Ok(amended) => {
            out.text("status", "committed");
            out.text("compactionId", &amended.attempt.to_string());
            out.number("beforeTokens", amended.before);
            out.number("afterTokens", amended.after);
        }
        Err(refusal) => {
            out.text("status", "failed");
            out.text("code", refusal.code());
            out.text("message", &refusal.to_string());
        }
    }
    out.finish()
}

/// The public `Receipt`.
fn receipt(receipt: &Receipt) -> JsValue {
    let missing = Array::new();
    for name in &receipt.missing {
        missing.push(&name.as_str().into());
    }
    let mut out = Members::new();
    out.number("found", receipt.found);
    out.number("kept", receipt.kept);
    out.value("missing", &missing);
    out.finish()
}

/// The public `Compaction`: one committed summary.
pub(super) fn compaction(generation: &Generation, written: Option<&Summary>) -> JsValue {
    let trigger = match (generation.probe, generation.kind) {
        (true, Kind::Auto) => Trigger::Probe,
        (_, Kind::Auto) => Trigger::Threshold,
        (_, Kind::Manual) => Trigger::Manual,
        (_, Kind::Overflow) => Trigger::Overflow,
    };
    let mut out = Members::new();
    out.text("compactionId", &generation.attempt.to_string());
    out.number("at", generation.at.0);
    out.text("trigger", trigger.code());
    out.number("coversEntries", generation.covered_entries);
    match written.filter(|written| !written.through.is_empty()) {
        Some(written) => out.text("throughId", &written.through),
        None => out.text("throughId", &AttemptId(generation.covered_last_id).to_string()),
    }
    out.number("beforeTokens", generation.before_tokens);
    out.optional_number("afterTokens", generation.after_tokens);
    out.text("verdict", generation.verdict.map_or("pending", Verdict::code));
    if generation.prune {
        out.flag("cleared", true);
    }
    out.text("summary", written.map_or("", |written| &written.text));
    out.finish()
}

/// Whole numbers beyond it are not exact in JavaScript.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
