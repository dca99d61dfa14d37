//! How texts begin that are no summary. Told by a short text's first words, never by what is mentioned inside.

use crate::summary::{
    identifiers::each_identifier,
    material::{between, find, from, head_of, trim},
};

/// Whether there is anything to read: a letter or digit of any script outside of tags.
pub(super) fn has_words(text: &str) -> bool {
    let mut inside_tag = false;
    text.char_indices().any(|(at, c)| {
        inside_tag = match c {
            '<' => from(text, at + 1).starts_with(|next: char| next == '/' || next.is_ascii_alphabetic()),
            '>' => false,
            _ => inside_tag,
        };
        !inside_tag && is_letter(c)
    })
}

fn is_letter(c: char) -> bool {
    match c {
        '\u{0}'..='\u{7f}' => c.is_ascii_alphanumeric(),
        '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' => false,
        '\u{fe00}'..='\u{fe0f}' | '\u{fe30}'..='\u{fe4f}' | '\u{feff}' | '\u{ff00}'..='\u{ff0f}' => false,
        _ => true,
    }
}

/// The message of a failed call.
pub(super) fn is_error(text: &str) -> bool {
    let text = without_title(text);
    if begins_with_any(&first_words(text, true), ERROR_BODIES) {
        return true;
    }
    let words = first_words(text, false);
    let named =
        || words.starts_with("error:") && !tells(text) && any(CALL_FAILURES, &|sign| find(&words, sign).is_some());
    let whole = || any(ERROR_PHRASES, &|phrase| words.strip_prefix(phrase).is_some_and(ends_phrase));
    text.len() <= ERROR_BYTES && (named() || whole() || !tells(text) && begins_with_any(&words, ERROR_OPENINGS))
}

/// The model declined.
pub(super) fn is_refusal(text: &str) -> bool {
    let text = without_title(text);
    text.len() <= REFUSAL_BYTES && begins_with_any(&first_words(text, false), REFUSALS)
}

/// It says that there was nothing to summarise, or is headings with nothing under them. A text that names things is a
/// summary all the same.
pub(super) fn is_degenerate(text: &str) -> bool {
    if is_skeleton(text) {
        return true;
    }
    let text = without_title(text);
    let nameless = text.len() <= DEGENERATE_BYTES && !text.bytes().any(|b| matches!(b, b'/' | b'_' | b'`' | b'"'));
    (text.len() <= NAMELESS_BYTES || nameless) && begins_with_any(&first_words(text, false), DEGENERATE)
}

/// Headings without a word under them; one line alone is none, unless it only says what it is.
fn is_skeleton(text: &str) -> bool {
    let bare = |line: &str| is_heading(line) || is_filler(line);
    let one_line = text.bytes().all(|byte| byte != b'\n');
    text.len() <= SKELETON_BYTES && if one_line { is_filler(text) } else { text.lines().all(bare) }
}

/// A tool call instead of an answer: it begins like one, ends like one, or is one from some line on for the most part.
/// One that is quoted inside a code block is no call.
pub(super) fn is_tool_markup(text: &str) -> bool {
    let body = first_words(text, true);
    let call = (body.starts_with("{\"name\":") || body.starts_with("[{\"name\":"))
        && any(CALL_MEMBERS, &|member| find(&body, member).is_some());
    if call || begins_with_any(&body, TOOL_BODIES) || any(TOOL_ENDS, &|end| text.ends_with(end)) {
        return true;
    }
    let (mut start, mut quoted) = (0, false);
    for line in text.split('\n') {
        if start * 2 > text.len() {
            break;
        }
        quoted ^= line.trim_start().starts_with("```");
        if !quoted && begins_with_any(&first_words(line, true), TOOL_LINES) {
            return true;
        }
        start += line.len() + 1;
    }
    false
}

/// Behind a first line that only says that this is the summary.
fn without_title(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else { return text };
    let words = first_words(first, false);
    let title = first.len() <= TITLE_BYTES && is_heading(first) && any(TITLES, &|title| find(&words, title).is_some());
    if title { trim(rest) } else { text }
}

/// A line that stands over others: `## Goal`, `**Goal**`, `Goal:`, or nothing but marks.
fn is_heading(line: &str) -> bool {
    let line = trim(line);
    let bold = line.starts_with("**") && line.ends_with("**") && !line.ends_with(".**") && !line.ends_with("。**");
    let marked = line.starts_with('#') || bold;
    let short = line.len() <= TITLE_BYTES;
    !has_words(line) || short && (marked || line.ends_with(':') || line.ends_with("：") || line.ends_with(":**"))
}

