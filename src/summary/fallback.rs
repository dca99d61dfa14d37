//! A summary without a model: what can be kept by rule alone.

use crate::{
    summary::{Finish, Limits, Material, accept, blob::without_blobs, identifiers::each_identifier, material},
    tokens::Tokens,
    transcript::{Kind, Role},
};

/// The plain summary (no model) of `material`: how much was left out, the beginning of the previous summary, the last
/// requests of the user, the last words of the model, and the names that occur. Same input, same bytes; within the
/// limits and 8,000 bytes; no character is broken.
///
/// `None` where not even its first line would pass [`accept::check`]: the slice is too small to be replaced.
#[must_use]
pub fn fallback(material: &Material<'_>, previous: Option<&str>, limits: &Limits) -> Option<String> {
    let budget = budget(limits);
    let mut draft = Draft { text: title(material), budget };
    draft.text.truncate(draft.text.floor_char_boundary(budget));
    let title = draft.text.clone();
    draft.everything(material, previous);
    let passes = |text: &String| accept::check(text, Finish::Stop, limits).is_ok();
    Some(draft.text).filter(passes).or_else(|| Some(title).filter(passes))
}

fn title(material: &Material<'_>) -> String {
    let mut counts = [0_u64; 4];
    material.iter().for_each(|(item, _)| counts[item.role as usize] += 1);
    let mut title = String::from("Plain summary (no model). Left out: ");
    material::push_number(&mut title, material.len() as u64);
    for (lead, role) in
        [(" entries, ", Role::User), (" of the user, ", Role::Assistant), (" of the assistant, ", Role::Tool)]
    {
        title.push_str(lead);
        material::push_number(&mut title, counts[role as usize]);
    }
    title.push_str(" of tools.");
    title
}

/// The bytes that a summary within `limits` may have: the inverse of the rough count, rounded down.
fn budget(limits: &Limits) -> usize {
    let cap = u64::from(limits.cap) * 1_000 / u64::from(limits.scale_permille.max(1));
    let tokens = cap.min(u64::from(limits.slice_tokens.saturating_sub(1))).min(u64::from(Tokens::MAX));
    usize::try_from(tokens * 7 / 2).unwrap_or(MAX_BYTES).min(MAX_BYTES)
}

/// The text so far, which never exceeds its budget.
struct Draft {
    text: String,
    budget: usize,
}

impl Draft {
    fn everything(&mut self, material: &Material<'_>, previous: Option<&str>) {
        let left_behind = || material.iter().rev().find(|(item, _)| item.kind.any(Kind::HOST_SUMMARY));
        if let Some(previous) = previous.or_else(|| left_behind().map(|(_, text)| text)) {
            self.section("Earlier summary, its beginning:", material::trim(previous), self.budget / 4);
        }
        self.requests(material);
        let last_words = material
            .iter()
            .rev()
            .find(|(item, text)| is_answer(item.role, item.kind) && !material::trim(text).is_empty());
        if let Some((_, text)) = last_words {
            self.section("Last words of the assistant:", material::trim(text), self.budget / 8);
        }
        self.names(material);
    }

    /// The last different requests of the user, oldest first.
    fn requests(&mut self, material: &Material<'_>) {
        let mut requests: Vec<&str> = Vec::new();
        for (item, text) in material.iter().rev() {
            let text = material::trim(text);
            if item.is_real_user() && !text.is_empty() && !requests.contains(&text) {
                requests.push(text);
            }
            if requests.len() == REQUESTS {
                break;
            }
        }
        for request in requests.iter().rev() {
            self.section("Request of the user:", request, self.budget / 8);
        }
    }

    /// Names that occur, the latest first, each once.
    fn names(&mut self, material: &Material<'_>) {
        let mut names: Vec<&str> = Vec::new();
        for (_, text) in material.iter().rev() {
            if names.len() == NAMES {
                break;
            }
            each_identifier(text, &mut |name| {
                if names.len() < NAMES && !names.contains(&name) {
                    names.push(name);
                }
            });
        }
        let mut lead = "\nNamed: ";
        for name in names {
            if self.text.len() + lead.len() + name.len() > self.budget {
                break;
            }
            self.text.push_str(lead);
            self.text.push_str(name);
            lead = ", ";
        }
    }

