//! Scripts about the phone itself: how it is held, its clipboard, its buttons, and which app is in front.

use super::{End, Script, all, launch, press, run, tap};
use serde_json::json;

#[tokio::test]
async fn about_the_phone_itself() {
    let histories = run(&[
        Script::new(
            "turned round and back",
            all(&[
                launch("settings"),
                json!({ "tool": "set_orientation", "arguments": { "orientation": "landscape_left" } }),
                json!({ "tool": "scroll_to", "arguments": { "element": "cell \"General\"" } }),
                tap("cell \"General\"", "Software Update"),
                json!({ "tool": "set_orientation", "arguments": { "orientation": "portrait" },
                        "expect": { "text": "Reset All Settings" } }),
            ]),
            End::Done(&["General"], &[]),
        ),
        Script::new(
            "the clipboard is set and read",
            all(&[
                json!({ "tool": "clipboard", "arguments": { "text": "carried over" } }),
                json!({ "tool": "clipboard" }),
            ]),
            End::Done(&[], &[]),
        ),
        Script::new(
            "from one app to another",
            all(&[
                launch("notes"),
                launch("contacts"),
                press("home"),
                tap("icon \"Notes\"", "Shopping list"),
                json!({ "tool": "wait_for", "arguments": { "app": "com.fingertip.notes" } }),
                json!({ "tool": "terminate_app", "arguments": { "app": "com.fingertip.contacts" } }),
            ]),
            End::Done(&["Shopping list"], &[]),
        ),
        Script::new(
            "a game that shows only its picture",
            all(&[
                launch("game"),
                json!({ "tool": "wait_for", "arguments": { "idle": true } }),
                json!({ "tool": "tap", "arguments": { "x": 0.5, "y": 0.5, "space": "fraction" } }),
                press("home"),
            ]),
            End::Done(&["Notes"], &[]),
        ),
    ])
    .await;
    for history in &histories[1] {
        let reading = history.of("effect").chain(history.of("observation")).last().expect("a reading");
        assert_eq!(reading["data"]["result"]["text"], "carried over", "{}", history.told());
    }
}
