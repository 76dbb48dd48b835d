//! The user's scenarios of device management, and what a device that hangs does to others.

use e2e::{
    host::{Host, Setup, virtual_device, wda_devices},
    mcp::Mcp,
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A simulated iPhone with a small picture.
async fn sim() -> WdaSim {
    let mut options = SimOptions::default();
    options.phone.scale = 1.0;
    WdaSim::start(options).await.expect("started")
}

fn point() -> Value {
    json!({ "x": 200, "y": 20, "verify": false })
}

fn code(answer: &(u16, Value)) -> &str {
    answer.1["code"].as_str().unwrap_or_else(|| panic!("no error: {answer:?}"))
}

async fn device(host: &Host, id: &str) -> Value {
    let (status, body) = host.get(&format!("/devices/{id}")).await;
    assert_eq!(status, 200, "{body}");
    body
}

async fn fence(host: &Host, client: &str) -> u64 {
    let (status, body) = host.post_as(client, "/devices/phone/connect", json!({})).await;
    assert_eq!(status, 200, "{body}");
    body["lease"]["fence"].as_u64().expect("a number")
}

#[tokio::test]
async fn connecting_takes_a_device_and_disconnecting_gives_it_back() {
    let host = Host::with_virtual_phone().await;
    assert_eq!(device(&host, "phone").await["device"]["status"], "idle");
    let (status, body) = host.post_as("alice", "/devices/phone/connect", json!({ "ttl_s": 120 })).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["device"]["status"], "busy");
    let lease = &body["lease"];
    assert!(lease["id"].as_str().is_some_and(|id| id.len() >= 16), "{lease}");
    assert!(lease["fence"].is_u64() && lease["expires_at"].is_string(), "{lease}");
    assert!(lease["holder"].as_str().is_some_and(|holder| holder.contains("alice")), "{lease}");

    let status = device(&host, "phone").await;
    assert_eq!(status["device"]["status"], "busy");
    assert_eq!(status["lease"]["fence"], lease["fence"]);
    assert!(!status.to_string().contains(lease["id"].as_str().expect("text")), "the id is shown: {status}");

    let renewed = host.post_as("alice", "/devices/phone/connect", json!({ "ttl_s": 600 })).await.1;
    assert_eq!((&renewed["lease"]["id"], &renewed["lease"]["fence"]), (&lease["id"], &lease["fence"]));
    assert!(renewed["lease"]["expires_at"].as_str() > lease["expires_at"].as_str());

    for route in ["connect", "tap", "disconnect"] {
        let body = if route == "tap" { point() } else { json!({}) };
        let refused = host.post_as("bob", &format!("/devices/phone/{route}"), body).await;
        assert_eq!((refused.0, code(&refused)), (409, "device_busy"));
        assert_eq!(refused.1["details"]["holder"], lease["holder"]);
        assert_eq!(refused.1["details"]["expires_at"], renewed["lease"]["expires_at"]);
    }
    let bob = Mcp::new(&host, "bob");
    let (failed, refused) = bob.call("tap", json!({ "x": 200, "y": 20 })).await;
    assert!(failed && refused["code"] == "device_busy", "{refused}");

    for _ in 0..2 {
        let (status, body) = host.post_as("alice", "/devices/phone/disconnect", json!({})).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(body["device"]["status"], "idle");
        assert_eq!(body["device"].get("holder"), None);
    }
    let (failed, body) = bob.call("tap", point()).await;
    assert!(!failed, "{body}");
}

#[tokio::test]
async fn whoever_acts_gets_a_lease_and_who_looks_none() {
    let host = Host::with_virtual_phone().await;
    let alice = Mcp::new(&host, "alice");
    for tool in ["take_screenshot", "get_ui_tree", "describe_screen", "list_apps"] {
        let (failed, body) = alice.call(tool, json!({})).await;
        assert!(!failed, "{body}");
    }
    assert_eq!(device(&host, "phone").await["device"]["status"], "idle");
    let (failed, body) = alice.call("tap", point()).await;
    assert!(!failed, "{body}");
    let status = device(&host, "phone").await;
    assert_eq!(status["device"]["status"], "busy");
    assert!(status["device"]["holder"].as_str().is_some_and(|holder| holder.contains("alice")), "{status}");
    let refused = host.post_as("bob", "/devices/phone/tap", point()).await;
    assert_eq!(code(&refused), "device_busy");
    // The same client on the other door is the same holder.
    assert_eq!(host.post_as("alice", "/devices/phone/tap", point()).await.0, 200);
}

