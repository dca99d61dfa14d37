//! Sealing: what lies in the store can be read with the key alone.
//!
//! Every part is sealed before the store is asked to write it, and bound to its session and its name, so that no part
//! opens in another one's place. Ids of sessions, names of parts, lengths and revisions stay as they are.
//!
//! - a part that was never sealed is read as it is, and sealed when it is next written;
//! - a codec that cannot answer now fails the call: the session goes on in memory and tries again;
//! - a part whose key is lost is unreadable: it goes to the quarantine as it is, sealed, and is not overwritten before.

#[cfg(target_arch = "wasm32")]
mod js;

#[cfg(target_arch = "wasm32")]
pub use js::JsCodec;

use crate::{
    id::OpId,
    record::{ENVELOPE_BYTES, envelope, sealed},
    store::{Batch, Capabilities, Expect, Mark, Part, Recalled, Revision, Snapshot, Store, StoreError},
};

/// Seals bytes and opens them again. `about` is bound to what is sealed: under another one it must not open.
#[expect(async_fn_in_trait, reason = "as for Store: engines of browsers are single-threaded")]
pub trait Codec {
    /// `bytes`, sealed; longer by at most [`Codec::overhead`].
    ///
    /// # Errors
    /// [`KeyUnavailable`](crate::store::StoreErrorKind::KeyUnavailable): nothing was written.
    async fn seal(&self, bytes: &[u8], about: &[u8]) -> Result<Vec<u8>, StoreError>;

    /// What was sealed; `None` where its key is lost, or where these are other bytes than were sealed under `about`.
    ///
    /// # Errors
    /// [`KeyUnavailable`](crate::store::StoreErrorKind::KeyUnavailable) where only this moment lacks the key.
    async fn open(&self, sealed: &[u8], about: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// How many bytes longer sealed bytes may be.
    fn overhead(&self) -> u64;
}

/// A store whose parts are sealed, if there is a codec.
#[derive(Debug)]
pub struct Sealed<S, C> {
    store: S,
    codec: Option<C>,
}

impl<S, C> Sealed<S, C> {
    /// `store` behind `codec`; without one it is as it was.
    #[must_use]
    pub const fn new(store: S, codec: Option<C>) -> Self {
        Self { store, codec }
    }

    /// The store behind it.
    #[must_use]
    pub const fn inner(&self) -> &S {
        &self.store
    }
}

impl<S: Store, C: Codec> Store for Sealed<S, C> {
    fn capabilities(&self) -> Capabilities {
        let inner = self.store.capabilities();
        let overhead = self.codec.as_ref().map_or(0, |codec| codec.overhead() + ENVELOPE_BYTES);
        Capabilities { max_value_bytes: inner.max_value_bytes.map(|limit| limit.saturating_sub(overhead)), ..inner }
    }

    async fn open(&self) -> Result<(), StoreError> {
        self.store.open().await
    }

    async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
        let mut found = self.store.load(session).await?;
        if let (Some(codec), Some(snapshot)) = (&self.codec, &mut found) {
            open_parts(codec, session, &mut snapshot.parts).await?;
        }
        Ok(found)
    }

    async fn commit(&self, session: &str, expect: Expect, batch: &Batch, op: OpId) -> Result<Revision, StoreError> {
        let Some(codec) = &self.codec else { return self.store.commit(session, expect, batch, op).await };
        if let Err(refused) = batch.check(&self.capabilities()) {
            return self.refused(refused).await;
        }
        let mut sealed = batch.clone();
        seal_parts(codec, session, &mut sealed.puts).await?;
        self.store.commit(session, expect, &sealed, op).await
    }

    async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.list(after, limit).await
    }

    async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
        self.store.remove(session, expect).await
    }

    async fn quarantine(&self, session: &str, part: Part, bytes: &[u8], reason: &str) -> Result<(), StoreError> {
        match &self.codec {
            Some(codec) => {
                if let Err(refused) = self.capabilities().check_size(bytes) {
                    return self.refused(refused).await;
                }
                let mut kept = [(part, bytes.to_vec())];
                seal_parts(codec, session, &mut kept).await?;
                self.store.quarantine(session, part, &kept[0].1, reason).await
            }
            None => self.store.quarantine(session, part, bytes, reason).await,
        }
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.store.close().await
    }

    fn recall(&self, session: &str) -> Recalled {
        self.store.recall(session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        self.store.remember(session, mark);
    }
}

impl<S: Store, C> Sealed<S, C> {
    /// What is refused here, unless the store says no anyway: a closed one is closed, whatever it is asked.
    async fn refused<T>(&self, refused: StoreError) -> Result<T, StoreError> {
        self.store.open().await?;
        Err(refused)
    }
}

async fn seal_parts(codec: &impl Codec, session: &str, parts: &mut [(Part, Vec<u8>)]) -> Result<(), StoreError> {
    for (part, bytes) in parts {
        *bytes = envelope(&codec.seal(bytes, &about(session, *part)).await?);
    }
    Ok(())
}

/// Without its envelope a part that does not open is unreadable, and nobody takes it for a newer one.
async fn open_parts(codec: &impl Codec, session: &str, parts: &mut [(Part, Vec<u8>)]) -> Result<(), StoreError> {
    for (part, bytes) in parts {
        if let Some(sealed) = sealed(bytes) {
            *bytes = codec.open(sealed, &about(session, *part)).await?.unwrap_or_else(|| sealed.to_vec());
        }
    }
    Ok(())
}

/// What a part is bound to. A name of a part has no zero byte, so that no two bindings are alike.
fn about(session: &str, part: Part) -> Vec<u8> {
    [session.as_bytes(), &[0], part.to_string().as_bytes()].concat()
}
