//! What a host may set, on its way in.

use wasm_bindgen::prelude::*;

use crate::{
    config::Trigger,
    plan::Keep,
    session::Settings,
    summary::Templates,
    wasm::{convert, fault::Fault},
};

/// Settings, collected before the session exists.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct CoreSettings {
    pub(super) settings: Settings,
}

#[wasm_bindgen]
impl CoreSettings {
    /// Nothing set.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The model's window in tokens.
    #[wasm_bindgen(js_name = setWindow)]
    pub fn set_window(&mut self, tokens: f64) -> Result<(), JsValue> {
        self.settings.config.context_window = Some(convert::tokens("contextWindow", tokens)?);
        Ok(())
    }

    /// The longest answer that counts against the window.
    #[wasm_bindgen(js_name = setMaxOutput)]
    pub fn set_max_output(&mut self, tokens: f64) -> Result<(), JsValue> {
        self.settings.config.max_output = Some(convert::tokens("maxOutputTokens", tokens)?);
        Ok(())
    }

    /// An absolute cap on the threshold.
    #[wasm_bindgen(js_name = setThresholdCap)]
    pub fn set_threshold_cap(&mut self, tokens: f64) -> Result<(), JsValue> {
        self.settings.config.threshold_cap = Some(convert::tokens("thresholdCap", tokens)?);
        Ok(())
    }

    /// One trigger; 0 leaves a condition out. Beyond the fourth they are refused.
    #[wasm_bindgen(js_name = addTrigger)]
    pub fn add_trigger(&mut self, tokens: f64, window_permille: f64, entries: f64) -> Result<(), JsValue> {
        let trigger = Trigger {
            tokens: convert::optional_tokens("trigger.tokens", tokens)?,
            window_permille: convert::optional_tokens("trigger.fraction", window_permille)?,
            entries: convert::optional_tokens("trigger.messages", entries)?,
        };
        let added = self.settings.config.triggers.try_push(trigger);
        added.map_err(|_| Fault::argument("at most four triggers can be listed"))
    }

    /// What stays verbatim at the end.
    #[wasm_bindgen(js_name = setKeep)]
    pub fn set_keep(&mut self, entries: f64, tokens: f64) -> Result<(), JsValue> {
        let entries = convert::tokens("keep.messages", entries)?;
        self.settings.keep = Some(Keep { entries, tokens: convert::tokens("keep.tokens", tokens)?, turns: 0 });
        Ok(())
    }

    /// Old tool results and attachments are never cleared.
    #[wasm_bindgen(js_name = keepResults)]
    pub fn keep_results(&mut self) {
        self.settings.keep_results = true;
    }

    /// The host's own words for the summary request.
    #[wasm_bindgen(js_name = setTemplates)]
    pub fn set_templates(&mut self, system: String, task: String) -> Result<(), JsValue> {
        Templates::new(&system, &task).map_err(|missing| Fault::argument(&missing.to_string()))?;
        self.settings.templates = Some((system, task));
        Ok(())
    }

    /// A failure class for which a plain summary takes the model's place.
    #[wasm_bindgen(js_name = addFallback)]
    pub fn add_fallback(&mut self, class: &str) -> Result<(), JsValue> {
        self.settings.fallback.push(convert::failure(class)?);
        Ok(())
    }
}
