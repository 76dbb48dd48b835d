//! The driver against a scripted phone: what is sent, how often, and what is made of the answers. Tests that begin with
//! `row_` show the right behaviour of that row of the list of public failure reports.

mod live;
mod server;

use crate::{WdaDriver, WdaPlugin};
use driver_api::{
    Button, DeviceConfig, Driver, ErrorKind, Feature, Finger, Launch, Orientation, Outcome, PathPoint, Plugin,
    PluginConfig, Point, Role, Swipe, TreeFlaw, Via,
};
use serde_json::{Value, json};
use server::{Request, Server, Then};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SESSION: &str = "/session/S-1";
const TREE: &str = r#"{"value":{"type":"Application","label":"Shop","rect":{"x":0,"y":0,"width":390,"height":844}},"sessionId":"S-1"}"#;

fn value(value: Value) -> Then {
    Then::Answer(200, json!({"value": value, "sessionId": "S-1"}).to_string())
}

fn refuse(status: u16, name: &str, words: &str) -> Then {
    Then::Answer(
        status,
        json!({"value": {"error": name, "message": words, "traceback": ""}, "sessionId": "S-1"}).to_string(),
    )
}

/// What a sound phone answers.
fn sound(request: &Request) -> Then {
    let line = request.line.replace(SESSION, "/session/ID");
    match line.as_str() {
        "GET /status" => value(json!({"ready": true, "os": {"name": "iOS", "version": "17.5"}, "device": "iphone"})),
        "POST /session" => value(json!({"sessionId": "S-1", "capabilities": {}})),
        "GET /session/ID/window/size" => value(json!({"width": 390, "height": 844})),
        "GET /session/ID/wda/screen" | "GET /wda/screen" => {
            value(json!({"screenSize": {"width": 390, "height": 844}, "scale": 3}))
        }
        "GET /session/ID/element/active" => value(json!({"ELEMENT": "E-1"})),
        "GET /session/ID/source?format=json" => Then::Answer(200, TREE.to_owned()),
        "POST /session/ID/wda/apps/state" => value(json!(4)),
        "GET /wda/locked" => value(json!(false)),
        line if line.starts_with("POST /session/ID/")
            || line.starts_with("POST /wda/")
            || line.starts_with("DELETE ") =>
        {
            value(Value::Null)
        }
        _ => refuse(404, "unknown command", "Unhandled endpoint"),
    }
}

fn driver(address: &str) -> WdaDriver {
    let device = DeviceConfig { id: "desk".to_owned(), address: Some(address.to_owned()), ..DeviceConfig::default() };
    WdaPlugin::new(PluginConfig { devices: vec![device], ..PluginConfig::default() }).unwrap().driver("desk").unwrap()
}

/// A phone that answers as `script` says, and soundly where that says nothing; connected, with the list of requests empty.
async fn connected(script: impl Fn(&Request) -> Option<Then> + Send + Sync + 'static) -> (Server, WdaDriver) {
    let server = Server::start(move |request| script(request).unwrap_or_else(|| sound(request))).await;
    let driver = driver(&server.address);
    driver.connect().await.unwrap();
    server.take();
    (server, driver)
}

fn refuses(
    path: &'static str,
    status: u16,
    name: &'static str,
    words: &'static str,
) -> impl Fn(&Request) -> Option<Then> {
    move |request| request.line.ends_with(path).then(|| refuse(status, name, words))
}

