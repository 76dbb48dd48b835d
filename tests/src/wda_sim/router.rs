//! From a request to an answer: the table of routes with the releases that have them, the queue, the session check, and the
//! faults. It knows no sockets and does nothing on the phone itself.

use super::errors::{Failure, Result};
use super::faults::{Fault, Plan};
use super::log::Request;
use super::{Sim, alerts, commands, device, elements, text, touch};
use serde_json::{Map, Value};
use std::{
    io,
    time::{Duration, Instant},
};

/// Where a route may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Only without `/session/ID`.
    Bare,
    /// Only with it.
    Session,
    Both,
}

type Handler = fn(&Sim, &Call) -> Result<Answer>;
type Version = (u32, u32, u32);

struct Route {
    method: &'static str,
    /// `:el` and `:name` stand for one segment.
    pattern: &'static str,
    scope: Scope,
    since: Version,
    before: Version,
    /// Whether newer releases answer it beside the queue, and since when.
    beside: Option<Version>,
    /// Whether the server waits for the app to settle afterwards.
    settles: bool,
    run: Handler,
}

const ALWAYS: Version = (0, 0, 0);
const NEVER: Version = (u32::MAX, 0, 0);

const fn route(method: &'static str, pattern: &'static str, scope: Scope, run: Handler) -> Route {
    Route { method, pattern, scope, since: ALWAYS, before: NEVER, beside: None, settles: false, run }
}

impl Route {
    const fn since(mut self, major: u32, minor: u32, patch: u32) -> Route {
        self.since = (major, minor, patch);
        self
    }

    const fn before(mut self, major: u32, minor: u32, patch: u32) -> Route {
        self.before = (major, minor, patch);
        self
    }

    const fn beside(mut self, major: u32, minor: u32, patch: u32) -> Route {
        self.beside = Some((major, minor, patch));
        self
    }

    const fn settles(mut self) -> Route {
        self.settles = true;
        self
    }
}

use Scope::{Bare, Both, Session};

/// A gesture with a form for the screen and one for an element.
macro_rules! gesture {
    ($name:literal, $run:path) => {
        [
            route("POST", concat!("/wda/", $name), Session, $run).settles(),
            route("POST", concat!("/wda/element/:el/", $name), Session, $run).settles(),
        ]
    };
}

const GESTURES: [[Route; 2]; 10] = [
    gesture!("doubleTap", touch::double_tap),
    gesture!("touchAndHold", touch::hold),
    gesture!("tapWithNumberOfTaps", touch::several_taps),
    gesture!("twoFingerTap", touch::two_fingers),
    gesture!("dragfromtoforduration", touch::drag),
    gesture!("pressAndDragWithVelocity", touch::press_and_drag),
    gesture!("scroll", touch::scroll),
    gesture!("pinch", touch::pinch),
    gesture!("rotate", touch::rotate),
    gesture!("forceTouch", touch::force),
];

