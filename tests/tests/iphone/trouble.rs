//! What goes wrong with a phone, its agent and its sessions.

use super::*;
use driver_api::{Alert, ErrorKind, Launch, Outcome, TreeFlaw};

/// A call's time, short enough for a test and long enough for a busy machine.
const SHORT: Duration = Duration::from_secs(3);

fn settings() -> Launch {
    Launch { app: "Settings".to_owned(), ..Launch::default() }
}

#[tokio::test]
async fn connecting_takes_at_most_six_requests() {
    for generation in GENERATIONS {
        let rig = Rig::apart(SimOptions::of(generation));
        rig.driver.connect(LONG).await.unwrap();
        let lines = rig.lines();
        assert!(lines.len() <= 6, "{generation:?}: {lines:?}");
        // A call that needs no knowledge of the phone is one request, where the server has the newest way …
        rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
        rig.lines();
        // … and once the way is known, everywhere.
        rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
        assert_eq!(rig.lines().len(), 1, "{generation:?}");
    }
}

#[tokio::test]
async fn row_1_a_stolen_session_is_taken_back_and_the_operator_told() {
    let mut rig = Rig::of(Generation::V16).await;
    let stolen = rig.sim.faults().steal_session();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert_eq!(rig.sim.touches().len(), 1, "the tap arrived once");
    assert_ne!(rig.sim.session(), Some(stolen));
    match rig.plugin.next().await {
        DeviceEvent::Notice { device_id, message } => {
            assert_eq!(device_id, "desk");
            assert!(message.contains("another program took over this iPhone"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // A session that was merely lost is nobody's fault.
    rig.sim.faults().restart();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert!(rig.plugin.events.try_recv().is_err());
}

#[tokio::test]
async fn row_3_nothing_of_an_earlier_agent_is_sent_to_the_next() {
    let rig = Rig::of(Generation::V16).await;
    let before = rig.sim.session().unwrap();
    rig.sim.faults().restart();
    rig.sim.clear_log();
    rig.driver.tree(LONG).await.unwrap();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    let old = rig.sim.requests().iter().filter(|request| request.path.contains(&before)).count();
    assert_eq!(old, 1, "only the request that found out");
}

#[tokio::test]
async fn row_2_an_agent_that_is_gone_comes_back_by_itself() {
    let rig = Rig::of(Generation::V16).await;
    rig.sim.faults().refuse(true);
    // Finds out about the connection that is open still; a touch on it might have arrived.
    rig.driver.probe(SHORT).await.unwrap_err();
    let error = rig.driver.tap(Point::new(5.0, 5.0), SHORT).await.unwrap_err();
    assert_eq!(error.outcome, Outcome::NotDone, "{error:?}");
    assert_eq!(rig.driver.probe(SHORT).await.unwrap_err().kind, ErrorKind::HelperNotRunning);
    rig.sim.faults().refuse(false);
    rig.driver.probe(SHORT).await.unwrap();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
}

#[tokio::test]
async fn row_19_a_session_that_never_comes_about_is_asked_for_once_more() {
    let rig = Rig::apart(SimOptions::of(Generation::V16));
    rig.sim.faults().hang_next("POST /session");
    let connecting = rig.driver.clone();
    let connecting = tokio::spawn(async move { connecting.connect(SHORT).await });
    tokio::time::sleep(SHORT.mul_f64(0.5)).await;
    rig.sim.faults().release();
    connecting.await.unwrap().unwrap();
    assert_eq!(rig.lines().iter().filter(|line| *line == "POST /session").count(), 2);
}

#[tokio::test]
async fn row_18_a_launch_that_is_never_answered_is_looked_at() {
    let rig = Rig::of(Generation::V16).await;
    // The app comes to the front, only the answer does not.
    rig.driver.launch(&settings(), LONG).await.unwrap();
    rig.sim.faults().hang_next("POST /wda/apps/launch");
    let launch = rig.driver.clone();
    let launching = tokio::spawn(async move { launch.launch(&settings(), SHORT).await });
    // The queue moves on once the hang is over, as a real one's does.
    tokio::time::sleep(SHORT.mul_f64(0.75)).await;
    rig.sim.faults().release();
    assert_eq!(launching.await.unwrap().unwrap().id, "com.apple.Preferences");
}

#[tokio::test]
async fn row_24_a_tree_that_takes_too_long_is_asked_for_less_deep_and_the_app_remembered() {
    let rig = Rig::of(Generation::V16).await;
    rig.driver.launch(&settings(), LONG).await.unwrap();
    rig.sim.faults().hang_next("GET /source");
    let reading = rig.driver.clone();
    let reading = tokio::spawn(async move { reading.tree(SHORT).await });
    tokio::time::sleep(SHORT.mul_f64(0.7)).await;
    rig.sim.faults().release();
    let tree = reading.await.unwrap().unwrap();
    assert!(tree.flaws.contains(&TreeFlaw::Cut), "{:?}", tree.flaws);
    rig.lines();
    rig.driver.tree(LONG).await.unwrap();
    let lines = rig.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("GET /source")).count(), 1, "{lines:?}");
    assert!(!lines.iter().any(|line| line.ends_with("/appium/settings")), "the depth stands: {lines:?}");
}

#[tokio::test]
async fn row_24_a_phone_that_is_busy_with_a_tree_for_longer_than_the_call_is_asked_for_less_by_the_next() {
    let rig = Rig::of(Generation::V16).await;
    rig.driver.launch(&settings(), LONG).await.unwrap();
    rig.sim.faults().hang_next("GET /source");
    assert_eq!(rig.driver.tree(SHORT).await.unwrap_err().kind, ErrorKind::Timeout);
    rig.sim.faults().release();
    // The host connects anew after this.
    rig.driver.connect(LONG).await.unwrap();
    rig.lines();
    let tree = rig.driver.tree(LONG).await.unwrap();
    assert!(tree.flaws.contains(&TreeFlaw::Cut), "{:?}", tree.flaws);
    let lines = rig.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("GET /source")).count(), 1, "{lines:?}");
    // Until the phone is let go of.
    rig.driver.disconnect(LONG).await.unwrap();
    rig.driver.connect(LONG).await.unwrap();
    assert!(!rig.driver.tree(LONG).await.unwrap().flaws.contains(&TreeFlaw::Cut));
}

