//! Giant entries that no summary can stand for: the view cuts them.

use crate::{
    plan::{
        Capping, Keep, PlanInput, Replaced,
        fixed::pinned_groups,
        shown::{StandIn, bytes_for, is_late, may_prune},
    },
    tokens::{Tokens, permille},
    transcript::Index,
};

/// What [`caps`] works from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapInput<'a> {
    /// How many leading entries the live summary covers.
    pub from: u32,
    /// What is left verbatim at the end.
    pub keep: Keep,
    /// What the host pinned: never capped.
    pub pins: &'a [u32],
    /// What is not shown as it is already.
    pub replaced: Replaced<'a>,
    /// Which entries may be capped.
    pub capping: Capping,
    /// Low-water mark, in model tokens.
    pub target_tokens: Tokens,
    /// Model tokens per thousand of the index's tokens.
    pub scale_permille: u32,
}

impl<'a> CapInput<'a> {
    /// What a plan's input says of it.
    #[must_use]
    pub fn of(input: &PlanInput<'a>) -> Self {
        let PlanInput { keep, pins, replaced, capping, target_tokens, scale_permille, .. } = *input;
        let from = input.previous.map_or(0, |previous| previous.count);
        Self { from, keep, pins, replaced, capping, target_tokens, scale_permille }
    }

    /// The most that one entry may weigh, counted as the index counts.
    fn most(&self) -> Tokens {
        let share = u64::from(permille(self.target_tokens, GIANT_PERMILLE)) * 1_000;
        let most = share / u64::from(self.scale_permille.max(1));
        Tokens::try_from(most).unwrap_or(Tokens::MAX).max(LEAST_CAP_TOKENS)
    }
}

/// The capped entries, ascending, each with the UTF-8 bytes it is cut to: those that are capped already, and every entry
/// that alone weighs more than a quarter of the target and that no summary can stand for, because it lies in the kept
/// tail, in the newest turn or behind an open call. Never a system entry or a pin; the newest real user message only
/// where [`Capping::NewestUserToo`] says so.
#[must_use]
pub fn caps(index: &Index, input: &CapInput<'_>) -> Vec<(u32, u32)> {
    if input.capping == Capping::Never {
        return input.replaced.capped.to_vec();
    }
    let pinned = pinned_groups(index, input.pins);
    let (most, staying) = (input.most(), staying(index, input.keep));
    let mut recorded = input.replaced;
    let mut capped = Vec::new();
    for &kept in recorded.capped.iter().take_while(|kept| kept.0 < staying) {
        capped.push(kept);
    }
    for at in staying..index.len() {
        recorded.skip_to(at);
        let stand_in = recorded.stand_in(index, at);
        let cleared = matches!(stand_in, Some((StandIn::Placeholder, _)));
        let entry = index.entry(at);
        let shown = entry.tokens - stand_in.map_or(0, |stand_in| stand_in.1);
        if shown > most && !cleared && pinned.binary_search(&at).is_err() && input.allows(index, at) {
            capped.push((at, bytes_for(&entry, most)));
        } else if let Some(&kept) = recorded.capped.first().filter(|kept| kept.0 == at) {
            capped.push(kept);
        }
    }
    capped
}

/// From where on an entry may be one that no summary stands for; covered ones behind it are none of them.
fn staying(index: &Index, keep: Keep) -> u32 {
    let newest = index.newest_user().unwrap_or(index.len());
    keep.limit(index).min(newest).min(index.open_from().unwrap_or(u32::MAX))
}

impl CapInput<'_> {
    fn allows(&self, index: &Index, at: u32) -> bool {
        if index.newest_user() == Some(at) {
            return self.capping == Capping::NewestUserToo;
        }
        let entry = index.entry(at);
        at >= self.from && !is_late(index, at, self.from) && may_prune(&entry)
    }
}

/// What the planner keeps by default is three entries: at a quarter of the target each, all three and a summary fit.
const GIANT_PERMILLE: u32 = 250;
/// Less of an entry says nothing; a target so low has other troubles.
const LEAST_CAP_TOKENS: Tokens = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Entry, Kind, Role};

    /// An old turn with a giant result, then a turn of a giant message, a giant result and a call with giant arguments.
    fn index() -> Index {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 50_000));
        index.push(Entry::alone(1, Role::User, 10));
        for _ in 0..2 {
            let group = index.len();
            index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(2, Role::Assistant, 20) });
            index.push(Entry { kind: Kind::RESULT, group, bytes: 120_000, ..Entry::alone(3, Role::Tool, 40_000) });
            index.push(Entry::alone(4, Role::User, 30_000));
        }
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(5, Role::Assistant, 60_000) });
        index
    }

    fn input(target_tokens: Tokens) -> CapInput<'static> {
        let keep = Keep { entries: 4, tokens: 0, turns: 0 };
        let (replaced, capping) = (Replaced::default(), Capping::Giants);
        CapInput { from: 0, keep, pins: &[], replaced, capping, target_tokens, scale_permille: 1_000 }
    }

    #[test]
    fn only_giants_that_no_summary_can_stand_for_are_capped() {
        let index = index();
        let capped = caps(&index, &input(20_000));
        assert_eq!(capped.iter().map(|capped| capped.0).collect::<Vec<_>>(), [6, 8], "not the old result, no user");
        for &(at, bytes) in &capped {
            let saved = Replaced { pruned: &[], capped: &[(at, bytes)] }.stand_in(&index, at).unwrap().1;
            let left = index.entry(at).tokens - saved;
            assert!((4_900..=5_000).contains(&left), "entry {at} still weighs {left}");
        }
        assert_eq!(caps(&index, &input(400_000)), [], "nothing is giant for a target so high");
        assert_eq!(caps(&index, &CapInput { from: 7, ..input(20_000) }), capped[1..], "what is covered needs no cap");
    }

    #[test]
    fn the_newest_user_message_is_capped_only_as_the_last_resort_and_a_pin_never() {
        let index = index();
        let last = CapInput { capping: Capping::NewestUserToo, ..input(20_000) };
        let entries = |input: &CapInput<'_>| caps(&index, input).iter().map(|capped| capped.0).collect::<Vec<_>>();
        assert_eq!(entries(&last), [6, 7, 8]);
        assert_eq!(entries(&CapInput { from: 8, ..last }), [7, 8], "pinned behind the summary it is still in the way");
        assert_eq!(entries(&CapInput { pins: &[5, 8], ..last }), [7], "a pinned call keeps its result");
        assert_eq!(entries(&CapInput { capping: Capping::Never, ..last }), []);
    }

    #[test]
    fn what_is_capped_stays_so_until_a_lower_cap_is_due() {
        let index = index();
        let recorded = caps(&index, &input(20_000));
        let again = |target| CapInput { replaced: Replaced { pruned: &[], capped: &recorded }, ..input(target) };
        assert_eq!(caps(&index, &again(20_000)), recorded);
        assert_eq!(caps(&index, &again(400_000)), recorded, "a higher target gives nothing back: the cache holds");
        assert!(caps(&index, &again(8_000)).iter().zip(&recorded).all(|(lower, before)| lower.1 < before.1));
        let cleared = CapInput { replaced: Replaced { pruned: &[6], capped: &[] }, ..input(20_000) };
        assert_eq!(caps(&index, &cleared), recorded[1..], "a placeholder needs no cap");
    }
}
