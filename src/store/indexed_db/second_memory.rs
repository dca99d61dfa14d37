//! The second memory: how far each session had come, in localStorage, which no engine loses together with IndexedDB.
//!
//! Windows have one, workers do not; what a worker wrote is marked when a window opens the session. A mark may lag by the
//! seconds that a killed browser takes from localStorage, never run ahead: it is written after the acknowledgement.
//!
//! Item `name/m/` and the last three digits of the session's hash, value `hash incarnation revision`, about 60 bytes. So
//! there are at most 4,096 items however many chats there were; a chat whose item another one took is told of no loss.
//! No id of a session stands in it.

use web_sys::Storage;

use crate::id::{OpId, text_hash};
use crate::store::js::local_storage::local_storage;
use crate::store::js::value;
use crate::store::{Mark, Recalled};

/// What stands for a session where its id should not.
pub(super) fn hash(session: &str) -> String {
    value::hex(OpId(text_hash(session)))
}

/// What is kept of `session` of the database called `name`.
pub(super) fn recall(name: &str, session: &str) -> Recalled {
    let Some(item) = Item::of(name, session) else { return Recalled::Unknown };
    match item.storage.get_item(&item.key) {
        Ok(None) => Recalled::Nothing,
        Ok(Some(text)) => parse(&text, &item.hash).map_or(Recalled::Unknown, Recalled::Mark),
        Err(_) => Recalled::Unknown,
    }
}

/// Keeps `mark`. Where there is no room for it, what stands there is older than it: it lags.
pub(super) fn remember(name: &str, session: &str, mark: Mark) {
    if let Some(item) = Item::of(name, session) {
        let mut text = item.hash;
        for word in [value::hex(OpId(mark.incarnation)), mark.revision.to_string()] {
            text.push(' ');
            text.push_str(&word);
        }
        let _ = item.storage.set_item(&item.key, &text);
    }
}

/// Forgets `session`, which was removed.
pub(super) fn forget(name: &str, session: &str) {
    if matches!(recall(name, session), Recalled::Mark(_))
        && let Some(item) = Item::of(name, session)
    {
        let _ = item.storage.remove_item(&item.key);
    }
}

struct Item {
    storage: Storage,
    key: String,
    hash: String,
}

impl Item {
    fn of(name: &str, session: &str) -> Option<Self> {
        let storage = local_storage().ok()?;
        let hash = hash(session);
        let mut key = name.to_owned();
        key.push_str("/m/");
        key.push_str(&hash[hash.len() - SLOT_DIGITS..]);
        Some(Self { storage, key, hash })
    }
}

/// The mark of the session with this hash; `None` for another one's, and for anything else.
fn parse(text: &str, hash: &str) -> Option<Mark> {
    let (incarnation, revision) = text.strip_prefix(hash)?.strip_prefix(' ')?.split_once(' ')?;
    Some(Mark { incarnation: u64::from_str_radix(incarnation, 16).ok()?, revision: revision.parse().ok()? })
}

/// Hexadecimal digits of a hash that choose the item.
const SLOT_DIGITS: usize = 3;
