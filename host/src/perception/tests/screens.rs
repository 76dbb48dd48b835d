//! Hand-made screens that several tests look at.

use super::Build;
use crate::neutral::{Role, Tree};

/// A settings list, scrolled a little: some rows lie above and below the screen.
pub(super) fn settings(scrolled: f64) -> Tree {
    let mut b = Build::default();
    let window = b.add(None, Role::Window, "Settings", (0.0, 0.0, 390.0, 844.0));
    let wrapper = b.add(Some(window), Role::Other, "", (0.0, 0.0, 390.0, 844.0));
    let bar = b.add(Some(wrapper), Role::NavBar, "", (0.0, 47.0, 390.0, 96.0));
    b.node(bar).identifier = Some("Settings".into());
    b.add(Some(bar), Role::Text, "Settings", (15.0, 94.0, 135.0, 42.0));
    let list = b.add(Some(wrapper), Role::List, "", (0.0, 143.0, 390.0, 700.0));
    for (n, (title, value)) in [
        ("Airplane Mode", ""),
        ("Wi-Fi", "Office"),
        ("Bluetooth", "On"),
        ("Notifications", ""),
        ("General", ""),
        ("Display & Brightness", ""),
        ("Privacy", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let y = 143.0 + n as f64 * 150.0 - scrolled;
        let cell = b.add(Some(list), Role::Cell, title, (0.0, y, 390.0, 45.0));
        b.add(Some(cell), Role::Other, "", (0.0, y, 390.0, 1.0));
        b.add(Some(cell), Role::Text, title, (64.0, y + 10.0, 200.0, 21.0));
        if !value.is_empty() {
            b.add(Some(cell), Role::Text, value, (300.0, y + 10.0, 60.0, 21.0));
        }
        if title == "Airplane Mode" {
            let switch = b.add(Some(cell), Role::Switch, title, (320.0, y + 7.0, 51.0, 31.0));
            b.node(switch).value = Some("0".into());
        } else {
            let chevron = b.add(Some(cell), Role::Button, "chevron", (358.0, y + 15.0, 12.0, 15.0));
            b.node(chevron).enabled = false;
            b.node(chevron).visible = false;
        }
    }
    b.tree
}

/// A sign-in form with an empty and a secure field, and a button that cannot be used yet.
pub(super) fn sign_in() -> Tree {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(root), Role::Text, "Welcome back", (20.0, 100.0, 350.0, 40.0));
    let email = b.add(Some(root), Role::TextField, "", (20.0, 180.0, 350.0, 44.0));
    b.node(email).identifier = Some("email".into());
    b.node(email).placeholder = Some("E-mail".into());
    b.node(email).value = Some("E-mail".into());
    b.node(email).focused = true;
    let password = b.add(Some(root), Role::SecureField, "Password", (20.0, 240.0, 350.0, 44.0));
    b.node(password).value = Some("hunter2".into());
    let name = b.add(Some(root), Role::TextField, "Device name", (20.0, 300.0, 350.0, 44.0));
    b.node(name).value = Some("Ada's \"phone\"\nwith a break".into());
    let button = b.add(Some(root), Role::Button, "Sign in", (20.0, 360.0, 350.0, 50.0));
    b.add(Some(button), Role::Text, "Sign in", (160.0, 375.0, 60.0, 20.0));
    b.node(button).enabled = false;
    let link = b.add(Some(root), Role::Link, "", (20.0, 430.0, 350.0, 20.0));
    b.add(Some(link), Role::Text, "Forgot password?", (20.0, 430.0, 350.0, 20.0));
    b.tree
}

/// An alert over a list: the row under it is covered.
pub(super) fn alert_over_list() -> Tree {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    let list = b.add(Some(root), Role::List, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(list), Role::Cell, "Top row", (0.0, 100.0, 390.0, 44.0));
    b.add(Some(list), Role::Cell, "Covered row", (80.0, 400.0, 200.0, 44.0));
    let alert = b.add(Some(root), Role::Alert, "Delete the note?", (60.0, 340.0, 270.0, 160.0));
    b.add(Some(alert), Role::Text, "Delete the note?", (80.0, 350.0, 230.0, 20.0));
    b.add(Some(alert), Role::Text, "This can't be undone.", (80.0, 380.0, 230.0, 20.0));
    b.add(Some(alert), Role::Button, "Cancel", (60.0, 450.0, 135.0, 44.0));
    b.add(Some(alert), Role::Button, "Delete", (195.0, 450.0, 135.0, 44.0));
    b.tree
}

/// A field with the keyboard up; a button lies under the keyboard.
pub(super) fn keyboard_up() -> Tree {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    let field = b.add(Some(root), Role::TextField, "Search", (20.0, 60.0, 350.0, 44.0));
    b.node(field).focused = true;
    b.node(field).value = Some("ca".into());
    b.add(Some(root), Role::Button, "Under the keys", (100.0, 700.0, 190.0, 44.0));
    b.add(Some(root), Role::Button, "Partly under", (100.0, 520.0, 190.0, 60.0));
    let keyboard = b.add(Some(root), Role::Keyboard, "", (0.0, 550.0, 390.0, 294.0));
    for (n, key) in ["q", "w", "e", "r", "t", "y"].into_iter().enumerate() {
        b.add(Some(keyboard), Role::Key, key, (n as f64 * 39.0, 560.0, 39.0, 54.0));
    }
    b.add(Some(keyboard), Role::Key, "space", (100.0, 780.0, 190.0, 44.0));
    b.add(Some(keyboard), Role::Button, "Next keyboard", (10.0, 780.0, 50.0, 44.0));
    b.tree
}

/// A right-to-left screen with marks of direction inside its texts.
pub(super) fn right_to_left() -> Tree {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(root), Role::NavBar, "الإعدادات", (0.0, 47.0, 390.0, 44.0));
    b.add(Some(root), Role::Button, "رجوع", (340.0, 50.0, 40.0, 40.0));
    let cell = b.add(Some(root), Role::Cell, "\u{200f}واي فاي", (0.0, 100.0, 390.0, 44.0));
    b.add(Some(cell), Role::Text, "المكتب", (20.0, 110.0, 80.0, 20.0));
    let tab = b.add(Some(root), Role::Tab, "בית", (300.0, 790.0, 90.0, 50.0));
    b.node(tab).selected = true;
    b.tree
}
