//! What holds for any tree.

use super::{SCREEN, named};
use crate::neutral::{Node, Rect, Role, Tree, TreeFlaw};
use crate::perception::locator::{Locator, Matched, Words, escape, quote, words};
use crate::perception::ocr::TextLine;
use crate::perception::outline::{Outline, Place};
use crate::perception::refs::{Ref, RefBook, Resolved};
use crate::perception::render::{LONGEST, Options, json, text};
use crate::perception::shapes::Shape;
use crate::perception::text::{fold, squeeze};
use crate::perception::tokens::estimate_tokens;
use crate::perception::{beside, describe, find, fuse, icon, notes, picture};
use proptest::prelude::*;

fn roles() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![
        Role::Button,
        Role::Text,
        Role::TextField,
        Role::SecureField,
        Role::Switch,
        Role::Slider,
        Role::Cell,
        Role::List,
        Role::Image,
        Role::Link,
        Role::Tab,
        Role::NavBar,
        Role::Alert,
        Role::Sheet,
        Role::Keyboard,
        Role::Key,
        Role::WebView,
        Role::Window,
        Role::Other,
    ])
}

fn texts() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        3 => Just(None),
        4 => prop::sample::select(vec!["Wi-Fi", "Sign in", "Settings", "OK", "Row 1", "Row 2", "设置", "الإعدادات", "a \"b\" \\ c", "1"])
            .prop_map(|text| Some(text.to_owned())),
        1 => "\\PC{0,30}".prop_map(Some),
        1 => any::<String>().prop_map(Some),
    ]
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![12 => -100.0f64..900.0, 1 => Just(f64::INFINITY), 1 => Just(f64::NAN), 1 => any::<f64>(), 2 => Just(0.0)]
}