const ROUTES: &[Route] = &[
    route("GET", "/status", Bare, commands::status).beside(16, 7, 3),
    route("GET", "/health", Bare, commands::health).beside(0, 0, 0),
    route("GET", "/calibrate", Bare, commands::calibrate),
    route("GET", "/wda/healthcheck", Bare, commands::healthcheck),
    route("GET", "/wda/shutdown", Bare, commands::shutdown).beside(0, 0, 0),
    // The session.
    route("POST", "/session", Bare, commands::new_session),
    route("GET", "/", Session, commands::session),
    route("DELETE", "/", Session, commands::delete_session).beside(16, 7, 3),
    route("GET", "/appium/settings", Session, commands::settings),
    route("POST", "/appium/settings", Session, commands::set_settings),
    route("POST", "/timeouts", Session, commands::nothing),
    // The screen.
    route("GET", "/screenshot", Both, device::screenshot).beside(16, 7, 3),
    route("GET", "/source", Both, commands::source),
    route("GET", "/wda/accessibleSource", Both, commands::accessible_source),
    route("GET", "/wda/screen", Both, device::screen),
    route("GET", "/wda/screens", Both, device::screens).since(16, 12, 0).beside(16, 12, 0),
    route("GET", "/window/size", Both, elements::window_size),
    route("GET", "/window/rect", Session, elements::window_rect).since(9, 3, 0),
    route("GET", "/orientation", Both, device::orientation),
    route("POST", "/orientation", Both, device::set_orientation),
    route("GET", "/rotation", Both, device::rotation),
    route("POST", "/rotation", Both, device::set_rotation),
    route("GET", "/wda/deviceOrientation", Both, device::device_orientation).since(15, 1, 0),
    // Touch.
    route("POST", "/actions", Session, touch::w3c).settles(),
    route("POST", "/wda/tap", Session, touch::tap).since(6, 0, 0).settles(),
    route("POST", "/wda/element/:el/tap", Session, touch::tap).since(6, 0, 0).settles(),
    // The number in it was an element's once and is ignored.
    route("POST", "/wda/tap/:name", Session, touch::tap).before(6, 0, 0).settles(),
    route("POST", "/wda/swipe", Session, touch::swipe).since(6, 0, 0).settles(),
    route("POST", "/wda/element/:el/swipe", Session, touch::swipe).settles(),
    route("POST", "/wda/element/:el/scrollTo", Session, touch::scroll_to),
    route("POST", "/wda/touch/perform", Session, device::not_here).before(7, 0, 0),
    route("POST", "/wda/touch/multi/perform", Session, device::not_here).before(7, 0, 0),
    route("POST", "/wda/pickerwheel/:el/select", Session, device::not_here),
    // Text.
    route("POST", "/wda/keys", Session, text::keys),
    route("POST", "/element/:el/value", Session, elements::set_value),
    route("POST", "/element/:el/clear", Session, elements::clear),
    route("POST", "/wda/element/:el/keyboardInput", Session, text::keyboard_input).since(5, 12, 0),
    route("POST", "/wda/keyboard/dismiss", Session, text::dismiss),
    // The device.
    route("POST", "/wda/homescreen", Bare, device::home),
    route("POST", "/wda/lock", Both, device::lock),
    route("POST", "/wda/unlock", Both, device::unlock),
    route("GET", "/wda/locked", Both, device::locked),
    route("POST", "/wda/pressButton", Session, device::press_button),
    route("POST", "/wda/performIoHidEvent", Session, device::hid_event).since(3, 8, 0),
    route("GET", "/wda/device/info", Both, device::info),
    route("GET", "/wda/batteryInfo", Session, device::battery),
    route("POST", "/wda/device/appearance", Bare, device::appearance),
    route("POST", "/wda/setPasteboard", Both, device::set_pasteboard),
    route("POST", "/wda/getPasteboard", Both, device::get_pasteboard),
    route("POST", "/url", Session, device::open_url),
    route("POST", "/wda/siri/activate", Session, device::siri),
    route("GET", "/wda/simulatedLocation", Both, device::not_here),
    route("POST", "/wda/simulatedLocation", Both, device::not_here),
    route("DELETE", "/wda/simulatedLocation", Both, device::not_here),
    route("POST", "/wda/resetAppAuth", Session, device::not_here),
    route("POST", "/wda/video/start", Both, device::not_here),
    route("POST", "/wda/video/stop", Both, device::not_here),
    route("GET", "/wda/video", Both, device::not_here),
    // Apps.
    route("POST", "/wda/apps/launch", Session, device::launch),
    route("POST", "/wda/apps/activate", Session, device::activate),
    route("POST", "/wda/apps/terminate", Session, device::terminate),
    route("POST", "/wda/apps/state", Session, device::app_state),
    route("GET", "/wda/apps/list", Session, device::app_list),
    route("GET", "/wda/activeAppInfo", Both, device::active_app),
    route("POST", "/wda/apps/launchUnattached", Bare, device::launch_unattached),
    route("POST", "/wda/deactivateApp", Session, device::deactivate),
    // Elements.
    route("POST", "/element", Session, elements::find),
    route("POST", "/elements", Session, elements::find_all),
    route("GET", "/element/active", Session, elements::active),
    route("POST", "/element/:el/element", Session, elements::find),
    route("POST", "/element/:el/elements", Session, elements::find_all),
    route("POST", "/element/:el/click", Session, elements::click).settles(),
    route("GET", "/element/:el/rect", Session, elements::rect),
    route("GET", "/element/:el/text", Session, elements::shown),
    route("GET", "/element/:el/name", Session, elements::tag),
    route("GET", "/element/:el/enabled", Session, elements::enabled),
    route("GET", "/element/:el/displayed", Session, elements::displayed),
    route("GET", "/element/:el/selected", Session, elements::selected),
    route("GET", "/element/:el/attribute/:name", Session, elements::attribute),
    route("GET", "/element/:el/screenshot", Session, elements::screenshot),
    route("GET", "/wda/element/:el/accessible", Session, elements::accessible),
    route("GET", "/wda/element/:el/accessibilityContainer", Session, elements::container),
    route("GET", "/wda/element/:el/getVisibleCells", Session, elements::visible_cells),
    // Alerts.
    route("GET", "/alert/text", Both, alerts::text),
    route("POST", "/alert/text", Session, alerts::set_text),
    route("POST", "/alert/accept", Both, alerts::accept),
    route("POST", "/alert/dismiss", Both, alerts::dismiss),
    route("GET", "/wda/alert/buttons", Session, alerts::buttons),
];

