//! Data that only looks like text: base64, hex, minified code. It costs a summariser its window and tells it nothing.

use std::borrow::Cow;

use crate::summary::material;

/// `text` with every blob replaced by what it is and its size: `[data, 450,000 bytes]`, `[image, 12,345 bytes]`. Names,
/// paths, hashes and code stay word for word. Linear.
pub(super) fn without_blobs(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while at < text.len() {
        let (end, blob) = word_at(text, at);
        if let Some(what) = blob {
            out.push_str(material::between(text, copied, at));
            placeholder_into(&mut out, what, end - at);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return without_minified(text).map_or(Cow::Borrowed(text), Cow::Owned);
    }
    out.push_str(material::from(text, copied));
    let shorter = without_minified(&out);
    Cow::Owned(shorter.unwrap_or(out))
}

/// Where the word that begins at `at` ends, and what it is where it is a blob.
fn word_at(text: &str, at: usize) -> (usize, Option<&'static str>) {
    let bytes = text.as_bytes();
    if let Some(found) = data_url(bytes, at) {
        return (found.0, Some(found.1));
    }
    let end = run(bytes, at, is_data);
    if end == at {
        return (at + 1, None);
    }
    let end = last_line(bytes, end, end - at);
    let telling = bytes.get(at..end).unwrap_or_default().iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let blob = end - at >= BLOB_BYTES && telling * 2 > end - at;
    (end, blob.then_some("data"))
}

/// Where data that goes on over several lines ends: each but the last as long as encoders make them.
fn last_line(bytes: &[u8], mut end: usize, mut line: usize) -> usize {
    while line >= ENCODED_LINE_BYTES {
        let next = run(bytes, end, |byte| matches!(byte, b'\r' | b'\n'));
        let after = run(bytes, next, is_data);
        line = after - next;
        let padded = bytes.get(after.saturating_sub(1)) == Some(&b'=');
        if next == end || !(line >= ENCODED_LINE_BYTES || padded && line > 0) {
            break;
        }
        end = after;
    }
    end
}

/// A `data:` URL that begins at `at`: where it ends and what it holds.
fn data_url(bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
    if !bytes.get(at..at + 5)?.eq_ignore_ascii_case(b"data:") {
        return None;
    }
    let comma = run(bytes, at + 5, |byte| is_data(byte) || matches!(byte, b'.' | b';'));
    let media = bytes.get(at + 5..comma)?;
    let end = run(bytes, comma + 1, |byte| byte.is_ascii_graphic() && !b"\"'()<>`\\]}".contains(&byte));
    let is_url = bytes.get(comma) == Some(&b',') && (media.contains(&b'/') || media.contains(&b';'));
    if !is_url || end - comma < SHORT_URL_BYTES {
        return None;
    }
    let what = ["image", "audio", "video"].into_iter().find(|what| media.starts_with(what.as_bytes()));
    Some((end, what.unwrap_or("data")))
}

/// The text without the rest of each line that is minified; `None` where there is no such line.
fn without_minified(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut start, mut copied) = (0, 0);
    for line in text.split_inclusive('\n') {
        if is_minified(line) {
            let shown = start + material::head_of(line, SHOWN_BYTES).len();
            out.push_str(material::between(text, copied, shown));
            copied = start + line.trim_end().len();
            placeholder_into(&mut out, "minified", copied - shown);
        }
        start += line.len();
    }
    out.push_str(material::from(text, copied));
    (copied > 0).then_some(out)
}

/// Long, hardly a blank in it, and in no script that writes without blanks.
fn is_minified(line: &str) -> bool {
    let count = |test: fn(u8) -> bool| line.bytes().filter(|byte| test(*byte)).count();
    line.len() >= MINIFIED_BYTES
        && count(|byte| byte == b' ') * 100 < line.len() * MINIFIED_BLANKS_PERCENT
        && count(|byte| !byte.is_ascii()) * 10 < line.len()
}

/// `[what, 450,000 bytes]`.
#[inline(never)]
fn placeholder_into(out: &mut String, what: &str, bytes: usize) {
    let mut digits = String::new();
    material::push_number(&mut digits, bytes as u64);
    out.push('[');
    out.push_str(what);
    out.push_str(", ");
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out.push_str(" bytes]");
}