#[tokio::test]
async fn connect_is_five_requests_and_disconnect_forgets() {
    let server = Server::start(sound).await;
    let driver = driver(&server.address);
    assert_eq!(driver.tap(Point::new(1.0, 1.0)).await.unwrap_err().kind, ErrorKind::NotConnected);
    for _ in 0..2 {
        driver.connect().await.unwrap();
        let requests = server.take();
        let lines: Vec<_> = requests.iter().map(|request| request.line.as_str()).collect();
        assert_eq!(
            lines,
            [
                "GET /status",
                "POST /session",
                "POST /session/S-1/appium/settings",
                "GET /session/S-1/window/size",
                "GET /session/S-1/wda/screen"
            ]
        );
        let wanted: Value = serde_json::from_str(&requests[1].body).unwrap();
        let wanted = &wanted["capabilities"]["alwaysMatch"];
        assert_eq!(
            *wanted,
            json!({"shouldWaitForQuiescence": false, "waitForIdleTimeout": 0, "shouldTerminateApp": false})
        );
        let settings: Value = serde_json::from_str(&requests[2].body).unwrap();
        assert_eq!(settings["settings"]["snapshotMaxDepth"], 50);
        for request in &requests {
            assert!(
                !request.head.contains("transfer-encoding") && !request.head.contains("expect:"),
                "{}",
                request.head
            );
            assert_eq!(request.line.starts_with("POST"), request.head.contains("content-length: "), "{}", request.head);
        }
        driver.disconnect().await.unwrap();
        driver.disconnect().await.unwrap();
        assert_eq!(server.lines(), ["DELETE /session/S-1"]);
        assert_eq!(driver.home().await.unwrap_err().kind, ErrorKind::NotConnected);
    }
}

