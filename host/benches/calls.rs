//! What a call costs on the way: both doors, the library boundary, the iPhone driver beside a bare request.
//!
//! `cargo build --release && cargo bench -p e2e --bench calls`. It runs the real binary and real libraries; the iPhone is
//! *simulated*, in this process. Memory and start-up are printed first, since they are no times of calls.

use divan::Bencher;
use driver_api::{DeviceConfig, PluginConfig, Point, handle::DriverHandle};
use e2e::{
    host::{binary, library, plugin_dir},
    wda_sim::{SimOptions, WdaSim},
};
use fingertip::plugin::Loader;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

fn main() {
    startup_and_memory();
    verified_tap();
    tap_beside_bare_request();
    divan::main();
}

/// A running `fingertip serve`.
struct Server {
    child: Child,
    address: SocketAddr,
    ready_after: Duration,
    _folder: TempDir,
}

fn configured(rest: &str) -> (TempDir, Command) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"data\"\nplugin_dirs = [{:?}]\n{rest}\n",
        plugin_dir().display().to_string()
    );
    std::fs::write(folder.path().join("fingertip.toml"), config).expect("written");
    let mut command = Command::new(binary());
    command.arg("--config").arg(folder.path().join("fingertip.toml")).env("FINGERTIP_LOG", "error");
    (folder, command)
}

impl Server {
    fn start(rest: &str) -> Server {
        let (folder, mut command) = configured(rest);
        let started = Instant::now();
        let mut child = command.arg("serve").stderr(Stdio::piped()).spawn().expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let address = loop {
            let line = lines.next().expect("the server starts").expect("text");
            if let Some((_, address)) = line.split_once("listens on http://") {
                break address.trim().parse().expect("an address");
            }
        };
        let ready_after = started.elapsed();
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, ready_after, _folder: folder }
    }

    /// Resident memory in KiB.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn startup_and_memory() {
    let virtual_phone = "[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n";
    let mut starts: Vec<Duration> = (0..10).map(|_| Server::start(virtual_phone).ready_after).collect();
    starts.sort();
    println!("start to ready, one virtual phone: {:?} (median of 10, the first copies the plugin)", starts[5]);
    let devices = |count: usize| -> u64 {
        let rows: String = (0..count).map(|n| format!("[[plugin.device]]\nid = \"pad-{n}\"\n")).collect();
        let server = Server::start(&format!("[[plugin]]\nname = \"custom-driver\"\n{rows}"));
        std::thread::sleep(Duration::from_secs(6));
        server.memory()
    };
    let (one, thousand) = (devices(1), devices(1000));
    println!(
        "resident memory: {one} KiB with 1 device, {thousand} KiB with 1,000 idle devices ({} KiB more)",
        thousand.saturating_sub(one)
    );
}

/// What a checked tap on the virtual phone takes beyond the time until the screen rests, which the answer states.
fn verified_tap() {
    const ROUNDS: usize = 40;
    let server = Server::start(VIRTUAL);
    let ask = |path: &str, body: &str| {
        let mut http = Http::new(server.address, path, body);
        let began = Instant::now();
        let answer: Value = serde_json::from_slice(http.call()).expect("JSON");
        (began.elapsed(), answer)
    };
    ask("POST /devices/phone/launch", r#"{"app":"com.fingertip.settings"}"#);
    let (_, tree) = ask("GET /devices/phone/tree?format=json", "");
    let switch = |element: &&Value| element["identifier"] == "airplane";
    let bounds =
        tree["elements"].as_array().expect("elements").iter().find(switch).expect("a switch")["bounds"].clone();
    let middle = |from: &str, size: &str| bounds[from].as_f64().expect("x") + bounds[size].as_f64().expect("y") / 2.0;
    let point = json!({ "x": middle("x", "width"), "y": middle("y", "height") });
    for (target, body) in [("a point", point), ("an element", json!({ "element": "#airplane" }))] {
        let mut beyond: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let (took, answer) = ask("POST /devices/phone/tap", &body.to_string());
                assert_eq!(answer["effect"]["state"], "changed", "{answer}");
                took.as_secs_f64() * 1000.0 - answer["effect"]["settled_ms"].as_f64().expect("a time")
            })
            .collect();
        beyond.sort_by(f64::total_cmp);
        let (median, worst) = (beyond[ROUNDS / 2], beyond[ROUNDS - 1]);
        println!(
            "checked tap on {target} of the virtual phone: {median:.1} ms beyond the settle time, {:.2} × the 15 ms wanted; \
             {worst:.1} ms at most",
            median / 15.0
        );
    }
}

