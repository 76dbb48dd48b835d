//! Settings: nested lists, switches, sliders, and rows that ask for a permission.

use crate::action::Action;
use crate::alert::{Purpose, Raised};
use crate::apps::{AppId, Wishes, World};
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::Style;
use crate::widgets::{End, Row, SMALL, percent};
use driver_api::{Rect, Role};
use std::time::Duration;

/// A page under the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    WiFi,
    Bluetooth,
    Notifications,
    AppNotifications(usize),
    Sounds,
    Display,
    General,
    About,
    Update,
    Language,
    Privacy,
}

/// Something that an app must ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Location,
    Camera,
    Contacts,
}

impl Permission {
    const ALL: [Permission; 3] = [Permission::Location, Permission::Camera, Permission::Contacts];

    fn title(self) -> &'static str {
        match self {
            Permission::Location => "Location",
            Permission::Camera => "Camera",
            Permission::Contacts => "Contacts",
        }
    }

    fn question(self) -> Raised {
        let (text, buttons): (&str, &[&str]) = match self {
            Permission::Location => (
                "Settings would like to access your location\nIt is used to set the time zone.",
                &["Don't Allow", "Allow While Using", "Allow Once"],
            ),
            Permission::Camera => {
                ("Settings would like to access the camera\nIt is used to scan codes.", &["Don't Allow", "Allow"])
            }
            Permission::Contacts => (
                "Settings would like to access your contacts\nThey are used to suggest names.",
                &["Don't Allow", "Allow"],
            ),
        };
        Raised::new(text, buttons, Purpose::Permission(self))
    }
}

/// A setting that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toggle {
    Airplane,
    WiFi,
    Bluetooth,
    Dark,
    Bold,
    Vibrate,
    Previews,
    Notify(usize),
    Badges(usize),
}

/// A setting between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Brightness,
    Volume,
}

/// What a touch asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Show(Page),
    Toggle(Toggle),
    Slide(Level),
    Join(usize),
    Pair(usize),
    Speak(usize),
    Ask(Permission),
    Search,
    Reset,
}

const NETWORKS: [&str; 4] = ["Garden House", "Garden House Guest", "Cafe Lumen", "Studio 5"];
const DEVICES: [&str; 3] = ["Kitchen Speaker", "Travel Headphones", "Desk Keyboard"];
const LANGUAGES: [&str; 8] =
    ["English", "Deutsch", "Español", "Français", "Italiano", "Nederlands", "Polski", "Português"];
/// The apps that may notify.
const APPS: [AppId; 5] = [AppId::Notes, AppId::Contacts, AppId::SignIn, AppId::Browser, AppId::Game];

/// Whether the search for an update runs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Update {
    Unknown,
    Searching { from: Duration, until: Duration },
    Latest,
}

/// The state of Settings.
#[derive(Debug)]
pub(crate) struct Settings {
    name: String,
    pages: Vec<Page>,
    airplane: bool,
    wifi: bool,
    network: usize,
    bluetooth: bool,
    paired: [bool; DEVICES.len()],
    pub(crate) dark: bool,
    bold: bool,
    vibrate: bool,
    previews: bool,
    notify: [bool; APPS.len()],
    badges: [bool; APPS.len()],
    brightness: f64,
    pub(crate) volume: f64,
    language: usize,
    permissions: [Option<String>; 3],
    update: Update,
    now: Duration,
}

impl Settings {
    pub(crate) fn new(name: &str, dark: bool) -> Settings {
        Settings {
            name: name.into(),
            pages: Vec::new(),
            airplane: false,
            wifi: true,
            network: 0,
            bluetooth: true,
            paired: [true, false, false],
            dark,
            bold: false,
            vibrate: true,
            previews: true,
            notify: [true; APPS.len()],
            badges: [true; APPS.len()],
            brightness: 0.5,
            volume: 0.5,
            language: 0,
            permissions: [None, None, None],
            update: Update::Unknown,
            now: Duration::ZERO,
        }
    }

    pub(crate) fn restart(&mut self) {
        self.pages.clear();
    }

    pub(crate) fn back(&mut self) -> bool {
        self.pages.pop().is_some()
    }

