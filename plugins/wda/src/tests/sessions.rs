//! The session and the connection: made, kept, lost, taken over, and what a failure says of the outcome.

use super::*;

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
async fn row_1_the_renewal_of_a_session_ends_after_one_time() {
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

#[tokio::test]
async fn row_6_an_orphaned_session_that_stands_in_the_way_is_ended() {
    // The orphan is named by the refusal itself, or by the status.
    for named in [true, false] {
        let held = Arc::new(AtomicBool::new(true));
        let server = Server::start(move |request| match request.line.as_str() {
            "POST /session" if held.load(Ordering::SeqCst) => {
                let active = named.then_some("OLD");
                let body = json!({"value": {"error": "session not created", "message": ""}, "sessionId": active});
                Then::Answer(500, body.to_string())
            }
            "GET /status" => Then::Answer(200, json!({"value": {"ready": true}, "sessionId": "OLD"}).to_string()),
            "DELETE /session/OLD" => {
                held.store(false, Ordering::SeqCst);
                value(Value::Null)
            }
            _ => sound(request),
        })
        .await;
        driver(&server.address).connect().await.unwrap();
        assert!(server.lines().contains(&"DELETE /session/OLD".to_owned()));
    }
    // Nothing stands in the way, so that nothing can be ended.
    let server = Server::start(|request| match request.line.as_str() {
        "POST /session" => refuse(500, "session not created", "").without_session(),
        _ => sound(request).without_session(),
    })
    .await;
    let error = driver(&server.address).connect().await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::Other, Outcome::NotDone));
    assert!(!server.lines().iter().any(|line| line.starts_with("DELETE")));
}

#[tokio::test]
async fn row_10_a_phone_is_connected_when_it_carries_out_a_command() {
    let refusals = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        let cold = request.line.ends_with("/window/size") && refusals.fetch_add(1, Ordering::SeqCst) < 3;
        if cold { refuse(500, "unknown error", "not yet") } else { sound(request) }
    })
    .await;
    driver(&server.address).connect().await.unwrap();
    assert_eq!(server.lines().iter().filter(|line| line.ends_with("/window/size")).count(), 4);
    // A server that does not have the command at all is no colder for it.
    let server = Server::start(|request| match request.line.ends_with("/window/size") {
        true => refuse(404, "unknown command", ""),
        false => sound(request),
    })
    .await;
    driver(&server.address).connect().await.unwrap();
}

#[tokio::test]
async fn row_17_no_wait_for_an_app_to_come_to_rest_is_asked_for() {
    let server = Server::start(sound).await;
    driver(&server.address).connect().await.unwrap();
    let requests = server.take();
    let body = |line: &str| -> Value {
        serde_json::from_str(&requests.iter().find(|request| request.line == line).unwrap().body).unwrap()
    };
    let wanted = &body("POST /session")["capabilities"]["alwaysMatch"];
    assert_eq!((&wanted["shouldWaitForQuiescence"], &wanted["waitForIdleTimeout"]), (&json!(false), &json!(0)));
    assert_eq!(body("POST /session/S-1/appium/settings")["settings"]["animationCoolOffTimeout"], 0);
}

#[test]
fn row_105_a_sessions_or_elements_id_cannot_change_a_path() {
    for id in ["", "a/b", "..%2f", "a?b", "a b", "a\r\nX: y", &"a".repeat(129)] {
        assert!(!crate::session::is_id(id), "{id:?}");
    }
    assert!(crate::session::is_id("14000000-0000-0000-4101-000000000000"));
}
