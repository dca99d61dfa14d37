//! The allocator of the npm package: two-level segregated fit, a third of the code of std's.
//!
//! What is freed is found again in constant time and joined with its neighbours, so a session may be as long as it likes.

use rlsf::{GlobalTlsf, GlobalTlsfOptions};

#[global_allocator]
static HEAP: GlobalTlsf<Growing> = GlobalTlsf::new();

struct Growing;

impl GlobalTlsfOptions for Growing {
    /// The transcript is a list that doubles: in place where there is room behind it.
    const ENABLE_REALLOCATION: bool = true;
    /// Memory that the engine adds joins the block before it: otherwise a list that doubles leaves all its past behind.
    const COALESCE_POOLS: bool = true;
}
