//! find_text and find_icon.

use super::{Build, SCREEN, screens};
use crate::neutral::{Role, Tree};
use crate::perception::find::{Found, Match, find_text};
use crate::perception::icon::{FoundIcons, find_icon, meant};
use crate::perception::outline::Outline;

fn find(tree: &Tree, query: &str, how: Match) -> Found {
    find_text(tree, &Outline::new(tree, &SCREEN), query, how, 10)
}

fn icon(tree: &Tree, query: &str) -> FoundIcons {
    find_icon(tree, &Outline::new(tree, &SCREEN), query, None, 10)
}

#[test]
fn the_closest_match_comes_first() {
    let mut b = Build::default();
    b.add(None, Role::Other, "Home, Search, Settings and twenty other things, joined", (0.0, 0.0, 390.0, 40.0));
    b.add(None, Role::Text, "Presettings", (0.0, 40.0, 390.0, 40.0));
    b.add(None, Role::Text, "Settings for all", (0.0, 80.0, 390.0, 40.0));
    b.add(None, Role::Text, "SETTINGS", (0.0, 120.0, 390.0, 40.0));
    b.add(None, Role::Text, "Settings", (0.0, 160.0, 390.0, 40.0));
    b.add(None, Role::Text, "Settings", (0.0, 1160.0, 390.0, 40.0));
    let found = find(&b.tree, "Settings", Match::Contains);
    let order: Vec<f64> = found.matches.iter().map(|m| m.bounds.unwrap().y).collect();
    assert_eq!(order, [160.0, 120.0, 1160.0, 80.0, 0.0, 40.0]);
    assert_eq!(found.matches[0].score, 1.0);
    assert!(!found.matches[2].on_screen && found.may_scroll);
    assert_eq!(find(&b.tree, "settings", Match::Exact).matches.len(), 3);
}

#[test]
fn folding_finds_accents_width_and_other_scripts() {
    let mut b = Build::default();
    for text in ["Café au lait", "设置与隐私", "الإعدادات", "Don’t  Allow", "Ｗｉ－Ｆｉ"] {
        b.add(None, Role::Text, text, (0.0, 0.0, 390.0, 40.0));
    }
    for (query, text) in [
        ("cafe", "Café au lait"),
        ("隐私", "设置与隐私"),
        ("إعدادات", "الإعدادات"),
        ("don't allow", "Don’t Allow"),
        ("wi-fi", "Ｗｉ－Ｆｉ"),
    ] {
        let found = find(&b.tree, query, Match::Contains);
        assert_eq!(found.matches.first().map(|m| m.text.as_str()), Some(text), "{query}");
    }
}

#[test]
fn a_miss_names_what_is_near() {
    let tree = screens::settings(0.0);
    let found = find(&tree, "Notificatoins", Match::Contains);
    assert!(found.matches.is_empty());
    assert_eq!(found.near[0].text, "Notifications");
    let found = find(&tree, "Notificatoins", Match::Fuzzy);
    assert_eq!(found.matches[0].text, "Notifications");
    assert!(found.matches[0].score < 0.7);
    assert!(find(&tree, "xyzzy", Match::Fuzzy).matches.is_empty());
    assert!(find(&tree, "", Match::Fuzzy).matches.is_empty());
}

#[test]
fn one_text_of_one_element_is_one_match() {
    let found = find(&screens::settings(0.0), "Wi-Fi", Match::Contains);
    assert_eq!(found.matches.len(), 1);
    let part = find(&screens::settings(0.0), "Office", Match::Contains);
    assert_eq!(part.matches[0].bounds.unwrap().x, 300.0, "the text's own place");
    assert_eq!(part.matches[0].element, found.matches[0].element, "the row's ref");
}

#[test]
fn secrets_are_not_searched() {
    let mut b = Build::default();
    let field = b.add(None, Role::SecureField, "Password", (0.0, 0.0, 390.0, 40.0));
    b.node(field).value = Some("hunter2".into());
    assert!(find(&b.tree, "hunter2", Match::Contains).matches.is_empty());
}

