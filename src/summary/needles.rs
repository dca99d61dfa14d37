//! Many short strings looked for in a text at once.

use crate::summary::material;

/// The strings, each belonging to an owner.
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
        self.all.retain(|needle| needle.text.len() > 1);
        self.all.sort_by(|a, b| a.text.cmp(b.text));
        let mut starts = vec![0_u64; 1_024];
        for needle in &self.all {
            let start = start_of(needle.text);
            starts[start / 64] |= 1 << (start % 64);
        }
        for text in texts {
            self.look_through(text.as_bytes(), &starts);
        }
        let (mut seen, mut added) = (vec![0_usize; owners], vec![0_usize; owners]);
        for needle in &self.all {
            seen[needle.owner] += usize::from(needle.seen);
            added[needle.owner] += 1;
        }
        (0..owners).map(|owner| added[owner] > 0 && seen[owner] * 5 >= added[owner] * 3).collect()
    }

    fn look_through(&mut self, text: &[u8], starts: &[u64]) {
        for (at, pair) in text.windows(2).enumerate() {
            let start = start_of(pair);
            if starts[start / 64] >> (start % 64) & 1 == 1 {
                self.mark(text, at);
            }
        }
    }

    /// Marks every needle that stands at `at`.
    fn mark(&mut self, text: &[u8], at: usize) {
        let (before, rest) = text.split_at(at);
        let first = self.all.partition_point(|needle| needle.text < &rest[..2]);
        for needle in self.all[first..].iter_mut().take_while(|needle| needle.text.starts_with(&rest[..2])) {
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

/// The first two bytes as a number.
fn start_of(text: &[u8]) -> usize {
    text.first().map_or(0, |first| usize::from(*first)) << 8 | text.get(1).map_or(0, |second| usize::from(*second))
}

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
