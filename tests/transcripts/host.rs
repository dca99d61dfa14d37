//! A host's numbers, drawn.

use compaction_governor::{
    plan::{Capping, Keep, LEAST_FREED_BYTES, PlanInput, PruneInput, Replaced, floor, summary_cap},
    tokens::{Tokens, permille},
    transcript::Index,
    view::{Generation, View},
};

use super::{Transcript, cases::Draw};

#[derive(Clone, Debug)]
pub struct Host {
    window: Tokens,
    overhead: Tokens,
    pub keep: Keep,
    urgent: bool,
    pub scale_permille: u32,
    /// Where the threshold would be, as a share of the occupancy: most plans should be worth it.
    threshold_permille: u32,
    pub pins: Vec<u32>,
    pub capping: Capping,
    pub live_turn: bool,
}

impl Host {
    pub fn drawn(draw: &mut Draw) -> Self {
        let rng = &mut draw.rng;
        let tokens = if rng.below(4) == 0 { rng.below(2_000) as u32 } else { 0 };
        let turns = if rng.below(4) == 0 { rng.below(4) as u32 } else { 0 };
        Self {
            window: rng.pick(&[8_192, 32_768, 131_072]),
            overhead: if rng.below(3) == 0 { rng.below(4_000) as u32 } else { 0 },
            keep: Keep { entries: rng.below(6) as u32, tokens, turns },
            urgent: rng.below(2) == 0,
            scale_permille: if rng.below(4) == 0 { 300 + rng.below(3_700) as u32 } else { 1_000 },
            threshold_permille: 700 + rng.below(400) as u32,
            pins: Vec::new(),
            capping: rng.pick(&[Capping::Never, Capping::Giants, Capping::NewestUserToo]),
            live_turn: rng.below(2) == 0,
        }
    }

    /// The host pins other entries from now on.
    pub fn pin(&mut self, transcript: &Transcript, draw: &mut Draw) {
        let mut pins: Vec<u32> =
            (0..draw.rng.below(4).saturating_sub(1)).map(|_| draw.rng.below(transcript.len().into()) as u32).collect();
        pins.sort_unstable();
        pins.retain(|&pin| pin < transcript.len());
        self.pins = pins;
    }

    pub fn occupancy(&self, index: &Index, generations: &[Generation]) -> Tokens {
        let entries = View::new(index, generations).tokens() * u64::from(self.scale_permille) / 1_000;
        self.overhead + entries as Tokens
    }

    pub fn input<'a>(&'a self, index: &Index, generations: &'a [Generation]) -> PlanInput<'a> {
        let live = Generation::live(generations, index);
        let replaced = live.map_or(Replaced::default(), Generation::replaced);
        let occupancy = self.occupancy(index, generations);
        let threshold = permille(occupancy, self.threshold_permille);
        // What the policy does with these is its own business: here only their order matters.
        let floor = floor(index, &self.pins, replaced, self.overhead, self.scale_permille);
        PlanInput {
            previous: live.map(Generation::covered),
            occupancy,
            overhead: self.overhead,
            target_tokens: floor + permille(threshold.saturating_sub(floor), 250),
            accept_below: permille(threshold, 850),
            min_saving_permille: 100,
            keep: self.keep,
            pins: &self.pins,
            replaced,
            capping: Capping::Never,
            urgent: self.urgent,
            summary_cap: summary_cap(Some(self.window)),
            scale_permille: self.scale_permille,
        }
    }

    pub fn prune_input<'a>(&'a self, index: &Index, generations: &'a [Generation]) -> PruneInput<'a> {
        let live = Generation::live(generations, index);
        PruneInput {
            from: live.map_or(0, |live| live.covered_count),
            keep: self.keep,
            live_turn: self.live_turn,
            pins: &self.pins,
            replaced: live.map_or(Replaced::default(), Generation::replaced),
            least_tokens: permille(self.occupancy(index, generations), 80),
            least_bytes: LEAST_FREED_BYTES,
            scale_permille: self.scale_permille,
        }
    }
}
