//! Pins: what is written is what is read, and nothing else is read as pins.

use compaction_governor::{
    id::AttemptId,
    record::{MAX_PINS, PinnedEntry, Pins, Root, Summary, encode_pins, encode_root, encode_summary, load_pins},
};

use crate::{
    runs::{Draw, check},
    tree::Tree,
};

fn pins(draw: &mut Draw) -> Pins {
    let entry = |draw: &mut Draw| PinnedEntry { id: draw.long(), nth: draw.number() };
    Pins { entries: draw.some(32, entry), texts: draw.some(8, |draw| draw.text(60)), ..Pins::default() }
}

#[test]
fn pins_of_any_content_read_back_as_they_were_written() {
    check("pins round trip", 20_000, |draw| {
        let pins = pins(draw);
        let bytes = encode_pins("s", &pins);
        assert_eq!(load_pins(Some(&bytes), "s"), pins);
        assert_eq!(load_pins(Some(&bytes), "another"), Pins::default(), "another session's");
    });
}

// seeds: A5
#[test]
fn damaged_pins_and_other_parts_are_read_as_none_and_never_panic() {
    assert_eq!(load_pins(None, "s"), Pins::default());
    let (root, summary) = (Root::new("s", 1), Summary::new("s", 1, AttemptId(1), "text"));
    for other in [encode_root(&root), encode_summary(&summary), Vec::new()] {
        assert_eq!(load_pins(Some(&other), "s"), Pins::default());
    }
    check("damaged pins", 20_000, |draw| {
        let mut bytes = encode_pins("s", &pins(draw));
        let at = draw.below(bytes.len());
        bytes[at] ^= 1 << draw.below(8);
        assert_eq!(load_pins(Some(&bytes), "s"), Pins::default());
    });
}

// The fault: as many pins were read as the bytes named, which an import or a host's own store may bring.
// What it cost: every later generation names each pinned entry, in a record of two kilobytes.
// What now holds: above the cap is the cap.
#[test]
fn pins_above_their_cap_are_read_as_the_first_of_them() {
    let entry = |id| PinnedEntry { id, nth: 0 };
    let given = Pins {
        entries: (0..1_000).map(entry).collect(),
        texts: (0..1_000).map(|n| format!("rule {n}")).collect(),
        ..Pins::default()
    };
    let found = load_pins(Some(&encode_pins("s", &given)), "s");
    assert_eq!((&found.entries[..], &found.texts[..]), (&given.entries[..MAX_PINS], &given.texts[..MAX_PINS]));
}

#[test]
fn unknown_keys_of_pins_survive_a_rewrite() {
    let pins = Pins { entries: vec![PinnedEntry { id: 7, nth: 1 }], texts: vec!["rule".to_owned()], ..Pins::default() };
    let mut tree = Tree::of_part(&encode_pins("s", &pins));
    let Tree::Map(pairs) = &mut tree else { panic!("a map") };
    pairs.push((Tree::Number(99), Tree::Text("later".to_owned())));
    let bytes = tree.into_part();
    let found = load_pins(Some(&bytes), "s");
    assert_eq!((&found.entries, &found.texts), (&pins.entries, &pins.texts));
    assert_eq!(encode_pins("s", &found), bytes);
}

#[test]
fn pins_printed_for_debugging_show_no_text() {
    let printed = format!("{:?}", Pins { texts: vec!["a secret".to_owned()], ..Pins::default() });
    assert!(printed.contains("texts: 1") && !printed.contains("secret"), "{printed}");
}
