//! The phone: its state, what callers can ask of it, its clock and its layout. What touches do is in `handle`, what is
//! shown in `compose`.

use crate::action::Field;
use crate::alert::{Purpose, Raised};
use crate::apps::{AppId, Apps, Wishes, World};
use crate::encode;
use crate::keyboard::Keyboard;
use crate::layout::{Layout, Offsets};
use crate::lock::Lock;
use crate::options::PhoneOptions;
use crate::render::Canvas;
use crate::touch::{Log, Touch};
use bytes::Bytes;
use driver_api::{
    Alert, App, AppEntry, AppList, DeviceState, Error, ErrorKind, Launch, Node, Orientation, Picture, PictureFormat,
    Result, Screen, Tree,
};
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// What is shown while the phone is unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    App(AppId),
    Switcher,
}

/// A phone that exists only in software. See the [crate's page](crate).
///
/// All places are in points of the current orientation. Touches outside the screen do nothing. Nothing is drawn or laid out
/// before somebody asks for it.
pub struct Phone {
    pub(crate) options: PhoneOptions,
    pub(crate) apps: Apps,
    pub(crate) front: Front,
    /// The last used first.
    pub(crate) running: Vec<AppId>,
    pub(crate) focus: Option<Field>,
    pub(crate) keyboard: Keyboard,
    /// The first is the one in front.
    pub(crate) alerts: VecDeque<Raised>,
    pub(crate) lock: Option<Lock>,
    pub(crate) offsets: Offsets,
    pub(crate) toast: Option<(String, Duration)>,
    pub(crate) orientation: Orientation,
    pub(crate) log: Log,
    /// Whether something may have changed since the layout was made.
    pub(crate) dirty: bool,
    clipboard: String,
    started: Instant,
    skipped: Duration,
    pub(crate) clock: String,
    revision: u64,
    layout: Option<Layout>,
    canvas: Option<(u64, Canvas)>,
    picture: Option<(u64, Picture)>,
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Phone")
            .field("name", &self.options.name)
            .field("front", &self.front)
            .field("locked", &self.is_locked())
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

impl Phone {
    /// A phone on its home screen, or on its lock screen where the options say so.
    pub fn new(options: PhoneOptions) -> Phone {
        let options = options.sane();
        Phone {
            apps: Apps::new(&options),
            front: Front::App(AppId::Home),
            running: Vec::new(),
            focus: None,
            keyboard: Keyboard::default(),
            alerts: VecDeque::new(),
            lock: options.locked.then(Lock::default),
            offsets: Offsets::new(),
            toast: None,
            orientation: Orientation::Portrait,
            log: Log::default(),
            dirty: true,
            clipboard: String::new(),
            started: Instant::now(),
            skipped: Duration::ZERO,
            clock: options.clock.clone(),
            revision: 0,
            layout: None,
            canvas: None,
            picture: None,
            options,
        }
    }

    /// The screen in its current orientation.
    pub fn screen(&self) -> Screen {
        let (width, height) = match self.orientation.is_landscape() {
            true => (self.options.height, self.options.width),
            false => (self.options.width, self.options.height),
        };
        Screen { width, height, scale: self.options.scale, orientation: self.orientation }
    }

    /// What is on the screen: one window with the app's content, then the keyboard, toasts and the alert, which lie over it.
    /// The clock's row and the bar at the bottom belong to the phone and are only in the picture.
    pub fn tree(&mut self) -> Tree {
        let app = self.active_app();
        let (nodes, _) = self.laid_out().nodes();
        Tree { nodes, flaws: Vec::new(), app: Some(app) }
    }