    /// The search for an update ends by itself.
    pub(crate) fn tick(&mut self, now: Duration) -> bool {
        self.now = now;
        match self.update {
            Update::Searching { until, .. } if now >= until => {
                self.update = Update::Latest;
                true
            }
            // The bar moves while one looks at it.
            Update::Searching { .. } => self.pages.last() == Some(&Page::Update),
            _ => false,
        }
    }

    fn flag(&mut self, toggle: Toggle) -> &mut bool {
        match toggle {
            Toggle::Airplane => &mut self.airplane,
            Toggle::WiFi => &mut self.wifi,
            Toggle::Bluetooth => &mut self.bluetooth,
            Toggle::Dark => &mut self.dark,
            Toggle::Bold => &mut self.bold,
            Toggle::Vibrate => &mut self.vibrate,
            Toggle::Previews => &mut self.previews,
            Toggle::Notify(n) => &mut self.notify[n],
            Toggle::Badges(n) => &mut self.badges[n],
        }
    }

    /// Does what a touch asks; `share` is how far along the element it was, 0 to 1.
    pub(crate) fn act(&mut self, act: &Act, share: f64, world: World, wishes: &mut Wishes) {
        match act {
            Act::Show(page) => {
                self.pages.push(*page);
                wishes.tops.push(name_of(Some(*page)));
                if *page == Page::Update {
                    self.update = Update::Unknown;
                }
            }
            Act::Toggle(toggle) => {
                let flag = self.flag(*toggle);
                *flag = !*flag;
                if *toggle == Toggle::Airplane {
                    (self.wifi, self.bluetooth) = (!self.airplane, !self.airplane);
                }
            }
            Act::Slide(Level::Brightness) => self.brightness = (share * 100.0).round() / 100.0,
            Act::Slide(Level::Volume) => self.volume = (share * 100.0).round() / 100.0,
            Act::Join(n) => self.network = *n,
            Act::Pair(n) => self.paired[*n] = !self.paired[*n],
            Act::Speak(n) => self.language = *n,
            Act::Ask(permission) => wishes.alert = Some(permission.question()),
            Act::Search => {
                self.update = if world.load.is_zero() {
                    Update::Latest
                } else {
                    Update::Searching { from: world.now, until: world.now + world.load }
                };
            }
            Act::Reset => {
                let text = "Reset all settings?\nYour notes and contacts stay.";
                wishes.alert = Some(Raised::new(text, &["Cancel", "Reset"], Purpose::ResetSettings));
            }
        }
    }

    /// An alert of this app was answered.
    pub(crate) fn answered(&mut self, purpose: Purpose, label: &str) {
        match purpose {
            Purpose::Permission(permission) => {
                let state = match label {
                    "Don't Allow" => "Never",
                    "Allow While Using" => "While Using",
                    "Allow Once" => "Once",
                    _ => "Allowed",
                };
                self.permissions[permission as usize] = Some(state.into());
            }
            Purpose::ResetSettings if label == "Reset" => {
                let pages = std::mem::take(&mut self.pages);
                *self = Settings { pages, now: self.now, ..Settings::new(&self.name, false) };
            }
            _ => {}
        }
    }

