//! What is written is what is read.

use compaction_governor::{
    id::AttemptId,
    record::{
        Behind, Bounds, Kept, Loaded, LoadedSummary, Summary, encode_root, encode_summary, load_root, load_summary,
    },
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
            carry: draw.text(100),
            through: draw.text(30),
            behind: draw.maybe(|draw| Behind {
                fingerprint: draw.long(),
                head_entries: draw.number(),
                head_fingerprint: draw.long(),
                user_turns: draw.number(),
                model_calls: draw.number(),
            }),
            bounds: draw.maybe(|draw| Bounds { slice_tokens: draw.number(), cap: draw.number() }),
            kept: draw.maybe(|draw| Kept { found: draw.number(), kept: draw.number() }),
            pruned: draw.some(6, |draw| draw.number()),
            capped: draw.some(4, |draw| (draw.number(), draw.number())),
            ..Summary::new(&draw.text(40), draw.number(), AttemptId(draw.long()), &draw.text(200))
        };
        let found = load_summary(Some(&encode_summary(&summary)), &summary.session, summary.number);
        assert_eq!(found, LoadedSummary::Found(Box::new(summary)));
    });
}

#[test]
fn summary_printed_for_debugging_shows_no_text() {
    let summary = Summary { carry: "a secret list".to_owned(), ..Summary::new("s", 1, AttemptId(1), "a secret plan") };
    let printed = format!("{summary:?}");
    assert!(printed.contains("text_bytes: 13") && !printed.contains("secret"), "{printed}");
}
