//! The same record bytes in another store, or nothing at all.

use compaction_governor::record::{Archive, ArchiveError, encode_archive, load_archive};

use super::*;

#[test]
fn a_session_moves_to_another_store_byte_for_byte_and_goes_on_there() {
    let tab = talked();
    let archive = export(&tab.store, "chat").expect("kept");
    let elsewhere = MemoryStore::new();
    assert_eq!(import(&elsewhere, &archive, None), Ok(()));
    assert_eq!(parts(&elsewhere, "chat"), parts(&tab.store, "chat"));
    assert_eq!(export(&elsewhere, "chat"), Ok(archive));
    let settings = tab.session.settings().clone();
    let (mut there, found) = Tab::open_as("chat", elsewhere, 7, tab.now, settings);
    there.observe(tab.entries());
    assert_eq!(found, Found::Existing);
    assert_eq!((there.session.summary(), &there.session.pins().texts[..]), (Some(SUMMARY), &[RULE.to_owned()][..]));
    assert_eq!(there.session.state(), tab.session.state());
    assert_eq!(there.call().verdict.map(|settled| settled.verdict), Some(Verdict::Effective));
}

#[test]
fn an_import_under_another_id_is_a_fork() {
    let tab = talked();
    let archive = export(&tab.store, "chat").expect("kept");
    let (forked, imported) = (tab.store.another_context(), MemoryStore::new());
    fork(&forked, "chat", "copy").expect("free");
    import(&imported, &archive, Some("copy")).expect("free");
    assert_eq!(parts(&imported, "copy"), parts(&forked, "copy"));
    let same = MemoryStore::new();
    import(&same, &archive, Some("chat")).expect("free");
    assert_eq!(parts(&same, "chat"), parts(&tab.store, "chat"), "its own id changes nothing");
}

#[test]
fn an_import_is_refused_by_name_and_writes_nothing() {
    let tab = talked();
    let whole = export(&tab.store, "chat").expect("kept");
    assert_eq!(import(&tab.store, &whole, None), Err(SessionsError::Exists));
    let store = MemoryStore::new();
    let refused = |bytes: &[u8], id| import(&store, bytes, id).map_err(|error| error.code());
    assert_eq!(refused(b"{\"role\":\"user\"}", None), Err("damaged_archive"));
    assert_eq!(refused(b"{\"role\":\"user\", \"content\": \"hi\"}", None), Err("not_an_archive"));
    assert_eq!(refused(&whole[..whole.len() - 1], None), Err("damaged_archive"));
    assert_eq!(refused(&newer(whole.clone()), None), Err("newer_archive"));
    let archive = load_archive(&whole).expect("whole");
    let with = |root: Vec<u8>| encode_archive(&Archive { root, ..archive.clone() });
    for id in [None, Some("copy")] {
        assert_eq!(refused(&with(newer(archive.root.clone())), id), Err("newer_record"));
        assert_eq!(refused(&with(archive.root[1..].to_vec()), id), Err("unreadable_record"));
        assert_eq!(refused(&with(archive.numbered[0].1.clone()), id), Err("unreadable_record"), "pins are no root");
        let other = encode_archive(&Archive { session: "other".to_owned(), ..archive.clone() });
        assert_eq!(refused(&other, id), Err("unreadable_record"), "another session's");
    }
    assert_eq!(SyncStore::list(&store, None, 9), Ok(Vec::new()));
}

#[test]
fn an_export_gives_what_only_a_later_build_can_read_and_refuses_what_nobody_can() {
    let tab = talked();
    let store = &tab.store;
    assert_eq!(export(store, "nobody"), Err(SessionsError::Unknown));
    let whole = parts(store, "chat").remove(0).1;
    put_root(store, "newer", newer(whole.clone()));
    put_root(store, "damaged", whole[1..].to_vec());
    put_root(store, "foreign", whole);
    let archive = load_archive(&export(store, "newer").expect("for a later build")).expect("whole");
    assert_eq!(archive.root, parts(store, "newer").remove(0).1);
    assert_eq!(export(store, "damaged"), Err(SessionsError::Unreadable));
    assert_eq!(export(store, "foreign"), Err(SessionsError::Unreadable));
}

#[test]
fn a_value_above_the_limit_of_the_other_store_is_said_and_nothing_written() {
    let tab = talked();
    let archive = export(&tab.store, "chat").expect("kept");
    let small = MemoryStore::with_max_value_bytes(100);
    let Err(SessionsError::Store(error)) = import(&small, &archive, None) else { panic!("too large") };
    assert_eq!((error.code(), error.applied), ("value_too_large", compaction_governor::error::Applied::No));
    assert_eq!(kept(&small, "chat"), None);
}

#[test]
fn mutated_archives_are_refused_or_open_as_a_session_and_never_panic() {
    let tab = talked();
    let whole = load_archive(&export(&tab.store, "chat").expect("kept")).expect("whole");
    let mut runner = proptest::test_runner::TestRunner::new(proptest::test_runner::Config {
        cases: 4_000,
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    });
    let damage =
        (proptest::collection::vec((0..4_usize, 0..4_096_usize, proptest::num::u8::ANY), 0..4), proptest::bool::ANY);
    let run = runner.run(&damage, |(hits, renamed)| {
        let mut archive = whole.clone();
        for (part, at, byte) in hits {
            let bytes = match part {
                0 => &mut archive.root,
                n => &mut archive.numbered[(n - 1) % 2].1,
            };
            let length = bytes.len();
            bytes[at % length] = byte;
            reseal(bytes);
        }
        let store = MemoryStore::new();
        let id = if renamed { "copy" } else { "chat" };
        let done = import(&store, &encode_archive(&archive), renamed.then_some("copy"));
        assert_eq!(done.is_ok(), kept(&store, id).is_some());
        let (opened, _) = Tab::open_as(id, store, 3, START, settings(32_768, None));
        assert_eq!(policy::check(opened.session.state()), Ok(()));
        Ok(())
    });
    run.expect("no panic and no state that cannot be");
    let mut runner = proptest::test_runner::TestRunner::default();
    let any = proptest::collection::vec(proptest::num::u8::ANY, 0..400);
    let arbitrary = runner.run(&any, |bytes| {
        assert!(import(&MemoryStore::new(), &bytes, None).is_err());
        Ok(())
    });
    arbitrary.expect("refused");
    assert_eq!(load_archive(&[]), Err(ArchiveError::Damaged(compaction_governor::record::CorruptKind::Length)));
}

/// A good checksum and length around whatever the bytes are: damage that only decoding can notice.
fn reseal(part: &mut [u8]) {
    let length = u32::try_from(part.len() - 16).expect("short");
    part[8..12].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&part[..12]), &part[16..]);
    part[12..16].copy_from_slice(&checksum.to_le_bytes());
}