#[test]
fn icons_are_found_by_name_synonym_and_description() {
    let mut b = Build::default();
    for (role, label, identifier) in [
        (Role::Button, "", "gearshape.fill"),
        (Role::Button, "Back", ""),
        (Role::Button, "", "com.app:id/btn_share"),
        (Role::Image, "magnifyingglass", ""),
        (Role::Button, "", "navTrashButton"),
        (Role::Tab, "Profile", ""),
        (Role::Text, "Camera roll of my last holiday", ""),
        (Role::Button, "更多", ""),
        (Role::Button, "Place order", ""),
    ] {
        let n = b.tree.nodes.len() as f64;
        let node = b.add(None, role, label, (0.0, n * 50.0, 44.0, 44.0));
        b.node(node).identifier = (!identifier.is_empty()).then(|| identifier.to_owned());
    }
    for (query, at, name) in [
        ("settings", 0, "settings"),
        ("settings gear", 0, "settings"),
        ("the cog icon", 0, "settings"),
        ("back", 1, "back"),
        ("share", 2, "share"),
        ("search", 3, "search"),
        ("magnifier", 3, "search"),
        ("delete", 4, "delete"),
        ("trash can", 4, "delete"),
        ("account", 5, "profile"),
        ("more options", 7, "more"),
    ] {
        let found = icon(&b.tree, query);
        let best = found.matches.first().unwrap_or_else(|| panic!("{query}: {found:?}"));
        assert_eq!(best.bounds.unwrap().y, at as f64 * 50.0, "{query}: {found:?}");
        assert_eq!(best.name, name, "{query}");
        assert!(best.score >= 0.8, "{query}: {}", best.score);
    }
    for absent in ["camera", "microphone", "cart", "wifi", "play", "calendar", "bookmark", ""] {
        let found = icon(&b.tree, absent);
        assert!(found.matches.is_empty(), "{absent}: {:?}", found.matches);
    }
}

#[test]
fn an_unknown_name_is_still_looked_for() {
    let mut b = Build::default();
    b.add(None, Role::Button, "Zebra", (0.0, 0.0, 44.0, 44.0));
    assert_eq!(icon(&b.tree, "zebra").matches[0].name, "Zebra");
    assert!(icon(&b.tree, "zebar").matches.is_empty());
    assert_eq!(icon(&b.tree, "zebrra").near.len(), 1);
}

#[test]
fn a_query_means_the_concept_of_its_name_before_others_of_the_same_word() {
    for (query, concepts) in [
        ("settings", &["settings"][..]),
        ("kebab", &["more vertical", "more"]),
        ("alarm", &["alarm", "clock"]),
        ("chevron left", &["chevron left", "back"]),
        // Names of their own, whose words alone would say less.
        ("dark mode", &["dark mode"]),
        ("add circle", &["add circle"]),
        ("the dark mode icon", &["dark mode"]),
        ("e-mail", &["mail"]),
        // Where it is does not say what it is.
        ("gear on the top right", &["settings"]),
        ("bell at the left", &["notification"]),
        ("settings gear", &["settings"]),
        ("alarm clock", &["alarm"]),
        ("zebra at the right", &["zebra at right"]),
        ("down arrow", &["down"]),
    ] {
        assert_eq!(meant(query), concepts, "{query}");
    }
}

#[test]
fn words_of_direction_name_an_icon_only_alone() {
    let mut b = Build::default();
    b.add(None, Role::Button, "Turn right", (0.0, 0.0, 44.0, 44.0));
    b.add(None, Role::Button, "Meet at noon", (0.0, 50.0, 44.0, 44.0));
    assert!(icon(&b.tree, "chevron right").matches.is_empty());
    assert!(icon(&b.tree, "mention").matches.is_empty());
    // Who asks for the word itself finds it.
    assert_eq!(icon(&b.tree, "right").matches.len(), 1);
}

#[test]
fn every_word_of_the_table_finds_an_element_of_its_concepts_name() {
    for concept in fingertip_shapes::concepts() {
        let mut b = Build::default();
        b.add(None, Role::Button, concept.name, (0.0, 0.0, 44.0, 44.0));
        for word in &concept.words {
            let found = icon(&b.tree, word);
            assert!(found.matches.first().is_some_and(|best| best.score >= 0.8), "{word} is no {}", concept.name);
        }
    }
}
