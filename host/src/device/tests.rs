//! The device layer over a plugin in this process whose device does as the test says.

use super::*;
use crate::neutral::{App, Connection, DeviceInfo, Launch, Picture, Platform, Point, Swipe, Tree, Via};
use driver_api::{Driver, LogRecord, Plugin, PluginConfig, handle::PluginHandle};
use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// What the device does with the next calls, and what it was asked.
#[derive(Default)]
struct Script {
    /// Answers for the next operations, the first first; afterwards everything works.
    next: Vec<Do>,
    /// Whether connecting works.
    reachable: bool,
    /// Whether nothing is answered at all.
    hung: bool,
    calls: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Do {
    Work,
    Break,
    Hang,
    GiveUp,
}

/// Scripts by the number that the device's id ends in: plugins are made by their type, which has no room for one.
static SCRIPTS: Mutex<Vec<Arc<Mutex<Script>>>> = Mutex::new(Vec::new());

struct Scripted;
struct ScriptedDriver(Arc<Mutex<Script>>);

impl Plugin for Scripted {
    type Driver = ScriptedDriver;

    fn new(_: PluginConfig) -> driver_api::Result<Self> {
        Ok(Scripted)
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        Vec::new()
    }

    fn driver(&self, id: &str) -> driver_api::Result<ScriptedDriver> {
        let number: usize = id.trim_start_matches('d').parse().expect("a number");
        Ok(ScriptedDriver(SCRIPTS.lock().expect("sound")[number].clone()))
    }
}

impl ScriptedDriver {
    async fn operation(&self, name: &'static str) -> driver_api::Result<()> {
        let (what, hung) = {
            let mut script = self.0.lock().expect("sound");
            script.calls.push(name);
            let what = if script.next.is_empty() { Do::Work } else { script.next.remove(0) };
            (what, script.hung)
        };
        match what {
            _ if hung => pending().await,
            Do::Work => Ok(()),
            Do::Break => Err(DriverError::unknown(ErrorKind::NotReachable, "the connection broke")),
            Do::Hang => pending().await,
            Do::GiveUp => Err(DriverError::unknown(ErrorKind::Timeout, "it did not come about")),
        }
    }

    async fn reach(&self, name: &'static str) -> driver_api::Result<()> {
        let (reachable, hung) = {
            let mut script = self.0.lock().expect("sound");
            script.calls.push(name);
            (script.reachable, script.hung)
        };
        match (hung, reachable) {
            (true, _) => pending().await,
            (false, true) => Ok(()),
            (false, false) => Err(DriverError::new(ErrorKind::NotReachable, "nothing there")),
        }
    }
}

impl Driver for ScriptedDriver {
    async fn connect(&self) -> driver_api::Result<()> {
        self.reach("connect").await
    }
    async fn probe(&self) -> driver_api::Result<()> {
        self.reach("probe").await
    }
    async fn disconnect(&self) -> driver_api::Result<()> {
        self.0.lock().expect("sound").calls.push("disconnect");
        Ok(())
    }
    async fn screenshot(&self) -> driver_api::Result<Picture> {
        Err(DriverError::new(ErrorKind::PictureUnavailable, "no picture"))
    }
    async fn tap(&self, _: Point) -> driver_api::Result<()> {
        self.operation("tap").await
    }
    async fn swipe(&self, _: Swipe) -> driver_api::Result<()> {
        self.operation("swipe").await
    }
    async fn input(&self, _: &str) -> driver_api::Result<()> {
        Ok(())
    }
    async fn launch(&self, launch: Launch) -> driver_api::Result<App> {
        Ok(App { id: launch.app, name: None })
    }
    async fn terminate(&self, _: &str) -> driver_api::Result<bool> {
        Ok(false)
    }
    async fn tree(&self) -> driver_api::Result<Tree> {
        self.operation("tree").await?;
        Ok(Tree::default())
    }
    async fn home(&self) -> driver_api::Result<()> {
        Ok(())
    }
    async fn lock(&self) -> driver_api::Result<()> {
        Ok(())
    }
    async fn unlock(&self) -> driver_api::Result<()> {
        Ok(())
    }
}

struct Quiet;

impl driver_api::handle::Host for Quiet {
    fn log_level(&self) -> tracing::metadata::LevelFilter {
        tracing::metadata::LevelFilter::OFF
    }
    fn log(&self, _: LogRecord) {}
    fn device_event(&self, _: driver_api::DeviceEvent) {}
}

struct Bench {
    manager: Manager,
    device: Arc<Device>,
    script: Arc<Mutex<Script>>,
}

fn bench() -> Bench {
    let script = Arc::new(Mutex::new(Script { reachable: true, ..Script::default() }));
    let number = {
        let mut scripts = SCRIPTS.lock().expect("sound");
        scripts.push(script.clone());
        scripts.len() - 1
    };
    let fences = AtomicU64::new(1);
    let manager = Manager::new(Arc::new(move || {
        let fence = fences.fetch_add(1, Ordering::Relaxed);
        (format!("lease-{fence}"), fence)
    }));
    let plugin = PluginHandle::in_process::<Scripted>(Quiet, &PluginConfig::default()).expect("started");
    let info = DeviceInfo {
        id: format!("d{number}"),
        name: "scripted".to_owned(),
        platform: Platform::Virtual,
        model: None,
        os_version: None,
        connection: Connection { via: Via::Local, address: "in memory".to_owned() },
    };
    manager.arrived("scripted", &plugin, info);
    let device = manager.get(&format!("d{number}")).expect("registered");
    Bench { manager, device, script }
}

impl Bench {
    fn calls(&self) -> Vec<&'static str> {
        self.script.lock().expect("sound").calls.clone()
    }

