//! What a tab believes to be durable is what the store holds at that revision, to the last pin: an answer that was given is
//! true after a reload.

use compaction_governor::{policy::State, record::load_pins, session::Durability};

use crate::{
    store::{SESSION, SimStore},
    tab::Tab,
};

pub(super) fn check(tab: &Tab, store: &SimStore) -> Result<(), String> {
    let idle = tab.opened && tab.busy.is_none();
    if !idle || tab.session.durability() == Durability::Degraded {
        return Ok(());
    }
    let Some(revision) = tab.session.revision() else { return nothing_to_keep(tab) };
    let stored = store.root_of(revision).ok_or_else(|| format!("revision {revision} was never committed"))?;
    let root = tab.session.root();
    if tab.session.durability() == Durability::CountersOnly {
        // Summaries and pins wait for room, and with them whatever hangs on a summary. The counters do not.
        let strikes = |state: &State| state.guards.ineffective_streak + state.guards.weak_streak;
        return match strikes(&stored.state) < strikes(&root.state) {
            true => Err(format!("revision {revision} holds fewer strikes than were earned")),
            false => Ok(()),
        };
    }
    if stored.state.differs_durably(&root.state) {
        return Err(format!(
            "memory is not revision {revision}\n  memory: {:?}\n  stored: {:?}",
            root.state, stored.state
        ));
    }
    if stored.generations != root.generations || stored.incarnation != root.incarnation {
        return Err(format!("the generations in memory are not those of revision {revision}"));
    }
    if load_pins(store.pins_of(revision), SESSION) != *tab.session.pins() {
        return Err(format!("the pins in memory are not those of revision {revision}"));
    }
    match root.generations.iter().find(|generation| tab.session.written(generation.number).is_none()) {
        Some(generation) => Err(format!("summary {} is stored and not in memory", generation.number)),
        None if tab.session.planned().is_some_and(|planned| tab.ended.contains(&planned.attempt)) => {
            Err("an attempt that has ended is still being worked on".to_owned())
        }
        None => Ok(()),
    }
}

/// Nothing was written yet, so nothing may be known.
fn nothing_to_keep(tab: &Tab) -> Result<(), String> {
    let blank = compaction_governor::policy::State::default();
    // A pin may be all there is, and wait for room.
    let waits = tab.session.durability() == Durability::CountersOnly;
    match blank.differs_durably(tab.session.state()) || !waits && !tab.session.pins().is_empty() {
        true => Err(format!("believed durable and never written: {:?}", tab.session.state())),
        false => Ok(()),
    }
}
