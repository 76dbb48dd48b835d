//! Lock, alerts, screen, orientation, clipboard, what the phone says of itself.

use super::*;

#[tokio::test]
async fn row_78_a_phone_with_a_passcode_stays_locked() {
    let (_server, driver) = connected(|request| match request.line.as_str() {
        "GET /wda/locked" => Some(value(json!(true))),
        "POST /wda/unlock" => Some(refuse(500, "unknown error", "anything")),
        _ => None,
    })
    .await;
    assert_eq!(driver.unlock().await.unwrap_err().kind, ErrorKind::Locked);
    let (server, driver) = connected(|_| None).await;
    driver.unlock().await.unwrap();
    driver.lock().await.unwrap();
    assert_eq!(server.lines(), ["GET /wda/locked", "POST /wda/lock"]);
}

#[tokio::test]
async fn row_60_alerts_are_read_and_answered_by_name() {
    let (server, driver) = connected(|request| match request.line.as_str() {
        "GET /session/S-1/alert/text" => Some(value(json!("Allow?\nReally"))),
        "GET /session/S-1/wda/alert/buttons" => Some(value(json!(["Don’t Allow", "Allow"]))),
        _ => None,
    })
    .await;
    let alert = driver.alert().await.unwrap().unwrap();
    assert_eq!(
        (alert.text.as_str(), alert.buttons),
        ("Allow?\nReally", vec!["Don’t Allow".to_owned(), "Allow".to_owned()])
    );
    server.take();
    driver.answer_alert("Allow").await.unwrap();
    assert_eq!(server.take()[0].body, r#"{"name":"Allow"}"#);
    let (_server, driver) = connected(|request| {
        request.line.contains("/alert/").then(|| {
            refuse(
                if request.line.starts_with("GET") { 404 } else { 400 },
                if request.line.starts_with("GET") { "no such alert" } else { "invalid element state" },
                "",
            )
        })
    })
    .await;
    assert_eq!(driver.alert().await.unwrap(), None);
    assert_eq!(driver.answer_alert("Allow").await.unwrap_err().kind, ErrorKind::NoAlert);
}

#[tokio::test]
async fn screen_and_orientation_follow_the_app_in_front() {
    let lying = Arc::new(Mutex::new("UIDeviceOrientationLandscapeRight"));
    let device = lying.clone();
    let (_server, driver) = connected(move |request| match request.line.as_str() {
        "GET /session/S-1/window/size" => Some(value(json!({"width": 844, "height": 390}))),
        "GET /session/S-1/orientation" => Some(value(json!("LANDSCAPE"))),
        "GET /wda/deviceOrientation" => Some(value(json!(*device.lock().unwrap()))),
        _ => None,
    })
    .await;
    let screen = driver.screen_info().await.unwrap();
    assert_eq!(
        (screen.width, screen.height, screen.scale, screen.orientation),
        (844.0, 390.0, 3.0, Orientation::LandscapeRight)
    );
    *lying.lock().unwrap() = "UIDeviceOrientationFaceUp";
    assert_eq!(driver.orientation().await.unwrap(), Orientation::LandscapeLeft);
}

#[tokio::test]
async fn what_the_phone_does_not_have_is_unsupported_with_a_reason() {
    let (server, driver) = connected(refuses("/orientation", 500, "unknown error", "Unable To Rotate Device")).await;
    for button in [Button::Back, Button::AppSwitcher] {
        assert_eq!(driver.press_button(button).await.unwrap_err().kind, ErrorKind::Unsupported);
    }
    assert!(server.take().is_empty());
    assert_eq!(driver.set_orientation(Orientation::Portrait).await.unwrap_err().kind, ErrorKind::Unsupported);
    server.take();
    driver.press_button(Button::VolumeUp).await.unwrap();
    driver.press_button(Button::Enter).await.unwrap();
    assert_eq!(server.lines(), ["POST /session/S-1/wda/pressButton", "POST /session/S-1/wda/keys"]);
}

#[tokio::test]
async fn clipboard_state_and_apps() {
    let (server, driver) = connected(|request| match request.line.as_str() {
        "POST /session/S-1/wda/getPasteboard" => Some(value(json!("aMOpbGxv"))),
        "GET /wda/device/info" => Some(value(json!({"model": "iPhone", "name": "x"}))),
        "GET /session/S-1/wda/batteryInfo" => Some(value(json!({"level": -1, "state": 0}))),
        "GET /session/S-1/wda/apps/list" => {
            Some(value(json!([{"pid": 1, "bundleId": "com.apple.camera"}, {"pid": 2, "bundleId": "unknown"}])))
        }
        _ => None,
    })
    .await;
    assert_eq!(driver.clipboard().await.unwrap(), "héllo");
    driver.set_clipboard("héllo").await.unwrap();
    assert_eq!(server.take()[1].body, r#"{"content":"aMOpbGxv","contentType":"plaintext"}"#);
    let state = driver.device_info().await.unwrap();
    assert_eq!(
        (state.model.as_deref(), state.os_version.as_deref(), state.locked, state.battery),
        (Some("iPhone"), Some("17.5"), Some(false), None)
    );
    let apps = driver.apps().await.unwrap();
    assert!(!apps.complete && apps.apps.len() == 1 && apps.apps[0].app.name.as_deref() == Some("Camera"));
}