/// What a tap on the simulated iPhone costs beside the one request that it makes, sent bare: each in turn, so that whatever else
/// the machine does falls on all of them alike.
fn tap_beside_bare_request() {
    const ROUNDS: usize = 1000;
    let (sim, server) = simulated();
    let mut mcp = mcp_tap(server.address);
    let tap =
        sim.requests().into_iter().rev().find(|request| request.path.ends_with("/actions")).expect("a tap was sent");
    let mut rest = Http::new(server.address, "POST /devices/phone/tap", TAP);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    // A phone of its own for the driver: a session has one owner.
    let other = WdaSim::start_now(SimOptions::default()).expect("a simulator");
    let (driver, _cache) = loaded(&runtime, "fingertip_wda", &other.url());
    let within = Duration::from_secs(10);
    let mut bare = Http::new(sim.address(), &format!("POST {}", tap.path), &tap.body);
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        let mut timed = |which: usize, call: &mut dyn FnMut()| {
            let began = Instant::now();
            call();
            times[which].push(began.elapsed());
        };
        timed(0, &mut || assert!(!bare.call().is_empty()));
        timed(1, &mut || runtime.block_on(driver.tap(Point::new(5.0, 400.0), within)).expect("tapped"));
        timed(2, &mut || assert!(!rest.call().is_empty()));
        timed(3, &mut || assert!(!mcp.call().is_empty()));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64() * 1000.0
    };
    let [bare, driver, rest, mcp] = times.each_mut().map(median);
    let wanted = 1.10 * bare + 0.3;
    println!("tap on the simulated iPhone: bare request {bare:.3} ms, wanted 1.10 × that + 0.3 ms = {wanted:.3} ms");
    for (way, took) in [("the driver", driver), ("REST", rest), ("MCP over HTTP", mcp)] {
        println!("  by {way}: {took:.3} ms, {:.2} × bare, {:.2} × wanted", took / bare, took / wanted);
    }
}

/// The driver of one device of a real library, connected.
fn loaded(runtime: &tokio::runtime::Runtime, package: &str, address: &str) -> (DriverHandle, TempDir) {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let driver = runtime.block_on(async {
        let loader = Loader { cache: cache.path().to_owned(), prober: binary() };
        let library = loader.load(&library(package), None).await.unwrap_or_else(|error| panic!("{error}"));
        let address = (!address.is_empty()).then(|| address.to_owned());
        let device = DeviceConfig { id: "a".to_owned(), address, ..DeviceConfig::default() };
        let config = PluginConfig { devices: vec![device], ..PluginConfig::default() };
        let running = library.start(&config, |_| ()).expect("started");
        let driver = running.handle.driver("a").expect("a driver");
        driver.connect(Duration::from_secs(10)).await.expect("connected");
        driver
    });
    (driver, cache)
}

/// One keep-alive connection that sends the same request again and again.
struct Http {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Http {
    fn new(address: SocketAddr, head: &str, body: &str) -> Http {
        let stream = TcpStream::connect(address).expect("connected");
        stream.set_nodelay(true).expect("no delay");
        let request = format!(
            "{head} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            body.len()
        );
        Http {
            stream: BufReader::new(stream),
            request: format!("{request}\r\n{body}").into_bytes(),
            answer: Vec::new(),
        }
    }

    fn with_headers(mut self, headers: &str) -> Http {
        let text = String::from_utf8(self.request).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        self.request = format!("{head}\r\n{headers}\r\n{body}").into_bytes();
        self
    }

