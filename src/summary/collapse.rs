//! Summaries that piled up in a history, made one without a model.

use crate::{
    summary::{Item, Material, append_missing, escape_into, material, receipt},
    tokens::{Tokens, permille},
};

/// One text for the summaries in `summaries`, oldest first, of at most about `cap` tokens: the newest, cut in its middle
/// where it is longer, and as one line what only the older ones named. Each summary was written to replace the ones
/// before it, so that the newest holds what still mattered. Same input, same text; linear.
#[must_use]
pub fn collapse(summaries: &Material<'_>, cap: Tokens) -> String {
    let room = permille(cap, NAMED_PERMILLE);
    let Some((_, newest)) = summaries.iter().next_back() else { return String::new() };
    let kept = cut(newest, bytes_of(cap.saturating_sub(room)));
    let (mut older, mut items) = (String::new(), Vec::new());
    for (item, text) in summaries.iter().take(summaries.len() - 1) {
        older.push_str(text);
        items.push(Item { end: older.len() as u32, ..item });
    }
    match Material::new(&older, &items) {
        Ok(older) => append_missing(&kept, &receipt(&older, &[&kept]), room),
        Err(_) => kept,
    }
}

/// At most about `bytes` of `text`: its beginning and, half as long, its end.
fn cut(text: &str, bytes: usize) -> String {
    let text = material::trim(text);
    let mut kept = String::new();
    if text.len() <= bytes {
        escape_into(&mut kept, text);
        return kept;
    }
    escape_into(&mut kept, material::head_of(text, bytes / 3 * 2));
    kept.push_str(LEFT_OUT);
    escape_into(&mut kept, material::tail_of(text, bytes / 3));
    kept
}

/// The inverse of the rough count, rounded down.
fn bytes_of(tokens: Tokens) -> usize {
    (u64::from(tokens) * 7 / 2) as usize
}

const LEFT_OUT: &str = "\n[…]\n";
/// Share of the cap for what only the older ones named.
const NAMED_PERMILLE: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        summary::material::joined,
        tokens::rough,
        transcript::{Kind, Role},
    };

    fn collapsed(texts: &[&str], cap: Tokens) -> String {
        let entries: Vec<_> = texts.iter().map(|text| (Role::System, Kind::HOST_SUMMARY, *text)).collect();
        let (text, items) = joined(&entries);
        collapse(&Material::new(&text, &items).unwrap(), cap)
    }

    // seeds: B7
    #[test]
    fn the_newest_stands_and_what_only_older_ones_named_follows_as_one_line() {
        let text =
            collapsed(&["Fixed src/old.rs, see https://example.org/a.", "The user wants src/new.rs green."], 1_000);
        assert!(text.starts_with("The user wants src/new.rs green."), "{text}");
        assert!(text.contains("src/old.rs") && text.contains("https://example.org/a"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
        assert_eq!(collapsed(&["only one"], 1_000), "only one");
        assert_eq!(collapsed(&[], 1_000), "");
    }

    // seeds: B7
    #[test]
    fn a_pile_of_139_summaries_stays_under_its_cap_and_breaks_no_character() {
        let long: Vec<String> =
            (0..139).map(|n| format!("Zusammenfassung {n}: ") + &"漢字 src/a.rs ".repeat(550)).collect();
        let texts: Vec<&str> = long.iter().map(String::as_str).collect();
        let text = collapsed(&texts, 1_638);
        assert!(rough(text.len() as u64) <= 1_638 + 2, "{}", rough(text.len() as u64));
        assert!(text.starts_with("Zusammenfassung 138"));
        assert_eq!(text, collapsed(&texts, 1_638));
    }
}