#[tokio::test]
async fn a_tap_is_one_request_with_the_point_as_given() {
    let (server, driver) = connected(|_| None).await;
    driver.tap(Point::new(12.5, 700.0)).await.unwrap();
    let requests = server.take();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].line, "POST /session/S-1/actions");
    let body: Value = serde_json::from_str(&requests[0].body).unwrap();
    let finger = &body["actions"][0];
    assert_eq!((&finger["type"], &finger["parameters"]["pointerType"]), (&json!("pointer"), &json!("touch")));
    let kinds: Vec<_> =
        finger["actions"].as_array().unwrap().iter().map(|step| step["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["pointerMove", "pointerDown", "pause", "pointerUp"]);
    assert_eq!((&finger["actions"][0]["x"], &finger["actions"][0]["y"]), (&json!(12.5), &json!(700.0)));
    assert_eq!(driver.tap(Point::new(f64::NAN, 0.0)).await.unwrap_err().kind, ErrorKind::InvalidArgument);
    assert!(server.take().is_empty());
}

#[tokio::test]
async fn a_swipe_tells_its_time_in_the_movement_and_its_hold_in_a_pause() {
    let (server, driver) = connected(|_| None).await;
    let swipe = Swipe {
        from: Point::new(1.0, 2.0),
        to: Point::new(3.0, 4.0),
        hold: Duration::from_millis(500),
        duration: Duration::from_millis(300),
    };
    driver.swipe(swipe).await.unwrap();
    driver.swipe(Swipe { hold: Duration::ZERO, ..swipe }).await.unwrap();
    driver.long_press(Point::new(1.0, 2.0), Duration::from_secs(2)).await.unwrap();
    let steps: Vec<Vec<(String, u64)>> = server
        .take()
        .iter()
        .map(|request| {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let steps = body["actions"][0]["actions"].as_array().unwrap();
            steps
                .iter()
                .map(|step| (step["type"].as_str().unwrap().to_owned(), step["duration"].as_u64().unwrap_or(0)))
                .collect()
        })
        .collect();
    let step = |name: &str, time| (name.to_owned(), time);
    let (start, end) = ([step("pointerMove", 0), step("pointerDown", 0)], step("pointerUp", 0));
    let all = |middle: &[(String, u64)]| [&start[..], middle, std::slice::from_ref(&end)].concat();
    assert_eq!(
        steps,
        [
            all(&[step("pause", 500), step("pointerMove", 300)]),
            all(&[step("pointerMove", 300)]),
            all(&[step("pause", 2000)])
        ]
    );
}

#[tokio::test]
async fn several_fingers_are_several_sources() {
    let (server, driver) = connected(|_| None).await;
    let path = |places: &[(u64, f64)]| Finger {
        path: places.iter().map(|&(at_ms, x)| PathPoint { at_ms, point: Point::new(x, 5.0) }).collect(),
    };
    driver.gesture(vec![path(&[(0, 1.0), (100, 1.0), (300, 9.0)]), path(&[(50, 4.0)])]).await.unwrap();
    let body: Value = serde_json::from_str(&server.take()[0].body).unwrap();
    assert_eq!((&body["actions"][0]["id"], &body["actions"][1]["id"]), (&json!("finger1"), &json!("finger2")));
    assert_eq!(body["actions"][0]["actions"][2], json!({"type": "pause", "duration": 100}));
    assert_eq!(body["actions"][0]["actions"][3]["duration"], 200);
    assert_eq!(body["actions"][1]["actions"][0]["duration"], 50);
    for fingers in [vec![], vec![Finger::default()], vec![path(&[(5, 1.0), (4, 1.0)])]] {
        assert_eq!(driver.gesture(fingers).await.unwrap_err().kind, ErrorKind::InvalidArgument);
    }
    assert!(server.take().is_empty());
}

#[tokio::test]
async fn older_servers_get_the_commands_that_they_have_and_the_choice_is_kept() {
    for (has, first) in [("/wda/tap", 2), ("/wda/tap/0", 3)] {
        let (server, driver) = connected(move |request| {
            let touch = request.line.contains("/actions") || request.line.contains("/wda/tap");
            (touch && !request.line.ends_with(has)).then(|| refuse(404, "unknown command", ""))
        })
        .await;
        driver.tap(Point::new(1.0, 2.0)).await.unwrap();
        assert_eq!(server.take().len(), first);
        driver.tap(Point::new(1.0, 2.0)).await.unwrap();
        let again = server.take();
        assert_eq!((again.len(), again[0].body.as_str()), (1, r#"{"x":1.0,"y":2.0}"#));
        let swipe = Swipe {
            from: Point::default(),
            to: Point::new(0.0, 9.0),
            hold: Duration::from_millis(1500),
            duration: Duration::from_secs(1),
        };
        driver.swipe(swipe).await.unwrap();
        driver.swipe(swipe).await.unwrap();
        let requests = server.take();
        assert_eq!(requests.len(), 3);
        let drag: Value = serde_json::from_str(&requests[2].body).unwrap();
        assert!(requests[2].line.ends_with("/wda/dragfromtoforduration"));
        assert_eq!(drag["duration"], 1.5);
    }
}

#[tokio::test]
async fn row_58_a_point_that_the_phone_cannot_make_is_tried_the_other_way() {
    let words = "Invalid parameter not satisfying: point.x != INFINITY && point.y != INFINITY";
    let (server, driver) = connected(refuses("/actions", 500, "unknown error", words)).await;
    driver.tap(Point::new(179.0, 449.0)).await.unwrap();
    driver.tap(Point::new(179.0, 449.0)).await.unwrap();
    assert_eq!(server.lines().len(), 4);
}

#[tokio::test]
async fn row_1_a_lost_session_is_made_anew_and_the_command_sent_once_more() {
    let stolen = Arc::new(AtomicBool::new(false));
    let (now, made) = (stolen.clone(), Arc::new(AtomicUsize::new(0)));
    let (server, driver) = connected(move |request| {
        if request.line == "POST /session" {
            return Some(value(json!({"sessionId": format!("S-{}", made.fetch_add(1, Ordering::SeqCst) + 1)})));
        }
        (now.load(Ordering::SeqCst) && request.line.contains("/S-1/"))
            .then(|| refuse(404, "invalid session id", "Session does not exist"))
            .or_else(|| request.line.contains("/S-2/source").then(|| Then::Answer(200, TREE.to_owned())))
            .or_else(|| request.line.contains("/S-2/").then(|| value(Value::Null)))
    })
    .await;
    stolen.store(true, Ordering::SeqCst);
    driver.tap(Point::new(1.0, 1.0)).await.unwrap();
    assert_eq!(
        server.lines(),
        [
            "POST /session/S-1/actions",
            "POST /session",
            "POST /session/S-2/appium/settings",
            "POST /session/S-2/actions"
        ]
    );
    driver.tap(Point::new(1.0, 1.0)).await.unwrap();
    driver.tree().await.unwrap();
    // No id of the old session is ever sent again.
    assert_eq!(server.lines(), ["POST /session/S-2/actions", "GET /session/S-2/source?format=json"]);
}

#[tokio::test]
async fn row_23_the_renewal_of_a_session_ends_after_one_time() {
    let lost = Arc::new(AtomicBool::new(false));
    let now = lost.clone();
    let (server, driver) = connected(move |request| {
        let ours = request.line.contains("/S-1/") && !request.line.ends_with("/settings");
        (ours && now.load(Ordering::SeqCst)).then(|| refuse(404, "invalid session id", ""))
    })
    .await;
    lost.store(true, Ordering::SeqCst);
    let error = driver.tap(Point::new(1.0, 1.0)).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::Other, Outcome::NotDone));
    assert_eq!(server.lines().iter().filter(|line| line.ends_with("/actions")).count(), 2);
    assert_eq!(driver.tree().await.unwrap_err().outcome, Outcome::NotDone);
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_an_action_unknown_and_a_look_not_done() {
    let (server, driver) = connected(|request| match request.line.as_str() {
        "POST /session/S-1/actions" | "GET /screenshot" => Some(Then::Close),
        "POST /wda/homescreen" => Some(Then::Half("{\"value\":".to_owned())),
        _ => None,
    })
    .await;
    let error = driver.tap(Point::new(1.0, 1.0)).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::Unknown));
    assert_eq!(server.lines().len(), 1, "an action is never sent twice");
    let error = driver.home().await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::Unknown));
    let error = driver.screenshot().await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::NotDone));
}

