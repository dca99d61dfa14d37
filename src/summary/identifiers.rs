//! Names in a text that a summary must not lose: paths, URLs, file names.

/// Calls `found` with each name in `text`, in order; repeats included.
pub(super) fn each_identifier<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    for word in text.split(|c: char| c.is_whitespace() || BRACKETS.contains(&c)) {
        let word = word.trim_start_matches(['*', '=', ':', '…']).trim_end_matches(END_MARKS);
        if (MIN_BYTES..=MAX_BYTES).contains(&word.len()) && (is_path(word) || is_file_name(word)) {
            found(word);
        }
    }
}

/// Something on both sides of a separator, and a letter: `src/lib.rs`, `https://x.y`, not `1/2` and not `and/or/`.
fn is_path(word: &str) -> bool {
    let separated = word.contains("://") || word.trim_end_matches('/').contains('/') || word.contains('\\');
    let telling =
        word.starts_with(['/', '.', '~']) || word.contains(['.', '_', '-', ':']) || word.matches('/').count() > 1;
    separated && telling && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// `parse.rs`, `Cargo.toml`; not `e.g`, not `3.14`.
fn is_file_name(word: &str) -> bool {
    let Some((name, extension)) = word.rsplit_once('.') else { return false };
    let known = (2..=5).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && extension.bytes().any(|b| b.is_ascii_lowercase());
    known && name.len() > 1 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

const BRACKETS: [char; 15] = ['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '|', '“', '”', ','];
const END_MARKS: [char; 11] = ['.', ';', ':', '!', '?', '*', '=', '…', '。', '、', '，'];
/// `a/b` and shorter is noise.
const MIN_BYTES: usize = 4;
/// Longer is a blob.
const MAX_BYTES: usize = 160;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_prose_is_not() {
        let text = "See `src/plan/cut.rs`, (https://example.org/a?b=c) and Cargo.toml; e.g. 3.14 and/or 1/2, C:\\tmp\\x. \
                    Läuft in ./run.sh。";
        let mut found = Vec::new();
        each_identifier(text, |name| found.push(name));
        assert_eq!(found, ["src/plan/cut.rs", "https://example.org/a?b=c", "Cargo.toml", "C:\\tmp\\x", "./run.sh"]);
    }
}
