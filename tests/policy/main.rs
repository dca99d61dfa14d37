//! The rules of when to compact, from outside: every exit of every guard, what broke an earlier text of the rules, all states
//! of a small scope, and random histories against a reference.

mod against_reference;
mod clock;
mod exits;
mod exploration;
mod findings;
mod reference;
mod rng;
mod scope;
mod seen;
mod session;
mod world;