#[tokio::test]
async fn a_lease_id_speaks_for_its_holder_and_an_ended_one_is_lost() {
    let host = Host::with_virtual_phone().await;
    let (_, body) = host.post_as("alice", "/devices/phone/connect", json!({})).await;
    let lease = body["lease"]["id"].clone();
    let with_lease = |lease: &Value| json!({ "x": 200, "y": 20, "lease": lease });
    assert_eq!(host.post_as("bob", "/devices/phone/tap", with_lease(&lease)).await.0, 200);
    let (failed, body) = Mcp::new(&host, "carol").call("tap", with_lease(&lease)).await;
    assert!(!failed, "{body}");
    let made_up = host.post_as("alice", "/devices/phone/tap", with_lease(&json!("made-up"))).await;
    assert_eq!((made_up.0, code(&made_up)), (409, "lease_lost"));
    let (status, body) = host.post_as("bob", "/devices/phone/disconnect", json!({ "lease": lease })).await;
    assert_eq!((status, &body["device"]["status"]), (200, &json!("idle")));
    for client in ["alice", "bob"] {
        let lost = host.post_as(client, "/devices/phone/tap", with_lease(&lease)).await;
        assert_eq!((lost.0, code(&lost)), (409, "lease_lost"), "{client}");
        assert_eq!(lost.1["outcome"], "not_done");
    }
    assert_eq!(device(&host, "phone").await["device"]["status"], "idle", "a lost lease gives no new one");
}

#[tokio::test]
async fn a_lease_ends_by_itself() {
    let host = Host::with_virtual_phone().await;
    let (_, body) = host.post_as("alice", "/devices/phone/connect", json!({ "ttl_s": 1 })).await;
    let lease = body["lease"]["id"].clone();
    host.until("/devices", |body| body["devices"][0]["status"] == "idle").await;
    let lost = host.post_as("alice", "/devices/phone/tap", json!({ "x": 200, "y": 20, "lease": lease })).await;
    assert_eq!(code(&lost), "lease_lost");
    assert_eq!(host.post_as("bob", "/devices/phone/tap", point()).await.0, 200);
}

#[tokio::test]
async fn fences_rise_across_restarts_however_the_server_ended() {
    let mut host = Host::with_virtual_phone().await;
    let mut last = 0;
    for round in 0..3 {
        for client in ["alice", "bob"] {
            let now = fence(&host, client).await;
            assert!(now > last, "{now} after {last}");
            last = now;
            let (status, _) = host.post_as(client, "/devices/phone/disconnect", json!({})).await;
            assert_eq!(status, 200);
        }
        // One lease stands when the server ends.
        last = fence(&host, "carol").await;
        let setup = if round == 0 { host.stop().await } else { host.kill().await };
        host = Host::start(setup).await;
        assert_eq!(device(&host, "phone").await["device"]["status"], "idle");
    }
}

#[tokio::test]
async fn connecting_to_a_device_that_is_not_there_fails_and_marks_it_offline() {
    let silent = sim().await;
    silent.faults().hang_all(true);
    let devices = wda_devices(&[("away", "http://127.0.0.1:1"), ("silent", &silent.url())]);
    let host = Setup::new(&devices).serve().await;
    for id in ["away", "silent"] {
        let refused = host.post_as("alice", &format!("/devices/{id}/connect"), json!({ "timeout_ms": 60_000 })).await;
        // Not `timeout`: the answer came before the call's own time was over.
        assert_eq!((refused.0, code(&refused)), (503, "device_offline"), "{id}: {}", refused.1);
        assert_eq!((&refused.1["outcome"], &refused.1["retryable"]), (&json!("not_done"), &json!(true)));
        let now = device(&host, id).await;
        assert_eq!(now["device"]["status"], "offline", "{now}");
        let reason = now["device"]["reason"].as_str().expect("a reason");
        assert!(["not_reachable", "helper_not_running"].contains(&reason), "{reason}");
        assert_eq!(refused.1["details"]["reason"], reason);
        assert_eq!(now["lease"], Value::Null, "a connect that failed gives no lease");
    }
    // Trying again is how it comes back.
    silent.faults().release();
    let (status, body) = host.post_as("alice", "/devices/silent/connect", json!({})).await;
    assert_eq!((status, &body["device"]["status"]), (200, &json!("busy")), "{body}");
}

