//! Trees that come from files, shown as the tools show those of a phone.
//!
//! It knows no device: the first frame and the first refs are given.

use super::look::{Seen, TreeFormat};
use crate::{
    neutral::Tree,
    perception::{refs::RefBook, render},
};
use serde_json::{Map, Value};

/// The name of a device's first frame.
pub(super) const FRAME: &str = "f1";

/// What `get_ui_tree` answers of this tree, with `text` or with `elements`.
pub fn show_tree(tree: Tree, elements: bool) -> Map<String, Value> {
    let seen = Seen::new(tree, None);
    let refs = RefBook::new().assign(&seen.outline);
    let format = if elements { TreeFormat::Json } else { TreeFormat::Text };
    let shown = seen.show(FRAME.to_owned(), &refs, format, &render::Options::default(), seen.own_notes());
    match serde_json::to_value(shown) {
        Ok(Value::Object(answer)) => answer,
        // It has nothing that could not be written.
        _ => Map::new(),
    }
}
