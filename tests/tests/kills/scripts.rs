//! Tasks that bring their own steps, under hosts that are killed and under phones that are.

use super::{Work, kill_under};
use e2e::{
    host::{Host, Setup, wda_devices},
    tasks::{History, ended, event, history, start, until},
    wda_process::WdaProcess,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Taps that can be told from each other; nothing on the screen tells whether the switch was touched.
fn script() -> Value {
    let tap = |element: &str, then: &str| json!({ "tool": "tap", "arguments": { "element": element }, "expect": { "text": then } });
    json!([
        { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings" }, "expect": { "text": "Airplane Mode" } },
        { "repeat": 3, "steps": [
            tap("cell \"General\"", "Software Update"),
            tap("button \"Settings\"", "Airplane Mode"),
            tap("cell \"Notifications\"", "Show Previews"),
            { "tool": "tap", "arguments": { "element": "switch \"Show Previews\"" } },
            tap("button \"Settings\"", "Airplane Mode"),
        ] },
    ])
}

/// [`script`], again and again.
struct Scripts;

impl Work for Scripts {
    fn order(&self, _: usize) -> Value {
        json!({ "steps": script() })
    }

    fn answer(&self, history: &History, touches: usize) -> String {
        if touches > history.uses("tap").1 { "done" } else { "again" }.to_owned()
    }

    /// The phone felt each tap that is recorded as done, once and in its order, and no other.
    fn check(&self, history: &History, touches: &[Value]) {
        let told = || history.told();
        assert_eq!((touches.len(), history.uses("tap").1), (15, 15), "{touches:?}: {}", told());
        let was_done = |intent: &&Value| {
            intent["data"]["tool"] == "tap"
                && history.effect_of(intent).is_some_and(|effect| effect["data"]["outcome"] == "done")
        };
        let mut places: BTreeMap<&str, &Value> = BTreeMap::new();
        for (intent, touch) in history.of("intent").filter(was_done).zip(touches) {
            let element = intent["data"]["arguments"]["element"].as_str().expect("an element");
            let place = places.entry(element).or_insert(touch);
            assert_eq!(*place, touch, "{element} of intent {} was touched elsewhere: {}", intent["n"], told());
        }
        let mut distinct: Vec<String> = places.values().map(|place| place.to_string()).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 4, "{places:?}");
    }
}

#[tokio::test]
async fn hosts_are_killed_under_scripts() {
    kill_under(&Scripts, "").await;
}

/// Steps that need nothing of what was before, since a phone that starts anew shows its home screen.
fn launches(times: u64) -> Value {
    let launch = |app: &str| json!({ "tool": "launch_app", "arguments": { "app": format!("com.fingertip.{app}") } });
    json!([{ "repeat": times, "steps": [launch("settings"), launch("notes")] }])
}

#[tokio::test]
async fn a_phone_is_killed_under_a_task() {
    let sim = WdaProcess::start(0).await;
    let host = Host::with(&wda_devices(&[("iphone", &sim.url())])).await;
    let id = start(&host, json!({ "goal": "on and on", "steps": launches(4) })).await;
    event(&host, &id, |event| event["kind"] == "verified" && event["step"] == 3).await;
    let port = sim.kill().await;
    until(&host, &id, &["waiting_device"]).await;
    let before = history(&host, &id).await;
    let _sim = WdaProcess::start(port).await;
    let after = ended(&host, &id).await;
    after.assert_complete();
    assert_eq!(after.status(), "succeeded", "{}", after.told());
    assert!(after.events.starts_with(&before.events), "{}\n{}", before.told(), after.told());
    assert_eq!(after.events[0]["data"]["steps"], launches(4), "what was asked for is as it was");
}

#[tokio::test]
async fn a_server_is_stopped_and_started_under_a_task() {
    let mut sim = WdaProcess::start(0).await;
    let setup = Setup::new(&wda_devices(&[("iphone", &sim.url())]));
    let mut host = setup.serve().await;
    let id = start(&host, json!({ "steps": script() })).await;
    let mut seen: Vec<Value> = Vec::new();
    for step in [3, 8] {
        event(&host, &id, |event| event["kind"] == "verified" && event["step"] == step).await;
        host = Host::start(host.stop().await).await;
        let now = history(&host, &id).await;
        assert!(now.events.starts_with(&seen), "{}", now.told());
        seen = now.events;
    }
    let after = ended(&host, &id).await;
    after.assert_complete();
    assert!(after.events.starts_with(&seen), "{}", after.told());
    // A server that is told to stop ends the step that it is at: nothing is in doubt.
    assert_eq!((after.status(), after.uses("tap")), ("succeeded", (15, 15)), "{}", after.told());
    assert_eq!(sim.touches().await.len(), 15);
}
