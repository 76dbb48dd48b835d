//! Hosts that are killed at random moments of running tasks, on *simulated* iPhones that are processes of their own, and phones
//! that are killed under a running task. What was recorded stays, each action is done at most once, and each task comes to its
//! end or asks.
//!
//! `FINGERTIP_KILLS=200 cargo test -p e2e --test kills -- --nocapture` kills 200 times instead of 20; `FINGERTIP_SEED=7`
//! chooses other moments. The simulator is built by `cargo build -p e2e --example wda-simulator`.
//!
//! Here is when a host is killed and what must hold afterwards of every task; what is done on the phones stands in `scripts` and
//! `goals`.

mod goals;
mod scripts;

use e2e::{
    host::{Host, wda_devices},
    tasks::{History, answer, history, start},
    wda_process::WdaProcess,
};
use serde_json::{Value, json};
use std::time::Duration;
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

/// What is done on the phones, one task after the other.
trait Work {
    /// The task of a round.
    fn order(&self, round: usize) -> Value;
    /// What a person answers who sees the phone, which has felt `touches` since the task was begun.
    fn answer(&self, history: &History, touches: usize) -> String;
    /// Looks at a task that has succeeded, and at what the phone felt meanwhile.
    fn check(&self, history: &History, touches: &[Value]);
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
    async fn follow(&mut self, host: &Host, work: &dyn Work, count: &mut Count) -> bool {
        let Some(id) = self.task.clone() else { return true };
        let (status, seen) = host.get(&format!("/task/{id}?after={}", self.seen.len())).await;
        assert_eq!(status, 200, "{seen}");
        self.seen.extend(seen["events"].as_array().expect("events").iter().cloned());
        match seen["task"]["status"].as_str().expect("a status") {
            "needs_human" => {
                let history = history(host, &id).await;
                assert_eq!(history.task["question"]["reason"], "outcome_unknown", "{}", history.told());
                let touches = self.sim.touches().await.len() - self.before;
                answer(host, &id, &work.answer(&history, touches)).await;
            }
            "succeeded" => {
                let history = history(host, &id).await;
                history.assert_complete();
                let touches = self.sim.touches().await.split_off(self.before);
                let taps = history.uses("tap").0;
                assert!(touches.len() <= taps, "more touches than intents: {touches:?}: {}", history.told());
                work.check(&history, &touches);
                count.add(&history, touches.len());
                self.before += touches.len();
                (self.task, self.round) = (None, self.round + 1);
                return true;
            }
            "failed" | "cancelled" | "paused" => panic!("{}", history(host, &id).await.told()),
            _ => {}
        }
        false
    }

    async fn begin(&mut self, host: &Host, work: &dyn Work) {
        self.seen.clear();
        let mut order = work.order(self.round);
        order["device_id"] = json!(self.id);
        // Should the host be killed before it answers, the same task is begun again.
        order["idempotency_key"] = json!(format!("{} {}", self.id, self.round));
        self.task = Some(start(host, order).await);
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

impl Count {
    fn add(&mut self, history: &History, touches: usize) {
        self.tasks += 1;
        self.touches += touches;
        self.events += history.events.len();
        self.asked += history.of("asked").count();
        self.looked_at += history.of("effect").filter(|effect| effect["data"]["why"].is_string()).count();
    }
}

/// Kills hosts under such work, whose configuration begins with `settings`.
async fn kill_under(work: &dyn Work, settings: &str) {
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
    let mut host = Host::with(&(settings.to_owned() + &wda_devices(&devices))).await;
    for _ in 0..kills {
        let life = Duration::from_millis(random.below(LONGEST_MS));
        let some = async {
            loop {
                for phone in &mut phones {
                    if phone.follow(&host, work, &mut count).await {
                        phone.begin(&host, work).await;
                    }
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        let _: Result<(), _> = timeout(life, some).await;
        host = Host::start(host.kill().await).await;
        for phone in &phones {
            phone.compare(&host, &mut count).await;
        }
    }
    let end = async {
        for phone in &mut phones {
            while !phone.follow(&host, work, &mut count).await {
                sleep(Duration::from_millis(20)).await;
            }
        }
    };
    timeout(Duration::from_secs(180), end).await.expect("every task ends");
    println!("after {kills} kills: {count:?}");
    assert!(count.tasks >= PHONES);
}
