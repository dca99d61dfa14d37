//! Faults that were reported of other agents, rebuilt small: requests that were too large, and summaries that were none.
//! Each test opens with the fault, what it cost, and what now holds.

use compaction_governor::{
    summary::{Item, Material, Request, RequestInput, RequestRefusal, Templates, render},
    tokens::{Tokens, rough},
    transcript::{Kind, Role},
};

/// A slice as a host hands it over.
struct Slice {
    text: String,
    items: Vec<Item>,
}

impl Slice {
    fn of(entries: &[(Role, Kind, String)]) -> Self {
        let (mut text, mut items) = (String::new(), Vec::new());
        for &(role, kind, ref entry) in entries {
            text.push_str(entry);
            items.push(Item { end: text.len() as u32, role, kind });
        }
        Self { text, items }
    }

    fn input(&self, room_tokens: Option<Tokens>) -> RequestInput<'_> {
        RequestInput {
            material: Material::new(&self.text, &self.items).expect("offsets were made from the text"),
            from_item: 0,
            previous: None,
            focus: None,
            summary_cap: 8_192,
            room_tokens,
            output_limit: None,
            templates: Templates::default(),
        }
    }

    /// Every request that it takes, with a summary so far that grows to its cap.
    fn requests(&self, room_tokens: Option<Tokens>) -> Vec<Request> {
        let so_far = "The user wanted the parser in src/parse.rs to accept empty input. ".repeat(400);
        let mut requests = Vec::new();
        let mut input = self.input(room_tokens);
        loop {
            requests.push(render(&input).expect("the room is large enough"));
            let Request { through_item, last, .. } = requests[requests.len() - 1];
            if last {
                return requests;
            }
            assert!(through_item > input.from_item, "no progress at entry {through_item}");
            input = RequestInput { from_item: through_item, previous: Some(&so_far), ..input };
        }
    }
}

fn tokens(request: &Request) -> Tokens {
    rough(request.system.len() as u64) + rough(request.user.len() as u64)
}

fn user(text: &str) -> (Role, Kind, String) {
    (Role::User, Kind::NONE, text.to_owned())
}

fn result(text: String) -> (Role, Kind, String) {
    (Role::Tool, Kind::RESULT, text)
}

/// Base64 as it looks: no two lines alike.
fn base64(bytes: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..bytes).map(|at| char::from(alphabet[(at * 31 + at / 61) % 64])).collect()
}

// Base64 tool output made the compaction request itself larger than the window. The thread could never be compacted or
// sent again. Blobs are replaced by typed placeholders, and every request stays within window less output.
// seeds: B6
#[test]
fn sd_07_three_results_of_450_000_base64_characters_among_40_messages_fit_any_summariser() {
    let mut entries: Vec<_> = (0..37).map(|n| user(&format!("Look at shot {n} in out/{n}.png"))).collect();
    for at in [5, 17, 30] {
        entries.insert(at, result(format!("{{\"png\": \"{}\"}}", base64(450_000))));
    }
    let slice = Slice::of(&entries);
    for (window, max_output) in [(1_048_576, 65_536), (32_768, 4_096), (8_192, 2_048)] {
        let requests = slice.requests(Some(window - max_output));
        assert!(requests.iter().all(|request| tokens(request) <= window - max_output), "window {window}");
        let all: String = requests.iter().map(|request| request.user.as_str()).collect();
        assert_eq!(all.matches("{\"png\": \"[data, 450,000 bytes]\"}").count(), 3);
        assert!((0..37).all(|n| all.contains(&format!("out/{n}.png"))));
    }
}

// Inline images were sent to the summariser as text, so that the summary call was the first to exceed the window. It
// failed at each try. A data URL is named by its kind and size, wherever it stands.
// seeds: B6
#[test]
fn s01_inline_images_in_messages_and_in_the_previous_summary_stay_out_of_the_request() {
    let image = format!("data:image/jpeg;base64,{}", base64(300_000));
    let slice = Slice::of(&[user(&format!("What is this? {image}")), result(format!("<img src=\"{image}\">"))]);
    let previous = format!("The user showed ![a photo]({image}) of a cat.");
    let request = render(&RequestInput { previous: Some(&previous), ..slice.input(None) }).expect("no room is given");
    assert_eq!(request.user.matches("[image, 300,023 bytes]").count(), 3);
    assert!(request.user.contains("of a cat.") && tokens(&request) < 1_500, "{} tokens", tokens(&request));
}

