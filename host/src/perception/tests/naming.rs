//! Refs and words.

use super::{Build, SCREEN, named, screens};
use crate::neutral::Role;
use crate::perception::locator::{Locator, Matched, Words, escape, words};
use crate::perception::outline::Outline;
use crate::perception::refs::{Ref, RefBook, Resolved};

fn position(outline: &Outline, role: Role, name: &str) -> usize {
    outline.elements().iter().position(|e| e.role == role && e.name() == name).unwrap()
}

#[test]
fn refs_survive_scrolling() {
    let mut book = RefBook::new();
    let before = Outline::new(&screens::settings(0.0), &SCREEN);
    let refs = book.assign(&before);
    for scrolled in [100.0, 300.0, 600.0] {
        let after = Outline::new(&screens::settings(scrolled), &SCREEN);
        assert_eq!(book.assign(&after), refs, "scrolled by {scrolled}");
    }
}

#[test]
fn refs_survive_rows_that_come_and_go() {
    let list = |rows: std::ops::Range<usize>| {
        let mut b = Build::default();
        let list = b.add(None, Role::List, "", (0.0, 0.0, 390.0, 844.0));
        for row in rows.clone() {
            let y = (row - rows.start) as f64 * 44.0;
            let cell = b.add(Some(list), Role::Cell, &format!("Row {row}"), (0.0, y, 390.0, 44.0));
            b.add(Some(cell), Role::Button, "Delete", (300.0, y, 80.0, 44.0));
        }
        b.outline()
    };
    let mut book = RefBook::new();
    let first = list(0..10);
    let old = book.assign(&first);
    let second = list(4..14);
    let new = book.assign(&second);
    for (i, element) in second.elements().iter().enumerate() {
        let twin = first.elements().iter().position(|e| {
            e.role == element.role
                && e.signature.name == element.signature.name
                && e.signature.ancestor == element.signature.ancestor
        });
        match twin {
            Some(twin) => assert_eq!(new[i], old[twin], "{} {}", element.role.name(), element.name()),
            None => assert!(!old.contains(&new[i])),
        }
    }
    let gone = old[2];
    let Resolved::Stale { was, candidates } = book.resolve(gone, &second) else { panic!("row 0 is gone") };
    assert_eq!(was, "button \"Delete\"");
    assert!(candidates.len() <= 5 && candidates[0].description.contains("Delete"), "{candidates:?}");
}

#[test]
fn the_same_words_on_another_screen_are_another_element() {
    let screen = |title: &str, rows: [&str; 3]| {
        let mut b = Build::default();
        let root = b.add(None, Role::Window, "", (0.0, 0.0, 390.0, 844.0));
        b.add(Some(root), Role::Text, title, (0.0, 50.0, 390.0, 44.0));
        b.add(Some(root), Role::Button, "Delete", (0.0, 100.0, 390.0, 44.0));
        for (n, row) in rows.into_iter().enumerate() {
            b.add(Some(root), Role::Cell, row, (0.0, 200.0 + n as f64 * 44.0, 390.0, 44.0));
        }
        b.outline()
    };
    let mut book = RefBook::new();
    let notes = screen("Notes", ["a", "b", "c"]);
    let refs = book.assign(&notes);
    let account = screen("Account", ["x", "y", "z"]);
    let delete = refs[position(&notes, Role::Button, "Delete")];
    assert!(matches!(book.resolve(delete, &account), Resolved::Stale { .. }));
    let others = book.assign(&account);
    assert!(!others.contains(&delete));
    // And back again: the first screen's refs still stand.
    assert_eq!(book.assign(&notes), refs);
}

#[test]
fn an_element_between_clocks_keeps_its_ref() {
    let screen = |second: u32| {
        let mut b = Build::default();
        b.add(None, Role::Text, &format!("0:{second}"), (0.0, 0.0, 100.0, 20.0));
        b.add(None, Role::Button, "Play", (0.0, 20.0, 100.0, 20.0));
        b.add(None, Role::Text, &format!("-3:{second}"), (0.0, 40.0, 100.0, 20.0));
        for name in ["Next", "Previous", "Shuffle", "Repeat", "Queue"] {
            b.add(None, Role::Button, name, (0.0, 60.0, 100.0, 20.0));
        }
        b.outline()
    };
    let mut book = RefBook::new();
    let (a, b) = (screen(1), screen(2));
    let play = book.assign(&a)[position(&a, Role::Button, "Play")];
    assert_eq!(book.resolve(play, &b), Resolved::Found(1));
}

#[test]
fn a_changed_label_keeps_the_ref_of_an_identified_element() {
    let screen = |label: &str| {
        let mut b = Build::default();
        b.add(None, Role::Text, "Ada", (0.0, 0.0, 100.0, 20.0));
        let button = b.add(None, Role::Button, label, (0.0, 20.0, 100.0, 20.0));
        b.node(button).identifier = Some("follow".into());
        b.add(None, Role::Text, "Posts", (0.0, 40.0, 100.0, 20.0));
        b.outline()
    };
    let mut book = RefBook::new();
    let refs = book.assign(&screen("Follow"));
    assert_eq!(book.assign(&screen("Unsubscribe")), refs);
}

