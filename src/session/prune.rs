//! Clearing old results and media before a model is asked: decided once, recorded, and often enough by itself.

use crate::{
    plan::{self, Prune, PruneInput, Replaced},
    policy::{Event, Kind, Means, Pass},
    record::{Generation, Summary, Unknown},
    session::{Session, write::Parts},
    time::Timestamp,
    tokens::{Tokens, permille},
    view,
};

impl Session {
    /// Clears everything that may be cleared for `pass`, where that is worth a cold cache (design.md section 4): a
    /// generation of its own, with the live summary as it is. `None`: nothing, or too little.
    pub(super) fn prune_for(&mut self, pass: &Pass, kind: Kind, now: Timestamp) -> Option<(Parts, Tokens)> {
        let pruned = self.prunable(pass)?;
        let live = self.shown_generation();
        let mut entries = live.map_or(Vec::new(), |live| live.pruned.clone());
        entries.extend_from_slice(&pruned.entries);
        entries.sort_unstable();
        let mut capped = live.map_or(Vec::new(), |live| live.capped.clone());
        capped.retain(|(at, _)| entries.binary_search(at).is_err());
        Some((self.replace(entries, capped, kind, now), pruned.freed_tokens))
    }

    /// Cuts the giant entries that `pass` may cut.
    pub(super) fn cap_for(&mut self, pass: &Pass, kind: Kind, now: Timestamp) -> Parts {
        let pruned = self.shown_generation().map_or(Vec::new(), |live| live.pruned.clone());
        let capped = self.caps_for(pass);
        self.replace(pruned, capped, kind, now)
    }

    /// A generation that shows the live summary as it is, and these entries cleared and cut.
    fn replace(&mut self, pruned: Vec<u32>, capped: Vec<(u32, u32)>, kind: Kind, now: Timestamp) -> Parts {
        let before = self.observation().occupancy;
        let (attempt, number) = (self.draw_attempt(), self.next_number());
        let live = self.shown_generation();
        let shown = view::Generation::replacing(self.index(), live, number, pruned, capped);
        let written = live.and_then(|live| self.written(live.number));
        let mut summary = written.cloned().unwrap_or_else(|| Summary::new(self.id(), number, attempt, ""));
        summary.number = number;
        summary.attempt = attempt;
        summary.pruned = shown.pruned;
        summary.capped = shown.capped;
        let generation = Generation {
            number,
            attempt,
            at: now,
            kind,
            probe: false,
            covered_entries: shown.covered_count,
            covered_last_id: shown.covered_last_id,
            matched_entries: Some(shown.matched_count),
            fingerprint: shown.fingerprint,
            pinned: shown.pinned,
            before_tokens: before,
            after_tokens: None,
            summary_tokens: shown.summary_tokens,
            prune: true,
            fallback: false,
            last_resort: false,
            verdict: None,
            unknown: Unknown::default(),
        };
        self.apply(Event::Pruned, now);
        self.add_generation(generation, summary)
    }

    fn prunable(&self, pass: &Pass) -> Option<Prune> {
        if self.settings().keep_results {
            return None;
        }
        let live = self.shown_generation();
        let threshold = self.observation().lines.map_or(self.observation().occupancy, |lines| lines.threshold);
        let input = PruneInput {
            from: live.map_or(0, |live| live.covered_count),
            keep: self.settings().keep.unwrap_or_default(),
            live_turn: pass.means == Means::LastResort,
            pins: self.pinned_entries(),
            replaced: live.map_or(Replaced::default(), view::Generation::replaced),
            least_tokens: permille(threshold, LEAST_FREED_PERMILLE),
            least_bytes: plan::LEAST_FREED_BYTES,
            scale_permille: self.ratio().permille(),
        };
        plan::prune(self.index(), &input)
    }

    /// The generation that the view shows.
    pub(super) fn shown_generation(&self) -> Option<&view::Generation> {
        let shown = self.sight().view.generation()?;
        self.generations().iter().find(|generation| generation.number == shown)
    }

    /// What of `committed` is still cleared: what was pinned since stays as it is, with its whole group.
    pub(super) fn without_pins(&self, committed: &[u32]) -> Vec<u32> {
        let mut cleared = committed.to_vec();
        for &pin in self.pinned_entries() {
            for at in self.index().members(pin) {
                if let Ok(place) = cleared.binary_search(&at) {
                    cleared.remove(place);
                }
            }
        }
        cleared
    }

    /// What of `committed` is still cut: as [`Session::without_pins`].
    pub(super) fn uncut_pins(&self, committed: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let places: Vec<u32> = committed.iter().map(|(at, _)| *at).collect();
        let cut = self.without_pins(&places);
        committed.iter().filter(|(at, _)| cut.binary_search(at).is_ok()).copied().collect()
    }
}

/// Share of the threshold that a prune has to free: less is not worth what a cold prompt cache costs.
const LEAST_FREED_PERMILLE: u32 = 100;
