//! Everything that is kept is listed once, readable or not.

use compaction_governor::session::sessions::{List, Listed, Remove};

use super::*;

fn page(store: &MemoryStore, after: Option<&str>, limit: usize) -> Page {
    perform_sync(store, List::new(after, limit)).expect("memory answers")
}

fn all(store: &MemoryStore, limit: usize) -> Vec<Listed> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = page(store, after.as_deref(), limit);
        assert!(page.sessions.len() <= limit);
        all.extend(page.sessions);
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

#[test]
fn pages_of_any_length_list_every_session_once_with_its_bytes() {
    let tab = talked();
    for n in 0..24 {
        fork(&tab.store, "chat", &format!("copy {n:02}")).expect("free");
    }
    for limit in [1, 7, 24, 25, 26] {
        let listed = all(&tab.store, limit);
        let mut ids: Vec<_> = listed.iter().map(|one| one.id.as_str()).collect();
        ids.dedup();
        assert_eq!(ids.len(), 25, "pages of {limit}");
        for one in &listed {
            let bytes: usize = parts(&tab.store, &one.id).iter().map(|(_, bytes)| bytes.len()).sum();
            assert_eq!(one.bytes, bytes as u64);
        }
    }
    assert_eq!(page(&MemoryStore::new(), None, 10), Page::default());
}

#[test]
fn a_session_is_as_new_as_the_newest_thing_it_recorded() {
    let (mut tab, _) = Tab::open(MemoryStore::new(), 1, START);
    let listed = |tab: &Tab<MemoryStore>| page(&tab.store, None, 10).sessions.pop().and_then(|one| one.updated_at);
    tab.run(Write::rereading(Pin(Pinnable::Text(RULE.to_owned())))).expect("room");
    assert_eq!(listed(&tab), None, "a record without a time");
    tab.grow_to_threshold();
    tab.wait(Millis::secs(10));
    let planned = tab.claimed();
    assert_eq!(listed(&tab), Some(tab.now), "claimed");
    tab.wait(Millis::secs(20));
    tab.commit(&planned, SUMMARY);
    assert_eq!(listed(&tab), Some(tab.now), "committed");
    tab.wait(Millis::secs(30));
    tab.call();
    assert_eq!(listed(&tab), Some(tab.now), "reported");
    let reported = tab.now;
    tab.grow_to_threshold();
    tab.wait(Millis::secs(40));
    let planned = tab.claimed();
    tab.wait(Millis::secs(5));
    tab.fail(&planned, FailureClass::Quota);
    assert_eq!(listed(&tab), Some(tab.now), "failed; its cooldown of an hour lies ahead and is no news");
    assert!(tab.now > reported);
}

#[test]
fn what_cannot_be_read_is_listed_with_its_bytes_and_without_a_time() {
    let tab = talked();
    let whole = parts(&tab.store, "chat").remove(0).1;
    put_root(&tab.store, "a damaged", whole[1..].to_vec());
    put_root(&tab.store, "a foreign", whole.clone());
    put_root(&tab.store, "a newer", newer(whole.clone()));
    let listed: Vec<_> =
        all(&tab.store, 2).into_iter().map(|one| (one.id, one.bytes, one.updated_at.is_some())).collect();
    let length = whole.len() as u64;
    let of = |id: &str, bytes| (id.to_owned(), bytes, false);
    assert_eq!(listed[..3], [of("a damaged", length - 1), of("a foreign", length), of("a newer", length)]);
    assert!(listed[3].2, "the one that can");
    perform_sync(&tab.store, Remove::new("a damaged")).expect("removed");
    perform_sync(&tab.store, Remove::new("a newer")).expect("removed");
    assert_eq!(all(&tab.store, 2).len(), 2, "and can be removed");
}

#[test]
fn removing_while_listing_skips_nobody() {
    let tab = talked();
    for n in 0..9 {
        fork(&tab.store, "chat", &format!("copy {n}")).expect("free");
    }
    let (mut seen, mut after) = (0, None);
    loop {
        let page = page(&tab.store, after.as_deref(), 3);
        for one in &page.sessions {
            perform_sync(&tab.store, Remove::new(&one.id)).expect("removed");
        }
        seen += page.sessions.len();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!((seen, SyncStore::list(&tab.store, None, 99)), (10, Ok(Vec::new())));
}