    fn script(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().expect("sound"));
    }

    fn status(&self) -> (Status, Option<Reason>) {
        let snapshot = self.device.snapshot();
        (snapshot.status, snapshot.reason)
    }

    async fn tap(&self, limit: Duration, patience: Duration) -> Result<(), Error> {
        let permit = self.device.permit(&ann(), None)?;
        let operation = Operation { name: "tap", limit };
        self.device
            .act(permit, operation, Instant::now() + patience, |driver, within| async move {
                driver.tap(Point::new(1.0, 1.0), within).await
            })
            .await
    }

    async fn tree(&self, limit: Duration) -> Result<Tree, Error> {
        let operation = Operation { name: "tree", limit };
        self.device.look(operation, soon(), |driver, within| async move { driver.tree(within).await }).await
    }

    /// Waits until the device has this status; the healing runs in the background.
    async fn until(&self, status: Status) {
        let reached = async {
            while self.status().0 != status {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), reached).await.expect("the status is reached");
    }
}

const LIMIT: Duration = Duration::from_secs(20);

fn soon() -> Instant {
    Instant::now() + LIMIT
}

fn ann() -> Holder {
    Holder { key: "ann".to_owned(), name: "Ann".to_owned() }
}

fn bob() -> Holder {
    Holder { key: "bob".to_owned(), name: "Bob".to_owned() }
}

#[tokio::test]
async fn connecting_marks_busy_and_disconnecting_marks_idle() {
    let bench = bench();
    assert_eq!(bench.status(), (Status::Idle, None));
    let lease = bench.device.connect(&ann(), EXPLICIT, soon()).await.expect("reachable");
    assert_eq!(bench.status(), (Status::Busy, None));
    assert_eq!(bench.device.snapshot().lease.expect("a lease").fence, lease.fence);
    bench.device.disconnect(&ann(), Some(&lease.id), soon()).await.expect("its own");
    assert_eq!(bench.status(), (Status::Idle, None));
    assert_eq!(bench.calls().last(), Some(&"disconnect"));
    bench.device.disconnect(&ann(), Some(&lease.id), soon()).await.expect("again is no error");
}

#[tokio::test]
async fn connecting_to_what_is_not_there_marks_offline() {
    let bench = bench();
    bench.script(|script| script.reachable = false);
    let error = bench.device.connect(&ann(), EXPLICIT, soon()).await.expect_err("nothing there");
    assert!(
        matches!(error, Error::Unavailable { status: Status::Offline, reason: Reason::NotReachable, .. }),
        "{error:?}"
    );
    assert_eq!(bench.status(), (Status::Offline, Some(Reason::NotReachable)));
    assert!(bench.device.snapshot().lease.is_none());
    bench.device.disconnect(&ann(), None, soon()).await.expect("idempotent");
    assert_eq!(bench.status().0, Status::Offline);
    bench.script(|script| script.reachable = true);
    bench.device.connect(&ann(), EXPLICIT, soon()).await.expect("trying again finds it");
    assert_eq!(bench.status(), (Status::Busy, None));
}

#[tokio::test]
async fn a_broken_read_is_repeated_once_over_a_new_connection() {
    let bench = bench();
    bench.tree(LIMIT).await.expect("works");
    bench.script(|script| {
        script.calls.clear();
        script.next = vec![Do::Break];
    });
    bench.tree(LIMIT).await.expect("the second try works");
    assert_eq!(bench.calls(), ["tree", "connect", "tree"]);
    assert_eq!(bench.status(), (Status::Idle, None));

    bench.script(|script| script.next = vec![Do::Break, Do::Break]);
    assert!(matches!(bench.tree(LIMIT).await, Err(Error::Unavailable { outcome: Outcome::NotDone, .. })));
    assert_eq!(bench.status().0, Status::Offline);
}

