//! The table, fitted: it starts from how often a token begins between two bytes, and moves from there until no class
//! of text is counted too high or too low. Only the four operations and square roots, in one order: the same bytes on
//! every machine.

use compaction_governor::tokens::{CLASSES, Run, Table, WINDOW, class, is_repeated, repeated};

use crate::sources::Class;
use crate::texts::Message;
use crate::tokenizers::Tokenizers;

const PAIRS: usize = 256 * 256;
/// Behind the pairs: what each group of pairs shares.
const GROUPS: usize = PAIRS + CLASSES * CLASSES;
const WEIGHTS: usize = GROUPS + KINDS * KINDS;

/// One message as counts of what its estimate is the weighted sum of.
struct Sample {
    class: Class,
    /// What its estimate has beside the weights, in tokens.
    fixed: f64,
    tokens: f64,
    counts: Vec<(u32, f64)>,
}

/// The bytes of the table for `messages`.
#[must_use]
pub fn table(messages: &[Message], tokenizers: &Tokenizers) -> Vec<u8> {
    let place = places(messages);
    let start = starts(messages, tokenizers, &place);
    let samples: Vec<Sample> = messages.iter().map(|message| sample(message, tokenizers, &place)).collect();
    let fitted = descend(&samples, &start);
    rounded(&fitted, &place)
}

/// Where the weight of each feature stands: its own place if it makes up enough of any class of text, else that of its group.
fn places(messages: &[Message]) -> Vec<u32> {
    let mut share = vec![0.0_f64; GROUPS];
    for class in Class::ALL {
        let (mut seen, mut bytes) = (vec![0.0_f64; GROUPS], 1.0);
        for message in messages.iter().filter(|message| message.class == class) {
            features(message.text.as_bytes(), |_, feature| seen[feature] += 1.0);
            bytes += message.text.len() as f64;
        }
        for (most, seen) in share.iter_mut().zip(seen) {
            *most = most.max(seen / bytes);
        }
    }
    let place = |feature: usize| {
        let alone = !(256..PAIRS).contains(&feature) || share[feature] >= LEAST_SHARE;
        let (before, byte) = (kind(feature / 256), kind(feature % 256));
        let unknown = share[feature] == 0.0 && (before == LEAD || byte == LEAD);
        if alone || unknown { feature } else { GROUPS + before * KINDS + byte }
    };
    (0..GROUPS).map(|feature| place(feature) as u32).collect()
}

/// Groups of bytes that share a weight where they are rare.
fn kind(byte: usize) -> usize {
    match byte as u8 {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        b' ' => 3,
        b'\n' | b'\t' | b'\r' => 4,
        0x21..=0x7E => 5,
        0x80..=0xBF => 6,
        0xC0..=0xDF => 7,
        0xE0..=0xEF => 8,
        0xF0..=0xFF => 9,
        _ => 10,
    }
}

/// How often a token begins between two bytes, and which pairs were seen how often.
struct Starts {
    weights: Vec<f64>,
    seen: Vec<f64>,
}

fn starts(messages: &[Message], tokenizers: &Tokenizers, place: &[u32]) -> Starts {
    let mut seen = vec![0.0; WEIGHTS];
    let mut began = vec![0.0; WEIGHTS];
    for message in messages {
        let bytes = message.text.as_bytes();
        let mut begins = vec![false; bytes.len() + 1];
        let mut at = 0;
        for id in tokenizers.o200k.encode(bytes) {
            begins[at] = true;
            at += tokenizers.o200k.decode(&[id]).len();
        }
        features(bytes, |at, feature| {
            let feature = place[feature] as usize;
            seen[feature] += 1.0;
            began[feature] += f64::from(u8::from(begins[at]));
        });
    }
    let weights = (0..WEIGHTS).map(|at| prior(at, began[at], seen[at])).collect();
    Starts { weights, seen }
}

/// What was seen seldom leans on what such a pair is taken to cost: the upper side, for scripts nobody knows.
fn prior(feature: usize, began: f64, seen: f64) -> f64 {
    let unseen = match feature {
        0..256 => return 1.0,
        256..PAIRS => unseen(kind(feature / 256), kind(feature % 256)),
        PAIRS..GROUPS => 0.7,
        _ => unseen((feature - GROUPS) / KINDS, (feature - GROUPS) % KINDS),
    };
    (began + unseen * LEAN) / (seen + LEAN)
}

fn unseen(before: usize, byte: usize) -> f64 {
    match (before, byte) {
        (LEAD, _) => 0.5,
        (_, LEAD) => 0.7,
        (_, 6) => 0.4,
        (_, 7..) | (6.., _) => 1.0,
        _ => 0.7,
    }
}

