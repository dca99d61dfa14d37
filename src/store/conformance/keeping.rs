//! Clauses about what is kept: bytes, parts, sessions apart from each other.

use super::support::{SESSION, assert_offered, commit, get, load, offered, put, root};
use super::{Harness, Outcome};
use crate::id::OpId;
use crate::store::{Batch, Expect, Part, Store, StoreError, StoreErrorKind};

const NO_LIMIT: Outcome = Outcome::NotDeclared("max_value_bytes");

/// Clause 1: a session that was never committed is absent, which is no error.
pub async fn absent_load_is_none<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    assert_eq!(store.open().await, Ok(()));
    assert_eq!(load(&store, SESSION).await, None);
    assert_offered(store.list(None, 10).await, Ok(vec![]));
    Outcome::Held
}

/// Clause 4: bytes come back bit for bit, and parts come back root first, then by number.
pub async fn roundtrip_bytes_exact<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let all: Vec<u8> = (0..=255).collect();
    // Halves of UTF-16 surrogate pairs, and lengths around every packing into wider units.
    let surrogates = [0xD800_u16, 0xDC00, 0xDFFF].iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let mut values = vec![vec![], vec![0], vec![0xFF; 7], vec![0; 16], surrogates, all.repeat(17)];
    values.extend((1..=33).map(|length| all[255 - length..].to_vec()));
    let numbered = |index: usize| Part::Generation(u32::MAX - index as u32);
    let batch = values
        .iter()
        .enumerate()
        .fold(Batch::root(all.clone()), |batch, (index, value)| batch.put(numbered(index), value.clone()));
    assert_eq!(commit(&store, SESSION, Expect::Absent, batch, 1).await, Ok(1));
    let snapshot = get(&store, SESSION).await;
    assert_eq!(root(&snapshot), all);
    for (index, value) in values.iter().enumerate() {
        assert_eq!(snapshot.part(numbered(index)), Some(value.as_slice()), "value {index}");
    }
    assert!(snapshot.parts.is_sorted_by_key(|(part, _)| *part) && snapshot.parts.len() == values.len() + 1);
    Outcome::Held
}

/// Clause 5: a value of exactly the declared limit is kept.
pub async fn roundtrip_at_limit<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let Some(limit) = store.capabilities().max_value_bytes else { return NO_LIMIT };
    let value: Vec<u8> = (0..limit).map(|index| (index % 251) as u8).collect();
    put(&store, SESSION, Expect::Absent, &value, 1).await;
    assert!(root(&get(&store, SESSION).await) == value, "a value at the limit came back changed");
    Outcome::Held
}

/// Clause 6: a value above the limit is refused with both numbers, and the batch as a whole with it.
pub async fn over_limit_is_value_too_large_and_nothing_changes<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let Some(limit) = store.capabilities().max_value_bytes else { return NO_LIMIT };
    let found = limit + 1;
    let expected = StoreError::not_applied(StoreErrorKind::ValueTooLarge { limit, found });
    let large = vec![7; usize::try_from(found).expect("a limit within memory")];
    let answer = commit(&store, SESSION, Expect::Absent, Batch::root(large.clone()), 1).await;
    assert_eq!(answer, Err(expected.clone()));
    assert_eq!(load(&store, SESSION).await, None);
    assert_eq!(store.quarantine(SESSION, Part::Root, &large, "test").await, Err(expected));
    Outcome::Held
}

/// Clause 10: when the last item of a batch cannot be written, none of it is.
pub async fn batch_all_or_nothing_on_last_item_failure<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let capabilities = store.capabilities();
    if !capabilities.atomic_batch {
        return Outcome::NotDeclared("atomic_batch");
    }
    let Some(limit) = capabilities.max_value_bytes else { return NO_LIMIT };
    let first = Batch::root(b"old".to_vec()).put(Part::Generation(1), b"one".to_vec());
    assert_eq!(commit(&store, SESSION, Expect::Absent, first, 1).await, Ok(1));
    let before = get(&store, SESSION).await;
    let large = vec![7; usize::try_from(limit + 1).expect("a limit within memory")];
    let second = Batch::root(b"new".to_vec()).put(Part::Generation(2), large).delete(Part::Generation(1));
    assert!(commit(&store, SESSION, Expect::Revision(1), second, 2).await.is_err());
    assert_eq!(get(&store, SESSION).await, before);
    Outcome::Held
}

