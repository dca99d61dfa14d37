//! The guards as a map, flat: an optional part is there when its first key is.

use arrayvec::ArrayVec;

use crate::{
    id::ModelId,
    policy::{
        Cooldown, FailureClass, Failures, Guards, Interrupted, LearnedWindow, MAX_STRUCK_MODELS, Recovery, Refused,
        StruckModels, limits::LONGEST_RUNG,
    },
    record::{RootUnknown, Unknown, fields::Fields, numbers::Numbered, writer::MapWriter},
    time::Timestamp,
};

/// `guards` as a map.
pub(super) fn encode(guards: &Guards, unknown: &Unknown) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.number(INEFFECTIVE_STREAK, guards.ineffective_streak);
    map.number(WEAK_STREAK, guards.weak_streak);
    map.optional(STRIKE_THRESHOLD, guards.strike_threshold);
    map.numbers(STRUCK_MODELS, guards.struck_models.iter().map(|model| model.0));
    map.number(FALLBACK_STREAK, guards.fallback_streak);
    encode_failures(&mut map, &guards.failures);
    if let Some(recovery) = guards.recovery {
        map.optional(RECOVERY_DEADLINE, Some(recovery.deadline.0));
        map.number(RECOVERY_RUNG, recovery.rung);
        map.number(RECOVERY_PROBES, recovery.probes);
    }
    map.optional(BASELINE_TOKENS, guards.baseline_tokens);
    map.flag(EMERGENCY_SPENT, guards.emergency_spent);
    if let Some(refused) = guards.refused {
        map.choice(REFUSED_KIND, Some(refused.kind));
        map.number(REFUSED_AT_TOKENS, refused.at_tokens);
        map.number(REFUSED_FLOOR, refused.floor);
        map.number(REFUSED_UNTIL, refused.until.0);
    }
    map.numbers(COMMIT_ORDINALS, guards.commit_ordinals.iter().map(|ordinal| u64::from(*ordinal)));
    map.number(INTERRUPTED_STREAK, guards.interrupted.streak);
    map.optional(INTERRUPTED_UNTIL, guards.interrupted.until.map(|until| until.0));
    map.number(ATTEMPTS_WITHOUT_PROGRESS, guards.attempts_without_progress);
    map.flag(OVERFLOW_PASS_SPENT, guards.overflow_pass_spent);
    map.optional(LAST_ATTEMPT_END, guards.last_attempt_end.map(|end| end.0));
    map.optional(LAST_COMMIT_AT, guards.last_commit_at.map(|commit| commit.0));
    map.flag(AFTER_LAST_RESORT, guards.after_last_resort);
    map.number(REPORTED_ENTRIES, guards.reported_entries);
    map.number(USER_TURN, guards.user_turn);
    map.optional(WINDOW_LIMIT, guards.window.limit);
    map.optional(WINDOW_ACCEPTED, guards.window.accepted);
    map.finish(unknown)
}

/// Sets fresh `guards` to those in `fields`; in place, because moving so large a value about is half of the code.
///
/// A position in the transcript that cannot be is forgotten: as a cap it would silence every later report and turn.
#[inline(never)]
pub(super) fn decode(fields: &Fields<'_, '_>, guards: &mut Guards, unknown: &mut RootUnknown, now: Timestamp) {
    unknown.guards = fields.unknown.clone();
    let time = |key| fields.optional(key, Some(now.0)).map(Timestamp);
    guards.ineffective_streak = fields.number(INEFFECTIVE_STREAK, u8::MAX);
    guards.weak_streak = fields.number(WEAK_STREAK, u8::MAX);
    guards.strike_threshold = fields.optional(STRIKE_THRESHOLD, Some(0));
    guards.struck_models = decode_struck_models(fields);
    guards.fallback_streak = fields.number(FALLBACK_STREAK, u8::MAX);
    guards.failures = decode_failures(fields, now);
    guards.recovery = fields.optional(RECOVERY_DEADLINE, None).map(|deadline| Recovery {
        deadline: Timestamp(deadline),
        rung: fields.number(RECOVERY_RUNG, u8::MAX),
        probes: fields.number(RECOVERY_PROBES, u8::MAX),
    });
    guards.baseline_tokens = fields.optional(BASELINE_TOKENS, Some(u32::MAX));
    guards.emergency_spent = fields.flag(EMERGENCY_SPENT);
    guards.refused = fields.choice(REFUSED_KIND, None).map(|kind| Refused {
        kind,
        at_tokens: fields.number(REFUSED_AT_TOKENS, 0),
        floor: fields.number(REFUSED_FLOOR, u32::MAX),
        until: Timestamp(fields.number(REFUSED_UNTIL, 0)),
    });
    guards.commit_ordinals = decode_commit_ordinals(fields);
    guards.interrupted = Interrupted {
        streak: fields.number(INTERRUPTED_STREAK, u8::MAX),
        until: fields.optional(INTERRUPTED_UNTIL, Some(now.after(LONGEST_RUNG).0)).map(Timestamp),
    };
    guards.attempts_without_progress = fields.number(ATTEMPTS_WITHOUT_PROGRESS, u8::MAX);
    guards.overflow_pass_spent = fields.flag(OVERFLOW_PASS_SPENT);
    guards.last_attempt_end = time(LAST_ATTEMPT_END);
    guards.last_commit_at = time(LAST_COMMIT_AT);
    guards.after_last_resort = fields.flag(AFTER_LAST_RESORT);
    guards.reported_entries = fields.number(REPORTED_ENTRIES, 0);
    guards.user_turn = fields.number(USER_TURN, 0);
    guards.window =
        LearnedWindow { limit: fields.optional(WINDOW_LIMIT, None), accepted: fields.optional(WINDOW_ACCEPTED, None) };
}

