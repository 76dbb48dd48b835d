//! The agent's own state: the one session, its settings, the elements that were handed out, process numbers and the names
//! under which apps are known on the wire. It knows no HTTP and does not touch the phone.

use serde_json::{Map, Value, json};
use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, RandomState},
};
use tokio::sync::watch;

/// The home screen's name on the wire.
pub(crate) const SPRINGBOARD: &str = "com.apple.springboard";
/// The agent's own app, which must be in front for the pasteboard.
pub(crate) const RUNNER: &str = "com.facebook.WebDriverAgentRunner.xctrunner";
/// The home screen's id on the phone.
const HOME: &str = "com.fingertip.home";

/// Apple's names, so that a driver's table of app names finds something.
const APPLE_NAMES: [(&str, &str); 5] = [
    (SPRINGBOARD, HOME),
    ("com.apple.Preferences", "com.fingertip.settings"),
    ("com.apple.mobilenotes", "com.fingertip.notes"),
    ("com.apple.MobileAddressBook", "com.fingertip.contacts"),
    ("com.apple.mobilesafari", "com.fingertip.browser"),
];

/// How many elements are remembered.
const CACHE: usize = 1024;

/// The app that a session was created for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tested {
    /// Its name on the wire.
    pub(crate) bundle: String,
    /// Whether the agent itself did not end it.
    pub(crate) expected: bool,
}

/// What a session is created with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) tested: Option<Tested>,
    pub(crate) terminate_at_end: bool,
    pub(crate) settings: Map<String, Value>,
}

/// The one session. Dropping it tells those who wait for it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) tested: Option<Tested>,
    pub(crate) terminate_at_end: bool,
    alive: watch::Sender<()>,
}

/// An element that was handed out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Remembered {
    pub(crate) key: u64,
    pub(crate) what: String,
}

/// The state.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) session: Option<Session>,
    pub(crate) settings: Map<String, Value>,
    /// Whether the agent's own app is in front.
    pub(crate) runner_in_front: bool,
    elements: HashMap<String, Remembered>,
    order: VecDeque<String>,
    numbers: HashMap<u64, u64>,
    process: u32,
    pids: HashMap<String, u32>,
    next_pid: u32,
    wire_names: HashMap<String, String>,
    random: RandomState,
    sessions: u64,
}

impl Agent {
    pub(crate) fn new() -> Agent {
        Agent {
            session: None,
            settings: default_settings(),
            runner_in_front: false,
            elements: HashMap::new(),
            order: VecDeque::new(),
            numbers: HashMap::new(),
            process: 0x141,
            pids: HashMap::from([(SPRINGBOARD.to_owned(), 52)]),
            next_pid: 0x150,
            wire_names: HashMap::new(),
            random: RandomState::new(),
            sessions: 0,
        }
    }

    /// What a new process knows.
    pub(crate) fn restart(&mut self) {
        self.session = None;
        self.settings = default_settings();
        self.runner_in_front = false;
        self.forget_elements();
        self.numbers.clear();
        self.process = self.process.wrapping_add(0x101);
    }

    /// Ends the session that stands, if any, and begins another.
    pub(crate) fn begin_session(&mut self, wishes: Wishes) -> String {
        self.forget_elements();
        self.settings.retain(|name, _| outlives_session(name));
        for (name, value) in default_settings() {
            self.settings.entry(name).or_insert(value);
        }
        for (name, value) in wishes.settings {
            self.settings.insert(name, value);
        }
        let id = self.uuid();
        self.session = Some(Session {
            id: id.clone(),
            tested: wishes.tested,
            terminate_at_end: wishes.terminate_at_end,
            alive: watch::Sender::new(()),
        });
        id
    }

    /// Whether this is the session that stands; ids are compared as written.
    pub(crate) fn is_session(&self, id: &str) -> bool {
        self.session.as_ref().is_some_and(|session| session.id == id)
    }

