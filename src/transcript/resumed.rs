//! A transcript whose first entries are not held: a summary covers them.

use crate::transcript::{Entry, Index, Kind, Role};

/// What is known of the entries that a resumed transcript does not hold: its first ones, but for the system head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// How many leading entries there are before the first that is held, head included.
    pub count: u32,
    /// The id of the last of them.
    pub last_id: u64,
    /// [`Index::fingerprint`] of them.
    pub fingerprint: u64,
    /// How many real user turns are among them.
    pub user_turns: u32,
    /// How many model calls.
    pub model_calls: u32,
}

impl Index {
    /// A transcript that is known from its [`Base`] on, and whose system head is `head`. What lies between weighs nothing
    /// and says nothing: it is for whoever knows that a summary covers it. A result of a call in there can still be told.
    #[must_use]
    pub fn resumed(head: &[Entry], base: Base) -> Self {
        let mut index = Self::new();
        let unknown = Entry::alone(0, Role::Tool, 0);
        let last = Entry { id: base.last_id, kind: Kind::CALL, calls: u8::MAX, ..unknown };
        for at in 0..base.count {
            let held = head.get(at as usize).copied();
            index.push(held.unwrap_or(if at + 1 < base.count { unknown } else { last }));
        }
        index.sums.resume(base.fingerprint);
        index.groups.close();
        index.model_calls = base.model_calls;
        index.base = base;
        index
    }

    /// Model calls and real user turns among the first `len` entries. Walks the entries.
    #[must_use]
    pub fn count_before(&self, len: u32) -> (u32, u32) {
        let turns = self.turns.partition_point(0..self.turns.len(), |turn| turn < len) as u32;
        let mut calls = self.base.model_calls;
        for at in self.base.count..len.min(self.len()) {
            calls += u32::from(self.sums.entry(at as usize).role == Role::Assistant);
        }
        (calls, self.base.user_turns + turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_of(entries: &[Entry]) -> Index {
        let mut index = Index::new();
        entries.iter().for_each(|&entry| index.push(entry));
        index
    }

    fn user(id: u64) -> Entry {
        Entry::alone(id, Role::User, 10)
    }

    fn assistant(id: u64) -> Entry {
        Entry::alone(id, Role::Assistant, 20)
    }

    fn call(id: u64) -> Entry {
        Entry { kind: Kind::CALL, calls: 1, ..assistant(id) }
    }

    fn result(id: u64, group: u32) -> Entry {
        Entry { kind: Kind::RESULT, group, ..Entry::alone(id, Role::Tool, 30) }
    }

    /// Head, calls with late results, turns: cut behind the head, at a boundary.
    #[test]
    fn a_resumed_index_answers_as_the_whole_one_does_from_its_base_on() {
        let mut whole = vec![Entry::alone(900, Role::System, 7)];
        for id in 0..40_u64 {
            let at = whole.len() as u32;
            whole.extend([user(id), call(100 + id), result(200 + id, at + 1), assistant(300 + id)]);
        }
        for cut in [5_u32, 13, 16, 17, 33, 157] {
            let before = index_of(&whole[..cut as usize]);
            let (model_calls, user_turns) = before.count_before(cut);
            let last_id = whole[cut as usize - 1].id;
            let base = Base { count: cut, last_id, fingerprint: before.fingerprint(cut), user_turns, model_calls };
            let mut resumed = Index::resumed(&whole[..1], base);
            let mut full = before;
            for entry in &whole[cut as usize..] {
                resumed.push(*entry);
                full.push(*entry);
                assert_eq!(resumed.open_from(), full.open_from(), "{cut}");
            }
            for len in cut..=full.len() {
                assert_eq!(resumed.fingerprint(len), full.fingerprint(len), "{cut} {len}");
                assert_eq!(resumed.tokens(cut..len), full.tokens(cut..len));
                assert_eq!(resumed.count_before(len), full.count_before(len));
            }
            let facts = |index: &Index| (index.len(), index.user_turns(), index.model_calls(), index.newest_user());
            assert_eq!(facts(&resumed), facts(&full), "{cut}");
            assert_eq!((resumed.open_from(), resumed.head_len(), resumed.base_len()), (None, 1, cut));
            resumed.truncate(full.len() - 1);
            full.truncate(full.len() - 1);
            assert_eq!(resumed.fingerprint(full.len()), full.fingerprint(full.len()));
            assert_eq!(facts(&resumed), facts(&full));
        }
    }

    #[test]
    fn a_result_of_a_call_before_the_base_is_bound_to_what_lies_there() {
        let base = Base { count: 9, last_id: 7, fingerprint: 1, user_turns: 1, model_calls: 2 };
        let mut index = Index::resumed(&[], base);
        index.push(user(1));
        index.push(result(2, 8));
        assert_eq!((index.root(10), index.is_boundary(9), index.open_from()), (8, false, None));
    }
}
