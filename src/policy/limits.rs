//! Every number of the policy, with its unit and its reason. Rules are those of the design, section 3.

use crate::{policy::FailureClass, time::Millis};

/// From a trip to its first time exit (rule 4 a, C2): founding requirement; bases of 60 and 900 s gave the same cost.
pub const RECOVERY: Millis = Millis::secs(300);
/// No rung of any guard is longer (rule 4 a): from every state a healthy session compacts again within the hour.
pub const LONGEST_RUNG: Millis = Millis::secs(3_600);
/// Spacing of growth probes from the second on, doubled per rung (rule 4 b): cut useless passes from 36 to 9.
pub const GROWTH_SPACING: Millis = Millis::secs(60);
/// Growth that opens a tripped guard, in thousandths of the baseline (rule 4 b, C3).
pub const GROWTH_PERMILLE: u64 = 1_200;
/// A pass is worth it when it saves this share of the prompt, in thousandths (rules 3 and 5, C1).
pub const LEAST_SAVING_PERMILLE: u32 = 100;
/// How long a verdict waits for a report before an estimate judges (rule 3).
pub const VERDICT_WAIT: Millis = Millis::secs(300);
/// Completed model calls without usage after which an estimate judges (rule 3).
pub const STEPS_WITHOUT_USAGE: u8 = 2;
/// An attempt counts as interrupted this long after its claim or renewal (rule 12): the longest call in the field took 361 s.
pub const ATTEMPT_DEADLINE: Millis = Millis::secs(600);
/// Attempts without progress before only a user, a helpful pass or time allows another (rule 10, B3).
pub const ATTEMPT_CAP: u8 = 3;
/// Time after the last attempt that renews the cap (rule 10): an unattended run must not end there.
pub const CAP_RENEWAL: Millis = Millis::secs(900);
/// A refused plan is planned again after this long (rule 5).
pub const REPLAN_AFTER: Millis = Millis::secs(300);
/// Or after this share of the threshold was added, in thousandths (rule 5).
pub const REPLAN_PERMILLE: u32 = 100;
/// Model calls within which a pass counts as refilled at once (rule 9).
pub const REFILL_CALLS: u32 = 3;
/// Interrupted attempts in a row from which a cooldown is set (rule 12).
pub const INTERRUPTED_FREE: u8 = 2;
/// A reading above the window is believed when it is within this part of the estimate (rule 2): one in four.
pub const AGREEMENT_PART: u64 = 4;

/// Timeouts, and interruptions from the third on: 60, 300, 900 s (rules 7 and 12).
const STEPS: [Millis; 3] = [Millis::secs(60), Millis::secs(300), Millis::secs(900)];
/// From this many timeouts in a row on, an hour (rule 7).
const TIMEOUTS_TO_AN_HOUR: u8 = 5;
const BAD_SUMMARY: Millis = Millis::secs(30);
const OTHER: Millis = Millis::secs(60);
const NO_SUMMARIZER: Millis = Millis::secs(600);
const PERSON: Millis = Millis::secs(3_600);
const LONGEST_PERSON: Millis = Millis::secs(24 * 3_600);

/// The cooldown that the `streak`th failure of `class` earns; `asked` is what the provider asked to wait (rule 7).
#[must_use]
pub fn cooldown(class: FailureClass, streak: u8, asked: Option<Millis>) -> Millis {
    let before = streak.saturating_sub(1);
    match class {
        FailureClass::BadSummary => BAD_SUMMARY.doubled(before, LONGEST_RUNG),
        FailureClass::Other => OTHER.doubled(before, LONGEST_RUNG),
        FailureClass::Timeout if streak >= TIMEOUTS_TO_AN_HOUR => LONGEST_RUNG,
        FailureClass::Timeout => step(before),
        FailureClass::RateLimit => asked.unwrap_or(OTHER).min(LONGEST_RUNG),
        FailureClass::NoSummarizer => NO_SUMMARIZER,
        FailureClass::Auth | FailureClass::Quota => PERSON.doubled(before, LONGEST_PERSON),
    }
}

/// The longest cooldown that a standing failure of `class` can mean: what a stored instant is clamped to.
#[must_use]
pub fn longest_cooldown(class: FailureClass, streak: u8) -> Millis {
    match class {
        FailureClass::RateLimit => LONGEST_RUNG,
        _ => cooldown(class, streak.max(1), None),
    }
}

/// The cooldown that the `streak`th interrupted attempt in a row earns, if it earns one (rule 12).
#[must_use]
pub fn interrupted(streak: u8) -> Option<Millis> {
    streak.checked_sub(INTERRUPTED_FREE + 1).map(step)
}

fn step(before: u8) -> Millis {
    STEPS[usize::from(before).min(STEPS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cooldowns_escalate_per_class_as_rule_seven_says() {
        let ladder = |class, asked| {
            let rungs: Vec<u64> = (1..=6).map(|streak| cooldown(class, streak, asked).0 / 1_000).collect();
            rungs
        };
        assert_eq!(ladder(FailureClass::BadSummary, None), [30, 60, 120, 240, 480, 960]);
        assert_eq!(ladder(FailureClass::Other, None), [60, 120, 240, 480, 960, 1_920]);
        assert_eq!(ladder(FailureClass::Timeout, None), [60, 300, 900, 900, 3_600, 3_600]);
        assert_eq!(ladder(FailureClass::NoSummarizer, None), [600; 6]);
        assert_eq!(ladder(FailureClass::Auth, None), [3_600, 7_200, 14_400, 28_800, 57_600, 86_400]);
        assert_eq!(ladder(FailureClass::RateLimit, Some(Millis::secs(7))), [7; 6]);
        assert_eq!(cooldown(FailureClass::RateLimit, 1, Some(Millis::secs(9_999))), LONGEST_RUNG);
        assert_eq!(cooldown(FailureClass::BadSummary, 200, None), LONGEST_RUNG);
    }

    #[test]
    fn interruptions_cost_nothing_until_the_third_in_a_row() {
        let ladder: Vec<_> = (0..6).map(|streak| interrupted(streak).map(|length| length.0 / 1_000)).collect();
        assert_eq!(ladder, [None, None, None, Some(60), Some(300), Some(900)]);
    }
}
