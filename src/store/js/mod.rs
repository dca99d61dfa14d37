//! What the backends in a JavaScript engine share: waiting on its event loop, its exceptions, its values, and finding
//! localStorage.

pub(super) mod event_loop;
pub(super) mod exception;
pub(super) mod local_storage;
pub(super) mod value;