    /// Something that fails as soon as this session has ended.
    pub(crate) fn session_end(&self, id: &str) -> Option<watch::Receiver<()>> {
        self.session.as_ref().filter(|session| session.id == id).map(|session| session.alive.subscribe())
    }

    pub(crate) fn session_id(&self) -> Value {
        self.session.as_ref().map_or(Value::Null, |session| session.id.clone().into())
    }

    pub(crate) fn tested(&self) -> Option<&Tested> {
        self.session.as_ref().and_then(|session| session.tested.as_ref())
    }

    /// Whether the session's app is expected to run, if this is its app.
    pub(crate) fn expect(&mut self, bundle: &str, expected: bool) {
        let tested = self.session.as_mut().and_then(|session| session.tested.as_mut());
        if let Some(tested) = tested.filter(|tested| phone_name(&tested.bundle) == phone_name(bundle)) {
            tested.expected = expected;
        }
    }

    pub(crate) fn number(&self, setting: &str) -> f64 {
        self.settings.get(setting).and_then(Value::as_f64).unwrap_or_default()
    }

    pub(crate) fn text(&self, setting: &str) -> &str {
        self.settings.get(setting).and_then(Value::as_str).unwrap_or_default()
    }

    // Elements.

    fn forget_elements(&mut self) {
        self.elements.clear();
        self.order.clear();
    }

    /// The id under which the element with this key is known: the same each time.
    pub(crate) fn remember(&mut self, key: u64, what: String) -> String {
        let next = 0x10 + self.numbers.len() as u64;
        let number = *self.numbers.entry(key).or_insert(next);
        let mut bytes = [0_u8; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.process.to_le_bytes());
        let id = uuid_text(bytes);
        self.order.retain(|old| *old != id);
        self.order.push_back(id.clone());
        self.elements.insert(id.clone(), Remembered { key, what });
        while self.order.len() > CACHE {
            if let Some(oldest) = self.order.pop_front() {
                self.elements.remove(&oldest);
            }
        }
        id
    }

    pub(crate) fn remembered(&self, id: &str) -> Option<&Remembered> {
        self.elements.get(id)
    }

    // Apps.

    /// The process number of a running app, given when first asked for.
    pub(crate) fn pid(&mut self, bundle: &str) -> u32 {
        let name = if phone_name(bundle) == HOME { SPRINGBOARD } else { bundle };
        if let Some(pid) = self.pids.get(name) {
            return *pid;
        }
        self.next_pid += 7;
        self.pids.insert(name.to_owned(), self.next_pid);
        self.next_pid
    }

    /// The app ended; when it starts again it is another process.
    pub(crate) fn forget_pid(&mut self, bundle: &str) {
        if phone_name(bundle) != HOME {
            self.pids.remove(bundle);
        }
    }

    /// What the phone's app is called on the wire: as it was last asked for.
    pub(crate) fn wire_name(&self, app: &str) -> String {
        if app == HOME {
            return SPRINGBOARD.to_owned();
        }
        self.wire_names.get(app).cloned().unwrap_or_else(|| app.to_owned())
    }

    /// From now on the app is known by the name that was used for it.
    pub(crate) fn called(&mut self, bundle: &str) {
        let app = phone_name(bundle);
        if let Some(pid) = self.pids.remove(&self.wire_name(app)) {
            self.pids.insert(bundle.to_owned(), pid);
        }
        self.wire_names.insert(app.to_owned(), bundle.to_owned());
    }

    /// A new id in capital letters.
    pub(crate) fn uuid(&mut self) -> String {
        self.sessions += 1;
        let mut bytes = [0_u8; 16];
        bytes[..8].copy_from_slice(&self.random.hash_one(self.sessions).to_le_bytes());
        bytes[8..].copy_from_slice(&self.random.hash_one((self.sessions, "b")).to_le_bytes());
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        uuid_text(bytes)
    }
}

