//! Property runs of a fixed number of cases. The seed is printed; `RECORD_SEED=<number>` repeats a run.
//!
//! Values are drawn directly, without strategies that could shrink them: 20,000 records take a second instead of minutes.

use std::hash::{BuildHasher, RandomState};

/// Runs `test` on `cases` sources of values. The environment cannot lower the number.
pub(crate) fn check(name: &str, cases: u32, test: impl Fn(&mut Draw)) {
    let given = std::env::var("RECORD_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(name));
    println!("{name}: {cases} cases, RECORD_SEED={seed}");
    let mut draw = Draw::new(seed);
    for case in 0..cases {
        let failed = Failed { name, case, seed };
        test(&mut draw);
        std::mem::forget(failed);
    }
}

/// Says on its way out of a panic how to see it again.
struct Failed<'a> {
    name: &'a str,
    case: u32,
    seed: u64,
}

impl Drop for Failed<'_> {
    fn drop(&mut self) {
        eprintln!("{}: case {} failed, repeat with RECORD_SEED={}", self.name, self.case, self.seed);
    }
}

/// A source of values (splitmix64), with the edges drawn more often than their share.
pub(crate) struct Draw(u64);

impl Draw {
    /// The source that `seed` begins.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number of 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end as u64).expect("below a usize")
    }

    /// A number from 0 to `most`: 0, small, `most` itself, or any.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => self.bits() % 4,
            2 => most,
            _ if most == u64::MAX => self.bits(),
            _ => self.bits() % (most + 1),
        }
    }

    /// A number of 64 bits.
    pub(crate) fn long(&mut self) -> u64 {
        self.up_to(u64::MAX)
    }

    /// A number of 32 bits.
    pub(crate) fn number(&mut self) -> u32 {
        u32::try_from(self.up_to(u32::MAX.into())).expect("32 bits")
    }

    /// A number of 8 bits.
    pub(crate) fn small(&mut self) -> u8 {
        u8::try_from(self.up_to(u8::MAX.into())).expect("8 bits")
    }

    /// Yes or no.
    pub(crate) fn flag(&mut self) -> bool {
        self.bits() & 1 == 1
    }

    /// One of `choices`.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// What `some` draws, or nothing.
    pub(crate) fn maybe<T>(&mut self, some: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| some(self))
    }

    /// Up to `most` of what `one` draws.
    pub(crate) fn some<T>(&mut self, most: usize, one: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| one(self)).collect()
    }

    /// Text of up to `most` characters of one to four bytes.
    pub(crate) fn text(&mut self, most: usize) -> String {
        self.some(most, |draw| draw.pick(&['\0', 'a', '"', '\n', 'ä', '語', '🙂'])).into_iter().collect()
    }
}