#[tokio::test]
async fn row_2_a_phone_that_is_gone_was_told_nothing() {
    let (mut server, driver) = connected(|_| None).await;
    server.die().await;
    let error = driver.tap(Point::new(1.0, 1.0)).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::HelperNotRunning, Outcome::NotDone));
    driver.disconnect().await.unwrap();
}

#[tokio::test]
async fn row_15_a_hung_command_holds_neither_a_probe_nor_the_next_command() {
    let hung = AtomicUsize::new(0);
    let (server, driver) = connected(move |request| {
        (request.line.ends_with("/actions") && hung.fetch_add(1, Ordering::SeqCst) == 0).then_some(Then::Hang)
    })
    .await;
    let hangs = tokio::time::timeout(Duration::from_millis(100), driver.tap(Point::new(1.0, 1.0)));
    let (late, probe) = tokio::join!(hangs, driver.probe());
    assert!(late.is_err());
    probe.unwrap();
    driver.tap(Point::new(1.0, 1.0)).await.unwrap();
    assert_eq!(server.lines().iter().filter(|line| line.ends_with("/actions")).count(), 2);
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_kept() {
    let (_server, driver) =
        connected(|request| request.line.contains("/source").then(|| Then::Answer(200, "x".repeat(65 << 20)))).await;
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::Other);
}

#[tokio::test]
async fn row_14_what_keeps_a_phone_from_being_used_has_its_own_reason() {
    // A closed port on a machine that is there.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let phone = driver(&format!("http://{closed}"));
    for error in [phone.connect().await.unwrap_err(), phone.probe().await.unwrap_err()] {
        assert_eq!((error.kind, error.outcome), (ErrorKind::HelperNotRunning, Outcome::NotDone));
    }
    type Says = fn() -> Then;
    let cases: [(Says, ErrorKind); 5] = [
        (|| Then::Close, ErrorKind::HelperNotRunning),
        (|| Then::Answer(200, "<html>a router</html>".to_owned()), ErrorKind::HelperNotRunning),
        (|| Then::Answer(404, "not found".to_owned()), ErrorKind::HelperNotRunning),
        (|| Then::Answer(200, "{\"hello\":1}".to_owned()), ErrorKind::HelperNotRunning),
        (|| Then::Hang, ErrorKind::Timeout),
    ];
    for (says, kind) in cases {
        let server = Server::start(move |_| says()).await;
        let phone = driver(&server.address);
        for error in [phone.connect().await.unwrap_err(), phone.probe().await.unwrap_err()] {
            assert_eq!((error.kind, error.outcome), (kind, Outcome::NotDone), "{error}");
        }
    }
}

#[tokio::test]
async fn row_13_any_status_with_a_value_counts() {
    for status in [
        r#"{"value":{"state":"success","os":{"name":"iOS","version":"11.2"}},"sessionId":"F8B3","status":0}"#,
        r#"{"value":{"build":{"version":"9.14.2"},"device":"iphone"}}"#,
        r#"{"value":{"something":"new"},"sessionId":null}"#,
    ] {
        let (_server, driver) =
            connected(move |request| (request.line == "GET /status").then(|| Then::Answer(200, status.to_owned())))
                .await;
        driver.probe().await.unwrap();
    }
}

