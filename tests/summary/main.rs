//! What a summariser is asked, and what is taken from it.

mod cases;
mod refusals;
mod reports;
mod text;
