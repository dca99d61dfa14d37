//! What is wrong with a damaged history, and what mends it without a model.

use crate::transcript::{Index, Kind};

/// One change that mends a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// A summary that a host left goes into its newest one (B7).
    Collapse {
        /// The summary to take out.
        entry: u32,
        /// The newest summary.
        into: u32,
    },
    /// An entry that a provider would refuse is taken out.
    Drop {
        /// The entry.
        entry: u32,
        /// What is wrong with it.
        why: Stray,
    },
    /// A call whose results never came gets them.
    Close {
        /// The call.
        entry: u32,
        /// How many results are missing; more than 255 read as 255.
        missing: u8,
    },
    /// Images and blobs of an old turn are taken out of an entry.
    StripMedia {
        /// The entry.
        entry: u32,
    },
}

/// Why an entry is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stray {
    /// A result without a call.
    NoCall,
    /// A result for a call that has all of its results already.
    Surplus,
    /// It led to nothing: the answer broke off behind it.
    LeadsNothing,
}

/// Everything that mends the history, ascending by entry; a call may be closed and stripped. Linear; a mended history
/// needs none.
///
/// A call at the end of the transcript may still be answered, and is left alone; so is what stands at the end and may
/// still lead somewhere. An entry that calls tools is never dropped, even where it also holds a stray result.
#[must_use]
pub fn repair(index: &Index) -> Vec<Repair> {
    let newest_summary = (0..index.len()).rev().find(|&at| index.is(at, Kind::HOST_SUMMARY));
    let mut pairs = Pairs::of(index);
    pairs.find_leads_to_nothing(index, newest_summary);
    let old = old_turns_end(index);
    let mut repairs = Vec::new();
    for at in 0..index.len() {
        if let Some(into) = collapses(index, at, newest_summary) {
            repairs.push(Repair::Collapse { entry: at, into });
        } else if let Some(why) = pairs.stray(at) {
            repairs.push(Repair::Drop { entry: at, why });
        } else {
            let missing = pairs.missing(index, at);
            repairs.extend(missing.map(|missing| Repair::Close { entry: at, missing }));
            if at < old && index.is(at, Kind::IMAGE.with(Kind::BLOB)) && !index.is_system(at) {
                repairs.push(Repair::StripMedia { entry: at });
            }
        }
    }
    repairs
}

fn collapses(index: &Index, at: u32, newest_summary: Option<u32>) -> Option<u32> {
    newest_summary.filter(|&newest| newest != at && index.is(at, Kind::HOST_SUMMARY))
}

/// Where the turns end that are old enough to lose their media.
fn old_turns_end(index: &Index) -> u32 {
    let recent = index.turns().len().checked_sub(TURNS_WITH_MEDIA);
    recent.and_then(|at| index.turns().get(at)).unwrap_or(0)
}

/// Calls and results, counted against each other.
struct Pairs {
    /// For each entry, as the one that opened a group: results that the group still lacks.
    lacking: Vec<u32>,
    /// For each entry, as the one that opened a group: the group's first call.
    calls: Vec<u32>,
    /// What is to be dropped, by entry.
    strays: Vec<Option<Stray>>,
}

impl Pairs {
    fn of(index: &Index) -> Self {
        let entries = index.len() as usize;
        let mut pairs = Self { lacking: vec![0; entries], calls: vec![u32::MAX; entries], strays: vec![None; entries] };
        for at in 0..index.len() {
            pairs.count(index, at);
        }
        pairs
    }

    fn count(&mut self, index: &Index, at: u32) {
        let entry = index.entry(at);
        let root = entry.group as usize;
        let is_call = entry.kind.any(Kind::CALL);
        if is_call {
            self.lacking[root] += u32::from(entry.calls.max(1));
            self.calls[root] = self.calls[root].min(at);
        }
        if entry.kind.any(Kind::RESULT) {
            if self.lacking[root] > 0 {
                self.lacking[root] -= 1;
            } else if !is_call {
                let called = self.calls[root] != u32::MAX;
                self.strays[at as usize] = Some(if called { Stray::Surplus } else { Stray::NoCall });
            }
        }
    }

    /// Backwards, since what a dropped entry led falls to the one before it.
    fn find_leads_to_nothing(&mut self, index: &Index, newest_summary: Option<u32>) {
        let mut leads_nothing = false;
        for at in (0..index.len()).rev() {
            let entry = index.entry(at);
            let stray = &mut self.strays[at as usize];
            if stray.is_some() || collapses(index, at, newest_summary).is_some() {
                continue;
            }
            if leads_nothing && entry.kind.any(Kind::LEADS) && !entry.kind.any(Kind::CALL) {
                *stray = Some(Stray::LeadsNothing);
            } else {
                leads_nothing = entry.is_real_user() || entry.is_system();
            }
        }
    }

