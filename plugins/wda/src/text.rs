//! Typing, and what has the keyboard's focus.
//!
//! It knows how text is cut into pieces and sent. Whether it arrived is for the host to read back; what was typed is never
//! written down here.

use crate::{
    error::{Fault, Purpose},
    session::{SHORT, Session, is_id},
    source::{node, raw::Raw},
};
use driver_api::{Error, ErrorKind, Node, Outcome, Result};
use serde_json::{Value, json};
use std::time::Duration;
use unicode_segmentation::UnicodeSegmentation;

/// Characters sent at once: few enough that a phone which types slowly answers in time.
const PIECE: usize = 60;

/// Types where the focus is.
pub(crate) async fn input(session: &Session, text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    match focus(session).await {
        Ok(Some(_)) => {}
        Ok(None) => return Err(Error::new(ErrorKind::NothingFocused, "no text field has the keyboard's focus")),
        // A phone that cannot tell is no reason not to type; it refuses by itself, or the host sees what became of it.
        Err(Fault::Refused(refusal)) => {
            tracing::debug!(name = refusal.name, "the phone does not tell what has the focus")
        }
        Err(fault) => return Err(fault.into_error(Purpose::Look)),
    }
    for (index, piece) in pieces(text).into_iter().enumerate() {
        keys(session, &piece).await.map_err(|error| match index {
            0 => error,
            // A part of the text stands there already.
            _ => error.with_outcome(Outcome::Unknown),
        })?;
    }
    Ok(())
}

/// Presses keys, without looking where they go.
pub(crate) async fn keys(session: &Session, text: &str) -> Result<()> {
    let limit =
        Duration::from_secs(20) + Duration::from_millis(100) * u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let sent = session.post("/wda/keys", &json!({"value": [text]}), limit).await;
    sent.map(drop).map_err(|fault| fault.into_error(Purpose::Type))
}

/// The text in pieces that keep what belongs together, such as an emoji of several code points.
fn pieces(text: &str) -> Vec<String> {
    let graphemes: Vec<&str> = text.graphemes(true).collect();
    graphemes.chunks(PIECE).map(<[&str]>::concat).collect()
}

/// The element that has the focus.
async fn focus(session: &Session) -> Result<Option<String>, Fault> {
    match session.get("/element/active", SHORT).await {
        Ok(value) => {
            let id =
                ["element-6066-11e4-a52e-4f735466cecf", "ELEMENT"].iter().find_map(|key| value.get(*key)?.as_str());
            Ok(id.filter(|id| is_id(id)).map(str::to_owned))
        }
        Err(Fault::Refused(refusal)) if refusal.name == "no such element" => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The node that has the focus.
pub(crate) async fn element_at_focus(session: &Session) -> Result<Option<Node>> {
    let look = |fault: Fault| fault.into_error(Purpose::Look);
    let Some(id) = focus(session).await.map_err(look)? else { return Ok(None) };
    let mut raw = Raw::new(None);
    for (path, key) in [
        ("name", "type"),
        ("attribute/label", "label"),
        ("attribute/value", "value"),
        ("attribute/name", "name"),
        ("attribute/placeholderValue", "placeholderValue"),
        ("enabled", "enabled"),
        ("rect", "rect"),
    ] {
        match session.get(&format!("/element/{id}/{path}"), SHORT).await {
            Ok(Value::String(text)) => raw.set(key, &text),
            Ok(Value::Object(rect)) => rect.iter().for_each(|(key, number)| raw.set(key, &number.to_string())),
            Ok(Value::Null) => {}
            Ok(other) => raw.set(key, &other.to_string()),
            // The type decides whether the value is a secret.
            Err(Fault::Refused(_)) if key == "type" => return Ok(None),
            Err(Fault::Refused(refusal)) => tracing::debug!(path, name = refusal.name, "not told by this phone"),
            Err(fault) => return Err(look(fault)),
        }
    }
    raw.set("focused", "1");
    Ok(Some(node::single(raw)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_families_and_flags_whole() {
        let text = "👨‍👩‍👧‍👦🇩🇪é\u{8}\n".repeat(50);
        let pieces = pieces(&text);
        assert_eq!(pieces.concat(), text);
        assert!(pieces.len() > 1);
        for piece in &pieces {
            assert!(piece.graphemes(true).count() <= PIECE);
            assert!(!piece.starts_with('\u{200d}') && !piece.ends_with('\u{200d}'));
        }
    }
}
