//! Throwaway measuring.
use super::{describe, outline::Outline, refs::RefBook, render};
use crate::neutral::{Screen, Tree};
#[derive(serde::Deserialize)]
struct In { tree: Tree, screen: Screen }
#[test]
fn scratch() {
    let Ok(dir) = std::fs::read_dir("/tmp/pc/in") else { return };
    for entry in dir {
        let path = entry.unwrap().path();
        let input: In = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let outline = Outline::new(&input.tree, &input.screen);
        let refs = RefBook::new().assign(&outline);
        let plain = render::text(&outline, &refs, "f1", &render::Options::default());
        let xy = render::text(&outline, &refs, "f1", &render::Options { points: true, ..Default::default() });
        let small = render::text(&outline, &refs, "f1", &render::Options { max_tokens: Some(150), ..Default::default() });
        let desc = describe::describe(&input.tree, &outline, &refs, "f1", 400);
        let shown: Vec<i64> = (0..input.tree.nodes.len()).map(|n| match outline.element_of(n) {
            Some(e) if plain.shown.contains(&e) => e as i64, Some(_) => -1, None => -2 }).collect();
        let lines: Vec<String> = (0..outline.elements().len()).map(|e| render::line(&outline, &refs, e)).collect();
        let found: Vec<serde_json::Value> = outline.elements().iter().enumerate().map(|(i, e)| serde_json::json!({"words": super::locator::words(&outline, i), "node": e.node})).collect();
        let words_ok = (0..outline.elements().len()).filter(|i| matches!(super::locator::Locator::parse(&super::locator::words(&outline, *i)), Ok(super::locator::Locator::Words(w)) if w.find(&outline) == super::locator::Matched::One(*i))).count();
        let notes: Vec<&str> = super::notes::notes(&input.tree, &outline).iter().map(|n| n.code).collect();
        let out = serde_json::json!({"text": plain.text, "est": plain.tokens, "xy": xy.text, "xy_est": xy.tokens, "small": small.text, "small_est": small.tokens,
            "desc": desc, "shown": shown, "lines": lines, "words": found, "words_ok": words_ok, "n": outline.elements().len(), "notes": notes, "omitted": plain.omitted});
        std::fs::write(format!("/tmp/pc/out/{}", path.file_name().unwrap().to_str().unwrap()), serde_json::to_vec(&out).unwrap()).unwrap();
    }
}