/// Clause 11: deletes come first, then puts in their order; the last put of a part counts.
pub async fn delete_and_put_same_key_in_batch_order<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let one = Part::Generation(1);
    let first = Batch::root(vec![1]).put(one, vec![1]).put(Part::Generation(2), vec![2]);
    assert_eq!(commit(&store, SESSION, Expect::Absent, first, 1).await, Ok(1));
    let second = Batch::root(vec![0])
        .put(one, vec![8])
        .put(one, vec![9])
        .put(Part::Root, vec![2])
        .delete(Part::Generation(2))
        .delete(one)
        .delete(Part::Root)
        .delete(Part::Generation(77));
    assert_eq!(commit(&store, SESSION, Expect::Revision(1), second, 2).await, Ok(2));
    let parts = get(&store, SESSION).await.parts;
    assert_eq!(parts, vec![(Part::Root, vec![2]), (one, vec![9])]);
    Outcome::Held
}

/// A commit that does not write the root record is refused, and nothing of it is written.
pub async fn batch_without_root_is_refused<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let batch = Batch::default().put(Part::Generation(1), vec![1]);
    let refused = Err(StoreError::not_applied(StoreErrorKind::InvalidBatch));
    assert_eq!(commit(&store, SESSION, Expect::Absent, batch, 1).await, refused);
    assert_eq!(commit(&store, SESSION, Expect::Absent, Batch::default().delete(Part::Root), 2).await, refused);
    assert_eq!(load(&store, SESSION).await, None);
    Outcome::Held
}

/// Clause 22: what happens to one session does not happen to another.
pub async fn two_sessions_isolated<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    put(&store, "one", Expect::Absent, b"1", 1).await;
    put(&store, "two", Expect::Absent, b"2", 1).await;
    put(&store, "two", Expect::Revision(1), b"22", 2).await;
    let one = get(&store, "one").await;
    assert_eq!((one.revision, one.op_id, root(&one)), (1, OpId(1), b"1".as_slice()));
    if let Some(removed) = offered(store.remove("one", None).await) {
        assert_eq!(removed, Ok(()));
        assert_eq!(load(&store, "one").await, None);
    }
    assert_eq!(root(&get(&store, "two").await), b"22");
    Outcome::Held
}

/// Clause 23: ids that are prefixes of each other, hold separators or are not ASCII name different sessions.
pub async fn key_prefix_no_bleed<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let ids = [
        "",
        "a",
        "ab",
        "a/",
        "a/b",
        "a:b",
        "a%2Fb",
        "a\0",
        "a\0b",
        "root",
        "0",
        "é",
        "e\u{301}",
        "日本",
        "🦀",
        "🦀a",
        "\u{FFFD}",
        "A",
        " a",
        "a ",
        "__proto__",
        "a/a/a",
    ];
    for (index, id) in ids.iter().enumerate() {
        put(&store, id, Expect::Absent, &[index as u8], 1).await;
    }
    for (index, id) in ids.iter().enumerate() {
        let snapshot = get(&store, id).await;
        assert_eq!((snapshot.revision, snapshot.parts), (1, vec![(Part::Root, vec![index as u8])]), "{id:?}");
    }
    if let Some(listed) = offered(store.list(None, ids.len() + 1).await) {
        let (mut listed, mut expected) = (listed.expect("a list succeeds"), ids.map(str::to_owned));
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
    let Some(removed) = offered(store.remove("a", None).await) else { return Outcome::Held };
    assert_eq!(removed, Ok(()));
    assert_eq!(load(&store, "a").await, None);
    for id in ids.iter().filter(|id| **id != "a") {
        assert!(load(&store, id).await.is_some(), "removing \"a\" removed {id:?}");
    }
    Outcome::Held
}

/// Bytes set aside change neither the record nor its revision, however many there are.
pub async fn quarantine_leaves_the_record_alone<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    put(&store, SESSION, Expect::Absent, b"good", 1).await;
    let before = get(&store, SESSION).await;
    for index in 0..10_u8 {
        let part = if index % 2 == 0 { Part::Root } else { Part::Generation(u32::from(index)) };
        assert_eq!(store.quarantine(SESSION, part, &[index; 9], "checksum").await, Ok(()));
    }
    assert_eq!(store.quarantine("never committed", Part::Root, b"", "decode").await, Ok(()));
    assert_eq!(get(&store, SESSION).await, before);
    assert_eq!(load(&store, "never committed").await, None);
    assert_offered(store.list(None, 9).await, Ok(vec![SESSION.to_owned()]));
    put(&store, SESSION, Expect::Revision(1), b"next", 2).await;
    Outcome::Held
}