    /// The screen as a PNG of [`Screen::scale`] pixels a point. Nothing is drawn or encoded again while nothing has changed.
    pub fn picture(&mut self) -> Picture {
        self.settle();
        if let Some((revision, picture)) = &self.picture
            && *revision == self.revision
        {
            return picture.clone();
        }
        let revision = self.revision;
        let (width, height, pixels) = self.pixels();
        let picture = Picture {
            bytes: Bytes::from(encode::png(width, height, pixels)),
            format: PictureFormat::Png,
            width,
            height,
        };
        self.picture = Some((revision, picture.clone()));
        picture
    }

    /// The screen as pixels: width, height, and RGBA rows from the top; every pixel is opaque.
    pub fn pixels(&mut self) -> (u32, u32, &[u8]) {
        self.settle();
        let screen = self.screen();
        let revision = self.revision;
        let (drawn, canvas) =
            self.canvas.get_or_insert_with(|| (0, Canvas::new(screen.width, screen.height, screen.scale)));
        if let (true, Some(layout)) = (*drawn != revision, &self.layout) {
            canvas.show(layout);
            *drawn = revision;
        }
        canvas.pixels()
    }

    /// A number that rises when anything visible changes. What time alone changes is counted at the next call that looks or
    /// touches; [`advance`](Phone::advance) by zero only counts.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Lets this much time pass, besides the time that passes anyway, and lets timed changes happen.
    pub fn advance(&mut self, by: Duration) {
        self.skipped += by;
        self.settle();
    }

    /// Whether the lock screen is shown.
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Shows the lock screen.
    pub fn lock(&mut self) {
        if self.lock.is_none() {
            self.set_focus(None);
            self.lock = Some(Lock::default());
            self.changed();
        }
    }

    /// Leaves the lock screen. An unlocked phone stays as it is.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] when it wants its passcode, whose pad it then shows.
    pub fn unlock(&mut self) -> Result<()> {
        self.wake();
        self.settle();
        match self.lock {
            None => Ok(()),
            Some(_) => Err(Error::new(ErrorKind::Locked, "the phone wants its passcode")),
        }
    }

    /// Unlocks with a passcode. An unlocked phone stays as it is.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] when the code is wrong; the phone shows that too.
    pub fn enter_passcode(&mut self, code: &str) -> Result<()> {
        let Some(lock) = &mut self.lock else { return Ok(()) };
        let right = self.options.passcode.as_deref().is_none_or(|passcode| passcode == code);
        if right {
            self.lock = None;
        } else {
            *lock = Lock { pad: true, entered: String::new(), wrong: true };
        }
        self.changed();
        if right { Ok(()) } else { Err(Error::new(ErrorKind::Locked, "the passcode is wrong")) }
    }

    /// Goes to the home screen.
    pub fn home(&mut self) {
        if self.lock.is_none() {
            self.open(AppId::Home);
            self.changed();
        }
    }

    /// Brings an app to the front and starts it if need be. The browser takes an address as its first argument.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`], and [`ErrorKind::AppNotFound`] for an app that the phone does not have.
    pub fn launch(&mut self, launch: &Launch) -> Result<App> {
        let app = find(&launch.app)?;
        if self.is_locked() {
            return Err(Error::new(ErrorKind::Locked, "the phone is locked"));
        }
        if launch.fresh {
            self.end(app);
        }
        let starts = !self.running.contains(&app);
        self.open(app);
        if starts {
            let mut wishes = Wishes::default();
            let world = self.world();
            self.apps.arguments(app, &launch.arguments, world, &mut wishes);
            self.grant(wishes);
        }
        self.changed();
        Ok(app.app())
    }

    /// Ends an app; answers whether it ran. The home screen never ends.
    ///
    /// # Errors
    /// [`ErrorKind::AppNotFound`] for an app that the phone does not have.
    pub fn terminate(&mut self, app: &str) -> Result<bool> {
        let app = find(app)?;
        let ran = self.end(app);
        self.changed();
        Ok(ran)
    }

    /// All apps that can be started.
    pub fn apps(&self) -> AppList {
        let entry = |app: &AppId| AppEntry { app: app.app(), running: Some(self.running.contains(app)) };
        AppList { apps: AppId::ALL.iter().map(entry).collect(), complete: true }
    }

