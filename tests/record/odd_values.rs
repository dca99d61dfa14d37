//! A good checksum around odd values: one row per field, one column per oddity.

use compaction_governor::{
    policy::Phase,
    record::{Loaded, Root, encode_root, load_root},
    time::Timestamp,
};

use crate::{
    arbitrary::{self, full_root},
    damage::{NOW, assert_can_be},
    field_table::{Row, SAME, rows},
    runs::{Draw, check},
    tree::Tree,
};

// seeds: A5
#[test]
fn loading_a_record_with_one_odd_field_reads_it_as_the_table_says() {
    let bytes = encode_root(&full_root());
    for row in rows() {
        let original = (row.value)(&full_root());
        for (oddity, values, expected) in oddities(&row) {
            for value in values {
                let mut tree = Tree::of_part(&bytes);
                match &value {
                    Some(value) => *tree.at(row.path) = value.clone(),
                    None => tree.remove(row.path),
                }
                let context = format!("{} {oddity}: {value:?}", row.name);
                let Loaded::Found { root, repaired } = load_root(Some(&tree.into_part()), "a session", NOW) else {
                    panic!("{context}: not found");
                };
                let expected = if expected == SAME { &original } else { expected };
                assert_eq!((row.value)(&root), *expected, "{context}");
                assert_can_be(&root.state);
                assert!(repaired || oddity == "missing", "{context}: nothing said");
            }
        }
    }
}

type Oddity = (&'static str, Vec<Option<Tree>>, &'static str);

fn oddities(row: &Row) -> [Oddity; 3] {
    let missing = vec![None, Some(Tree::Null), Some(Tree::Negative(-1)), Some(Tree::Negative(i64::MIN))];
    let above =
        if row.above == SAME { vec![] } else { vec![Some(Tree::Number(1 << 40)), Some(Tree::Number(u64::MAX))] };
    [("missing", missing, row.missing), ("above", above, row.above), ("wrong", wrong_types(row), row.wrong)]
}

fn wrong_types(row: &Row) -> Vec<Option<Tree>> {
    let mut full = Tree::of_part(&encode_root(&full_root()));
    let right = std::mem::discriminant(full.at(row.path));
    let one = Tree::Number(1);
    let a_list = Tree::List(vec![Tree::Text("x".to_owned())]);
    let all = [
        Tree::Text("2".to_owned()),
        Tree::Bytes(vec![2]),
        Tree::Map(vec![(one.clone(), one)]),
        Tree::Flag(true),
        Tree::Float(2.0),
    ];
    let wrong = all.into_iter().filter(|tree| std::mem::discriminant(tree) != right);
    wrong.chain([a_list]).map(Some).collect()
}

// seeds: A5
#[test]
fn every_field_that_is_written_has_a_row_in_the_table() {
    let rows: Vec<Row> = rows().collect();
    let covered = |path: &Vec<u64>| rows.iter().any(|row| row.path == path);
    // The second generation has the fields of the first.
    let paths = Tree::of_part(&encode_root(&full_root())).paths();
    let bare: Vec<_> = paths.iter().filter(|path| !path.starts_with(&[5, 1]) && !covered(path)).collect();
    assert_eq!(bare, [&vec![5, 0]], "all but the place of the first generation itself");
    assert_eq!(paths.len(), 98, "a field that is not in this record is not tested");
}

// seeds: A5
#[test]
fn loading_a_record_with_any_one_value_unreadable_forgets_no_strike() {
    check("one value unreadable", 20_000, |draw| {
        let root = arbitrary::root(draw);
        let mut tree = Tree::of_part(&encode_root(&root));
        let paths = tree.paths();
        let path = &paths[draw.below(paths.len())];
        *tree.at(path) = unreadable(draw);
        match load_root(Some(&tree.into_part()), &root.session, NOW) {
            Loaded::Found { root: found, .. } => assert_no_strike_lost(&root, &found, path),
            Loaded::Foreign { .. } if path == &[1] => {}
            Loaded::Corrupt { root: found, .. } if path == &[0] => assert!(found.state.guards.tripped()),
            other => panic!("{path:?}: {other:?}"),
        }
    });
}

/// No number in range, no flag, no map: a map in which nothing is known would be one with everything missing.
fn unreadable(draw: &mut Draw) -> Tree {
    match draw.below(5) {
        0 => Tree::Text(draw.text(9)),
        1 => Tree::Bytes(vec![1, 2]),
        2 => Tree::Float(f64::NAN),
        3 => Tree::List(vec![Tree::Null]),
        _ => Tree::Number(draw.bits() | 1 << 63),
    }
}

fn assert_no_strike_lost(before: &Root, after: &Root, path: &[u64]) {
    assert_can_be(&after.state);
    let (was, is) = (&before.state.guards, &after.state.guards);
    assert!(is.tripped() || !was.tripped(), "{path:?}: a trip was forgotten");
    let struck = |strikes: u8, others: u8| u32::from(strikes) + u32::from(others);
    let (strikes, left) =
        (struck(was.ineffective_streak, was.weak_streak), struck(is.ineffective_streak, is.weak_streak));
    assert!(left >= strikes || is.tripped(), "{path:?}: strikes were forgotten");
    let pending = |root: &Root| matches!(root.state.phase, Phase::AwaitingVerdict { .. });
    assert!(pending(after) || !pending(before) || is.tripped(), "{path:?}: a pending verdict was forgotten");
}

// seeds: A5
#[test]
fn loading_a_tripped_record_whose_strikes_are_null_stays_tripped() {
    let mut root = full_root();
    root.state.guards.fallback_streak = 0;
    let mut tree = Tree::of_part(&encode_root(&root));
    *tree.at(&[3, 2, 0]) = Tree::Null;
    *tree.at(&[3, 2, 1]) = Tree::Negative(-3);
    let Loaded::Found { root, repaired } = load_root(Some(&tree.into_part()), "a session", NOW) else {
        panic!("found")
    };
    let guards = root.state.guards;
    assert!(repaired && guards.tripped(), "its deadline says that there were strikes");
    assert_eq!((guards.ineffective_streak, guards.weak_streak), (0, 2));
    assert_eq!(guards.recovery, full_root().state.guards.recovery, "and its deadline stands");
}

// seeds: A5
#[test]
fn loading_a_record_takes_far_instants_as_they_are_and_leaves_arming_to_time() {
    let mut root = full_root();
    let far = Timestamp(u64::MAX);
    root.state.guards.last_attempt_end = Some(far);
    root.state.guards.recovery = None;
    let found = load_root(Some(&encode_root(&root)), "a session", NOW);
    assert_eq!(found, Loaded::Found { root, repaired: false });
}

// seeds: A5
#[test]
fn loading_lists_longer_than_this_crate_writes_keeps_what_guards_most() {
    let mut tree = Tree::of_part(&encode_root(&full_root()));
    let numbers = |count| Tree::List((0..count).map(Tree::Number).collect());
    *tree.at(&[3, 2, 3]) = numbers(20);
    *tree.at(&[3, 2, 17]) = numbers(9);
    *tree.at(&[5, 0, 8]) = numbers(257);
    let Loaded::Found { root, repaired } = load_root(Some(&tree.into_part()), "a session", NOW) else {
        panic!("found")
    };
    assert!(repaired);
    assert!(root.state.guards.struck_models.is_full(), "a full list counts every model as struck");
    assert_eq!(root.state.guards.commit_ordinals[..], [6, 7, 8], "the newest");
    assert_eq!(root.generations.len(), 1, "one that pins more than any plan may is shown verbatim instead");
}
