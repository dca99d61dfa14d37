//! No state in memory or in the store is one that cannot be: a tripped guard always has its deadline.

use compaction_governor::policy::{State, check as policy_check};

pub(super) fn check(state: &State) -> Result<(), String> {
    policy_check(state).map_err(|breach| format!("{breach}: {state:?}"))
}
