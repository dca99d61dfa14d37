//! A decision in one line for a person: what holds, with both numbers, and what changes it.

use core::fmt::{self, Write};

use crate::{
    policy::{Action, Block, Blocked, Decision, Hold, Means, Pass, Trigger, Wait},
    time::{Millis, Timestamp},
    tokens::Tokens,
};

/// The decision in one line, as of `now`.
#[must_use]
pub fn sentence(decision: &Decision, now: Timestamp) -> String {
    let mut line = String::with_capacity(160);
    // Writing to a String cannot fail.
    let _ = match decision.action {
        Action::Hold(hold) => held(&mut line, decision, hold),
        Action::Compact(pass) => passing(&mut line, decision, pass),
        Action::Wait { reason, retry_at } => waiting(&mut line, reason, retry_at, now),
        Action::Blocked(blocked) => refused(&mut line, decision, blocked, now),
    };
    line
}

fn held(line: &mut String, decision: &Decision, hold: Hold) -> fmt::Result {
    match hold {
        Hold::Disabled => line.write_str("Compaction does not start by itself here; it can be started by hand."),
        Hold::WindowUnknown => line.write_str(
            "The model's window is not known, so nothing is compacted by size; state `contextWindow`, or it is learned from the provider's first overflow error.",
        ),
        Hold::BelowThreshold => {
            write!(line, "{} of {} tokens: below the threshold, nothing to do.", Of(decision.used), threshold(decision))
        }
    }
}

fn passing(line: &mut String, decision: &Decision, pass: Pass) -> fmt::Result {
    let used = Of(decision.used);
    match (pass.means, pass.trigger) {
        (Means::LastResort, _) => write!(
            line,
            "The provider refused the prompt of {used} tokens and no model may be asked now; the oldest part is replaced by a plain summary (no model)."
        ),
        (_, Trigger::Threshold) => {
            write!(line, "{used} of {} tokens: at the threshold, a pass is due.", threshold(decision))
        }
        (_, Trigger::Overflow) => write!(line, "The provider refused the prompt of {used} tokens; a pass is due."),
        (_, Trigger::Manual) => write!(line, "{used} tokens: a pass by hand may start."),
        (_, Trigger::Probe) => write!(
            line,
            "{used} of {} tokens, paused until now; one pass may show whether compacting helps again.",
            threshold(decision)
        ),
    }
}

fn waiting(line: &mut String, reason: Wait, retry_at: Option<Timestamp>, now: Timestamp) -> fmt::Result {
    line.write_str(match reason {
        Wait::InProgress => "A pass is going on; its summary is being written",
        Wait::AwaitingUsage => "The last pass is waiting for the next reply to show whether it helped",
        Wait::ProbeInProgress => "A trial pass is waiting for the next reply to show whether compacting helps again",
        Wait::OpenToolCalls => "The conversation ends in a tool call; a pass may start once its result is there",
    })?;
    match retry_at {
        Some(at) => write!(line, ", {} at most.", In(at.since(now))),
        None => line.write_str("."),
    }
}

fn refused(line: &mut String, decision: &Decision, blocked: Blocked, now: Timestamp) -> fmt::Result {
    let (used, threshold) = (Of(decision.used), threshold(decision));
    match blocked.reason {
        Block::Ineffective => {
            write!(line, "Paused: compacting did not help, {used} of {threshold} tokens are still in use")
        }
        Block::FallbackStreak => {
            write!(
                line,
                "Paused: the last passes got only a plain summary (no model), {used} of {threshold} tokens in use"
            )
        }
        Block::Cooldown => {
            write!(line, "Paused: the summary could not be written, {used} of {threshold} tokens in use")
        }
        Block::TurnLimit => {
            write!(line, "Paused: three passes brought no progress, {used} of {threshold} tokens in use")
        }
        Block::Refilling => {
            write!(line, "Three passes in a row were filled again at once, {used} of {threshold} tokens in use")
        }
        Block::FloorBound => write!(
            line,
            "The fixed part of {} tokens leaves too little to save against {threshold}, {used} in use",
            Of(decision.floor)
        ),
        Block::NothingToCompact => {
            write!(line, "Nothing new to summarise yet, {used} of {threshold} tokens in use")
        }
    }?;
    exits(line, blocked, now)
}

