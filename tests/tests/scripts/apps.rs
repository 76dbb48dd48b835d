//! Scripts in the other apps: contacts, pages, what is far down a list, and a game that shows nothing but its picture.

use super::{End, Script, all, launch, press, run, tap};
use serde_json::json;

#[tokio::test]
async fn in_contacts_and_pages() {
    let histories = run(&[
        Script::new(
            "a contact is searched for and made a favourite",
            all(&[
                launch("contacts"),
                json!({ "tool": "input_text", "arguments": { "element": "text_field #search", "text": "hopper" },
                        "expect": { "text": "Grace Hopper" } }),
                tap("cell \"Grace Hopper\"", "grace.hopper@example.com"),
                tap("button #favourite", "Remove from favourites"),
            ]),
            End::Done(&["Remove from favourites", "Grace Hopper"], &[]),
        ),
        Script::new(
            "somebody is called",
            all(&[
                launch("contacts"),
                tap("tab \"Favourites\"", "Ada Lovelace"),
                tap("cell \"Ada Lovelace\"", "ada.lovelace@example.com"),
                tap("button #call", "Calling Ada Lovelace"),
                json!({ "tool": "tap", "arguments": { "element": "button \"End Call\"" },
                        "expect": { "gone": "Calling Ada Lovelace" } }),
                tap("tab \"Recents\"", "Ada Lovelace"),
            ]),
            End::Done(&["Recents", "Ada Lovelace"], &["Calling"]),
        ),
        Script::new(
            "swiping until a row is there",
            all(&[
                launch("browser"),
                json!({ "tool": "open_url", "arguments": { "url": "https://demo.example/60" }, "expect": { "text": "Row 1" } }),
                json!({ "tool": "swipe", "arguments": { "direction": "up" },
                        "repeat": { "times": 12, "until": { "text": "Row 41", "timeout_ms": 300 } } }),
                json!({ "tool": "tap", "arguments": { "element": "cell \"Row 41\"" } }),
            ]),
            End::Done(&["Row 41"], &[]),
        ),
        Script::new(
            "a page, another, and back",
            all(&[
                launch("browser"),
                tap("link \"News\"", "news.example"),
                tap("link \"Back to the start page\"", "Pages in this phone"),
                tap("button #browser-back", "You asked for news.example"),
            ]),
            End::Done(&["news.example"], &["Pages in this phone"]),
        ),
        Script::new(
            "a block three times over",
            all(&[
                launch("settings"),
                json!({ "repeat": 3, "steps": [
                    tap("cell \"General\"", "Software Update"),
                    tap("button \"Settings\"", "Airplane Mode"),
                ] }),
                press("home"),
            ]),
            End::Done(&["Notes"], &["Airplane Mode"]),
        ),
    ])
    .await;
    for [first, second] in &histories {
        // The same work on both phones.
        assert_eq!(first.of("verified").count(), second.of("verified").count(), "{}\n{}", first.told(), second.told());
    }
    for history in &histories[2] {
        let swipes = history.uses("swipe");
        assert!(swipes.0 == swipes.1 && (1..12).contains(&swipes.0), "{swipes:?}: {}", history.told());
        assert_eq!(history.of("verified").filter(|event| event["data"]["skipped"] == true).count(), 1);
    }
}
