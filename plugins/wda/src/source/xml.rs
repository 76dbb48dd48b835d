//! Elements from an XML source.
//!
//! It knows how the format is written and forgives what is not well-formed: missing ends, stray text, half a document,
//! impossible characters. What the attributes mean is not its business.

use super::node::{Collected, DEEPEST};
use quick_xml::{Reader, events::Event};
use std::borrow::Cow;

/// Reads `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Collected {
    // Bytes that are no UTF-8, such as half a surrogate pair, become U+FFFD.
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;

    let mut all = Collected::default();
    // The open elements: their tag, and their index unless there are too many.
    let mut open: Vec<(String, Option<u32>)> = Vec::new();
    let mut roots = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) if open.len() >= DEEPEST => {
                all.cut = true;
                break;
            }
            Ok(Event::Start(tag)) => {
                roots += usize::from(open.is_empty());
                let index = element(&mut all, &tag, open.last().and_then(|(_, index)| *index));
                open.push((tag.name().as_ref().to_owned(), index));
            }
            Ok(Event::Empty(tag)) => {
                roots += usize::from(open.is_empty());
                element(&mut all, &tag, open.last().and_then(|(_, index)| *index));
            }
            Ok(Event::End(tag)) => {
                let name = tag.name();
                match open.iter().rposition(|(open, _)| open == name.as_ref()) {
                    Some(at) => {
                        all.damaged |= at + 1 != open.len();
                        open.truncate(at);
                    }
                    None => all.damaged = true,
                }
            }
            Ok(Event::Text(text)) => all.damaged |= !text.xml10_content().trim().is_empty(),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => {
                all.damaged = true;
                break;
            }
        }
    }
    all.damaged |= !open.is_empty() || roots > 1;
    all
}

fn element(all: &mut Collected, tag: &quick_xml::events::BytesStart<'_>, parent: Option<u32>) -> Option<u32> {
    let index = all.push(parent)?;
    let name = tag.name();
    let name: &str = name.as_ref();
    let raw = &mut all.raws[index as usize];
    let mut damaged = false;
    for attribute in tag.attributes().with_checks(false) {
        let Ok(attribute) = attribute else {
            damaged = true;
            continue;
        };
        raw.set(attribute.key.as_ref(), &unescape(&attribute.value));
    }
    if raw.kind.is_none() && (name.starts_with("XCUIElementType") || name.starts_with("UIA")) {
        raw.set("type", name);
    }
    all.damaged |= damaged;
    Some(index)
}

/// The text behind `&amp;` and its like; what stands for no character becomes U+FFFD, what is no reference stays.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // No reference is longer than `&#1114111;`.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| character(&rest[1..end]).map(|sign| (sign, end))) {
            Some((sign, end)) => {
                out.push(sign);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    let number = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_mean_nothing_do_not_stop_the_reader() {
        assert_eq!(unescape("a &amp; b &#10;&#55357;&#x1F600; AT&T &nosuch; &"), "a & b \n\u{FFFD}😀 AT&T &nosuch; &");
    }
}
