//! Scripts in the settings: switches, levels, lists, permissions and what is far down.

use super::{End, Script, all, launch, run, tap};
use serde_json::json;

#[tokio::test]
async fn in_the_settings() {
    run(&[
        Script::new(
            "airplane mode turns Wi-Fi off",
            all(&[launch("settings"), tap("switch \"Airplane Mode\"", "Off"), tap("cell \"Wi-Fi\"", "Turn on Wi-Fi")]),
            End::Done(&["Turn on Wi-Fi to see networks"], &["Cafe Lumen"]),
        ),
        Script::new(
            "another network is joined",
            all(&[
                launch("settings"),
                tap("cell \"Wi-Fi\"", "Cafe Lumen"),
                tap("cell \"Cafe Lumen\"", "Networks"),
                json!({ "tool": "press_button", "arguments": { "button": "home" } }),
                launch("settings"),
            ]),
            End::Done(&["Cafe Lumen"], &["Garden House"]),
        ),
        Script::new(
            "a permission is asked for and given",
            all(&[
                launch("settings"),
                json!({ "tool": "scroll_to", "arguments": { "element": "cell \"Privacy\"" } }),
                tap("cell \"Privacy\"", "Camera"),
                tap("cell \"Camera\"", "access the camera"),
                json!({ "tool": "answer_alert", "arguments": { "button": "Allow" }, "expect": { "gone": "access the camera" } }),
            ]),
            End::Done(&["Allowed"], &["access the camera"]),
        ),
        Script::new(
            "all settings are put back",
            all(&[
                launch("settings"),
                tap("switch \"Airplane Mode\"", "Off"),
                tap("cell \"General\"", "Reset All Settings"),
                tap("cell \"Reset All Settings\"", "Reset all settings?"),
                json!({ "tool": "answer_alert", "arguments": { "button": "Reset" } }),
                tap("button \"Settings\"", "Airplane Mode"),
            ]),
            End::Done(&["Garden House"], &[]),
        ),
        Script::new(
            "the language is changed, five screens deep",
            all(&[
                launch("settings"),
                tap("cell \"General\"", "Language"),
                tap("cell \"Language\"", "Deutsch"),
                tap("cell \"Deutsch\"", "Polski"),
                json!({ "tool": "find_text", "arguments": { "text": "Deutsch" } }),
            ]),
            End::Done(&["Deutsch", "Português"], &[]),
        ),
    ])
    .await;
}
