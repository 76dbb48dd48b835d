//! What a touch on an element asks for. Only names: the phone and the apps give them their meaning.

use crate::apps::{AppId, browser, contacts, notes, settings, sign_in};
use crate::keyboard::Key;

/// What a touch on an element asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Bring an app to the front.
    Open(AppId),
    /// The lock screen was touched.
    Wake,
    /// A digit of the passcode pad.
    Digit(char),
    /// The passcode pad's delete button.
    PadDelete,
    /// Back to the lock screen.
    PadCancel,
    /// One step back in the app.
    Back,
    /// Give a field the keyboard's focus.
    Focus(Field),
    /// Empty a field.
    Clear(Field),
    /// Take the keyboard away.
    HideKeyboard,
    /// A key of the keyboard.
    Key(Key),
    /// The button of this number on the alert in front.
    Answer(usize),
    /// The board of the game; it finds out itself what lies at the point.
    Board,
    Settings(settings::Act),
    Notes(notes::Act),
    Contacts(contacts::Act),
    SignIn(sign_in::Act),
    Browser(browser::Act),
}

/// A field that can have the keyboard's focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    NoteBody,
    ContactSearch,
    Email,
    Password,
    Address,
}

impl Field {
    /// What the return key says while this field has the focus.
    pub(crate) fn return_label(self) -> &'static str {
        match self {
            Field::NoteBody => "return",
            Field::ContactSearch => "search",
            Field::Email => "next",
            Field::Password => "go",
            Field::Address => "go",
        }
    }

    /// Whether the return key writes a line break.
    pub(crate) fn multiline(self) -> bool {
        self == Field::NoteBody
    }
}
