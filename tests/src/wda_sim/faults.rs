//! The knobs with which a test makes the simulated agent misbehave. They decide what goes wrong and when; the server and the
//! router carry it out.
//!
//! A route is named as `METHOD /path` or `/path` for any method, without the `/session/ID` before it and without a query;
//! `*` stands for one segment, and alone for every route: `POST /wda/tap`, `/element/*/click`, `*`.

use super::router;
use super::session::Agent;
use serde_json::Value;
use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// One thing that goes wrong with a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The command waits this long before it is carried out, and the queue with it.
    Delay(Duration),
    /// The command waits until [`Faults::release`] or [`Faults::clear`], and the queue with it. Then it is carried out.
    Hang,
    /// The connection is reset; the command is not carried out.
    Reset,
    /// The command is carried out and the connection is reset instead of an answer.
    ResetAfter,
    /// The command is carried out and the connection is closed without one byte of an answer.
    EmptyReply,
    /// The command is carried out and the connection is closed after the head and half the body.
    HalfBody,
    /// The command is not carried out; this status and this body are the answer.
    Answer {
        /// HTTP status.
        status: u16,
        /// The whole body, sent as it is.
        body: String,
    },
}

/// A page source that is served instead of the phone's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// An XML document. `format=json` fails as long as it is set.
    Xml(String),
    /// A JSON tree. `format=xml` fails as long as it is set.
    Json(Value),
    /// The whole body of the answer, well-formed or not, whatever format was asked for.
    Raw(String),
}

#[derive(Clone, Debug)]
struct Rule {
    route: String,
    fault: Fault,
    once: bool,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    hang_all: bool,
    /// Hangs that were meant for one request and have taken it.
    held: BTreeSet<u64>,
    next: u64,
    sources: VecDeque<Source>,
    never_idle: bool,
    stream_stalls: bool,
}

/// What the router does with one request.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) delay: Duration,
    hold: Option<u64>,
    pub(crate) end: Option<Fault>,
}

