//! How far an engine is asked to go before a commit counts.

/// What the engine is asked to do before it says that a commit is done. A hint where power is lost; a kill of the process
/// takes nothing acknowledged with either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Hand the commit to the operating system.
    #[default]
    Relaxed,
    /// Also ask for a flush to the disk.
    Strict,
}