    fn title(&self, page: Option<Page>) -> String {
        match page {
            None => "Settings".into(),
            Some(Page::WiFi) => "Wi-Fi".into(),
            Some(Page::Bluetooth) => "Bluetooth".into(),
            Some(Page::Notifications) => "Notifications".into(),
            Some(Page::AppNotifications(n)) => APPS[n].name().into(),
            Some(Page::Sounds) => "Sounds".into(),
            Some(Page::Display) => "Display & Brightness".into(),
            Some(Page::General) => "General".into(),
            Some(Page::About) => "About".into(),
            Some(Page::Update) => "Software Update".into(),
            Some(Page::Language) => "Language".into(),
            Some(Page::Privacy) => "Privacy".into(),
        }
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>, world: World) {
        ui.background(ui.theme.page);
        let page = self.pages.last().copied();
        let parent = match self.pages.len() {
            0 => None,
            1 => Some(self.title(None)),
            n => Some(self.title(Some(self.pages[n - 2]))),
        };
        let title = self.title(page);
        let top = ui.nav_bar(&title, parent.as_deref(), &[]);
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top);
        let list = Element::new(Role::List, viewport).label(title);
        ui.scroll(name_of(page), viewport, list, |ui, y| {
            let y = y + if page.is_none() { 10.0 } else { 22.0 };
            let end = match page {
                None => self.root(ui, y),
                Some(Page::WiFi) => self.wifi(ui, y),
                Some(Page::Bluetooth) => self.bluetooth(ui, y),
                Some(Page::Notifications) => self.notifications(ui, y),
                Some(Page::AppNotifications(n)) => self.app_notifications(ui, y, n),
                Some(Page::Sounds) => self.sounds(ui, y),
                Some(Page::Display) => self.display(ui, y),
                Some(Page::General) => general(ui, y),
                Some(Page::About) => self.about(ui, y),
                Some(Page::Update) => self.update(ui, y, world),
                Some(Page::Language) => self.language(ui, y),
                Some(Page::Privacy) => self.privacy(ui, y),
            };
            end + ui.safe.bottom
        });
    }

    fn root(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let on = |flag: bool| if flag { "On" } else { "Off" };
        let network = if self.wifi { NETWORKS[self.network] } else { "Off" };
        let owner = Row::new(self.name.as_str())
            .icon(Icon::Person, 0x7C879C)
            .subtitle("This phone exists in software")
            .end(End::Chevron)
            .id("about-phone")
            .action(show(Page::About));
        let y = ui.group(y, None, &[owner], None);
        let net = [
            Row::new("Airplane Mode")
                .icon(Icon::Airplane, 0xE08A1E)
                .end(End::Switch(self.airplane))
                .id("airplane")
                .action(toggle(Toggle::Airplane)),
            row(Icon::Waves, 0x2B63E3, Page::WiFi, "Wi-Fi", "wifi").value(network),
            row(Icon::Antenna, 0x2B63E3, Page::Bluetooth, "Bluetooth", "bluetooth").value(on(self.bluetooth)),
            Row::new("Mobile Data")
                .icon(Icon::Bars, 0x1F9D66)
                .value("No SIM")
                .end(End::Chevron)
                .id("mobile-data")
                .action(Action::Settings(Act::Show(Page::About)))
                .disabled(),
        ];
        let y = ui.group(y, None, &net, None);
        let alerts = [
            row(Icon::Bell, 0xCF2A3D, Page::Notifications, "Notifications", "notifications"),
            row(Icon::Speaker, 0xD4457F, Page::Sounds, "Sounds", "sounds"),
        ];
        let y = ui.group(y, None, &alerts, None);
        let rest = [
            row(Icon::Wheel, 0x667085, Page::General, "General", "general"),
            row(Icon::Moon, 0x5A55D6, Page::Display, "Display & Brightness", "display"),
            row(Icon::Shield, 0x1B8CA6, Page::Privacy, "Privacy", "privacy"),
        ];
        let y = ui.group(y, None, &rest, None);
        let apps: Vec<Row> = APPS
            .iter()
            .enumerate()
            .map(|(n, app)| {
                let (icon, _, color) = app.face();
                row(icon, color, Page::AppNotifications(n), app.name(), app.id())
            })
            .collect();
        ui.group(y, Some("Apps"), &apps, None)
    }

    fn wifi(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let power = Row::new("Wi-Fi").end(End::Switch(self.wifi)).id("wifi").action(toggle(Toggle::WiFi));
        let y = ui.group(y, None, &[power], None);
        if !self.wifi {
            let (x, width) = ui.column();
            let words = "Turn on Wi-Fi to see networks.";
            return ui.paragraph((x + 16.0, y, width - 32.0), words, SMALL, ui.theme.secondary, Align::Left);
        }
        let networks: Vec<Row> = NETWORKS
            .iter()
            .enumerate()
            .map(|(n, name)| Row::new(*name).end(End::Check(n == self.network)).action(Action::Settings(Act::Join(n))))
            .collect();
        ui.group(y, Some("Networks"), &networks, Some("Known networks are joined automatically."))
    }

    fn bluetooth(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let power =
            Row::new("Bluetooth").end(End::Switch(self.bluetooth)).id("bluetooth").action(toggle(Toggle::Bluetooth));
        let y = ui.group(y, None, &[power], None);
        let devices: Vec<Row> = DEVICES
            .iter()
            .enumerate()
            .map(|(n, name)| {
                let state = if self.paired[n] && self.bluetooth { "Connected" } else { "Not connected" };
                let row = Row::new(*name).value(state).action(Action::Settings(Act::Pair(n)));
                if self.bluetooth { row } else { row.disabled() }
            })
            .collect();
        ui.group(y, Some("My devices"), &devices, None)
    }

    fn notifications(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let previews =
            Row::new("Show Previews").end(End::Switch(self.previews)).id("previews").action(toggle(Toggle::Previews));
        let y = ui.group(y, None, &[previews], Some("Previews appear on the lock screen."));
        let apps: Vec<Row> = APPS
            .iter()
            .enumerate()
            .map(|(n, app)| {
                let (icon, _, color) = app.face();
                let state = if self.notify[n] { "On" } else { "Off" };
                row(icon, color, Page::AppNotifications(n), app.name(), app.id()).value(state)
            })
            .collect();
        ui.group(y, Some("Apps"), &apps, None)
    }

    fn app_notifications(&self, ui: &mut Ui<'_>, y: f64, n: usize) -> f64 {
        let badges = Row::new("Badges").end(End::Switch(self.badges[n])).id("badges").action(toggle(Toggle::Badges(n)));
        let rows = [
            Row::new("Allow Notifications")
                .end(End::Switch(self.notify[n]))
                .id("allow-notifications")
                .action(toggle(Toggle::Notify(n))),
            if self.notify[n] { badges } else { badges.disabled() },
        ];
        ui.group(y, Some("Notifications"), &rows, None)
    }

    fn sounds(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let y = level(ui, y, "Volume", "volume", self.volume, Level::Volume);
        let rows =
            [Row::new("Vibration").end(End::Switch(self.vibrate)).id("vibration").action(toggle(Toggle::Vibrate))];
        ui.group(y, None, &rows, None)
    }

    fn display(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let rows = [
            Row::new("Dark Mode").end(End::Switch(self.dark)).id("dark-mode").action(toggle(Toggle::Dark)),
            Row::new("Bold Text").end(End::Switch(self.bold)).id("bold-text").action(toggle(Toggle::Bold)),
        ];
        let y = ui.group(y, Some("Appearance"), &rows, None);
        level(ui, y, "Brightness", "brightness", self.brightness, Level::Brightness)
    }

    fn about(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let rows = [
            Row::new("Name").value(self.name.as_str()),
            Row::new("Model").value(crate::MODEL),
            Row::new("Version").value(crate::OS_VERSION),
            Row::new("Serial Number").value("FT-0000-0001"),
        ];
        let y = ui.group(y, None, &rows, None);
        let rows = [
            Row::new("Contacts").value(super::people::COUNT.to_string()),
            Row::new("Capacity").value("128 GB"),
            Row::new("Available").value("96.4 GB"),
        ];
        ui.group(y, None, &rows, None)
    }

    fn update(&self, ui: &mut Ui<'_>, y: f64, world: World) -> f64 {
        let theme = ui.theme;
        let (x, width) = ui.column();
        let line = Rect::new(x, y + 70.0, width, 28.0);
        match self.update {
            Update::Unknown => {
                let rows = [Row::new("Installed version").value(crate::OS_VERSION)];
                let y = ui.group(y, None, &rows, None);
                let rect = Rect::new(x, y, width, 50.0);
                let action = Action::Settings(Act::Search);
                ui.button(rect, "Check for Updates", "check-updates", (true, true), theme.accent, action);
                return rect.bottom() + 20.0;
            }
            Update::Searching { from, until } => {
                ui.line(line, "Checking for updates…", Style::semibold(19.0), theme.text, Align::Center);
                let whole = (until - from).as_secs_f64();
                let share = (world.now.saturating_sub(from).as_secs_f64() / whole).min(1.0);
                // Steps of a tenth: finer ones would make every picture a new one.
                let share = (share * 10.0).floor() / 10.0;
                let track = Rect::new(x + 40.0, line.bottom() + 20.0, width - 80.0, 6.0);
                let filled = Rect::new(track.x, track.y, (track.width * share).max(6.0), 6.0);
                ui.add(
                    Element::new(Role::Other, track)
                        .label("Progress")
                        .id("progress")
                        .value(percent(share))
                        .fill(theme.fill, 3.0)
                        .shape(Shape::Fill { rect: filled, radius: 3.0, color: theme.accent }),
                );
            }
            Update::Latest => {
                let words = format!("Version {} is up to date", crate::OS_VERSION);
                ui.line(line, &words, Style::semibold(19.0), theme.text, Align::Center);
            }
        }
        line.bottom() + 60.0
    }

    fn language(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let rows: Vec<Row> = LANGUAGES
            .iter()
            .enumerate()
            .map(|(n, name)| {
                Row::new(*name).end(End::Check(n == self.language)).action(Action::Settings(Act::Speak(n)))
            })
            .collect();
        ui.group(y, None, &rows, None)
    }

    fn privacy(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let icons = [(Icon::Pin, 0x2B63E3), (Icon::Camera, 0x667085), (Icon::Person, 0x1F8A5F)];
        let rows: Vec<Row> = Permission::ALL
            .iter()
            .zip(icons)
            .map(|(permission, (icon, color))| {
                let state = self.permissions[*permission as usize].as_deref().unwrap_or("Ask");
                Row::new(permission.title())
                    .icon(icon, color)
                    .value(state)
                    .end(End::Chevron)
                    .id(format!("privacy-{}", permission.title().to_lowercase()))
                    .action(Action::Settings(Act::Ask(*permission)))
            })
            .collect();
        ui.group(y, Some("What Settings may use"), &rows, Some("Touch a row to be asked again."))
    }
}

