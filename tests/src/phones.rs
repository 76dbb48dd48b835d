//! The same simulated phone behind both plugins, and what is asked of it through REST.
//!
//! It knows the two devices' ids and how an answer is told from a refusal. What a test wants to show it does not know.

use crate::{
    host::{Host, virtual_device, wda_devices},
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::Value;

/// The devices of [`phones`]: the virtual phone, and the *simulated* iPhone.
pub const BOTH: [&str; 2] = ["virtual", "iphone"];

/// The two phones under these settings, each fresh.
pub async fn phones(settings: &str) -> (WdaSim, Host) {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let devices = virtual_device(BOTH[0]) + &wda_devices(&[(BOTH[1], &sim.url())]);
    let host = Host::with(&format!("{settings}\n{devices}")).await;
    (sim, host)
}

/// What a device answers to a call that must succeed; `what` is the end of the route.
pub async fn ok(host: &Host, device: &str, what: &str, body: Value) -> Value {
    let (status, answer) = host.post(&format!("/devices/{device}/{what}"), body.clone()).await;
    assert_eq!(status, 200, "{device} {what} {body}: {answer}");
    answer
}

/// The error of a call that must fail with this code.
pub async fn refused(host: &Host, device: &str, what: &str, body: Value, code: &str) -> Value {
    let (status, answer) = host.post(&format!("/devices/{device}/{what}"), body.clone()).await;
    assert!(status >= 400 && answer["code"] == code, "{device} {what} {body}: {status} {answer}");
    answer
}