#[tokio::test]
async fn row_4_an_app_that_crashed_is_named_as_the_reason() {
    let words = "The application under test with bundle id 'com.sample' is not running, possibly crashed";
    let (_server, driver) = connected(refuses("source?format=json", 400, "invalid element state", words)).await;
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::AppCrashed);
}

#[tokio::test]
async fn row_23_a_tree_too_deep_is_asked_for_less_deep_and_marked() {
    let depth = Arc::new(AtomicUsize::new(0));
    let now = depth.clone();
    let (server, driver) = connected(move |request| {
        if request.line.ends_with("/settings") {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            now.store(body["settings"]["snapshotMaxDepth"].as_u64().unwrap() as usize, Ordering::SeqCst);
        }
        let deep = request.line.contains("/source") && now.load(Ordering::SeqCst) > 25;
        deep.then(|| refuse(404, "stale element reference", "Error kAXErrorIllegalArgument getting snapshot"))
    })
    .await;
    for sources in [3, 1] {
        assert_eq!(driver.tree().await.unwrap().flaws, [TreeFlaw::Cut]);
        assert_eq!(
            server.lines().iter().filter(|line| line.contains("/source")).count(),
            sources,
            "the depth is remembered"
        );
    }
    // Another app may have a tree that can be read in full.
    driver.home().await.unwrap();
    assert_eq!(server.lines(), ["POST /wda/homescreen"]);
    driver.tree().await.unwrap();
    assert_eq!(server.lines()[0], "POST /session/S-1/appium/settings");
}

#[tokio::test]
async fn row_24_a_tree_that_always_fails_is_asked_for_three_times() {
    let (server, driver) =
        connected(refuses("source?format=json", 500, "unknown error", "Timed out snapshotting")).await;
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::TreeUnavailable);
    assert_eq!(server.lines().iter().filter(|line| line.contains("/source")).count(), 3);
}

#[tokio::test]
async fn trees_come_as_xml_where_json_is_refused_or_unreadable() {
    let xml =
        json!({"value": "<XCUIElementTypeApplication label='Shop' x='0' y='0' width='390' height='844'/>"}).to_string();
    for (json, refused) in [
        (Then::Answer as fn(u16, String) -> Then, false),
        (|_, _| refuse(500, "unknown error", "Cannot get 'json' source"), true),
    ] {
        let xml = xml.clone();
        let (server, driver) = connected(move |request| match request.line.as_str() {
            line if line.ends_with("source?format=json") => Some(json(200, "{\"value\":{}}".to_owned())),
            line if line.ends_with("source?format=xml&excluded_attributes=visible,accessible") => {
                Some(Then::Answer(200, xml.clone()))
            }
            _ => None,
        })
        .await;
        assert_eq!(driver.tree().await.unwrap().nodes[0].role, Role::Window);
        assert_eq!(server.take().len(), 2);
        driver.tree().await.unwrap();
        assert_eq!(server.take().len(), if refused { 1 } else { 2 });
    }
}

#[tokio::test]
async fn row_27_half_a_tree_is_a_tree_that_says_so() {
    let half = TREE.replace("844}}", "844},\"children\":[{\"type\":\"Button\",\"label\":\"Buy\",\"rect\":{\"x\":1");
    let half = half[..half.find("\"x\":1").unwrap()].to_owned();
    let (_server, driver) =
        connected(move |request| request.line.contains("/source").then(|| Then::Half(half.clone()))).await;
    let tree = driver.tree().await.unwrap();
    assert_eq!((tree.nodes.len(), tree.flaws), (2, vec![TreeFlaw::Damaged]));
}

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

fn named(app: &str) -> Launch {
    Launch { app: app.to_owned(), ..Launch::default() }
}

