//! A tolerant JSON tokenizer: one token after the other, no depth, no memory of its own.
//!
//! It knows JSON's letters, not its grammar: commas and colons are skipped, half a surrogate pair becomes U+FFFD, and a
//! document that ends in the middle of a token simply ends there. What the tokens mean is for its readers.

use std::borrow::Cow;

/// One token.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// A key or a text.
    Text(Cow<'a, str>),
    /// A number, `true`, `false`, `null`, or whatever stands bare.
    Bare(Cow<'a, str>),
}

/// The tokens of a document.
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where a text began that the document ended in.
    cut: Option<usize>,
}

impl<'a> Tokens<'a> {
    /// From the document's first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Tokens { bytes, at: 0, cut: None }
    }

    /// The text that the document ended in, as far as it goes. For after the last token.
    pub(crate) fn cut_text(&self) -> Option<String> {
        self.cut.map(|start| unescape(&String::from_utf8_lossy(&self.bytes[start..])))
    }

    fn text(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let mut escaped = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    let inner = &self.bytes[start..self.at];
                    self.at += 1;
                    let text = String::from_utf8_lossy(inner);
                    return Some(Token::Text(if escaped { Cow::Owned(unescape(&text)) } else { text }));
                }
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        self.cut = Some(start);
        None
    }

    fn bare(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let ends =
            |byte: &u8| matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"') || byte.is_ascii_whitespace();
        let length = self.bytes[start..].iter().position(ends);
        self.at = length.map_or(self.bytes.len(), |length| start + length);
        // A number that stands at the very end may be the beginning of a longer one.
        length.map(|_| Token::Bare(String::from_utf8_lossy(&self.bytes[start..self.at])))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let token = match byte {
                b',' | b':' => None,
                byte if byte.is_ascii_whitespace() => None,
                b'{' => Some(Token::ObjectStart),
                b'}' => Some(Token::ObjectEnd),
                b'[' => Some(Token::ArrayStart),
                b']' => Some(Token::ArrayEnd),
                b'"' => {
                    self.at += 1;
                    return self.text();
                }
                _ => return self.bare(),
            };
            self.at += 1;
            if token.is_some() {
                return token;
            }
        }
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(sign) = rest.chars().next() else { break };
        rest = &rest[sign.len_utf8()..];
        match sign {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => match hex4(rest) {
                Some(unit) => {
                    rest = &rest[4..];
                    let low = rest.strip_prefix("\\u").and_then(hex4).filter(|low| (0xDC00..0xE000).contains(low));
                    match low {
                        Some(low) if (0xD800..0xDC00).contains(&unit) => {
                            rest = &rest[6..];
                            let sign = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                            out.push(char::from_u32(sign).unwrap_or(char::REPLACEMENT_CHARACTER));
                        }
                        _ => out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)),
                    }
                }
                None => out.push(char::REPLACEMENT_CHARACTER),
            },
            other => out.push(other),
        }
    }
    out.push_str(rest);
    out
}

fn hex4(text: &str) -> Option<u32> {
    let digits = text.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(json: &str) -> Vec<String> {
        let text = |token| match token {
            Token::Text(text) => Some(text.into_owned()),
            _ => None,
        };
        Tokens::new(json.as_bytes()).filter_map(text).collect()
    }

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_sign() {
        assert_eq!(
            texts(r#"["\ud83d\ude00","a\ud83dz","\ude00","\ud83d\u0041","\u00e9\/\"\n"]"#),
            ["😀", "a\u{FFFD}z", "\u{FFFD}", "\u{FFFD}A", "é/\"\n"]
        );
    }

    #[test]
    fn a_cut_token_is_not_reported() {
        assert_eq!(texts(r#"{"a":"b","c":"d\"#), ["a", "b", "c"]);
        assert!(Tokens::new(b"12").next().is_none());
        assert_eq!(texts(r#""\u12"x"#), ["\u{FFFD}12"]);
    }
}
