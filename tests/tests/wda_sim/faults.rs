//! Everything that can be made to go wrong, the queue, and the loss of sessions.

use crate::http::{Connection, request};
use crate::{Rig, options};
use e2e::wda_sim::{Generation, Source};
use serde_json::{Value, json};
use std::{
    io::{self, ErrorKind},
    thread,
    time::{Duration, Instant},
};

/// Longer than any answer takes, shorter than a test may.
const SHORT: Duration = Duration::from_millis(300);

fn pending(result: io::Result<crate::http::Reply>) -> bool {
    matches!(result, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

/// Waits until the simulator has seen so many requests.
fn seen(rig: &Rig, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while rig.sim.requests().len() < count {
        assert!(Instant::now() < deadline, "only {} requests came", rig.sim.requests().len());
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_delay_holds_the_command() {
    let mut rig = Rig::ready();
    rig.sim.faults().delay("GET /wda/locked", SHORT);
    let start = Instant::now();
    assert_eq!(rig.get("/wda/locked").status, 200);
    assert!(start.elapsed() >= SHORT);
    rig.sim.faults().clear("GET /wda/locked");
    assert_eq!(rig.get("/wda/locked").status, 200);
}

#[test]
fn a_command_that_hangs_holds_the_queue_until_it_is_released() {
    let mut rig = Rig::ready();
    rig.sim.faults().hang("POST /wda/tap");
    let mut other = Connection::open(rig.sim.address());
    let tap = rig.path("/wda/tap");
    rig.to.send(&request("POST", &tap, r#"{"x":5,"y":5}"#));
    seen(&rig, 2);
    // What does not wait for the queue is answered, everything else is not.
    assert_eq!(other.call("GET", "/status", "").status, 200);
    assert_eq!(other.call("GET", "/screenshot", "").status, 200);
    other.patience(SHORT);
    assert!(pending(other.try_call("GET", "/wda/locked", "")));
    assert!(rig.sim.touches().is_empty());
    rig.sim.faults().release();
    other.patience(Duration::from_secs(20));
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
    assert_eq!(other.receive().map(|reply| reply.status).ok(), Some(200));
    assert_eq!(rig.sim.touches().len(), 1, "it is carried out when it is released");
}

#[test]
fn older_releases_queue_the_status_too() {
    for generation in [Generation::V4, Generation::V9, Generation::V16Early] {
        let mut rig = Rig::of(generation);
        rig.sim.faults().hang("GET /source");
        rig.to.send(&request("GET", "/source", ""));
        seen(&rig, 2);
        let mut other = Connection::open(rig.sim.address());
        other.patience(SHORT);
        assert!(pending(other.try_call("GET", "/status", "")), "{generation:?}");
        rig.sim.faults().release();
        other.patience(Duration::from_secs(20));
        assert_eq!(other.receive().map(|reply| reply.status).ok(), Some(200));
    }
}

#[test]
fn only_the_next_request_hangs() {
    let mut rig = Rig::new(options(Generation::V16));
    rig.sim.faults().hang_next("POST /session");
    let mut other = Connection::open(rig.sim.address());
    rig.to.send(&request("POST", "/session", r#"{"capabilities":{}}"#));
    seen(&rig, 1);
    rig.sim.faults().release();
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
    assert_eq!(other.call("POST", "/session", r#"{"capabilities":{}}"#).status, 200);
}

#[test]
fn everything_hangs() {
    let mut rig = Rig::ready();
    rig.sim.faults().hang_all(true);
    rig.to.patience(SHORT);
    assert!(pending(rig.to.try_call("GET", "/status", "")));
    rig.sim.faults().hang_all(false);
    rig.to.patience(Duration::from_secs(20));
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
}

#[test]
fn a_reset_comes_before_or_after_the_command() {
    let mut rig = Rig::ready();
    let tap = rig.path("/wda/tap");
    let body = r#"{"x":5,"y":5}"#;
    rig.sim.faults().reset_next("POST /wda/tap");
    let error = rig.to.try_call("POST", &tap, body).map(|reply| reply.status).map_err(|error| error.kind());
    assert_eq!(error, Err(ErrorKind::ConnectionReset));
    assert!(rig.sim.touches().is_empty());
    rig.to = Connection::open(rig.sim.address());
    rig.sim.faults().reset_after_next("POST /wda/tap");
    let error = rig.to.try_call("POST", &tap, body).map(|reply| reply.status).map_err(|error| error.kind());
    assert_eq!(error, Err(ErrorKind::ConnectionReset));
    assert_eq!(rig.sim.touches().len(), 1);
    rig.to = Connection::open(rig.sim.address());
    assert_eq!(rig.to.call("POST", &tap, body).status, 200);
    assert_eq!(rig.sim.requests().last().and_then(|request| request.status), Some(200));
}

#[test]
fn an_empty_reply_and_half_a_body() {
    let mut rig = Rig::ready();
    rig.sim.faults().empty_reply_next("/source");
    let error = rig.to.try_call("GET", "/source", "").map(|reply| reply.status).map_err(|error| error.kind());
    assert_eq!(error, Err(ErrorKind::UnexpectedEof));
    assert_eq!(rig.to.rest(), 0);
    rig.to = Connection::open(rig.sim.address());
    rig.sim.faults().half_body_next("/source");
    let error = rig.to.try_call("GET", "/source", "").map(|reply| reply.status).map_err(|error| error.kind());
    assert_eq!(error, Err(ErrorKind::UnexpectedEof));
    assert!(rig.to.rest() > 100, "the head and half the body came");
    rig.to = Connection::open(rig.sim.address());
    assert_eq!(rig.get("/source").status, 200);
}

#[test]
fn an_answer_can_be_given() {
    let mut rig = Rig::ready();
    rig.sim.faults().answer_next("POST /wda/homescreen", 500, r#"{"value":{"error":"unknown error","message":"m"}}"#);
    rig.launch("com.fingertip.notes");
    assert_eq!(rig.post("/wda/homescreen", json!({})).error(), (500, "unknown error".to_owned()));
    assert_eq!(rig.sim.phone().active_app().id, "com.fingertip.notes", "it was not carried out");
    assert_eq!(rig.post("/wda/homescreen", json!({})).status, 200);
    // Any status and any body, also for routes by pattern.
    rig.sim.faults().answer("/element/*/rect", 502, "<html>");
    let reply = rig.ask("/element/ABC/rect");
    assert_eq!((reply.status, reply.text.as_str()), (502, "<html>"));
    rig.sim.faults().clear_all();
    assert_eq!(rig.ask("/element/ABC/rect").error(), (404, "stale element reference".to_owned()));
}

#[test]
fn faults_are_used_in_the_order_in_which_they_were_added() {
    let mut rig = Rig::ready();
    rig.sim.faults().answer_next("/status", 500, "1");
    rig.sim.faults().answer_next("/status", 501, "2");
    let statuses = [(); 3].map(|()| rig.get("/status").status);
    assert_eq!(statuses, [500, 501, 200]);
}

#[test]
#[should_panic(expected = "no release of the server has a route GET /sauce")]
fn a_fault_for_a_route_that_is_not_there_is_a_mistake_in_the_test() {
    Rig::ready().sim.faults().hang("GET /sauce");
}

#[test]
fn the_port_is_closed_and_opened_again() {
    let mut rig = Rig::ready();
    let address = rig.sim.address();
    rig.sim.faults().refuse(true);
    assert!(rig.to.try_call("GET", "/status", "").is_err(), "open connections end");
    let refused = Connection::try_open(address).map(drop).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::ConnectionRefused));
    rig.sim.faults().refuse(false);
    rig.to = Connection::open(address);
    assert_eq!(rig.ask("/window/size").status, 200, "the session is as it was");
}

#[test]
fn a_hanging_command_does_not_outlive_the_process() {
    let mut rig = Rig::ready();
    rig.sim.faults().hang_next("GET /source");
    rig.to.send(&request("GET", "/source", ""));
    seen(&rig, 2);
    rig.sim.faults().restart();
    rig.to = Connection::open(rig.sim.address());
    assert_eq!(rig.get("/source").status, 200);
}

#[test]
fn a_new_process_knows_nothing_of_the_old_one() {
    let mut rig = Rig::ready();
    rig.launch("com.apple.Preferences");
    let element = rig.find("name", "general");
    rig.sim.faults().restart();
    rig.to = Connection::open(rig.sim.address());
    assert_eq!(rig.ask("/window/size").error(), (404, "invalid session id".to_owned()));
    assert_eq!(rig.get("/wda/activeAppInfo").ok()["bundleId"], "com.apple.Preferences", "the phone is as it was");
    rig.begin(json!({}));
    assert_eq!(rig.ask(&format!("/element/{element}/rect")).error().1, "stale element reference");
    assert_ne!(rig.find("name", "general"), element);
}

#[test]
fn a_second_client_steals_the_session() {
    let mut rig = Rig::ready();
    let mine = rig.session.clone();
    let theirs = rig.sim.faults().steal_session();
    assert_ne!(mine, theirs);
    let reply = rig.tell("/wda/tap", json!({ "x": 1, "y": 1 }));
    assert_eq!(reply.error(), (404, "invalid session id".to_owned()));
    assert_eq!(reply.json()["sessionId"], theirs.as_str());
    assert!(rig.sim.touches().is_empty());
    // Over HTTP it goes the same way, even when the new session cannot be created.
    rig.begin(json!({}));
    rig.post("/session", json!({ "capabilities": 7 }));
    assert_eq!(rig.ask("/window/size").error(), (404, "invalid session id".to_owned()));
    assert_eq!(rig.get("/status").json()["sessionId"], Value::Null);
}

#[test]
fn the_end_of_a_session_answers_what_still_waits_for_it() {
    let mut rig = Rig::ready();
    rig.sim.faults().hang("GET /source");
    rig.to.send(&request("GET", "/source", ""));
    seen(&rig, 2);
    let mut waiting = Connection::open(rig.sim.address());
    waiting.send(&request("GET", &rig.path("/window/size"), ""));
    seen(&rig, 3);
    let mut other = Connection::open(rig.sim.address());
    assert_eq!(other.call("DELETE", &rig.path(""), "").ok(), Value::Null);
    let reply = waiting.receive().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(reply.error(), (404, "invalid session id".to_owned()));
    rig.sim.faults().release();
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
}

#[test]
fn a_given_source_is_served() {
    let mut rig = Rig::ready();
    let xml = "<AppiumAUT><XCUIElementTypeApplication/></AppiumAUT>";
    rig.sim.faults().set_source(Some(Source::Xml(xml.to_owned())));
    assert_eq!(rig.get("/source").ok(), xml);
    assert_eq!(rig.get("/source?format=json").error(), (500, "unknown error".to_owned()));
    let tree = json!({ "type": "Application", "children": [] });
    rig.sim.faults().set_source(Some(Source::Json(tree.clone())));
    assert_eq!(rig.ask("/source?format=json").ok(), tree);
    assert_eq!(rig.get("/source").status, 500);
    rig.sim.faults().set_source(Some(Source::Raw("{\"value\":\"<App".to_owned())));
    assert_eq!(rig.get("/source").text, "{\"value\":\"<App");
    rig.sim.faults().serve_sources([Source::Xml("1".to_owned()), Source::Xml("2".to_owned())]);
    let served = [(); 3].map(|()| rig.get("/source").ok());
    assert_eq!(served, ["1", "2", "2"]);
    rig.sim.faults().set_source(None);
    assert!(rig.get("/source").ok().as_str().is_some_and(|xml| xml.contains("XCUIElementTypeIcon")));
}

#[test]
fn an_app_that_never_rests_holds_touches_as_long_as_the_settings_say() {
    let mut rig = Rig::ready();
    rig.sim.faults().never_idle(true);
    let wait = |rig: &mut Rig, idle: f64, still: f64| {
        let settings = json!({ "settings": { "waitForIdleTimeout": idle, "animationCoolOffTimeout": still } });
        rig.tell("/appium/settings", settings).ok();
        let start = Instant::now();
        rig.tell("/wda/tap", json!({ "x": 1, "y": 1 })).ok();
        start.elapsed()
    };
    assert!(wait(&mut rig, 0.2, 0.2) >= Duration::from_millis(400));
    rig.sim.faults().hang("/source");
    rig.sim.faults().release();
    assert!(wait(&mut rig, 0.0, 0.0) < Duration::from_secs(2));
}
