//! What the runtime of tasks adds to each step, without a model, and how many tasks it carries at once, on virtual phones.
//!
//! `cargo build --release && cargo bench -p e2e --bench tasks`. It runs the real binary. Both sides of each comparison are measured
//! in turn, so that whatever else the machine does falls on both.

use e2e::{
    host::{Host, virtual_device},
    tasks::{ended, start},
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Taps in one script, and how often it is run.
const TAPS: u32 = 90;
const ROUNDS: usize = 15;
const PHONES: usize = 100;
const TAPS_EACH: u32 = 20;
/// Steps of a task that is watched, and how many streams do so.
const LONG: u32 = 900;
const WATCHERS: [usize; 3] = [0, 1, 10];

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        one_phone().await;
        many_phones().await;
        watched().await;
    });
}

fn tap() -> Value {
    json!({ "x": 5, "y": 400, "verify": false })
}

fn script(device: &str, taps: u32) -> Value {
    json!({ "device_id": device, "steps": [{ "tool": "tap", "arguments": tap(), "repeat": taps }] })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The same taps as calls through REST and as steps of a task.
async fn one_phone() {
    let host = Host::with(&virtual_device("phone")).await;
    let task = |taps: u32| {
        let host = &host;
        async move {
            let began = Instant::now();
            let id = start(host, script("phone", taps)).await;
            let (_, answer) = host.get(&format!("/task/{id}?after=1000000&wait_ms=60000")).await;
            assert_eq!(answer["task"]["status"], "succeeded", "{answer}");
            ms(began.elapsed())
        }
    };
    task(1).await;
    let (mut bare, mut direct, mut short, mut long) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for _ in 0..TAPS {
            let began = Instant::now();
            host.get("/healthz").await;
            bare.push(ms(began.elapsed()));
            let began = Instant::now();
            let (status, answer) = host.post("/devices/phone/tap", tap()).await;
            direct.push(ms(began.elapsed()));
            assert_eq!(status, 200, "{answer}");
        }
        let (status, _) = host.post("/devices/phone/disconnect", json!({})).await;
        assert_eq!(status, 200);
        short.push(task(1).await);
        long.push(task(1 + TAPS).await);
    }
    let (bare, direct, short, long) = (median(bare), median(direct), median(short), median(long));
    let step = (long - short) / f64::from(TAPS);
    println!("a request that does nothing {bare:.3} ms, a tap through REST {direct:.3} ms");
    println!("a task of one tap {short:.1} ms from asking for it to its end; each further tap {step:.3} ms");
    println!(
        "a step adds {:.3} ms to a tap through REST ({:.2} × of it), {:.3} ms to the tap alone; wanted: at most 2 ms",
        step - direct,
        step / direct,
        step - (direct - bare)
    );
}

/// A task on each of many phones at once.
async fn many_phones() {
    let ids: Vec<String> = (0..PHONES).map(|number| format!("phone-{number}")).collect();
    let rows: String = ids.iter().map(|id| format!("[[plugin.device]]\nid = {id:?}\n")).collect();
    let host = Host::with(&format!("[[plugin]]\nname = \"virtual\"\n{rows}")).await;
    let began = Instant::now();
    let tasks = join_all(ids.iter().map(|id| start(&host, script(id, TAPS_EACH)))).await;
    let asked = began.elapsed();
    let histories = join_all(tasks.iter().map(|id| ended(&host, id))).await;
    let took = began.elapsed().as_secs_f64();
    let mut events = 0;
    for history in &histories {
        history.assert_complete();
        assert_eq!(history.status(), "succeeded", "{}", history.told());
        events += history.events.len();
    }
    let steps = PHONES * TAPS_EACH as usize;
    println!(
        "{PHONES} tasks at once of {TAPS_EACH} taps: {took:.2} s ({:.2} s until all were taken), {:.0} steps/s, {:.0} events/s",
        asked.as_secs_f64(),
        steps as f64 / took,
        events as f64 / took
    );
}

/// A long task, and streams of its events.
async fn watched() {
    let host = Host::with(&format!("[limits]\nsteps = 1000\n{}", virtual_device("phone"))).await;
    let steps: Vec<Value> =
        (0..LONG / 100).map(|_| json!({ "tool": "tap", "arguments": tap(), "repeat": 100 })).collect();
    let mut alone = None;
    for watchers in WATCHERS {
        let began = Instant::now();
        let id = start(&host, json!({ "device_id": "phone", "steps": steps })).await;
        let stream = || async {
            let answer = host.client().get(host.url(&format!("/task/{id}/events"))).send().await.expect("a stream");
            answer.text().await.expect("its end").matches("\nevent: ").count()
        };
        let events = join_all((0..watchers).map(|_| stream())).await;
        let history = ended(&host, &id).await;
        let took = began.elapsed().as_secs_f64();
        assert!(events.iter().all(|events| *events == history.events.len()), "{events:?}");
        let alone = *alone.get_or_insert(took);
        println!("{LONG} steps with {watchers} streams of their events: {took:.2} s ({:.2} × of none)", took / alone);
    }
}