fn routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(GESTURES.iter().flatten())
}

/// Whether any release has a route that this name, as faults are named, can mean.
pub(crate) fn known(name: &str) -> bool {
    let (method, path) = name.split_once(' ').map_or((None, name), |(method, path)| (Some(method), path));
    path == "*"
        || routes().any(|route| {
            method.is_none_or(|method| method == route.method)
                && fits(path, route.pattern, |segment, part| segment == "*" || part.starts_with(':') || segment == part)
        })
}

/// Whether a name, as faults are named, means this route.
pub(crate) fn matches(name: &str, method: &str, route: &str) -> bool {
    let (wanted, path) = name.split_once(' ').map_or((None, name), |(method, path)| (Some(method), path));
    wanted.is_none_or(|wanted| wanted == method)
        && (path == "*" || fits(path, route, |segment, part| segment == "*" || segment.eq_ignore_ascii_case(part)))
}

fn fits(name: &str, path: &str, same: impl Fn(&str, &str) -> bool) -> bool {
    let (mut left, mut right) = (name.split('/'), path.split('/'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if same(left, right) => {}
            _ => return false,
        }
    }
}

/// One request for a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) element: Option<String>,
    pub(crate) name: Option<String>,
    query: Vec<(String, String)>,
    pub(crate) arguments: Map<String, Value>,
}

impl Call {
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A text that must be given.
    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        let text = self.arguments.get(name).and_then(Value::as_str);
        text.ok_or_else(|| Failure::invalid_argument(format!("Missing or invalid '{name}' parameter")))
    }

    /// A number that must be given; a text that is one counts, as it does there.
    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        let value = self.arguments.get(name);
        let number = value.and_then(|value| value.as_f64().or_else(|| value.as_str()?.parse().ok()));
        number.ok_or_else(|| Failure::invalid_argument(format!("'{name}' argument must be a number")))
    }

    pub(crate) fn number_or(&self, name: &str, usual: f64) -> f64 {
        self.number(name).unwrap_or(usual)
    }
}

type Then = Box<dyn FnOnce(&Sim) -> Result<()> + Send>;

/// What a command answers, and what happens before the answer is sent.
pub(crate) struct Answer {
    body: Body,
    wait: Duration,
    then: Option<Then>,
    last: Option<Then>,
}

enum Body {
    Value(Value),
    /// Sent as it is.
    Raw(u16, String),
    Page(String),
}

impl From<Value> for Answer {
    fn from(value: Value) -> Answer {
        Answer { body: Body::Value(value), wait: Duration::ZERO, then: None, last: None }
    }
}