/// What the phone calls the app of this wire name.
pub(crate) fn phone_name(bundle: &str) -> &str {
    APPLE_NAMES.iter().find(|(apple, _)| *apple == bundle).map_or(bundle, |(_, app)| app)
}

fn uuid_text(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Settings that a new session does not put back.
fn outlives_session(name: &str) -> bool {
    name.starts_with("mjpeg")
        || name.starts_with("keyboard")
        || name.starts_with("include")
        || matches!(name, "respectSystemAlerts" | "enforceCustomSnapshots" | "reduceMotion")
}

/// All settings as they are after the start.
pub(crate) fn default_settings() -> Map<String, Value> {
    let Value::Object(settings) = json!({
        "accessibilityDeadline": 0,
        "acceptAlertButtonSelector": "",
        "activeAppDetectionPoint": "78.00,78.00",
        "animationCoolOffTimeout": 2,
        "autoClickAlertSelector": "",
        "boundElementsByIndex": false,
        "defaultActiveApplication": "auto",
        "defaultAlertAction": "",
        "dismissAlertButtonSelector": "",
        "elementResponseAttributes": "type,label",
        "enforceCustomSnapshots": false,
        "includeCustomActionsInPageSource": false,
        "includeHittableInPageSource": false,
        "includeMinMaxValueInPageSource": false,
        "includeNativeAccessibilityElementInPageSource": false,
        "includeNativeFrameInPageSource": false,
        "keyboardAutocorrection": 0,
        "keyboardPrediction": 0,
        "limitXPathContextScope": true,
        "maxTypingFrequency": 60,
        "mjpegFixOrientation": false,
        "mjpegScalingFactor": 100,
        "mjpegServerFramerate": 10,
        "mjpegServerScreenshotQuality": 25,
        "reduceMotion": false,
        "respectSystemAlerts": false,
        "screenshotOrientation": "auto",
        "screenshotQuality": 3,
        "shouldUseCompactResponses": true,
        "snapshotMaxChildren": i32::MAX,
        "snapshotMaxDepth": 50,
        "useClearTextShortcut": true,
        "useFirstMatch": false,
        "waitForIdleTimeout": 10,
    }) else {
        unreachable!("an object was written")
    };
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_ids_look_like_the_servers() {
        let mut agent = Agent::new();
        assert_eq!(agent.remember(7, String::new()), "10000000-0000-0000-4101-000000000000");
        assert_eq!(agent.remember(9, String::new()), "11000000-0000-0000-4101-000000000000");
        assert_eq!(agent.remember(7, String::new()), "10000000-0000-0000-4101-000000000000");
    }

    #[test]
    fn the_oldest_element_is_forgotten_first() {
        let mut agent = Agent::new();
        let first = agent.remember(0, String::new());
        let second = agent.remember(1, String::new());
        for key in 2..=CACHE as u64 {
            agent.remember(key, String::new());
        }
        assert!(agent.remembered(&first).is_none());
        assert!(agent.remembered(&second).is_some());
    }

    #[test]
    fn an_app_goes_by_the_name_that_was_used() {
        let mut agent = Agent::new();
        assert_eq!(agent.wire_name("com.fingertip.settings"), "com.fingertip.settings");
        let pid = agent.pid("com.fingertip.settings");
        agent.called("com.apple.Preferences");
        assert_eq!(agent.wire_name("com.fingertip.settings"), "com.apple.Preferences");
        assert_eq!(agent.pid("com.apple.Preferences"), pid);
        assert_eq!(agent.wire_name(HOME), SPRINGBOARD);
    }

    #[test]
    fn a_session_id_is_a_uuid_in_capitals_and_new_each_time() {
        let mut agent = Agent::new();
        let (one, two) = (agent.uuid(), agent.uuid());
        assert_ne!(one, two);
        assert_eq!(one.len(), 36);
        assert_eq!(one, one.to_uppercase());
        assert_eq!(one.as_bytes()[14], b'4');
    }
}