#[tokio::test]
async fn an_app_is_in_front_when_launch_returns() {
    let asked = AtomicUsize::new(0);
    let (server, driver) = connected(move |request| {
        request
            .line
            .ends_with("/apps/state")
            .then(|| value(json!(if asked.fetch_add(1, Ordering::SeqCst) < 2 { 3 } else { 4 })))
    })
    .await;
    let app =
        driver.launch(Launch { fresh: true, arguments: vec!["-x".to_owned()], ..named("settings") }).await.unwrap();
    assert_eq!((app.id.as_str(), app.name.as_deref()), ("com.apple.Preferences", Some("Settings")));
    let requests = server.take();
    let lines: Vec<_> = requests.iter().map(|request| request.line.rsplit('/').next().unwrap()).collect();
    assert_eq!(lines, ["locked", "terminate", "launch", "state", "state", "state"]);
    let body: Value = serde_json::from_str(&requests[2].body).unwrap();
    assert_eq!((&body["bundleId"], &body["arguments"]), (&json!("com.apple.Preferences"), &json!(["-x"])));
}

#[tokio::test]
async fn row_77_a_locked_phone_launches_nothing() {
    let (server, driver) = connected(|request| (request.line == "GET /wda/locked").then(|| value(json!(true)))).await;
    let error = driver.launch(named("com.example.shop")).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::Locked, Outcome::NotDone));
    assert_eq!(server.take().len(), 1);
}

#[tokio::test]
async fn row_80_an_app_that_is_not_installed_is_told_as_that() {
    let words = "FBSOpenApplicationServiceErrorDomain Code=4 NotFound";
    let (_server, driver) = connected(refuses("/apps/launch", 400, "invalid argument", words)).await;
    assert_eq!(driver.launch(named("com.example.nosuch")).await.unwrap_err().kind, ErrorKind::AppNotFound);
    let error = driver.launch(named("Nosuch")).await.unwrap_err();
    assert!(error.kind == ErrorKind::AppNotFound && error.message.contains("bundle id"));
}

#[tokio::test]
async fn an_app_that_ends_by_itself_crashed() {
    let (_server, driver) = connected(|request| request.line.ends_with("/apps/state").then(|| value(json!(1)))).await;
    let error = driver.launch(named("com.example.shop")).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::AppCrashed, Outcome::Unknown));
}

#[tokio::test]
async fn a_name_that_was_seen_can_be_launched() {
    let (_server, driver) = connected(|request| {
        let info = json!({"pid": 7, "bundleId": "com.example.laden", "name": "Läden"});
        (request.line == "GET /wda/activeAppInfo").then(|| value(info))
    })
    .await;
    assert_eq!(driver.launch(named("läden")).await.unwrap_err().kind, ErrorKind::AppNotFound);
    assert_eq!(driver.active_app().await.unwrap().id, "com.example.laden");
    assert_eq!(driver.launch(named("läden")).await.unwrap().id, "com.example.laden");
}

#[tokio::test]
async fn terminate_tells_whether_the_app_ran() {
    let (_server, driver) = connected(|request| request.line.ends_with("/terminate").then(|| value(json!(true)))).await;
    assert!(driver.terminate("Settings").await.unwrap());
    assert_eq!(driver.terminate("com.apple.springboard").await.unwrap_err().kind, ErrorKind::Unsupported);
}

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
    assert!(server.take()[1].body.contains("aMOpbGxv"));
    let state = driver.device_info().await.unwrap();
    assert_eq!(
        (state.model.as_deref(), state.os_version.as_deref(), state.locked, state.battery),
        (Some("iPhone"), Some("17.5"), Some(false), None)
    );
    let apps = driver.apps().await.unwrap();
    assert!(!apps.complete && apps.apps.len() == 1 && apps.apps[0].app.name.as_deref() == Some("Camera"));
}

/// A picture of one pixel, as far as its head goes.
const JPEG: &[u8] = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\xff\xd9";

