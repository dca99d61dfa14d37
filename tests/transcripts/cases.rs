//! How many cases a property gets, and where they come from.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::rng::Rng;

/// Cases of each property. Not settable from outside: a run that says it passed has run them all.
pub const CASES: u64 = 200_000;
/// Where the cases come from: case n draws from this and n.
pub const SEED: u64 = 0x00C0_FFEE_0003;

/// Where a case draws from, and how large it may become.
pub struct Draw {
    pub rng: Rng,
    /// At most this many things happen in one conversation.
    pub size: u64,
}

/// Runs `property` on [`CASES`] cases from a fixed seed and says so. A case that fails is run again at the smallest size
/// at which it still does.
pub fn for_all(name: &str, property: impl Fn(&mut Draw)) {
    println!("{name}: {CASES} cases, seed {SEED:#x}");
    let fails = |case: u64, size: u64| {
        let rng = Rng::new(SEED ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        catch_unwind(AssertUnwindSafe(|| property(&mut Draw { rng, size }))).is_err()
    };
    for case in 0..CASES {
        if fails(case, SIZE) {
            let size = (0..SIZE).find(|&size| fails(case, size)).unwrap_or(SIZE);
            panic!("{name}: case {case} of seed {SEED:#x} fails, at size {size} first");
        }
    }
}

/// Most conversations are short, since faults show in few entries; one in eight may be as long as this.
const SIZE: u64 = 48;

impl Draw {
    /// How many things happen next.
    pub fn count(&mut self) -> u64 {
        let most = if self.rng.below(8) == 0 { SIZE } else { SIZE / 4 };
        let count = self.rng.below(most);
        count.min(self.size)
    }
}