/// A line that says nothing: `- None.`, `(n/a)`, `Nothing`.
fn is_filler(line: &str) -> bool {
    let marks = |c: char| !is_letter(c);
    let words = first_words(line.trim_matches(marks), false);
    any(FILLERS, &|filler| words == filler)
}

/// Whether a text speaks of something: a user, a file, code.
fn tells(text: &str) -> bool {
    let mut tells = find(text, "user").is_some() || find(text, "`").is_some();
    each_identifier(text, &mut |name| {
        tells |= name.bytes().any(|b| b == b'.' || b == b'/') && find(name, "://").is_none()
    });
    tells
}

/// The first words in lower case with plain apostrophes and commas: without the marks around them, or, `dense`, without
/// the fence of a code block and without blanks.
fn first_words(text: &str, dense: bool) -> String {
    let fenced = dense && text.starts_with("```") && !text.starts_with("```tool_code");
    let text = if fenced { text.split_once('\n').map_or("", |(_, inside)| inside) } else { text };
    let skipped = |c: char| c.is_ascii() && if dense { c.is_ascii_whitespace() } else { !c.is_ascii_alphanumeric() };
    let mut words = String::new();
    for c in head_of(text.trim_start_matches(skipped), WORDS_BYTES).chars() {
        match c {
            '’' => words.push('\''),
            '，' => words.push(','),
            _ if dense && c.is_ascii_whitespace() => {}
            _ => words.push(lower(c)),
        }
    }
    words
}

/// In lower case, as far as the phrases need it: Latin and Cyrillic letters, without the tables of all scripts.
fn lower(c: char) -> char {
    match c {
        '×' => c,
        '\u{c0}'..='\u{de}' | '\u{410}'..='\u{42f}' => char::from_u32(c as u32 + 0x20).unwrap_or(c),
        _ => c.to_ascii_lowercase(),
    }
}

#[inline(never)]
fn begins_with_any(words: &str, starts: &str) -> bool {
    any(starts, &|start| words.starts_with(start))
}

/// Whether one line of `list` satisfies `test`; not generic, so that it is compiled once.
#[inline(never)]
fn any(list: &str, test: &dyn Fn(&str) -> bool) -> bool {
    between(list, 0, list.trim_end().len()).split('\n').any(test)
}

/// Whether a phrase ends here rather than going on as a sentence about it.
fn ends_phrase(rest: &str) -> bool {
    matches!(rest.trim_end().bytes().next(), None | Some(b':' | b'.' | b'!' | b'(' | b'\n' | b';'))
}

/// An error message is shorter than this; a summary that begins like one is not.
const ERROR_BYTES: usize = 300;
/// A refusal explains itself in a few sentences.
const REFUSAL_BYTES: usize = 600;
/// So short a text that begins like a degenerate one says nothing else.
const NAMELESS_BYTES: usize = 60;
/// A degenerate text may give its reasons, without naming anything.
const DEGENERATE_BYTES: usize = 300;
/// A template with every heading and nothing under them is not longer.
const SKELETON_BYTES: usize = 2_000;
/// A heading is one short line.
const TITLE_BYTES: usize = 80;
/// How much of the beginning is looked at.
const WORDS_BYTES: usize = 300;

// One phrase a line, as `first_words` writes them; a blank at the end of a line counts.
const ERROR_BODIES: &str = include_str!("phrases/error_bodies.txt");
const ERROR_OPENINGS: &str = include_str!("phrases/error_openings.txt");
const ERROR_PHRASES: &str = include_str!("phrases/error_phrases.txt");
const CALL_FAILURES: &str = include_str!("phrases/call_failures.txt");
const REFUSALS: &str = include_str!("phrases/refusals.txt");
const DEGENERATE: &str = include_str!("phrases/degenerate.txt");
const FILLERS: &str = include_str!("phrases/fillers.txt");
const TOOL_BODIES: &str = include_str!("phrases/tool_bodies.txt");
const TOOL_LINES: &str = "\
    <tool_call>\n\
    <tool_use>\n\
    <tool_code>\n\
    <function_calls>\n\
    <function=\n\
    <invokename=\n\
    <|tool\n\
    [tool_calls]";
const TOOL_ENDS: &str = "\
    </tool_call>\n\
    </tool_use>\n\
    </tool_code>\n\
    </function_calls>\n\
    </invoke>\n\
    </function>";
/// What an object that is a call has beside its name.
const CALL_MEMBERS: &str = "\
    \"arguments\":\n\
    \"parameters\":\n\
    \"input\":";
const TITLES: &str = "\
    summary\n\
    zusammenfassung\n\
    résumé\n\
    resumen\n\
    resumo\n\
    riassunto\n\
    сводка\n\
    总结\n\
    摘要\n\
    要約\n\
    요약";
