//! A device's status as a pure function of what was and what happened.
//!
//! Status is what callers see: idle, busy, offline, error. A device is busy exactly while a lease stands on it and nothing
//! is wrong with it.
//!
//! | event | idle or busy | offline | error |
//! | --- | --- | --- | --- |
//! | `Leased` | busy | offline, leased | error, leased |
//! | `Released` | idle | offline | error |
//! | `Answered` | unchanged | idle, or busy if leased | idle, or busy if leased |
//! | `Lost(reason)` | offline | offline, new reason | offline |
//! | `Overran` | error, `unresponsive` | error, `unresponsive` | error, `unresponsive` |
//! | `PluginFailed` | error, `plugin_failed` | error, `plugin_failed` | error, `plugin_failed` |
//! | `Unplugged` | offline, `unplugged` | offline, `unplugged` | offline, `unplugged` |
//!
//! An unplugged device stays so, whatever is tried with it, until it answers or its plugin says that it is back
//! (`Lost(Reconnecting)`).

use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// What callers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Free to use.
    Idle,
    /// A lease stands.
    Busy,
    /// It cannot be reached.
    Offline,
    /// It is there, but does not do what it should.
    Error,
}

/// Why a device is offline or in error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation that callers read")]
pub enum Reason {
    Locked,
    NeedsTrust,
    NotAuthorized,
    NotReachable,
    HelperNotRunning,
    Reconnecting,
    Unresponsive,
    PluginFailed,
    Unplugged,
}

/// What happened to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Somebody got a lease.
    Leased,
    /// The lease ended.
    Released,
    /// The device answered.
    Answered,
    /// It cannot be reached.
    Lost(Reason),
    /// An operation took longer than its own limit.
    Overran,
    /// The plugin's code failed.
    PluginFailed,
    /// The plugin says that the device is gone.
    Unplugged,
}

/// What is wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    Offline(Reason),
    Error(Reason),
}

/// A device's status with what is needed to find the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    health: Health,
    leased: bool,
    /// When the status or the reason last changed.
    pub since: SystemTime,
}

impl State {
    /// A device that nobody has looked at yet.
    pub fn new(now: SystemTime) -> Self {
        State { health: Health::Good, leased: false, since: now }
    }

    /// What callers see.
    pub fn status(&self) -> Status {
        match (self.health, self.leased) {
            (Health::Good, false) => Status::Idle,
            (Health::Good, true) => Status::Busy,
            (Health::Offline(_), _) => Status::Offline,
            (Health::Error(_), _) => Status::Error,
        }
    }

    /// Why it is offline or in error.
    pub fn reason(&self) -> Option<Reason> {
        match self.health {
            Health::Good => None,
            Health::Offline(reason) | Health::Error(reason) => Some(reason),
        }
    }

    /// The state after `event`.
    pub fn after(self, event: Event, now: SystemTime) -> State {
        let (health, leased) = match event {
            // What is tried with a device that was unplugged tells nothing new of it.
            Event::Lost(
                Reason::NotReachable | Reason::HelperNotRunning | Reason::NeedsTrust | Reason::NotAuthorized,
            )
            | Event::Overran
            | Event::PluginFailed
                if self.reason() == Some(Reason::Unplugged) =>
            {
                (self.health, self.leased)
            }
            Event::Leased => (self.health, true),
            Event::Released => (self.health, false),
            Event::Answered => (Health::Good, self.leased),
            Event::Lost(reason) => (Health::Offline(reason), self.leased),
            Event::Overran => (Health::Error(Reason::Unresponsive), self.leased),
            Event::PluginFailed => (Health::Error(Reason::PluginFailed), self.leased),
            Event::Unplugged => (Health::Offline(Reason::Unplugged), self.leased),
        };
        let next = State { health, leased, since: self.since };
        let same = next.status() == self.status() && next.reason() == self.reason();
        State { since: if same { self.since } else { now }, ..next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn state(health: Health, leased: bool) -> State {
        State { health, leased, since: SystemTime::UNIX_EPOCH }
    }

    fn seen(state: State) -> (Status, Option<Reason>) {
        (state.status(), state.reason())
    }

    /// The module's table, row by row.
    #[test]
    fn every_event_leads_from_every_status_where_the_table_says() {
        use Event::*;
        use Status::*;
        let starts = [
            state(Health::Good, false),
            state(Health::Good, true),
            state(Health::Offline(Reason::NotReachable), false),
            state(Health::Error(Reason::Unresponsive), false),
        ];
        let lost = Some(Reason::NotReachable);
        let hung = Some(Reason::Unresponsive);
        let rows = [
            (Leased, [(Busy, None), (Busy, None), (Offline, lost), (Error, hung)]),
            (Released, [(Idle, None), (Idle, None), (Offline, lost), (Error, hung)]),
            (Answered, [(Idle, None), (Busy, None), (Idle, None), (Idle, None)]),
            (Lost(Reason::Locked), [(Offline, Some(Reason::Locked)); 4]),
            (Overran, [(Error, hung); 4]),
            (PluginFailed, [(Error, Some(Reason::PluginFailed)); 4]),
            (Unplugged, [(Offline, Some(Reason::Unplugged)); 4]),
        ];
        for (event, expected) in rows {
            for (start, expected) in starts.into_iter().zip(expected) {
                assert_eq!(seen(start.after(event, SystemTime::UNIX_EPOCH)), expected, "{start:?} after {event:?}");
            }
        }
    }

    #[test]
    fn a_device_that_was_lost_while_leased_is_busy_again_when_it_answers() {
        let now = SystemTime::UNIX_EPOCH;
        let state = State::new(now).after(Event::Leased, now).after(Event::Lost(Reason::NotReachable), now);
        assert_eq!(state.status(), Status::Offline);
        assert_eq!(state.after(Event::Answered, now).status(), Status::Busy);
    }

    #[test]
    fn an_unplugged_device_stays_unplugged_until_it_is_back() {
        let now = SystemTime::UNIX_EPOCH;
        let unplugged = State::new(now).after(Event::Unplugged, now);
        for event in [
            Event::Lost(Reason::NotReachable),
            Event::Lost(Reason::HelperNotRunning),
            Event::Lost(Reason::NeedsTrust),
            Event::Overran,
            Event::PluginFailed,
        ] {
            assert_eq!(unplugged.after(event, now).reason(), Some(Reason::Unplugged));
        }
        assert_eq!(unplugged.after(Event::Lost(Reason::Reconnecting), now).reason(), Some(Reason::Reconnecting));
        assert_eq!(unplugged.after(Event::Answered, now).status(), Status::Idle);
    }

    #[test]
    fn since_moves_only_when_what_callers_see_changes() {
        let start = SystemTime::UNIX_EPOCH;
        let later = start + Duration::from_secs(5);
        let state = State::new(start);
        assert_eq!(state.after(Event::Answered, later).since, start);
        assert_eq!(state.after(Event::Leased, later).since, later);
        let lost = state.after(Event::Lost(Reason::NotReachable), later);
        assert_eq!(lost.after(Event::Lost(Reason::NotReachable), later + Duration::from_secs(1)).since, later);
    }
}