    fn call(&mut self) -> &[u8] {
        self.stream.get_mut().write_all(&self.request).expect("sent");
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("a head");
            if line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a number");
            }
        }
        self.answer.resize(length, 0);
        self.stream.read_exact(&mut self.answer).expect("a body");
        &self.answer
    }
}

fn modern(method: &str, params: Value) -> (String, String) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    (format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"), body)
}

fn mcp_tap(address: SocketAddr) -> Http {
    let (headers, body) = modern(
        "tools/call",
        json!({ "name": "tap", "arguments": { "device_id": "phone", "x": 5, "y": 400, "verify": false } }),
    );
    let mut http = Http::new(address, "POST /mcp", &body).with_headers(&headers);
    let answer = String::from_utf8_lossy(http.call()).into_owned();
    assert!(answer.contains("effect"), "{answer}");
    http
}

/// One request to the phone and nothing more.
const TAP: &str = r#"{"x":5,"y":400,"verify":false}"#;

const VIRTUAL: &str = "[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n";

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn tap_virtual_mcp_http(bencher: Bencher<'_, '_>) {
    let server = Server::start(VIRTUAL);
    let mut http = mcp_tap(server.address);
    bencher.bench_local(|| http.call().len());
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn tap_virtual_rest(bencher: Bencher<'_, '_>) {
    let server = Server::start(VIRTUAL);
    let mut http = Http::new(server.address, "POST /devices/phone/tap", TAP);
    bencher.bench_local(|| http.call().len());
}

/// `fingertip mcp` with a host of its own.
struct Piped {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Piped {
    fn start() -> Piped {
        let (folder, mut command) = configured(VIRTUAL);
        let mut child = command
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Piped { child, input, output, _folder: folder }
    }

    fn call(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").expect("sent");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("answered");
        answer
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn tap_virtual_mcp_stdio(bencher: Bencher<'_, '_>) {
    let mut stdio = Piped::start();
    let (_, body) = modern("tools/call", json!({ "name": "tap", "arguments": { "x": 5, "y": 400, "verify": false } }));
    let answer = stdio.call(&body);
    assert!(answer.contains("effect"), "{answer}");
    bencher.bench_local(|| stdio.call(&body).len());
}

fn simulated() -> (WdaSim, Server) {
    let sim = WdaSim::start_now(SimOptions::default()).expect("a simulator");
    let server = Server::start(&format!(
        "[[plugin]]\nname = \"wda\"\n[[plugin.device]]\nid = \"phone\"\naddress = {:?}\n",
        sim.url()
    ));
    (sim, server)
}

#[divan::bench(sample_count = 1000, sample_size = 1)]
fn tap_simulated_iphone_mcp_http(bencher: Bencher<'_, '_>) {
    let (_sim, server) = simulated();
    let mut http = mcp_tap(server.address);
    bencher.bench_local(|| http.call().len());
}

#[divan::bench(sample_count = 1000, sample_size = 1)]
fn tap_simulated_iphone_rest(bencher: Bencher<'_, '_>) {
    let (_sim, server) = simulated();
    let mut http = Http::new(server.address, "POST /devices/phone/tap", TAP);
    bencher.bench_local(|| http.call().len());
}

/// The request that the taps above make, sent bare to the same simulator: what it is to be compared with.
#[divan::bench(sample_count = 1000, sample_size = 1)]
fn bare_request_to_simulated_iphone(bencher: Bencher<'_, '_>) {
    let (sim, server) = simulated();
    mcp_tap(server.address);
    let tap =
        sim.requests().into_iter().rev().find(|request| request.path.ends_with("/actions")).expect("a tap was sent");
    let mut http = Http::new(sim.address(), &format!("POST {}", tap.path), &tap.body);
    bencher.bench_local(|| http.call().len());
}

/// A picture of 3 MB from a plugin: through the boundary, without what a phone needs for it.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn picture_3mb_through_the_boundary(bencher: Bencher<'_, '_>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let within = Duration::from_secs(10);
    let (driver, _cache) = loaded(&runtime, "plugin_unruly", "");
    runtime.block_on(driver.input("3000000", within)).expect("taken");
    bencher.bench_local(|| runtime.block_on(driver.screenshot(within)).expect("a picture").bytes.len());
}
