//! Whole sessions of a store, for a list of chats: which there are, and deleting, copying and carrying one.
//!
//! No session object takes part. An [`Errand`] hands out [`Call`](super::Call)s and takes their answers; [`perform`] awaits a store,
//! [`perform_sync`] calls one:
//!
//! 1. [`List`]: a page of sessions, with what they take and when they were last heard of; [`Ids`]: the ids alone;
//! 2. [`Remove`]: everything that is kept for one, whatever its state;
//! 3. [`Fork`]: a copy under a new id, in one commit;
//! 4. [`Export`], [`Import`]: one session as bytes, and back, into the same kind of store or another one.
//!
//! A session object that is open elsewhere learns of a removal by its next store call (`Session::lose_record`).

mod copy;
mod create;
mod error;
mod export;
mod fork;
mod import;
mod list;
mod remove;

pub use error::SessionsError;
pub use export::Export;
pub use fork::Fork;
pub use import::Import;
pub use list::{Ids, List, Listed, Page};
pub use remove::Remove;

use crate::{
    session::{Calls, carry_out, carry_out_sync},
    store::{Store, SyncStore},
};

/// Something that is done to whole sessions.
pub trait Errand: Calls {
    /// What it ends in.
    type Output;

    /// Takes the result, when no call is left.
    ///
    /// # Errors
    /// [`SessionsError`]: nothing was changed, unless it is the store's and says that it may have been.
    fn finish(self) -> Result<Self::Output, SessionsError>;
}

/// Does `errand` on a store that is awaited.
///
/// # Errors
/// Those of [`Errand::finish`].
pub async fn perform<S: Store, E: Errand>(store: &S, mut errand: E) -> Result<E::Output, SessionsError> {
    carry_out(store, &mut errand).await;
    errand.finish()
}

/// Does `errand` on a store that answers at once.
///
/// # Errors
/// Those of [`Errand::finish`].
pub fn perform_sync<S: SyncStore, E: Errand>(store: &S, mut errand: E) -> Result<E::Output, SessionsError> {
    carry_out_sync(store, &mut errand);
    errand.finish()
}
