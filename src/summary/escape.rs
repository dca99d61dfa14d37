//! Material must not be able to close the block it stands in.

use crate::summary::material;

/// Appends `text` with every tag of ours made harmless: the `<` before `cg-`, however spaced or spelt, becomes `&lt;`.
/// Any other `<` stays, so that code survives word for word. Linear.
pub fn escape_into(out: &mut String, text: &str) {
    let mut copied = 0;
    for (at, _) in text.bytes().enumerate().filter(|&(_, byte)| byte == b'<') {
        if begins_our_tag(material::from(text, at + 1).trim_start_matches(is_filler)) {
            out.push_str(material::between(text, copied, at));
            out.push_str("&lt;");
            copied = at + 1;
        }
    }
    out.push_str(material::from(text, copied));
}

/// The beginning of `text` within `bytes`, as one line that holds no tag of ours.
#[inline(never)]
pub(super) fn one_line(text: &str, bytes: usize) -> String {
    let mut words = String::new();
    for word in material::head_of(material::trim(text), bytes).split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            words.push_str(if words.is_empty() { "" } else { " " });
            words.push_str(word);
        }
    }
    let mut line = String::new();
    escape_into(&mut line, &words);
    line
}

fn begins_our_tag(text: &str) -> bool {
    text.as_bytes().get(..TAG_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(TAG_PREFIX))
}

/// What a model would read over between `<` and the name.
fn is_filler(c: char) -> bool {
    c <= ' '
        || matches!(c, '/' | '\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}')
}

/// Every tag of ours begins with it.
const TAG_PREFIX: &[u8] = b"cg-";
