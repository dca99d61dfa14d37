//! One door for all calls: what a store behind JavaScript is asked is a value, and its answer one future.
//!
//! A future is compiled with everything that it waits for, so one per call would be the largest part of what a page loads.

use core::future::Future;
use core::pin::Pin;

use wasm_bindgen::JsValue;

use crate::error::Applied;
use crate::id::OpId;
use crate::store::{Batch, Capabilities, Expect, Mark, Part, Recalled, Revision, Snapshot, StoreError};

/// A call of the contract; each is as [`Store`](crate::store::Store) has it.
pub(crate) enum Request<'a> {
    Open,
    Load,
    Commit {
        expect: Expect,
        batch: &'a Batch,
        op: OpId,
    },
    List {
        after: Option<&'a str>,
        limit: usize,
    },
    Remove {
        expect: Option<Revision>,
    },
    Quarantine {
        part: Part,
        bytes: &'a [u8],
        reason: &'a str,
    },
    Close,
    /// Not of the contract: the key that seals what the engine keeps; where there is none, this one becomes it.
    Key(JsValue),
}

/// What a request was answered with. What it did not ask for stays empty.
#[derive(Default)]
pub(crate) struct Reply {
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) revision: Revision,
    pub(crate) ids: Vec<String>,
    /// None where the engine keeps no key.
    pub(crate) key: Option<JsValue>,
}

/// An answer on its way.
pub(crate) type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply, StoreError>> + 'a>>;

/// What keeps records behind JavaScript. [`store_of_engine`] makes a [`Store`](crate::store::Store) of it.
pub(crate) trait Engine {
    fn capabilities(&self) -> Capabilities;

    fn answer<'a>(&'a self, session: &'a str, request: Request<'a>) -> Answer<'a>;

    fn recall(&self, _session: &str) -> Recalled {
        Recalled::Unknown
    }

    fn remember(&self, _session: &str, _mark: Mark) {}
}

impl Request<'_> {
    /// Whether a call that does not end in time may have changed something.
    pub(in crate::store) fn applied(&self) -> Applied {
        match self {
            Self::Open | Self::Load | Self::List { .. } | Self::Close => Applied::No,
            Self::Commit { .. } | Self::Remove { .. } | Self::Quarantine { .. } | Self::Key(_) => Applied::Unknown,
        }
    }
}

/// `impl Store` for an [`Engine`]. A blanket implementation would stand beside the one of synchronous stores.
macro_rules! store_of_engine {
    ($engine:ty) => {
        impl crate::store::Store for $engine {
            fn capabilities(&self) -> Capabilities {
                Engine::capabilities(self)
            }

            async fn open(&self) -> Result<(), StoreError> {
                self.answer("", Request::Open).await.map(drop)
            }

            async fn load(&self, session: &str) -> Result<Option<Snapshot>, StoreError> {
                Ok(self.answer(session, Request::Load).await?.snapshot)
            }

            async fn commit(
                &self,
                session: &str,
                expect: Expect,
                batch: &Batch,
                op: OpId,
            ) -> Result<Revision, StoreError> {
                Ok(self.answer(session, Request::Commit { expect, batch, op }).await?.revision)
            }

            async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
                Ok(self.answer("", Request::List { after, limit }).await?.ids)
            }

            async fn remove(&self, session: &str, expect: Option<Revision>) -> Result<(), StoreError> {
                self.answer(session, Request::Remove { expect }).await.map(drop)
            }

            async fn quarantine(
                &self,
                session: &str,
                part: Part,
                bytes: &[u8],
                reason: &str,
            ) -> Result<(), StoreError> {
                self.answer(session, Request::Quarantine { part, bytes, reason }).await.map(drop)
            }

            async fn close(&self) -> Result<(), StoreError> {
                self.answer("", Request::Close).await.map(drop)
            }

            fn recall(&self, session: &str) -> Recalled {
                Engine::recall(self, session)
            }

            fn remember(&self, session: &str, mark: Mark) {
                Engine::remember(self, session, mark);
            }
        }
    };
}

pub(in crate::store) use store_of_engine;

impl Engine for Box<dyn Engine> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn answer<'a>(&'a self, session: &'a str, request: Request<'a>) -> Answer<'a> {
        (**self).answer(session, request)
    }

    fn recall(&self, session: &str) -> Recalled {
        (**self).recall(session)
    }

    fn remember(&self, session: &str, mark: Mark) {
        (**self).remember(session, mark);
    }
}

store_of_engine!(Box<dyn Engine>);
