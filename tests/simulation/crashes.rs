//! A crash at every boundary of every store call: a copy of the store from before and after it, opened by a new session, holds
//! an old state or a new one, whole, and goes on.

use compaction_governor::{
    policy::check,
    session::{Durability, Found},
    time::Millis,
};

use crate::{
    faults::assert_durable,
    script::{Host, Kept, START},
};

#[test]
fn a_crash_image_from_before_and_after_every_store_call_opens_whole_and_goes_on() {
    let kept = Kept::default();
    let mut host = Host::new(&kept, 1, START);
    host.play();
    let now = host.now;
    let images = kept.images.take();
    let count = images.len();
    assert!(count > 40, "{count} images");
    let mut revision = None;
    for (at, image) in images.into_iter().enumerate() {
        let name = format!("image {at} of {count}");
        assert!(image.revision() >= revision, "{name}: revisions only grow");
        revision = image.revision();
        let root = image.root().cloned();
        let kept = Kept::of(image);
        let mut next = Host::new(&kept, 100 + at as u64, now.after(Millis::secs(1_000)));
        let found = next.open();
        assert_eq!(found, if root.is_some() { Found::Existing } else { Found::New }, "{name}");
        let session = next.session.borrow();
        if let Some(root) = root {
            assert_eq!(session.root().generations.len(), root.generations.len(), "{name}: all that was committed");
            assert!(
                root.generations.iter().all(|made| session.written(made.number).is_some()),
                "{name}: with its text"
            );
            let strikes = |root: &compaction_governor::record::Root| {
                (root.state.guards.ineffective_streak, root.state.guards.weak_streak)
            };
            assert!(strikes(session.root()) >= strikes(&root), "{name}: no strike is lost");
        }
        drop(session);
        goes_on(&mut next, &kept, &name);
    }
    println!("{count} crash images");
}

/// The next session compacts again: at once, or when the guard that was tripped opens.
fn goes_on(next: &mut Host<'_, Kept>, kept: &Kept, name: &str) {
    // As much as the session was shown before: what counts fewer entries is no newer reading.
    let shown = next.session.borrow().root().anchor.map_or(10, |anchor| anchor.entries);
    next.show(shown.into());
    next.call();
    let mut passed = false;
    for _ in 0..3 {
        passed |= next.pass(0);
        next.now = next.now.after(Millis::secs(1_000));
    }
    assert!(passed, "{name}: {:?}", next.session.borrow().decide(next.now));
    next.settle();
    assert_eq!(next.durability(), Durability::Durable, "{name}");
    check(next.session.borrow().state()).unwrap_or_else(|breach| panic!("{name}: {breach}"));
    assert_durable(next, kept, name);
}
