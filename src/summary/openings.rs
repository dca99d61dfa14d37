//! How texts begin that are no summary. Told by a short text's first words, never by what is mentioned inside.

use crate::summary::material::head_of;

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
    let dense = dense_start(text);
    if ERROR_BODIES.iter().any(|start| dense.starts_with(start)) {
        return true;
    }
    if text.len() > ERROR_BYTES {
        return false;
    }
    let words = first_words(text);
    let whole = |phrase: &&str| words.strip_prefix(*phrase).is_some_and(ends_phrase);
    let named = words.starts_with("error:") && CALL_FAILURES.iter().any(|sign| words.contains(sign));
    named || ERROR_OPENINGS.iter().any(|start| words.starts_with(start)) || ERROR_PHRASES.iter().any(whole)
}

/// The model declined.
pub(super) fn is_refusal(text: &str) -> bool {
    text.len() <= REFUSAL_BYTES && {
        let words = first_words(text);
        REFUSALS.iter().any(|start| words.starts_with(start))
    }
}

/// It says that there was nothing to summarise. A text that names things is a summary all the same.
pub(super) fn is_degenerate(text: &str) -> bool {
    let short = text.len() <= NAMELESS_BYTES;
    let nameless = !text.contains(['/', '_', '`', '"']) && text.len() <= DEGENERATE_BYTES;
    (short || nameless) && {
        let words = first_words(text);
        DEGENERATE.iter().any(|start| words.starts_with(start))
    }
}

/// A tool call instead of an answer: it begins like one, ends like one, or is one from some line on for the most part.
pub(super) fn is_tool_markup(text: &str) -> bool {
    let dense = dense_start(text);
    if TOOL_BODIES.iter().any(|start| dense.starts_with(start)) || TOOL_ENDS.iter().any(|end| text.ends_with(end)) {
        return true;
    }
    let lines = text.split_inclusive('\n').scan(0, |start, line| {
        let at = *start;
        *start += line.len();
        Some((at, line))
    });
    let mut marked = lines.filter(|(_, line)| TOOL_LINES.iter().any(|mark| dense_start(line).starts_with(mark)));
    marked.next().is_some_and(|(at, _)| at * 2 <= text.len())
}

/// The first words in lower case, without marks around them and with plain apostrophes.
fn first_words(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    head_of(text, WORDS_BYTES).replace('’', "'").replace('，', ",").to_ascii_lowercase()
}

/// The first characters in lower case without blanks and without the fence of a code block.
fn dense_start(text: &str) -> String {
    let text = text.trim_start();
    let fenced = text.strip_prefix("```").map(|fenced| fenced.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    let start = head_of(fenced.unwrap_or(text), WORDS_BYTES);
    start.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a phrase ends here rather than going on as a sentence about it.
fn ends_phrase(rest: &str) -> bool {
    rest.trim_end().is_empty() || rest.starts_with([':', '.', '!', '(', '\n', ';'])
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

const ERROR_BODIES: [&str; 5] = ["{\"error\":", "[{\"error\":", "{\"type\":\"error\"", "<!doctypehtml", "<html"];
const ERROR_OPENINGS: [&str; 6] = [
    "error generating ",
    "failed to generate ",
    "an error occurred while generating",
    "an error occurred while processing your request",
    "traceback (most recent call last)",
    "upstream connect error",
];
const ERROR_PHRASES: [&str; 22] = [
    "internal server error",
    "500 internal server error",
    "bad gateway",
    "502 bad gateway",
    "service unavailable",
    "503 service unavailable",
    "gateway timeout",
    "gateway time-out",
    "504 gateway timeout",
    "504 gateway time-out",
    "too many requests",
    "429 too many requests",
    "rate limit exceeded",
    "rate limit reached",
    "request timed out",
    "request was aborted",
    "connection error",
    "fetch failed",
    "overloaded",
    "unauthorized",
    "401 unauthorized",
    "403 forbidden",
];
const CALL_FAILURES: [&str; 15] = [
    "status code",
    "timed out",
    "timeout",
    "api key",
    "request failed",
    "bad request",
    "connection",
    "rate limit",
    "quota",
    "exceeded",
    "overloaded",
    "network",
    "internal server",
    "fetch failed",
    "unauthorized",
];

const REFUSALS: [&str; 38] = [
    "i'm sorry, but i can",
    "i am sorry, but i can",
    "i'm sorry, i can",
    "sorry, but i can",
    "sorry, i can",
    "i apologize, but i can",
    "i'm sorry, but i'm ",
    "i can't assist",
    "i cannot assist",
    "i can't help with",
    "i cannot help with",
    "i can't comply",
    "i cannot comply",
    "i can't summarize",
    "i cannot summarize",
    "i'm unable to assist",
    "i am unable to assist",
    "i'm unable to help",
    "i'm not able to help",
    "i won't be able to help",
    "as an ai ",
    "as a language model",
    "es tut mir leid, aber",
    "tut mir leid, aber",
    "je suis désolé, mais",
    "désolé, mais je",
    "lo siento, pero no",
    "desculpe, mas não",
    "mi dispiace, ma non",
    "извините, но я не",
    "Извините, но я не",
    "К сожалению, я не могу",
    "抱歉,我",
    "对不起,我",
    "很抱歉,我",
    "申し訳ありませんが",
    "申し訳ございませんが",
    "죄송하지만",
];

const DEGENERATE: [&str; 34] = [
    "nothing to summari",
    "there is nothing to summari",
    "there's nothing to summari",
    "there is no content to summari",
    "there is no conversation",
    "there are no messages",
    "no content to summari",
    "no conversation to summari",
    "no conversation history",
    "no messages to summari",
    "no transcript",
    "no prior conversation",
    "no previous conversation",
    "no summary available",
    "summary unavailable",
    "summary not available",
    "transcript truncated",
    "transcript was truncated",
    "the transcript is truncated",
    "the transcript was truncated",
    "conversation truncated",
    "the conversation is empty",
    "the conversation history is empty",
    "the transcript is empty",
    "there was nothing to summari",
    "es gibt nichts zusammenzufassen",
    "nichts zusammenzufassen",
    "il n'y a rien à résumer",
    "rien à résumer",
    "no hay nada que resumir",
    "não há nada para resumir",
    "没有可总结",
    "没有内容可",
    "要約する内容がありません",
];

const TOOL_BODIES: [&str; 17] = [
    "<tool_call",
    "<tool_use",
    "<function_call",
    "<function=",
    "<invoke",
    "<|tool",
    "<|python_tag|>",
    "<｜tool",
    "[tool_call",
    "[{\"name\":",
    "{\"name\":",
    "{\"tool_calls\":",
    "{\"function_call\":",
    "{\"type\":\"function\"",
    "{\"type\":\"tool_use\"",
    "[{\"type\":\"function\"",
    "[{\"type\":\"tool_use\"",
];
const TOOL_LINES: [&str; 7] =
    ["<tool_call>", "<tool_use>", "<function_calls>", "<function=", "<invokename=", "<|tool", "[tool_calls]"];
const TOOL_ENDS: [&str; 5] = ["</tool_call>", "</tool_use>", "</function_calls>", "</invoke>", "</function>"];