#[tokio::test]
async fn a_session_that_is_lost_before_the_depth_changes_is_made_anew() {
    let rig = Rig::of(Generation::V16).await;
    rig.driver.launch(&settings(), LONG).await.unwrap();
    rig.sim.faults().answer_next("GET /source", 500, TOO_DEEP);
    assert!(rig.driver.tree(LONG).await.unwrap().flaws.contains(&TreeFlaw::Cut));
    // Another app is in front, whose tree may be as deep as it likes, and the session is gone.
    rig.driver.home(LONG).await.unwrap();
    rig.sim.faults().restart();
    assert!(!rig.driver.tree(LONG).await.unwrap().flaws.contains(&TreeFlaw::Cut));
}

const TOO_DEEP: &str = r#"{"value":{"error":"unknown error","message":"Timed out snapshotting","traceback":""}}"#;

#[tokio::test]
async fn a_launch_that_fails_after_the_app_was_ended_is_not_without_effect() {
    let rig = Rig::of(Generation::V16).await;
    let fresh = Launch { fresh: true, ..settings() };
    let refusal = r#"{"value":{"error":"invalid argument","message":"no","traceback":""}}"#;
    rig.sim.faults().answer("POST /wda/apps/launch", 400, refusal);
    // Nothing was there to be ended.
    assert_eq!(rig.driver.launch(&fresh, LONG).await.unwrap_err().outcome, Outcome::NotDone);
    rig.sim.faults().clear_all();
    rig.driver.launch(&settings(), LONG).await.unwrap();
    rig.sim.faults().answer("POST /wda/apps/launch", 400, refusal);
    assert_eq!(rig.driver.launch(&fresh, LONG).await.unwrap_err().outcome, Outcome::Unknown);
}

