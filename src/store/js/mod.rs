//! What the backends in a JavaScript engine share: waiting on its event loop, its exceptions, and its values.

pub(super) mod event_loop;
pub(super) mod exception;
pub(super) mod value;
