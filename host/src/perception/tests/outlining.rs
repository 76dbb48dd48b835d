//! Which nodes become elements, and with what.

use super::{Build, SCREEN, named, screens};
use crate::neutral::{Node, Point, Role, Tree};
use crate::perception::outline::{Outline, Place};

fn words(outline: &Outline) -> Vec<String> {
    outline.elements().iter().map(|e| format!("{} {}", e.role.name(), e.name())).collect()
}

#[test]
fn no_type_is_left_out_and_wrappers_vanish() {
    let mut b = Build::default();
    let mut at = None;
    for _ in 0..5 {
        at = Some(b.add(at, Role::Other, "", (0.0, 0.0, 390.0, 844.0)));
    }
    b.add(at, Role::Other, "Try again", (20.0, 100.0, 100.0, 40.0));
    b.add(at, Role::Image, "A cat", (20.0, 200.0, 100.0, 40.0));
    b.add(at, Role::Button, "", (20.0, 300.0, 100.0, 40.0));
    assert_eq!(words(&b.outline()), ["other Try again", "image A cat", "button "]);
}

#[test]
fn a_chain_of_the_same_label_is_one_line() {
    let mut b = Build::default();
    let mut at = None;
    for _ in 0..15 {
        at = Some(b.add(at, Role::Other, "Welcome Start", (0.0, 0.0, 390.0, 400.0)));
    }
    b.add(at, Role::Text, "Welcome", (0.0, 0.0, 390.0, 40.0));
    b.add(at, Role::Button, "Start", (0.0, 300.0, 390.0, 40.0));
    assert_eq!(words(&b.outline()), ["other Welcome Start", "button Start"]);
}

#[test]
fn a_text_repeated_by_its_control_is_folded_and_states_are_kept() {
    let mut b = Build::default();
    let cell = b.add(None, Role::Cell, "Wi-Fi", (0.0, 0.0, 390.0, 44.0));
    let text = b.add(Some(cell), Role::Text, "Wi-Fi", (20.0, 10.0, 80.0, 20.0));
    b.node(text).selected = true;
    let detail = b.add(Some(cell), Role::Text, "Office", (300.0, 10.0, 80.0, 20.0));
    let switch = b.add(Some(cell), Role::Switch, "Wi-Fi", (320.0, 5.0, 50.0, 30.0));
    b.node(switch).value = Some("1".into());
    let outline = b.outline();
    assert_eq!(words(&outline), ["cell Wi-Fi", "switch Wi-Fi"]);
    let (cell, switch) = (&outline.elements()[0], &outline.elements()[1]);
    assert!(cell.selected);
    assert_eq!(cell.parts, ["Office"]);
    assert_eq!(switch.checked, Some(true));
    assert_eq!(switch.value, None);
    assert_eq!(outline.element_of(detail), Some(0));
    assert_eq!(outline.element_of(text), Some(0));
}

#[test]
fn a_wrapper_named_like_its_control_leaves_the_control() {
    let mut b = Build::default();
    let wrapper = b.add(None, Role::Other, "Log in", (0.0, 0.0, 390.0, 100.0));
    b.node(wrapper).enabled = false;
    b.add(Some(wrapper), Role::Button, "Log in", (20.0, 20.0, 100.0, 40.0));
    let outline = b.outline();
    assert_eq!(words(&outline), ["button Log in"]);
    assert!(!outline.elements()[0].enabled);
    assert_eq!(outline.element_of(wrapper), Some(0));
}

#[test]
fn placeholders_are_never_values_and_secrets_never_shown() {
    let outline = Outline::new(&screens::sign_in(), &SCREEN);
    let email = outline.elements().iter().find(|e| e.identifier.as_deref() == Some("email")).unwrap();
    assert_eq!(email.value, None);
    assert_eq!(email.placeholder.as_deref(), Some("E-mail"));
    let password = outline.elements().iter().find(|e| e.role == Role::SecureField).unwrap();
    assert_eq!(password.value.as_deref(), Some("•••••••"));
}

#[test]
fn what_lies_off_the_screen_is_kept_with_its_direction() {
    let outline = Outline::new(&screens::settings(200.0), &SCREEN);
    let place = |name: &str| outline.elements().iter().find(|e| e.name() == name).unwrap().place;
    assert_eq!(place("Airplane Mode"), Place::Above);
    assert_eq!(place("Bluetooth"), Place::On);
    let later = Outline::new(&screens::settings(0.0), &SCREEN);
    assert_eq!(later.elements().iter().find(|e| e.name() == "Privacy").unwrap().place, Place::Below);
    assert_eq!(later.off_screen().below, 2);
}

#[test]
fn what_an_alert_or_the_keyboard_fully_covers_is_marked() {
    let outline = Outline::new(&screens::alert_over_list(), &SCREEN);
    let get = |outline: &Outline, name: &str| outline.elements().iter().position(|e| e.name() == name).unwrap();
    let (top, covered) = (get(&outline, "Top row"), get(&outline, "Covered row"));
    assert_eq!(outline.elements()[top].covered_by, None);
    assert_eq!(outline.elements()[covered].covered_by, outline.alert());
    assert_eq!(outline.elements()[get(&outline, "Delete")].covered_by, None);

    let outline = Outline::new(&screens::keyboard_up(), &SCREEN);
    let (under, partly) = (get(&outline, "Under the keys"), get(&outline, "Partly under"));
    assert_eq!(outline.elements()[under].covered_by, outline.keyboard());
    assert_eq!(outline.elements()[partly].covered_by, None);
    assert_eq!(outline.in_front_at(partly, Point::new(150.0, 530.0)), None);
    assert_eq!(outline.in_front_at(partly, Point::new(150.0, 570.0)), outline.keyboard());
    assert_eq!(outline.at(Point::new(30.0, 80.0)), Some(get(&outline, "Search")));
}

