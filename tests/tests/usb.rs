//! iPhones on cables as callers see them: through the real binary, with a *simulated* USB multiplexer.

use e2e::{
    host::{Host, Setup},
    usbmux_sim::{Listen, UsbPhone, UsbmuxSim},
    wda_sim::{Generation, SimOptions, WdaSim},
};
use serde_json::{Value, json};

const UDID: &str = "00008110-000A1B2C3D4E5F60";
const WDA: &str = "[[plugin]]\nname = \"wda\"\n";

fn agent() -> WdaSim {
    let mut options = SimOptions::of(Generation::V16);
    options.phone.scale = 1.0;
    WdaSim::start_now(options).expect("a simulator")
}

async fn host(muxer: &str, rest: &str) -> Host {
    Host::start(Setup::new(&format!("{WDA}{rest}")).with_env("USBMUXD_SOCKET_ADDRESS", muxer)).await
}

fn only(devices: &Value) -> Value {
    devices["devices"].as_array().and_then(|devices| devices.first()).cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_phone_is_plugged_in_used_and_unplugged() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let host = host(&muxer.address(), "").await;
    assert_eq!(host.get("/devices").await.1, json!({"devices": []}));
    muxer.plug(UsbPhone::with_agent(UDID, &agent));
    let device = only(&host.until("/devices", |devices| only(devices)["status"] == "idle").await);
    assert_eq!(
        (&device["id"], &device["name"], &device["model"], &device["os_version"], &device["connection"]["via"]),
        (&json!(UDID), &json!("Simulated iPhone"), &json!("iPhone 15 Pro"), &json!("17.5"), &json!("usb"))
    );
    let tap = format!("/devices/{UDID}/tap");
    let (status, tapped) = host.post(&tap, json!({"x": 5, "y": 5})).await;
    assert_eq!(status, 200, "{tapped}");
    assert_eq!(agent.touches().len(), 1);
    let (_, apps) = host.get(&format!("/devices/{UDID}/apps")).await;
    assert_eq!(apps["complete"], true, "{apps}");

    muxer.unplug(UDID);
    let gone = only(&host.until("/devices", |devices| only(devices)["status"] == "offline").await);
    assert_eq!(gone["reason"], "unplugged", "{gone}");
    let (_, refused) = host.post(&tap, json!({"x": 5, "y": 5})).await;
    assert_eq!((&refused["code"], &refused["outcome"]), (&json!("device_offline"), &json!("not_done")), "{refused}");
    assert!(refused["hint"].as_str().is_some_and(|hint| hint.contains("Plug it in")), "{refused}");

    muxer.plug(UsbPhone::with_agent(UDID, &agent));
    host.until("/devices", |devices| matches!(only(devices)["status"].as_str(), Some("idle" | "busy"))).await;
    assert_eq!(host.post(&tap, json!({"x": 5, "y": 5})).await.0, 200);
}

#[tokio::test]
async fn what_keeps_a_phone_from_being_used_stands_in_the_list_and_in_its_status() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let host = host(&muxer.address(), "").await;
    let mut phone = UsbPhone::with_agent(UDID, &agent);
    phone.ports.clear();
    phone.paired = false;
    muxer.plug(phone);
    let status = format!("/devices/{UDID}");
    for (reason, says) in [("needs_trust", "tap Trust"), ("helper_not_running", "start it on the phone")] {
        host.until(&status, |status| status["device"]["reason"] == reason).await;
        let (_, seen) = host.get(&status).await;
        assert_eq!(seen["device"]["status"], "offline", "{seen}");
        assert!(seen["last_error"].as_str().is_some_and(|last| last.contains(says)), "{seen}");
        muxer.change(UDID, |phone| phone.paired = true);
    }
    // Once its agent runs it is found by itself.
    let address = agent.address();
    muxer.change(UDID, |phone| phone.ports.extend([(8100, address)]));
    host.until(&status, |status| status["device"]["status"] == "idle").await;
}

#[tokio::test]
async fn row_1_another_program_that_takes_the_phone_over_is_told_in_its_status() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let host = host(&muxer.address(), "").await;
    muxer.plug(UsbPhone::with_agent(UDID, &agent));
    host.until("/devices", |devices| only(devices)["status"] == "idle").await;
    let tap = format!("/devices/{UDID}/tap");
    assert_eq!(host.post(&tap, json!({"x": 5, "y": 5})).await.0, 200);
    let status = format!("/devices/{UDID}");
    assert_eq!(host.get(&status).await.1["last_error"], Value::Null);
    agent.faults().steal_session();
    assert_eq!(host.post(&tap, json!({"x": 5, "y": 5})).await.0, 200);
    assert_eq!(agent.touches().len(), 2);
    let seen = host.until(&status, |status| status["last_error"].is_string()).await;
    assert!(seen["last_error"].as_str().is_some_and(|last| last.contains("another program took over")), "{seen}");
}

#[tokio::test]
async fn every_form_of_the_variable_is_understood_and_nonsense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muxer");
    let muxer = UsbmuxSim::start_at(Listen::Unix(file.clone())).unwrap();
    let agent = agent();
    muxer.plug(UsbPhone::with_agent(UDID, &agent));
    for form in [file.display().to_string(), format!("UNIX:{}", file.display())] {
        let host = host(&form, "").await;
        host.until("/devices", |devices| only(devices)["id"] == UDID).await;
    }
    let host = host("nonsense", "").await;
    let (_, plugins) = host.get("/plugins").await;
    let error = plugins["plugins"][0]["error"].as_str().unwrap_or_default();
    assert!(error.contains("USBMUXD_SOCKET_ADDRESS is \"nonsense\""), "{plugins}");
}

#[tokio::test]
async fn cables_can_be_turned_off() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    muxer.plug(UsbPhone::with_agent(UDID, &agent));
    let rest =
        format!("[plugin.options]\nusb = false\n[[plugin.device]]\nid = \"desk\"\naddress = {:?}\n", agent.url());
    let host = host(&muxer.address(), &rest).await;
    let devices = host.until("/devices", |devices| only(devices)["status"] == "idle").await;
    assert_eq!(devices["devices"].as_array().map(Vec::len), Some(1), "{devices}");
    assert_eq!(muxer.listeners(), 0);
}
