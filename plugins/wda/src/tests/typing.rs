//! Typing, the focus and the clipboard's neighbours.

use super::*;

#[tokio::test]
async fn row_72_nothing_is_typed_where_nothing_has_the_focus() {
    let (server, driver) = connected(refuses("/element/active", 404, "no such element", "")).await;
    let error = driver.input("hunter2").await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NothingFocused, Outcome::NotDone));
    assert_eq!(server.lines(), ["GET /session/S-1/element/active"]);
}

#[tokio::test]
async fn row_64_a_missing_keyboard_told_with_status_200_is_seen() {
    let old = r#"{"value":"Error Domain=x Code=1 \"Keyboard is not present\"","sessionId":"S-1","status":13}"#;
    let (_server, driver) =
        connected(move |request| request.line.ends_with("/wda/keys").then(|| Then::Answer(200, old.to_owned()))).await;
    assert_eq!(driver.input("hunter2").await.unwrap_err().kind, ErrorKind::NothingFocused);
}

#[tokio::test]
async fn text_of_every_script_arrives_whole_and_in_order() {
    let (server, driver) = connected(|_| None).await;
    let text = "שלום 👨‍👩‍👧‍👦 你好\n\u{8}é#~%s$`".repeat(9);
    driver.input(&text).await.unwrap();
    let mut typed = String::new();
    for request in server.take().iter().filter(|request| request.line.ends_with("/wda/keys")) {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        typed.push_str(body["value"][0].as_str().unwrap());
    }
    assert_eq!(typed, text);
    driver.input("").await.unwrap();
    assert!(server.take().is_empty());
}

#[tokio::test]
async fn text_that_breaks_off_is_unknown() {
    let sent = AtomicUsize::new(0);
    let (_server, driver) = connected(move |request| {
        (request.line.ends_with("/wda/keys") && sent.fetch_add(1, Ordering::SeqCst) > 0)
            .then(|| refuse(400, "invalid element state", "hunter2"))
    })
    .await;
    let error = driver.input(&"hunter2".repeat(20)).await.unwrap_err();
    assert_eq!(error.outcome, Outcome::Unknown);
    assert!(!error.message.contains("hunter"));
}

#[tokio::test]
async fn the_element_at_the_focus_keeps_its_secret() {
    let (_server, driver) = connected(|request| match request.line.rsplit('/').next().unwrap() {
        "name" if request.line.ends_with("attribute/name") => Some(value(json!("password"))),
        "name" => Some(value(json!("XCUIElementTypeSecureTextField"))),
        "value" => Some(value(json!("hunter2"))),
        "label" => Some(value(Value::Null)),
        "placeholderValue" => Some(refuse(500, "unknown error", "unknown attribute")),
        "enabled" => Some(value(json!(true))),
        "rect" => Some(value(json!({"x": 1, "y": 2, "width": 3, "height": 4}))),
        _ => None,
    })
    .await;
    let node = driver.element_at_focus().await.unwrap().unwrap();
    assert_eq!(
        (node.role, node.value.as_deref(), node.identifier.as_deref()),
        (Role::SecureField, Some("•••••••"), Some("password"))
    );
    assert!(node.focused && node.bounds.is_some());
}