#[test]
fn a_window_in_front_covers_by_what_it_shows_only() {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    let back = b.add(Some(root), Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(back), Role::Button, "Behind", (100.0, 100.0, 50.0, 50.0));
    b.add(Some(back), Role::Button, "Beside", (300.0, 100.0, 50.0, 50.0));
    let front = b.add(Some(root), Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    b.add(Some(front), Role::Button, "In front", (90.0, 90.0, 100.0, 100.0));
    let outline = b.outline();
    let covered = |n: &str| outline.elements().iter().find(|e| e.name() == n).unwrap().covered_by.is_some();
    assert!(covered("Behind"));
    assert!(!covered("Beside"));
    assert!(!covered("In front"));
}

#[test]
fn an_opinion_that_nothing_is_visible_counts_for_nothing() {
    let mut tree = screens::settings(0.0);
    for node in &mut tree.nodes {
        node.visible = false;
    }
    let outline = Outline::new(&tree, &SCREEN);
    assert!(outline.elements().iter().all(|e| !e.hidden));
    assert!(outline.elements().iter().any(|e| e.name() == "Wi-Fi"));
}

#[test]
fn infinite_positions_are_no_positions() {
    let mut b = Build::default();
    b.add(None, Role::Button, "Nowhere", (f64::INFINITY, f64::NAN, 10.0, 10.0));
    let outline = b.outline();
    assert_eq!(outline.elements()[0].bounds, None);
    assert_eq!(outline.elements()[0].place, Place::Nowhere);
    assert_eq!(outline.elements()[0].tap_point(&outline.screen()), None);
}

#[test]
fn a_text_on_the_screen_does_not_vanish_into_a_row_that_is_not() {
    let mut b = Build::default();
    let cell = b.add(None, Role::Cell, "Hello", (0.0, 900.0, 390.0, 44.0));
    b.add(Some(cell), Role::Text, "Hello", (0.0, 100.0, 390.0, 44.0));
    let outline = b.outline();
    assert!(outline.elements().iter().any(|e| e.role == Role::Text && e.place == Place::On));
}

#[test]
fn damaged_and_deep_trees_are_walked() {
    let mut nodes = Vec::new();
    for i in 0..20_000u32 {
        let mut node = Node::new(if i % 2 == 0 { Role::Other } else { Role::Cell });
        node.parent = i.checked_sub(1);
        node.label = Some(format!("level {i}"));
        nodes.push(node);
    }
    // A parent that points at itself, forward, or beyond the end is no parent.
    nodes[5].parent = Some(5);
    nodes[6].parent = Some(19_000);
    nodes[7].parent = Some(u32::MAX);
    let tree = Tree { nodes, ..Tree::default() };
    let (outline, refs) = named(&tree);
    assert_eq!(outline.elements().len(), refs.len());
    assert!(outline.elements().len() > 1000);
}

#[test]
fn the_middle_of_a_row_that_ends_under_a_bar_is_in_its_list() {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
    let page = b.add(Some(root), Role::WebView, "", (0.0, 0.0, 390.0, 800.0));
    let list = b.add(Some(page), Role::List, "", (0.0, 100.0, 390.0, 660.0));
    let wrapper = b.add(Some(list), Role::Other, "", (0.0, 740.0, 390.0, 60.0));
    let row = b.add(Some(wrapper), Role::Cell, "Half under the bar", (0.0, 740.0, 390.0, 60.0));
    b.add(Some(row), Role::Switch, "Wi-Fi", (300.0, 745.0, 50.0, 50.0));
    // Lists whose place makes no sense hide nothing.
    let empty = b.add(Some(root), Role::List, "", (0.0, 0.0, 0.0, 0.0));
    b.add(Some(empty), Role::Button, "In an empty list", (10.0, 200.0, 100.0, 40.0));
    let far = b.add(Some(root), Role::List, "", (0.0, 5000.0, 390.0, 100.0));
    b.add(Some(far), Role::Button, "Outside of its list", (10.0, 300.0, 100.0, 40.0));
    b.add(Some(root), Role::Tab, "Home", (0.0, 760.0, 390.0, 84.0));
    let outline = b.outline();
    let point = |name: &str| {
        let element = outline.elements().iter().find(|element| element.name() == name).unwrap();
        element.tap_point(&outline.screen()).map(|point| (point.x, point.y))
    };
    assert_eq!(point("Half under the bar"), Some((195.0, 750.0)));
    assert_eq!(point("Wi-Fi"), Some((325.0, 752.5)));
    assert_eq!(point("In an empty list"), Some((60.0, 220.0)));
    assert_eq!(point("Outside of its list"), Some((60.0, 320.0)));
    assert_eq!(point("Home"), Some((195.0, 802.0)));
}
