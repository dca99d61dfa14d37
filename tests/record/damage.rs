//! Damage is noticed, whatever it is, and whatever the bytes are nothing panics.

use compaction_governor::{
    id::AttemptId,
    policy::{self, Breach, State},
    record::{CorruptKind, Loaded, LoadedSummary, Root, Summary, encode_root, encode_summary, load_root, load_summary},
    time::Timestamp,
};

use crate::{
    arbitrary::{self, full_root},
    runs::{Draw, check},
    tree::{Tree, seal},
};

pub(crate) const NOW: Timestamp = Timestamp(1_700_000_400_000);

// seeds: A5
#[test]
fn loading_arbitrary_bytes_never_panics_and_never_finds_a_record() {
    check("arbitrary bytes", 100_000, |draw| {
        let mut bytes: Vec<u8> = draw.some(300, |draw| draw.bits() as u8);
        if draw.flag() {
            bytes.splice(0..bytes.len().min(4), *b"CGR1");
        }
        assert!(matches!(load_root(Some(&bytes), "s", NOW), Loaded::Corrupt { .. }));
        assert!(matches!(load_summary(Some(&bytes), "s", 1), LoadedSummary::Corrupt(_)));
    });
}

// seeds: A5
#[test]
fn loading_any_payload_under_a_good_checksum_gives_a_state_that_can_be() {
    check("arbitrary payloads, ten each", 10_000, |draw| {
        let whole = encode_root(&arbitrary::root(draw)).split_off(16);
        for _ in 0..10 {
            let mut payload = whole.clone();
            for _ in 0..=draw.below(3) {
                damage(draw, &mut payload);
            }
            load_damaged(&seal(&payload, 1));
        }
    });
}

fn load_damaged(part: &[u8]) {
    let _ = load_summary(Some(part), "s", 1);
    match load_root(Some(part), "s", NOW) {
        Loaded::Found { root, .. } => assert_can_be(&root.state),
        Loaded::Corrupt { root, .. } => assert_eq!(root.state, State::rebuilt(NOW)),
        Loaded::Foreign { .. } => {}
        other => panic!("{other:?}"),
    }
}

fn damage(draw: &mut Draw, payload: &mut Vec<u8>) {
    let at = draw.below(payload.len());
    match draw.below(4) {
        0 => payload[at] = draw.bits() as u8,
        1 => payload[at] ^= 1 << draw.below(8),
        2 => payload.insert(at, draw.bits() as u8),
        _ => drop(payload.remove(at)),
    }
}

/// What is true of every loaded state; a tripped guard may still lack its deadline, which time arms.
pub(crate) fn assert_can_be(state: &State) {
    match policy::check(state) {
        Ok(()) => {}
        Err(Breach::RecoveryOutOfStep) if state.guards.tripped() => {}
        Err(breach) => panic!("{breach}: {state:?}"),
    }
}

// seeds: A5
#[test]
fn loading_a_record_with_any_single_bit_flipped_finds_it_corrupt() {
    let bytes = encode_root(&full_root());
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Loaded::Corrupt { root, .. } = load_root(Some(&flipped), "a session", NOW) else { panic!("bit {bit}") };
        assert_eq!(root, Root { state: State::rebuilt(NOW), ..Root::new("a session", 0) });
    }
}

// seeds: A5
#[test]
fn loading_a_part_with_a_few_bits_flipped_finds_it_corrupt() {
    check("bit flips", 20_000, |draw| {
        let root = arbitrary::root(draw);
        let summary = summary(draw);
        let mut parts = [encode_root(&root), encode_summary(&summary)];
        for part in &mut parts {
            let bit = draw.below(part.len() * 8);
            part[bit / 8] ^= 1 << (bit % 8);
            let other = (bit + 1 + draw.below(part.len() * 8 - 1)) % (part.len() * 8);
            if draw.flag() {
                part[other / 8] ^= 1 << (other % 8);
            }
        }
        let [broken_root, broken_summary] = parts;
        assert!(matches!(load_root(Some(&broken_root), &root.session, NOW), Loaded::Corrupt { .. }));
        let found = load_summary(Some(&broken_summary), &summary.session, summary.number);
        assert!(matches!(found, LoadedSummary::Corrupt(_)));
    });
}

