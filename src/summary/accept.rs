//! What may become a summary, and what is refused and why (rule 6).

use core::fmt;

use crate::{
    summary::{material, openings, repetition},
    tokens::{Tokens, rough},
};

/// How the provider says that the answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// By itself.
    Stop,
    /// At the output limit: the rest is missing.
    Length,
    /// The provider or the model refused.
    Refusal,
    /// With tool calls.
    ToolCalls,
    /// It does not say.
    Unknown,
}

/// What a summary has to stay below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tokens of what it replaces, counted as the index counts: [`crate::plan::SlicePlan::slice_tokens`].
    pub slice_tokens: Tokens,
    /// The most it may take, in model tokens: [`crate::plan::SlicePlan::summary_cap`].
    pub cap: Tokens,
    /// Model tokens per thousand of the index's tokens; 1,000 where nothing is known.
    pub scale_permille: u32,
}

/// A text that may be committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Accepted<'a> {
    /// The summary, without the model's thinking and without blanks around it.
    pub text: &'a str,
    /// Its tokens, counted as the index counts.
    pub tokens: Tokens,
}

/// Why a text is no summary. Each is a failure of class `bad_summary`; history stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// No text, or nothing but thinking.
    Empty,
    /// Cut off at the output limit.
    Unfinished,
    /// The model declined.
    Refusal,
    /// The message of a failed call.
    ErrorText,
    /// A tool call instead of an answer.
    ToolMarkup,
    /// More than half of it is one thing over and over.
    Repetition,
    /// It says that there was nothing to summarise (B8).
    Degenerate,
    /// The model went on with the conversation instead of summarising it where it was asked to, in place.
    NotASummary,
    /// Not smaller than what it would replace. A weak strike as well.
    Grew {
        /// Its tokens.
        tokens: Tokens,
        /// Those of the slice.
        slice_tokens: Tokens,
    },
    /// Longer than it may be.
    OverCap {
        /// Its model tokens.
        tokens: Tokens,
        /// The most it may take.
        cap: Tokens,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Empty => "the summariser wrote nothing",
            Self::Unfinished => "the summary was cut off at the output limit",
            Self::Refusal => "the summariser declined",
            Self::ErrorText => "the summariser's answer is an error message",
            Self::ToolMarkup => "the summariser called a tool instead of writing",
            Self::Repetition => "the summary repeats one thing over and over",
            Self::Degenerate => "the summary says that there was nothing to summarise",
            Self::NotASummary => "the model answered the conversation instead of summarising it",
            Self::Grew { tokens, slice_tokens } => {
                return write!(
                    f,
                    "the summary of {tokens} tokens is not smaller than the {slice_tokens} it would replace{KEPT}"
                );
            }
            Self::OverCap { tokens, cap } => {
                return write!(f, "the summary of {tokens} tokens is longer than the {cap} it may take{KEPT}");
            }
        };
        write!(f, "{what}{KEPT}")
    }
}

/// What every refusal leaves behind.
const KEPT: &str = "; the history stays as it was";

impl Rejection {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Unfinished => "unfinished",
            Self::Refusal => "refusal",
            Self::ErrorText => "error_text",
            Self::ToolMarkup => "tool_markup",
            Self::Repetition => "repetition",
            Self::Degenerate => "degenerate",
            Self::NotASummary => "not_a_summary",
            Self::Grew { .. } => "grew",
            Self::OverCap { .. } => "over_cap",
        }
    }

    /// Whether an answer that was asked for in place deserves one try as a request of its own: the model did something
    /// else, which a persona, tools or the end of the conversation may have led it to. A length, a loop or a failed call
    /// would be the same there.
    #[must_use]
    pub const fn retry_separate(&self) -> bool {
        match self {
            Self::Empty | Self::Refusal | Self::ToolMarkup | Self::Degenerate | Self::NotASummary => true,
            Self::Unfinished | Self::ErrorText | Self::Repetition | Self::Grew { .. } | Self::OverCap { .. } => false,
        }
    }
}

/// Whether `text` may become a summary. Linear.
///
/// Refusals, errors and the like are told by how a *short* text begins, never by what is mentioned inside: a good
/// summary of a debugging session speaks of errors.
///
/// # Errors
/// The first [`Rejection`] that applies.
pub fn check<'a>(text: &'a str, finish: Finish, limits: &Limits) -> Result<Accepted<'a>, Rejection> {
    ended(finish)?;
    let text = without_thinking(text);
    let shape = match () {
        () if !openings::has_words(text) => Some(Rejection::Empty),
        () if openings::is_tool_markup(text) => Some(Rejection::ToolMarkup),
        () if openings::is_error(text) => Some(Rejection::ErrorText),
        () if openings::is_refusal(text) => Some(Rejection::Refusal),
        () if openings::is_degenerate(text) => Some(Rejection::Degenerate),
        () if repetition::repeats(text) => Some(Rejection::Repetition),
        () => None,
    };
    match shape {
        Some(rejection) => Err(rejection),
        None => within(text, limits),
    }
}

