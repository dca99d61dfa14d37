//! What a summary must keep letter by letter, found without a model: paths, URLs, file names, ids, error codes, numbers
//! with their units, quoted names.

use crate::summary::material;

/// Calls `found` with each identifier in `text`, in order; repeats included. Linear.
#[inline(never)]
pub(super) fn each_identifier<'a>(text: &'a str, found: &mut dyn FnMut(&'a str)) {
    let (mut before, mut at) = ((0, ""), 0);
    while let Some((start, raw)) = next_word(text, at) {
        at = start + raw.len();
        let word = raw.trim_end_matches(is_end_mark);
        let (before_start, before_word) = before;
        let side_by_side = material::between(text, before_start + before_word.len(), start) == " ";
        let unit = material::from(text, at).chars().next().filter(|c| UNIT_SIGNS.contains(*c));
        if is_number(word) && word.len() == raw.len() && unit.is_some() {
            found(material::between(text, start, at + unit.map_or(0, char::len_utf8)));
        } else if is_name(word) {
            found(word);
        } else if side_by_side && is_pair(before_word, word) {
            found(material::between(text, before_start, start + word.len()));
        }
        before = (start, raw);
    }
}

/// Calls `found` with what stands between quotes of any kind, or as code: short, on one line. Linear.
#[inline(never)]
pub(super) fn each_quoted<'a>(text: &'a str, found: &mut dyn FnMut(&'a str)) {
    let (mut open, mut before) = (None, ' ');
    for (at, c) in text.char_indices() {
        match open {
            Some((start, close)) if c == close => {
                let name = material::between(text, start, at);
                if (MIN_BYTES..=QUOTED_BYTES).contains(&name.len()) && material::trim(name).len() == name.len() {
                    found(name);
                }
                open = None;
            }
            Some((start, _)) if c == '\n' || at - start > QUOTED_BYTES => open = None,
            Some(_) => {}
            None => {
                let pair = QUOTES.iter().find(|(quote, _)| *quote == c);
                // A straight quote inside a word is an inch, a closing one, or code.
                let begins = c != '"' || !before.is_alphanumeric();
                open = pair.filter(|_| begins).map(|(_, close)| (at + c.len_utf8(), *close));
            }
        }
        before = c;
    }
}

/// The next word at or behind `at`, and where it begins. A comma between digits is part of a number.
fn next_word(text: &str, at: usize) -> Option<(usize, &str)> {
    let rest = material::from(text, at);
    let start = at + (rest.len() - rest.trim_start_matches(is_parter).len());
    let word = material::from(text, start);
    let mut chars = word.char_indices().peekable();
    let mut digit = false;
    while let Some((end, c)) = chars.next() {
        let within_number = c == ',' && digit && chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if is_parter(c) && !within_number {
            return Some((start, material::between(word, 0, end)));
        }
        digit = c.is_ascii_digit();
    }
    (!word.is_empty()).then_some((start, word))
}

/// Blanks, brackets, quotes, list marks, and the scripts that set no blanks between words.
pub(super) fn is_parter(c: char) -> bool {
    let plain = matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | '|' | ',' | '*');
    let marks = matches!(c, '“' | '”' | '„' | '«' | '»' | '\u{a0}');
    c <= ' '
        || plain
        || marks
        || matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}')
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | ';' | ':' | '!' | '?' | '=' | '…')
}

fn is_name(word: &str) -> bool {
    (MIN_BYTES..=MAX_BYTES).contains(&word.len())
        && (is_path(word) || is_file_name(word) || is_id(word) || is_amount(word))
}