// seeds: A5
#[test]
fn loading_a_record_cut_short_or_run_on_finds_it_corrupt() {
    let bytes = encode_root(&full_root());
    let why = |bytes: &[u8]| match load_root(Some(bytes), "a session", NOW) {
        Loaded::Corrupt { why, .. } => why,
        other => panic!("{other:?}"),
    };
    for length in 0..bytes.len() {
        assert_eq!(why(&bytes[..length]), CorruptKind::Length, "{length} bytes");
    }
    assert_eq!(why(&[&bytes[..], &[0]].concat()), CorruptKind::Length);
    assert_eq!(why(&seal(&[], 1)), CorruptKind::Decode);
    assert_eq!(why(&seal(&[0x80], 1)), CorruptKind::Decode, "a list");
    assert_eq!(why(&seal(&[0xbf, 0xff], 1)), CorruptKind::Decode, "an open-ended map");
    assert_eq!(why(&seal(&[0xa0, 0x00], 1)), CorruptKind::Decode, "a map and more");
    assert_eq!(why(&seal(&[0xa2, 0x02, 0x01, 0x02, 0x02], 1)), CorruptKind::Decode, "one key twice");
    assert_eq!(why(&seal(&[0xbb, 255, 255, 255, 255, 255, 255, 255, 255], 1)), CorruptKind::Decode, "an endless map");
}

// seeds: A5
#[test]
fn loading_no_bytes_is_absent_and_loading_another_part_is_corrupt() {
    assert_eq!(load_root(None, "s", NOW), Loaded::Absent);
    assert_eq!(load_summary(None, "s", 1), LoadedSummary::Absent);
    let summary = encode_summary(&summary(&mut Draw::new(1)));
    assert!(matches!(load_root(Some(&summary), "s", NOW), Loaded::Corrupt { why: CorruptKind::WrongPart, .. }));
    let root = encode_root(&full_root());
    assert_eq!(load_summary(Some(&root), "a session", 1), LoadedSummary::Corrupt(CorruptKind::WrongPart));
}

// seeds: A5
#[test]
fn loading_a_record_of_another_session_says_whose_it_is() {
    let bytes = encode_root(&full_root());
    let foreign = Loaded::Foreign { session: "a session".to_owned() };
    assert_eq!(load_root(Some(&bytes), "another", NOW), foreign);
    assert_eq!(load_root(Some(&bytes), "b session", NOW), foreign);
    let given = summary(&mut Draw::new(1));
    let foreign = LoadedSummary::Foreign { session: given.session.clone(), number: given.number };
    assert_eq!(load_summary(Some(&encode_summary(&given)), "another session", given.number), foreign);
    assert_eq!(load_summary(Some(&encode_summary(&given)), &given.session, given.number ^ 1), foreign);
}

// seeds: A5
#[test]
fn loading_a_record_of_a_later_build_is_read_only_unless_it_is_damaged() {
    let payload = encode_root(&full_root()).split_off(16);
    let mut future = seal(&payload, 2);
    assert_eq!(load_root(Some(&future), "a session", NOW), Loaded::Future { min_reader: 2 });
    assert_eq!(load_summary(Some(&future), "a session", 1), LoadedSummary::Future { min_reader: 2 });
    let not_even_a_map = seal(&[0xff], u16::MAX);
    assert_eq!(load_root(Some(&not_even_a_map), "a session", NOW), Loaded::Future { min_reader: u16::MAX });
    future[6] = 3;
    assert!(matches!(load_root(Some(&future), "a session", NOW), Loaded::Corrupt { why: CorruptKind::Checksum, .. }));
    assert!(matches!(load_root(Some(&seal(&payload, 0)), "a session", NOW), Loaded::Found { repaired: false, .. }));
}

// seeds: A5
#[test]
fn loading_a_summary_without_text_owner_or_number_never_shows_one() {
    let given = summary(&mut Draw::new(3));
    for key in [1, 2, 4] {
        let mut tree = Tree::of_part(&encode_summary(&given));
        tree.remove(&[key]);
        let found = load_summary(Some(&tree.into_part()), &given.session, given.number);
        assert_eq!(found, LoadedSummary::Corrupt(CorruptKind::Decode), "key {key}");
    }
}

fn summary(draw: &mut Draw) -> Summary {
    let number = draw.number();
    Summary { carry: draw.text(40), ..Summary::new("s", number, AttemptId(7), &draw.text(80)) }
}