    /// The app in front: the home app on the home screen, in the list of running apps and on the lock screen.
    pub fn active_app(&self) -> App {
        match self.front {
            Front::App(app) if self.lock.is_none() => app.app(),
            _ => AppId::Home.app(),
        }
    }

    /// Whether the app of this id or name runs.
    pub fn app_running(&self, id: &str) -> bool {
        AppId::find(id).is_some_and(|app| app == AppId::Home || self.running.contains(&app))
    }

    /// The alert in front. The lock screen hides alerts.
    pub fn alert(&self) -> Option<Alert> {
        let raised = self.alerts.front().filter(|_| self.lock.is_none())?;
        Some(raised.alert.clone())
    }

    /// Presses the button of this label on the alert in front.
    ///
    /// # Errors
    /// [`ErrorKind::NoAlert`] when there is no alert or it has no such button.
    pub fn answer_alert(&mut self, label: &str) -> Result<()> {
        let Some(alert) = self.alert() else { return Err(Error::new(ErrorKind::NoAlert, "no alert is up")) };
        let exact = alert.buttons.iter().position(|button| button == label);
        let any = || alert.buttons.iter().position(|button| button.eq_ignore_ascii_case(label.trim()));
        let Some(n) = exact.or_else(any) else {
            return Err(Error::new(ErrorKind::NoAlert, format!("the alert has no button {label:?}")));
        };
        self.answer(n);
        self.changed();
        Ok(())
    }

    /// Shows an alert that nothing in the phone asked for, behind those that are up already. Without buttons it gets `OK`.
    pub fn raise_alert(&mut self, mut alert: Alert) {
        if alert.buttons.is_empty() {
            alert.buttons.push("OK".into());
        }
        self.alerts.push_back(Raised { alert, purpose: Purpose::Other });
        self.changed();
    }

    /// Turns the screen.
    ///
    /// # Errors
    /// None at present.
    pub fn set_orientation(&mut self, orientation: Orientation) -> Result<()> {
        self.orientation = orientation;
        self.changed();
        Ok(())
    }

    /// What is on the clipboard.
    pub fn clipboard(&self) -> &str {
        &self.clipboard
    }

    /// Puts a text on the clipboard.
    pub fn set_clipboard(&mut self, text: &str) {
        self.clipboard = text.into();
    }

    /// Takes the keyboard away, and with it the focus; answers whether one was up.
    pub fn hide_keyboard(&mut self) -> bool {
        let up = self.focus.is_some();
        self.set_focus(None);
        self.changed();
        up
    }

    /// Whether the keyboard is up.
    pub fn keyboard_up(&self) -> bool {
        self.focus.is_some()
    }

    /// The node of the field that has the focus, without a parent.
    pub fn focused(&mut self) -> Option<Node> {
        let (nodes, _) = self.laid_out().nodes();
        nodes.into_iter().find(|node| node.focused).map(|node| Node { parent: None, ..node })
    }

    /// Opens an address of `http`, `https` or `demo` in the browser.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`], and [`ErrorKind::InvalidArgument`] for an address that no app opens.
    pub fn open_url(&mut self, url: &str) -> Result<()> {
        let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !matches!(scheme.as_deref(), Some("http" | "https" | "demo")) {
            return Err(Error::new(ErrorKind::InvalidArgument, "no app of the phone opens this kind of address"));
        }
        if self.is_locked() {
            return Err(Error::new(ErrorKind::Locked, "the phone is locked"));
        }
        self.open(AppId::Browser);
        let mut wishes = Wishes::default();
        let world = self.world();
        self.apps.browser.open(url, world, &mut wishes);
        self.grant(wishes);
        self.changed();
        Ok(())
    }

