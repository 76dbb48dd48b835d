//! Hosts that are killed at random moments of running tasks, on *simulated* iPhones that are processes of their own, and phones
//! that are killed under a running task. What was recorded stays, each action is done at most once, and each task comes to its
//! end or asks.
//!
//! `FINGERTIP_KILLS=200 cargo test -p e2e --test kills -- --nocapture` kills 200 times instead of 20; `FINGERTIP_SEED=7`
//! chooses other moments. The simulator is built by `cargo build -p e2e --example wda-simulator`.

use e2e::{
    host::{Host, Setup, wda_devices},
    tasks::{History, answer, ended, event, history, start, until},
    wda_process::WdaProcess,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::{sleep, timeout};

const PHONES: usize = 3;
/// A host lives at most this long.
const LONGEST_MS: u64 = 1_600;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Numbers that look random and are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

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

/// One phone and the task on it.
struct Phone {
    id: String,
    sim: WdaProcess,
    task: Option<String>,
    /// How many tasks it had.
    round: usize,
    /// How many touches there were before this task.
    before: usize,
    /// All events of the task that anybody saw.
    seen: Vec<Value>,
}

/// What happened in all.
#[derive(Debug, Default)]
struct Count {
    tasks: usize,
    touches: usize,
    events: usize,
    open_intents: usize,
    looked_at: usize,
    asked: usize,
}

impl Phone {
    async fn new(number: usize) -> Phone {
        let sim = WdaProcess::start(0).await;
        Phone { id: format!("iphone-{number}"), sim, task: None, round: 0, before: 0, seen: Vec::new() }
    }

    /// Sees what is new of the task, answers what it asks, and checks it when it has ended. Whether it has.
    async fn follow(&mut self, host: &Host, count: &mut Count) -> bool {
        let Some(id) = self.task.clone() else { return true };
        let (status, answer) = host.get(&format!("/task/{id}?after={}", self.seen.len())).await;
        assert_eq!(status, 200, "{answer}");
        self.seen.extend(answer["events"].as_array().expect("events").iter().cloned());
        match answer["task"]["status"].as_str().expect("a status") {
            "needs_human" => self.help(host, &id).await,
            "succeeded" => {
                self.check(&history(host, &id).await, count).await;
                self.before = self.sim.touches().await.len();
                (self.task, self.round) = (None, self.round + 1);
                return true;
            }
            "failed" | "cancelled" | "paused" => panic!("{}", history(host, &id).await.told()),
            _ => {}
        }
        false
    }

    /// A person looks at the phone and says whether it was done.
    async fn help(&mut self, host: &Host, id: &str) {
        let history = history(host, id).await;
        assert_eq!(history.task["question"]["reason"], "outcome_unknown", "{}", history.told());
        let felt = self.sim.touches().await.len() - self.before;
        answer(host, id, if felt > history.uses("tap").1 { "done" } else { "again" }).await;
    }

    async fn begin(&mut self, host: &Host) {
        self.seen.clear();
        // Should the host be killed before it answers, the same task is begun again.
        let key = format!("{} {}", self.id, self.round);
        self.task = Some(start(host, json!({ "device_id": self.id, "steps": script(), "idempotency_key": key })).await);
    }

    /// The phone felt each tap that is recorded as done, once and in its order, and no other.
    async fn check(&mut self, history: &History, count: &mut Count) {
        history.assert_complete();
        let told = || history.told();
        let touches = self.sim.touches().await.split_off(self.before);
        let (intents, done) = history.uses("tap");
        assert!(touches.len() <= intents, "{touches:?}: {}", told());
        assert_eq!((touches.len(), done), (15, 15), "{touches:?}: {}", told());
        let was_done = |intent: &&Value| {
            intent["data"]["tool"] == "tap"
                && history.effect_of(intent).is_some_and(|effect| effect["data"]["outcome"] == "done")
        };
        let mut places: BTreeMap<&str, &Value> = BTreeMap::new();
        for (intent, touch) in history.of("intent").filter(was_done).zip(&touches) {
            let element = intent["data"]["arguments"]["element"].as_str().expect("an element");
            let place = places.entry(element).or_insert(touch);
            assert_eq!(*place, touch, "{element} of intent {} was touched elsewhere: {}", intent["n"], told());
        }
        let mut distinct: Vec<String> = places.values().map(|place| place.to_string()).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 4, "{places:?}");
        count.tasks += 1;
        count.touches += touches.len();
        count.events += history.events.len();
        count.asked += history.of("asked").count();
        count.looked_at += history.of("effect").filter(|effect| effect["data"]["why"].is_string()).count();
    }

    /// After a restart all that was seen is there as it was.
    async fn compare(&self, host: &Host, count: &mut Count) {
        let Some(id) = &self.task else { return };
        let now = history(host, id).await;
        let same = now.events.starts_with(&self.seen);
        assert!(same, "seen: {:?}\nnow: {}", self.seen, now.told());
        count.open_intents += usize::from(self.seen.last().is_some_and(|event| event["kind"] == "intent"));
    }
}

#[tokio::test]
async fn hosts_are_killed_at_random_moments() {
    let (kills, seed) = (number("FINGERTIP_KILLS", 20), number("FINGERTIP_SEED", 20_260_708));
    println!("{kills} kills, FINGERTIP_SEED={seed}");
    let mut random = Random(seed | 1);
    let mut count = Count::default();
    let mut phones = Vec::new();
    for number in 0..PHONES {
        phones.push(Phone::new(number).await);
    }
    let urls: Vec<String> = phones.iter().map(|phone| phone.sim.url()).collect();
    let devices: Vec<(&str, &str)> = phones.iter().zip(&urls).map(|(phone, url)| (&*phone.id, &**url)).collect();
    let mut host = Host::with(&wda_devices(&devices)).await;
    for _ in 0..kills {
        let life = Duration::from_millis(random.below(LONGEST_MS));
        let work = async {
            loop {
                for phone in &mut phones {
                    if phone.follow(&host, &mut count).await {
                        phone.begin(&host).await;
                    }
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        let _: Result<(), _> = timeout(life, work).await;
        host = Host::start(host.kill().await).await;
        for phone in &phones {
            phone.compare(&host, &mut count).await;
        }
    }
    let end = async {
        for phone in &mut phones {
            while !phone.follow(&host, &mut count).await {
                sleep(Duration::from_millis(20)).await;
            }
        }
    };
    timeout(Duration::from_secs(180), end).await.expect("every task ends");
    println!("after {kills} kills: {count:?}");
    assert!(count.tasks >= PHONES);
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
