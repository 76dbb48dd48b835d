//! Twenty tasks that bring their own steps, each on the virtual phone and through the *simulated* iPhone, and ten faults in the
//! middle of such tasks on the simulated iPhone.
//!
//! Here is how a script is run on both phones and what is asked of its end; the scripts stand by app, the faults in `faults`.

mod apps;
mod faults;
mod fields;
mod phone;
mod settings;

use e2e::{
    host::{Host, virtual_device, wda_devices},
    phones::BOTH,
    tasks::{History, ended, start},
    wda_sim::{SimOptions, WdaSim},
};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Pixels a point: the pictures are small, so that a machine that does many things at once has little to draw.
const SCALE: f64 = 1.0;

/// A script, and what is the case when it has come to its end.
struct Script {
    name: &'static str,
    steps: Value,
    inputs: Value,
    end: End,
}

/// How a script ends.
enum End {
    /// All steps are done. The tree then shows the first texts and none of the second.
    Done(&'static [&'static str], &'static [&'static str]),
    /// It fails in this step, for this reason.
    Fails(u64, &'static str),
}

impl Script {
    fn new(name: &'static str, steps: Value, end: End) -> Script {
        Script { name, steps, inputs: json!({}), end }
    }

    fn with(self, inputs: Value) -> Script {
        Script { inputs, ..self }
    }
}

fn sim() -> WdaSim {
    let mut options = SimOptions::default();
    options.phone.scale = SCALE;
    WdaSim::start_now(options).expect("a simulator")
}

/// Runs scripts on both phones, each on a pair that is its own, all at once: the histories, virtual phone first.
async fn run(scripts: &[Script]) -> Vec<[History; 2]> {
    let sims: Vec<WdaSim> = scripts.iter().map(|_| sim()).collect();
    let ids: Vec<[String; 2]> = (0..scripts.len()).map(|n| BOTH.map(|phone| format!("{phone}-{n}"))).collect();
    let drawn = |id: &str| format!("[[plugin.device]]\nid = {id:?}\n[plugin.device.options]\nscale = {SCALE}\n");
    let mut devices = virtual_device("spare");
    devices.extend(ids.iter().map(|[virtual_phone, _]| drawn(virtual_phone)));
    let urls: Vec<String> = sims.iter().map(WdaSim::url).collect();
    let iphones = ids.iter().zip(&urls).map(|([_, iphone], url)| (iphone.as_str(), url.as_str()));
    devices += &wda_devices(&iphones.collect::<Vec<_>>());
    let host = Host::with(&devices).await;
    let pairs = scripts.iter().zip(&ids).map(|(script, ids)| {
        let host = &host;
        async move {
            let [first, second] = join_all(ids.iter().map(|id| one(host, script, id))).await.try_into().expect("two");
            [first, second]
        }
    });
    join_all(pairs).await
}

/// Runs one script on one phone and looks at its end.
async fn one(host: &Host, script: &Script, device: &str) -> History {
    let order = json!({ "goal": script.name, "device_id": device, "steps": script.steps, "inputs": script.inputs });
    let id = start(host, order).await;
    let history = ended(host, &id).await;
    let told = || format!("{}, {device}: {}", script.name, history.told());
    history.assert_complete();
    match &script.end {
        End::Done(shown, gone) => {
            assert_eq!(history.status(), "succeeded", "{}", told());
            let (_, tree) = host.get(&format!("/devices/{device}/tree")).await;
            let text = tree["text"].as_str().unwrap_or_else(|| panic!("{device}: {tree}"));
            for shown in *shown {
                assert!(text.contains(shown), "{shown} is not shown: {text}\n{}", told());
            }
            for gone in *gone {
                assert!(!text.contains(gone), "{gone} is shown: {text}\n{}", told());
            }
        }
        End::Fails(step, reason) => {
            assert_eq!(history.status(), "failed", "{}", told());
            let error = &history.task["error"];
            assert_eq!((&error["step"], &error["reason"]), (&json!(step), &json!(reason)), "{}", told());
            assert!(error["message"].is_string() && error["hint"].is_string(), "{}", told());
        }
    }
    // The phone is free again.
    host.until(&format!("/devices/{device}"), |body| body["device"]["status"] == "idle").await;
    history
}

fn launch(app: &str) -> Value {
    json!({ "tool": "launch_app", "arguments": { "app": format!("com.fingertip.{app}"), "fresh": true } })
}

/// A tap on an element by its own words, after which a text is there.
fn tap(element: &str, then: &str) -> Value {
    json!({ "tool": "tap", "arguments": { "element": element }, "expect": { "text": then } })
}

fn press(button: &str) -> Value {
    json!({ "tool": "press_button", "arguments": { "button": button } })
}

fn all(steps: &[Value]) -> Value {
    steps.to_vec().into()
}
