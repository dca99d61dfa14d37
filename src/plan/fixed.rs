//! What stays verbatim: pins with what belongs to them, and the newest real user message; and what that adds up to.

use crate::{
    plan::{
        Replaced,
        shown::{Places, savings},
    },
    tokens::Tokens,
    transcript::Index,
};

/// What no compaction can remove, in model tokens: overhead, system entries, pins, newest real user message, open tool
/// calls (rule 1). The rest of the live turn is not part of it. Costs as much as there are pins and entries that are
/// not shown as they are.
#[must_use]
pub fn floor(index: &Index, pins: &[u32], replaced: Replaced<'_>, overhead: Tokens, scale_permille: u32) -> Tokens {
    let pinned = pinned_groups(index, pins);
    // Nothing that waits for a result is covered: none of it is late.
    let savings = savings(index, replaced, &pinned, 0);
    let fixed = fixed(index, &pinned, &savings);
    let open = index.open_from().unwrap_or(u32::MAX);
    let system = index.system_tokens(0..u32::MAX);
    let waiting = index.tokens(open..u32::MAX) - index.system_tokens(open..u32::MAX) - savings.within(open..u32::MAX);
    clamp(u64::from(overhead) + scaled(system + waiting + fixed.within(0..open), scale_permille))
}

/// The entries that `pins` keep, ascending: each with its whole group, since half of a pair cannot be sent. System
/// entries stay verbatim anyway and are left out.
pub(super) fn pinned_groups(index: &Index, pins: &[u32]) -> Vec<u32> {
    let mut pinned = Vec::new();
    for &pin in pins {
        for at in index.members(pin) {
            if !index.is_system(at)
                && let Err(place) = pinned.binary_search(&at)
            {
                pinned.insert(place, at);
            }
        }
    }
    pinned
}

/// The pinned entries and the newest real user message, with what they weigh as they are shown.
pub(super) fn fixed(index: &Index, pinned: &[u32], savings: &Places) -> Places {
    let mut places = Places::new();
    let mut user = index.newest_user().filter(|user| pinned.binary_search(user).is_err());
    for &at in pinned {
        if let Some(user) = user.take_if(|user| *user < at) {
            places.push(user, index.tokens(user..user + 1) - savings.within(user..user + 1));
        }
        places.push(at, index.tokens(at..at + 1));
    }
    if let Some(user) = user {
        places.push(user, index.tokens(user..user + 1) - savings.within(user..user + 1));
    }
    places
}

/// Counts of the index in model tokens.
pub(super) fn scaled(tokens: u64, permille: u32) -> u64 {
    tokens.saturating_mul(u64::from(permille)) / 1_000
}

pub(super) fn clamp(tokens: u64) -> Tokens {
    Tokens::try_from(tokens).unwrap_or(Tokens::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Entry, Kind, Role};

    /// A system entry, a user message, a call and its result, an answer, a user message, an open call.
    fn index() -> Index {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 1_000));
        index.push(Entry::alone(1, Role::User, 100));
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(2, Role::Assistant, 20) });
        index.push(Entry { kind: Kind::RESULT, group: 2, ..Entry::alone(3, Role::Tool, 7_000) });
        index.push(Entry::alone(4, Role::Assistant, 50));
        index.push(Entry::alone(5, Role::User, 300));
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(6, Role::Assistant, 9_000) });
        index
    }

    #[test]
    fn a_pin_keeps_the_whole_pair_and_counts_to_the_floor_once() {
        let index = index();
        let plain = |pins: &[u32]| floor(&index, pins, Replaced::default(), 10, 1_000);
        let floor_tokens = 10 + 1_000 + 300 + 9_000;
        assert_eq!(plain(&[]), floor_tokens);
        assert_eq!(pinned_groups(&index, &[0, 3, 5]), [2, 3, 5]);
        assert_eq!(plain(&[3]), floor_tokens + 7_020);
        assert_eq!(plain(&[0, 2, 3, 5, 6, 99]), floor_tokens + 7_020, "system, newest message and open call are in it");
    }

    #[test]
    fn a_capped_call_makes_the_floor_lower_and_a_pinned_entry_is_not_replaced() {
        let index = index();
        let capped = Replaced { pruned: &[3], capped: &[(6, 4_000)] };
        assert_eq!(floor(&index, &[], capped, 0, 1_000), 1_000 + 300 + 1_032);
        assert_eq!(floor(&index, &[3], capped, 0, 2_000), 2 * (1_000 + 300 + 1_032 + 7_020));
    }
}
