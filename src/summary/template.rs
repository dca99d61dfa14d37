//! The words of the summary request: files beside this one, which a host may replace. Change one, raise [`VERSION`].

use core::fmt;

use thiserror::Error;

use crate::summary::material;

/// Which of our texts a summary was asked with.
pub const VERSION: u32 = 2;

/// The texts of a request. [`Templates::default`] are ours; a host brings its own with [`Templates::new`].
///
/// | template | placeholder | stands for |
/// |---|---|---|
/// | system | `{material}` | the tag inside which the record of the conversation stands |
/// | task | `{previous}` | the tag inside which the previous summary stands |
/// | task | `{focus}` | the topic that deserves most of the room |
/// | task | `{max_tokens}` | the number of tokens to stay below |
///
/// Each must occur. A line with a placeholder that has nothing to stand for is left out: without a previous summary or
/// a topic nobody asks for them. What a placeholder stands for is never searched for placeholders again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Templates<'a> {
    system: &'a str,
    task: &'a str,
}

/// A template without one of its placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the {template} template lacks {placeholder}, without which the summariser is not told {what}; add it")]
pub struct MissingPlaceholder {
    /// Which template.
    pub template: &'static str,
    /// What it lacks.
    pub placeholder: &'static str,
    /// What the placeholder tells the summariser.
    pub what: &'static str,
}

impl<'a> Templates<'a> {
    /// A host's own texts.
    ///
    /// # Errors
    /// [`MissingPlaceholder`], the first one that is not there.
    pub fn new(system: &'a str, task: &'a str) -> Result<Self, MissingPlaceholder> {
        for (template, placeholder, what) in REQUIRED {
            if material::find(if template == "system" { system } else { task }, placeholder).is_none() {
                return Err(MissingPlaceholder { template, placeholder, what });
            }
        }
        Ok(Self { system, task })
    }

    /// The instruction, in the place where the provider takes one.
    pub(super) fn system(&self) -> String {
        let mut system = String::new();
        fill_into(&mut system, self.system, &[("{material}", "<cg-material>")]);
        system.truncate(system.trim_end().len());
        system
    }

    /// What the summary has to hold. `focus` must be escaped.
    pub(super) fn task_into(&self, out: &mut String, merges: bool, focus: &str, max_tokens: u64) {
        let mut number = String::new();
        material::push_number(&mut number, max_tokens);
        let previous = if merges { "<cg-previous>" } else { "" };
        fill_into(out, self.task, &[("{previous}", previous), ("{focus}", focus), ("{max_tokens}", &number)]);
    }
}

impl Default for Templates<'_> {
    fn default() -> Self {
        Self { system: include_str!("templates/system.txt"), task: include_str!("templates/task.txt") }
    }
}

impl fmt::Debug for Templates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, task } = self;
        f.debug_struct("Templates").field("system_bytes", &system.len()).field("task_bytes", &task.len()).finish()
    }
}

/// Appends `template` with each name replaced by its value, without the lines that name an empty one.
#[inline(never)]
pub(super) fn fill_into(out: &mut String, template: &str, values: &[(&str, &str)]) {
    for line in template.split_inclusive('\n') {
        let nameless = |(name, value): &(&str, &str)| value.is_empty() && material::find(line, name).is_some();
        if !values.iter().any(nameless) {
            fill_line(out, line, values);
        }
    }
}

fn fill_line(out: &mut String, mut line: &str, values: &[(&str, &str)]) {
    while let Some(open) = material::find(line, "{") {
        out.push_str(material::between(line, 0, open));
        let from = material::from(line, open);
        let named = values.iter().find(|(name, _)| from.starts_with(name));
        let (name, value) = named.copied().unwrap_or(("{", "{"));
        out.push_str(value);
        line = material::from(from, name.len());
    }
    out.push_str(line);
}

/// What a host's own templates must hold.
const REQUIRED: [(&str, &str, &str); 4] = [
    ("system", "{material}", "where the record of the conversation stands"),
    ("task", "{previous}", "that an earlier summary is to be merged"),
    ("task", "{focus}", "which topic a person asked for"),
    ("task", "{max_tokens}", "how long the summary may be"),
];

/// The instruction for a model that has the whole conversation in front of it.
pub(super) const IN_PLACE: &str = include_str!("templates/in_place.txt");

/// Opens the previous summary's block.
pub(super) const PREVIOUS: &str = "<cg-previous>\n";
/// Closes it.
pub(super) const PREVIOUS_END: &str = "\n</cg-previous>\n";
/// Opens the record of the conversation.
pub(super) const MATERIAL: &str = "<cg-material>\n";
/// Closes it.
pub(super) const MATERIAL_END: &str = "</cg-material>\n\n";
/// Stands for an entry whose text is empty: an image, a blob.
pub(super) const NO_TEXT: &str = "[no text: an image or other content that is left out]";

#[cfg(test)]
mod tests {
    use super::*;

    fn task(templates: &Templates<'_>, merges: bool, focus: &str) -> String {
        let mut out = String::new();
        templates.task_into(&mut out, merges, focus, 750);
        out
    }

    #[test]
    fn our_own_templates_hold_every_placeholder_and_none_is_left_unfilled() {
        let ours = Templates::default();
        assert_eq!(Templates::new(ours.system, ours.task), Ok(ours));
        for text in [ours.system(), task(&ours, true, "the parser"), task(&ours, false, "")] {
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn a_template_that_lacks_a_placeholder_is_refused_by_its_name() {
        let ours = Templates::default();
        for (template, placeholder, what) in REQUIRED {
            let (system, task) = (ours.system.replace(placeholder, ""), ours.task.replace(placeholder, ""));
            let refused = Templates::new(&system, &task).unwrap_err();
            assert_eq!(refused, MissingPlaceholder { template, placeholder, what });
            assert!(refused.to_string().contains(placeholder));
        }
    }

    #[test]
    fn a_line_whose_placeholder_stands_for_nothing_is_left_out() {
        let own = Templates::new("Data: {material}", "A {max_tokens}\nB {previous}\nC {focus}{focus}\nD").unwrap();
        assert_eq!(own.system(), "Data: <cg-material>");
        assert_eq!(task(&own, false, ""), "A 750\nD");
        assert_eq!(task(&own, true, ""), "A 750\nB <cg-previous>\nD");
    }

    #[test]
    fn what_a_placeholder_stands_for_is_not_filled_again_and_other_braces_stay() {
        let own = Templates::new("{material}", "{\"focus\": \"{focus}\", {previous} {max_tokens}}").unwrap();
        let filled = task(&own, true, "{max_tokens} {focus}");
        assert_eq!(filled, "{\"focus\": \"{max_tokens} {focus}\", <cg-previous> 750}");
        assert!(!format!("{own:?}").contains("focus"));
    }
}
