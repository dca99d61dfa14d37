//! A second look at a slice before a model call is paid for: by walking it, not by asking the index where it may be cut.

use crate::{
    plan::SlicePlan,
    transcript::{Index, Kind},
};

/// What a verified slice must not have; the number is the entry at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An entry behind the cut belongs to a group that starts before it.
    GroupSplit(u32),
    /// A tool call that still waits lies before the cut.
    OpenCallCut(u32),
    /// A system entry would be summarised.
    SystemCut(u32),
    /// The newest real user message would be summarised.
    NewestUserCut(u32),
    /// A pinned entry would be parted from the rest of its group.
    PinSplit(u32),
}

/// Walks the slice and the tail and names the first entry that breaks a rule. Linear; [`crate::plan::plan`] runs it on each plan.
///
/// # Errors
/// The [`Fault`] found first.
pub fn verify(index: &Index, plan: &SlicePlan) -> Result<(), Fault> {
    let mut at = plan.cut;
    for tail in index.roots().pieces(plan.cut as usize..index.len() as usize) {
        // Without an early end the walk needs no branch; the entry at fault is looked for only where there is one.
        if tail.iter().fold(false, |split, &root| split | (root < plan.cut)) {
            let within = tail.iter().position(|&root| root < plan.cut).unwrap_or(0);
            return Err(Fault::GroupSplit(at + within as u32));
        }
        at += tail.len() as u32;
    }
    // The end of the transcript has no entry whose group could tell.
    if plan.cut > 0 && plan.cut == index.len() && index.is(plan.cut - 1, Kind::LEADS) {
        return Err(Fault::GroupSplit(plan.cut));
    }
    if let Some(open) = index.open_from().filter(|&open| open < plan.cut) {
        return Err(Fault::OpenCallCut(open));
    }
    let pinned = |at: &u32| plan.pinned.binary_search(at).is_ok();
    if let Some(user) = index.newest_user().filter(|user| *user < plan.cut && !pinned(user)) {
        return Err(Fault::NewestUserCut(user));
    }
    for &at in plan.pinned.iter().filter(|&&at| at < plan.cut) {
        // A system entry and the newest user message stay without what follows them, and the first stays anyway.
        let alone = index.is_system(at) || index.newest_user() == Some(at);
        let parted = |member| member < plan.cut && !pinned(&member) && !index.is_system(member);
        if !alone && index.members(at).any(parted) {
            return Err(Fault::PinSplit(at));
        }
    }
    let first = plan.pinned.partition_point(|&at| at < plan.from);
    let kept = plan.pinned[first..].iter().filter(|&&at| at < plan.cut && index.is_system(at)).count();
    if index.count_systems(plan.from..plan.cut) != kept {
        let system = (plan.from..plan.cut).find(|at| index.is_system(*at) && !pinned(at));
        return Err(Fault::SystemCut(system.unwrap_or(plan.from)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Entry, Role};

    #[test]
    fn a_broken_slice_is_caught_by_walking_it() {
        let mut index = Index::new();
        index.push(Entry::alone(0, Role::System, 10));
        for _ in 0..3 {
            index.push(Entry::alone(1, Role::User, 10));
            let group = index.len();
            index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(2, Role::Assistant, 10) });
            index.push(Entry { kind: Kind::RESULT, group, ..Entry::alone(3, Role::Tool, 10) });
            index.push(Entry::alone(4, Role::Assistant, 10));
        }
        index.push(Entry::alone(5, Role::System, 10));
        index.push(Entry::alone(6, Role::User, 10));
        index.push(Entry { kind: Kind::CALL, calls: 1, ..Entry::alone(7, Role::Assistant, 10) });
        let slice = |cut, pinned: &[u32]| SlicePlan {
            from: 1,
            cut,
            pinned: pinned.to_vec(),
            released: Vec::new(),
            pruned: Vec::new(),
            capped: Vec::new(),
            slice_tokens: 0,
            promised_tokens: 0,
            summary_cap: 0,
        };
        assert_eq!(verify(&index, &slice(3, &[])), Err(Fault::GroupSplit(3)));
        assert_eq!(verify(&index, &slice(14, &[])), Err(Fault::SystemCut(13)));
        assert_eq!(verify(&index, &slice(15, &[13])), Err(Fault::NewestUserCut(14)));
        assert_eq!(verify(&index, &slice(16, &[13, 14])), Err(Fault::OpenCallCut(15)));
        assert_eq!(verify(&index, &slice(15, &[3, 13, 14])), Err(Fault::PinSplit(3)));
        assert_eq!(verify(&index, &slice(15, &[2, 3, 13, 14])), Ok(()));
        assert_eq!(verify(&index, &slice(15, &[13, 14])), Ok(()));
        index.push(Entry { kind: Kind::RESULT, group: 15, ..Entry::alone(8, Role::Tool, 10) });
        index.push(Entry { kind: Kind::LEADS, ..Entry::alone(9, Role::Assistant, 10) });
        assert_eq!(verify(&index, &slice(18, &[13, 14])), Err(Fault::GroupSplit(18)));
    }
}
