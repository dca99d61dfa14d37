//! The bytes of a whole session from outside: golden file, an independent reader, damage, and later builds.

use compaction_governor::record::{
    Archive, ArchiveError, CorruptKind, Renamed, encode_archive, encode_pins, encode_root, load_archive, rename_part,
};
use minicbor::Decoder;

use crate::{
    arbitrary::{self, full_root},
    runs::{Draw, check},
    tree::{Tree, seal},
    unknown_keys::add_later_fields,
};

const ARCHIVE_V1: &[u8] = include_bytes!("../golden/archive-v1.bin");

/// What the golden file holds: the golden parts, the pins under 0 and the summary of generation 2.
fn golden() -> Archive {
    Archive {
        session: "a session".to_owned(),
        root: include_bytes!("../../src/session/conformance/golden/root-v1.bin").to_vec(),
        numbered: vec![
            (0, include_bytes!("../../src/session/conformance/golden/pins-v1.bin").to_vec()),
            (2, include_bytes!("../../src/session/conformance/golden/summary-v1.bin").to_vec()),
        ],
    }
}

#[test]
fn golden_archive_of_schema_one_is_read_and_written_as_it_was() {
    assert_eq!(load_archive(ARCHIVE_V1), Ok(golden()));
    assert_eq!(encode_archive(&golden()), ARCHIVE_V1);
}

#[test]
fn any_archive_is_read_by_another_implementation_as_what_was_written() {
    check("archives", 2_000, |draw| {
        let archive = any(draw);
        let bytes = encode_archive(&archive);
        assert_eq!(independent(&bytes), archive);
        assert_eq!(load_archive(&bytes), Ok(archive));
    });
}

#[test]
fn an_archive_with_any_bit_flipped_or_any_length_but_its_own_is_refused_by_name() {
    let whole = encode_archive(&golden());
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let refused = load_archive(&bytes);
        let expected = if bit < 32 { "not_an_archive" } else { "damaged_archive" };
        assert_eq!(refused.map_err(|error| error.code()), Err(expected), "bit {bit}");
    }
    for length in 0..whole.len() {
        let refused = load_archive(&whole[..length]);
        assert_eq!(refused, Err(ArchiveError::Damaged(CorruptKind::Length)), "{length} bytes");
    }
    assert_eq!(load_archive(&[&whole[..], &[0]].concat()), Err(ArchiveError::Damaged(CorruptKind::Length)));
    assert_eq!(load_archive(&golden().root), Err(ArchiveError::NotAnArchive), "a part is no archive");
}

#[test]
fn an_archive_of_a_later_build_is_read_unless_it_says_that_it_cannot_be() {
    let later = vec![
        (Tree::Number(1), Tree::Text("a session".to_owned())),
        (Tree::Number(2), Tree::Bytes(golden().root)),
        (Tree::Number(9), Tree::List(vec![Tree::Null])),
        (Tree::Text("named".to_owned()), Tree::Flag(true)),
    ];
    let payload = Tree::Map(later).into_part().split_off(16);
    let read = load_archive(&framed(&payload, 7, 1)).expect("readable");
    assert_eq!((read.session, read.root, read.numbered), ("a session".to_owned(), golden().root, Vec::new()));
    assert_eq!(load_archive(&framed(&payload, 7, 2)), Err(ArchiveError::Newer { min_reader: 2 }));
}

#[test]
fn an_archive_whose_map_is_odd_is_damaged_and_never_half_read() {
    let text = || Tree::Text("s".to_owned());
    let bytes = || Tree::Bytes(vec![1]);
    let list = |items: Vec<Tree>| {
        Tree::Map(vec![(Tree::Number(1), text()), (Tree::Number(2), bytes()), (Tree::Number(3), Tree::List(items))])
    };
    let odd = [
        Tree::Number(1),
        Tree::Map(vec![(Tree::Number(2), bytes())]),
        Tree::Map(vec![(Tree::Number(1), text())]),
        Tree::Map(vec![(Tree::Number(1), bytes()), (Tree::Number(2), bytes())]),
        Tree::Map(vec![(Tree::Number(1), text()), (Tree::Number(2), text())]),
        list(vec![Tree::Number(1)]),
        list(vec![Tree::Number(1), text()]),
        list(vec![Tree::Negative(-1), bytes()]),
        list(vec![Tree::Number(1 << 32), bytes()]),
        list(vec![Tree::Number(1), bytes(), Tree::Number(1), bytes()]),
        list(vec![Tree::Number(2), bytes(), Tree::Number(1), bytes()]),
    ];
    for tree in odd {
        let payload = tree.clone().into_part().split_off(16);
        assert_eq!(load_archive(&framed(&payload, 1, 1)), Err(ArchiveError::Damaged(CorruptKind::Decode)), "{tree:?}");
    }
}