/// The knobs. They may be turned from any thread while the simulator serves.
#[derive(Debug)]
pub struct Faults {
    state: Mutex<State>,
    /// Told after each change, so that held requests look again.
    changed: watch::Sender<()>,
    refuse: watch::Sender<bool>,
    refusing: Mutex<bool>,
    refused: Condvar,
    agent: Arc<Mutex<Agent>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Faults {
    pub(crate) fn new(agent: Arc<Mutex<Agent>>) -> Faults {
        Faults {
            state: Mutex::default(),
            changed: watch::Sender::new(()),
            refuse: watch::Sender::new(false),
            refusing: Mutex::new(false),
            refused: Condvar::new(),
            agent,
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
        self.changed.send_replace(());
    }

    /// Adds a fault for every request of a route, or for the next one only.
    ///
    /// # Panics
    /// If no release of the server has such a route, since then the fault could never show.
    pub fn add(&self, route: &str, fault: Fault, once: bool) {
        assert!(router::known(route), "no release of the server has a route {route}");
        self.change(|state| state.rules.push(Rule { route: route.to_owned(), fault, once }));
    }

    /// Every request of this route waits this long.
    pub fn delay(&self, route: &str, by: Duration) {
        self.add(route, Fault::Delay(by), false);
    }

    /// Every request of this route hangs until it is released.
    pub fn hang(&self, route: &str) {
        self.add(route, Fault::Hang, false);
    }

    /// The next request of this route hangs until it is released.
    pub fn hang_next(&self, route: &str) {
        self.add(route, Fault::Hang, true);
    }

    /// Every request hangs, or none any more. Connections are still accepted.
    pub fn hang_all(&self, hang: bool) {
        self.change(|state| state.hang_all = hang);
    }

    /// Ends all hangs: what hangs is carried out now.
    pub fn release(&self) {
        self.change(|state| {
            state.hang_all = false;
            state.held.clear();
            state.rules.retain(|rule| rule.fault != Fault::Hang);
        });
    }

    /// The next request of this route is not carried out and its connection is reset.
    pub fn reset_next(&self, route: &str) {
        self.add(route, Fault::Reset, true);
    }

    /// The next request of this route is carried out, and its connection is reset instead of an answer.
    pub fn reset_after_next(&self, route: &str) {
        self.add(route, Fault::ResetAfter, true);
    }

    /// The next request of this route is carried out, and its answer is cut in the middle of the body.
    pub fn half_body_next(&self, route: &str) {
        self.add(route, Fault::HalfBody, true);
    }

    /// The next request of this route is carried out, and the connection is closed without an answer.
    pub fn empty_reply_next(&self, route: &str) {
        self.add(route, Fault::EmptyReply, true);
    }

    /// The next request of this route is not carried out and answered with this.
    pub fn answer_next(&self, route: &str, status: u16, body: impl Into<String>) {
        self.add(route, Fault::Answer { status, body: body.into() }, true);
    }

    /// Every request of this route is answered with this.
    pub fn answer(&self, route: &str, status: u16, body: impl Into<String>) {
        self.add(route, Fault::Answer { status, body: body.into() }, false);
    }

    /// Takes all faults of this route back; it must be named as it was when they were added.
    pub fn clear(&self, route: &str) {
        self.change(|state| state.rules.retain(|rule| rule.route != route));
    }

    /// Takes everything back except [`refuse`](Self::refuse).
    pub fn clear_all(&self) {
        self.change(|state| {
            let next = state.next;
            *state = State { next, ..State::default() };
        });
    }

    /// The app in front never comes to rest: every touch and the creation of a session wait as long as the session's
    /// settings allow.
    pub fn never_idle(&self, never: bool) {
        self.change(|state| state.never_idle = never);
    }

    pub(crate) fn is_never_idle(&self) -> bool {
        lock(&self.state).never_idle
    }

    /// The stream of pictures sends no more frames, or goes on.
    pub fn stall_stream(&self, stall: bool) {
        self.change(|state| state.stream_stalls = stall);
    }

    pub(crate) fn stream_stalls(&self) -> bool {
        lock(&self.state).stream_stalls
    }

    /// Serves this page source instead of the phone's own; `None` ends that.
    pub fn set_source(&self, source: Option<Source>) {
        self.change(|state| state.sources = source.into_iter().collect());
    }

    /// Serves these page sources one after the other; the last one stays.
    pub fn serve_sources(&self, sources: impl IntoIterator<Item = Source>) {
        self.change(|state| state.sources = sources.into_iter().collect());
    }

    pub(crate) fn source(&self) -> Option<Source> {
        let mut state = lock(&self.state);
        if state.sources.len() > 1 { state.sources.pop_front() } else { state.sources.front().cloned() }
    }

    /// Another client creates a session: the one that stands is no longer valid. Answers the new one's id.
    pub fn steal_session(&self) -> String {
        lock(&self.agent).begin_session(Default::default())
    }

    /// The agent closes its port and all its connections, as when its process ends; or opens the same port again.
    /// Returns when that has happened.
    pub fn refuse(&self, refuse: bool) {
        self.refuse.send_replace(refuse);
        let refusing = lock(&self.refusing);
        let done = |state: &mut bool| *state != refuse;
        drop(self.refused.wait_timeout_while(refusing, Duration::from_secs(5), done));
    }

    /// The agent's process ends and a new one starts on the same port: connections, session, elements and settings are
    /// gone; the phone and its apps are as they were.
    pub fn restart(&self) {
        self.refuse(true);
        lock(&self.agent).restart();
        self.refuse(false);
    }

    /// The server's end of [`refuse`](Self::refuse).
    pub(crate) fn refusals(&self) -> watch::Receiver<bool> {
        self.refuse.subscribe()
    }

    /// Ends the process without waiting, for the shutdown route.
    pub(crate) fn die(&self) {
        self.refuse.send_replace(true);
    }

    pub(crate) fn now_refusing(&self, refusing: bool) {
        *lock(&self.refusing) = refusing;
        self.refused.notify_all();
    }

    /// What happens to a request that just came in. Faults for one request are used up by this.
    pub(crate) fn plan(&self, method: &str, route: &str) -> Plan {
        let mut state = lock(&self.state);
        let mut plan = Plan::default();
        let mut at = 0;
        while at < state.rules.len() {
            let rule = &state.rules[at];
            let ends = !matches!(rule.fault, Fault::Delay(_) | Fault::Hang);
            if !router::matches(&rule.route, method, route) || (ends && plan.end.is_some()) {
                at += 1;
                continue;
            }
            let rule = if rule.once { state.rules.remove(at) } else { rule.clone() };
            at += usize::from(!rule.once);
            match rule.fault {
                Fault::Delay(by) => plan.delay += by,
                // Without `once` the rule itself holds the request for as long as it is there.
                Fault::Hang if !rule.once => {}
                Fault::Hang => {
                    state.next += 1;
                    let number = state.next;
                    state.held.insert(number);
                    plan.hold = Some(number);
                }
                fault => plan.end = Some(fault),
            }
        }
        plan
    }

    /// Waits as planned, and as long as the route hangs.
    pub(crate) async fn hold(&self, plan: &Plan, method: &str, route: &str) {
        if !plan.delay.is_zero() {
            tokio::time::sleep(plan.delay).await;
        }
        let mut changed = self.changed.subscribe();
        while self.hangs(plan, method, route) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    fn hangs(&self, plan: &Plan, method: &str, route: &str) -> bool {
        let state = lock(&self.state);
        let rule = |rule: &Rule| !rule.once && rule.fault == Fault::Hang && router::matches(&rule.route, method, route);
        state.hang_all || plan.hold.is_some_and(|number| state.held.contains(&number)) || state.rules.iter().any(rule)
    }
}