/// Where the run of bytes that satisfy `test` ends.
fn run(bytes: &[u8], at: usize, test: fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !test(*byte)).unwrap_or(rest.len())
}

/// Base64, in both alphabets, and hex.
const fn is_data(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Longer than any hash, key or name: a SHA-512 has 128 digits.
const BLOB_BYTES: usize = 256;
/// Encoders break lines at 64 or 76.
const ENCODED_LINE_BYTES: usize = 60;
/// A shorter `data:` URL may be what the conversation is about.
const SHORT_URL_BYTES: usize = 64;
/// A line that people or formatters write is shorter.
const MINIFIED_BYTES: usize = 4_096;
/// Prose has a blank in every sixth byte, code more; what is minified has next to none.
const MINIFIED_BLANKS_PERCENT: usize = 3;
/// Of a minified line: enough to tell what it is.
const SHOWN_BYTES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    /// Base64 as it looks: every letter of the alphabet, in no order.
    fn base64(bytes: usize) -> String {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..bytes).map(|at| char::from(alphabet[at * 31 % 61 + at % 4])).collect()
    }

    #[test]
    fn a_blob_becomes_what_it_is_and_its_size_and_the_words_around_it_stay() {
        let data = base64(450_000);
        let hex = "9f86d081884c7d65".repeat(40);
        let cases = [
            (data.clone(), "[data, 450,000 bytes]".to_owned()),
            (format!("The file: {data}. Done."), "The file: [data, 450,000 bytes]. Done.".to_owned()),
            (format!("見て:{data}。終わり"), "見て:[data, 450,000 bytes]。終わり".to_owned()),
            (format!("{{\"hex\":\"{hex}\"}}"), "{\"hex\":\"[data, 640 bytes]\"}".to_owned()),
            (
                format!("![shot](data:image/png;base64,{}) ok", base64(978)),
                "![shot]([image, 1,000 bytes]) ok".to_owned(),
            ),
            (format!("DATA:text/css,{}", "a%20".repeat(20)), "[data, 94 bytes]".to_owned()),
        ];
        for (text, expected) in cases {
            assert_eq!(without_blobs(&text), expected);
        }
    }

    #[test]
    fn data_broken_into_lines_is_one_blob_and_the_line_after_it_stays() {
        let lines: String = (0..20).map(|_| format!("{}\r\n", base64(76))).collect();
        let text = format!("-----BEGIN-----\n{lines}Done with this\n{lines}abcd==\nDone");
        let expected = "-----BEGIN-----\n[data, 1,558 bytes]\r\nDone with this\n[data, 1,566 bytes]\nDone";
        assert_eq!(without_blobs(&text), expected);
    }

    #[test]
    fn a_minified_line_keeps_its_beginning_and_the_lines_around_it() {
        let code = "!function(e,t){return e.exports=t()};".repeat(200);
        let shorter = without_blobs(&format!("a.js:\n{code}\nend")).into_owned();
        assert!(shorter.starts_with("a.js:\n!function(e,t)") && shorter.ends_with("[minified, 7,200 bytes]\nend"));
        assert!(shorter.len() < 300, "{shorter}");
    }

    #[test]
    fn text_is_no_blob() {
        let listing: String = (0..400).map(|n| format!("src/components/page-{n}/index.tsx\n")).collect();
        let json: String = (0..400).map(|n| format!("{{\"id\": {n}, \"name\": \"Ada Lovelace\"}}, ")).collect();
        let texts = [
            "fix src/lib.rs, see https://example.org/a?b=1 and metadata:a/b,c".to_owned(),
            format!("sha512 {}", "0123456789abcdef".repeat(8)),
            format!("favicon: data:image/gif;base64,{}", base64(40)),
            "漢字かな".repeat(3_000),
            "नमस्ते दुनिया ".repeat(800),
            "-".repeat(900),
            listing,
            json,
        ];
        for text in &texts {
            assert!(matches!(without_blobs(text), Cow::Borrowed(_)), "{}", material::head_of(text, 80));
        }
    }
}