#[tokio::test]
async fn row_15_a_hung_command_ends_at_its_limit_and_the_next_goes_on() {
    let rig = Rig::of(Generation::V16).await;
    rig.sim.faults().hang_next("POST /actions");
    let error = rig.driver.tap(Point::new(5.0, 5.0), Duration::from_millis(500)).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::Timeout, Outcome::Unknown));
    // A probe has a way of its own.
    rig.driver.probe(SHORT).await.unwrap();
    rig.sim.faults().release();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
}

#[tokio::test]
async fn row_88_a_connection_that_breaks_leaves_an_action_unknown_and_a_look_not_done() {
    let rig = Rig::of(Generation::V16).await;
    rig.sim.faults().reset_after_next("POST /actions");
    let error = rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::Unknown));
    assert_eq!(rig.sim.touches().len(), 1, "it is never sent again");
    rig.sim.faults().half_body_next("GET /screenshot");
    assert_eq!(rig.driver.screenshot(LONG).await.unwrap_err().outcome, Outcome::NotDone);
    rig.sim.faults().half_body_next("GET /source");
    assert!(rig.driver.tree(LONG).await.unwrap().flaws.contains(&TreeFlaw::Damaged), "row 27");
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
}

#[tokio::test]
async fn row_17_an_app_that_never_comes_to_rest_delays_nothing() {
    let rig = Rig::of(Generation::V16).await;
    rig.sim.faults().never_idle(true);
    let began = Instant::now();
    rig.driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    rig.driver.tree(LONG).await.unwrap();
    // The server would wait two seconds for each, were it not told otherwise.
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[tokio::test]
async fn row_73_row_74_row_76_an_alert_is_seen_whatever_is_in_front_and_answered_only_by_its_name() {
    let rig = Rig::apart(SimOptions::of(Generation::V16));
    let alert = Alert {
        text: "“demo.example” would like to use your location".to_owned(),
        buttons: vec!["Block".to_owned(), "Allow Once".to_owned()],
    };
    rig.sim.phone().raise_alert(alert.clone());
    rig.driver.connect(LONG).await.unwrap();
    // The app in front is none that knows of the alert.
    assert_eq!(rig.driver.active_app(LONG).await.unwrap().id, "com.apple.springboard");
    let seen = rig.driver.alert(LONG).await.unwrap().expect("it is up");
    assert_eq!((seen.buttons, seen.text.contains("would like")), (alert.buttons, true));
    for _ in 0..3 {
        rig.driver.tree(LONG).await.unwrap();
        rig.driver.screenshot(LONG).await.unwrap();
    }
    // Nobody answered it on its own, nor asked the agent to.
    assert!(rig.sim.phone().alert().is_some());
    for request in rig.sim.requests() {
        assert!(!request.body.contains("AlertAction") && !request.route.ends_with("/accept"), "{request:?}");
    }
    rig.driver.answer_alert("Allow Once", LONG).await.unwrap();
    assert_eq!(rig.sim.phone().alert(), None);
}

#[tokio::test]
async fn row_84_two_phones_never_answer_for_each_other() {
    let sims = [0, 1].map(|_| WdaSim::start_now(SimOptions::of(Generation::V16)).unwrap());
    let plugin = Plugin::start(json!({
        "options": {"usb": false},
        "devices": [{"id": "a", "address": sims[0].url()}, {"id": "b", "address": sims[1].url()}],
    }));
    let drivers = ["a", "b"].map(|id| plugin.handle.driver(id).unwrap());
    for driver in &drivers {
        driver.connect(LONG).await.unwrap();
    }
    drivers[1].launch(&settings(), LONG).await.unwrap();
    assert_eq!(sims[0].phone().active_app().id, "com.fingertip.home");
    assert_eq!(sims[1].phone().active_app().id, "com.fingertip.settings");
    sims[0].faults().hang_all(true);
    drivers[1].tap(Point::new(5.0, 5.0), SHORT).await.unwrap();
    sims[0].faults().hang_all(false);
}
