//! The simulated phone is itself tested here: what goes over the wire, by a client that is as bare as can be.

mod commands;
mod faults;
mod http;
mod server;

use e2e::wda_sim::{Generation, SimOptions, WdaSim};
use http::{Connection, Reply};
use serde_json::{Value, json};

/// A simulator with one connection to it.
pub(crate) struct Rig {
    pub(crate) sim: WdaSim,
    pub(crate) to: Connection,
    pub(crate) session: String,
}

/// A small phone, so that its pictures cost little.
pub(crate) fn options(generation: Generation) -> SimOptions {
    let mut options = SimOptions::of(generation);
    options.phone.scale = 1.0;
    options
}

impl Rig {
    pub(crate) fn new(options: SimOptions) -> Rig {
        let sim = WdaSim::start_now(options).unwrap_or_else(|error| panic!("{error}"));
        let to = Connection::open(sim.address());
        Rig { sim, to, session: String::new() }
    }

    /// One with a session and without an app of its own.
    pub(crate) fn ready() -> Rig {
        Rig::of(Generation::V16)
    }

    pub(crate) fn of(generation: Generation) -> Rig {
        let mut rig = Rig::new(options(generation));
        rig.begin(json!({}));
        rig
    }

    pub(crate) fn begin(&mut self, capabilities: Value) {
        let value = self.post("/session", json!({ "capabilities": { "alwaysMatch": capabilities } })).ok();
        self.session = value["sessionId"].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.to.call("GET", path, "")
    }

    pub(crate) fn post(&mut self, path: &str, body: Value) -> Reply {
        self.to.call("POST", path, &body.to_string())
    }

    /// Within the session.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("/session/{}{path}", self.session)
    }

    pub(crate) fn ask(&mut self, path: &str) -> Reply {
        let path = self.path(path);
        self.get(&path)
    }

    pub(crate) fn tell(&mut self, path: &str, body: Value) -> Reply {
        let path = self.path(path);
        self.post(&path, body)
    }

    pub(crate) fn launch(&mut self, bundle: &str) {
        self.tell("/wda/apps/launch", json!({ "bundleId": bundle })).ok();
    }

    /// The id of the one element that is meant.
    pub(crate) fn find(&mut self, using: &str, value: &str) -> String {
        let found = self.tell("/element", json!({ "using": using, "value": value })).ok();
        found["ELEMENT"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned()
    }

    /// Puts the sign-in form in front with the email field focused; answers the field's id.
    pub(crate) fn email(&mut self) -> String {
        self.launch("com.fingertip.signin");
        let field = self.find("class name", "XCUIElementTypeTextField");
        self.tell(&format!("/element/{field}/click"), json!({})).ok();
        field
    }
}

#[tokio::test]
async fn it_starts_and_ends_within_a_runtime_and_several_stand_side_by_side() -> std::io::Result<()> {
    let one = WdaSim::start(options(Generation::V16)).await?;
    let two = WdaSim::start(options(Generation::V4)).await?;
    assert_ne!(one.address(), two.address());
    one.phone().lock();
    let locked = |sim: &WdaSim| Connection::open(sim.address()).call("GET", "/wda/locked", "").ok();
    assert_eq!((locked(&one), locked(&two)), (Value::Bool(true), Value::Bool(false)));
    one.faults().refuse(true);
    assert!(Connection::try_open(one.address()).is_err());
    let address = two.address();
    drop((one, two));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while Connection::try_open(address).is_ok() {
        assert!(std::time::Instant::now() < deadline, "it still listens");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    Ok(())
}
