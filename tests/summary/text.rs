//! What the text side keeps to, on generated material: hostile, multilingual, huge, empty.

use compaction_governor::{
    summary::{
        Finish, Item, Limits, Material, RequestInput, RequestRefusal, Templates, append_missing, check, fallback,
        receipt, render,
    },
    tokens::rough,
    transcript::{Kind, Role},
    view::wrap,
};
use proptest::prelude::*;

use crate::cases::for_all;

const PIECES: [&str; 20] = [
    "please fix ",
    "src/lib.rs ",
    "https://example.org/a?b=1 ",
    "</cg-entry>",
    "< / CG-material >",
    "<cg-previous>",
    "漢字かな",
    "naïve ",
    "🦀",
    "\n",
    "don't ",
    "@README.md ",
    "Error: ",
    "I'm sorry, but I can't ",
    "<tool_call>",
    "0123456789",
    "E0502, 30 s, ",
    "Never drop `users`. ",
    "不要删除表。",
    "ABC-12 ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = (0..PIECES.len(), prop_oneof![20 => 1_usize..4, 1 => 500_usize..2_000]);
    prop::collection::vec(piece, 0..8)
        .prop_map(|pieces| pieces.iter().map(|&(at, times)| PIECES[at].repeat(times)).collect())
}

fn entry() -> impl Strategy<Value = (Role, Kind, String)> {
    let roles = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::System)];
    let kinds = prop_oneof![
        4 => Just(Kind::NONE), 1 => Just(Kind::CALL), 1 => Just(Kind::RESULT), 1 => Just(Kind::SYNTHETIC),
        1 => Just(Kind::HOST_SUMMARY)
    ];
    (roles, kinds, text())
}

fn joined(entries: &[(Role, Kind, String)]) -> (String, Vec<Item>) {
    let mut text = String::new();
    let items = entries.iter().map(|&(role, kind, ref part)| {
        text.push_str(part);
        Item { end: text.len() as u32, role, kind }
    });
    let items = items.collect();
    (text, items)
}

#[test]
fn a_plain_summary_is_within_its_limits_always_the_same_and_always_accepted() {
    let limits = (2_u32..40_000, 1_u32..9_000, prop_oneof![3 => Just(1_000_u32), 1 => 200_u32..5_000]);
    let input = (prop::collection::vec(entry(), 0..12), prop::option::of(text()), limits);
    for_all("fallback", input, |(entries, previous, (slice_tokens, cap, scale_permille))| {
        let (text, items) = joined(&entries);
        let material = Material::new(&text, &items).expect("offsets were made from the text");
        let limits = Limits { slice_tokens, cap, scale_permille };
        let made = fallback(&material, previous.as_deref(), &limits);
        prop_assert_eq!(&made, &fallback(&material, previous.as_deref(), &limits));
        let Some(summary) = made else {
            let room = u64::from(cap) * 1_000 / u64::from(scale_permille);
            prop_assert!(room.min(u64::from(slice_tokens) - 1) < 8, "nothing made with room for {}", room);
            return Ok(());
        };
        prop_assert!(summary.len() <= 8_000);
        prop_assert!(rough(summary.len() as u64) < slice_tokens);
        prop_assert_eq!(
            check(&summary, Finish::Stop, &limits).map(|accepted| accepted.text.len()),
            Ok(summary.trim().len())
        );
        Ok(())
    });
}

#[test]
fn a_request_is_bounded_and_only_its_own_tags_are_tags() {
    let input = (prop::collection::vec(entry(), 1..12), prop::option::of(text()), prop::option::of(text()));
    for_all("request", input, |(entries, previous, focus)| {
        let (text, items) = joined(&entries);
        let material = Material::new(&text, &items).expect("offsets were made from the text");
        let input =
            RequestInput { previous: previous.as_deref(), focus: focus.as_deref(), ..whole(material, 900, None) };
        let request = render(&input).expect("no room is too small where none is given");
        prop_assert_eq!(&request, &render(&input).expect("the same again"));
        let named = usize::from(previous.is_some());
        prop_assert_eq!(tags(&request.user), 2 + 2 * entries.len() + 3 * named, "one pair each, and one mention");
        prop_assert!(request.user.len() <= 5_000 + 40_000 * (entries.len() + 1));
        prop_assert!(request.last && request.through_item as usize == entries.len());
        Ok(())
    });
}

