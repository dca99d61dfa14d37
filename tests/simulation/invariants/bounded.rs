//! Every operation ends in a bounded number of store calls, however the store and the other tabs behave.

use crate::tab::Tab;

pub(super) fn check(tab: &Tab) -> Result<(), String> {
    let Some(busy) = &tab.busy else { return Ok(()) };
    let most = CALLS + busy.met * CALLS_PER_FAULT;
    if busy.calls > most {
        return Err(format!("{:?} has made {} calls, and met {} faults", busy.op.what, busy.calls, busy.met));
    }
    Ok(())
}

/// Read, quarantine, write; and where there was no room for a summary, write without it.
const CALLS: u32 = 4;
/// Read what holds, write again.
const CALLS_PER_FAULT: u32 = 2;
