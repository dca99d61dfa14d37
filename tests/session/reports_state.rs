//! Public reports of state that was lost at a restart, a reload or a resume, rebuilt small. Numbers are those of the
//! catalogue; figures are synthetic.

use compaction_governor::view::Part;

use super::*;

/// Entries that the next prompt shows as they are.
fn verbatim(tab: &Tab<Counting>) -> Vec<u32> {
    let mut shown = Vec::new();
    for part in tab.session.view().parts() {
        if let Part::Verbatim { from, to } = *part {
            shown.extend(from..to);
        }
    }
    shown
}

// The fault: strikes lived in memory, so that a session near its threshold compacted once per restart for ever.
// What it cost: ten restarts, ten useless passes.
// What now holds: a stopped session is stopped after each of them, with the same deadline, and asks no model.
#[test]
fn r01_a_stopped_session_stays_stopped_through_ten_restarts() {
    let mut tab = stopped();
    let deadline = tab.session.state().guards.recovery;
    for restart in 0..10 {
        tab = reopen(&tab, 10 + restart);
        tab.report(26_300);
        let Claimed::Refused(decision) = tab.claim(Kind::Auto) else { panic!("pass after restart {restart}") };
        assert_eq!(block(decision), Some(Block::Ineffective));
        assert_eq!(tab.session.state().guards.recovery, deadline);
    }
}

// The fault: summary and what it covers were saved in two steps, or not at all.
// What it cost: compacted 400 to 20 messages, killed, resumed: 400 messages, over the window, the pass paid again.
// What now holds: killed right after the commit, the session shows summary and tail, and is below its line.
#[test]
fn r02_a_kill_right_after_a_pass_does_not_bring_the_whole_history_back() {
    let mut tab = fresh();
    tab.observe(400);
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    let resumed = reopen(&tab, 2);
    assert!(verbatim(&resumed).len() <= 20, "{} messages", verbatim(&resumed).len());
    assert_eq!(resumed.session.summary(), Some(SUMMARY));
    assert!(matches!(resumed.session.decide(resumed.now).action, Action::Hold(Hold::BelowThreshold)));
}

// The fault: an attempt whose process died stayed "running"; the next question made a second running row.
// What it cost: a session that never compacted again, and could not be told why.
// What now holds: it counts as interrupted at its deadline, gives no strike, and the next pass may start.
#[test]
fn r03_a_process_that_dies_in_a_pass_leaves_nothing_running_behind_its_deadline() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.claimed();
    let mut later = reopen(&tab, 2);
    later.wait(Millis::secs(600));
    let planned = later.claimed();
    let guards = &later.session.state().guards;
    assert_eq!((guards.interrupted.streak, guards.weak_streak, guards.ineffective_streak), (1, 0, 0));
    assert!(matches!(later.commit(&planned, SUMMARY), Committed::Live { .. }));
    assert_eq!(later.session.root().generations.len(), 1);
}

// The fault: usage was not serialised: a resumed session began at 0 tokens, and its first pass summarised nothing.
// What it cost: at 150,000 tokens no pass, then an overflow that recovery did not see.
// What now holds: the last reading and what it left for the fixed part come back with the record, and the pass is due.
#[test]
fn r04_a_resumed_session_knows_how_full_it_was() {
    let mut tab = fresh();
    tab.fixed = 12_000;
    tab.grow_to_threshold();
    tab.pass();
    while tab.fixed + tab.view_tokens() < 26_300 {
        tab.observe(tab.entries() + 2);
        tab.call();
    }
    tab.settle();
    let resumed = reopen(&tab, 2);
    let seen = resumed.session.observation();
    assert!((seen.occupancy, seen.floor) == (tab.session.observation().occupancy, 12_500), "{seen:?}");
    assert!(resumed.session.decide(resumed.now).pass().is_some());
}

// The fault: the second pass looked only behind the marker of the first, while messages that the first had kept stood
// before it.
// What it cost: they were in neither summary and in no prompt.
// What now holds: after any pass each entry went to a summariser or stands in the view.
#[test]
fn r06_messages_that_one_pass_keeps_are_summarised_or_shown_after_the_next() {
    let mut tab = fresh();
    let mut summarised = Vec::new();
    for _ in 0..4 {
        tab.grow_to_threshold();
        let planned = tab.claimed();
        for range in planned.plan.material() {
            summarised.extend(range);
        }
        tab.commit(&planned, SUMMARY);
        tab.call();
        let shown = verbatim(&tab);
        for entry in 0..tab.session.index().len() {
            let (in_summary, in_view) = (summarised.contains(&entry), shown.contains(&entry));
            assert!(in_summary != in_view, "entry {entry}: {in_summary} {in_view}");
        }
    }
}

// The fault: the kept tail was no part of what was stored, and was sent on the first turn after a pass only.
// What it cost: from the second turn on the model knew neither the last question nor its own answer.
// What now holds: where the tail begins is durable, and the same on every later turn, also after a reload.
#[test]
fn r07_the_tail_that_a_pass_keeps_is_sent_on_every_later_turn() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    tab.pass();
    let kept = verbatim(&tab);
    assert!(kept.len() >= 3);
    for turn in 0..5 {
        tab.observe(tab.entries() + 2);
        tab.call();
        tab = reopen(&tab, 10 + turn);
        assert!(verbatim(&tab).starts_with(&kept), "turn {turn}");
    }
}