// Only tool results were capped: 851 host notes of 6,300 characters made one request of two million tokens. Each kind of
// entry is capped, and the whole request is counted before it is made.
#[test]
fn s02_notes_that_are_no_tool_results_cannot_blow_up_the_request() {
    let note = "The host notes something of its own here. ".repeat(150);
    let notes: Vec<_> = (0..851).map(|_| (Role::User, Kind::SYNTHETIC, note.clone())).collect();
    let slice = Slice::of(&notes);
    assert!(slice.text.len() > 5_000_000);
    let requests = slice.requests(Some(200_000));
    assert!(requests.len() < 5 && requests.iter().all(|request| tokens(request) <= 200_000));
}

// The output limit of the summary call was taken from the window, not from the model. Every call was refused with a 400.
// The request asks for what the model can write.
#[test]
fn s06_the_output_limit_is_the_models_whatever_the_window() {
    let slice = Slice::of(&[user("hello")]);
    let request = render(&RequestInput { output_limit: Some(4_096), ..slice.input(Some(1_000_000)) });
    assert_eq!(request.expect("it fits").max_tokens, 4_096);
}

// A switch to a model with a smaller window left a history that no summary call could take. The session was lost. The
// same slice goes through the smaller window in more chunks, and each entry is still seen.
#[test]
fn s08_a_switch_to_a_smaller_window_takes_more_requests_and_loses_no_entry() {
    let entries: Vec<_> = (0..300).map(|n| user(&format!("fact-{n}. {}", "Some words on it. ".repeat(300)))).collect();
    let slice = Slice::of(&entries);
    let counts: Vec<_> = [1_000_000, 200_000, 32_000, 8_000]
        .map(|room| {
            let requests = slice.requests(Some(room));
            let seen =
                |n: usize| requests.iter().filter(|request| request.user.contains(&format!("fact-{n}."))).count();
            assert!((0..300).all(|n| seen(n) == 1), "room {room}");
            assert!(requests.iter().all(|request| tokens(request) <= room), "room {room}");
            requests.len()
        })
        .into();
    assert!(counts.is_sorted() && counts[0] < counts[3], "{counts:?}");
}

// After an overflow the summary input was trimmed, and what was trimmed was deleted unsummarised. Thirty messages were
// gone. A request says through which entry it goes, and leaves out none before that.
#[test]
fn s10_a_request_covers_exactly_what_it_holds() {
    let entries: Vec<_> = (0..80).map(|n| user(&format!("m{n}! {}", "x y ".repeat(400)))).collect();
    let slice = Slice::of(&entries);
    let mut from = 0;
    for request in slice.requests(Some(6_000)) {
        for n in 0..80 {
            let covered = (from..request.through_item).contains(&n);
            assert_eq!(
                request.user.contains(&format!("\nm{n}! ")),
                covered,
                "m{n} in {from}..{}",
                request.through_item
            );
        }
        from = request.through_item;
    }
    assert_eq!(from, 80);
}

// A summariser with a window of a few hundred tokens was asked again and again. Each call failed the same way. It is
// refused before the call, with both numbers.
#[test]
fn s12_a_window_too_small_for_any_summary_is_refused_with_the_true_reason() {
    let slice = Slice::of(&[user(&"words ".repeat(9_000))]);
    let refused = render(&slice.input(Some(256))).expect_err("256 tokens cannot hold the instruction");
    let RequestRefusal::RoomTooSmall { room_tokens, needed_tokens } = refused else { panic!("{refused}") };
    assert!(room_tokens == 256 && needed_tokens > 256);
    assert!(refused.to_string().contains("256") && refused.to_string().contains(&needed_tokens.to_string()));
}