fn encode_failures(map: &mut MapWriter, failures: &Failures) {
    let mut streaks = MapWriter::default();
    for class in FailureClass::ALL {
        streaks.number(class.number(), failures.streaks[class as usize]);
    }
    map.map(FAILURE_STREAKS, &streaks.finish(&Unknown::default()));
    if let Some(cooldown) = failures.cooldown {
        map.optional(COOLDOWN_UNTIL, Some(cooldown.until.0));
        map.choice(COOLDOWN_CLASS, Some(cooldown.class));
    }
}

fn decode_failures(fields: &Fields<'_, '_>, now: Timestamp) -> Failures {
    let mut streaks = [0; FailureClass::COUNT];
    match fields.map(FAILURE_STREAKS, FAILURE_STREAKS_KNOWN) {
        Ok(None) => {}
        Ok(Some(found)) => {
            for class in FailureClass::ALL {
                streaks[class as usize] = found.number(class.number(), u8::MAX);
            }
        }
        Err(_) => streaks = [u8::MAX; FailureClass::COUNT],
    }
    let cooldown = fields.optional(COOLDOWN_UNTIL, Some(now.after(LONGEST_RUNG).0)).map(|until| Cooldown {
        class: fields.choice(COOLDOWN_CLASS, Some(FailureClass::Other)).unwrap_or(FailureClass::Other),
        until: Timestamp(until),
    });
    Failures { streaks, cooldown }
}

/// A full list where the list cannot be read: it counts every model as struck.
fn decode_struck_models(fields: &Fields<'_, '_>) -> StruckModels {
    match fields.numbers(STRUCK_MODELS, u64::MAX) {
        Some(numbers) => {
            let mut models = StruckModels::new();
            for number in numbers.into_iter().take(MAX_STRUCK_MODELS) {
                models.push(ModelId(number));
            }
            models
        }
        None => [ModelId::UNNAMED; MAX_STRUCK_MODELS].into(),
    }
}

fn decode_commit_ordinals(fields: &Fields<'_, '_>) -> ArrayVec<u32, 3> {
    let numbers = fields.numbers(COMMIT_ORDINALS, u32::MAX.into()).unwrap_or_default();
    let mut ordinals = ArrayVec::new();
    for number in &numbers[numbers.len().saturating_sub(3)..] {
        ordinals.push(*number as u32);
    }
    ordinals
}

/// Keys below this one are known to this build.
pub(super) const KNOWN: u8 = 29;
const INEFFECTIVE_STREAK: u8 = 0;
const WEAK_STREAK: u8 = 1;
const STRIKE_THRESHOLD: u8 = 2;
const STRUCK_MODELS: u8 = 3;
const FALLBACK_STREAK: u8 = 4;
const FAILURE_STREAKS: u8 = 5;
const COOLDOWN_UNTIL: u8 = 6;
const COOLDOWN_CLASS: u8 = 7;
const RECOVERY_DEADLINE: u8 = 8;
const RECOVERY_RUNG: u8 = 9;
const RECOVERY_PROBES: u8 = 10;
const BASELINE_TOKENS: u8 = 11;
const EMERGENCY_SPENT: u8 = 12;
const REFUSED_KIND: u8 = 13;
const REFUSED_AT_TOKENS: u8 = 14;
const REFUSED_FLOOR: u8 = 15;
const REFUSED_UNTIL: u8 = 16;
const COMMIT_ORDINALS: u8 = 17;
const INTERRUPTED_STREAK: u8 = 18;
const INTERRUPTED_UNTIL: u8 = 19;
const ATTEMPTS_WITHOUT_PROGRESS: u8 = 20;
const OVERFLOW_PASS_SPENT: u8 = 21;
const LAST_ATTEMPT_END: u8 = 22;
const LAST_COMMIT_AT: u8 = 23;
const AFTER_LAST_RESORT: u8 = 24;
const REPORTED_ENTRIES: u8 = 25;
const USER_TURN: u8 = 26;
const WINDOW_LIMIT: u8 = 27;
const WINDOW_ACCEPTED: u8 = 28;

/// Failure streaks are a map from the number of the class.
const FAILURE_STREAKS_KNOWN: u8 = 8;