/// A separator with something behind it, a letter, and a sign that it is no prose: `src/lib.rs`, `https://x.y`; not
/// `1/2`, not `and/or`, not an image that is written out.
fn is_path(word: &str) -> bool {
    let bytes = word.as_bytes();
    let separators = bytes[..bytes.len() - 1].iter().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let telling = separators > 1
        || matches!(bytes[0], b'/' | b'~')
        || bytes.iter().any(|byte| matches!(byte, b'.' | b'_' | b'-' | b':' | b'\\'));
    let long = bytes.len() >= MIN_PATH_BYTES && !word.starts_with("data:");
    long && separators > 0 && telling && bytes.iter().any(u8::is_ascii_alphabetic)
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

/// What a word is made of.
#[derive(Default)]
struct Shape {
    digits: usize,
    upper: usize,
    lower: usize,
    hex: usize,
    marks: usize,
    dots: usize,
    others: usize,
}

impl Shape {
    fn of(word: &str) -> Self {
        let mut shape = Self::default();
        for byte in word.bytes() {
            shape.hex += usize::from(byte.is_ascii_hexdigit());
            match byte {
                b'0'..=b'9' => shape.digits += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'a'..=b'z' => shape.lower += 1,
                b'-' | b'_' => shape.marks += 1,
                b'.' => shape.dots += 1,
                _ => shape.others += 1,
            }
        }
        shape
    }
}

/// Uuids, hashes, tickets, versions, dates, error codes, options: `#4521`, `ABC-12`, `9f86d08`, `E0502`, `ERR_TIMED_OUT`,
/// `v1.4.2`, `--no-verify`.
fn is_id(word: &str) -> bool {
    let Shape { digits, upper, lower, hex, marks, dots, others } = Shape::of(word);
    let (letters, plain) = (upper + lower, others + dots == 0);
    let number_sign = word.starts_with('#') && digits > 0 && digits + 1 == word.len();
    let option = word.starts_with("--") && letters > 1 && plain;
    let hash = hex == word.len() && (7..=128).contains(&hex) && digits > 0 && letters > 0;
    let mixed = plain && marks > 0 && digits > 1 && letters > 1 && word.len() >= MIXED_BYTES;
    let ticket = plain && marks == 1 && upper > 1 && lower == 0 && word.as_bytes()[word.len() - 1].is_ascii_digit();
    let date = plain && marks == 2 && digits == 8 && letters == 0;
    let version = others + marks == 0 && digits > 1 && (dots > 1 && letters == 0 || dots > 0 && word.starts_with('v'));
    let code = plain && marks == 0 && lower == 0 && upper > 0 && digits > 1 && !word.as_bytes()[0].is_ascii_digit();
    let constant = plain && marks > 0 && lower == 0 && upper > 2 && word.contains('_');
    let address = word.starts_with("0x") && hex + 1 == word.len() && hex > 4;
    let names = [number_sign, option, hash, mixed, ticket, date, version, code, constant, address];
    names.contains(&true) || upper > 3 && upper == word.len() && is_one_of(SYSTEM_ERRORS, word)
}

/// A number with its unit in one word: `10ms`, `3.5GB`, `80%`, `$1,200`.
fn is_amount(word: &str) -> bool {
    let bare = word.trim_start_matches(['$', '€', '£', '¥']);
    if bare.len() < word.len() {
        return is_number(bare);
    }
    let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    number.len() < word.len() && is_number(number) && is_unit(material::from(word, number.len()))
}

/// Two words that are one identifier: `450 MB`, `HTTP 429`, `code 137`.
fn is_pair(first: &str, second: &str) -> bool {
    is_number(first) && is_unit(second)
        || second.len() > 1
            && second.bytes().all(|byte| byte.is_ascii_digit())
            && is_one_of(CODE_LEADS, &first.to_ascii_lowercase())
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-' | b'+'))
}

fn is_unit(word: &str) -> bool {
    word.len() <= 12 && is_one_of(UNITS, &word.to_ascii_lowercase())
}

/// Whether `list` has `word` among its words.
#[inline(never)]
fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

const UNITS: &str = "% ‰ ° °c °f ns µs us ms s sec secs second seconds min mins minute minutes h hr hrs hour hours day days \
    week weeks month months year years b kb mb gb tb kib mib gib tib byte bytes bit bits k m tokens px pt em rem hz khz mhz \
    ghz mm cm km kg mg g w kw v usd eur gbp € $ £ ¥ users requests req/s rps req/min rows items files lines pages times \
    stunden minuten sekunden tage wochen monate jahre uhr heures jours semaines mois ans horas minutos segundos días dias";
/// In the scripts without blanks a unit follows at once.
const UNIT_SIGNS: &str = "秒分时時日天周週月年元円个個人件次行歳度万億亿％초분시간일월년원명개";
const CODE_LEADS: &str = "http status code error errno exit port line pid";
const SYSTEM_ERRORS: &str = "ENOENT EACCES EPERM EEXIST EPIPE EINVAL ENOMEM ENOSPC EBUSY ECONNRESET ECONNREFUSED ETIMEDOUT \
    EADDRINUSE ENOTFOUND ELIFECYCLE SIGKILL SIGSEGV SIGTERM SIGABRT";
const QUOTES: [(char, char); 8] =
    [('`', '`'), ('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('‘', '’')];
/// `a/b` and shorter is noise.
const MIN_PATH_BYTES: usize = 4;
/// Shorter stands everywhere.
const MIN_BYTES: usize = 3;
/// Longer is a blob.
const MAX_BYTES: usize = 160;
/// A shorter mix of letters, digits and marks is a word: `top-10`, `utf-8`, `gpt-4o`.
const MIXED_BYTES: usize = 8;
/// A longer quotation is a sentence, not a name.
const QUOTED_BYTES: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        each_identifier(text, &mut |name| found.push(name));
        found
    }

    #[test]
    fn names_are_found_and_prose_is_not() {
        let text = "See `src/plan/cut.rs`, (https://example.org/a?b=c) and Cargo.toml; e.g. 3.14 and/or 1/2, C:\\tmp\\x. \
                    Läuft in ./run.sh。";
        assert_eq!(
            found(text),
            ["src/plan/cut.rs", "https://example.org/a?b=c", "Cargo.toml", "C:\\tmp\\x", "./run.sh"]
        );
    }

    #[test]
    fn ids_codes_and_amounts_are_found_whole() {
        let text = "Ticket ABC-123 (#4521), commit 9f86d08, run 123e4567-e89b-12d3-a456-426614174000; req_011CSHoEe. \
                    error[E0502] and TS2345, ERR_TIMED_OUT, ENOENT, HTTP 429, exit code 137, 0x80070005. Took 1,200 ms of \
                    30s, 80% and 3.5GB, $1,200.50 or 20 €, v1.4.2 on 2026-11-30 with --no-verify!";
        let expected = [
            "ABC-123",
            "#4521",
            "9f86d08",
            "123e4567-e89b-12d3-a456-426614174000",
            "req_011CSHoEe",
            "E0502",
            "TS2345",
            "ERR_TIMED_OUT",
            "ENOENT",
            "HTTP 429",
            "code 137",
            "0x80070005",
            "1,200 ms",
            "30s",
            "80%",
            "3.5GB",
            "$1,200.50",
            "20 €",
            "v1.4.2",
            "2026-11-30",
            "--no-verify",
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn scripts_without_blanks_keep_their_characters_whole() {
        assert_eq!(found("请在30秒内修改src/auth.rs文件，报错E0502。"), ["30秒", "src/auth.rs", "E0502"]);
        assert_eq!(found("タイムアウトは1,500msで、上限は５個ではなく20個。"), ["1,500ms", "20個"]);
    }

    #[test]
    fn prose_numbers_and_shouting_are_no_identifiers() {
        let prose = "I have 3 ideas, 20 of them GOOD; we met in 2024 at 5. OK? A-B tests, top-10, utf-8, x = 42, 1,2,3 deadbeef \
                     and so on... EVERY time -- it FAILED. 第3章 of 20 (MB), 404\nlines";
        assert_eq!(found(prose), [""; 0]);
    }

    #[test]
    fn quoted_names_are_short_and_on_one_line() {
        let text = "Call `parse_input` on \"Ada Lovelace\", “Grüße”, «thé», 「設定」; not 5\" or 6\" wide, don't, `a`, \"open\n\
                    and closed\" but ``.";
        let mut found = Vec::new();
        each_quoted(text, &mut |name| found.push(name));
        assert_eq!(found, ["parse_input", "Ada Lovelace", "Grüße", "thé", "設定"]);
    }
}
