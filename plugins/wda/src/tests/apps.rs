//! Starting and ending apps, and telling which there are.

use super::*;

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
async fn row_103_a_name_that_is_no_bundle_id_goes_nowhere() {
    let (server, driver) = connected(|_| None).await;
    for name in ["com.x; reboot", "$(reboot)", "../com.x", "a b.c"] {
        assert_eq!(driver.launch(named(name)).await.unwrap_err().kind, ErrorKind::AppNotFound);
        assert_eq!(driver.terminate(name).await.unwrap_err().kind, ErrorKind::AppNotFound);
    }
    assert!(server.take().is_empty());
}
