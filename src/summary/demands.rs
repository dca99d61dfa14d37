//! Sentences in which a user says what must or must never be.

use crate::summary::material;

/// Calls `found` with each such sentence in `text`, in order. Linear.
#[inline(never)]
pub(super) fn each_demand<'a>(text: &'a str, found: &mut dyn FnMut(&'a str)) {
    let (mut start, mut before) = (0, ' ');
    for (at, c) in text.char_indices() {
        let ended =
            matches!(c, '\n' | '。' | '！' | '？' | ';' | '；') || c == ' ' && matches!(before, '.' | '!' | '?');
        if ended {
            take(material::between(text, start, at), found);
            start = at + c.len_utf8();
        }
        before = c;
    }
    take(material::from(text, start), found);
}

fn take<'a>(sentence: &'a str, found: &mut dyn FnMut(&'a str)) {
    let sentence = material::trim(sentence).trim_start_matches(['-', '*', '#', '>', ' ']);
    if (MIN_BYTES..=MAX_BYTES).contains(&sentence.len()) && is_demand(sentence) {
        found(sentence);
    }
}

fn is_demand(sentence: &str) -> bool {
    let mut before = "";
    for word in sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let negated = word.eq_ignore_ascii_case("not") && before.eq_ignore_ascii_case("do");
        if negated || DEMANDING.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return true;
        }
        before = word;
    }
    !sentence.is_ascii() && DEMANDING_SIGNS.split(' ').any(|sign| material::find(sentence, sign).is_some())
}

/// Words that make a sentence a demand: English, German, French, Spanish, Portuguese, Italian, Russian, Arabic.
const DEMANDING: [&str; 48] = [
    "must",
    "mustn't",
    "mustn’t",
    "never",
    "always",
    "don't",
    "don’t",
    "shall",
    "required",
    "forbidden",
    "muss",
    "müssen",
    "darf",
    "niemals",
    "immer",
    "nie",
    "verboten",
    "jamais",
    "toujours",
    "doit",
    "doivent",
    "interdit",
    "nunca",
    "jamás",
    "siempre",
    "debe",
    "deben",
    "prohibido",
    "sempre",
    "deve",
    "devem",
    "devono",
    "vietato",
    "никогда",
    "Никогда",
    "всегда",
    "Всегда",
    "нельзя",
    "Нельзя",
    "должен",
    "должна",
    "должны",
    "обязательно",
    "Обязательно",
    "يجب",
    "أبدا",
    "دائما",
    "ممنوع",
];
/// Scripts without blanks between words: Chinese, Japanese, Korean.
const DEMANDING_SIGNS: &str = "必须 必須 不要 绝不 絕不 禁止 不得 不能 务必 切勿 一定要 必ず 絶対 しないで てはいけない なければならない \
    반드시 절대 항상 하지 금지";
/// Shorter tells nothing.
const MIN_BYTES: usize = 10;
/// Longer is a paragraph; it would take the place of everything else.
const MAX_BYTES: usize = 240;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_demand_are_found_in_many_languages_and_others_are_not() {
        let text = "Please look. Never touch src/gen.rs! You don’t need to ask.\n- The mustard is fine\n* Do not push to main. \
                    Das darf nie passieren; danke. Il ne faut jamais supprimer le cache. Nunca borres la tabla. Это нельзя менять. \
                    请看一下。不要修改数据库。テストは必ず実行して。절대 삭제하지 마세요。 يجب أن يبقى الملف. Always? Fine by me";
        let mut found = Vec::new();
        each_demand(text, &mut |sentence| found.push(sentence));
        let expected = [
            "Never touch src/gen.rs!",
            "You don’t need to ask.",
            "Do not push to main.",
            "Das darf nie passieren",
            "Il ne faut jamais supprimer le cache.",
            "Nunca borres la tabla.",
            "Это нельзя менять.",
            "不要修改数据库",
            "テストは必ず実行して",
            "절대 삭제하지 마세요",
            "يجب أن يبقى الملف.",
        ];
        assert_eq!(found, expected);
    }
}