#[tokio::test]
async fn row_97_the_stream_starts_after_a_byte_was_sent_and_ends_with_the_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream_address = format!("http://{}", listener.local_addr().unwrap());
    let ended = Arc::new(AtomicUsize::new(0));
    let (count, head) = (
        ended.clone(),
        "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n",
    );
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let count = count.clone();
            tokio::spawn(async move {
                socket.read_u8().await.unwrap();
                socket.write_all(head.as_bytes()).await.unwrap();
                let part =
                    format!("--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: {}\r\n\r\n", JPEG.len());
                while socket.write_all(&[part.as_bytes(), JPEG, b"\r\n\r\n"].concat()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                count.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    let server = Server::start(sound).await;
    let config =
        json!({"devices": [{"id": "desk", "address": server.address, "options": {"stream_address": stream_address}}]});
    let driver = WdaPlugin::new(serde_json::from_value(config).unwrap()).unwrap().driver("desk").unwrap();
    assert!(driver.features().contains(&Feature::Frames));
    assert_eq!(driver.frames(0).await.unwrap_err().kind, ErrorKind::NotConnected);
    driver.connect().await.unwrap();
    let first = driver.frames(0).await.unwrap();
    assert_eq!((first.picture.width, first.picture.height, &first.picture.bytes[..]), (1, 1, JPEG));
    let later = driver.frames(first.number + 3).await.unwrap();
    assert!(later.number > first.number + 3);
    driver.disconnect().await.unwrap();
    while ended.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    driver.connect().await.unwrap();
    assert!(driver.frames(later.number).await.unwrap().number > later.number);
}

#[tokio::test]
async fn a_stream_that_is_not_there_is_no_picture() {
    let server = Server::start(sound).await;
    let config =
        json!({"devices": [{"id": "desk", "address": server.address, "options": {"stream_address": server.address}}]});
    let driver = WdaPlugin::new(serde_json::from_value(config).unwrap()).unwrap().driver("desk").unwrap();
    driver.connect().await.unwrap();
    assert_eq!(driver.frames(0).await.unwrap_err().kind, ErrorKind::PictureUnavailable);
    let (_server, driver) = connected(|_| None).await;
    assert!(!driver.features().contains(&Feature::Frames));
    assert_eq!(driver.frames(0).await.unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn devices_come_from_the_configuration_and_unknown_options_are_refused() {
    let config = |text: &str| serde_json::from_str::<PluginConfig>(text).unwrap();
    let plugin = WdaPlugin::new(config(r#"{"devices":[{"id":"a","address":"http://192.0.2.1:8100"},{"id":"b","name":"B","address":"http://127.0.0.1:8100"}]}"#)).unwrap();
    let devices = plugin.devices();
    assert_eq!((devices[0].name.as_str(), devices[0].connection.via), ("a", Via::Network));
    assert_eq!((devices[1].name.as_str(), devices[1].connection.via), ("B", Via::Local));
    assert!(plugin.driver("c").is_err());
    for text in [
        r#"{"options":{"x":1}}"#,
        r#"{"devices":[{"id":"a","address":"http://a:1","options":{"x":1}}]}"#,
        r#"{"devices":[{"id":"a"}]}"#,
    ] {
        assert_eq!(WdaPlugin::new(config(text)).unwrap_err().kind, ErrorKind::InvalidArgument);
    }
}

/// Every answer that people captured, given to the operation that it belongs to.
#[tokio::test]
async fn captured_answers_lead_to_their_results() {
    let Some(root) = std::env::var_os("FINGERTIP_CORPUS") else {
        eprintln!("FINGERTIP_CORPUS is not set; captured answers are not read");
        return;
    };
    for file in std::fs::read_dir(std::path::PathBuf::from(root).join("wda-json")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        // Some files are the answer itself, some wrap it, some hold what a log kept of it.
        let (status, answer) = match serde_json::from_str::<Value>(&text) {
            Ok(file) => {
                let status = file.get("http_status").and_then(Value::as_u64).unwrap_or(200) as u16;
                let text = file.get("response_text_truncated_by_logger").and_then(Value::as_str).map(str::to_owned);
                let answer = file.get("response").map(Value::to_string);
                (status, text.or(answer).unwrap_or_else(|| file.to_string()))
            }
            Err(_) => (200, text),
        };
        let serve = |part: &'static str| {
            let answer = answer.clone();
            connected(move |request| request.line.contains(part).then(|| Then::Answer(status, answer.clone())))
        };
        match name.as_str() {
            name if name.starts_with("status-") => {
                driver(&serve("GET /status").await.0.address).connect().await.unwrap()
            }
            name if name.starts_with("session-create") || name.starts_with("wda-client-session") => {
                let (server, driver) = serve("POST /session ").await;
                let answer = answer.clone();
                let other = Server::start(move |request| match request.line.as_str() {
                    "POST /session" => Then::Answer(status, answer.clone()),
                    "GET /status" => sound(request),
                    _ => value(Value::Null),
                })
                .await;
                drop((server, driver));
                let phone = self::driver(&other.address);
                phone.connect().await.unwrap();
                let id = serde_json::from_str::<Value>(&self::text_of(&path)).unwrap();
                let id = id
                    .pointer("/response/sessionId")
                    .or_else(|| id.get("sessionId"))
                    .unwrap()
                    .as_str()
                    .unwrap()
                    .to_owned();
                other.take();
                phone.tap(Point::new(1.0, 1.0)).await.unwrap();
                assert_eq!(other.lines(), [format!("POST /session/{id}/actions")]);
            }
            "error-app-not-running-400" => {
                let answer = answer.clone();
                let server = Server::start(move |request| match request.line.as_str() {
                    "POST /session" => Then::Answer(status, answer.clone()),
                    _ => sound(request),
                })
                .await;
                assert_eq!(self::driver(&server.address).connect().await.unwrap_err().kind, ErrorKind::AppCrashed);
            }
            "error-tap-infinity-500" => {
                let (_server, driver) = serve("/actions").await;
                driver.tap(Point::new(179.0, 449.0)).await.unwrap();
            }
            "error-invalid-selector-400" | "error-no-such-element-404-ios15" => {
                let (_server, driver) = serve("/wda/pressButton").await;
                let error = driver.press_button(Button::VolumeUp).await.unwrap_err();
                assert!(
                    matches!(error.kind, ErrorKind::InvalidArgument | ErrorKind::Other | ErrorKind::Unsupported),
                    "{error:?}"
                );
                assert_eq!(error.outcome, Outcome::NotDone);
            }
            "element-not-found-http200-status7" => {
                let (_server, driver) = serve("/element/active").await;
                assert_eq!(driver.input("x").await.unwrap_err().kind, ErrorKind::NothingFocused);
            }
            "element-found-w3c" => serve("/element/active").await.1.input("x").await.unwrap(),
            "type-keyboard-not-present-http200-status13" => {
                let (_server, driver) = serve("/wda/keys").await;
                assert_eq!(driver.input("x").await.unwrap_err().kind, ErrorKind::NothingFocused);
            }
            "screenshot-base64-cut-crlf" => {
                let (_server, driver) = serve("/screenshot").await;
                let kind = driver.screenshot().await.unwrap_err().kind;
                assert!(matches!(kind, ErrorKind::PictureUnavailable), "{kind:?}");
            }
            "source-string-cut" => {
                let (_server, driver) = serve("/source").await;
                let tree = driver.tree().await.unwrap();
                assert!(tree.flaws.contains(&TreeFlaw::Damaged) && !tree.nodes.is_empty());
            }
            "battery-full" => assert_eq!(serve("/batteryInfo").await.1.device_info().await.unwrap().battery, Some(1.0)),
            "device-info" => {
                let answer =
                    json!({"value": serde_json::from_str::<Value>(&answer).unwrap(), "sessionId": null}).to_string();
                let (_server, driver) = connected(move |request| {
                    request.line.ends_with("/device/info").then(|| Then::Answer(200, answer.clone()))
                })
                .await;
                assert_eq!(driver.device_info().await.unwrap().model.as_deref(), Some("iPhone"));
            }
            "screen-iphone-393x852" | "screen-ipad-displayid" => {
                let scale = if name.contains("ipad") { 2.0 } else { 3.0 };
                assert_eq!(serve("/wda/screen").await.1.screen_info().await.unwrap().scale, scale);
            }
            "window-size-414x736" => {
                let screen = serve("/window/size").await.1.screen_info().await.unwrap();
                assert_eq!((screen.width, screen.height), (414.0, 736.0));
            }
            // Answers of routes that the driver reads nothing from: they must pass as success.
            _ => serve("/wda/pressButton").await.1.press_button(Button::VolumeUp).await.unwrap(),
        }
    }
}

fn text_of(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