prop_compose! {
    fn nodes()(
        back in 0u32..6,
        wild in prop::option::weighted(0.03, any::<u32>()),
        role in roles(),
        (label, value, placeholder, identifier) in (texts(), texts(), texts(), texts()),
        bounds in prop::option::weighted(0.9, (numbers(), numbers(), numbers(), numbers())),
        (enabled, visible, focused, selected) in (prop::bool::weighted(0.9), prop::bool::weighted(0.8), prop::bool::weighted(0.1), prop::bool::weighted(0.1)),
        checked in prop::option::weighted(0.1, any::<bool>()),
    ) -> (u32, Option<u32>, Node) {
        let mut node = Node::new(role);
        node.label = label;
        node.value = value;
        node.placeholder = placeholder;
        node.identifier = identifier;
        node.bounds = bounds.map(|(x, y, w, h)| Rect::new(x, y, w, h));
        node.enabled = enabled;
        node.visible = visible;
        node.focused = focused;
        node.selected = selected;
        node.checked = checked;
        (back, wild, node)
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    prop::collection::vec(nodes(), 0..40).prop_map(|nodes| {
        let nodes = nodes.into_iter().enumerate().map(|(i, (back, wild, mut node))| {
            node.parent = wild.or((i as u32).checked_sub(back + 1));
            node
        });
        Tree { nodes: nodes.collect(), flaws: vec![TreeFlaw::Cut], app: None }
    })
}

/// What a picture may show: lines and icons anywhere.
fn pictures() -> impl Strategy<Value = (Vec<TextLine>, Vec<Shape>)> {
    let place = || {
        (-50.0f64..450.0, -50.0f64..900.0, 0.0f64..400.0, 0.0f64..80.0).prop_map(|(x, y, w, h)| Rect::new(x, y, w, h))
    };
    let line = ("\\PC{0,30}", place(), any::<bool>())
        .prop_map(|(text, bounds, readable)| TextLine { readable, ..TextLine::new(&text, bounds) });
    let icon = (prop::sample::select(vec!["back", "forward", "help"]), place()).prop_map(|(name, bounds)| Shape {
        name: name.to_owned(),
        bounds,
        score: 0.9,
    });
    (prop::collection::vec(line, 0..40), prop::collection::vec(icon, 0..12))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Everything looks at any tree without a panic, and every bound holds.
    #[test]
    fn any_tree_is_looked_at(tree in trees(), max in 0usize..300, query in "\\PC{0,12}", within in 0usize..50) {
        let (outline, refs) = named(&tree);
        for (i, element) in outline.elements().iter().enumerate() {
            prop_assert!(element.parent.is_none_or(|p| p < i));
            prop_assert!(element.covered_by.is_none_or(|c| c < outline.elements().len()));
            if let Some(point) = element.tap_point(&outline.screen()) {
                prop_assert!(outline.screen().contains(point));
            }
        }
        for options in [
            Options { max_tokens: Some(max), ..Options::default() },
            Options { within: Some(within), interactive_only: true, points: true, ..Options::default() },
        ] {
            let out = text(&outline, &refs, "f1", &options);
            prop_assert_eq!(out.tokens, estimate_tokens(&out.text));
            if let Some(max) = options.max_tokens {
                prop_assert!(out.tokens <= max, "{} > {}: {}", out.tokens, max, out.text);
            }
            prop_assert!(out.text.to_lowercase().matches("<screen").count() <= 1);
            json(&outline, &refs, &options);
        }
        let description = describe::describe(&describe::Shown::by_tree(&tree, &outline, &refs), "f1", max);
        prop_assert!(estimate_tokens(&description.description) <= max);
        find::find_text(&tree, &outline, &query, find::Match::Fuzzy, 5);
        icon::find_icon(&tree, &outline, &query, None, 5);
        notes::notes(&tree, &outline);
        picture::marks_of(&outline, &refs);
    }

    /// What a picture shows beside any tree is told within the bound, under refs that are its own.
    #[test]
    fn any_picture_is_told(tree in trees(), (lines, icons) in pictures(), max in 0usize..300, query in "\\PC{0,12}") {
        let (outline, refs) = named(&tree);
        let beside = beside::beside(&outline, &lines, &icons, 1);
        let mut book = RefBook::new();
        book.assign(&outline);
        let alone: Vec<Ref> = beside.alone.iter().map(|_| book.fresh()).collect();
        let shown = describe::Shown { beside: &beside, alone: &alone, ..describe::Shown::by_tree(&tree, &outline, &refs) };
        let told = describe::describe(&shown, "f1", max);
        prop_assert!(estimate_tokens(&told.description) <= max);
        prop_assert!(told.seen.iter().all(|seen| alone.contains(&seen.r#ref) && !refs.contains(&seen.r#ref)));
        let by_tree = find::find_text(&tree, &outline, &query, find::Match::Contains, usize::MAX);
        let found = fuse::find_text(by_tree, &outline, &lines, &query, find::Match::Contains, 10);
        prop_assert!(found.matches.is_sorted_by(|a, b| a.score >= b.score));
    }

    /// Every text that the phone shows on the screen can be read in the text form.
    #[test]
    fn every_text_on_the_screen_can_be_read(tree in trees()) {
        let (outline, refs) = named(&tree);
        let out = text(&outline, &refs, "f1", &Options { max_tokens: Some(1_000_000), ..Options::default() });
        let folded = fold(&out.text);
        for node in &tree.nodes {
            let on = node.bounds.is_some_and(|b| {
                [b.x, b.y, b.width, b.height].iter().all(|v| v.is_finite() && v.abs() < 1e6)
                    && b.intersection(&SCREEN.bounds()).is_some()
            });
            if !on || !node.visible || matches!(node.role, Role::Window) {
                continue;
            }
            let Some(label) = node.label.as_ref().map(|label| squeeze(label)).filter(|label| !label.is_empty()) else { continue };
            if label.chars().count() > LONGEST {
                continue;
            }
            let wanted = fold(&quote(&escape(&label)));
            let wanted = wanted.trim_matches('"').trim();
            // On a keyboard's line keys stand without quotes.
            let bare = node.role == Role::Key || node.role == Role::Button;
            if bare && folded.contains(&fold(&label)) {
                continue;
            }
            prop_assert!(folded.contains(wanted), "{label:?} is not in {}", out.text);
        }
    }

    /// A scroll moves everything and changes no ref.
    #[test]
    fn refs_survive_a_scroll(tree in trees(), by in -50.0f64..50.0) {
        let mut book = RefBook::new();
        let before = Outline::new(&tree, &SCREEN);
        let refs = book.assign(&before);
        prop_assert_eq!(book.assign(&before), refs.clone());
        for (i, name) in refs.iter().enumerate() {
            prop_assert_eq!(book.resolve(*name, &before), Resolved::Found(i));
        }
        let mut moved = tree.clone();
        for node in &mut moved.nodes {
            if let Some(bounds) = &mut node.bounds {
                bounds.y += by;
            }
        }
        let after = Outline::new(&moved, &SCREEN);
        // Where the fold of the tree is the same, so are the refs; an element at the very edge may fold differently.
        let same = before.elements().len() == after.elements().len()
            && before.elements().iter().zip(after.elements()).all(|(a, b)| a.signature == b.signature);
        if same {
            prop_assert_eq!(book.assign(&after), refs);
        }
    }

    /// What is printed is read back as the same.
    #[test]
    fn words_survive_printing(role in prop::option::of(roles()), text in prop::option::of(any::<String>()), id in prop::option::of("\\PC{1,12}"), nth in prop::option::of(1usize..99)) {
        let role = role.or((text.is_none() && id.is_none()).then_some(Role::Cell));
        let words = Words { role, text, identifier: id, nth };
        let printed = words.to_string();
        prop_assert_eq!(Locator::parse(&printed), Ok(Locator::Words(words)), "{}", printed);
    }

    /// An element printed as words is found by them, unless its twin cannot be told apart by any words.
    #[test]
    fn elements_are_found_by_their_words(tree in trees()) {
        let (outline, _) = named(&tree);
        for index in 0..outline.elements().len() {
            let printed = words(&outline, index);
            let Ok(Locator::Words(read)) = Locator::parse(&printed) else {
                return Err(TestCaseError::fail(format!("cannot be read: {printed}")));
            };
            if outline.elements()[index].place == Place::On {
                prop_assert_eq!(read.find(&outline), Matched::One(index), "{}", printed);
            }
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in any::<String>()) {
        let _ = Locator::parse(&text);
    }

    /// Any bytes, and any cut of a sound picture, decode or are refused.
    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..400, flip in 0usize..400, kind in 0u8..3) {
        let pixels = picture::Pixels::new(9, 7, 3, (0..189).collect()).unwrap();
        let mut sound = match kind {
            0 => pixels.encode(crate::neutral::PictureFormat::Png, 0).unwrap().bytes,
            1 => pixels.encode(crate::neutral::PictureFormat::Jpeg, 80).unwrap().bytes,
            _ => bytes,
        };
        if let Some(byte) = sound.get_mut(flip) {
            *byte ^= 0x55;
        }
        sound.truncate(cut);
        let _ = picture::decode(&sound);
    }
}
