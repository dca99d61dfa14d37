//! Records cut, spliced and changed, with a good checksum or a bad one, through every decoder.

use compaction_governor::{
    id::AttemptId,
    plan::MAX_PRUNED,
    policy::{Breach, MAX_STRUCK_MODELS, State, check},
    record::{
        Loaded, LoadedSummary, PinnedEntry, Pins, Root, Summary, encode_pins, encode_root, encode_summary, load_pins,
        load_root, load_summary,
    },
};
use proptest::{collection::vec, prelude::*};

use crate::{NOW, SESSION, arbitrary, for_all, runs::Draw};

/// One thing done to bytes; places are shares of the length, so that a case shrinks well.
#[derive(Clone, Debug)]
enum Damage {
    Flip(u16, u8),
    Set(u16, u8),
    Insert(u16, u8),
    Remove(u16, u8),
    Cut(u16),
    /// Bytes of another part in place of this one's.
    Splice(u16, u16, u8),
    Repeat(u16, u8),
}

/// Whose record it is, of which kind, how it was damaged, and whether the checksum was made good again.
type Case = (u64, u8, Vec<Damage>, bool, bool);

fn cases() -> impl Strategy<Value = Case> {
    let damage = prop_oneof![
        (any::<u16>(), any::<u8>()).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, many)| Damage::Remove(at, many)),
        any::<u16>().prop_map(Damage::Cut),
        (any::<u16>(), any::<u16>(), any::<u8>()).prop_map(|(at, from, many)| Damage::Splice(at, from, many)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, many)| Damage::Repeat(at, many)),
    ];
    (any::<u64>(), 0..3_u8, vec(damage, 0..6), prop::bool::weighted(0.8), prop::bool::weighted(0.9))
}

/// A valid part of each kind.
fn part(seed: u64, kind: u8, own: bool) -> Vec<u8> {
    let mut draw = Draw::new(seed);
    let session = if own { SESSION } else { "another" };
    match kind {
        0 => encode_root(&Root { session: session.to_owned(), ..arbitrary::root(&mut draw) }),
        1 => {
            let text = draw.text(60);
            let (pruned, capped) = (draw.some(5, Draw::number), draw.some(3, |draw| (draw.number(), draw.number())));
            encode_summary(&Summary {
                carry: draw.text(20),
                pruned,
                capped,
                ..Summary::new(session, 1, AttemptId(7), &text)
            })
        }
        _ => {
            let entries = draw.some(6, |draw| PinnedEntry { id: draw.long(), nth: draw.number() });
            let texts = draw.some(4, |draw| draw.text(30));
            encode_pins(session, &Pins { entries, texts, ..Pins::default() })
        }
    }
}

fn damaged((seed, kind, damages, sealed, own): &Case) -> Vec<u8> {
    let mut bytes = part(*seed, *kind, *own);
    let other = part(seed.wrapping_add(1), (kind + 1) % 3, true);
    let from = if *sealed { HEADER } else { 0 };
    let mut payload = bytes.split_off(from);
    for damage in damages {
        apply(damage, &mut payload, &other);
    }
    if *sealed { seal(&payload) } else { payload }
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>, other: &[u8]) {
    let place = |share: u16, len: usize| usize::from(share) * len / (usize::from(u16::MAX) + 1);
    let len = bytes.len();
    let many = |at: usize, many: u8| (at + usize::from(many)).min(len);
    match *damage {
        Damage::Insert(at, byte) => bytes.insert(place(at, len), byte),
        Damage::Cut(at) => bytes.truncate(place(at, len)),
        _ if len == 0 => {}
        Damage::Flip(at, bit) => bytes[place(at, len)] ^= 1 << (bit % 8),
        Damage::Set(at, byte) => bytes[place(at, len)] = byte,
        Damage::Remove(at, count) => {
            let at = place(at, len);
            bytes.drain(at..many(at, count));
        }
        Damage::Splice(at, from, count) => {
            let (at, from) = (place(at, len), place(from, other.len()));
            let taken = other[from..(from + usize::from(count)).min(other.len())].to_vec();
            bytes.splice(at..many(at, count), taken);
        }
        Damage::Repeat(at, count) => {
            let at = place(at, len);
            let again = bytes[at..many(at, count)].to_vec();
            bytes.splice(at..at, again);
        }
    }
}

/// A frame of schema 1 around `payload`, its checksum made by another implementation.
fn seal(payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"CGR1".to_vec();
    bytes.extend([1, 0, 1, 0]);
    bytes.extend(u32::try_from(payload.len()).expect("a short payload").to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&bytes), payload);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// Every decoder on these bytes: nothing panics, what is read can be, and reads back as it was read.
pub(crate) fn through_every_decoder(bytes: &[u8]) -> Result<(), TestCaseError> {
    match load_root(Some(bytes), SESSION, NOW) {
        Loaded::Found { root, .. } => root_holds(&root)?,
        Loaded::Corrupt { root, .. } => prop_assert_eq!(root.state, State::rebuilt(NOW)),
        Loaded::Absent => return Err(TestCaseError::fail("bytes that are there were found absent")),
        Loaded::Foreign { session } => prop_assert_ne!(session, SESSION),
        Loaded::Future { min_reader } => prop_assert!(min_reader > 1),
    }
    if let LoadedSummary::Found(summary) = load_summary(Some(bytes), SESSION, 1) {
        prop_assert!(summary.session == SESSION && summary.number == 1);
        prop_assert!(summary.pruned.len() <= MAX_PRUNED && summary.capped.len() <= MAX_PRUNED);
        prop_assert_eq!(load_summary(Some(&encode_summary(&summary)), SESSION, 1), LoadedSummary::Found(summary));
    }
    let pins = load_pins(Some(bytes), SESSION);
    prop_assert_eq!(load_pins(Some(&encode_pins(SESSION, &pins)), SESSION), pins);
    Ok(())
}

fn root_holds(root: &Root) -> Result<(), TestCaseError> {
    match check(&root.state) {
        // A tripped guard without a deadline is armed by the event that follows every load.
        Ok(()) | Err(Breach::RecoveryOutOfStep) if root.state.guards.tripped() || check(&root.state).is_ok() => {}
        other => return Err(TestCaseError::fail(format!("{other:?}: {:?}", root.state))),
    }
    prop_assert!(root.generations.len() <= 64, "{} generations", root.generations.len());
    prop_assert!(root.state.guards.struck_models.len() <= MAX_STRUCK_MODELS);
    let again = load_root(Some(&encode_root(root)), SESSION, NOW);
    prop_assert_eq!(again, Loaded::Found { root: root.clone(), repaired: false });
    Ok(())
}

#[test]
fn damaged_records_of_every_kind_are_read_without_a_panic_and_read_back_as_they_were_read() {
    for_all("damaged records", 40_000, cases(), |case| through_every_decoder(&damaged(&case)));
}

#[test]
fn arbitrary_bytes_are_read_without_a_panic() {
    let framed = (vec(any::<u8>(), 0..200), any::<bool>());
    for_all("arbitrary bytes", 40_000, framed, |(bytes, sealed)| {
        through_every_decoder(&if sealed { seal(&bytes) } else { bytes })
    });
}

const HEADER: usize = 16;
