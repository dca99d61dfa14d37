//! The promise of the estimator, on texts that its table was not made from. Packages come from the registry once; a
//! machine without a network says so and skips what needs them.

use compaction_governor::tokens::{Table, estimate};
use token_table::sources::{Class, TEST, TRAINING};
use token_table::texts::Message;
use token_table::tokenizers::Tokenizers;
use token_table::{KEPT_ERRORS, KEPT_TABLE, error, fit, generated::Dice, test_messages, training_messages};

fn tokenizers() -> Tokenizers {
    Tokenizers::new().expect("the crate brings its vocabularies")
}

fn kept(file: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).expect("it is kept")
}

/// `None` where packages cannot be fetched, which is a failure where everything has to run.
fn fetched(texts: anyhow::Result<Vec<Message>>) -> Option<Vec<Message>> {
    match texts {
        Ok(texts) => Some(texts),
        Err(error) if std::env::var_os("CI").is_none() => {
            eprintln!("skipped: the texts are not there: {error:#}");
            None
        }
        Err(error) => panic!("{error:#}"),
    }
}

#[test]
fn the_kept_table_is_what_the_program_makes_of_the_pinned_packages() {
    let Some(texts) = fetched(training_messages()) else { return };
    assert!(fit::table(&texts, &tokenizers()) == kept(KEPT_TABLE), "`cargo run -p token-table` makes another table");
}

#[test]
fn the_kept_errors_are_those_of_the_kept_table() {
    let Some(texts) = fetched(test_messages()) else { return };
    let bytes = kept(KEPT_TABLE);
    let shown = error::shown(Table::of(&bytes).expect("it is one"), &texts, &tokenizers());
    let told: error::Shown = serde_json::from_slice(&kept(KEPT_ERRORS)).expect("a table");
    assert_eq!(shown, told, "`cargo run -p token-table` measures anew");
}

#[test]
fn every_class_stays_within_what_is_promised_of_it() {
    let Some(texts) = fetched(test_messages()) else { return };
    let (bytes, tokenizers) = (kept(KEPT_TABLE), tokenizers());
    let table = Table::of(&bytes).expect("it is one");
    for class in Class::PROMISED {
        let newer = error::of(table, class, &texts, &tokenizers.o200k);
        let older = error::of(table, class, &texts, &tokenizers.cl100k);
        assert!(newer.messages >= 8, "{class:?} is measured on {} messages", newer.messages);
        assert!(newer.mean <= class.allowed(), "{class:?}: {:.1} %", newer.mean);
        assert!(newer.calibrated <= 3.0, "{class:?} calibrated: {:.1} %", newer.calibrated);
        // The older vocabulary knows next to nothing of other scripts: there calibration alone helps.
        assert!(older.mean <= class.allowed() || !class.is_ascii(), "{class:?}, older: {:.1} %", older.mean);
        let least = if class.is_ascii() { 3.1 } else { 7.0 };
        assert!(older.calibrated <= least, "{class:?}, older, calibrated: {:.1} %", older.calibrated);
    }
}

#[test]
fn no_package_is_both_trained_and_tested_on() {
    for source in TRAINING {
        let name = |package: &'static str| package.rsplit_once('@').expect("a version is named").0;
        assert!(TEST.iter().all(|test| name(test.package) != name(source.package)), "{}", source.package);
    }
}

#[test]
fn a_run_that_is_no_text_is_hardly_counted_too_low() {
    let tokenizers = tokenizers();
    let mut dice = Dice(11);
    let mut drawn = |of: &str| {
        let signs: Vec<char> = of.chars().collect();
        (0..20_000).map(|_| signs[dice.below(signs.len() as u64) as usize]).collect::<String>()
    };
    let lower = "abcdefghijklmnopqrstuvwxyz";
    let mixed = format!("{lower}{}0123456789+/", lower.to_uppercase());
    let runs = [
        drawn(lower),
        drawn(&lower.to_uppercase()),
        drawn("0123456789"),
        drawn(&mixed),
        drawn("0123456789abcdef"),
        "a".repeat(20_000),
        "0".repeat(20_000),
        " ".repeat(20_000),
        "\n".repeat(20_000),
        "=".repeat(20_000),
        "ab".repeat(10_000),
        "中".repeat(5_000),
        "👨‍👩‍👧‍👦".repeat(1_000),
        "ሰላም ለዓለም ".repeat(500),
        "สวัสดีชาวโลก".repeat(500),
    ];
    for run in runs {
        let (counted, real) = (f64::from(estimate(&run)), tokenizers.o200k.count(run.as_bytes()) as f64);
        let begin: String = run.chars().take(8).collect();
        assert!(counted >= 0.7 * real, "{begin:?}: {counted} for {real}");
        assert!(counted <= run.len() as f64);
    }
}
