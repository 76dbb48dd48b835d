//! The HTTP server: what it accepts, what it refuses, and which routes each release has.

use crate::http::{Connection, request};
use crate::{Rig, options};
use e2e::wda_sim::Generation;
use serde_json::{Value, json};

const ALL: [Generation; 4] = [Generation::V4, Generation::V9, Generation::V16Early, Generation::V16];

#[test]
fn the_envelope() {
    let mut rig = Rig::new(options(Generation::V16));
    let reply = rig.get("/status");
    assert_eq!(reply.status, 200);
    for line in [
        "HTTP/1.1 200 OK",
        "Server: WebDriverAgent/1.0",
        "Access-Control-Allow-Origin: *",
        "Content-Type: application/json;charset=UTF-8",
    ] {
        assert!(reply.head.contains(line), "{}", reply.head);
    }
    let body = reply.json();
    assert_eq!(body.as_object().map(|body| body.len()), Some(2));
    assert_eq!(body["sessionId"], Value::Null);
    assert_eq!(body["value"]["ready"], true);
    assert_eq!(body["value"]["build"]["version"], "16.12.9");
    // The session that stands is named also where none was asked for, and on errors.
    rig.begin(json!({}));
    assert_eq!(rig.get("/status").json()["sessionId"], rig.session.as_str());
    let failed = rig.get("/nowhere");
    assert_eq!(failed.json()["sessionId"], rig.session.as_str());
    assert!(failed.value()["message"].as_str().is_some_and(|message| message.starts_with("Unhandled endpoint")));
    assert!(failed.value()["traceback"].is_string());
}

#[test]
fn unknown_routes_are_404_for_each_verb() {
    let mut rig = Rig::ready();
    let session = rig.session.clone();
    let unknown = (404, "unknown command".to_owned());
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/source/nothing"),
        ("POST", "/source"),
        ("POST", "/wda/tap"),
        ("POST", "/wda/pressButton"),
        ("DELETE", "/status"),
        ("PUT", "/status"),
        ("PATCH", "/status"),
        ("POST", "/execute"),
        ("GET", "/session//source"),
    ] {
        assert_eq!(rig.to.call(method, path, "").error(), unknown, "{method} {path}");
    }
    for (method, path) in [
        ("POST", "/wda/homescreen"),
        ("POST", "/wda/tap/0"),
        ("POST", "/wda/touch/perform"),
        ("POST", "/execute/sync"),
        ("DELETE", "/actions"),
        ("GET", "/"),
        ("GET", "/source/"),
    ] {
        let path = format!("/session/{session}{path}");
        assert_eq!(rig.to.call(method, &path, "{}").error(), unknown, "{method} {path}");
    }
    assert_eq!(rig.to.call("OPTIONS", "/anything", "").ok(), Value::Null);
}

#[test]
fn routes_are_matched_without_regard_to_case() {
    let mut rig = Rig::ready();
    assert_eq!(rig.get("/STATUS").status, 200);
    assert_eq!(rig.ask("/WINDOW/Size").status, 200);
}

#[test]
fn a_trailing_slash_is_stripped_by_old_releases_only() {
    for generation in ALL {
        let strict = matches!(generation, Generation::V16Early | Generation::V16);
        let mut rig = Rig::of(generation);
        let reply = rig.get("/source/?format=json");
        assert_eq!(reply.status, if strict { 404 } else { 200 }, "{generation:?}");
        let path = format!("/session/{}/", rig.session);
        assert_eq!(rig.to.call("DELETE", &path, "").status, if strict { 404 } else { 200 }, "{generation:?}");
        assert_eq!(rig.sim.session().is_some(), strict);
    }
}

#[test]
fn releases_have_their_own_routes() {
    let at = json!({ "x": 195, "y": 120 });
    for generation in ALL {
        let mut rig = Rig::of(generation);
        let old = generation == Generation::V4;
        let new = generation == Generation::V16;
        let status = |yes: bool| if yes { 200 } else { 404 };
        assert_eq!(rig.tell("/wda/tap/0", at.clone()).status, status(old), "{generation:?}");
        assert_eq!(rig.tell("/wda/tap", at.clone()).status, status(!old), "{generation:?}");
        assert_eq!(rig.ask("/window/rect").status, status(!old), "{generation:?}");
        assert_eq!(rig.get("/wda/screens").status, status(new), "{generation:?}");
        let build = &rig.get("/status").ok()["build"];
        assert_eq!(build.get("version").is_some(), !old, "{generation:?}");
        assert_eq!(rig.sim.touches().len(), 1);
    }
}

#[test]
fn a_body_without_its_length_is_refused_or_lost() {
    let chunked = "POST /session HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let mut rig = Rig::new(options(Generation::V16));
    rig.to.send(chunked);
    let reply = rig.to.receive().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(reply.error(), (400, "invalid argument".to_owned()));
    assert!(rig.to.receive().is_err(), "the connection is closed");
    // Before that the body was taken for the next request.
    let mut rig = Rig::new(options(Generation::V16Early));
    rig.to.send(chunked);
    let first = rig.to.receive().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(first.error(), (500, "session not created".to_owned()), "its body was lost");
    let second = rig.to.receive().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(second.status, 400);
}

