//! How long things last, in milliseconds (rules 7 and 12).

use compaction_governor::policy::FailureClass;

pub(super) const SECOND: u64 = 1_000;
pub(super) const MINUTE: u64 = 60 * SECOND;
pub(super) const HOUR: u64 = 60 * MINUTE;

/// Rule 7: how long the `streak`th failure in a row of its class keeps passes away.
pub(super) fn failure_length(class: FailureClass, streak: u64, retry_after: Option<u64>) -> u64 {
    let times = streak.saturating_sub(1);
    match class {
        FailureClass::BadSummary => doubled(30 * SECOND, times, HOUR),
        FailureClass::Other => doubled(MINUTE, times, HOUR),
        FailureClass::Timeout => match streak {
            0 | 1 => MINUTE,
            2 => 5 * MINUTE,
            3 | 4 => 15 * MINUTE,
            _ => HOUR,
        },
        // choice: a rate limit without a time of its own waits like any other failure.
        FailureClass::RateLimit => retry_after.unwrap_or(MINUTE).min(HOUR),
        FailureClass::NoSummarizer => 10 * MINUTE,
        FailureClass::Auth | FailureClass::Quota => doubled(HOUR, times, 24 * HOUR),
    }
}

/// Rule 12: from the third interrupted attempt in a row on.
pub(super) fn interrupted_length(streak: u64) -> Option<u64> {
    match streak {
        0..=2 => None,
        3 => Some(MINUTE),
        4 => Some(5 * MINUTE),
        _ => Some(15 * MINUTE),
    }
}

pub(super) fn doubled(base: u64, times: u64, cap: u64) -> u64 {
    (0..times.min(40)).fold(base, |length, _| (length * 2).min(cap)).min(cap)
}

pub(super) fn person(class: FailureClass) -> bool {
    class == FailureClass::Auth || class == FailureClass::Quota
}
