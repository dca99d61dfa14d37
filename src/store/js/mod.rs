//! What the backends in a JavaScript engine share: waiting on its event loop, and its exceptions.

pub(super) mod event_loop;
pub(super) mod exception;