// seeds: B6
#[test]
fn chunks_lose_no_entry_and_double_none_and_each_fits_its_room() {
    let shape = (prop::collection::vec(entry(), 1..12), prop::option::of(text()), prop::option::of(text()), text());
    for_all("chunks", (shape, 0_u32..6_000), |((entries, previous, focus, so_far), room)| {
        let (text, items) = joined(&entries);
        let material = Material::new(&text, &items).expect("offsets were made from the text");
        let mut input =
            RequestInput { previous: previous.as_deref(), focus: focus.as_deref(), ..whole(material, 900, Some(room)) };
        let mut shown = Vec::new();
        loop {
            let request = match render(&input) {
                Ok(request) => request,
                Err(RequestRefusal::RoomTooSmall { room_tokens, needed_tokens }) => {
                    prop_assert!(room_tokens == room && needed_tokens > room && needed_tokens < 1_500);
                    return Ok(());
                }
                Err(other) => panic!("{other}"),
            };
            prop_assert!(rough(request.system.len() as u64) + rough(request.user.len() as u64) <= room);
            let numbers = request.user.split("<cg-entry n=\"").skip(1).filter_map(|rest| rest.split('"').next());
            shown.extend(numbers.map(|number| number.parse::<u32>().expect("a number of ours")));
            prop_assert_eq!(shown.len(), request.through_item as usize);
            if request.last {
                break;
            }
            input = RequestInput { from_item: request.through_item, previous: Some(&so_far), ..input };
        }
        prop_assert_eq!(shown, (1..=entries.len() as u32).collect::<Vec<_>>());
        Ok(())
    });
}

/// The request for all of `material`, with nothing else asked for.
fn whole(material: Material<'_>, summary_cap: u32, room_tokens: Option<u32>) -> RequestInput<'_> {
    RequestInput {
        material,
        from_item: 0,
        previous: None,
        focus: None,
        summary_cap,
        room_tokens,
        output_limit: None,
        templates: Templates::default(),
    }
}

#[test]
fn a_receipt_adds_up_keeps_what_remains_and_appends_within_its_room() {
    let input = (prop::collection::vec(entry(), 0..12), text(), 0_u32..400);
    for_all("receipt", input, |(entries, summary, room)| {
        let (text, items) = joined(&entries);
        let material = Material::new(&text, &items).expect("offsets were made from the text");
        let texts: Vec<_> = entries.iter().map(|(_, _, text)| text.as_str()).collect();
        prop_assert!(receipt(&material, &texts).missing.is_empty(), "everything remains");
        let receipt = receipt(&material, &[&summary]);
        prop_assert!(receipt.found <= 256 && receipt.found == receipt.kept + receipt.missing.len() as u32);
        prop_assert!(receipt.missing.iter().all(|missing| text.contains(missing)));
        let appended = append_missing(&summary, &receipt, room);
        let line = appended.strip_prefix(summary.as_str()).expect("the summary itself stays");
        prop_assert!(rough(line.len() as u64) <= room && line.trim().lines().count() <= 1);
        prop_assert_eq!(append_missing(&summary, &receipt, room), appended);
        Ok(())
    });
}

/// What a reader who is generous with blanks takes for a tag of ours.
fn tags(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let tag = |from: &&str| from.trim_start_matches(|c: char| c.is_whitespace() || c == '/').starts_with("cg-");
    lower.split('<').skip(1).filter(tag).count()
}

#[test]
fn a_wrapped_summary_has_exactly_one_block_and_no_mention() {
    for_all("wrap", text(), |summary| {
        let wrapped = wrap(&summary);
        prop_assert_eq!(tags(&wrapped), 2);
        prop_assert!(!wrapped.contains(" @README") && !wrapped.contains("\n@README"));
        Ok(())
    });
}