#[tokio::test]
async fn with_no_device_the_list_is_empty() {
    let host = Host::with("").await;
    assert_eq!(host.get("/devices").await, (200, json!({ "devices": [] })));
    let mcp = Mcp::new(&host, "alice");
    assert_eq!(mcp.call("list_devices", json!({})).await, (false, json!({ "devices": [] })));
    let (failed, body) = mcp.call("tap", point()).await;
    assert!(failed && body["code"] == "device_not_found", "{body}");
    assert_eq!(code(&host.get("/devices/phone").await), "device_not_found");
}

#[tokio::test]
async fn listing_and_status_do_not_ask_the_phone() {
    let phone = sim().await;
    let host = Host::with(&wda_devices(&[("desk", &phone.url())])).await;
    assert_eq!(host.get("/devices/desk/tree").await.0, 200);
    phone.clear_log();
    for _ in 0..20 {
        let (_, list) = host.get("/devices").await;
        assert_eq!(list["devices"][0]["status"], "idle");
        assert_eq!(list["devices"][0]["connection"], json!({ "via": "local", "address": phone.url() }));
        let status = device(&host, "desk").await;
        assert_eq!(status["screen"]["width"], 390.0);
    }
    assert!(phone.requests().is_empty(), "{:?}", phone.requests());
}

#[tokio::test]
async fn disconnecting_closes_the_connection_to_the_phone() {
    let phone = sim().await;
    let host = Host::with(&wda_devices(&[("desk", &phone.url())])).await;
    assert_eq!(host.post_as("alice", "/devices/desk/connect", json!({})).await.0, 200);
    assert!(phone.session().is_some(), "connected");
    assert_eq!(host.post_as("alice", "/devices/desk/disconnect", json!({})).await.0, 200);
    assert_eq!(phone.session(), None, "still connected");
    assert_eq!(device(&host, "desk").await["device"]["status"], "idle");
    assert_eq!(host.post_as("alice", "/devices/desk/tap", point()).await.0, 200, "and connected again by need");
}

#[tokio::test]
async fn the_device_may_be_left_out_when_there_is_one() {
    let host = Host::with_virtual_phone().await;
    let mcp = Mcp::new(&host, "alice");
    let (failed, body) = mcp.call("tap", point()).await;
    assert!(!failed && body["device_id"] == "phone", "{body}");

    // Listed is what counts, whatever the status.
    let both = format!("{}{}", virtual_device("phone"), wda_devices(&[("away", "http://127.0.0.1:1")]));
    let host = Host::with(&both).await;
    for (tool, arguments) in [("tap", point()), ("get_ui_tree", json!({})), ("device_status", json!({}))] {
        let (failed, body) = Mcp::new(&host, "alice").call(tool, arguments).await;
        assert!(failed && body["code"] == "invalid_arguments", "{tool}: {body}");
        let text = format!("{} {}", body["message"], body["hint"]);
        assert!(text.contains("away") && text.contains("phone") && text.contains("device_id"), "{text}");
    }
}

/// A phone that hangs, beside one that works.
async fn hanging() -> (WdaSim, Arc<Host>) {
    let phone = sim().await;
    let both = format!("{}{}", virtual_device("good"), wda_devices(&[("hung", &phone.url())]));
    let host = Setup::new(&both).serve().await;
    let (status, body) = host.post("/devices/hung/tap", point()).await;
    assert_eq!(status, 200, "{body}");
    phone.faults().hang_all(true);
    (phone, Arc::new(host))
}

/// Starts a call that goes on beside the test.
fn begin_tap(host: &Arc<Host>, body: Value) -> JoinHandle<(u16, Value)> {
    let host = host.clone();
    tokio::spawn(async move { host.post("/devices/hung/tap", body).await })
}

