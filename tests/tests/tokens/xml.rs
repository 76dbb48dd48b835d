//! A page source as the phone itself writes it: indented by two, leaves closed in place. Captures were often laid out anew
//! by whoever saved them, and counting their blanks would flatter every other form.
//!
//! It knows XML. It does not know what an attribute means, except what tells a wrapper from an element.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

struct Element {
    tag: String,
    attributes: Vec<(String, String)>,
    depth: usize,
    children: bool,
}

impl Element {
    /// What wraps a tree is no element of it and indents nothing.
    fn is_wrapper(&self) -> bool {
        !self.attributes.iter().any(|(name, _)| name == "type" || name == "x")
    }
}

/// `None` when the document is not well-formed.
pub(crate) fn as_the_phone_writes(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut open: Vec<Element> = Vec::new();
    let mut roots = 0;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                roots += usize::from(open.is_empty());
                let element = element(&start, &mut open, &mut out)?;
                open.push(element);
            }
            Event::Empty(start) => {
                roots += usize::from(open.is_empty());
                let element = element(&start, &mut open, &mut out)?;
                close(element, &mut out);
            }
            Event::End(_) => close(open.pop()?, &mut out),
            Event::Text(text) if open.is_empty() && !text.trim().is_empty() => return None,
            Event::Decl(_) if roots > 0 || reader.buffer_position() > 200 => return None,
            Event::GeneralRef(_) if open.is_empty() => return None,
            Event::Eof => return (open.is_empty() && roots == 1).then_some(out),
            _ => {}
        }
    }
}

/// Reads a start tag and writes that of the element around it, now that it is known to have children.
fn element(start: &BytesStart<'_>, open: &mut [Element], out: &mut String) -> Option<Element> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.ok()?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
        // A bare `<` is an error that this reader forgives.
        if attribute.value.contains('<') {
            return None;
        }
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    let mut depth = 0;
    if let Some(parent) = open.last_mut() {
        if !std::mem::replace(&mut parent.children, true) {
            write_start(parent, ">", out);
        }
        depth = parent.depth + usize::from(!parent.is_wrapper());
    }
    let tag = start.name().as_ref().to_owned();
    Some(Element { tag, attributes, depth, children: false })
}

fn write_start(element: &Element, end: &str, out: &mut String) {
    out.push_str(&"  ".repeat(element.depth));
    out.push('<');
    out.push_str(&element.tag);
    for (name, value) in &element.attributes {
        out.push_str(&format!(" {name}={}", quoted(value)));
    }
    out.push_str(end);
    out.push('\n');
}

fn close(element: Element, out: &mut String) {
    if element.children {
        out.push_str(&format!("{}</{}>\n", "  ".repeat(element.depth), element.tag));
    } else {
        write_start(&element, "/>", out);
    }
}

fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    // In double quotes where there is a choice.
    let quote = if value.contains('"') && !value.contains('\'') { '\'' } else { '"' };
    out.push(quote);
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '"' if quote == '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}
