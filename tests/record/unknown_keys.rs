//! What a later build wrote, and may be read by this one, survives being rewritten by it.

use compaction_governor::{
    id::AttemptId,
    record::{Loaded, LoadedSummary, Summary, Unknown, encode_root, encode_summary, load_root, load_summary},
};

use crate::{arbitrary::full_root, damage::NOW, tree::Tree};

/// One of each form: a key of a later build, text, a negative one; values of every kind.
fn later_fields() -> Vec<(Tree, Tree)> {
    let nested = Tree::Map(vec![(Tree::Number(0), Tree::Float(0.5)), (Tree::Text("x".to_owned()), Tree::Null)]);
    vec![
        (Tree::Number(31), Tree::List(vec![nested, Tree::Bytes(vec![0, 255])])),
        (Tree::Number(1 << 40), Tree::Text("later".to_owned())),
        (Tree::Text("named".to_owned()), Tree::Flag(true)),
        (Tree::Negative(-1), Tree::Negative(-500)),
    ]
}

pub(crate) fn add_later_fields(tree: &mut Tree, path: &[u64]) {
    let Tree::Map(pairs) = tree.at(path) else { panic!("a map at {path:?}") };
    pairs.splice(1..1, later_fields());
}

fn has_later_fields(tree: &mut Tree, path: &[u64]) -> bool {
    let Tree::Map(pairs) = tree.at(path) else { panic!("a map at {path:?}") };
    pairs.ends_with(&later_fields())
}

#[test]
fn unknown_keys_at_every_level_survive_a_rewrite_by_a_build_that_does_not_know_them() {
    let levels: [&[u64]; 5] = [&[], &[3], &[3, 2], &[5, 0], &[5, 1]];
    let mut tree = Tree::of_part(&encode_root(&full_root()));
    levels.iter().for_each(|level| add_later_fields(&mut tree, level));
    let Loaded::Found { mut root, repaired } = load_root(Some(&tree.into_part()), "a session", NOW) else {
        panic!("found");
    };
    assert!(!repaired, "what is not known is not odd");
    root.compactions += 1;
    root.state.guards.weak_streak = 0;
    root.generations.push(crate::arbitrary::full_generation(3));
    let rewritten = encode_root(&root);
    let mut tree = Tree::of_part(&rewritten);
    for level in levels {
        assert!(has_later_fields(&mut tree, level), "{level:?}");
    }
    assert!(!has_later_fields(&mut tree, &[5, 2]), "a new generation has none");
    assert_eq!(load_root(Some(&rewritten), "a session", NOW), Loaded::Found { root, repaired: false });
}

#[test]
fn unknown_keys_of_a_summary_survive_a_rewrite() {
    let summary = Summary { carry: "mode: read-only".to_owned(), ..Summary::new("s", 1, AttemptId(2), "text") };
    let mut tree = Tree::of_part(&encode_summary(&summary));
    add_later_fields(&mut tree, &[]);
    let LoadedSummary::Found(found) = load_summary(Some(&tree.into_part()), "s", 1) else { panic!("found") };
    assert_eq!(Summary { unknown: Unknown::default(), ..*found.clone() }, summary);
    assert!(has_later_fields(&mut Tree::of_part(&encode_summary(&found)), &[]));
}
