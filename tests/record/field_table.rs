//! Every field of a root record, and what it reads as when what stands there is odd.

use compaction_governor::{
    policy::{Attempt, Phase},
    record::Root,
};

/// A field: where it is, what it reads as when missing (or null, or negative), above its range, and of another type.
pub(crate) struct Row {
    /// For messages.
    pub(crate) name: &'static str,
    /// Keys and indices from the record down to it.
    pub(crate) path: &'static [u64],
    /// What it reads as.
    pub(crate) value: fn(&Root) -> String,
    /// Missing, null, negative.
    pub(crate) missing: &'static str,
    /// Above its range.
    pub(crate) above: &'static str,
    /// Of another type.
    pub(crate) wrong: &'static str,
}

/// What was written stands; as `above`: there is nothing above a range of 64 bits, or above a list or map.
pub(crate) const SAME: &str = "as it was";

/// The table, in the order of the maps.
pub(crate) fn rows() -> impl Iterator<Item = Row> {
    root_rows().into_iter().chain(phase_rows()).chain(guard_rows()).chain(generation_rows())
}

macro_rules! rows {
    ($($path:tt $name:literal $get:expr => $missing:expr, $above:expr, $wrong:expr;)+) => {
        vec![$(Row { name: $name, path: &$path, value: $get, missing: $missing, above: $above, wrong: $wrong }),+]
    };
}

fn attempt(root: &Root) -> &Attempt {
    root.state.attempt().expect("the phase stands")
}

/// Line, view revision, time of the commit and steps without usage of the verdict that is awaited.
fn awaited(root: &Root) -> [u64; 4] {
    let Phase::AwaitingVerdict { line_tokens, view_revision, committed_at, steps_without_usage, .. } = root.state.phase
    else {
        panic!("the phase stands");
    };
    [line_tokens.into(), view_revision.into(), committed_at.0, steps_without_usage.into()]
}

fn root_rows() -> Vec<Row> {
    rows![
        [0] "part kind" |root| root.session.clone() => SAME, SAME, SAME;
        [1] "session" |root| root.session.clone() => SAME, SAME, SAME;
        [2] "incarnation" |root| root.incarnation.to_string() => "0", SAME, "0";
        [3] "state" |root| format!("{} {}", root.state.guards.weak_streak, root.state.view_revision) => "0 0", SAME, "2 0";
        [4] "anchor" |root| root.anchor.is_some().to_string() => "false", SAME, "false";
        [5] "generations" |root| root.generations.len().to_string() => "0", SAME, "0";
        [6] "compactions" |root| root.compactions.to_string() => "0", "2", "2";
        [7] "spent_tokens" |root| root.spent_tokens.to_string() => "0", SAME, "0";
        [3, 0] "view_revision" |root| root.state.view_revision.to_string() => "3", "3", "3";
        [3, 1] "phase" |root| format!("{} {}", root.state.phase == Phase::Idle, root.state.guards.weak_streak) => "true 1", SAME, "true 2";
        [3, 2] "guards" |root| root.state.guards.weak_streak.to_string() => "0", SAME, "2";
        [4, 0] "anchor's prompt_tokens" |root| root.anchor.is_some().to_string() => "false", "false", "false";
        [4, 1] "anchor's view_revision" |root| format!("{:?}", root.anchor.map(|anchor| anchor.view_revision)) => "Some(0)", "Some(0)", "Some(0)";
        [4, 2] "anchor's entries" |root| format!("{:?}", root.anchor.map(|anchor| anchor.entries)) => "Some(0)", "Some(0)", "Some(0)";
        [4, 3] "anchor's overhead" |root| format!("{:?}", root.anchor.map(|anchor| anchor.overhead)) => "Some(0)", "Some(0)", "Some(0)";
        [4, 4] "anchor's at" |root| format!("{:?}", root.anchor.map(|anchor| anchor.at.0)) => "Some(0)", SAME, "Some(0)";
    ]
}

