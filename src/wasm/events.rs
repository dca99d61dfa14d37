//! Notices as the public `CompactionEvent`.

use serde::Serialize;

use crate::{session::Notice, tokens::Tokens};

/// One public event. Members that a type of event does not have are left out.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventOut {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    compaction_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tripped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    durability: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
}

impl EventOut {
    pub(super) fn of(notice: Notice) -> Self {
        match notice {
            Notice::Compaction { attempt, status, trigger, started_at, before, after, failure } => Self {
                kind: "compaction",
                compaction_id: Some(attempt.to_string()),
                status: Some(status.code()),
                trigger: Some(trigger.code()),
                started_at: Some(started_at.0),
                before_tokens: Some(before),
                after_tokens: after,
                failure,
                ..Self::default()
            },
            Notice::Verdict(settled) => Self {
                kind: "verdict",
                compaction_id: Some(settled.attempt.to_string()),
                verdict: Some(settled.verdict.code()),
                prompt_tokens: Some(settled.net_tokens),
                estimated: Some(settled.estimated),
                ..Self::default()
            },
            Notice::Guard { reason, tripped, retry_at } => Self {
                kind: "guard",
                reason: Some(reason.code()),
                tripped: Some(tripped),
                retry_at: retry_at.map(|at| at.0),
                ..Self::default()
            },
            Notice::Storage(durability) => {
                Self { kind: "storage", durability: Some(durability.code()), ..Self::default() }
            }
            Notice::ForeignRecord { session } => {
                Self { kind: "foreign_record", session_id: Some(session), ..Self::default() }
            }
        }
    }
}
