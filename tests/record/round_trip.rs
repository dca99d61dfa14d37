//! What is written is what is read.

use compaction_governor::{
    id::AttemptId,
    record::{Loaded, LoadedSummary, Summary, Unknown, encode_root, encode_summary, load_root, load_summary},
    time::Timestamp,
};

use crate::{arbitrary, runs::check};

const NOW: Timestamp = Timestamp(1_700_000_000_000);

#[test]
fn root_record_of_any_content_reads_back_as_it_was_written() {
    check("root round trip", 20_000, |draw| {
        let root = arbitrary::root(draw);
        let bytes = encode_root(&root);
        let found = load_root(Some(&bytes), &root.session, NOW);
        assert_eq!(found, Loaded::Found { root: root.clone(), repaired: false });
        let Loaded::Found { root: found, .. } = found else { unreachable!("compared above") };
        assert_eq!(encode_root(&found), bytes, "the same record gives the same bytes");
    });
}

#[test]
fn summary_of_any_text_reads_back_as_it_was_written() {
    check("summary round trip", 20_000, |draw| {
        let summary = Summary {
            session: draw.text(40),
            number: draw.number(),
            attempt: AttemptId(draw.long()),
            text: draw.text(200),
            unknown: Unknown::default(),
        };
        let found = load_summary(Some(&encode_summary(&summary)), &summary.session, summary.number);
        assert_eq!(found, LoadedSummary::Found(summary));
    });
}

#[test]
fn summary_printed_for_debugging_shows_no_text() {
    let summary = Summary {
        session: "s".to_owned(),
        number: 1,
        attempt: AttemptId(1),
        text: "a secret plan".to_owned(),
        unknown: Unknown::default(),
    };
    let printed = format!("{summary:?}");
    assert!(printed.contains("text_bytes: 13") && !printed.contains("secret"), "{printed}");
}
