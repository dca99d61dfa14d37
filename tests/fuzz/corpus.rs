//! What fuzzing and people found, kept as bytes. No test writes these files.

use proptest::test_runner::TestCaseError;

use crate::{NOW, SESSION, bytes::through_every_decoder};
use compaction_governor::record::{Loaded, load_root};

#[test]
fn every_file_of_the_corpus_is_read_without_a_panic_and_reads_back_as_it_was_read() -> Result<(), TestCaseError> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/corpus");
    let mut files = 0;
    for file in std::fs::read_dir(folder).expect("the corpus is in the tree") {
        let path = file.expect("readable").path();
        let bytes = std::fs::read(&path).expect("readable");
        println!("{}: {} bytes", path.display(), bytes.len());
        through_every_decoder(&bytes)?;
        for len in 0..bytes.len() {
            through_every_decoder(&bytes[..len])?;
        }
        files += 1;
    }
    assert!(files >= 8, "{files} files");
    Ok(())
}

#[test]
fn each_file_of_the_corpus_is_what_its_name_says() {
    let found = |bytes: &[u8]| match load_root(Some(bytes), SESSION, NOW) {
        Loaded::Found { repaired, .. } => {
            if repaired {
                "repaired"
            } else {
                "found"
            }
        }
        Loaded::Corrupt { why, .. } => why.code(),
        Loaded::Foreign { .. } => "foreign",
        Loaded::Future { .. } => "future",
        Loaded::Absent => "absent",
    };
    assert_eq!(found(include_bytes!("corpus/root-whole.bin")), "found");
    assert_eq!(found(include_bytes!("corpus/root-of-another-session.bin")), "foreign");
    assert_eq!(found(include_bytes!("corpus/root-cut-in-half.bin")), "length");
    assert_eq!(found(include_bytes!("corpus/root-with-a-bit-flipped.bin")), "checksum");
    assert_eq!(found(include_bytes!("corpus/root-with-text-for-numbers.bin")), "repaired");
    assert_eq!(found(include_bytes!("corpus/map-without-an-end.bin")), "decode");
    assert_eq!(found(include_bytes!("corpus/nested-a-thousand-deep.bin")), "decode");
    assert_eq!(found(include_bytes!("corpus/pins-of-a-thousand.bin")), "wrong_part");
}
