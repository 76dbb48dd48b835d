//! The search for phones on cables, which goes on for as long as the plugin is loaded.
//!
//! It knows when a phone comes and goes, and asks each what it is. What a phone is called in the list of devices is for its
//! caller to say.

use super::{
    Cable, Facts, Plugged, Usb,
    mux::{Attached, Event, Events},
    services,
};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{task::JoinSet, time::sleep};

/// How long a multiplexer that is not there is left alone: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));
/// A phone that was just plugged in may not be able to say what it is yet: how often it is asked, and the first pause.
const QUESTIONS: (u32, Duration) = (6, Duration::from_secs(1));
/// More phones than any hub holds; what comes after is left out.
const MOST: usize = 256;

/// Who wants to know.
pub(crate) trait Watcher: Clone + Send + Sync + 'static {
    /// Whether a phone of the network that the multiplexer lists counts; those on a cable always do.
    fn expects(&self, udid: &str) -> bool;
    /// A phone was plugged in, or said what it is.
    fn plugged(&self, udid: &str);
    /// A phone was unplugged.
    fn unplugged(&self, udid: &str);
}

/// Tells `watcher` of every phone that comes and goes. A multiplexer that is not there is waited for.
pub(crate) async fn discover(usb: Arc<Usb>, watcher: impl Watcher) {
    let mut pause = PAUSES.0;
    loop {
        match Events::listen(&usb.address).await {
            Ok(events) => {
                tracing::debug!(multiplexer = %usb.address, "looking for iPhones on cables");
                pause = PAUSES.0;
                let error = follow(&usb, &watcher, events).await;
                tracing::warn!(multiplexer = %usb.address, %error, "the USB multiplexer is gone, and its phones with it");
            }
            Err(error) => tracing::debug!(multiplexer = %usb.address, %error, "no USB multiplexer"),
        }
        sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Follows one connection to its end, and answers what ended it.
async fn follow(usb: &Arc<Usb>, watcher: &impl Watcher, mut events: Events) -> io::Error {
    // A phone that says what it is, and one that is unplugged, must not overtake each other on the way to the watcher.
    let telling = Arc::new(Mutex::new(()));
    let mut asking = JoinSet::new();
    let error = loop {
        while asking.try_join_next().is_some() {}
        match events.next().await {
            Ok(Event::Attached(phone)) => {
                if (phone.by_cable || watcher.expects(&phone.udid)) && remember(usb, &phone) {
                    let (usb, watcher, telling) = (usb.clone(), watcher.clone(), telling.clone());
                    asking.spawn(async move {
                        let mut pause = QUESTIONS.1;
                        for question in 0..QUESTIONS.0 {
                            let facts = services::facts(&Cable::new(&usb, &phone.udid, 0)).await;
                            let known = facts != Facts::default();
                            if known || question == 0 {
                                let _telling = telling.lock().unwrap_or_else(PoisonError::into_inner);
                                if !learn(&usb, phone.number, facts) {
                                    return;
                                }
                                watcher.plugged(&phone.udid);
                            }
                            if known {
                                return;
                            }
                            sleep(pause).await;
                            pause *= 3;
                        }
                    });
                }
            }
            Ok(Event::Detached(number)) => {
                let _telling = telling.lock().unwrap_or_else(PoisonError::into_inner);
                forget(usb, watcher, number);
            }
            Err(error) => break error,
        }
    };
    asking.shutdown().await;
    let numbers: Vec<u64> = usb.plugged().keys().copied().collect();
    for number in numbers {
        forget(usb, watcher, number);
    }
    error
}

fn remember(usb: &Usb, phone: &Attached) -> bool {
    usb.change(|plugged| {
        if plugged.len() >= MOST {
            tracing::warn!(udid = phone.udid, "more phones than can be; this one is left out");
            return false;
        }
        let Attached { number, udid, by_cable } = phone.clone();
        plugged.insert(number, Plugged { udid, by_cable, facts: Facts::default() });
        true
    })
}

/// False for a phone that was unplugged meanwhile.
fn learn(usb: &Usb, number: u64, facts: Facts) -> bool {
    usb.change(|plugged| plugged.get_mut(&number).map(|phone| phone.facts = facts).is_some())
}

fn forget(usb: &Usb, watcher: &impl Watcher, number: u64) {
    let Some(phone) = usb.change(|plugged| plugged.remove(&number)) else { return };
    match usb.find(&phone.udid) {
        // It is still there in another way.
        Some(_) => watcher.plugged(&phone.udid),
        None => watcher.unplugged(&phone.udid),
    }
}