#[test]
fn reading_any_bytes_and_any_payload_under_a_good_checksum_never_panics() {
    check("arbitrary archives", 20_000, |draw| {
        let mut bytes: Vec<u8> = draw.some(200, |draw| draw.bits() as u8);
        let at_its_start = bytes.len().min(4);
        bytes.splice(0..at_its_start, *b"CGA1");
        assert!(load_archive(&bytes).is_err());
        let mut payload = encode_archive(&any(draw)).split_off(16);
        for _ in 0..=draw.below(3) {
            let at = draw.below(payload.len());
            payload[at] = draw.bits() as u8;
        }
        if let Ok(archive) = load_archive(&framed(&payload, 1, 1)) {
            assert_eq!(load_archive(&encode_archive(&archive)), Ok(archive));
        }
    });
}

#[test]
fn a_renamed_part_differs_in_its_name_alone_at_any_depth_and_says_the_same_of_its_readers() {
    let mut tree = Tree::of_part(&encode_root(&full_root()));
    let levels: [&[u64]; 5] = [&[], &[3], &[3, 1], &[3, 2], &[5, 0]];
    levels.iter().for_each(|level| add_later_fields(&mut tree, level));
    let payload = tree.clone().into_part().split_off(16);
    let mut part = b"CGR1".to_vec();
    part.extend([7, 0, 1, 0]);
    part.extend(framed(&payload, 7, 1).split_off(8));
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&part[..12]), &payload);
    part[12..16].copy_from_slice(&checksum.to_le_bytes());
    let Renamed::Part(renamed) = rename_part(&part, "a session", "Kopie 🙂") else { panic!("readable") };
    assert_eq!(renamed[..8], part[..8], "schema and reader");
    let mut after = Tree::of_part(&renamed);
    assert_eq!(*after.at(&[1]), Tree::Text("Kopie 🙂".to_owned()));
    *after.at(&[1]) = Tree::Text("a session".to_owned());
    assert_eq!(after, tree);
    assert_eq!(rename_part(&renamed, "Kopie 🙂", "a session"), Renamed::Part(part));
}

#[test]
fn a_part_that_is_damaged_foreign_nameless_or_newer_is_not_renamed() {
    let part = encode_pins("mine", &compaction_governor::record::Pins::default());
    assert_eq!(rename_part(&part, "another", "copy"), Renamed::Unreadable);
    assert_eq!(rename_part(&part[1..], "mine", "copy"), Renamed::Unreadable);
    let nameless = Tree::Map(vec![(Tree::Number(0), Tree::Number(3))]).into_part();
    assert_eq!(rename_part(&nameless, "mine", "copy"), Renamed::Unreadable);
    let name = || (Tree::Number(1), Tree::Text("mine".to_owned()));
    let twice = Tree::Map(vec![name(), name()]).into_part();
    assert_eq!(rename_part(&twice, "mine", "copy"), Renamed::Unreadable);
    assert_eq!(rename_part(&seal(&part[16..], 2), "mine", "copy"), Renamed::Future { min_reader: 2 });
}

fn any(draw: &mut Draw) -> Archive {
    let root = arbitrary::root(draw);
    let mut numbers = draw.some(8, Draw::number);
    numbers.sort_unstable();
    numbers.dedup();
    let mut bytes = |_| draw.some(300, |draw| draw.bits() as u8);
    let numbered = numbers.into_iter().map(|number| (number, bytes(number))).collect();
    Archive { session: root.session.clone(), root: encode_root(&root), numbered }
}

/// `payload` in the frame of an archive, its checksum made by another implementation.
fn framed(payload: &[u8], schema: u16, min_reader: u16) -> Vec<u8> {
    let mut bytes = b"CGA1".to_vec();
    bytes.extend(schema.to_le_bytes());
    bytes.extend(min_reader.to_le_bytes());
    bytes.extend(u32::try_from(payload.len()).expect("short").to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&bytes), payload);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// Reads an archive by the description of the format, with nothing of this crate.
fn independent(bytes: &[u8]) -> Archive {
    assert_eq!(bytes[..8], *b"CGA1\x01\x00\x01\x00");
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(number(8) as usize, bytes.len() - 16);
    assert_eq!(number(12), crc32c::crc32c_append(crc32c::crc32c(&bytes[..12]), &bytes[16..]));
    let mut input = Decoder::new(&bytes[16..]);
    let keys = input.map().expect("a map").expect("of definite length");
    assert_eq!(input.u8().expect("a key"), 1);
    let session = input.str().expect("text").to_owned();
    assert_eq!(input.u8().expect("a key"), 2);
    let root = input.bytes().expect("bytes").to_vec();
    let mut numbered = Vec::new();
    if keys == 3 {
        assert_eq!(input.u8().expect("a key"), 3);
        for _ in 0..input.array().expect("a list").expect("of definite length") / 2 {
            numbered.push((input.u32().expect("a number"), input.bytes().expect("bytes").to_vec()));
        }
    }
    assert_eq!(input.position(), bytes.len() - 16, "and nothing else");
    Archive { session, root, numbered }
}
