//! What a session makes of a store, as one public function per clause: the second half of the suite in
//! [`store::conformance`](crate::store::conformance), with the same [`Harness`] and the same [`Outcome`].
//!
//! Each clause runs a real session over the backend. Records that a clause needs (of another build, damaged, from a
//! clock that ran ahead) are committed through the store itself, to which bytes are opaque.
//! A broken clause panics with a sentence that names it. Numbers in the docs are those of the contract's list of clauses.

mod bytes;
mod records;
mod state;
mod tab;

pub use records::*;
pub use state::*;

use crate::store::conformance::{Harness, Outcome};

/// Calls `$with! { name name … }` with the names of all clauses about sessions: the one place that lists them.
#[macro_export]
macro_rules! for_each_session_clause {
    ($with:ident) => {
        $with! {
            removed_then_recreated_has_new_incarnation
            unreadable_record_is_set_aside_and_opens_paused
            damaged_row_opens_paused_and_is_written_again
            future_schema_is_readonly_and_untouched
            unknown_fields_survive_rewrite
            clock_backwards_cooldown_clamped
            cooldown_merge_is_max
            new_code_reads_golden_v1_fixture
        }
    };
}
