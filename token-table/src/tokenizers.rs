//! The tokenizers that are estimated: here alone, and in no build of the crate.

use anyhow::{Result, anyhow};
use toktok::Tokenizer;

use crate::texts::Message;

/// The vocabulary of today's models of OpenAI, and the one before it.
#[allow(missing_debug_implementations, reason = "toktok's type has none")]
pub struct Tokenizers {
    /// 200,000 tokens, many of them of scripts other than Latin.
    pub o200k: Tokenizer,
    /// 100,000 tokens.
    pub cl100k: Tokenizer,
}

impl Tokenizers {
    /// Both, from what the crate brings.
    ///
    /// # Errors
    /// When it does not bring them.
    pub fn new() -> Result<Self> {
        let built = |name| Tokenizer::builtin(name).map_err(|error| anyhow!("{name}: {error:?}"));
        Ok(Self { o200k: built("o200k_base")?, cl100k: built("cl100k_base")? })
    }

    /// What the estimate of `message` aims at: the middle of both where they differ by little, and the newer one for
    /// other scripts, of which the older one knows next to nothing.
    #[must_use]
    pub fn aim(&self, message: &Message) -> f64 {
        let bytes = message.text.as_bytes();
        let newer = self.o200k.count(bytes) as f64;
        if message.class.is_ascii() { (newer + self.cl100k.count(bytes) as f64) / 2.0 } else { newer }
    }
}
