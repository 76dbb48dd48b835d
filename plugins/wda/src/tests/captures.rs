//! Answers that people captured from real phones, each given to the operation that it belongs to, and what is made of it.

use super::*;

/// What the driver makes of an answer.
#[derive(Clone, Copy, Debug)]
enum Made {
    /// The phone can be connected to.
    Connected,
    /// This session is used from then on.
    Session(&'static str),
    /// Connecting fails with this.
    NotConnected(ErrorKind),
    /// The tap is sent the other way, and succeeds.
    OtherTouch,
    /// A button's press succeeds: the answer says no more than that.
    Success,
    /// A button's press fails with this, and surely did nothing.
    Refused(ErrorKind),
    /// What has the focus has this label, and its left and top edge here.
    Focus(Option<&'static str>, Option<[f64; 2]>),
    /// Something has the focus, and text is typed there.
    Typed,
    /// Typing fails with this.
    NotTyped(ErrorKind),
    /// Asking for the state succeeds, with this charge and kind of phone.
    State(Option<f64>, Option<&'static str>),
    /// The screen has this width, height and scale.
    Screen(f64, f64, f64),
    /// The picture fails with this.
    NoPicture(ErrorKind),
    /// The tree has elements, and says that it is damaged.
    DamagedTree,
}

/// Every file: which request is answered with it, and what comes of it.
const TABLE: &[(&str, &str, Made)] = &[
    ("attribute-label", "/attribute/label", Made::Focus(Some("PRODUCTS"), None)),
    ("battery-full", "/wda/batteryInfo", Made::State(Some(1.0), None)),
    ("clear-legacy-with-id", "/wda/pressButton", Made::Success),
    ("click-null", "/wda/pressButton", Made::Success),
    ("device-info", "/wda/device/info", Made::State(None, Some("iPhone"))),
    ("element-found-w3c", "/element/active", Made::Typed),
    ("element-not-found-http200-status7", "/element/active", Made::NotTyped(ErrorKind::NothingFocused)),
    ("element-rect", "/rect", Made::Focus(None, Some([157.0, 93.0]))),
    ("error-app-not-running-400", "POST /session", Made::NotConnected(ErrorKind::AppCrashed)),
    ("error-invalid-selector-400", "/wda/pressButton", Made::Refused(ErrorKind::InvalidArgument)),
    ("error-no-such-element-404-ios15", "/wda/pressButton", Made::Refused(ErrorKind::Other)),
    ("error-tap-infinity-500", "/actions", Made::OtherTouch),
    ("screen-ipad-displayid", "/wda/screen", Made::Screen(390.0, 844.0, 2.0)),
    ("screen-iphone-393x852", "/wda/screen", Made::Screen(390.0, 844.0, 3.0)),
    ("screenshot-base64-cut-crlf", "/screenshot", Made::NoPicture(ErrorKind::PictureUnavailable)),
    ("session-create-ios14", "POST /session", Made::Session("F20A47F3-33C1-4793-8865-E7DFD719D567")),
    ("session-create-legacy", "POST /session", Made::Session("16E666D8-0726-49C4-AA5B-423F7B764A94")),
    ("settings-get-ios15", "/appium/settings", Made::Connected),
    ("source-string-cut", "/source", Made::DamagedTree),
    ("status-ios11.2-legacy", "GET /status", Made::Connected),
    ("status-ios15.2", "GET /status", Made::Connected),
    ("status-ios17-wda9.14.2", "GET /status", Made::Connected),
    ("status-ios17.4-wda8.5.0", "GET /status", Made::Connected),
    ("type-keyboard-not-present-http200-status13", "/wda/keys", Made::NotTyped(ErrorKind::NothingFocused)),
    ("wda-client-session-0", "POST /session", Made::Session("26FA8CEA-9D59-4EB1-8B19-84AFD7307936")),
    ("window-size-414x736", "/window/size", Made::Screen(414.0, 736.0, 3.0)),
];

/// The status and the body of a file: some are the answer itself, some wrap it, some hold what a log kept of it.
fn answer(name: &str, text: String) -> (u16, String) {
    let Ok(file) = serde_json::from_str::<Value>(&text) else { return (200, text) };
    let status = file.get("http_status").and_then(Value::as_u64).unwrap_or(200) as u16;
    let kept = file.get("response_text_truncated_by_logger").and_then(Value::as_str).map(str::to_owned);
    let response = file.get("response").map(Value::to_string);
    // This one holds the value alone.
    let bare = (name == "device-info").then(|| json!({"value": file, "sessionId": null}).to_string());
    (status, kept.or(response).or(bare).unwrap_or_else(|| file.to_string()))
}

#[tokio::test]
async fn captured_answers_lead_to_their_results() {
    let Some(root) = std::env::var_os("FINGERTIP_CORPUS") else {
        eprintln!("FINGERTIP_CORPUS is not set; captured answers are not read");
        return;
    };
    let mut seen = 0;
    for file in std::fs::read_dir(std::path::PathBuf::from(root).join("wda-json")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let row = TABLE.iter().find(|(known, ..)| *known == name);
        let &(_, request, made) = row.unwrap_or_else(|| panic!("{name} is not in the table"));
        let (status, body) = answer(&name, std::fs::read_to_string(&path).unwrap());
        check(&name, request, status, body, made).await;
        seen += 1;
    }
    assert_eq!(seen, TABLE.len(), "a file of the table is missing");
}

async fn check(name: &str, part: &'static str, status: u16, body: String, made: Made) {
    let server = Server::start(move |request| {
        // A session's own commands have another method or a longer path.
        let ours = if part.starts_with('/') { request.line.contains(part) } else { request.line == part };
        match ours {
            true => Then::Answer(status, body.clone()),
            // Whatever the session is called that the answer names.
            false if request.line.ends_with("/actions") || request.line.ends_with("/settings") => value(Value::Null),
            false if request.line.ends_with("/name") => value(json!("XCUIElementTypeButton")),
            false => sound(request),
        }
    })
    .await;
    let phone = driver(&server.address);
    let connected = phone.connect().await;
    if let Made::NotConnected(kind) = made {
        assert_eq!(connected.unwrap_err().kind, kind, "{name}");
        return;
    }
    connected.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    server.take();
    match made {
        Made::Connected => phone.probe().await.unwrap(),
        Made::Session(id) => {
            phone.tap(Point::new(1.0, 1.0)).await.unwrap();
            assert_eq!(server.lines(), [format!("POST /session/{id}/actions")], "{name}");
        }
        Made::OtherTouch => {
            phone.tap(Point::new(179.0, 449.0)).await.unwrap();
            assert_eq!(server.lines(), ["POST /session/S-1/actions", "POST /session/S-1/wda/tap"], "{name}");
        }
        Made::Success => phone.press_button(Button::VolumeUp).await.unwrap(),
        Made::Refused(kind) => {
            let error = phone.press_button(Button::VolumeUp).await.unwrap_err();
            assert_eq!((error.kind, error.outcome), (kind, Outcome::NotDone), "{name}");
        }
        Made::Focus(label, corner) => {
            let node = phone.element_at_focus().await.unwrap().unwrap();
            assert_eq!(node.label.as_deref(), label, "{name}");
            assert_eq!(node.bounds.map(|bounds| [bounds.x, bounds.y]), corner, "{name}");
        }
        Made::Typed => phone.input("x").await.unwrap(),
        Made::NotTyped(kind) => assert_eq!(phone.input("x").await.unwrap_err().kind, kind, "{name}"),
        Made::State(battery, model) => {
            let state = phone.device_info().await.unwrap();
            assert_eq!((state.battery, state.model.as_deref()), (battery, model), "{name}");
        }
        Made::Screen(width, height, scale) => {
            let screen = phone.screen_info().await.unwrap();
            assert_eq!((screen.width, screen.height, screen.scale), (width, height, scale), "{name}");
        }
        Made::NoPicture(kind) => assert_eq!(phone.screenshot().await.unwrap_err().kind, kind, "{name}"),
        Made::DamagedTree => {
            let tree = phone.tree().await.unwrap();
            assert!(tree.flaws.contains(&TreeFlaw::Damaged) && !tree.nodes.is_empty(), "{name}");
        }
        Made::NotConnected(_) => unreachable!("handled above"),
    }
}
