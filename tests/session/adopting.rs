//! A compaction that a host made by itself is kept like one of this session's.

use compaction_governor::session::Adopt;

use super::*;

// The fault: an adopted compaction was written into the root, and its summary, which holds what goes with it, was not.
// What it cost: the next page took the missing part for a damaged one, raised an alarm and showed the whole transcript again.
// What now holds: root and summary are one commit, here too, and a reload finds the view as it was.
#[test]
fn an_adopted_compaction_is_found_after_a_reload_with_nothing_missing() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let covered = tab.session.index().len() - 4;
    tab.run(Write::new(Adopt { covered, summary_tokens: 400, manual: false }));
    assert_eq!(tab.session.view().covered_count(), covered);
    let mut next = reopen(&tab, 2);
    assert_eq!(next.session.drain_notices(), []);
    assert_eq!(next.session.view().covered_count(), covered);
    assert_eq!(next.session.root().generations, tab.session.root().generations);
}

#[test]
fn twenty_adopted_compactions_leave_no_summary_behind_that_the_root_does_not_name() {
    let mut tab = fresh();
    for _ in 0..20 {
        tab.observe(tab.entries() + 4);
        let covered = tab.session.index().len() - 2;
        tab.run(Write::new(Adopt { covered, summary_tokens: 400, manual: true }));
    }
    let snapshot = SyncStore::load(&tab.store, "chat").expect("it answers").expect("written");
    assert_eq!(snapshot.parts.len(), 1 + tab.session.root().generations.len());
}
