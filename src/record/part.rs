//! What every part begins with: its kind and the session it belongs to.

/// Key of the kind.
pub(super) const KIND: u8 = 0;
/// Key of the session.
pub(super) const SESSION: u8 = 1;

/// The kind of a root record.
pub(super) const ROOT: u8 = 1;
/// The kind of a summary.
pub(super) const SUMMARY: u8 = 2;
/// The kind of the pins.
pub(super) const PINS: u8 = 3;
