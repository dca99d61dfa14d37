//! A summariser that lies. A summary that it means carries what it covers, so that whoever shows it can be held to it.

use compaction_governor::{
    policy::FailureClass,
    session::Planned,
    summary::Finish,
    time::Millis,
    transcript::{Entry, Role},
};

use crate::rng::Rng;

/// What it will do, drawn when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Text(String, Finish),
    Fails(FailureClass, Option<Millis>),
    /// It never answers.
    Nothing,
}

/// What is asked: `entries` as the host held them when it asked.
pub(crate) fn answer(planned: &Planned, entries: &[Entry], rng: &mut Rng, honest: u64) -> Answer {
    if rng.percent(honest) {
        return Answer::Text(honest_text(planned, entries, rng), Finish::Stop);
    }
    let text = |text: &str| Answer::Text(text.to_owned(), Finish::Stop);
    match rng.below(12) {
        0 => text(""),
        1 => text("I'm sorry, but I can't help with that request."),
        2 => text("{\"error\":{\"message\":\"Internal server error\",\"type\":\"server_error\"}}"),
        3 => Answer::Text(honest_text(planned, entries, rng), Finish::Length),
        4 => Answer::Text(long(planned.plan.slice_tokens + 8), Finish::Stop),
        5 => Answer::Text(long(planned.plan.summary_cap + 40), Finish::Stop),
        6 => text(&"over and over ".repeat(30)),
        7 => Answer::Nothing,
        8..11 => Answer::Fails(rng.pick(&FailureClass::ALL), None),
        _ => Answer::Fails(FailureClass::RateLimit, Some(Millis(rng.below(4 * 3_600_000)))),
    }
}

/// The summary of what `planned` covers.
pub(crate) fn honest_text(planned: &Planned, entries: &[Entry], rng: &mut Rng) -> String {
    let words = format!(
        "The user asked for part {} of the work. Done: src/part{}.rs. {}",
        rng.below(1_000),
        rng.below(1_000),
        mark(entries, planned.plan.cut)
    );
    let room = planned.plan.slice_tokens.saturating_sub(1).min(planned.plan.summary_cap) as usize * 4;
    if words.len() > room { mark(entries, planned.plan.cut) } else { words }
}

/// What a text is marked with that covers the first `count` of `entries`.
pub(crate) fn mark(entries: &[Entry], count: u32) -> String {
    format!("covers {count} {:016x}", hash(&entries[..count as usize]))
}

/// Whether `text`, which is marked, covers the first `count` of `entries`.
pub(crate) fn covers(text: &str, entries: &[Entry], count: u32) -> bool {
    text.contains(&mark(entries, count))
}

/// Independent of the index: roles, and ids but for those of system entries, which count by their place.
fn hash(entries: &[Entry]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for entry in entries {
        let id = if entry.role == Role::System { 0 } else { entry.id };
        for word in [entry.role as u64, id] {
            hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
    }
    hash
}

fn long(tokens: u32) -> String {
    let mut text = String::from("The user wants all of this: ");
    let mut n = 0_u64;
    while text.len() < tokens as usize * 4 {
        n += 1;
        text.push_str(&format!("file {} has {} lines; ", n * 7_919 % 10_007, n * n % 8_191));
    }
    text
}