/// Refuses an answer by how it ended.
pub(super) const fn ended(finish: Finish) -> Result<(), Rejection> {
    match finish {
        Finish::Length => Err(Rejection::Unfinished),
        Finish::Refusal => Err(Rejection::Refusal),
        Finish::ToolCalls => Err(Rejection::ToolMarkup),
        Finish::Stop | Finish::Unknown => Ok(()),
    }
}

fn within<'a>(text: &'a str, limits: &Limits) -> Result<Accepted<'a>, Rejection> {
    let Limits { slice_tokens, cap, scale_permille } = *limits;
    let tokens = rough(text.len() as u64);
    if tokens >= slice_tokens {
        return Err(Rejection::Grew { tokens, slice_tokens });
    }
    let scaled = u64::from(tokens) * u64::from(scale_permille) / 1_000;
    let scaled = Tokens::try_from(scaled).unwrap_or(Tokens::MAX);
    if scaled > cap {
        return Err(Rejection::OverCap { tokens: scaled, cap });
    }
    Ok(Accepted { text, tokens })
}

/// The text behind the thinking that some models put before their answer; nothing where it never ends.
pub(super) fn without_thinking(text: &str) -> &str {
    let mut text = material::trim(text);
    while let Some((open, close)) = THINKING.into_iter().find(|(open, _)| text.starts_with(open)) {
        let end = material::find(text, close).map_or(text.len(), |end| end + close.len());
        text = material::trim(material::from(text, end.max(open.len())));
    }
    behind_unopened_thinking(text)
}

/// Where the prompt itself opened the thinking, the answer holds its end alone, on a line of its own.
fn behind_unopened_thinking(text: &str) -> &str {
    let Some(end) = material::find(text, UNOPENED) else { return text };
    let rest = material::from(text, end + UNOPENED.len());
    let opened = material::find(material::between(text, 0, end), "<think>").is_some();
    if opened || !(rest.is_empty() || rest.starts_with('\n')) { text } else { material::trim(rest) }
}

impl fmt::Debug for Accepted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accepted").field("bytes", &self.text.len()).field("tokens", &self.tokens).finish()
    }
}

/// How models mark their thinking, and where it ends.
const THINKING: [(&str, &str); 7] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<analysis>", "</analysis>"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
];
const UNOPENED: &str = "\n</think>";

#[cfg(test)]
mod tests {
    use super::*;

    const ROOMY: Limits = Limits { slice_tokens: 100_000, cap: 8_192, scale_permille: 1_000 };

