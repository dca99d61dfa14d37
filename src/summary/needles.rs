//! Many short strings looked for in a text at once.

use crate::summary::material;

/// The strings, each belonging to an owner: fewer than 65,535, each of three bytes at least.
#[derive(Default)]
pub(super) struct Needles<'a> {
    all: Vec<Needle<'a>>,
}

struct Needle<'a> {
    text: &'a [u8],
    owner: usize,
    /// Nothing may stand beside it that would make it part of a longer word.
    whole: bool,
    seen: bool,
}

impl<'a> Needles<'a> {
    /// The owner is kept where `text` occurs.
    pub(super) fn add(&mut self, owner: usize, text: &'a str) {
        self.all.push(Needle { text: text.as_bytes(), owner, whole: true, seen: false });
    }

    /// The owner is kept where most words of `text` occur, in any order and form: neither the case of the first letter
    /// nor the ending counts. Of scripts without blanks, each two neighbouring characters.
    pub(super) fn add_words(&mut self, owner: usize, text: &'a str) {
        let most = self.all.len() + MOST_WORDS;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= MIN_WORD_BYTES) {
            let dense = word.chars().any(|c| c >= '\u{2e80}');
            for (at, c) in word.char_indices() {
                let part = material::from(word, if dense { at } else { c.len_utf8() });
                let part = material::head_of(part, STEM_BYTES);
                if self.all.len() < most && (!dense || part.len() == STEM_BYTES) {
                    self.all.push(Needle { text: part.as_bytes(), owner, whole: false, seen: false });
                }
                if !dense {
                    break;
                }
            }
        }
        if self.all.len() + MOST_WORDS == most {
            self.add(owner, text);
        }
    }

    /// For each of `owners` whether it is kept in `texts`. Linear in the texts.
    pub(super) fn kept(mut self, texts: &[&str], owners: usize) -> Vec<bool> {
        self.all.retain(|needle| needle.text.len() >= START_BYTES);
        self.all.sort_unstable_by_key(|needle| slot(needle.text));
        let mut first = vec![u16::MAX; SLOTS];
        for (at, needle) in self.all.iter().enumerate().rev() {
            first[slot(needle.text)] = at as u16;
        }
        for text in texts {
            self.look_through(text.as_bytes(), &first);
        }
        let (mut seen, mut added) = (vec![0_usize; owners], vec![0_usize; owners]);
        for needle in &self.all {
            seen[needle.owner] += usize::from(needle.seen);
            added[needle.owner] += 1;
        }
        (0..owners).map(|owner| added[owner] > 0 && seen[owner] * 5 >= added[owner] * 3).collect()
    }

    fn look_through(&mut self, text: &[u8], first: &[u16]) {
        for (at, start) in text.windows(START_BYTES).enumerate() {
            let slot = slot(start);
            if first[slot] != u16::MAX {
                self.mark(text, at, slot, first[slot]);
            }
        }
    }

    /// Marks every needle that stands at `at`: all that do are in one slot.
    fn mark(&mut self, text: &[u8], at: usize, same: usize, first: u16) {
        let (before, rest) = text.split_at(at);
        for needle in self.all[usize::from(first)..].iter_mut().take_while(|needle| slot(needle.text) == same) {
            if !needle.seen && rest.starts_with(needle.text) {
                let after = &rest[needle.text.len()..];
                let goes_on = || joins(needle.text.last(), after.first(), after.get(1));
                let began = || joins(needle.text.first(), before.last(), before.iter().nth_back(1));
                needle.seen = !needle.whole || !(goes_on() || began());
            }
        }
    }
}

/// Whether the byte beside a needle's own is of the same word or number: `.` and `,` are where they stand inside one.
fn joins(own: Option<&u8>, beside: Option<&u8>, beyond: Option<&u8>) -> bool {
    let within = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let point = beside.is_some_and(|byte| matches!(byte, b'.' | b','));
    within(own) && (within(beside) || point && within(beyond))
}

/// A number that texts with the same first bytes share, spread over the slots by the golden ratio.
fn slot(text: &[u8]) -> usize {
    let start = text.iter().take(START_BYTES).fold(0_u32, |start, byte| start << 8 | u32::from(*byte));
    (start.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

/// Texts are told apart by so many first bytes: one Chinese character.
const START_BYTES: usize = 3;
/// One for each value of 16 bits.
const SLOTS: usize = 1 << 16;
/// Shorter words stand everywhere.
const MIN_WORD_BYTES: usize = 4;
/// Enough to know a word by; two Chinese characters.
const STEM_BYTES: usize = 6;
/// A sentence is known by so many.
const MOST_WORDS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_string_is_found_where_it_stands_alone_however_many_begin_alike() {
        let names = ["src/a.rs", "src/a.rs.bak", "src/ab.rs", "30s", "漢字", "x"];
        let kept = |texts: &[&str]| {
            let mut needles = Needles::default();
            names.iter().enumerate().for_each(|(owner, name)| needles.add(owner, name));
            needles.kept(texts, names.len())
        };
        assert_eq!(kept(&["`src/a.rs`", "in 130s"]), [true, false, false, false, false, false]);
        assert_eq!(kept(&["src/ab.rs", "see漢字30s."]), [false, false, true, true, true, false]);
        assert_eq!(kept(&["src/a.rs.bak, 1.30s"]), [false, true, false, false, false, false]);
        assert_eq!(kept(&["", "s", "30"]), [false; 6]);
    }

    #[test]
    fn a_sentence_is_kept_by_three_fifths_of_its_words() {
        let kept = |text: &str| {
            let mut needles = Needles::default();
            needles.add_words(0, "Never touch the production database, please");
            needles.kept(&[text], 1)[0]
        };
        assert!(kept("the production database was never touched"));
        assert!(kept("NEVER; Touching production databases"));
        assert!(!kept("production database"));
        let mut short = Needles::default();
        short.add_words(0, "do not go");
        assert_eq!(short.kept(&["we do not go."], 1), [true], "of short words only: as a whole");
    }
}
