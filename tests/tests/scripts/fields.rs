//! Scripts that type: notes, signing in with the right and the wrong password, inputs and secrets.

use super::{End, Script, all, launch, run, tap};
use serde_json::{Value, json};

const PASSWORD: &str = "lovelace1";

fn sign_in() -> Value {
    all(&[
        launch("signin"),
        json!({ "tool": "input_text", "arguments": { "element": "text_field \"Email\"", "text": "${email}" } }),
        json!({ "tool": "input_text", "arguments": { "element": "secure_field \"Password\"", "text": "${password}",
                "secret": true, "submit": true }, "expect": { "text": "Hello, Ada", "timeout_ms": 1500 } }),
    ])
}

fn note() -> Value {
    all(&[
        launch("notes"),
        tap("button #new-note", "Write something"),
        json!({ "tool": "input_text", "arguments": { "text": "${title}" }, "expect": { "text": "${title}" } }),
        json!({ "tool": "tap", "arguments": { "element": "button \"Done\"" } }),
        tap("button \"Notes\"", "Shopping list"),
    ])
}

#[tokio::test]
async fn into_fields() {
    let histories = run(&[
        Script::new("a note is written", note(), End::Done(&["Ring the plumber"], &[]))
            .with(json!({ "title": "Ring the plumber" })),
        Script::new("a note in another script", note(), End::Done(&["Привет, мир — ünï ✓"], &[]))
            .with(json!({ "title": "Привет, мир — ünï ✓" })),
        Script::new(
            "a note is deleted",
            all(&[
                launch("notes"),
                tap("cell \"Train to Leeds\"", "Seat 23A"),
                tap("button \"Delete\"", "Delete this note?"),
                json!({ "tool": "tap", "arguments": { "element": "button \"Delete Note\"" },
                        "expect": { "gone": "Delete this note?" } }),
            ]),
            End::Done(&["Shopping list"], &["Train to Leeds"]),
        ),
        Script::new("signing in", sign_in(), End::Done(&["Signed in as ada@example.com"], &[]))
            .with(json!({ "email": "ada@example.com", "password": { "secret": PASSWORD } })),
        Script::new("signing in with the wrong password", sign_in(), End::Fails(3, "guard_missed"))
            .with(json!({ "email": "ada@example.com", "password": { "secret": "babbage2" } })),
        // What is secret may be a part of the words by which the work goes on.
        Script::new("signing in with a short secret", sign_in(), End::Fails(3, "guard_missed"))
            .with(json!({ "email": "ada@example.com", "password": { "secret": "on" } })),
        Script::new(
            "a search that finds nobody",
            all(&[
                launch("contacts"),
                json!({ "tool": "input_text", "arguments": { "element": "text_field #search", "text": "zzz" },
                        "expect": { "text": "No results" } }),
                tap("cell \"Grace Hopper\"", "Call"),
            ]),
            End::Fails(3, "step_failed"),
        ),
    ])
    .await;
    for history in histories[3..5].iter().flatten() {
        let told = history.told();
        assert!(!told.contains(PASSWORD) && !told.contains("babbage2"), "{told}");
    }
    for history in &histories[5] {
        assert_eq!(history.uses("input_text"), (2, 2), "{}", history.told());
    }
}
