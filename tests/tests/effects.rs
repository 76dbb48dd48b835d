//! What an action is said to have done, against what it did: a table of situations, on the virtual phone and through the
//! *simulated* iPhone, and what each capability costs the phone in requests.

use e2e::{
    host::Host,
    wda_sim::{SimOptions, WdaSim},
};
use serde_json::{Value, json};

/// What comes before a situation, and what must come of it.
struct Case {
    /// In the words of the list of public reports, with the row's number where it shows one.
    name: &'static str,
    before: &'static [(&'static str, &'static str)],
    act: (&'static str, &'static str),
    expected: Expected,
}

/// What the answer says.
enum Expected {
    /// State, cause, app in front.
    Effect(&'static str, Option<&'static str>, Option<&'static str>),
    /// An error's code and outcome.
    Error(&'static str, &'static str),
}

use Expected::{Effect, Error};

const SETTINGS: (&str, &str) = ("launch", r#"{"app":"Settings","fresh":true}"#);
const SIGN_IN: (&str, &str) = ("launch", r#"{"app":"com.fingertip.signin","fresh":true}"#);
/// The question before everything is reset.
const ALERT: &[(&str, &str)] = &[
    SETTINGS,
    ("tap", r#"{"text":"General"}"#),
    ("swipe", r#"{"direction":"up"}"#),
    ("tap", r#"{"text":"Reset All Settings"}"#),
];
const HOME: (&str, &str) = ("press", r#"{"button":"home"}"#);
const UNLOCK: (&str, &str) = ("press", r#"{"button":"unlock"}"#);

fn cases() -> Vec<Case> {
    let case =
        |name, before: &'static [(&'static str, &'static str)], act, expected| Case { name, before, act, expected };
    let under_alert = |name, act, expected| Case { name, before: ALERT, act, expected };
    let (changed, unchanged) = (|| Effect("changed", None, None), |cause| Effect("unchanged", cause, None));
    vec![
        case("a tap opens a page", &[SETTINGS], ("tap", r#"{"text":"General"}"#), changed()),
        case("a tap by words opens a page", &[SETTINGS], ("tap", r#"{"element":"cell \"Sounds\""}"#), changed()),
        case("a text that a row and its switch show", &[SETTINGS], ("tap", r#"{"text":"Airplane Mode"}"#), changed()),
        case("a switch turns", &[SETTINGS], ("tap", r##"{"element":"#airplane"}"##), changed()),
        case("a tap on nothing", &[SIGN_IN], ("tap", r#"{"x":5,"y":820}"#), unchanged(Some("nothing_at_point"))),
        case(
            "a tap on what is disabled, by its words",
            &[SETTINGS],
            ("tap", r#"{"element":"cell \"Mobile Data\""}"#),
            unchanged(Some("target_disabled")),
        ),
        case(
            "a tap with a fraction",
            &[HOME],
            ("tap", r#"{"x":0.5,"y":0.999,"space":"fraction"}"#),
            unchanged(Some("nothing_at_point")),
        ),
        case(
            "a double tap zooms",
            &[("launch", r#"{"app":"com.fingertip.browser","fresh":true}"#), ("tap", r#"{"text":"Photo"}"#)],
            ("tap", r#"{"x":195,"y":300,"count":2}"#),
            changed(),
        ),
        case("a swipe scrolls", &[SETTINGS], ("swipe", r#"{"direction":"up"}"#), changed()),
        case("a swipe at the end of a list", &[SETTINGS], ("swipe", r#"{"direction":"down"}"#), unchanged(None)),
        case(
            "home leaves the app",
            &[SETTINGS],
            ("press", r#"{"button":"home"}"#),
            Effect("changed", None, Some("home")),
        ),
        case("home at home", &[HOME], ("press", r#"{"button":"home"}"#), unchanged(None)),
        case(
            "a launch brings the app to the front",
            &[HOME],
            ("launch", r#"{"app":"Notes"}"#),
            Effect("changed", None, Some("notes")),
        ),
        case("a launch of what is in front", &[SETTINGS], ("launch", r#"{"app":"Settings"}"#), unchanged(None)),
        case(
            "the app in front is ended",
            &[SETTINGS],
            ("terminate", r#"{"app":"Settings"}"#),
            Effect("changed", None, Some("home")),
        ),
        case(
            "an app that does not run is ended",
            &[("terminate", r#"{"app":"Notes"}"#), HOME],
            ("terminate", r#"{"app":"Notes"}"#),
            unchanged(None),
        ),
        case("text is typed", &[SIGN_IN], ("input", r#"{"element":"text_field \"Email\"","text":"ann"}"#), changed()),
        case(
            "text replaces text",
            &[SIGN_IN, ("input", r#"{"element":"text_field \"Email\"","text":"ann"}"#)],
            ("input", r#"{"text":"bob","clear":true}"#),
            changed(),
        ),
        case(
            "row 64: nothing has the focus",
            &[HOME],
            ("input", r#"{"text":"lost"}"#),
            Error("text_not_entered", "not_done"),
        ),
        case(
            "the keyboard is hidden",
            &[SIGN_IN, ("tap", r#"{"element":"text_field \"Email\""}"#)],
            ("press", r#"{"button":"hide_keyboard"}"#),
            changed(),
        ),
        case(
            "the phone is locked",
            &[SETTINGS],
            ("press", r#"{"button":"lock"}"#),
            Effect("changed", None, Some("home")),
        ),
        case(
            "the phone is unlocked",
            &[SETTINGS, ("press", r#"{"button":"lock"}"#)],
            UNLOCK,
            Effect("changed", None, Some("settings")),
        ),
        under_alert(
            "row 60: a tap beside an alert",
            ("tap", r#"{"x":200,"y":780}"#),
            Error("alert_in_front", "not_done"),
        ),
        under_alert(
            "row 60: a tap on what an alert covers",
            ("tap", r#"{"text":"About"}"#),
            Error("alert_in_front", "not_done"),
        ),
        under_alert(
            "row 60: a swipe over an alert",
            ("swipe", r#"{"direction":"up"}"#),
            Error("alert_in_front", "not_done"),
        ),
        under_alert("row 60: typing under an alert", ("input", r#"{"text":"x"}"#), Error("alert_in_front", "not_done")),
        under_alert(
            "row 60: a button under an alert",
            ("press", r#"{"button":"home"}"#),
            Error("alert_in_front", "not_done"),
        ),
        under_alert(
            "row 60: a launch under an alert",
            ("launch", r#"{"app":"Notes"}"#),
            Error("alert_in_front", "not_done"),
        ),
        under_alert("row 60: an alert is answered by its button", ("tap", r#"{"text":"Cancel"}"#), changed()),
        case("nobody looks", &[SETTINGS], ("tap", r#"{"x":5,"y":820,"verify":false}"#), Effect("unknown", None, None)),
        case("a place off the screen", &[SETTINGS], ("tap", r#"{"x":390,"y":10}"#), Error("out_of_bounds", "not_done")),
        case(
            "an element that is not there",
            &[SETTINGS],
            ("tap", r#"{"element":"button \"Nosuch\""}"#),
            Error("element_not_found", "not_done"),
        ),
        case(
            "a text that is not there",
            &[SETTINGS],
            ("tap", r#"{"text":"Nosuch text"}"#),
            Error("element_not_found", "not_done"),
        ),
        case(
            "words that several elements fit",
            &[SETTINGS],
            ("tap", r#"{"element":"cell"}"#),
            Error("element_ambiguous", "not_done"),
        ),
        case("a ref of nothing", &[SETTINGS], ("tap", r#"{"element":"e99999"}"#), Error("element_stale", "not_done")),
        case(
            "a frame of nothing",
            &[SETTINGS],
            ("tap", r#"{"x":5,"y":5,"space":"image","frame":"f99999"}"#),
            Error("stale_frame", "not_done"),
        ),
        case(
            "row 80: an app that is not there",
            &[HOME],
            ("launch", r#"{"app":"com.example.nosuch"}"#),
            Error("app_not_found", "not_done"),
        ),
    ]
}

struct Phones {
    _sim: WdaSim,
    host: Host,
}

impl Phones {
    async fn start() -> Phones {
        let mut options = SimOptions::default();
        options.phone.scale = 2.0;
        let sim = WdaSim::start(options).await.expect("a simulator");
        let host = Host::with(&format!(
            "[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"virtual\"\n\
             [[plugin]]\nname = \"wda\"\n[plugin.options]\nusb = false\n[[plugin.device]]\nid = \"iphone\"\naddress = {:?}\n",
            sim.url()
        ))
        .await;
        Phones { _sim: sim, host }
    }

    async fn call(&self, device: &str, (what, arguments): (&str, &str)) -> (u16, Value) {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        self.host.post(&format!("/devices/{device}/{what}"), arguments).await
    }

    /// What comes before a situation costs no look at its effect.
    async fn prepare(&self, device: &str, before: &[(&str, &str)]) {
        for (what, arguments) in before {
            let mut arguments: Value = serde_json::from_str(arguments).expect("JSON");
            arguments["verify"] = json!(false);
            let (status, answer) = self.host.post(&format!("/devices/{device}/{what}"), arguments).await;
            assert_eq!(status, 200, "{device} {what}: {answer}");
        }
    }
}

/// What went otherwise than expected.
fn misses(case: &Case, device: &str, status: u16, answer: &Value) -> Option<String> {
    let fine = match &case.expected {
        Effect(state, cause, app) => {
            let effect = &answer["effect"];
            let front = effect["app"]["id"].as_str().unwrap_or_default();
            status == 200
                && effect["state"] == *state
                && effect["cause"].as_str() == *cause
                && match app {
                    Some("home") => front.ends_with("home") || front == "com.apple.springboard",
                    Some("notes") => front.ends_with("notes"),
                    Some("settings") => front.ends_with("settings") || front == "com.apple.Preferences",
                    _ => front.is_empty(),
                }
        }
        Error(code, outcome) => status >= 400 && answer["code"] == *code && answer["outcome"] == *outcome,
    };
    (!fine).then(|| format!("{device}: {}: {status} {answer}", case.name))
}

async fn table(device: &str) {
    let phones = Phones::start().await;
    let cases = cases();
    assert!(cases.len() >= 25);
    let mut wrong = Vec::new();
    for case in &cases {
        phones.prepare(device, case.before).await;
        let (status, answer) = phones.call(device, case.act).await;
        wrong.extend(misses(case, device, status, &answer));
        // Whatever is still in the way goes away.
        phones.call(device, ("tap", r#"{"element":"button \"Cancel\"","verify":false}"#)).await;
        phones.call(device, ("press", r#"{"button":"unlock","verify":false}"#)).await;
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[tokio::test]
async fn every_situation_on_the_simulated_iphone() {
    table("iphone").await;
}

#[tokio::test]
async fn every_situation_on_the_virtual_phone() {
    table("virtual").await;
}

/// The requests of a call in short: the same one several times in a row is one with a plus, and all that are asked of the field
/// with the focus are one.
fn costs(sim: &WdaSim) -> String {
    let mut short: Vec<String> = Vec::new();
    for request in sim.requests() {
        let name = if request.route.starts_with("/element/") { "focus".to_owned() } else { request.name() };
        match short.last_mut() {
            Some(last) if last.trim_end_matches('+') == name => {
                if !last.ends_with('+') {
                    last.push('+');
                }
            }
            _ => short.push(name),
        }
    }
    short.join(", ")
}

/// What each capability costs the phone: the table of ARCHITECTURE.md.
#[tokio::test]
async fn requests_to_the_phone_by_capability_and_verify() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&e2e::host::wda_devices(&[("iphone", &sim.url())])).await;
    let call = async |what: &str, arguments: Value| {
        let (status, answer) = host.post(&format!("/devices/iphone/{what}"), arguments).await;
        assert_eq!(status, 200, "{what}: {answer}");
    };
    // Connected, with the screen known.
    call("launch", json!({"app": "Settings", "fresh": true})).await;
    let (alert, shot, tree) = ("GET /alert/text", "GET /screenshot", "GET /source");
    let (act, front) = ("POST /actions", "GET /wda/activeAppInfo");
    let launch = "GET /wda/locked, POST /wda/apps/launch, POST /wda/apps/state";
    let (focus, keys) = ("focus+", "POST /wda/keys");
    let rows = [
        // Nobody looks.
        ("tap", json!({"x": 2, "y": 60, "verify": false}), act.to_owned()),
        ("swipe", json!({"from_x": 200, "from_y": 300, "to_x": 200, "to_y": 500, "verify": false}), act.to_owned()),
        ("tap", json!({"text": "General", "verify": false}), format!("{tree}, {act}")),
        // Another page, which nobody has looked at since it came: it is looked at twice, and asked for its app. Only large changes
        // cost a look at the app in front afterwards.
        ("tap", json!({"text": "About"}), format!("{tree}, {alert}, {shot}+, {front}, {act}, {shot}+")),
        // From here on each screen is as the action before left it.
        (
            "tap",
            json!({"element": "nav_bar \"About\""}),
            format!("{tree}, {alert}, {shot}, {act}, {shot}+, {alert}, {tree}"),
        ),
        ("tap", json!({"x": 2, "y": 60}), format!("{alert}, {shot}, {act}, {shot}+, {alert}, {tree}")),
        ("swipe", json!({"direction": "down"}), format!("{alert}, {shot}, {act}, {shot}+")),
        (
            "tap",
            json!({"x": 2, "y": 60, "observe": "tree"}),
            format!("{alert}, {shot}, {act}, {shot}+, {alert}, {tree}+"),
        ),
        ("scroll-to", json!({"text": "Capacity"}), tree.to_owned()),
        (
            "orientation",
            json!({"orientation": "portrait"}),
            format!("{alert}, {shot}, POST /orientation, GET /window/size, GET /wda/deviceOrientation, {shot}+"),
        ),
        ("press", json!({"button": "home"}), format!("{alert}, {shot}, POST /wda/homescreen, {shot}+, {front}")),
        ("launch", json!({"app": "Notes"}), format!("{alert}, {shot}, {launch}, {shot}+")),
        ("launch", json!({"app": "com.fingertip.signin", "verify": false}), launch.to_owned()),
        // The keyboard is a large change.
        (
            "tap",
            json!({"element": "text_field \"Email\""}),
            format!("{tree}, {alert}, {shot}+, {front}, {act}, {shot}+, {front}"),
        ),
        ("input", json!({"text": "ann"}), format!("{alert}, {shot}, {focus}, {keys}, {focus}, {shot}+")),
        // What was there is deleted and the text typed.
        (
            "input",
            json!({"element": "text_field \"Email\"", "text": "bob", "clear": true}),
            format!("{tree}, {alert}, {shot}, {focus}, {act}, {focus}, {keys}, focus, {keys}, {focus}, {shot}+"),
        ),
        (
            "press",
            json!({"button": "hide_keyboard"}),
            format!("{alert}, {shot}, POST /wda/keyboard/dismiss, {shot}+, {front}"),
        ),
        ("open-url", json!({"url": "https://example.com"}), format!("{alert}, {shot}, POST /url, {shot}+, {front}")),
        (
            "terminate",
            json!({"app": "com.fingertip.browser"}),
            format!("{alert}, {shot}, POST /wda/apps/terminate, {shot}+, {front}"),
        ),
        (
            "steps",
            json!({"steps": [{"tool": "tap", "arguments": {"x": 2, "y": 60, "verify": false}}], "observe": "tree"}),
            format!("{act}, {shot}+, {tree}"),
        ),
        ("tap", json!({"x": 2, "y": 60, "verify": false, "observe": "tree"}), format!("{act}, {shot}+, {tree}")),
        ("press", json!({"button": "volume_up", "verify": false}), "POST /wda/pressButton".to_owned()),
    ];
    let mut wrong = Vec::new();
    for (what, arguments, expected) in rows {
        sim.clear_log();
        call(what, arguments.clone()).await;
        let cost = costs(&sim);
        if cost != expected {
            wrong.push(format!("{what} {arguments}:\n  cost     {cost}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
