//! Notices as the public `CompactionEvent`.

use wasm_bindgen::JsValue;

use crate::{
    session::{Loss, Notice},
    wasm::object::Members,
};

/// One public event. Members that a type of event does not have are left out.
pub(super) fn event(notice: &Notice) -> JsValue {
    let mut out = Members::new();
    match notice {
        Notice::Compaction { attempt, status, trigger, started_at, before, after, failure } => {
            out.text("type", "compaction");
            out.text("compactionId", &attempt.to_string());
            out.text("status", status.code());
            out.text("trigger", trigger.code());
            out.number("startedAt", started_at.0);
            out.number("beforeTokens", *before);
            out.optional_number("afterTokens", *after);
            out.optional_text("failure", *failure);
        }
        Notice::Verdict(settled) => {
            out.text("type", "verdict");
            out.text("compactionId", &settled.attempt.to_string());
            out.text("verdict", settled.verdict.code());
            out.number("promptTokens", settled.net_tokens);
            out.flag("estimated", settled.estimated);
        }
        Notice::Guard { reason, tripped, retry_at } => {
            out.text("type", "guard");
            out.text("reason", reason.code());
            out.flag("tripped", *tripped);
            out.optional_number("retryAt", retry_at.map(|at| at.0));
        }
        Notice::CarryRefused { attempt, refusal } => {
            let (tokens, most) = refusal.numbers();
            out.text("type", "carry_refused");
            out.text("compactionId", &attempt.to_string());
            out.text("reason", refusal.code());
            out.number("tokens", tokens);
            out.number("mostTokens", most);
        }
        Notice::Storage(durability) => {
            out.text("type", "storage");
            out.text("durability", durability.code());
        }
        Notice::Loss(loss) => {
            out.text("type", "loss");
            out.text("found", loss.code());
            match *loss {
                Loss::RolledBack { expected, found } => {
                    out.number("revision", found);
                    out.number("expectedRevision", expected);
                }
                Loss::Unreadable { part } => out.text("part", &part.to_string()),
                _ => {}
            }
        }
        Notice::ForeignRecord { session } => {
            out.text("type", "foreign_record");
            out.text("sessionId", session);
        }
    }
    out.finish()
}
