//! Clauses about what is remembered: deadlines that a clock or a second writer would spoil.

use super::tab::{SESSION, START, Tab, plant, root};
use super::{Harness, Outcome};
use crate::policy::{Cooldown, FailureClass, limits::longest_cooldown};
use crate::record::{Root, encode_root};
use crate::session::{Durability, Found};
use crate::store::fault::{Fault, Faulty, Repeat};
use crate::store::{StoreError, StoreErrorKind};
use crate::time::{Millis, Timestamp};

/// Clause 31: a cooldown that lies further ahead than any can last, because the clock was set back, is shortened to that,
/// and what is held says so too.
pub async fn clock_backwards_cooldown_clamped<H: Harness>(harness: &H) -> Outcome {
    let store = harness.fresh().await;
    let day_ahead = START.after(Millis::secs(86_400));
    let mut ahead = Root::new(SESSION, 7);
    cool_down(&mut ahead, day_ahead);
    plant(&store, encode_root(&ahead), 1).await;
    let (tab, found) = Tab::open(&store, 1, START).await;
    assert_eq!(found, Found::Existing);
    let latest = START.after(longest_cooldown(FailureClass::RateLimit, 1));
    let standing = until(tab.session.borrow().root());
    assert!(START < standing && standing <= latest && latest < day_ahead, "{standing:?} is not within {latest:?}");
    assert_eq!(until(&root(&store).await), standing, "what is held still waits for a day");
    Outcome::Held
}

/// Clause 32: of a cooldown that could not be written and another one that a second tab wrote meanwhile, the later one
/// holds for both, whichever it was.
pub async fn cooldown_merge_is_max<H: Harness>(harness: &H) -> Outcome {
    // How many calls come before the one that writes the failure is learned from a run in which all goes well.
    let healthy = Faulty::new(harness.fresh().await, Fault::Hang, u64::MAX, Repeat::Once);
    let (tab, _) = Tab::open(&healthy, 1, START).await;
    tab.claim_and_fail(Millis::secs(600)).await;
    let writes_failure = healthy.calls();

    for theirs in [Millis::secs(60), Millis::secs(1_800)] {
        let full = Fault::FailAt(StoreError::not_applied(StoreErrorKind::QuotaExceeded));
        let store = Faulty::new(harness.fresh().await, full, writes_failure, Repeat::Once);
        let (mut mine, _) = Tab::open(&store, 1, START).await;
        mine.claim_and_fail(Millis::secs(600)).await;
        assert_eq!(mine.session.borrow().durability(), Durability::Degraded, "the failure could be written");
        let earned = until(mine.session.borrow().root());

        let other = harness.another_context(store.inner()).await;
        let mut winner = root(&other).await;
        cool_down(&mut winner, START.after(theirs));
        plant(&other, encode_root(&winner), 99).await;

        mine.settle_after(Millis::secs(30)).await;
        let latest = earned.max(START.after(theirs));
        assert_eq!(until(mine.session.borrow().root()), latest, "in memory");
        assert_eq!(until(&root(&other).await), latest, "in the store");
    }
    Outcome::Held
}

fn cool_down(root: &mut Root, until: Timestamp) {
    let failures = &mut root.state.guards.failures;
    failures.streaks[FailureClass::RateLimit as usize] = 1;
    failures.cooldown = Some(Cooldown { class: FailureClass::RateLimit, until });
}

fn until(root: &Root) -> Timestamp {
    root.state.guards.failures.cooldown.expect("a cooldown stands").until
}
