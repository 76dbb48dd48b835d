//! Descriptions and notes.

use super::{Build, SCREEN, named, screens};
use crate::neutral::{App, Role, Tree, TreeFlaw};
use crate::perception::describe::{Description, Shown, alert, describe};
use crate::perception::notes::notes;
use crate::perception::outline::Outline;
use crate::perception::tokens::estimate_tokens;

fn described(tree: &Tree, max: usize) -> Description {
    let (outline, refs) = named(tree);
    describe(&Shown::by_tree(tree, &outline, &refs), "f3", max)
}

fn codes(tree: &Tree) -> Vec<&'static str> {
    notes(tree, &Outline::new(tree, &SCREEN)).iter().map(|note| note.code).collect()
}

#[test]
fn hand_made_screens_described() {
    let mut settings = screens::settings(0.0);
    settings.app = Some(App { id: "com.example.settings".into(), name: Some("Settings".into()) });
    insta::assert_snapshot!("describe_settings", described(&settings, 400).description);
    insta::assert_snapshot!("describe_sign_in", described(&screens::sign_in(), 400).description);
    insta::assert_snapshot!("describe_alert", described(&screens::alert_over_list(), 400).description);
    insta::assert_snapshot!("describe_keyboard", described(&screens::keyboard_up(), 400).description);
    insta::assert_snapshot!("describe_rtl", described(&screens::right_to_left(), 400).description);
    insta::assert_snapshot!("describe_empty", described(&Tree::default(), 400).description);
}

#[test]
fn an_alert_is_told_with_its_buttons() {
    let tree = screens::alert_over_list();
    let found = alert(&Outline::new(&tree, &SCREEN)).unwrap();
    assert_eq!(found.text, "Delete the note?\nThis can't be undone.");
    assert_eq!(found.buttons, ["Cancel", "Delete"]);
    let description = described(&tree, 400);
    assert_eq!(description.actions.len(), 2, "behind an alert nothing can be acted on");
    assert_eq!(description.actions[1].element, "button \"Delete\"");
    assert_eq!(codes(&tree), ["alert_up"]);
}

#[test]
fn title_tab_keyboard_and_progress_are_told() {
    let settings = described(&screens::settings(0.0), 400);
    assert_eq!(settings.title.as_deref(), Some("Settings"));
    assert_eq!(settings.off_screen.below, 2);
    assert_eq!(described(&screens::right_to_left(), 400).selected_tab.as_deref(), Some("בית"));
    assert!(described(&screens::keyboard_up(), 400).keyboard);
    let mut b = Build::default();
    b.add(None, Role::Text, "Title", (0.0, 60.0, 390.0, 40.0));
    let bar = b.add(None, Role::Other, "Progress", (0.0, 400.0, 390.0, 4.0));
    b.node(bar).value = Some("40%".into());
    let out = described(&b.tree, 400);
    assert_eq!(out.progress.as_deref(), Some("Progress 40%"));
    assert_eq!(out.title.as_deref(), Some("Title"));
}

#[test]
fn what_the_tree_cannot_see_is_told() {
    let mut b = Build::default();
    let root = b.add(None, Role::Window, "Game", (0.0, 0.0, 390.0, 844.0));
    let canvas = b.add(Some(root), Role::Other, "", (0.0, 100.0, 390.0, 600.0));
    b.add(Some(canvas), Role::Other, "", (0.0, 100.0, 390.0, 600.0));
    b.add(Some(root), Role::Button, "Pause", (10.0, 40.0, 44.0, 44.0));
    let out = described(&b.tree, 400);
    assert_eq!(out.blind.len(), 1, "{:?}", out.blind);
    assert_eq!(out.blind[0].height, 600.0);
    assert!(out.description.contains("not in the tree: 390×600"));
    assert_eq!(codes(&b.tree), ["tree_sparse"]);
    assert!(described(&screens::settings(0.0), 400).blind.is_empty());
    assert_eq!(codes(&Tree::default()), ["tree_sparse"]);
}

#[test]
fn flaws_become_notes() {
    let mut tree = screens::keyboard_up();
    tree.flaws = vec![TreeFlaw::Cut, TreeFlaw::Damaged, TreeFlaw::Stale];
    assert_eq!(codes(&tree), ["keyboard_up", "tree_cut", "tree_damaged", "tree_stale"]);
}

#[test]
fn the_bound_is_hard() {
    let mut b = Build { tree: screens::settings(0.0) };
    for n in 0..300 {
        b.add(Some(4), Role::Cell, &format!("Another row {n} with a longer text in it"), (0.0, 200.0, 390.0, 20.0));
    }
    for max in [0, 5, 10, 20, 40, 80, 160, 400, 1000] {
        let out = described(&b.tree, max);
        assert!(estimate_tokens(&out.description) <= max, "{max}: {}", out.description);
        assert!(out.omitted > 0);
    }
}
