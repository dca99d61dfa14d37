//! What planning and the view do about the reports.

mod floors;
mod loops;
mod orphans;
mod sizes;
mod talk;
