//! What looking costs: `cargo build --release && cargo bench -p e2e --bench looking`. It runs the real binary, whose tools are asked
//! over REST for the virtual phone's screens of 1170×2532 pixels. Each line says what is wanted of it, on two idle cores.

use e2e::{
    host::{Host, virtual_device},
    phones::ok,
};
use serde_json::{Value, json};
use std::time::Instant;

/// How often each is asked.
const ROUNDS: usize = 9;
/// How long one answer may take.
const PATIENCE: u64 = 120_000;

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let host = Host::with(&virtual_device("phone")).await;
        timed(&host, "describe", json!({})).await;
        println!("memory without text recognition: {:.0} MB, wanted at most 40", megabytes(&host));
        tree(&host).await;
        println!("memory with pictures of the virtual phone, which draws them itself: {:.0} MB", megabytes(&host));
        icons(&host).await;
        println!("memory with the icons' shapes: {:.0} MB", megabytes(&host));
        texts(&host).await;
        println!("memory with text recognition: {:.0} MB, wanted at most 350", megabytes(&host));
    });
}

/// What the tree tells, without a picture.
async fn tree(host: &Host) {
    app(host, "settings").await;
    report("describe_screen from the tree", again(host, "describe", json!({})).await, 5.0);
    report("find_text from the tree", again(host, "find-text", json!({ "text": "Bluetooth" })).await, 5.0);
}

async fn icons(host: &Host) {
    app(host, "settings").await;
    let first = timed(host, "find-icon", json!({ "name": "trash" })).await;
    report("find_icon by shape, the first, which draws the shapes", vec![first], 400.0);
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        app(host, ["contacts", "settings"][round % 2]).await;
        took.push(timed(host, "find-icon", json!({ "name": "trash" })).await);
    }
    report("find_icon by shape, another picture", took, 400.0);
    report("find_icon by shape, the same picture", again(host, "find-icon", json!({ "name": "camera" })).await, 50.0);
}

async fn texts(host: &Host) {
    app(host, "settings").await;
    let read = || json!({ "text": "Bluetooth", "source": "ocr" });
    let first = timed(host, "find-text", read()).await;
    report("find_text in the picture, the first, which loads the models", vec![first], 1200.0);
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        app(host, ["contacts", "settings"][round % 2]).await;
        took.push(timed(host, "find-text", read()).await);
    }
    report("find_text in the picture, another screen", took, 1200.0);
    app(host, "settings").await;
    timed(host, "find-text", read()).await;
    report("find_text in the picture, the same picture", again(host, "find-text", read()).await, 5.0);
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        // One row shows something else.
        ok(host, "phone", "tap", json!({ "element": "#airplane" })).await;
        took.push(timed(host, "find-text", read()).await);
    }
    report("find_text in the picture, one row changed", took, 300.0);
}

/// Shows the first screen of an app, at rest.
async fn app(host: &Host, name: &str) {
    ok(host, "phone", "launch", json!({ "app": format!("com.fingertip.{name}"), "fresh": true })).await;
    ok(host, "phone", "wait", json!({ "idle": true })).await;
}

/// The same question again and again.
async fn again(host: &Host, what: &str, arguments: Value) -> Vec<f64> {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        took.push(timed(host, what, arguments.clone()).await);
    }
    took
}

/// How many milliseconds an answer takes.
async fn timed(host: &Host, what: &str, mut arguments: Value) -> f64 {
    arguments["timeout_ms"] = json!(PATIENCE);
    let began = Instant::now();
    ok(host, "phone", what, arguments).await;
    began.elapsed().as_secs_f64() * 1000.0
}

fn report(what: &str, mut took: Vec<f64>, wanted: f64) {
    took.sort_by(f64::total_cmp);
    let (median, worst) = (took[took.len() / 2], took[took.len() - 1]);
    println!("{what}: {median:.1} ms median, {worst:.1} at most; {:.2} × the {wanted} ms wanted", median / wanted);
}

/// The server's resident memory.
fn megabytes(host: &Host) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.pid())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}
