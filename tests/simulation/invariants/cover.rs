//! Every entry is covered, shown, pinned or stands as a placeholder, and a summary stands only for what it was written of:
//! else a model is told of another branch's past, or is not told what was said.

use std::collections::HashSet;

use compaction_governor::view::Part;

use crate::{summariser, tab::Tab};

pub(super) fn check(tab: &Tab, adopted: &HashSet<String>) -> Result<(), String> {
    let (session, view) = (&tab.session, tab.session.view());
    view.check(session.index()).map_err(|breach| format!("{breach:?} in {view:?}"))?;
    pinned_are_shown(tab, view.parts())?;
    if view.covered_count() == 0 {
        return Ok(());
    }
    let live = session.live().ok_or("a summary is shown that is not there")?;
    let by_its_host =
        !live.text.contains("covers") && adopted.contains(&summariser::mark(&tab.copy, view.covered_count()));
    if !by_its_host && !summariser::covers(&live.text, &tab.copy, view.covered_count()) {
        return Err(format!(
            "summary {} was not written of the {} entries it stands for",
            live.number,
            view.covered_count()
        ));
    }
    Ok(())
}

fn pinned_are_shown(tab: &Tab, parts: &[Part]) -> Result<(), String> {
    for pin in &tab.session.pins().entries {
        let alike = tab.copy.iter().enumerate().filter(|(_, entry)| entry.id == pin.id);
        let Some((place, _)) = alike.into_iter().nth(pin.nth as usize) else { continue };
        let place = u32::try_from(place).expect("short");
        let shown = parts.iter().any(|part| match *part {
            Part::Verbatim { from, to } => (from..to).contains(&place),
            // A late result is sent as text, whoever pinned it.
            Part::Placeholder { index, why: compaction_governor::view::Why::LateResult } => index == place,
            _ => false,
        });
        if !shown {
            return Err(format!("entry {place} is pinned and not shown in {parts:?}"));
        }
    }
    Ok(())
}