    /// Model, version, whether it is locked, and a battery that never changes.
    pub fn state(&self) -> DeviceState {
        DeviceState {
            model: Some(crate::MODEL.into()),
            os_version: Some(crate::OS_VERSION.into()),
            locked: Some(self.is_locked()),
            battery: Some(0.87),
        }
    }

    /// The last touches, the oldest first; at most 10,000.
    pub fn touches(&self) -> &[Touch] {
        self.log.kept()
    }

    /// How many touches there were in all.
    pub fn touch_count(&self) -> u64 {
        self.log.total()
    }

    // What follows is for the rest of the crate.

    pub(crate) fn now(&self) -> Duration {
        if self.options.manual_clock { self.skipped } else { self.skipped + self.started.elapsed() }
    }

    pub(crate) fn world(&self) -> World {
        World { now: self.now(), load: Duration::from_millis(self.options.load_ms) }
    }

    /// The app whose content is shown.
    pub(crate) fn shown_app(&self) -> AppId {
        match self.front {
            Front::App(app) => app,
            Front::Switcher => AppId::Home,
        }
    }

    /// Something may have changed: lay out again and see.
    pub(crate) fn changed(&mut self) {
        self.dirty = true;
        self.settle();
    }

    /// The layout as it is now.
    pub(crate) fn laid_out(&mut self) -> &Layout {
        self.settle();
        let empty = || Layout {
            screen: Screen { width: 1.0, height: 1.0, scale: 1.0, orientation: Orientation::Portrait },
            elements: Vec::new(),
            order: Vec::new(),
            scrolls: Vec::new(),
        };
        self.layout.get_or_insert_with(empty)
    }

    /// Lets timed changes happen and brings the layout up to date.
    fn settle(&mut self) {
        let now = self.now();
        if self.apps.tick(now) {
            self.dirty = true;
        }
        if self.toast.as_ref().is_some_and(|(_, until)| now >= *until) {
            self.toast = None;
            self.dirty = true;
        }
        if self.options.ticking_clock {
            let clock = clock_after(&self.options.clock, now);
            if clock != self.clock {
                self.clock = clock;
                self.dirty = true;
            }
        }
        if !std::mem::take(&mut self.dirty) && self.layout.is_some() {
            return;
        }
        let layout = self.compose();
        if self.layout.as_ref() != Some(&layout) {
            self.layout = Some(layout);
            self.revision += 1;
        }
    }

    /// Lays everything out; lists that are scrolled too far are brought back.
    fn compose(&mut self) -> Layout {
        loop {
            let layout = self.lay_out();
            let mut clamped = false;
            for scroll in &layout.scrolls {
                if let Some(offset) = self.offsets.get_mut(scroll.name)
                    && *offset > scroll.max
                {
                    *offset = scroll.max;
                    clamped = true;
                }
            }
            if !clamped {
                return layout;
            }
        }
    }
}

pub(crate) fn find(app: &str) -> Result<AppId> {
    AppId::find(app).ok_or_else(|| Error::new(ErrorKind::AppNotFound, format!("the phone has no app {app:?}")))
}

/// The clock of a phone that was made at `start` (`H:MM`), after this time.
fn clock_after(start: &str, passed: Duration) -> String {
    let minutes = start.split_once(':').and_then(|(h, m)| Some(h.parse::<u64>().ok()? * 60 + m.parse::<u64>().ok()?));
    match minutes {
        Some(minutes) => {
            let now = minutes + passed.as_secs() / 60;
            format!("{}:{:02}", now / 60 % 24, now % 60)
        }
        None => start.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_round() {
        assert_eq!(clock_after("9:41", Duration::from_secs(59)), "9:41");
        assert_eq!(clock_after("9:41", Duration::from_secs(20 * 60)), "10:01");
        assert_eq!(clock_after("23:59", Duration::from_secs(60)), "0:00");
        assert_eq!(clock_after("noon", Duration::from_secs(60)), "noon");
    }
}