/// The name of a page's list, by which it remembers how far it is scrolled.
fn name_of(page: Option<Page>) -> &'static str {
    match page {
        None => "settings",
        Some(Page::WiFi) => "settings.wifi",
        Some(Page::Bluetooth) => "settings.bluetooth",
        Some(Page::Notifications) => "settings.notifications",
        Some(Page::AppNotifications(_)) => "settings.app",
        Some(Page::Sounds) => "settings.sounds",
        Some(Page::Display) => "settings.display",
        Some(Page::General) => "settings.general",
        Some(Page::About) => "settings.about",
        Some(Page::Update) => "settings.update",
        Some(Page::Language) => "settings.language",
        Some(Page::Privacy) => "settings.privacy",
    }
}

fn show(page: Page) -> Action {
    Action::Settings(Act::Show(page))
}

fn toggle(toggle: Toggle) -> Action {
    Action::Settings(Act::Toggle(toggle))
}

fn row(icon: Icon, color: u32, page: Page, title: &str, id: &str) -> Row {
    Row::new(title).icon(icon, color).end(End::Chevron).id(id).action(show(page))
}

fn general(ui: &mut Ui<'_>, y: f64) -> f64 {
    let plain = |title: &str, page: Page, id: &str| Row::new(title).end(End::Chevron).id(id).action(show(page));
    let rows = [plain("About", Page::About, "about"), plain("Software Update", Page::Update, "software-update")];
    let y = ui.group(y, None, &rows, None);
    let y = ui.group(y, None, &[plain("Language", Page::Language, "language")], None);
    let danger = ui.theme.danger;
    let reset = Row::new("Reset All Settings").color(danger).id("reset").action(Action::Settings(Act::Reset));
    ui.group(y, None, &[reset], None)
}

/// A card with a named slider.
fn level(ui: &mut Ui<'_>, y: f64, label: &str, id: &str, share: f64, level: Level) -> f64 {
    let theme = ui.theme;
    let (x, width) = ui.column();
    let heading = Rect::new(x + 16.0, y, width - 32.0, 24.0);
    ui.line(heading, label, Style::semibold(13.0), theme.secondary, Align::Left);
    let card = Rect::new(x, y + 28.0, width, 56.0);
    ui.add(Element::decor(card).fill(theme.card, 12.0));
    let track = Rect::new(card.x + 18.0, card.y + 8.0, card.width - 36.0, 40.0);
    ui.slider(track, label, id, share, Action::Settings(Act::Slide(level)));
    card.bottom() + 22.0
}
