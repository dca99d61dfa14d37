//! How texts begin that are no summary. Told by a short text's first words, never by what is mentioned inside.

use crate::summary::material::{find, head_of};

/// Whether there is anything to read: a letter or digit of any script.
pub(super) fn has_words(text: &str) -> bool {
    text.chars().any(|c| match c {
        '\u{0}'..='\u{7f}' => c.is_ascii_alphanumeric(),
        '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' => false,
        '\u{fe00}'..='\u{fe0f}' | '\u{fe30}'..='\u{fe4f}' | '\u{feff}' | '\u{ff00}'..='\u{ff0f}' => false,
        _ => true,
    })
}

/// The message of a failed call.
pub(super) fn is_error(text: &str) -> bool {
    if begins_with_any(&first_words(text, true), ERROR_BODIES) {
        return true;
    }
    let words = first_words(text, false);
    let named = || words.starts_with("error:") && any(CALL_FAILURES, &|sign| find(&words, sign).is_some());
    let whole = || any(ERROR_PHRASES, &|phrase| words.strip_prefix(phrase).is_some_and(ends_phrase));
    text.len() <= ERROR_BYTES && (named() || whole() || begins_with_any(&words, ERROR_OPENINGS))
}

/// The model declined.
pub(super) fn is_refusal(text: &str) -> bool {
    text.len() <= REFUSAL_BYTES && begins_with_any(&first_words(text, false), REFUSALS)
}

/// It says that there was nothing to summarise. A text that names things is a summary all the same.
pub(super) fn is_degenerate(text: &str) -> bool {
    let nameless = text.len() <= DEGENERATE_BYTES && !text.bytes().any(|b| matches!(b, b'/' | b'_' | b'`' | b'"'));
    (text.len() <= NAMELESS_BYTES || nameless) && begins_with_any(&first_words(text, false), DEGENERATE)
}

/// A tool call instead of an answer: it begins like one, ends like one, or is one from some line on for the most part.
pub(super) fn is_tool_markup(text: &str) -> bool {
    if begins_with_any(&first_words(text, true), TOOL_BODIES) || any(TOOL_ENDS, &|end| text.ends_with(end)) {
        return true;
    }
    let mut start = 0;
    for line in text.split('\n') {
        if start * 2 > text.len() {
            break;
        }
        if begins_with_any(&first_words(line, true), TOOL_LINES) {
            return true;
        }
        start += line.len() + 1;
    }
    false
}

/// The first words in lower case with plain apostrophes and commas: without the marks around them, or, `dense`, without
/// the fence of a code block and without blanks.
fn first_words(text: &str, dense: bool) -> String {
    let fenced = dense && text.starts_with("```");
    let text = if fenced { text.split_once('\n').map_or("", |(_, inside)| inside) } else { text };
    let skipped = |c: char| c.is_ascii() && if dense { c.is_ascii_whitespace() } else { !c.is_ascii_alphanumeric() };
    let mut words = String::new();
    for c in head_of(text.trim_start_matches(skipped), WORDS_BYTES).chars() {
        match c {
            '’' => words.push('\''),
            '，' => words.push(','),
            _ if dense && c.is_ascii_whitespace() => {}
            _ => words.push(c.to_ascii_lowercase()),
        }
    }
    words
}

#[inline(never)]
fn begins_with_any(words: &str, starts: &str) -> bool {
    any(starts, &|start| words.starts_with(start))
}