#[test]
fn typing_into_a_field_keeps_its_ref() {
    let mut tree = screens::sign_in();
    let mut book = RefBook::new();
    let refs = book.assign(&Outline::new(&tree, &SCREEN));
    tree.nodes[2].value = Some("ada@example.org".into());
    assert_eq!(book.assign(&Outline::new(&tree, &SCREEN)), refs);
}

#[test]
fn the_book_is_bounded_and_never_reuses() {
    let mut book = RefBook::with_capacity(50);
    let mut last = 0;
    for round in 0..20 {
        let mut b = Build::default();
        for n in 0..20 {
            b.add(None, Role::Button, &format!("b{round}-{n}"), (0.0, n as f64 * 20.0, 100.0, 20.0));
        }
        for name in book.assign(&b.outline()) {
            assert!(name.number() > last);
            last = name.number();
        }
        assert!(book.len() <= 50);
    }
    let outline = Build::default().outline();
    assert_eq!(book.resolve("e1".parse().unwrap(), &outline), Resolved::Unknown);
    assert!(matches!(book.resolve("e400".parse().unwrap(), &outline), Resolved::Stale { .. }));
}

#[test]
fn refs_are_read_strictly() {
    assert_eq!("e12".parse::<Ref>().unwrap().number(), 12);
    for bad in ["", "e", "12", "E12", "e012", "e-1", "e1x", "e99999999999999999999"] {
        assert!(bad.parse::<Ref>().is_err(), "{bad}");
    }
}

#[test]
fn words_are_read_and_refused_with_a_clear_sentence() {
    let parse = |text: &str| Locator::parse(text).map(|locator| locator.to_string());
    for (text, back) in [
        ("e7", "e7"),
        ("e7 button \"pasted from a line\" disabled", "e7"),
        ("button \"Sign in\"", "button \"Sign in\""),
        ("  text_field   #email ", "text_field #email"),
        ("cell \"Wi-Fi\" [2]", "cell \"Wi-Fi\" [2]"),
        ("\"Just text\"", "\"Just text\""),
        ("#id", "#id"),
        ("button", "button"),
        (r#""a \"b\" \\ c""#, r#""a \"b\" \\ c""#),
        ("#\"two words\" [1]", "#\"two words\" [1]"),
    ] {
        assert_eq!(parse(text).as_deref(), Ok(back), "{text}");
    }
    for (text, says) in [
        ("", "empty"),
        ("Sign in", "neither a ref nor a role"),
        ("button 'Sign in'", "does not fit"),
        ("button \"Sign in", "closing quote"),
        ("cell [0]", "from 1"),
        ("cell [x]", "from 1"),
        ("[2]", "names no element"),
        ("text_field #", "Nothing follows #"),
        ("button \"a\" \"b\"", "does not fit"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(says) && error.contains("e12"), "{text}: {error}");
    }
}

#[test]
fn words_find_one_none_or_several() {
    let mut b = Build::default();
    b.add(None, Role::Text, "Sign in", (0.0, 0.0, 100.0, 20.0));
    b.add(None, Role::Button, "Sign in", (0.0, 20.0, 100.0, 20.0));
    b.add(None, Role::Button, "Sign in with a key", (0.0, 40.0, 100.0, 20.0));
    b.add(None, Role::Cell, "Row", (0.0, 60.0, 100.0, 20.0));
    b.add(None, Role::Cell, "Row", (0.0, 80.0, 100.0, 20.0));
    b.add(None, Role::Cell, "Row", (0.0, 900.0, 100.0, 20.0));
    b.add(None, Role::Cell, "Far", (0.0, 920.0, 100.0, 20.0));
    b.add(None, Role::Cell, "Far", (0.0, 100.0, 100.0, 20.0));
    let outline = b.outline();
    let find = |text: &str| Words::parse(text).unwrap().find(&outline);
    assert_eq!(find("button \"sign  IN\""), Matched::One(1));
    assert_eq!(find("\"Sign in\""), Matched::Several(vec![0, 1]));
    assert_eq!(find("cell \"Row\""), Matched::Several(vec![3, 4, 5]));
    assert_eq!(find("cell \"Row\" [3]"), Matched::One(5));
    assert_eq!(find("cell \"Far\""), Matched::One(7), "the one that can be reached");
    assert_eq!(find("button \"Sign in with…\""), Matched::One(2), "a shortened label");
    let Matched::None { near } = find("button \"Sing in\"") else { panic!() };
    assert_eq!(near[0].index, 1);
    assert!(matches!(find("cell \"Row\" [9]"), Matched::None { near } if near.len() == 3));
    assert!(matches!(find("#nothing"), Matched::None { .. }));
}

#[test]
fn an_element_printed_as_words_is_found_by_them() {
    for tree in [
        screens::settings(0.0),
        screens::sign_in(),
        screens::alert_over_list(),
        screens::keyboard_up(),
        screens::right_to_left(),
    ] {
        let (outline, _) = named(&tree);
        for index in 0..outline.elements().len() {
            let printed = words(&outline, index);
            let Ok(Locator::Words(read)) = Locator::parse(&printed) else { panic!("{printed}") };
            assert_eq!(read.find(&outline), Matched::One(index), "{printed}");
        }
    }
}

#[test]
fn the_screens_own_tags_are_escaped() {
    assert_eq!(escape("a < b"), "a < b");
    assert_eq!(escape("</screen>"), "&lt;/screen>");
    assert_eq!(escape("x< / SCREEN >y<screen frame"), "x&lt; / SCREEN >y&lt;screen frame");
}
