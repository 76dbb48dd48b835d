//! What became different between two looks at the elements, one line each.
//!
//! It knows elements by their refs, which survive scrolling and re-layout. It does not know what the action was.

use super::super::{
    context::{Context, Target},
    look::Seen,
};
use crate::perception::{refs::Ref, render};
use std::collections::BTreeMap;

/// More lines than this help nobody; a tree does then.
const MOST: usize = 60;

/// The elements of one look as they are printed.
pub(super) struct Lines(BTreeMap<Ref, (usize, String)>);

impl Lines {
    /// Of what can be seen.
    pub(super) fn of(context: &Context, target: &Target, seen: &Seen) -> Self {
        let refs = context.sights.refs(&target.device, &seen.outline);
        let shown = seen.outline.elements().iter().enumerate().filter(|(_, element)| element.is_reachable());
        let lines = shown.filter_map(|(index, _)| {
            let line = render::line(&seen.outline, &refs, index);
            (!line.trim().is_empty()).then(|| (refs[index], (index, line)))
        });
        Lines(lines.collect())
    }

    /// What is new, gone or different in `after`, in the form of the text tree: data from the screen, and marked as that.
    /// What is gone is told only where `after` is `whole`.
    pub(super) fn to(&self, after: &Lines, whole: bool) -> String {
        let mut lines: Vec<String> = Vec::new();
        let gone = self
            .0
            .iter()
            .filter(|(name, _)| whole && !after.0.contains_key(name))
            .map(|(_, (_, line))| format!("- {line}"));
        lines.extend(gone);
        let mut order: Vec<(&usize, &Ref, &String)> =
            after.0.iter().map(|(name, (at, line))| (at, name, line)).collect();
        order.sort();
        for (_, name, line) in order {
            match self.0.get(name) {
                None => lines.push(format!("+ {line}")),
                Some((_, before)) if before != line => lines.push(format!("~ {line}")),
                Some(_) => {}
            }
        }
        let more = lines.len().saturating_sub(MOST);
        lines.truncate(MOST);
        if lines.is_empty() {
            lines.push("(no element is new, gone or different)".to_owned());
        }
        if more > 0 {
            lines.push(format!("… {more} more; use observe: tree"));
        }
        format!("<screen>\n{}\n</screen>", lines.join("\n"))
    }
}