    fn stray(&self, at: u32) -> Option<Stray> {
        self.strays.get(at as usize).copied().flatten()
    }

    /// How many results the call at `at` lacks for good; for its whole group where it is the group's first.
    fn missing(&self, index: &Index, at: u32) -> Option<u8> {
        let root = index.root(at);
        let first = self.calls.get(root as usize) == Some(&at);
        let lacking = self.lacking.get(root as usize).copied().unwrap_or(0);
        let given_up = index.open_from().is_none_or(|open| root < open);
        (first && given_up && lacking > 0).then(|| u8::try_from(lacking).unwrap_or(u8::MAX))
    }
}

/// The last two turns are what a user still looks at.
const TURNS_WITH_MEDIA: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Entry, Role};

    fn user() -> Entry {
        Entry::alone(1, Role::User, 10)
    }

    fn call(calls: u8) -> Entry {
        Entry { kind: Kind::CALL, calls, ..Entry::alone(2, Role::Assistant, 10) }
    }

    fn result(group: u32) -> Entry {
        Entry { kind: Kind::RESULT, group, ..Entry::alone(3, Role::Tool, 10) }
    }

    fn flagged(kind: Kind, role: Role) -> Entry {
        Entry { kind, ..Entry::alone(4, role, 10) }
    }

    fn repaired(entries: &[Entry]) -> Vec<Repair> {
        let mut index = Index::new();
        entries.iter().for_each(|&entry| index.push(entry));
        repair(&index)
    }

    // seeds: B7
    #[test]
    fn summaries_that_piled_up_in_any_role_collapse_into_the_newest() {
        let summary = |role| flagged(Kind::HOST_SUMMARY.with(Kind::IMAGE), role);
        let entries = [summary(Role::System), user(), summary(Role::User), user(), summary(Role::Assistant), user()];
        let expected = [Repair::Collapse { entry: 0, into: 4 }, Repair::Collapse { entry: 2, into: 4 }];
        assert_eq!(repaired(&entries), expected);
        assert_eq!(repaired(&entries[4..]), [], "one summary is no pile");
    }

    #[test]
    fn results_without_a_call_are_dropped_and_so_is_one_too_many() {
        let no_call = |entry| Repair::Drop { entry, why: Stray::NoCall };
        let stray = [user(), result(0), call(1), result(2), result(2), user(), result(2), result(77)];
        let surplus = Repair::Drop { entry: 4, why: Stray::Surplus };
        assert_eq!(repaired(&stray), [no_call(1), surplus, no_call(6), no_call(7)]);
        let calling = flagged(Kind::RESULT.with(Kind::CALL), Role::Tool);
        assert_eq!(repaired(&[user(), calling, user()]), [], "it answers, and calls the next one");
    }

    #[test]
    fn calls_given_up_are_closed_and_those_at_the_end_are_not() {
        let given_up = [user(), call(3), result(1), user(), call(1)];
        assert_eq!(repaired(&given_up), [Repair::Close { entry: 1, missing: 2 }]);
        let led = [user(), flagged(Kind::LEADS, Role::Assistant), call(1), user()];
        assert_eq!(repaired(&led), [Repair::Close { entry: 2, missing: 1 }], "the call, not what leads it");
    }

    #[test]
    fn an_old_call_with_an_image_is_closed_and_stripped() {
        let pictured = Entry { kind: Kind::CALL.with(Kind::IMAGE), ..call(1) };
        let expected = [Repair::Close { entry: 0, missing: 1 }, Repair::StripMedia { entry: 0 }];
        assert_eq!(repaired(&[pictured, user(), user()]), expected);
    }

    #[test]
    fn media_leave_all_turns_but_the_last_two() {
        let image = flagged(Kind::IMAGE, Role::User);
        let blob = flagged(Kind::BLOB, Role::Assistant);
        let entries = [flagged(Kind::IMAGE, Role::System), image, blob, image, blob, image];
        assert_eq!(repaired(&entries), [Repair::StripMedia { entry: 1 }, Repair::StripMedia { entry: 2 }]);
        assert_eq!(repaired(&entries[..4]), [], "there are two turns only");
    }

    #[test]
    fn reasoning_whose_answer_broke_off_is_dropped_with_what_led_to_it() {
        let leads = flagged(Kind::LEADS, Role::Assistant);
        let nothing = |entry| Repair::Drop { entry, why: Stray::LeadsNothing };
        assert_eq!(repaired(&[user(), leads, leads, user(), leads]), [nothing(1), nothing(2)]);
        let stray = Repair::Drop { entry: 2, why: Stray::NoCall };
        assert_eq!(repaired(&[user(), leads, result(99), user()]), [nothing(1), stray]);
    }
}
