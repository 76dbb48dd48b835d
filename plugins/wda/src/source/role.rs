//! Which neutral role an element type has, in the spellings of three generations of sources.
//!
//! It knows type names only, not the tree that they stand in.

use driver_api::Role;

/// What a type name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The role.
    pub(crate) role: Role,
    /// What the role alone does not tell.
    pub(crate) note: Note,
}

/// What the neutral roles leave out and the reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Nothing.
    Plain,
    /// The app's root.
    Application,
    /// A type that the phone could not tell: a sign of a broken snapshot.
    Any,
    /// A bar whose buttons are tabs.
    TabBar,
    /// Its value is 1 when it is chosen.
    Radio,
    /// Not an element at all: what wraps the tree.
    Wrapper,
}

/// The kind behind a name such as `XCUIElementTypeButton`, `Button`, `UIAButton` or `AXButton`.
pub(crate) fn kind(name: &str) -> Kind {
    let bare = ["XCUIElementType", "UIA", "AX"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let (role, note) = match bare {
        "Application" => (Role::Window, Note::Application),
        "Window" | "MainWindow" => (Role::Window, Note::Plain),
        "Any" => (Role::Other, Note::Any),
        "AppiumAUT" => (Role::Other, Note::Wrapper),
        "Button" | "MenuItem" | "PopUpButton" | "MenuButton" | "DisclosureTriangle" | "ToolbarButton" | "DockItem" => {
            (Role::Button, Note::Plain)
        }
        "RadioButton" => (Role::Button, Note::Radio),
        "StaticText" | "Heading" | "Text" => (Role::Text, Note::Plain),
        "TextField" | "SearchField" | "TextView" | "TextArea" | "ComboBox" | "SearchBar" => {
            (Role::TextField, Note::Plain)
        }
        "SecureTextField" => (Role::SecureField, Note::Plain),
        "Switch" | "Toggle" | "CheckBox" => (Role::Switch, Note::Plain),
        "Slider" => (Role::Slider, Note::Plain),
        "Cell" | "TableRow" | "TableCell" | "CollectionCell" | "OutlineRow" | "Row" => (Role::Cell, Note::Plain),
        "Table" | "CollectionView" | "TableView" | "Outline" | "Grid" | "List" | "Menu" => (Role::List, Note::Plain),
        "Image" => (Role::Image, Note::Plain),
        "Icon" => (Role::Icon, Note::Plain),
        "Link" => (Role::Link, Note::Plain),
        "Tab" => (Role::Tab, Note::Plain),
        "TabBar" => (Role::Other, Note::TabBar),
        "NavigationBar" => (Role::NavBar, Note::Plain),
        "Alert" | "Dialog" => (Role::Alert, Note::Plain),
        "Sheet" | "ActionSheet" | "Popover" | "Drawer" => (Role::Sheet, Note::Plain),
        "Keyboard" => (Role::Keyboard, Note::Plain),
        "Key" => (Role::Key, Note::Plain),
        "WebView" | "WebArea" => (Role::WebView, Note::Plain),
        _ => (Role::Other, Note::Plain),
    };
    Kind { role, note }
}

/// The role that an element without one has by its traits, such as a drawn button.
pub(crate) fn by_traits(traits: &str) -> Option<Role> {
    let role = |name: &str| match name {
        "ToggleButton" => Some(Role::Switch),
        "SearchField" => Some(Role::TextField),
        "KeyboardKey" => Some(Role::Key),
        "Button" => Some(Role::Button),
        "Link" => Some(Role::Link),
        "Adjustable" => Some(Role::Slider),
        "Image" => Some(Role::Image),
        "StaticText" | "Header" => Some(Role::Text),
        _ => None,
    };
    // The order of the names is not stable, so the strongest one decides.
    let rank = |role: &Role| match role {
        Role::Switch => 0,
        Role::TextField => 1,
        Role::Key => 2,
        Role::Button => 3,
        Role::Link => 4,
        Role::Slider => 5,
        Role::Image => 6,
        _ => 7,
    };
    names(traits).filter_map(role).min_by_key(rank)
}

/// The names in a list of traits.
pub(crate) fn names(traits: &str) -> impl Iterator<Item = &str> {
    traits.split(',').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_generations_of_names_mean_the_same() {
        for name in ["XCUIElementTypeButton", "Button", "UIAButton", "AXButton"] {
            assert_eq!(kind(name).role, Role::Button, "{name}");
        }
        assert_eq!(kind("XCUIElementTypeSecureTextField").role, Role::SecureField);
        assert_eq!(kind("UIATableCell").role, Role::Cell);
        assert_eq!(kind("SomethingNew").role, Role::Other);
        assert_eq!(by_traits("StaticText, Button"), Some(Role::Button));
        assert_eq!(by_traits(""), None);
    }
}