#[tokio::test]
async fn a_broken_action_is_never_repeated_and_its_outcome_is_unknown() {
    let bench = bench();
    bench.tap(LIMIT, LIMIT).await.expect("works");
    bench.script(|script| {
        script.calls.clear();
        script.next = vec![Do::Break];
    });
    let error = bench.tap(LIMIT, LIMIT).await.expect_err("it broke");
    assert!(matches!(error, Error::Unavailable { outcome: Outcome::Unknown, .. }), "{error:?}");
    assert_eq!(bench.calls(), ["tap"]);
    bench.tap(LIMIT, LIMIT).await.expect("the next one connects again");
    assert_eq!(bench.calls(), ["tap", "connect", "tap"]);
}

#[tokio::test]
async fn a_callers_short_time_marks_nothing_and_the_call_goes_on() {
    let bench = bench();
    bench.tap(LIMIT, LIMIT).await.expect("works");
    bench.script(|script| script.next = vec![Do::Hang]);
    let error = bench.tap(Duration::from_secs(2), Duration::from_millis(50)).await.expect_err("impatient");
    assert_eq!(error, Error::Late { outcome: Outcome::Unknown });
    assert_eq!(bench.status(), (Status::Busy, None));
    // The hung call still has the device's turn, so that this one is not even sent.
    let error = bench.tap(LIMIT, Duration::from_millis(50)).await.expect_err("impatient");
    assert_eq!(error, Error::Late { outcome: Outcome::NotDone });
}

#[tokio::test]
async fn the_operations_own_limit_marks_error_closes_the_lane_and_heals() {
    let bench = bench();
    let tending = tokio::spawn(bench.manager.clone().tend());
    bench.tap(LIMIT, LIMIT).await.expect("works");
    bench.script(|script| script.hung = true);
    let error = bench.tap(Duration::from_millis(50), LIMIT).await.expect_err("it hangs");
    assert_eq!(error, Error::Overran { outcome: Outcome::Unknown });
    assert_eq!(bench.status(), (Status::Error, Some(Reason::Unresponsive)));
    let calls = bench.calls().iter().filter(|call| **call == "tap").count();
    let error = bench.tap(LIMIT, LIMIT).await.expect_err("closed");
    assert!(matches!(error, Error::Unavailable { status: Status::Error, outcome: Outcome::NotDone, .. }), "{error:?}");
    assert_eq!(bench.calls().iter().filter(|call| **call == "tap").count(), calls, "nothing is sent meanwhile");
    bench.script(|script| script.hung = false);
    bench.until(Status::Busy).await;
    bench.tap(LIMIT, LIMIT).await.expect("it is used again");
    tending.abort();
}

#[tokio::test]
async fn an_offline_device_is_found_again_by_itself() {
    let bench = bench();
    bench.script(|script| script.reachable = false);
    let tending = tokio::spawn(bench.manager.clone().tend());
    bench.until(Status::Offline).await;
    bench.script(|script| script.reachable = true);
    bench.until(Status::Idle).await;
    tending.abort();
}

async fn tap_as(bench: &Bench, permit: Permit) -> Result<(), Error> {
    let operation = Operation { name: "tap", limit: LIMIT };
    let tap = |driver: DriverHandle, within| async move { driver.tap(Point::new(1.0, 1.0), within).await };
    bench.device.act(permit, operation, soon(), tap).await
}

#[tokio::test]
async fn a_call_whose_lease_ended_while_it_waited_does_not_run() {
    let bench = bench();
    let lease = bench.device.connect(&ann(), EXPLICIT, soon()).await.expect("reachable");
    let by_id = bench.device.permit(&ann(), Some(&lease.id)).expect("its own");
    let by_name = bench.device.permit(&ann(), None).expect("its own");
    bench.device.disconnect(&ann(), None, soon()).await.expect("its own");
    tap_as(&bench, bench.device.permit(&bob(), None).expect("free")).await.expect("works");
    bench.script(|script| script.calls.clear());
    assert_eq!(tap_as(&bench, by_id).await, Err(Error::LeaseLost));
    assert!(matches!(tap_as(&bench, by_name).await, Err(Error::Busy { holder, .. }) if holder == "Bob"));
    assert!(!bench.calls().contains(&"tap"));
}

