//! Public failure reports of other agents, rebuilt small: each test carries the report's letter and number, and holds
//! this crate to what would have been right. Summaries and message shapes have theirs beside their own tests.

#![cfg(feature = "conformance")]

#[path = "../session/counting.rs"]
#[allow(dead_code, reason = "shared with the session tests")]
mod counting;
#[path = "../session/tab.rs"]
#[allow(dead_code, reason = "shared with the session tests")]
mod tab;

#[path = "../policy/session.rs"]
mod policy;

mod counts;
mod guards;
mod loops;
mod planning;
mod scenarios;
mod storage;
mod users;

use compaction_governor::{
    config::{Config, Trigger},
    policy::{Action, Block, Decision, Kind, Verdict},
    session::{Claimed, Settings},
    time::Timestamp,
    tokens::Tokens,
};
use counting::Counting;
use tab::Tab;

const START: Timestamp = Timestamp(1_800_000_000_000);

/// A tab on a fresh store, in a window of `window` tokens that compacts at `threshold`.
fn tab(window: Tokens, threshold: Tokens) -> Tab<Counting> {
    Tab::open_with(Counting::new(), 1, START, settings(window, threshold)).0
}

fn settings(window: Tokens, threshold: Tokens) -> Settings {
    let triggers = [Trigger { tokens: Some(threshold), ..Trigger::default() }].into_iter().collect();
    Settings { config: Config { context_window: Some(window), triggers, ..Config::default() }, ..Settings::default() }
}

/// Another object on the same data: a reload, or a second tab.
fn reload(tab: &Tab<Counting>, owner: u64, settings: Settings) -> Tab<Counting> {
    let (mut other, _) = Tab::open_with(tab.store.another_context(), owner, tab.now, settings);
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}

fn block(decision: Decision) -> Option<Block> {
    match decision.action {
        Action::Blocked(blocked) => Some(blocked.reason),
        _ => None,
    }
}

fn may_start(tab: &Tab<Counting>) -> bool {
    tab.session.decide(tab.now).pass().is_some()
}

/// A pass by itself, if one starts, after which the provider counts `landing`.
fn pass_to(tab: &mut Tab<Counting>, landing: Tokens) -> Option<Verdict> {
    let Claimed::Planned(planned) = tab.claim(Kind::Auto) else { return None };
    tab.commit(&planned, tab::SUMMARY);
    Some(tab.report(landing).verdict.expect("the first report after a pass judges it").verdict)
}