    /// A heading with at most `bytes` of `text` under it; nothing where no useful part of it fits.
    #[inline(never)]
    fn section(&mut self, heading: &str, text: &str, bytes: usize) {
        let text = &*without_blobs(text);
        let room = self.budget.saturating_sub(self.text.len() + heading.len() + 2 + LEFT_OUT.len()).min(bytes);
        if room < MIN_SECTION_BYTES.min(text.len()) {
            return;
        }
        self.text.push('\n');
        self.text.push_str(heading);
        self.text.push(' ');
        self.text.push_str(material::head_of(text, room));
        if text.len() > room {
            self.text.push_str(LEFT_OUT);
        }
    }
}

fn is_answer(role: Role, kind: Kind) -> bool {
    role == Role::Assistant && !kind.any(Kind::HOST_SUMMARY)
}

/// Bounds it whatever the cap: rules cannot choose well enough to deserve more.
const MAX_BYTES: usize = 8_000;
/// How many requests of the user it quotes.
const REQUESTS: usize = 3;
/// How many names it lists.
const NAMES: usize = 200;
/// Less of a text than this tells nothing.
const MIN_SECTION_BYTES: usize = 24;
/// Marks a text that was cut.
const LEFT_OUT: &str = " […]";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::material::joined;

    fn made(entries: &[(Role, Kind, &str)], previous: Option<&str>, cap: Tokens) -> Option<String> {
        let (text, items) = joined(entries);
        let material = Material::new(&text, &items).unwrap();
        fallback(&material, previous, &Limits { slice_tokens: 100_000, cap, scale_permille: 1_000 })
    }

    const CONVERSATION: [(Role, Kind, &str); 5] = [
        (Role::User, Kind::NONE, "Fix the login in src/auth.rs"),
        (Role::Assistant, Kind::CALL, "read src/auth.rs"),
        (Role::Tool, Kind::RESULT, "see https://example.org/issue/7 and Cargo.toml"),
        (Role::User, Kind::SYNTHETIC, "continue"),
        (Role::Assistant, Kind::NONE, "The token was never refreshed."),
    ];

    #[test]
    fn a_plain_summary_keeps_requests_last_words_names_and_says_what_is_gone() {
        let summary = made(&CONVERSATION, Some("Goal: ship 1.2"), 1_000).unwrap();
        let expected = "Plain summary (no model). Left out: 5 entries, 2 of the user, 2 of the assistant, 1 of tools.\n\
                        Earlier summary, its beginning: Goal: ship 1.2\n\
                        Request of the user: Fix the login in src/auth.rs\n\
                        Last words of the assistant: The token was never refreshed.\n\
                        Named: https://example.org/issue/7, Cargo.toml, src/auth.rs";
        assert_eq!(summary, expected);
    }

    // seeds: B2
    #[test]
    fn a_summary_that_a_host_left_behind_stands_in_for_a_missing_previous_one() {
        let left = (Role::System, Kind::HOST_SUMMARY, "Goal: ship 1.3");
        let summary = made(&[left, CONVERSATION[0]], None, 1_000).unwrap();
        assert!(summary.contains("its beginning: Goal: ship 1.3"), "{summary}");
    }

    #[test]
    fn a_request_that_is_mostly_an_inline_image_is_quoted_without_it() {
        let pasted = format!("What is on it? data:image/png;base64,{}", "iVBORw0KGgo7".repeat(9_000));
        let summary = made(&[(Role::User, Kind::NONE, &pasted)], None, 1_000).unwrap();
        assert!(summary.ends_with("Request of the user: What is on it? [image, 108,022 bytes]"), "{summary}");
    }

    #[test]
    fn a_text_that_goes_round_in_circles_is_not_quoted() {
        let stuck = "again and again ".repeat(2_000);
        let summary = made(&[(Role::User, Kind::NONE, &stuck)], None, 8_000).unwrap();
        assert_eq!(summary.lines().count(), 1, "{summary}");
    }
}
