//! What the backends in a JavaScript engine share: how they are asked, waiting on its event loop, its exceptions, its
//! values, and finding localStorage.

pub(crate) mod engine;
pub(super) mod event_loop;
pub(super) mod exception;
pub(super) mod local_storage;
pub(super) mod value;
