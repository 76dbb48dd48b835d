//! Comparing what people read: folding of case, accents, width and blanks, and likeness of two texts.
//!
//! Knows characters. Does not know elements, languages or fonts.

use unicode_normalization::UnicodeNormalization;

/// Whether `c` is drawn as nothing: zero-width and bidirectional marks, the object replacement character, other controls.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFC}')
        || (c.is_control() && !c.is_whitespace())
}

/// Whether `c` only decorates the letter before it in Latin, Greek, Cyrillic, Hebrew or Arabic. Marks that make another
/// letter (Japanese voicing, Indic vowels) do not count.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05C7}' | '\u{064B}'..='\u{0652}' | '\u{0670}')
}

/// Whether `c` belongs to a script written without blanks between words.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{303F}' | '\u{3040}'..='\u{30FF}' | '\u{3100}'..='\u{312F}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}' | '\u{0E00}'..='\u{0EFF}')
}

/// One line as it is shown: every run of blanks and control characters is one space, none at the ends. Marks that are
/// drawn as nothing stay, except the object replacement character, which stands for a picture inside a text.
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || c == '\u{FFFC}' || c == '\u{2028}' || c == '\u{2029}' {
            blank = !out.is_empty();
        } else {
            if blank {
                out.push(' ');
                blank = false;
            }
            out.push(c);
        }
    }
    out
}

/// The text without differences that people do not hear: case, accents, width, blanks, kinds of quotes and dashes.
/// Two texts are *equal* when they fold to the same.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut out = squeeze(text);
        out.make_ascii_lowercase();
        return out;
    }
    let lower = text
        .nfkd()
        .filter(|c| !is_accent(*c) && !is_invisible(*c))
        .flat_map(char::to_lowercase)
        .filter(|c| !is_accent(*c))
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{02BC}' => '\'',
            '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            'ß' => 's',
            other => other,
        })
        .nfc()
        .collect::<String>();
    squeeze(&lower)
}

/// Whether a word may end between these two neighbours.
fn is_boundary(before: Option<char>, after: Option<char>) -> bool {
    match (before, after) {
        (Some(a), Some(b)) => !(a.is_alphanumeric() && b.is_alphanumeric()) || is_cjk(a) || is_cjk(b),
        _ => true,
    }
}

/// Where `needle` stands in `hay` as whole words, in bytes. Both should be folded or squeezed alike.
pub fn find_words(hay: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let mut from = 0;
    while let Some(at) = hay.get(from..).and_then(|rest| rest.find(needle)) {
        let start = from + at;
        let end = start + needle.len();
        let first = is_boundary(hay[..start].chars().next_back(), needle.chars().next());
        let last = is_boundary(needle.chars().next_back(), hay[end..].chars().next());
        if first && last {
            return Some(start);
        }
        from = start + hay[start..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// How alike two folded texts are, from 0 to 1: one minus the edit distance (swaps count once) over the longer length.
/// Texts over 200 characters are compared by their first 200.
pub fn likeness(a: &str, b: &str) -> f64 {
    const LIMIT: usize = 200;
    if a == b {
        return 1.0;
    }
    let a: Vec<char> = a.chars().take(LIMIT).collect();
    let b: Vec<char> = b.chars().take(LIMIT).collect();
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    1.0 - distance(&a, &b) as f64 / longer as f64
}

/// The number of insertions, deletions, replacements and swaps of neighbours between `a` and `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The text cut after `limit` characters with `…` in place of the rest. Never cuts between a letter and its marks.
pub fn shorten(text: &str, limit: usize) -> std::borrow::Cow<'_, str> {
    let Some((mut cut, _)) = text.char_indices().nth(limit) else { return text.into() };
    while let Some(c) = text[cut..].chars().next() {
        let joins = c == '\u{200D}' || is_accent(c) || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}');
        if !joins {
            break;
        }
        cut += c.len_utf8();
    }
    if cut == text.len() {
        return text.into();
    }
    format!("{}…", text[..cut].trim_end()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folding_removes_what_people_do_not_hear() {
        for (a, b) in [
            ("Wi‑Fi", "wi-fi"),
            ("  Sign\u{a0} in\n", "sign in"),
            ("CAFÉ", "cafe"),
            ("Ｆｕｌｌ", "full"),
            ("İstanbul", "istanbul"),
            ("Don’t Allow", "don't allow"),
            ("ﻣﺮﺣﺒﺎ", "مرحبا"),
            ("Ж\u{200f}", "ж"),
            ("설정", "설정"),
        ] {
            assert_eq!(fold(a), fold(b), "{a:?} and {b:?}");
        }
        assert_ne!(fold("が"), fold("か"), "voicing makes another letter");
    }

    #[test]
    fn whole_words_are_told_from_parts() {
        assert_eq!(find_words("10 items", "1"), None);
        assert_eq!(find_words("line 1", "1"), Some(5));
        assert_eq!(find_words("设置通知", "通知"), Some(6));
        assert_eq!(find_words("aXa X", "X"), Some(4));
        assert_eq!(find_words("x", ""), None);
    }

    #[test]
    fn likeness_counts_a_swap_once() {
        assert!(likeness("setings", "settings") > 0.85);
        assert!(likeness("settigns", "settings") > 0.85);
        assert!(likeness("abc", "xyz") < 0.01);
        assert_eq!(likeness("", ""), 1.0);
    }

    #[test]
    fn shortening_keeps_marks_with_their_letter() {
        assert_eq!(shorten("abcdef", 3), "abc…");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("ae\u{301}b", 2), "ae\u{301}…");
    }

    proptest! {
        #[test]
        fn nothing_panics(a in "\\PC{0,40}", b in any::<String>(), n in 0usize..30) {
            let (fa, fb) = (fold(&a), fold(&b));
            prop_assert_eq!(fold(&fa), fa.clone());
            let alike = likeness(&fa, &fb);
            prop_assert!((0.0..=1.0).contains(&alike));
            find_words(&fa, &fb);
            prop_assert!(shorten(&b, n).chars().count() <= b.chars().count().max(1));
            prop_assert!(!squeeze(&b).contains('\n'));
        }
    }
}
