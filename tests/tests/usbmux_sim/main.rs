//! The simulated usbmuxd is itself tested here: what goes over the wire, by a client that is as bare as can be, and by one that
//! this project did not write.

mod bad_input;
mod client;
mod independent;
mod muxer;
mod services;

use client::Client;
use e2e::{
    usbmux_sim::{UsbPhone, UsbmuxSim},
    wda_sim::{SimOptions, WdaSim},
};
use std::time::{Duration, Instant};

const FIRST: &str = "00008130-000000000000000A";
const SECOND: &str = "00008130-000000000000000B";

/// A muxer with one phone, whose agent serves the stream of pictures too.
pub(crate) struct Rig {
    pub(crate) muxer: UsbmuxSim,
    pub(crate) agent: WdaSim,
    /// The phone's number.
    pub(crate) id: u32,
}

impl Rig {
    pub(crate) fn new() -> Rig {
        let mut options = SimOptions { mjpeg_port: Some(0), ..SimOptions::default() };
        // A small phone, so that its pictures cost little.
        options.phone.scale = 1.0;
        let agent = WdaSim::start_now(options).unwrap_or_else(|error| panic!("{error}"));
        let muxer = UsbmuxSim::start().unwrap_or_else(|error| panic!("{error}"));
        let id = muxer.plug(UsbPhone::with_agent(FIRST, &agent));
        Rig { muxer, agent, id }
    }

    pub(crate) fn client(&self) -> Client {
        Client::open(&self.muxer.address())
    }
}

/// Waits until it is so, but not for ever.
pub(crate) fn until(what: &str, so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !so() {
        assert!(Instant::now() < end, "it never came: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