/// Calls that must succeed while another phone hangs.
async fn others_work(host: &Host) {
    for _ in 0..5 {
        let (status, body) = host.post("/devices/good/tap", point()).await;
        assert_eq!(status, 200, "{body}");
        let (status, body) = host.get("/devices/good/tree?max_tokens=500").await;
        assert_eq!(status, 200, "{body}");
        let (status, body) = host.get("/devices").await;
        assert_eq!((status, body["devices"].as_array().map(Vec::len)), (200, Some(2)));
        assert_eq!(device(host, "hung").await["device"]["id"], "hung");
    }
}

#[tokio::test]
async fn a_callers_short_time_never_marks_the_device() {
    let (phone, host) = hanging().await;
    let late = host.post("/devices/hung/tap", json!({ "x": 200, "y": 20, "verify": false, "timeout_ms": 300 })).await;
    assert_eq!((late.0, code(&late)), (504, "timeout"), "{}", late.1);
    assert_eq!(late.1["outcome"], "unknown");
    let now = device(&host, "hung").await;
    assert_eq!((&now["device"]["status"], now["device"].get("reason")), (&json!("busy"), None), "{now}");
    // What has not had its turn has surely not been done.
    let waited = host.post("/devices/hung/tap", json!({ "x": 200, "y": 20, "verify": false, "timeout_ms": 300 })).await;
    assert_eq!((code(&waited), &waited.1["outcome"]), ("timeout", &json!("not_done")), "{}", waited.1);
    others_work(&host).await;
    phone.faults().release();
    let (status, body) = host.post("/devices/hung/tap", point()).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn a_hung_device_is_in_error_until_it_answers_again_and_others_never_notice() {
    let (phone, host) = hanging().await;
    let call = begin_tap(&host, json!({ "x": 200, "y": 20, "verify": false, "timeout_ms": 120_000 }));
    others_work(&host).await;
    assert!(!call.is_finished(), "the others did not wait for the hung call");
    let over = call.await.expect("answered");
    // The operation's own limit, and not the caller's time.
    assert_eq!((over.0, code(&over)), (504, "timeout"), "{}", over.1);
    assert_eq!((&over.1["outcome"], &over.1["device_id"]), (&json!("unknown"), &json!("hung")));
    let now = device(&host, "hung").await;
    assert_eq!(
        (&now["device"]["status"], &now["device"]["reason"]),
        (&json!("error"), &json!("unresponsive")),
        "{now}"
    );
    // Nothing waits for it now: `timeout` would say that something did.
    for answer in [host.post("/devices/hung/tap", point()).await, host.get("/devices/hung/tree").await] {
        assert_eq!((answer.0, code(&answer)), (503, "device_offline"), "{}", answer.1);
        assert_eq!(
            (&answer.1["details"]["reason"], &answer.1["outcome"]),
            (&json!("unresponsive"), &json!("not_done"))
        );
    }
    others_work(&host).await;
    phone.faults().release();
    host.until("/devices/hung", |body| body["device"]["status"] == "busy" || body["device"]["status"] == "idle").await;
    let (status, body) = host.post("/devices/hung/tap", point()).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn the_thirty_third_waiting_call_is_refused() {
    let (phone, host) = hanging().await;
    let mut calls = Vec::new();
    for waiting in 0..33 {
        let asking = host.clone();
        calls.push(tokio::spawn(async move { asking.get("/devices/hung/tree?timeout_ms=100000").await }));
        // The first one has its turn and does not wait.
        host.until("/devices/hung", |body| body["queue"] == waiting).await;
    }
    let refused = host.get("/devices/hung/tree").await;
    assert_eq!((refused.0, code(&refused)), (429, "overloaded"), "{}", refused.1);
    assert_eq!((&refused.1["retryable"], &refused.1["outcome"]), (&json!(true), &json!("not_done")));
    let refused = host.post("/devices/hung/tap", point()).await;
    assert_eq!(code(&refused), "overloaded");
    others_work(&host).await;
    assert!(calls.iter().all(|call| !call.is_finished()), "the others did not wait for those in the queue");
    phone.faults().release();
    for call in calls {
        let (status, body) = call.await.expect("answered");
        assert_eq!(status, 200, "{body}");
    }
    assert_eq!(device(&host, "hung").await["queue"], 0);
}