/// Calls `each` with the place and the feature of every byte that a weight is paid for.
fn features(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    let mut before = 0;
    for (at, window) in bytes.chunks(WINDOW).enumerate() {
        let encoded =
            <&[u8; WINDOW]>::try_from(window).is_ok_and(|window| Run::of(before, window) == Some(Run::Encoded));
        for (inner, word) in window.chunks(8).enumerate() {
            let repeated = word.iter().all(|&byte| byte == before);
            for (place, &byte) in word.iter().enumerate() {
                let pair = usize::from(before) * 256 + usize::from(byte);
                let feature = if encoded { PAIRS + class(before) * CLASSES + class(byte) } else { pair };
                if !repeated {
                    each(at * WINDOW + inner * 8 + place, feature);
                }
                before = byte;
            }
        }
    }
}

/// Tokens of the words that only repeat a byte.
fn repeats(bytes: &[u8]) -> f64 {
    let mut before = 0;
    let mut units = 0;
    for window in bytes.chunks(WINDOW) {
        for word in window.as_chunks::<8>().0 {
            units += if is_repeated(before, word) { repeated(before) } else { 0 };
            before = word[7];
        }
        before = window[window.len() - 1];
    }
    f64::from(units) / f64::from(Table::UNITS)
}

fn sample(message: &Message, tokenizers: &Tokenizers, place: &[u32]) -> Sample {
    let bytes = message.text.as_bytes();
    let mut places = Vec::with_capacity(bytes.len());
    features(bytes, |_, feature| places.push(place[feature]));
    places.sort_unstable();
    let mut counts: Vec<(u32, f64)> = Vec::new();
    for place in places {
        match counts.last_mut() {
            Some((last, count)) if *last == place => *count += 1.0,
            _ => counts.push((place, 1.0)),
        }
    }
    Sample { class: message.class, fixed: repeats(bytes), tokens: tokenizers.aim(message), counts }
}

/// Coordinate descent on the relative error of each message, every class with the same weight in total.
fn descend(samples: &[Sample], start: &Starts) -> Vec<f64> {
    let mut weights = start.weights.clone();
    let share: Vec<f64> = samples
        .iter()
        .map(|sample| {
            let alike = samples.iter().filter(|other| other.class == sample.class).count();
            1.0 / (alike as f64 * sample.tokens * sample.tokens)
        })
        .collect();
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); WEIGHTS];
    let mut off: Vec<f64> = Vec::with_capacity(samples.len());
    for (row, sample) in samples.iter().enumerate() {
        let sum: f64 = sample.counts.iter().map(|&(feature, count)| weights[feature as usize] * count).sum();
        off.push(sum + sample.fixed - sample.tokens);
        for &(feature, count) in &sample.counts {
            columns[feature as usize].push((row, count));
        }
    }
    for _ in 0..ROUNDS {
        for (feature, column) in columns.iter().enumerate() {
            let (mut slope, mut curve) = (0.0, 0.0);
            for &(row, count) in column {
                slope += share[row] * count * off[row];
                curve += share[row] * count * count;
            }
            if curve == 0.0 {
                continue;
            }
            let hold = HOLD * start.seen[feature].sqrt();
            slope += hold * (weights[feature] - start.weights[feature]);
            let moved = (weights[feature] - slope / (curve + hold)).clamp(0.0, 1.0) - weights[feature];
            weights[feature] += moved;
            for &(row, count) in column {
                off[row] += moved * count;
            }
        }
    }
    weights
}

/// The pairs in the order of the bytes of both, little end first, then the rows of encoded data.
fn rounded(weights: &[f64], place: &[u32]) -> Vec<u8> {
    let units = |feature: &u32| (weights[*feature as usize] * f64::from(Table::UNITS) + 0.5) as u8;
    let (pairs, encoded) = place.split_at(PAIRS);
    let behind = (0..256).flat_map(|byte| pairs[byte..].iter().step_by(256));
    behind.chain(encoded).map(units).collect()
}

const KINDS: usize = 11;
/// First bytes of three: those of scripts that the table does not know stay on the upper side.
const LEAD: usize = 8;
/// A pair has a weight of its own if it makes up this part of a class of text.
const LEAST_SHARE: f64 = 3e-4;
/// How many sightings what is taken of a pair weighs as much as.
const LEAN: f64 = 3.0;
/// How much a weight is held where counting put it.
const HOLD: f64 = 2e-6;
const ROUNDS: usize = 60;