fn phase_rows() -> Vec<Row> {
    rows![
        [3, 1, 0] "phase tag" |root| format!("{} {}", root.state.phase == Phase::Idle, root.state.guards.weak_streak) => "true 2", "true 2", "true 2";
        [3, 1, 1] "line_tokens" |root| awaited(root)[0].to_string() => "0", "0", "0";
        [3, 1, 2] "verdict's view_revision" |root| awaited(root)[1].to_string() => "3", "3", "3";
        [3, 1, 3] "committed_at" |root| awaited(root)[2].to_string() => "0", SAME, "0";
        [3, 1, 4] "steps_without_usage" |root| awaited(root)[3].to_string() => "0", "255", "255";
        [3, 1, 5] "attempt id" |root| attempt(root).id.0.to_string() => "0", SAME, "0";
        [3, 1, 6] "owner" |root| attempt(root).owner.0.to_string() => "0", SAME, "0";
        [3, 1, 7] "kind" |root| format!("{:?}", attempt(root).kind) => "Auto", "Auto", "Auto";
        [3, 1, 8] "probe" |root| format!("{:?}", attempt(root).probe) => "None", "Some(Time)", "Some(Time)";
        [3, 1, 9] "model" |root| attempt(root).model.0.to_string() => "0", SAME, "0";
        [3, 1, 10] "before" |root| attempt(root).before.to_string() => "1", "1", "1";
        [3, 1, 11] "line" |root| format!("{:?}", attempt(root).line) => "Threshold", "Threshold", "Threshold";
        [3, 1, 12] "deadline" |root| attempt(root).deadline.0.to_string() => "0", SAME, "1700001000000";
        [3, 1, 13] "entries" |root| attempt(root).entries.to_string() => "4294967295", "4294967295", "4294967295";
    ]
}

fn guard_rows() -> Vec<Row> {
    rows![
        [3, 2, 0] "ineffective_streak" |root| root.state.guards.ineffective_streak.to_string() => "0", "255", "255";
        [3, 2, 1] "weak_streak" |root| root.state.guards.weak_streak.to_string() => "0", "255", "255";
        [3, 2, 2] "strike_threshold" |root| format!("{:?}", root.state.guards.strike_threshold) => "None", "Some(0)", "Some(0)";
        [3, 2, 3] "struck_models" |root| root.state.guards.struck_models.len().to_string() => "0", SAME, "8";
        [3, 2, 4] "fallback_streak" |root| root.state.guards.fallback_streak.to_string() => "0", "255", "255";
        [3, 2, 5] "failure streaks" |root| format!("{:?}", root.state.guards.failures.streaks) => "[0, 0, 0, 0, 0, 0, 0]", SAME, "[255, 255, 255, 255, 255, 255, 255]";
        [3, 2, 5, 1] "bad_summary streak" |root| root.state.guards.failures.streaks[0].to_string() => "0", "255", "255";
        [3, 2, 5, 2] "other streak" |root| root.state.guards.failures.streaks[1].to_string() => "0", "255", "255";
        [3, 2, 5, 3] "timeout streak" |root| root.state.guards.failures.streaks[2].to_string() => "0", "255", "255";
        [3, 2, 5, 4] "rate_limit streak" |root| root.state.guards.failures.streaks[3].to_string() => "0", "255", "255";
        [3, 2, 5, 5] "no_summarizer streak" |root| root.state.guards.failures.streaks[4].to_string() => "0", "255", "255";
        [3, 2, 5, 6] "auth streak" |root| root.state.guards.failures.streaks[5].to_string() => "0", "255", "255";
        [3, 2, 5, 7] "quota streak" |root| root.state.guards.failures.streaks[6].to_string() => "0", "255", "255";
        [3, 2, 6] "cooldown until" |root| format!("{:?}", root.state.guards.failures.cooldown.map(|cooldown| cooldown.until.0)) => "None", SAME, "Some(1700004000000)";
        [3, 2, 7] "cooldown class" |root| format!("{:?}", root.state.guards.failures.cooldown.map(|cooldown| cooldown.class)) => "Some(Other)", "Some(Other)", "Some(Other)";
        [3, 2, 8] "recovery deadline" |root| format!("{:?}", root.state.guards.recovery) => "None", SAME, "None";
        [3, 2, 9] "recovery rung" |root| format!("{:?}", root.state.guards.recovery.map(|recovery| recovery.rung)) => "Some(0)", "Some(255)", "Some(255)";
        [3, 2, 10] "recovery probes" |root| format!("{:?}", root.state.guards.recovery.map(|recovery| recovery.probes)) => "Some(0)", "Some(255)", "Some(255)";
        [3, 2, 11] "baseline_tokens" |root| format!("{:?}", root.state.guards.baseline_tokens) => "None", "Some(4294967295)", "Some(4294967295)";
        [3, 2, 12] "emergency_spent" |root| root.state.guards.emergency_spent.to_string() => "false", "true", "true";
        [3, 2, 13] "refused kind" |root| format!("{:?}", root.state.guards.refused) => "None", "None", "None";
        [3, 2, 14] "refused at_tokens" |root| format!("{:?}", root.state.guards.refused.map(|refused| refused.at_tokens)) => "Some(0)", "Some(0)", "Some(0)";
        [3, 2, 15] "refused floor" |root| format!("{:?}", root.state.guards.refused.map(|refused| refused.floor)) => "Some(0)", "Some(4294967295)", "Some(4294967295)";
        [3, 2, 16] "refused until" |root| format!("{:?}", root.state.guards.refused.map(|refused| refused.until.0)) => "Some(0)", SAME, "Some(0)";
        [3, 2, 17] "commit_ordinals" |root| format!("{:?}", root.state.guards.commit_ordinals) => "[]", SAME, "[]";
        [3, 2, 18] "interrupted streak" |root| root.state.guards.interrupted.streak.to_string() => "0", "255", "255";
        [3, 2, 19] "interrupted until" |root| format!("{:?}", root.state.guards.interrupted.until.map(|until| until.0)) => "None", SAME, "Some(1700004000000)";
        [3, 2, 20] "attempts_without_progress" |root| root.state.guards.attempts_without_progress.to_string() => "0", "255", "255";
        [3, 2, 21] "overflow_pass_spent" |root| root.state.guards.overflow_pass_spent.to_string() => "false", "true", "true";
        [3, 2, 22] "last_attempt_end" |root| format!("{:?}", root.state.guards.last_attempt_end.map(|at| at.0)) => "None", SAME, "Some(1700000400000)";
        [3, 2, 23] "last_commit_at" |root| format!("{:?}", root.state.guards.last_commit_at.map(|at| at.0)) => "None", SAME, "Some(1700000400000)";
        [3, 2, 24] "after_last_resort" |root| root.state.guards.after_last_resort.to_string() => "false", "true", "true";
        [3, 2, 25] "reported_entries" |root| root.state.guards.reported_entries.to_string() => "0", "0", "0";
        [3, 2, 26] "user_turn" |root| root.state.guards.user_turn.to_string() => "0", "0", "0";
        [3, 2, 27] "window limit" |root| format!("{:?}", root.state.guards.window.limit) => "None", "None", "None";
        [3, 2, 28] "window accepted" |root| format!("{:?}", root.state.guards.window.accepted) => "None", "None", "None";
    ]
}

