//! Failures that people reported about other agents, rebuilt small: what planning and the view do about each.
//!
//! A test is named after the report and opens with three lines: the fault, what it cost, what now holds.

mod floors;
mod loops;
mod orphans;
mod sizes;
mod talk;