impl Answer {
    pub(crate) fn nothing() -> Answer {
        Value::Null.into()
    }

    pub(crate) fn raw(status: u16, body: String) -> Answer {
        Answer { body: Body::Raw(status, body), ..Answer::nothing() }
    }

    pub(crate) fn page(text: &str) -> Answer {
        Answer { body: Body::Page(text.to_owned()), ..Answer::nothing() }
    }

    /// Waits, with the queue held, and does something; a failure of that is the answer.
    pub(crate) fn after(mut self, wait: Duration, then: impl FnOnce(&Sim) -> Result<()> + Send + 'static) -> Answer {
        self.wait = wait;
        self.then = Some(Box::new(then));
        self
    }

    /// Does something once the answer is out.
    pub(crate) fn last(mut self, then: impl FnOnce(&Sim) -> Result<()> + Send + 'static) -> Answer {
        self.last = Some(Box::new(then));
        self
    }
}

/// A request as it came off the wire.
pub(crate) struct Incoming {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    pub(crate) connection: u64,
}

/// What goes out.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
    pub(crate) way: Way,
    pub(crate) last: Option<Then>,
}

/// How it goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Whole,
    /// Half the body, then the connection is closed.
    Half,
    /// Not at all: the connection is closed.
    Closed,
    /// Not at all: the connection is reset.
    Reset,
}

const JSON: &str = "application/json;charset=UTF-8";

impl Reply {
    fn json(sim: &Sim, status: u16, value: Value) -> Reply {
        let mut envelope = Map::new();
        envelope.insert("value".to_owned(), value);
        envelope.insert("sessionId".to_owned(), sim.agent().session_id());
        let body = pretty(&Value::Object(envelope));
        Reply { status, content_type: JSON, body, way: Way::Whole, last: None }
    }

    pub(crate) fn failure(sim: &Sim, failure: &Failure) -> Reply {
        Reply::json(sim, failure.status, failure.value())
    }

    fn none(way: Way) -> Reply {
        Reply { status: 0, content_type: JSON, body: Vec::new(), way, last: None }
    }
}

struct Target<'a> {
    session: Option<&'a str>,
    route: String,
    query: Vec<(String, String)>,
}

