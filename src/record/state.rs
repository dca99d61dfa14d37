//! The policy's state as a map: the phase, flat with its attempt, and the guards.

use crate::{
    config::Line,
    id::{AttemptId, ModelId, OwnerId},
    policy::{Attempt, Exit, Kind, Phase, State, TRIP_AT, limits::ATTEMPT_DEADLINE},
    record::{RootUnknown, Unknown, fields::Fields, guards, repair, writer::MapWriter},
    time::Timestamp,
};

/// `state` as a map.
pub(super) fn encode(state: &State, unknown: &RootUnknown) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.number(VIEW_REVISION, state.view_revision);
    map.map(PHASE, &encode_phase(&state.phase));
    map.map(GUARDS, &guards::encode(&state.guards, &unknown.guards));
    map.finish(&unknown.state)
}

/// Sets a fresh `state` to the one in `fields`, always one that can be: what contradicts itself is settled against the session.
pub(super) fn decode(fields: &Fields<'_, '_>, state: &mut State, unknown: &mut RootUnknown, now: Timestamp) {
    unknown.state = fields.unknown.clone();
    match fields.map(GUARDS, guards::KNOWN) {
        Ok(None) => {}
        Ok(Some(found)) => guards::decode(&found, &mut state.guards, unknown, now),
        Err(_) => state.guards = State::rebuilt(now).guards,
    }
    // A cap would end the fencing of late reports: a revision that cannot be read is found again in the phase, or is 0.
    state.view_revision = fields.number(VIEW_REVISION, 0);
    match fields.map(PHASE, PHASE_KNOWN).map(|found| found.map(|found| decode_phase(&found, now))) {
        Ok(None) => {}
        Ok(Some(Some(phase))) => state.phase = phase,
        // An attempt or a pending verdict of which nothing is known any more may have been a strike.
        Ok(Some(None)) | Err(_) => state.guards.weak_streak = fields.replaced(state.guards.weak_streak.max(TRIP_AT)),
    }
    if repair::settle(state) {
        fields.replaced(());
    }
}

fn encode_phase(phase: &Phase) -> Vec<u8> {
    let mut map = MapWriter::default();
    match phase {
        Phase::Idle => {}
        Phase::Compacting { attempt } => {
            map.number(TAG, COMPACTING);
            encode_attempt(&mut map, attempt);
        }
        Phase::AwaitingVerdict { attempt, line_tokens, view_revision, committed_at, steps_without_usage } => {
            map.number(TAG, AWAITING_VERDICT);
            map.number(LINE_TOKENS, *line_tokens);
            map.number(VERDICT_REVISION, *view_revision);
            map.number(COMMITTED_AT, committed_at.0);
            map.number(STEPS_WITHOUT_USAGE, *steps_without_usage);
            encode_attempt(&mut map, attempt);
        }
    }
    map.finish(&Unknown::default())
}

/// The phase in `fields`. Zero for what is missing in a verdict is the reading that gives the strike.
fn decode_phase(fields: &Fields<'_, '_>, now: Timestamp) -> Option<Phase> {
    let attempt = decode_attempt(fields, now);
    match fields.number(TAG, 0) {
        COMPACTING => Some(Phase::Compacting { attempt }),
        AWAITING_VERDICT => Some(Phase::AwaitingVerdict {
            attempt,
            line_tokens: fields.number(LINE_TOKENS, 0),
            view_revision: fields.number(VERDICT_REVISION, 0),
            committed_at: Timestamp(fields.number(COMMITTED_AT, 0)),
            steps_without_usage: fields.number(STEPS_WITHOUT_USAGE, u8::MAX),
        }),
        _ => None,
    }
}

fn encode_attempt(map: &mut MapWriter, attempt: &Attempt) {
    map.number(ID, attempt.id.0);
    map.number(OWNER, attempt.owner.0);
    map.choice(KIND, Some(attempt.kind));
    map.choice(PROBE, attempt.probe);
    map.number(MODEL, attempt.model.0);
    map.optional(BEFORE, Some(attempt.before));
    map.optional(ENTRIES, Some(attempt.entries));
    map.choice(LINE, Some(attempt.line));
    map.number(DEADLINE, attempt.deadline.0);
}

fn decode_attempt(fields: &Fields<'_, '_>, now: Timestamp) -> Attempt {
    Attempt {
        id: AttemptId(fields.number(ID, 0)),
        owner: OwnerId(fields.number(OWNER, 0)),
        kind: fields.choice(KIND, Some(Kind::Auto)).unwrap_or(Kind::Auto),
        probe: fields.choice(PROBE, Some(Exit::Time)),
        model: ModelId(fields.number(MODEL, 0)),
        before: fields.optional(BEFORE, None).unwrap_or_else(|| fields.replaced(NOTHING_SAVED)),
        // Nothing counts as appended where it is unknown: what came later is charged to the pass.
        entries: fields.optional(ENTRIES, Some(u32::MAX)).unwrap_or(u32::MAX),
        line: fields.choice(LINE, Some(Line::Threshold)).unwrap_or(Line::Threshold),
        deadline: Timestamp(fields.number(DEADLINE, now.after(ATTEMPT_DEADLINE).0)),
    }
}

/// Occupancy at the claim where it is unknown: from 1 no pass can have saved a tenth, from the cap or from 0 each would have.
const NOTHING_SAVED: u32 = 1;

const COMPACTING: u8 = 1;
const AWAITING_VERDICT: u8 = 2;

/// Keys below this one are known to this build.
pub(super) const KNOWN: u8 = 3;
const VIEW_REVISION: u8 = 0;
const PHASE: u8 = 1;
const GUARDS: u8 = 2;

const PHASE_KNOWN: u8 = 14;
const TAG: u8 = 0;
const LINE_TOKENS: u8 = 1;
const VERDICT_REVISION: u8 = 2;
const COMMITTED_AT: u8 = 3;
const STEPS_WITHOUT_USAGE: u8 = 4;
const ID: u8 = 5;
const OWNER: u8 = 6;
const KIND: u8 = 7;
const PROBE: u8 = 8;
const MODEL: u8 = 9;
const BEFORE: u8 = 10;
const LINE: u8 = 11;
const DEADLINE: u8 = 12;
const ENTRIES: u8 = 13;
