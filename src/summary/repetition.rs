//! A text that goes round in circles.

/// Whether one stretch that repeats itself, with a period of any length, makes up more than half of `text`. Linear.
///
/// Such a stretch lies across the middle, so it is enough to look at the periods that hold there: how far the text
/// agrees with itself shifted by each period, to the right and to the left.
pub(super) fn repeats(text: &str) -> bool {
    let bytes = &text.as_bytes()[text.len().saturating_sub(MAX_BYTES)..];
    if bytes.len() < MIN_BYTES {
        return false;
    }
    let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
    run_across_middle(bytes, &reversed) || run_across_middle(&reversed, bytes)
}

/// Looks for a stretch that has at least one period to the right of the middle.
fn run_across_middle(text: &[u8], reversed: &[u8]) -> bool {
    let (len, middle) = (text.len(), text.len() / 2);
    let rightward = agreement(&text[middle..]);
    let mut mirrored = reversed[len - middle..].to_vec();
    mirrored.extend_from_slice(reversed);
    let leftward = agreement(&mirrored);
    (1..=len - middle).any(|period| {
        let right = rightward.get(period).map_or(0, |&same| same as usize);
        let left = (leftward[len - period] as usize).min(middle);
        let run = left + period + right;
        let often = run / period >= MIN_REPEATS || (run * 10 >= period * 19 && run * 10 >= len * 9);
        often && run * 2 > len
    })
}

/// For each position, how many bytes from there on agree with the beginning (the Z-function).
fn agreement(text: &[u8]) -> Vec<u32> {
    let mut z = vec![0_u32; text.len()];
    let (mut left, mut right) = (0, 0);
    for at in 1..text.len() {
        let mut same = if at < right { (z[at - left] as usize).min(right - at) } else { 0 };
        while at + same < text.len() && text[same] == text[at + same] {
            same += 1;
        }
        z[at] = same as u32;
        if at + same > right {
            (left, right) = (at, at + same);
        }
    }
    z
}

/// Three times the same is a loop; twice is one only where it is nearly the whole text.
const MIN_REPEATS: usize = 3;
/// Below this a text is too short to tell a loop from a list.
const MIN_BYTES: usize = 48;
/// Bounds the memory; the end is looked at, where loops are.
const MAX_BYTES: usize = 128 * 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_of_any_period_is_found_wherever_it_stands() {
        let honest = "The user wants the parser in src/parse.rs to accept empty input; two tests fail. ".to_owned();
        let block: String =
            (0..21).map(|line| format!("- step {} touches file_{}.rs\n", line * 7 % 13, line)).collect();
        for unit in ["a", "ab ", "Done. ", "好的。", &block] {
            let looped = unit.repeat(honest.len() * 3 / unit.len() + 4);
            assert!(repeats(&looped), "alone: {unit:?}");
            assert!(repeats(&format!("{honest}{looped}")), "at the end: {unit:?}");
            assert!(repeats(&format!("{looped}{honest}")), "at the start: {unit:?}");
            let half = &honest[..honest.len() / 2];
            assert!(repeats(&format!("{half}{looped}{half}")), "in the middle: {unit:?}");
        }
    }

    #[test]
    fn a_whole_summary_written_twice_is_a_loop() {
        let once = "Goal: ship 1.2. Done: parser, tests. Open: the changelog and the release on Friday.\n";
        assert!(repeats(&once.repeat(2)));
        assert!(!repeats(once));
    }

    #[test]
    fn lists_tables_and_a_short_stutter_are_no_loop() {
        let list: String = (0..40).map(|n| format!("- PR #{}: merged\n", 100 + n * 3)).collect();
        let table = "| file | state |\n| --- | --- |\n| a.rs | done |\n| b.rs | done |\n| c.rs | open |\n";
        let stutter =
            format!("{}The rest of the work is described here in full, with paths and names.", "no ".repeat(10));
        for text in [list.as_str(), table, &stutter, "====", "ok ok ok ok"] {
            assert!(!repeats(text), "{text:?}");
        }
    }
}
