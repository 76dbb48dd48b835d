//! How many tokens a text costs a model, estimated at run time and on the safe side.
//!
//! Knows character classes. Does not know a vocabulary: the real one is some megabytes and only a test needs it. The
//! figures are set so that the o200k vocabulary needs no more than the estimate on what phones show (measured over the
//! text forms of 40 real screens: 6 to 55 % above the true count, about a quarter in the middle, never below for a whole
//! screen; other alphabets are estimated higher). A text of nothing but rare characters can need more.

use super::text::is_cjk;

/// An upper estimate of the tokens of `text` in the o200k vocabulary.
pub fn estimate_tokens(text: &str) -> usize {
    // Counted in quarters of a token.
    let mut quarters = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = class(c);
        let mut run = Run::new(c);
        if matches!(kind, Class::Letter | Class::Digit | Class::Space | Class::Mark) {
            while let Some(next) = chars.next_if(|next| class(*next) == kind) {
                run.add(next);
            }
        }
        quarters += match kind {
            Class::Letter => run.letters(),
            Class::Digit => 4 * run.length.div_ceil(3),
            // One blank before a word belongs to the word; before a number it does not.
            Class::Space if run.length > 1 || chars.peek().is_some_and(char::is_ascii_digit) => 4,
            Class::Space => 0,
            Class::Mark => 2 + 2 * run.length,
            Class::Cyrillic => 2,
            Class::Alphabet => 3,
            Class::Other => 4,
            Class::Picture => 12,
        };
    }
    // Four per cent more, for the words that are rarer than they look.
    (quarters * 26).div_ceil(100).min(text.len())
}

/// Neighbouring characters of one class.
struct Run {
    length: usize,
    humps: usize,
    vowels: usize,
    upper: usize,
    lower_before: bool,
}

impl Run {
    fn new(first: char) -> Run {
        let mut run = Run { length: 0, humps: 0, vowels: 0, upper: 0, lower_before: false };
        run.add(first);
        run
    }

    fn add(&mut self, c: char) {
        self.length += 1;
        // A capital inside a word starts a new token.
        self.humps += usize::from(self.lower_before && c.is_ascii_uppercase());
        self.upper += usize::from(c.is_ascii_uppercase());
        self.vowels += usize::from(matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y'));
        self.lower_before = c.is_ascii_lowercase();
    }

    /// Common words are one token up to seven letters and rare ones break about every fourth; capitals and letters that
    /// make no syllables break sooner.
    fn letters(&self) -> usize {
        let whole = 4 * self.humps + 4;
        if self.vowels == 0 && self.length > 2 || self.upper > 3 {
            whole + 2 * (self.length - 2)
        } else if self.length > 5 {
            whole + 4 * (self.length - 3).div_ceil(4) - 2
        } else {
            whole
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Mark,
    /// About half a token a letter.
    Cyrillic,
    /// Alphabets that the vocabulary knows less well.
    Alphabet,
    /// About a token each: ideographs, syllables, accented letters, line breaks.
    Other,
    /// Emoji and all that is stored byte by byte.
    Picture,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        ' ' => Class::Space,
        '\n' => Class::Other,
        _ if c.is_ascii() => Class::Mark,
        '\u{400}'..='\u{52F}' => Class::Cyrillic,
        '\u{370}'..='\u{3FF}' | '\u{530}'..='\u{6FF}' => Class::Alphabet,
        '\u{80}'..='\u{36F}' | '\u{900}'..='\u{DFF}' | '\u{10A0}'..='\u{10FF}' | '\u{1E00}'..='\u{1FFF}' => {
            Class::Other
        }
        '\u{2010}'..='\u{2027}' | '\u{AC00}'..='\u{D7AF}' => Class::Other,
        _ if is_cjk(c) && c < '\u{20000}' => Class::Other,
        _ => Class::Picture,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    /// Counted once with the real vocabulary (o200k_base).
    #[test]
    fn estimates_are_on_the_safe_side() {
        for (text, counted) in [
            ("", 0),
            ("e12 button \"Sign in\"", 7),
            ("internationalization", 2),
            ("a1b2c3d4e5f6", 12),
            ("550e8400-e29b-41d4-a716-446655440000", 18),
            ("https://example.com/a?b=c&d=e", 11),
            ("设置通知权限管理", 4),
            ("お知らせを受け取る設定", 8),
            ("설정에서 알림을 켜세요", 9),
            ("Настройки уведомлений", 4),
            ("إعدادات الإشعارات", 7),
            ("הגדרות התראות", 6),
            ("👍🏽👨‍👩‍👧‍👦🇩🇪❤️", 19),
        ] {
            let estimate = estimate_tokens(text);
            assert!(estimate >= counted, "{text}: {estimate} < {counted}");
            assert!(estimate <= 3 * counted + 8, "{text}: {estimate} is far above {counted}");
        }
    }

    #[test]
    fn an_estimate_is_bounded_by_the_bytes() {
        assert!(estimate_tokens("a\u{10FFFF}") <= 5);
    }
}
