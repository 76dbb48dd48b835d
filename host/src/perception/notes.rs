//! What is not as it seems about a screen, in codes and sentences that every look gives.
//!
//! Knows outlines and the flaws that a tree carries. Does not know locks, pictures' streams or waits; those notes are
//! given by others.

use super::ocr::Page;
use super::outline::Outline;
use super::text::shorten;
use crate::neutral::{Role, Tree, TreeFlaw};
use serde::Serialize;

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// One of the contract's codes.
    pub code: &'static str,
    /// One or two sentences for the caller.
    pub text: String,
}

impl Note {
    /// A note of this code.
    pub fn new(code: &'static str, text: impl Into<String>) -> Note {
        Note { code, text: text.into() }
    }
}

/// The note for a picture that is black all over.
pub fn picture_black() -> Note {
    Note::new(
        "picture_black",
        "The picture is black all over. The app may forbid capture; the tree may still tell what is there.",
    )
}

/// The note for a picture or a tree that lies the other way than the device says its screen does.
pub fn orientation_unclear() -> Note {
    Note::new(
        "orientation_unclear",
        "What is shown lies the other way than the device says its screen does; places in it cannot be trusted. Look again, \
         and turn the device if it stays so.",
    )
}

/// The note for a tree that is the same as before an action after which the picture is another.
pub fn tree_unchanged() -> Note {
    Note::new(
        "tree_stale",
        "The tree is as it was before the action, though the picture changed: it may show the older screen, or not tell what \
         changed. Look again, or take a screenshot.",
    )
}

/// The note for lines of text that nothing here reads.
fn script_not_read(lines: usize) -> Note {
    let lines = if lines == 1 {
        "One line of the picture stands".to_owned()
    } else {
        format!("{lines} lines of the picture stand")
    };
    Note::new("script_not_read", format!("{lines} in a script that is not read here."))
}

/// The note for a text recogniser of the configuration that cannot be used, with a sentence that says why.
fn recogniser_broken(why: &str) -> Note {
    Note::new("recogniser_broken", format!("{why}. What only it reads was not read; tell the operator."))
}

/// The notes on what was read of a picture: script_not_read, picture_black, recogniser_broken.
pub fn on_page(page: &Page) -> Vec<Note> {
    let unread = (page.unread() > 0).then(|| script_not_read(page.unread()));
    let broken = page.broken.iter().map(|why| recogniser_broken(why));
    unread.into_iter().chain(page.black.then(picture_black)).chain(broken).collect()
}

/// The note for a screen of which the phone gave no tree.
pub fn no_tree() -> Note {
    Note::new("tree_sparse", "The phone gave no tree of this screen; what is told is read off its picture alone.")
}

/// The note for a search that could not look at the picture.
pub fn ocr_off() -> Note {
    Note::new("ocr_off", "The text in the picture was not read, since this server has no text recognition.")
}

/// The note for an alert in front.
pub fn alert_up(buttons: &[String]) -> Note {
    let buttons = buttons.iter().map(|b| format!("\"{}\"", shorten(b, 40))).collect::<Vec<_>>().join(", ");
    Note::new("alert_up", format!("An alert is in front and must be answered first. Its buttons: {buttons}."))
}

/// The notes on `tree`: alert_up, keyboard_up, tree_sparse, tree_cut, tree_damaged, tree_stale.
pub fn notes(tree: &Tree, outline: &Outline) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(alert) = super::describe::alert(outline) {
        notes.push(alert_up(&alert.buttons));
    }
    if outline.keyboard().is_some() {
        notes.push(Note::new("keyboard_up", "The on-screen keyboard is up; what lies under it cannot be tapped."));
    }
    for flaw in &tree.flaws {
        notes.push(match flaw {
            TreeFlaw::Cut => {
                Note::new("tree_cut", "The phone left out what lies deeper than a limit; elements may be missing.")
            }
            TreeFlaw::Damaged => {
                Note::new("tree_damaged", "The tree arrived damaged; what could be read is here, the rest is missing.")
            }
            TreeFlaw::Stale => {
                Note::new("tree_stale", "The tree may show an older screen; look again before acting on it.")
            }
        });
    }
    if is_sparse(tree, outline) {
        notes.push(Note::new(
            "tree_sparse",
            "The tree tells little or nothing of this screen (a game, a canvas, a video or a page of another process). Take a screenshot.",
        ));
    }
    notes.dedup_by(|a, b| a.code == b.code);
    notes
}

/// Whether the tree tells next to nothing: nothing to act on and at most two texts, or one blind region over most of the
/// screen with nearly nothing beside it.
pub fn is_sparse(tree: &Tree, outline: &Outline) -> bool {
    let shown = || outline.elements().iter().filter(|element| element.is_reachable() && element.role != Role::Keyboard);
    let acting = shown().filter(|element| element.actionable).count();
    let words = shown().filter(|element| !element.name().is_empty()).count();
    if outline.alert().is_some() {
        return false;
    }
    if acting == 0 && words <= 2 {
        return true;
    }
    let screen = outline.screen().area();
    let blind: f64 =
        super::describe::blind_regions(tree, outline).iter().map(|region| region.area()).fold(0.0, f64::max);
    acting + words <= 4 && screen > 0.0 && blind > 0.6 * screen
}
