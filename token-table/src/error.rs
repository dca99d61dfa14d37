//! How far an estimate is off, by class of text.

use compaction_governor::tokens::{Ratio, Table};
use serde::{Deserialize, Serialize};
use toktok::Tokenizer;

use crate::sources::Class;
use crate::texts::Message;
use crate::tokenizers::Tokenizers;

/// Errors in per cent over the messages of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The mean of single messages, without their sign.
    pub mean: f64,
    /// The mean of what is shown after a compaction, `SHOWN` messages, once reports have taught the ratio.
    pub calibrated: f64,
    /// How many messages.
    pub messages: usize,
}

/// The errors of `table` on the messages of `class`, against `tokenizer`.
#[must_use]
pub fn of(table: Table<'_>, class: Class, messages: &[Message], tokenizer: &Tokenizer) -> Error {
    let pairs: Vec<(f64, f64)> = messages
        .iter()
        .filter(|message| message.class == class)
        .map(|message| {
            let bytes = message.text.as_bytes();
            (table.units(0, bytes) as f64 / f64::from(Table::UNITS), tokenizer.count(bytes) as f64)
        })
        .collect();
    let mean = average(pairs.iter().map(|&(estimate, real)| off(estimate, real)));
    Error { mean, calibrated: average(after_compactions(&pairs).into_iter()), messages: pairs.len() }
}

/// A session of these messages, in an order that mixes its sources, with a report after every message; the errors of
/// the estimate alone, times the ratio, of the next `SHOWN` ones.
fn after_compactions(pairs: &[(f64, f64)]) -> Vec<f64> {
    let at = |place: usize| pairs[place * STEP % pairs.len()];
    let mut ratio = Ratio::default();
    let mut errors = Vec::new();
    for place in 0..3 * pairs.len() {
        if place >= pairs.len() {
            let (estimate, real) =
                (0..SHOWN).map(|next| at(place + next)).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            errors.push(off(estimate * f64::from(ratio.permille()) / 1_000.0, real));
        }
        let (estimate, real) = at(place);
        ratio.learn(real as u32, estimate as u32);
    }
    errors
}

fn off(estimate: f64, real: f64) -> f64 {
    100.0 * (estimate / real - 1.0).abs()
}

fn average(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = errors.len().max(1) as f64;
    errors.sum::<f64>() / count
}

/// A table as README shows them: every cell is text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Shown {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The errors of `table` on `messages`, as README shows them.
#[must_use]
pub fn shown(table: Table<'_>, messages: &[Message], tokenizers: &Tokenizers) -> Shown {
    let columns = ["text", "messages", "o200k_base", "calibrated", "cl100k_base", "calibrated"];
    let percent = |error: f64| format!("{error:.1} %");
    let row = |class: Class| {
        let newer = of(table, class, messages, &tokenizers.o200k);
        let older = of(table, class, messages, &tokenizers.cl100k);
        let cells = [newer.mean, newer.calibrated, older.mean, older.calibrated].map(percent);
        [class.name().to_owned(), newer.messages.to_string()].into_iter().chain(cells).collect()
    };
    Shown {
        title: "Mean error of the estimate, message by message; calibrated: of eight messages after a compaction"
            .to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Class::PROMISED.map(row).to_vec(),
    }
}

/// Messages that a view shows after a compaction.
const SHOWN: usize = 8;
/// A prime above every number of messages: it leads through all of them.
const STEP: usize = 7_919;
