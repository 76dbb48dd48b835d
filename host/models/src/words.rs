//! Making foreign text fit for a message: short, on one line, without secrets.
//!
//! Knows characters only.

/// The beginning of a text, of this many characters at most.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… (shortened)", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text on one line, without control characters and without the secret.
pub(crate) fn plain(text: &str, secret: Option<&str>, most: usize) -> String {
    let text = match secret {
        Some(secret) if !secret.is_empty() => text.replace(secret, "•••"),
        _ => text.to_owned(),
    };
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    short(&spaced.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_becomes_a_short_line_without_the_secret() {
        assert_eq!(plain("no\nsuch\tkey: hunter2\u{7}!", Some("hunter2"), 100), "no such key: ••• !");
        assert_eq!(plain("größe", None, 3), "grö… (shortened)");
        assert_eq!(plain("abc", Some(""), 3), "abc");
    }
}