#[test]
fn a_length_that_is_none_is_refused() {
    for length in ["x", "-1", "1, 2", ""] {
        let mut rig = Rig::new(options(Generation::V16));
        rig.to.send(&format!("POST /session HTTP/1.1\r\nContent-Length: {length}\r\n\r\n"));
        let reply = rig.to.receive().unwrap_or_else(|error| panic!("{length}: {error}"));
        assert_eq!(reply.error(), (400, "invalid argument".to_owned()), "{length}");
    }
}

#[test]
fn what_is_no_http_is_refused_and_the_server_lives() {
    let rig = Rig::ready();
    for bytes in ["hello\r\n\r\n", "GET /status\r\n\r\n", "GET /status HTTP/2.0\r\n\r\n", "GET status HTTP/1.1\r\n\r\n"]
    {
        let mut to = Connection::open(rig.sim.address());
        to.send(bytes);
        assert_eq!(to.receive().map(|reply| reply.status).ok(), Some(400), "{bytes:?}");
    }
    let mut to = Connection::open(rig.sim.address());
    to.send(&format!("GET /status HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000)));
    assert_eq!(to.receive().map(|reply| reply.status).ok(), Some(400));
    let mut to = Connection::open(rig.sim.address());
    assert_eq!(to.call("GET", "/status", "").status, 200);
}

#[test]
fn nobody_waits_for_expect() {
    let mut rig = Rig::ready();
    let body = r#"{"capabilities":{}}"#;
    let head = format!("POST /session HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len());
    rig.to.send(&head);
    rig.to.send(body);
    let reply = rig.to.receive().unwrap_or_else(|error| panic!("{error}"));
    assert!(reply.head.starts_with("HTTP/1.1 200"), "no interim answer comes: {}", reply.head);
}

#[test]
fn pipelined_requests_are_answered_in_order_on_a_kept_connection() {
    let mut rig = Rig::ready();
    let mut bytes = String::new();
    for path in ["/status", "/wda/locked", "/nowhere", "/wda/screen"] {
        bytes += &request("GET", path, "");
    }
    rig.to.send(&bytes);
    let statuses: Vec<u16> = (0..4).map(|_| rig.to.receive().map_or(0, |reply| reply.status)).collect();
    assert_eq!(statuses, [200, 200, 404, 200]);
    let connections: Vec<u64> = rig.sim.requests().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [1; 5]);
}

#[test]
fn a_client_may_ask_for_the_end_of_the_connection() {
    let mut rig = Rig::ready();
    rig.to.send("GET /status HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
    assert!(rig.to.receive().is_err());
}

#[test]
fn a_request_that_comes_byte_by_byte_is_one_request() {
    let mut rig = Rig::ready();
    for byte in request("GET", "/wda/locked", "").chars() {
        rig.to.send(&byte.to_string());
    }
    assert_eq!(rig.to.receive().map(|reply| reply.status).ok(), Some(200));
}

#[test]
fn a_body_that_is_no_json_counts_as_empty() {
    let mut rig = Rig::ready();
    let path = rig.path("/wda/tap");
    for body in ["", "not json", "[1,2]", "\"text\"", "{\"x\":1e999,\"y\":1}"] {
        let reply = rig.to.call("POST", &path, body);
        assert_eq!(reply.status, 200, "{body}: {}", reply.text);
    }
    // Without x and y it is the middle.
    assert_eq!(rig.sim.touches().len(), 5);
}

#[test]
fn pages_that_are_no_json() {
    let mut rig = Rig::ready();
    let reply = rig.get("/health");
    assert!(reply.text.contains("I-AM-ALIVE"));
    assert!(reply.head.contains("text/html"));
    assert_eq!(rig.get("/wda/shutdown").status, 200);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while Connection::try_open(rig.sim.address()).is_ok() {
        assert!(std::time::Instant::now() < deadline, "it still listens");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn the_log_keeps_what_came_in() {
    let mut rig = Rig::ready();
    rig.sim.clear_log();
    rig.tell("/wda/tap", json!({ "x": 1, "y": 2 })).ok();
    rig.get("/nowhere?a=b");
    let requests = rig.sim.requests();
    assert_eq!(requests[0].name(), "POST /wda/tap");
    assert_eq!(requests[0].session.as_deref(), Some(rig.session.as_str()));
    assert_eq!(requests[0].body, r#"{"x":1,"y":2}"#);
    assert_eq!(requests[0].status, Some(200));
    assert_eq!((requests[1].path.as_str(), requests[1].status), ("/nowhere?a=b", Some(404)));
    assert!(requests[0].at <= requests[1].at);
}
