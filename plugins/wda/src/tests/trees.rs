//! Asking for trees: formats, depths, phones that fail at them.

use super::*;

#[tokio::test]
async fn row_4_an_app_that_crashed_is_named_as_the_reason() {
    let words = "The application under test with bundle id 'com.sample' is not running, possibly crashed";
    let (_server, driver) = connected(refuses("source?format=json", 400, "invalid element state", words)).await;
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::AppCrashed);
}

#[tokio::test]
async fn row_23_a_tree_too_deep_is_asked_for_less_deep_and_marked() {
    let (depth, app) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new("com.example.deep")));
    let (now, front) = (depth.clone(), app.clone());
    let (server, driver) = connected(move |request| {
        let front = *front.lock().unwrap();
        if request.line.ends_with("/settings") {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            now.store(body["settings"]["snapshotMaxDepth"].as_u64().unwrap() as usize, Ordering::SeqCst);
        }
        if request.line == "GET /wda/activeAppInfo" {
            return Some(value(json!({"pid": 7, "bundleId": front})));
        }
        let deep = request.line.contains("/source") && front.ends_with("deep") && now.load(Ordering::SeqCst) > 25;
        deep.then(|| refuse(404, "stale element reference", "Error kAXErrorIllegalArgument getting snapshot"))
    })
    .await;
    let (source, settings) = ("GET /session/S-1/source?format=json", "POST /session/S-1/appium/settings");
    let front = "GET /wda/activeAppInfo";
    assert_eq!(driver.tree().await.unwrap().flaws, [TreeFlaw::Cut]);
    assert_eq!(server.lines(), [source, front, settings, source]);
    // The depth is remembered for this app …
    assert_eq!(driver.tree().await.unwrap().flaws, [TreeFlaw::Cut]);
    assert_eq!(server.lines(), [front, source]);
    // … while another may have a tree that can be read in full, …
    *app.lock().unwrap() = "com.example.flat";
    depth.store(0, Ordering::SeqCst);
    assert_eq!(driver.tree().await.unwrap().flaws, []);
    assert_eq!(server.lines(), [front, settings, source]);
    // … and for as long as the phone is connected.
    *app.lock().unwrap() = "com.example.deep";
    assert_eq!(driver.tree().await.unwrap().flaws, [TreeFlaw::Cut]);
    // A connection that broke is no end of that.
    driver.connect().await.unwrap();
    assert_eq!(driver.tree().await.unwrap().flaws, [TreeFlaw::Cut]);
    driver.disconnect().await.unwrap();
    driver.connect().await.unwrap();
    *app.lock().unwrap() = "com.example.flat";
    server.take();
    assert_eq!(driver.tree().await.unwrap().flaws, []);
    assert_eq!(server.lines(), [source], "it does not matter any more which app is in front");
}

#[tokio::test]
async fn row_24_a_tree_that_always_fails_is_asked_for_twice() {
    let (server, driver) =
        connected(refuses("source?format=json", 500, "unknown error", "Timed out snapshotting")).await;
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::TreeUnavailable);
    assert_eq!(server.lines().iter().filter(|line| line.contains("/source")).count(), 2);
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
async fn row_7_a_phone_that_is_slow_to_read_its_tree_is_given_as_long_to_rest() {
    const SLOW: Duration = Duration::from_millis(300);
    let times: Arc<Mutex<Vec<std::time::Instant>>> = Arc::default();
    let seen = times.clone();
    let (_server, driver) = connected(move |request| {
        request.line.contains("/source").then(|| {
            seen.lock().unwrap().push(std::time::Instant::now());
            Then::Wait(SLOW, 200, TREE.to_owned())
        })
    })
    .await;
    for _ in 0..2 {
        driver.tree().await.unwrap();
    }
    let times = times.lock().unwrap();
    assert!(times[1] - times[0] >= SLOW * 2, "{:?}", times[1] - times[0]);
}

#[tokio::test]
async fn row_25_an_app_whose_tree_ends_the_agent_twice_is_spared() {
    let app = Arc::new(Mutex::new("com.example.chat"));
    let front = app.clone();
    let (server, driver) = connected(move |request| {
        let front = *front.lock().unwrap();
        match request.line.as_str() {
            "GET /wda/activeAppInfo" => Some(value(json!({"pid": 7, "bundleId": front}))),
            line if line.contains("/source") && front.ends_with("chat") => Some(Then::Close),
            _ => None,
        }
    })
    .await;
    let sources = |server: &Server| server.lines().iter().filter(|line| line.contains("/source")).count();
    for _ in 0..2 {
        assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::NotReachable);
        driver.connect().await.unwrap();
    }
    assert_eq!(sources(&server), 2);
    let error = driver.tree().await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::TreeUnavailable, Outcome::NotDone));
    assert!(error.message.contains("pictures") && error.message.contains("minutes"), "{error}");
    assert_eq!(sources(&server), 0);
    // Other apps are read, this one again only after the phone was let go of.
    *app.lock().unwrap() = "com.example.notes";
    driver.tree().await.unwrap();
    *app.lock().unwrap() = "com.example.chat";
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::TreeUnavailable);
    driver.disconnect().await.unwrap();
    driver.connect().await.unwrap();
    assert_eq!(driver.tree().await.unwrap_err().kind, ErrorKind::NotReachable);
}
