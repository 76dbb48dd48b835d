//! What a phone is made with.

use serde::Deserialize;

/// How a [`Phone`](crate::Phone) is made. Unknown names are refused when it is read from a configuration; everything may be
/// left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PhoneOptions {
    /// What Settings calls the phone.
    pub name: String,
    /// The code that unlocks it; `None` lets anyone in. The phone's own pad has digits only.
    pub passcode: Option<String>,
    /// Whether it starts on the lock screen.
    pub locked: bool,
    /// Whether it starts in dark appearance.
    pub dark: bool,
    /// Width of the upright screen in points, 240 to 1,400. Others are brought into that range, like the two below.
    pub width: f64,
    /// Height of the upright screen in points, 480 to 1,600.
    pub height: f64,
    /// Pixels a point, 0.5 to 4.
    pub scale: f64,
    /// How long the browser loads a page and the software update searches, in milliseconds.
    pub load_ms: u64,
    /// How long a toast stays, in milliseconds.
    pub toast_ms: u64,
    /// What the clock says when the phone is made, as `H:MM`.
    pub clock: String,
    /// Whether the clock goes. It stands still by default, so that pictures are the same every time.
    pub ticking_clock: bool,
    /// Whether time passes only by [`advance`](crate::Phone::advance), for tests.
    pub manual_clock: bool,
}

impl Default for PhoneOptions {
    fn default() -> Self {
        PhoneOptions {
            name: "Virtual Phone".into(),
            passcode: None,
            locked: false,
            dark: false,
            width: 390.0,
            height: 844.0,
            scale: 3.0,
            load_ms: 0,
            toast_ms: 2_000,
            clock: "9:41".into(),
            ticking_clock: false,
            manual_clock: false,
        }
    }
}

impl PhoneOptions {
    /// The same options with sizes that can be drawn.
    pub(crate) fn sane(mut self) -> PhoneOptions {
        let within = |value: f64, low: f64, high: f64, usual: f64| {
            if value.is_finite() { value.clamp(low, high) } else { usual }
        };
        self.width = within(self.width, 240.0, 1_400.0, 390.0);
        self.height = within(self.height, 480.0, 1_600.0, 844.0).max(self.width);
        self.scale = within(self.scale, 0.5, 4.0, 3.0);
        self
    }
}