/// Takes `/session/ID` off, and the query.
fn target(target: &str, strip_slash: bool) -> Target<'_> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut path = path;
    while strip_slash && path.len() > 1 && path.ends_with('/') {
        path = &path[..path.len() - 1];
    }
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    };
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect();
    const BEFORE: &str = "/session/";
    let has_session = path.get(..BEFORE.len()).is_some_and(|start| start.eq_ignore_ascii_case(BEFORE));
    let rest = if has_session { &path[BEFORE.len()..] } else { "" };
    let end = rest.find('/').unwrap_or(rest.len());
    if end > 0 {
        // The bare session is the route `/`; with a slash after it it is none.
        let route = match &rest[end..] {
            "" => "/",
            "/" => "//",
            route => route,
        };
        return Target { session: Some(&rest[..end]), route: route.to_owned(), query };
    }
    Target { session: None, route: path.to_owned(), query }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (b'+', _) => {
                out.push(b' ');
                at += 1;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn lookup(sim: &Sim, method: &str, target: &Target<'_>) -> Option<(&'static Route, Call)> {
    let version = sim.options.generation.version();
    routes().find_map(|route| {
        let here = match route.scope {
            Bare => target.session.is_none(),
            Session => target.session.is_some(),
            Both => true,
        };
        if !here || route.method != method || version < route.since || version >= route.before {
            return None;
        }
        let mut call = Call::default();
        let (mut pattern, mut path) = (route.pattern.split('/'), target.route.split('/'));
        loop {
            match (pattern.next(), path.next()) {
                (None, None) => return Some((route, call)),
                (Some(":el"), Some(segment)) if !segment.is_empty() => call.element = Some(decode(segment)),
                (Some(":name"), Some(segment)) if !segment.is_empty() => call.name = Some(decode(segment)),
                (Some(part), Some(segment)) if part.eq_ignore_ascii_case(segment) => {}
                _ => return None,
            }
        }
    })
}

/// Answers one request.
pub(crate) async fn answer(sim: &Sim, incoming: Incoming) -> Reply {
    let generation = sim.options.generation;
    let method = incoming.method.as_str();
    let target = target(&incoming.target, generation.strips_slash());
    let number = sim.log.request(Request {
        method: method.to_owned(),
        path: incoming.target.clone(),
        route: target.route.clone(),
        session: target.session.map(str::to_owned),
        body: String::from_utf8_lossy(&incoming.body).into_owned(),
        at: Instant::now(),
        connection: incoming.connection,
        status: None,
    });
    let mut plan = sim.faults.plan(method, &target.route);
    let mut reply = carry_out(sim, method, &target, &incoming, &plan).await;
    match plan.end.take() {
        Some(Fault::Reset | Fault::ResetAfter) => reply = Reply::none(Way::Reset),
        Some(Fault::EmptyReply) => reply = Reply::none(Way::Closed),
        Some(Fault::HalfBody) => reply.way = Way::Half,
        Some(Fault::Answer { .. } | Fault::Delay(_) | Fault::Hang) | None => {}
    }
    if reply.status != 0 {
        sim.log.answered(number, reply.status);
    }
    reply
}

async fn carry_out(sim: &Sim, method: &str, target: &Target<'_>, incoming: &Incoming, plan: &Plan) -> Reply {
    let generation = sim.options.generation;
    let found = lookup(sim, method, target);
    let version = generation.version();
    let beside = found.as_ref().and_then(|(route, _)| route.beside).is_some_and(|since| version >= since);
    // The id is looked at when the request comes in and again when its turn has come.
    let named = target.session.filter(|_| found.is_some());
    let mut end = named.and_then(|id| sim.agent().session_end(id));
    if named.is_some() && end.is_none() {
        return Reply::failure(sim, &Failure::invalid_session());
    }
    let turn = async { if beside { None } else { Some(sim.queue.lock().await) } };
    let guard = match &mut end {
        // A request that still waits is answered as soon as its session is deleted.
        Some(end) if generation.bypasses_queue() => {
            tokio::select! {
                biased;
                guard = turn => guard,
                _ = end.changed() => return Reply::failure(sim, &Failure::session_deleted()),
            }
        }
        _ => turn.await,
    };
    sim.faults.hold(plan, method, &target.route).await;
    match &plan.end {
        Some(Fault::Answer { status, body }) => {
            return Reply { status: *status, body: body.clone().into_bytes(), ..Reply::json(sim, 0, Value::Null) };
        }
        Some(Fault::Reset) => return Reply::none(Way::Reset),
        _ => {}
    }
    let Some((route, mut call)) = found else {
        return unhandled(sim, method, &incoming.target);
    };
    let ended = named.is_some_and(|id| !sim.agent().is_session(id));
    if ended {
        return Reply::failure(sim, &Failure::invalid_session());
    }
    call.query.clone_from(&target.query);
    // A body that is no JSON object is as good as none.
    if let Ok(Value::Object(arguments)) = serde_json::from_slice(&incoming.body) {
        call.arguments = arguments;
    }
    let reply = run(sim, route, &call).await;
    drop(guard);
    reply
}

async fn run(sim: &Sim, route: &Route, call: &Call) -> Reply {
    let answer = match (route.run)(sim, call) {
        Ok(answer) => answer,
        Err(failure) => return Reply::failure(sim, &failure),
    };
    let settle = if route.settles { sim.idle_wait(true) } else { Duration::ZERO };
    let wait = answer.wait + settle;
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
    if let Some(then) = answer.then
        && let Err(failure) = then(sim)
    {
        return Reply::failure(sim, &failure);
    }
    let mut reply = match answer.body {
        Body::Value(value) => Reply::json(sim, 200, value),
        Body::Raw(status, body) => Reply { status, content_type: JSON, body: body.into(), way: Way::Whole, last: None },
        Body::Page(text) => Reply {
            status: 200,
            content_type: "text/html;charset=UTF-8",
            body: text.into(),
            way: Way::Whole,
            last: None,
        },
    };
    reply.last = answer.last;
    reply
}

fn unhandled(sim: &Sim, method: &str, path: &str) -> Reply {
    match method {
        "OPTIONS" => Reply::json(sim, 200, Value::Null),
        "GET" | "POST" | "PUT" | "DELETE" => Reply::failure(sim, &Failure::unknown_command(method, path)),
        _ if sim.options.generation.has(16, 7, 1) => Reply::failure(sim, &Failure::unknown_command(method, path)),
        _ => Reply {
            status: 404,
            content_type: "text/plain;charset=UTF-8",
            body: b"Not Found".to_vec(),
            way: Way::Whole,
            last: None,
        },
    }
}

/// JSON as the phone's own writer lays it out: a space before each colon, and slashes escaped.
fn pretty(value: &Value) -> Vec<u8> {
    struct Apple(serde_json::ser::PrettyFormatter<'static>);

    impl serde_json::ser::Formatter for Apple {
        fn begin_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.begin_array(writer)
        }

        fn end_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.end_array(writer)
        }

        fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
            self.0.begin_array_value(writer, first)
        }

        fn end_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.end_array_value(writer)
        }

        fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.begin_object(writer)
        }

        fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.end_object(writer)
        }

        fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
            self.0.begin_object_key(writer, first)
        }

        fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            writer.write_all(b" : ")
        }

        fn end_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
            self.0.end_object_value(writer)
        }

        fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
            let mut parts = fragment.split('/');
            writer.write_all(parts.next().unwrap_or_default().as_bytes())?;
            parts.try_for_each(|part| {
                writer.write_all(b"\\/")?;
                writer.write_all(part.as_bytes())
            })
        }
    }

    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Apple(Default::default()));
    // It sorts the names of an object, however they came.
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    // Writing a value into memory cannot fail.
    drop(serde::Serialize::serialize(&sorted, &mut writer));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn targets() {
        let split = |path, strip| {
            let target = target(path, strip);
            (target.session.map(str::to_owned), target.route)
        };
        let with = |id: &str, route: &str| (Some(id.to_owned()), route.to_owned());
        assert_eq!(split("/session/A/wda/tap", false), with("A", "/wda/tap"));
        assert_eq!(split("/session/A", false), with("A", "/"));
        assert_eq!(split("/session/A/", false), with("A", "//"));
        assert_eq!(split("/session/A/", true), with("A", "/"));
        assert_eq!(split("/session", false), (None, "/session".to_owned()));
        assert_eq!(split("/source/?format=json", true), (None, "/source".to_owned()));
        assert_eq!(split("/source/?format=json", false), (None, "/source/".to_owned()));
        let query = target("/source?format=json&excluded_attributes=a%2Cb", false).query;
        assert_eq!(query[1], ("excluded_attributes".to_owned(), "a,b".to_owned()));
    }

    #[test]
    fn fault_names() {
        for name in ["POST /wda/tap", "/source", "*", "GET *", "/element/*/click", "POST /wda/tap/0", "DELETE /"] {
            assert!(known(name), "{name}");
        }
        for name in ["GET /wda/tap", "/sauce", "/session/ID/source"] {
            assert!(!known(name), "{name}");
        }
        assert!(matches("/element/*/click", "POST", "/element/1-2/click"));
        assert!(matches("GET *", "GET", "/anything"));
        assert!(!matches("GET *", "POST", "/anything"));
        assert!(!matches("/source", "GET", "/source/"));
    }

    #[test]
    fn json_looks_like_the_phones() {
        let text = String::from_utf8_lossy(&pretty(&json!({ "value": "a/b\n", "sessionId": null }))).into_owned();
        assert_eq!(text, "{\n  \"sessionId\" : null,\n  \"value\" : \"a\\/b\\n\"\n}");
    }
}
