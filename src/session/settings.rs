//! What a host sets for one session.

use crate::{config::Config, plan::Keep, policy::FailureClass, summary::Templates};

/// What a host sets for one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Window and trigger.
    pub config: Config,
    /// What stays verbatim at the end, whatever it costs. `None`: the default, which gives way before a pass is refused.
    pub keep: Option<Keep>,
    /// Failure classes for which a plain summary (no model) takes the model's place (rule 8).
    pub fallback: Vec<FailureClass>,
    /// Old tool results and attachments are never cleared.
    pub keep_results: bool,
    /// The host's own words for the summary request: system and task. `None`: ours.
    pub templates: Option<(String, String)>,
}

impl Settings {
    /// The words of the summary request; ours where the host's lack a placeholder that [`Templates::new`] asks for.
    #[must_use]
    pub fn templates(&self) -> Templates<'_> {
        let own = self.templates.as_ref().and_then(|(system, task)| Templates::new(system, task).ok());
        own.unwrap_or_default()
    }
}
