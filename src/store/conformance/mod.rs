//! The storage contract as one public function per clause, for everybody who writes a backend.
//!
//! What the author of a backend does:
//!
//! 1. implement [`Harness`] for it;
//! 2. write a macro that turns a list of names into tests, and hand it to [`for_each_clause!`](crate::for_each_clause);
//! 3. compare every [`Outcome`] with what the backend declares: a clause that it does not declare says so, it is never
//!    silently passed.
//!
//! What a session makes of such a store is asked by the clauses of
//! [`for_each_session_clause!`](crate::for_each_session_clause), with the same harness.
//!
//! Apart from the clauses about the limit itself, values are at most 4,352 bytes long.
//! A broken clause panics with a sentence that names it. Numbers in the docs are those of the contract's list of clauses.

mod comparing;
mod concurrency;
mod ending;
mod keeping;
mod listing;
mod support;
mod trouble;

pub use comparing::*;
pub use concurrency::*;
pub use ending::*;
pub use keeping::*;
pub use listing::*;
pub use trouble::*;

use crate::store::{Part, Store};

/// What the suite needs to know about a backend under test.
#[expect(async_fn_in_trait, reason = "as for Store: engines of browsers are single-threaded")]
pub trait Harness {
    /// The backend.
    type Store: Store;

    /// A store without any data, apart from every other one that was ever made here.
    async fn fresh(&self) -> Self::Store;

    /// Another context over the same data: a second tab, a second process. Where there can only be one, another handle.
    async fn another_context(&self, store: &Self::Store) -> Self::Store;

    /// What is there after a reload of the page (a restart of the process): a store over whatever survived.
    async fn reloaded(&self, store: Self::Store) -> Self::Store;

    /// A store whose engine has stopped answering for good, with a short deadline. `None` where calls answer at once.
    async fn hanging(&self) -> Option<Self::Store>;

    /// Makes what the engine holds for `session`, which was committed before, unreadable to the backend. False where
    /// nothing can be done to it from here.
    async fn damage(&self, _store: &Self::Store, _session: &str) -> bool {
        false
    }

    /// What is in the quarantine of `session`, oldest first; `None` where it cannot be looked into from here.
    async fn quarantined(&self, _store: &Self::Store, _session: &str) -> Option<Vec<Quarantined>> {
        None
    }
}

/// One entry of a quarantine: which part it was taken for, and its bytes.
pub type Quarantined = (Part, Vec<u8>);

/// What came of a clause that did not panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The backend keeps it.
    Held,
    /// The backend does not declare this, so nothing was asked of it.
    NotDeclared(&'static str),
}

/// Calls `$with! { name name … }` with the names of all clauses: the one place that lists them.
#[macro_export]
macro_rules! for_each_clause {
    ($with:ident) => {
        $with! {
            absent_load_is_none
            create_if_absent_then_exists
            create_race_one_winner
            roundtrip_bytes_exact
            roundtrip_at_limit
            over_limit_is_value_too_large_and_nothing_changes
            cas_success_bumps_by_one
            cas_stale_conflict_reports_actual
            cas_conflict_writes_nothing
            batch_all_or_nothing_on_last_item_failure
            delete_and_put_same_key_in_batch_order
            batch_without_root_is_refused
            n_writers_x_m_increments_no_lost_update
            attempt_fence_rejects_zombie
            read_your_commit_same_context
            read_commit_other_context_after_ack
            snapshot_is_not_torn_during_concurrent_commit
            reopen_sees_last_ack
            deadline_always_settles
            indeterminate_resolved_by_op_id
            same_op_id_replayed_is_idempotent
            two_sessions_isolated
            key_prefix_no_bleed
            list_names_each_session_once_across_pages
            list_pagination_stable_under_writes
            remove_with_stale_expect_conflicts
            quarantine_leaves_the_record_alone
            drop_future_before_ack_is_atomic
            corrupt_record_reported_not_missing
            quarantine_keeps_raw_and_unblocks_session
            closed_store_returns_closed
            caps_are_true
        }
    };
}