#[tokio::test]
async fn a_call_that_does_nothing_takes_no_lease() {
    let bench = bench();
    bench.script(|script| script.reachable = false);
    let permit = bench.device.permit(&ann(), None).expect("free");
    assert!(matches!(tap_as(&bench, permit).await, Err(Error::Unavailable { .. })));
    assert!(bench.device.snapshot().lease.is_none());
    bench.device.permit(&bob(), None).expect("still free");
}

#[tokio::test]
async fn looking_needs_no_lease_and_leaves_the_device_idle() {
    let bench = bench();
    bench.tree(LIMIT).await.expect("works");
    assert_eq!(bench.status(), (Status::Idle, None));
    tap_as(&bench, bench.device.permit(&bob(), None).expect("free")).await.expect("works");
    bench.tree(LIMIT).await.expect("works while another holds it");
    assert!(matches!(bench.device.permit(&ann(), None), Err(Error::Busy { holder, .. }) if holder == "Bob"));
}

#[tokio::test]
async fn a_holder_that_is_gone_leaves_the_device_free() {
    let bench = bench();
    tap_as(&bench, bench.device.permit(&ann(), None).expect("free")).await.expect("works");
    assert_eq!(bench.status().0, Status::Busy);
    bench.manager.forget_holder("ann");
    assert_eq!(bench.status().0, Status::Idle);
    bench.device.permit(&bob(), None).expect("free");
}

#[tokio::test]
async fn a_driver_that_gives_up_early_marks_nothing() {
    let bench = bench();
    bench.tap(LIMIT, LIMIT).await.expect("works");
    bench.script(|script| script.next = vec![Do::GiveUp]);
    let error = bench.tap(LIMIT, LIMIT).await.expect_err("it gave up");
    assert!(matches!(error, Error::Driver(DriverError { kind: ErrorKind::Timeout, .. })), "{error:?}");
    assert_eq!(bench.status(), (Status::Busy, None));
    bench.tap(LIMIT, LIMIT).await.expect("and goes on");
}

#[tokio::test]
async fn a_device_in_use_is_not_probed_and_an_unplugged_one_stays_unplugged() {
    let bench = bench();
    bench.tap(LIMIT, LIMIT).await.expect("works");
    bench.script(|script| script.next = vec![Do::Hang]);
    let call = tokio::spawn({
        let (device, permit) = (bench.device.clone(), bench.device.permit(&ann(), None).expect("its own"));
        let operation = Operation { name: "tap", limit: LIMIT };
        async move {
            let tap = |driver: DriverHandle, within| async move { driver.tap(Point::new(1.0, 1.0), within).await };
            device.act(permit, operation, soon(), tap).await
        }
    });
    while bench.calls().iter().filter(|call| **call == "tap").count() < 2 {
        tokio::task::yield_now().await;
    }
    let much_later = Instant::now() + Duration::from_secs(3600);
    assert!(!bench.device.tend(much_later), "the phone is at work");
    call.abort();

    let bench = self::bench();
    bench.device.unplugged();
    assert!(!bench.device.tend(much_later));
    assert_eq!(bench.status(), (Status::Offline, Some(Reason::Unplugged)));
    let info = bench.device.snapshot().info;
    bench.device.update(info);
    assert!(bench.device.tend(Instant::now()), "it was plugged in again");
    bench.until(Status::Idle).await;
}

#[tokio::test]
async fn the_connection_is_kept_while_somebody_looks_and_closed_once_afterwards() {
    let bench = bench();
    tap_as(&bench, bench.device.permit(&ann(), None).expect("free")).await.expect("works");
    bench.manager.forget_holder("ann");
    let now = Instant::now();
    bench.device.tend(now);
    bench.tree(LIMIT).await.expect("works");
    bench.device.tend(now + Duration::from_secs(299));
    tokio::task::yield_now().await;
    assert!(!bench.calls().contains(&"disconnect"), "somebody looked meanwhile");
    let closed = async {
        while !bench.calls().contains(&"disconnect") {
            bench.device.tend(now + Duration::from_secs(400));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), closed).await.expect("nobody needs it");
    bench.script(|script| script.calls.clear());
    bench.tree(LIMIT).await.expect("works");
    bench.device.tend(Instant::now() + Duration::from_secs(400));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!bench.calls().contains(&"disconnect"), "no lease has ended since");
}

#[tokio::test]
async fn a_session_that_is_gone_gets_no_lease_for_what_it_left_in_the_queue() {
    let bench = bench();
    let permit = bench.device.permit(&ann(), None).expect("free");
    bench.manager.forget_holder("ann");
    assert_eq!(tap_as(&bench, permit).await, Err(Error::LeaseLost));
    assert_eq!(bench.status().0, Status::Idle);
}
