//! Elements from a JSON source, in any of its shapes: as it stands, inside the answer's wrapper, an array of trees.
//!
//! It knows under which keys elements and rectangles stand, and walks the document with a stack of its own, so that no
//! depth is too deep. What an element's attributes mean is not its business.

use super::{
    node::{Collected, DEEPEST},
    token::{Token, Tokens},
};
use std::borrow::Cow;

/// What an open brace or bracket belongs to.
#[derive(Clone, Copy)]
enum Slot {
    /// An element, by its index.
    Element(u32),
    /// A list of elements under this one.
    Elements(Option<u32>),
    /// A rectangle or such that belongs to an element.
    Part(u32),
    /// Nothing of interest.
    Nothing,
}

struct Level<'a> {
    slot: Slot,
    object: bool,
    key: Option<Cow<'a, str>>,
}

/// Reads `bytes`. `lists` tells whether flat lists of elements (`entries`) count, which repeat what a tree beside them says.
pub(crate) fn read(bytes: &[u8], lists: bool) -> Collected {
    let mut all = Collected::default();
    let mut open: Vec<Level<'_>> = Vec::new();
    let mut ended = false;
    for token in Tokens::new(bytes) {
        if ended {
            // Something after the end of the document.
            all.damaged = true;
            break;
        }
        match token {
            Token::ObjectStart | Token::ArrayStart if open.len() >= DEEPEST => {
                all.cut = true;
                break;
            }
            Token::ObjectStart | Token::ArrayStart => {
                let object = token == Token::ObjectStart;
                let (above, key) = match open.last_mut() {
                    Some(level) => (Some(level.slot), level.key.take()),
                    None => (None, None),
                };
                let slot = slot(&mut all, above, key.as_deref(), object, lists);
                open.push(Level { slot, object, key: None });
            }
            Token::ObjectEnd | Token::ArrayEnd => match open.pop() {
                Some(level) => {
                    all.damaged |= level.object != (token == Token::ObjectEnd);
                    ended = open.is_empty();
                }
                None => {
                    all.damaged = true;
                    break;
                }
            },
            Token::Text(text) => match open.last_mut() {
                Some(level) if level.object && level.key.is_none() => level.key = Some(text),
                Some(level) => {
                    if let (Slot::Element(index) | Slot::Part(index), Some(key)) = (level.slot, level.key.take()) {
                        all.raws[index as usize].set(&key, &text);
                    }
                }
                None => break,
            },
            Token::Bare(text) => match open.last_mut() {
                Some(level) => match (level.slot, level.key.take()) {
                    (Slot::Element(index) | Slot::Part(index), Some(key)) => {
                        let raw = &mut all.raws[index as usize];
                        if text == "null" { raw.set_null(&key) } else { raw.set(&key, &text) }
                    }
                    (_, None) if level.object => all.damaged = true,
                    _ => {}
                },
                None => break,
            },
        }
    }
    all.damaged |= !ended;
    all
}

fn slot(all: &mut Collected, above: Option<Slot>, key: Option<&str>, object: bool, lists: bool) -> Slot {
    let mut elements = |parent: Option<u32>| match object {
        true => all.push(parent).map_or(Slot::Nothing, Slot::Element),
        false => Slot::Elements(parent),
    };
    match (above, key) {
        (None, _) => elements(None),
        (Some(Slot::Elements(parent)), _) => elements(parent),
        (Some(Slot::Element(index)), Some(key)) => match key {
            "children" | "AXChildren" | "elements" | "nodes" | "raw" | "data" | "tree" | "value" => {
                elements(Some(index))
            }
            "entries" if lists => elements(Some(index)),
            "rect" | "frame" | "bounds" | "attributes" if object => Slot::Part(index),
            _ => Slot::Nothing,
        },
        (Some(Slot::Part(index)), Some("origin" | "size")) if object => Slot::Part(index),
        _ => Slot::Nothing,
    }
}

/// The text under the top-level key `value`, where it is one: how a source in another format is wrapped. Of a text that the
/// document ends in, the part that is there.
pub(crate) fn wrapped_text(bytes: &[u8]) -> Option<String> {
    let mut depth = 0_usize;
    let mut key: Option<Cow<'_, str>> = None;
    let mut tokens = Tokens::new(bytes);
    for token in tokens.by_ref() {
        match token {
            Token::ObjectStart | Token::ArrayStart => {
                depth += 1;
                key = None;
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                depth = depth.saturating_sub(1);
                key = None;
            }
            Token::Text(text) if depth == 0 => return Some(text.into_owned()),
            Token::Text(text) if depth == 1 => match key.take() {
                Some(key) if key == "value" => return Some(text.into_owned()),
                Some(_) => {}
                None => key = Some(text),
            },
            Token::Text(_) => {}
            Token::Bare(_) => key = None,
        }
    }
    let wanted = depth == 0 || (depth == 1 && key.is_some_and(|key| key == "value"));
    tokens.cut_text().filter(|_| wanted)
}
