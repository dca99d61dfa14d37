//! What working out a slice costs: in a steady session, and with a slice of the whole transcript that is verified; and
//! what the view costs, as ranges.
//!
//! Prints one line per figure: entries, what, nanoseconds of CPU time (median), separated by tabs.

use std::{hint::black_box, time::Duration};

use compaction_governor::{
    config::Config,
    plan::{Capping, Covered, Keep, MAX_PRUNED, PlanInput, Replaced, floor, plan, summary_cap},
    tokens::Tokens,
    transcript::{Entry, Index, Role},
    view::{Generation, View},
};
use rustix::time::{ClockId, clock_gettime};

const ENTRY: Tokens = 500;
/// Entries since the last pass in a steady session: what fills a window of 200,000 from target to threshold.
const NEW: u32 = 240;
const SAMPLES: usize = 101;

fn main() {
    for entries in [10_000, 100_000] {
        let index = transcript(entries);
        let steady = Covered { count: entries - NEW, pinned: &[], summary_tokens: 2_000 };
        println!("{entries}\tsteady\t{}", median(|| worth(&index, Some(steady), 160_000)));
        if entries == 100_000 {
            println!("{entries}\twhole slice verified\t{}", median(|| worth(&index, None, entries * ENTRY)));
            for pruned in [0, 200, MAX_PRUNED as u32] {
                let generations = generations(&index, pruned);
                let view = median(|| assert!(View::new(black_box(&index), &generations).covered_count() > 0));
                println!("{entries}\tview of 50 generations, {pruned} entries cleared\t{view}");
            }
        }
    }
}

/// Fifty passes, the last with so many entries cleared behind what it covers.
fn generations(index: &Index, pruned: u32) -> Vec<Generation> {
    let mut generations: Vec<Generation> = Vec::new();
    for number in 0..50 {
        let cut = (number + 1) * 1_000;
        let covered = Generation {
            number,
            summary: number,
            covered_count: cut,
            covered_last_id: index.entry(cut - 1).id,
            summary_tokens: 2_000,
            ..Generation::default()
        };
        let cleared = (0..pruned).map(|at| cut + 1 + at * 2).collect();
        let cleared = if number == 49 { cleared } else { Vec::new() };
        generations.push(Generation::replacing(index, Some(&covered), number, cleared, Vec::new()));
    }
    generations
}

fn worth(index: &Index, previous: Option<Covered<'_>>, occupancy: Tokens) {
    let lines = Config::default().lines(occupancy.saturating_mul(5) / 4, 0);
    let floor = floor(index, &[], Replaced::default(), 4_000, 1_000);
    let input = PlanInput {
        previous,
        occupancy,
        overhead: 4_000,
        target_tokens: lines.target(floor),
        accept_below: lines.accept_below(compaction_governor::config::Line::Threshold),
        min_saving_permille: 100,
        keep: Keep::default(),
        pins: &[],
        replaced: Replaced::default(),
        capping: Capping::Never,
        urgent: true,
        summary_cap: summary_cap(Some(lines.window)),
        scale_permille: 1_000,
    };
    assert!(plan(black_box(index), &input).is_ok(), "a refusal would be cheaper than what is measured");
}

fn transcript(entries: u32) -> Index {
    let mut index = Index::new();
    for number in 0..entries {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        index.push(Entry::alone(u64::from(number), role, ENTRY));
    }
    index
}

fn median(mut job: impl FnMut()) -> u128 {
    let calls = 32;
    let mut samples: Vec<u128> = (0..SAMPLES)
        .map(|_| {
            let before = cpu();
            (0..calls).for_each(|_| job());
            (cpu() - before).as_nanos() / calls
        })
        .collect();
    samples.sort_unstable();
    samples[SAMPLES / 2]
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