    fn code(text: &str) -> &'static str {
        match check(text, Finish::Stop, &ROOMY) {
            Ok(_) => "accepted",
            Err(rejection) => rejection.code(),
        }
    }

    #[test]
    fn honest_summaries_are_accepted_whatever_they_speak_of() {
        let honest = [
            "User wants the login fixed. Done: src/auth.rs. Open: tests.",
            "Error handling was moved to src/error.rs; the user wants a test for each code.",
            "Error: build fails with E0502 in src/plan.rs. The user wants it fixed without clone(); next: split the borrow.",
            "Errors seen: `Error: Request failed with status code 500` on /api/sync. Cause: missing env. Fixed in sync.ts.",
            "Rate limiting was added to api.ts at 100 requests/min; the user asked for a test.",
            "Internal server error on /login was traced to a missing variable; the user wants a retry.",
            "I can't reproduce the crash yet. The user runs 1.4.2 on macOS; next step: ask for the log.",
            "I cannot help but note: user prefers tabs. Task: port foo.py.",
            "The assistant refused to delete the production table; the user agreed and asked for a dry run.",
            "Nothing to summarize is the text to show on an empty list in src/empty.tsx; the user wants it in red, size 14.",
            "Transcript truncated lines were restored in `log/view.ts:40`; the user then asked for pagination of 50 per page.",
            "The parser now accepts `<tool_call>` blocks. Open: the closing tag in stream.rs.",
            "Sorry-page redesign: the user wants the 404 page in blue. Files: pages/404.tsx.",
            "用户想修复登录错误。已完成:src/auth.rs。待办:测试。",
            "ユーザーは src/auth.rs のエラー処理を直したい。次はテスト。",
            "사용자는 로그인 오류를 고치려고 한다. 다음: tests/login.rs.",
            "Der Nutzer will, dass der Fehler in src/auth.rs behoben wird. Offen: Tests.",
            "L'utilisateur veut corriger l'erreur 500 dans api.ts. Reste : les tests.",
            "El usuario no puede iniciar sesión; se corrigió src/auth.rs. Falta: pruebas.",
            "Пользователь хочет исправить ошибку входа. Осталось: тесты.",
            "المستخدم يريد إصلاح خطأ تسجيل الدخول. المتبقي: الاختبارات.",
            "{\"goal\": \"ship 1.2\", \"errors\": [\"E0502\"], \"open\": [\"changelog\"]}",
            "# Summary\n\n## Goal\nShip 1.2\n\n## Errors\n- `429 Too Many Requests` from the registry, solved by a retry\n",
        ];
        for text in honest {
            assert_eq!(code(text), "accepted", "{text}");
        }
    }

    // seeds: B8
    #[test]
    fn texts_that_are_no_summary_are_refused_each_with_its_own_reason() {
        let cases = [
            ("", "empty"),
            (" \n\t", "empty"),
            ("…", "empty"),
            ("```\n```", "empty"),
            ("<think>The user wants</think>  ", "empty"),
            ("<think>and it never ends", "empty"),
            ("I'm sorry, but I can't assist with that request.", "refusal"),
            ("I’m sorry, but I cannot help with summarizing this.", "refusal"),
            ("**I cannot assist with that.**", "refusal"),
            ("As an AI language model, I am unable to do this.", "refusal"),
            ("Es tut mir leid, aber dabei kann ich nicht helfen.", "refusal"),
            ("Je suis désolé, mais je ne peux pas vous aider.", "refusal"),
            ("Lo siento, pero no puedo ayudar con eso.", "refusal"),
            ("Извините, но я не могу помочь с этим.", "refusal"),
            ("抱歉,我无法协助处理这个请求。", "refusal"),
            ("申し訳ありませんが、そのご要望にはお応えできません。", "refusal"),
            ("죄송하지만 그 요청은 도와드릴 수 없습니다.", "refusal"),
            ("Error: Request failed with status code 529", "error_text"),
            ("Error generating summary: Connection error.", "error_text"),
            ("429 Too Many Requests", "error_text"),
            ("503 Service Unavailable", "error_text"),
            ("{ \"error\": { \"message\": \"context length exceeded\", \"code\": 400 } }", "error_text"),
            ("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", "error_text"),
            ("<!DOCTYPE html><html><body>Bad gateway</body></html>", "error_text"),
            ("Internal server error", "error_text"),
            ("Rate limit exceeded. Try again in 20 s.", "error_text"),
            ("Traceback (most recent call last):\n  File \"a.py\", line 1", "error_text"),
            ("<tool_call>\n{\"name\": \"read\", \"arguments\": {}}\n</tool_call>", "tool_markup"),
            ("Let me look first.\n<invoke name=\"read\"><parameter>a</parameter></invoke>", "tool_markup"),
            ("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}\n```", "tool_markup"),
            ("[TOOL_CALLS][{\"name\":\"read\"}]", "tool_markup"),
            ("Nothing to summarize.", "degenerate"),
            ("There is nothing to summarise yet.", "degenerate"),
            ("(nothing to summarize)", "degenerate"),
            ("[Transcript truncated]", "degenerate"),
            ("(Transcript truncated: 139 messages omitted)", "degenerate"),
            ("No conversation to summarize was provided.", "degenerate"),
            ("The conversation is empty.", "degenerate"),
            ("没有可总结的内容。", "degenerate"),
            ("Es gibt nichts zusammenzufassen.", "degenerate"),
            ("Il n'y a rien à résumer.", "degenerate"),
            ("No hay nada que resumir.", "degenerate"),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text}");
        }
        assert_eq!(code(&"The user wants tests. ".repeat(40)), "repetition");
    }

    #[test]
    fn an_answer_that_did_not_end_by_itself_is_refused_by_how_it_ended() {
        let good = "User wants the login fixed. Done: src/auth.rs. Open: tests.";
        let cases = [(Finish::Length, "unfinished"), (Finish::Refusal, "refusal"), (Finish::ToolCalls, "tool_markup")];
        for (finish, expected) in cases {
            assert_eq!(check(good, finish, &ROOMY).unwrap_err().code(), expected);
        }
        assert_eq!(check(good, Finish::Unknown, &ROOMY).unwrap().text, good);
    }

    #[test]
    fn a_summary_must_be_smaller_than_its_slice_and_under_its_cap() {
        let text: String = (0..50).map(|n| format!("fact {} ", n * n)).collect();
        let tokens = rough(text.trim().len() as u64);
        let limits = |slice_tokens, cap, scale_permille| Limits { slice_tokens, cap, scale_permille };
        let answer = |limits| check(&text, Finish::Stop, &limits).map(|accepted| accepted.tokens);
        assert_eq!(answer(limits(tokens, 10_000, 1_000)), Err(Rejection::Grew { tokens, slice_tokens: tokens }));
        assert_eq!(answer(limits(tokens + 1, tokens, 1_000)), Ok(tokens));
        assert_eq!(answer(limits(10_000, tokens - 1, 1_000)), Err(Rejection::OverCap { tokens, cap: tokens - 1 }));
        assert_eq!(answer(limits(10_000, tokens, 2_000)), Err(Rejection::OverCap { tokens: tokens * 2, cap: tokens }));
    }

    #[test]
    fn thinking_before_the_answer_is_left_out_and_text_is_never_printed() {
        let accepted = check("<think>hm</think>\nGoal: ship 1.2\n", Finish::Stop, &ROOMY).unwrap();
        assert_eq!(accepted.text, "Goal: ship 1.2");
        assert!(!format!("{accepted:?}").contains("ship"));
    }
}
