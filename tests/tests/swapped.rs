//! Plugins that are exchanged under running tasks. A host loads its plugins when it starts, so what a task lives through is a
//! restart: another file of the same plugin, no plugin for a while, another driver altogether. Each time the task goes on where
//! it was, with its plan and its history. On the virtual phone and the *simulated* iPhone.

use e2e::{
    host::{Host, Setup, library, virtual_device, wda_devices},
    tasks::{History, control, ended, event, history, start, until},
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::{Value, json};
use std::fs;

const ROUNDS: usize = 6;

/// There and back, a tap each.
fn script() -> Value {
    let tap = |element: &str, then: &str| json!({ "tool": "tap", "arguments": { "element": element, "timeout_ms": 5_000 }, "expect": { "text": then } });
    json!([
        { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings" }, "expect": { "text": "Airplane Mode" } },
        { "repeat": ROUNDS, "steps": [
            tap("cell \"General\"", "Software Update"),
            tap("button \"Settings\"", "Airplane Mode"),
        ] },
    ])
}

/// A step was done and checked.
fn is_step(number: u64) -> impl Fn(&Value) -> bool {
    move |event| event["kind"] == "verified" && event["step"] == number
}

/// The history is the one that was, and more, to a good end.
fn goes_on(before: &History, after: &History) {
    after.assert_complete();
    assert_eq!(after.status(), "succeeded", "{}", after.told());
    assert!(after.events.starts_with(&before.events), "{}\n{}", before.told(), after.told());
    assert_eq!(after.of("planned").count(), before.of("planned").count(), "the plan stays: {}", after.told());
}

/// Writes what the next start serves.
fn serve_next(setup: &Setup, rest: &str) {
    setup.configure("127.0.0.1:0", "", rest);
}

#[tokio::test]
async fn another_file_of_the_plugin_goes_on() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&wda_devices(&[("phone", &sim.url())])).await;
    let id = start(&host, json!({ "steps": script() })).await;
    event(&host, &id, is_step(3)).await;
    let before = history(&host, &id).await;
    let setup = host.stop().await;
    let file = setup.folder().join("exchanged.so");
    fs::copy(library("fingertip_wda"), &file).expect("copied");
    let device = format!("[[plugin.device]]\nid = \"phone\"\naddress = {:?}\n", sim.url());
    serve_next(&setup, &format!("[[plugin]]\npath = {:?}\n{device}", file.display().to_string()));
    let host = Host::start(setup).await;
    let after = ended(&host, &id).await;
    goes_on(&before, &after);
    assert_eq!((after.uses("tap").1, sim.touches().len()), (2 * ROUNDS, 2 * ROUNDS), "{}", after.told());
}

#[tokio::test]
async fn a_task_waits_for_a_plugin_that_is_not_there() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let wda = wda_devices(&[("phone", &sim.url())]);
    let host = Host::with(&wda).await;
    let id = start(&host, json!({ "steps": script() })).await;
    event(&host, &id, is_step(3)).await;
    let before = history(&host, &id).await;
    let setup = host.stop().await;
    let damaged = setup.folder().join("damaged.so");
    let whole = fs::read(library("fingertip_wda")).expect("readable");
    fs::write(&damaged, &whole[..whole.len() / 2]).expect("written");
    serve_next(&setup, &format!("[[plugin]]\npath = {:?}\n{}", damaged.display().to_string(), virtual_device("other")));
    let host = Host::start(setup).await;
    let waiting = until(&host, &id, &["waiting_device"]).await;
    assert_eq!(waiting["device_id"], "phone");
    let told = history(&host, &id).await;
    let reason = told.of("waiting").last().expect("it is told why");
    assert_eq!(reason["data"]["reason"], "device_not_found");
    assert!(reason["data"]["hint"].as_str().is_some_and(|hint| hint.contains("goes on when")), "{reason}");
    // Other phones work meanwhile, and the task is steered as any other.
    let (status, other) = host.post("/devices/other/press", json!({ "button": "home" })).await;
    assert_eq!(status, 200, "{other}");
    control(&host, &id, json!({ "action": "pause" })).await;
    control(&host, &id, json!({ "action": "resume" })).await;
    let setup = host.stop().await;
    serve_next(&setup, &wda);
    let host = Host::start(setup).await;
    let after = ended(&host, &id).await;
    goes_on(&before, &after);
    assert_eq!((after.uses("tap").1, sim.touches().len()), (2 * ROUNDS, 2 * ROUNDS), "{}", after.told());
}

/// What a task says is said to a device, whoever drives it.
#[tokio::test]
async fn another_driver_goes_on() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&virtual_device("phone")).await;
    let launch = |app: &str, then: &str| json!({ "tool": "launch_app", "arguments": { "app": format!("com.fingertip.{app}") }, "expect": { "text": then } });
    let there = json!({ "repeat": 6, "steps": [launch("notes", "Shopping"), launch("settings", "Airplane Mode")] });
    let tap = json!({ "tool": "tap", "arguments": { "element": "cell \"General\"" }, "expect": { "text": "Software Update" } });
    let id = start(&host, json!({ "steps": [there, tap] })).await;
    event(&host, &id, is_step(3)).await;
    let before = history(&host, &id).await;
    let setup = host.kill().await;
    serve_next(&setup, &wda_devices(&[("phone", &sim.url())]));
    let host = Host::start(setup).await;
    let after = ended(&host, &id).await;
    goes_on(&before, &after);
    assert_eq!(sim.touches().len(), 1, "the end was on the other phone: {}", after.told());
}