fn generation_rows() -> Vec<Row> {
    rows![
        [5, 0, 0] "number" |root| root.generations.len().to_string() => "1", "1", "1";
        [5, 0, 1] "generation's attempt" |root| root.generations.len().to_string() => "1", SAME, "1";
        [5, 0, 2] "generation's at" |root| root.generations[0].at.0.to_string() => "0", SAME, "0";
        [5, 0, 3] "generation's kind" |root| format!("{:?}", root.generations[0].kind) => "Auto", "Auto", "Auto";
        [5, 0, 4] "generation's probe" |root| root.generations[0].probe.to_string() => "false", "true", "true";
        [5, 0, 5] "covered_entries" |root| root.generations.len().to_string() => "1", "1", "1";
        [5, 0, 6] "covered_last_id" |root| root.generations.len().to_string() => "1", SAME, "1";
        [5, 0, 7] "fingerprint" |root| root.generations.len().to_string() => "1", SAME, "1";
        [5, 0, 8] "pinned" |root| format!("{} {:?}", root.generations.len(), root.generations[0].pinned) => "2 []", SAME, "1 [0, 7]";
        [5, 0, 9] "before_tokens" |root| root.generations[0].before_tokens.to_string() => "0", "4294967295", "4294967295";
        [5, 0, 10] "after_tokens" |root| format!("{:?}", root.generations[0].after_tokens) => "None", "Some(4294967295)", "Some(4294967295)";
        [5, 0, 11] "summary_tokens" |root| root.generations[0].summary_tokens.to_string() => "0", "4294967295", "4294967295";
        [5, 0, 12] "generation's fallback" |root| root.generations[0].fallback.to_string() => "false", "true", "true";
        [5, 0, 13] "generation's last_resort" |root| root.generations[0].last_resort.to_string() => "false", "true", "true";
        [5, 0, 14] "generation's verdict" |root| format!("{:?}", root.generations[0].verdict) => "None", "None", "None";
    ]
}
