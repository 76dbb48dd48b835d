//! Texts that run from right to left.
//!
//! A recogniser reads from the left whatever the script. Knows how to bring what it read into the order in which it is
//! written and searched for.

/// Whether a character belongs to a script that runs from right to left.
fn leftward(ch: char) -> bool {
    matches!(ch as u32, 0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF)
}

/// Whether a character keeps its order within such a text: digits, and letters that run to the right.
fn rightward(text: &str) -> bool {
    text.chars().any(|ch| ch.is_alphanumeric() && !leftward(ch))
}

/// Brings characters, read from the left, into the order of writing. Only where most letters run from right to left.
pub(crate) fn reorder<T>(letters: &mut [T], text: impl Fn(&T) -> &str) {
    let (mut left, mut right) = (0, 0);
    for letter in letters.iter() {
        for ch in text(letter).chars().filter(|ch| ch.is_alphabetic()) {
            if leftward(ch) { left += 1 } else { right += 1 }
        }
    }
    if left == 0 || left < right {
        return;
    }
    letters.reverse();
    let mut start = 0;
    while start < letters.len() {
        if !rightward(text(&letters[start])) {
            start += 1;
            continue;
        }
        // Points, slashes and the like between digits or letters belong to them; the run ends with the last of these.
        let mut end = start + 1;
        for (at, letter) in letters.iter().enumerate().skip(start) {
            let text = text(letter);
            if rightward(text) {
                end = at + 1;
            } else if text.chars().any(leftward) {
                break;
            }
        }
        letters[start..end].reverse();
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reordered(text: &str) -> String {
        let mut letters: Vec<String> = text.chars().map(String::from).collect();
        reorder(&mut letters, |letter| letter);
        letters.concat()
    }

    #[test]
    fn only_leftward_texts_turn_and_numbers_in_them_do_not() {
        assert_eq!(reordered("Settings 12:30"), "Settings 12:30");
        assert_eq!(reordered("12:30 םולש"), "שלום 12:30");
        assert_eq!(reordered("םיאב Wi-Fi םולש"), "שלום Wi-Fi באים");
    }
}