// The fault: a flag "compacting" was cleared only by the end of the pass, which a reloaded page never hears.
// What it cost: the composer stayed blocked for good.
// What now holds: one second after the reload the session says until when it waits, and then it does not any more.
#[test]
fn r09_a_reload_during_a_pass_waits_until_a_time_that_is_known_and_no_longer() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    let planned = tab.claimed();
    let mut reloaded = reopen(&tab, 2);
    reloaded.wait(Millis::secs(1));
    let Action::Wait { reason: Wait::InProgress, retry_at } = reloaded.session.decide(reloaded.now).action else {
        panic!("a pass is running")
    };
    assert_eq!(retry_at, Some(planned.deadline));
    reloaded.wait(Millis::secs(600));
    assert!(reloaded.session.decide(reloaded.now).pass().is_some());
}

// The fault: a cold start took the bytes of all stored rows for the prompt: 34,752,482 tokens, where the last accepted
// request had 156,491 and the trigger was 855,000.
// What it cost: a pass at every cold start.
// What now holds: what a summary covers weighs nothing, however long the archive is.
#[test]
fn r10_a_cold_start_over_a_long_archive_starts_no_pass() {
    let (mut tab, _) = Tab::open_with(Counting::new(), 1, START, settings(1_068_750, Some(855_000)));
    tab.observe(18_615);
    tab.pass();
    let (mut cold, _) = Tab::open_with(tab.store.another_context(), 2, tab.now, settings(1_068_750, Some(855_000)));
    cold.observe(18_615);
    assert!(cold.session.index().tokens(0..u32::MAX) > 9_000_000);
    assert_eq!(cold.session.observation().occupancy, tab.session.observation().occupancy);
    assert!(matches!(cold.claim(Kind::Auto), Claimed::Refused(_)));
}

// The fault: once the chat was longer than its cap, the summary was not found again and written anew each round.
// What it cost: one summary per user turn, for a prompt that stayed the same size.
// What now holds: one summary serves until what came after it fills the window again.
#[test]
fn r11_a_long_chat_is_not_summarised_anew_each_round() {
    let mut tab = fresh();
    tab.observe(30);
    let mut passes = 0;
    for round in 0..60 {
        tab.observe(tab.entries() + 2);
        tab = reopen_or_first(&tab, 100 + round);
        if tab.session.decide(tab.now).pass().is_some() {
            tab.pass();
            passes += 1;
        } else {
            tab.call();
        }
    }
    assert!((2..=4).contains(&passes), "{passes} summaries in 60 rounds");
}

fn reopen_or_first(tab: &Tab<Counting>, owner: u64) -> Tab<Counting> {
    let (mut other, _) = Tab::open(tab.store.another_context(), owner, tab.now);
    other.fixed = tab.fixed;
    other.observe(tab.entries());
    other
}

// The fault: a rewrite during a shutdown dropped the first record of the log, and the chat could not be opened any more.
// What it cost: 202 turns that were still there and that nobody could reach.
// What now holds: whatever lies where the record belongs, the session opens, says so, and shows the whole conversation.
#[test]
fn r12_a_record_without_its_beginning_opens_and_shows_the_whole_conversation() {
    let tab = stopped();
    for lost in [1, 6, 16, 40] {
        let store = Counting::new();
        store.plant(tab.store.root().split_off(lost));
        let (mut opened, found) = Tab::open(store, 9, tab.now);
        assert_eq!(found, Found::Quarantined, "{lost} bytes lost");
        opened.observe(202);
        assert_eq!(verbatim(&opened).len(), 202);
        assert!(matches!(opened.claim(Kind::Manual), Claimed::Planned(_)), "and can be compacted by hand");
    }
}

// The fault: a reload five minutes after a commit gave the verdict at once, by the estimate of a transcript that the host had
// not shown yet: next to nothing, so that the pass was found effective.
// What it cost: two reloads cleared the strikes of a paused conversation, and it went on paying.
// What now holds: nothing is judged before anything was observed; the transcript as it is shown then gives the verdict.
#[test]
fn a_reload_after_the_verdict_was_due_judges_nothing_before_the_transcript_is_shown() {
    let mut tab = fresh();
    tab.grow_to_threshold();
    assert_eq!(tab.spoilt_pass(16_000), Verdict::Weak);
    tab.grow_to_threshold();
    let planned = tab.claimed();
    tab.commit(&planned, SUMMARY);
    tab.wait(Millis::secs(301));
    let (mut reloaded, _) = Tab::open(tab.store.another_context(), 2, tab.now);
    reloaded.settle();
    assert_eq!(reloaded.session.state().guards.weak_streak, 1, "nothing was shown yet");
    reloaded.observe(tab.entries());
    reloaded.settle();
    let verdict = reloaded.session.root().generations.last().and_then(|made| made.verdict);
    assert!(verdict.is_some(), "given by what is shown");
}