/// Whether one line of `list` satisfies `test`; not generic, so that it is compiled once.
#[inline(never)]
fn any(list: &str, test: &dyn Fn(&str) -> bool) -> bool {
    list.split('\n').any(test)
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
/// How much of the beginning is looked at.
const WORDS_BYTES: usize = 300;

const ERROR_BODIES: &str = "\
    {\"error\":\n\
    [{\"error\":\n\
    {\"type\":\"error\"\n\
    <!doctypehtml\n\
    <html";
const ERROR_OPENINGS: &str = "\
    error generating \n\
    failed to generate \n\
    an error occurred while generating\n\
    an error occurred while processing your request\n\
    traceback (most recent call last)\n\
    upstream connect error";
const ERROR_PHRASES: &str = "\
    internal server error\n\
    500 internal server error\n\
    bad gateway\n\
    502 bad gateway\n\
    service unavailable\n\
    503 service unavailable\n\
    gateway timeout\n\
    gateway time-out\n\
    504 gateway timeout\n\
    504 gateway time-out\n\
    too many requests\n\
    429 too many requests\n\
    rate limit exceeded\n\
    rate limit reached\n\
    request timed out\n\
    request was aborted\n\
    connection error\n\
    fetch failed\n\
    overloaded\n\
    unauthorized\n\
    401 unauthorized\n\
    403 forbidden";
const CALL_FAILURES: &str = "\
    status code\n\
    timed out\n\
    timeout\n\
    api key\n\
    request failed\n\
    bad request\n\
    connection\n\
    rate limit\n\
    quota\n\
    exceeded\n\
    overloaded\n\
    network\n\
    internal server\n\
    fetch failed\n\
    unauthorized";

const REFUSALS: &str = "\
    i'm sorry, but i can\n\
    i am sorry, but i can\n\
    i'm sorry, i can\n\
    sorry, but i can\n\
    sorry, i can\n\
    i apologize, but i can\n\
    i'm sorry, but i'm \n\
    i can't assist\n\
    i cannot assist\n\
    i can't help with\n\
    i cannot help with\n\
    i can't comply\n\
    i cannot comply\n\
    i can't summarize\n\
    i cannot summarize\n\
    i'm unable to assist\n\
    i am unable to assist\n\
    i'm unable to help\n\
    i'm not able to help\n\
    i won't be able to help\n\
    as an ai \n\
    as a language model\n\
    es tut mir leid, aber\n\
    tut mir leid, aber\n\
    je suis désolé, mais\n\
    désolé, mais je\n\
    lo siento, pero no\n\
    desculpe, mas não\n\
    mi dispiace, ma non\n\
    извините, но я не\n\
    Извините, но я не\n\
    К сожалению, я не могу\n\
    抱歉,我\n\
    对不起,我\n\
    很抱歉,我\n\
    申し訳ありませんが\n\
    申し訳ございませんが\n\
    죄송하지만";

const DEGENERATE: &str = "\
    nothing to summari\n\
    there is nothing to summari\n\
    there's nothing to summari\n\
    there is no content to summari\n\
    there is no conversation\n\
    there are no messages\n\
    no content to summari\n\
    no conversation to summari\n\
    no conversation history\n\
    no messages to summari\n\
    no transcript\n\
    no prior conversation\n\
    no previous conversation\n\
    no summary available\n\
    summary unavailable\n\
    summary not available\n\
    transcript truncated\n\
    transcript was truncated\n\
    the transcript is truncated\n\
    the transcript was truncated\n\
    conversation truncated\n\
    the conversation is empty\n\
    the conversation history is empty\n\
    the transcript is empty\n\
    there was nothing to summari\n\
    es gibt nichts zusammenzufassen\n\
    nichts zusammenzufassen\n\
    il n'y a rien à résumer\n\
    rien à résumer\n\
    no hay nada que resumir\n\
    não há nada para resumir\n\
    没有可总结\n\
    没有内容可\n\
    要約する内容がありません";

const TOOL_BODIES: &str = "\
    <tool_call\n\
    <tool_use\n\
    <function_call\n\
    <function=\n\
    <invoke\n\
    <|tool\n\
    <|python_tag|>\n\
    <｜tool\n\
    [tool_call\n\
    [{\"name\":\n\
    {\"name\":\n\
    {\"tool_calls\":\n\
    {\"function_call\":\n\
    {\"type\":\"function\"\n\
    {\"type\":\"tool_use\"\n\
    [{\"type\":\"function\"\n\
    [{\"type\":\"tool_use\"";
const TOOL_LINES: &str = "\
    <tool_call>\n\
    <tool_use>\n\
    <function_calls>\n\
    <function=\n\
    <invokename=\n\
    <|tool\n\
    [tool_calls]";
const TOOL_ENDS: &str = "\
    </tool_call>\n\
    </tool_use>\n\
    </function_calls>\n\
    </invoke>\n\
    </function>";
