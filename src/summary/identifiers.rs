//! Names in a text that a summary must not lose: paths, URLs, file names.

/// Calls `found` with each name in `text`, in order; repeats included.
#[inline(never)]
pub(super) fn each_identifier<'a>(text: &'a str, found: &mut dyn FnMut(&'a str)) {
    for word in text.split(is_parter) {
        let word = word.trim_end_matches(is_end_mark);
        if (MIN_BYTES..=MAX_BYTES).contains(&word.len()) && (is_path(word) || is_file_name(word)) {
            found(word);
        }
    }
}

/// Blanks, brackets, quotes, list marks.
fn is_parter(c: char) -> bool {
    let plain = matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | '|' | ',' | '*');
    c <= ' ' || plain || matches!(c, '“' | '”' | '\u{a0}' | '\u{3000}' | '、' | '，' | '。')
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | ';' | ':' | '!' | '?' | '=' | '…')
}

/// A separator with something behind it, a letter, and a sign that it is no prose: `src/lib.rs`, `https://x.y`; not
/// `1/2`, not `and/or`.
fn is_path(word: &str) -> bool {
    let bytes = word.as_bytes();
    let separators = bytes[..bytes.len() - 1].iter().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let telling = separators > 1
        || matches!(bytes[0], b'/' | b'~')
        || bytes.iter().any(|byte| matches!(byte, b'.' | b'_' | b'-' | b':' | b'\\'));
    separators > 0 && telling && !word.starts_with("data:") && bytes.iter().any(u8::is_ascii_alphabetic)
}

/// `parse.rs`, `Cargo.toml`; not `e.g`, not `3.14`.
fn is_file_name(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some(dot) = bytes.iter().rposition(|&byte| byte == b'.') else { return false };
    let (name, extension) = (&bytes[..dot], &bytes[dot + 1..]);
    let known = (2..=5).contains(&extension.len())
        && extension.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && extension.iter().any(u8::is_ascii_lowercase);
    known
        && name.len() > 1
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

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
        each_identifier(text, &mut |name| found.push(name));
        assert_eq!(found, ["src/plan/cut.rs", "https://example.org/a?b=c", "Cargo.toml", "C:\\tmp\\x", "./run.sh"]);
    }
}
