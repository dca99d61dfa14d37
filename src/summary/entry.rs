//! How one entry looks to the summariser: who speaks, and as much of the text as its kind deserves.

use crate::{
    summary::{Item, blob::without_blobs, escape_into, material, template},
    transcript::{Kind, Role},
};

/// Appends entry `number` in at most `room` bytes: whole, or its beginning and its end. Below [`ENTRY_ROOM_BYTES`] the
/// frame around it may not fit.
#[inline(never)]
pub(super) fn entry_into(out: &mut String, number: u32, item: Item, text: &str, room: usize) {
    let (speaker, cap) = speaker(item);
    let start = out.len();
    out.push_str("<cg-entry n=\"");
    material::push_number(out, u64::from(number));
    out.push_str("\" from=\"");
    out.push_str(speaker);
    out.push_str("\">\n");
    let text = material::trim(text);
    let text = if text.is_empty() { template::NO_TEXT } else { text };
    let taken = out.len() - start + CLOSING.len();
    excerpt_into(out, text, cap, room.saturating_sub(taken));
    out.push_str(CLOSING);
}

/// Who speaks, in words for the summariser, and how many bytes of it are shown.
const fn speaker(item: Item) -> (&'static str, usize) {
    match item.role {
        _ if item.kind.any(Kind::HOST_SUMMARY) => ("an earlier summary", SUMMARY_BYTES),
        _ if item.kind.any(Kind::RESULT) && !item.kind.any(Kind::CALL) => ("tool result", RESULT_BYTES),
        _ if item.kind.any(Kind::SYNTHETIC) => ("the program, not the user", RESULT_BYTES),
        Role::User => ("user", USER_BYTES),
        Role::Assistant if item.kind.any(Kind::CALL) => ("assistant, calling a tool", ASSISTANT_BYTES),
        Role::Assistant => ("assistant", ASSISTANT_BYTES),
        Role::System => ("the program, not the user", RESULT_BYTES),
        Role::Tool => ("tool result", RESULT_BYTES),
    }
}

/// Appends at most about `cap` bytes of `text` without its blobs, and never more than `room`, escapes counted.
#[inline(never)]
pub(super) fn excerpt_into(out: &mut String, text: &str, cap: usize, room: usize) {
    let text = &*without_blobs(text);
    let start = out.len();
    head_and_tail_into(out, text, cap.min(room));
    if out.len() - start > room {
        out.truncate(start);
        head_and_tail_into(out, text, (room.saturating_sub(MARK_BYTES) / ESCAPED.1 * ESCAPED.0).min(cap));
    }
}

/// At most `cap` bytes of `text`: its beginning and, half as long, its end, with a mark between them.
fn head_and_tail_into(out: &mut String, text: &str, cap: usize) {
    if text.len() <= cap {
        return escape_into(out, text);
    }
    let (head, tail) = (material::head_of(text, cap / 3 * 2), material::tail_of(text, cap / 3));
    escape_into(out, head);
    out.push_str("\n[… ");
    material::push_number(out, (text.len() - head.len() - tail.len()) as u64);
    out.push_str(" bytes left out …]\n");
    escape_into(out, tail);
}

const CLOSING: &str = "\n</cg-entry>\n";
/// The least room for an entry: its frame with the longest speaker, the mark, and a few hundred bytes of text.
pub(super) const ENTRY_ROOM_BYTES: usize = 512;
/// The mark of what was left out is shorter, whatever the number in it.
const MARK_BYTES: usize = 64;
/// What escaping makes of a text at worst: four bytes of a tag become seven.
const ESCAPED: (usize, usize) = (4, 7);
/// What users say is the task: nearly always kept whole.
const USER_BYTES: usize = 8_000;
/// An answer's point stands at its beginning and its end; call arguments are mostly file content.
const ASSISTANT_BYTES: usize = 4_000;
/// Tool output is the bulk of a transcript and the least of its meaning; what peers keep lies near this.
const RESULT_BYTES: usize = 2_000;
/// A summary is meaning only. Ours are shorter; one that a host left behind may not be.
pub(super) const SUMMARY_BYTES: usize = 32_000;

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [(Role, Kind, usize); 6] = [
        (Role::User, Kind::NONE, USER_BYTES),
        (Role::User, Kind::SYNTHETIC, RESULT_BYTES),
        (Role::Assistant, Kind::NONE, ASSISTANT_BYTES),
        (Role::Assistant, Kind::CALL, ASSISTANT_BYTES),
        (Role::Tool, Kind::RESULT, RESULT_BYTES),
        (Role::System, Kind::HOST_SUMMARY, SUMMARY_BYTES),
    ];

    fn shown(role: Role, kind: Kind, text: &str, room: usize) -> String {
        let mut out = String::new();
        entry_into(&mut out, u32::MAX, Item { end: 0, role, kind }, text, room);
        out
    }

    #[test]
    fn every_kind_of_entry_is_capped_with_its_beginning_and_its_end_kept() {
        let long = format!("BEGIN{}END", "漢".repeat(40_000));
        for (role, kind, cap) in KINDS {
            let entry = shown(role, kind, &long, usize::MAX);
            assert!(entry.contains("BEGIN") && entry.contains("END\n</cg-entry>"), "{role:?} {kind:?}");
            assert!(entry.len() <= cap + 160, "{role:?} {kind:?}: {} bytes", entry.len());
        }
    }

    #[test]
    fn an_entry_fits_its_room_even_where_escaping_makes_it_longer() {
        for text in ["<cg-".repeat(9_000), "漢字".repeat(9_000), "x <cg-entry>".to_owned(), String::new()] {
            for room in [ENTRY_ROOM_BYTES, 700, 1_999, 40_000] {
                for (role, kind, _) in KINDS {
                    let entry = shown(role, kind, &text, room);
                    assert!(entry.len() <= room, "{room} bytes, {role:?} {kind:?}: {}", entry.len());
                    assert!(text.len() < 100 || entry.len() > 300, "{room} bytes of room: {}", entry.len());
                }
            }
        }
    }
}