fn exits(line: &mut String, blocked: Blocked, now: Timestamp) -> fmt::Result {
    match (blocked.retry_at, blocked.unblocks_at_tokens) {
        (Some(at), Some(tokens)) => {
            write!(line, "; tried again {} or at {} tokens, or start it by hand.", In(at.since(now)), Of(tokens))
        }
        (Some(at), None) => write!(line, "; tried again {}, or start it by hand.", In(at.since(now))),
        (None, Some(tokens)) => write!(line, "; tried again at {} tokens, or start it by hand.", Of(tokens)),
        (None, None) => line.write_str("; start it by hand."),
    }
}

fn threshold(decision: &Decision) -> Of {
    Of(decision.lines.map_or(decision.used, |lines| lines.threshold))
}

/// A token figure with its thousands set apart.
struct Of(Tokens);

/// A length of time as a person says it.
struct In(Millis);

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (millions, thousands, rest) = (self.0 / 1_000_000, self.0 / 1_000 % 1_000, self.0 % 1_000);
        match (millions, thousands) {
            (0, 0) => write!(f, "{rest}"),
            (0, _) => write!(f, "{thousands},{rest:03}"),
            _ => write!(f, "{millions},{thousands:03},{rest:03}"),
        }
    }
}

impl fmt::Display for In {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.0.div_ceil(1_000);
        match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
            (0, 0, 0) => f.write_str("now"),
            (0, 0, seconds) => write!(f, "in {seconds} s"),
            (0, minutes, 0) => write!(f, "in {minutes} min"),
            (0, minutes, seconds) => write!(f, "in {minutes} min {seconds} s"),
            (hours, minutes, _) => write!(f, "in {hours} h {minutes} min"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, policy::Confidence};

    fn decision(action: Action) -> Decision {
        let lines = Some(Config::default().lines(32_768, 0));
        Decision { action, used: 1_029_500, lines, floor: 28_004, confidence: Confidence::Reported }
    }

    #[test]
    fn a_refusal_says_what_happened_with_both_numbers_and_its_exits() {
        let blocked = Blocked {
            reason: Block::Ineffective,
            retry_at: Some(Timestamp(301_000)),
            unblocks_at_tokens: Some(31_129),
        };
        assert_eq!(
            sentence(&decision(Action::Blocked(blocked)), Timestamp(49_001)),
            "Paused: compacting did not help, 1,029,500 of 26,214 tokens are still in use; tried again in 4 min 12 s or at 31,129 tokens, or start it by hand."
        );
    }

    #[test]
    fn every_sentence_is_one_line_that_ends_and_shows_no_code() {
        let blocks = [
            Block::TurnLimit,
            Block::Cooldown,
            Block::Ineffective,
            Block::FallbackStreak,
            Block::Refilling,
            Block::FloorBound,
            Block::NothingToCompact,
        ];
        let waits = [Wait::InProgress, Wait::AwaitingUsage, Wait::ProbeInProgress, Wait::OpenToolCalls];
        let actions = blocks
            .map(|reason| Action::Blocked(Blocked { reason, retry_at: None, unblocks_at_tokens: None }))
            .into_iter()
            .chain(waits.map(|reason| Action::Wait { reason, retry_at: None }))
            .chain([Hold::Disabled, Hold::WindowUnknown, Hold::BelowThreshold].map(Action::Hold));
        for action in actions {
            let line = sentence(&decision(action), Timestamp(0));
            assert!(line.ends_with('.') && !line.contains('\n') && !line.contains('_'), "{line}");
        }
    }
}
