//! What touches, keys and buttons do to the phone.

use crate::action::{Action, Field};
use crate::alert::Purpose;
use crate::apps::{AppId, Wishes};
use crate::keyboard::{Key, Keyboard, Shift};
use crate::layout::Want;
use crate::lock::Lock;
use crate::phone::{Front, Phone};
use crate::touch::{self, HELD, SLOP, Touch, TouchKind};
use driver_api::{Button, Error, ErrorKind, Finger, Outcome, Point, Rect, Result, Role, Swipe};
use std::time::Duration;
use unicode_segmentation::UnicodeSegmentation;

/// A swipe that starts so close to an edge is one of the phone's own.
const EDGE: f64 = 20.0;
/// A held swipe from the bottom edge that takes so long shows the running apps.
const SLOW: Duration = Duration::from_millis(800);

impl Phone {
    /// Touches once.
    pub fn tap(&mut self, at: Point) {
        self.note(TouchKind::Tap, vec![at]);
        self.touch(at, Want::Tap);
    }

    /// Touches twice in the same place. What does not know double taps is touched twice.
    pub fn double_tap(&mut self, at: Point) {
        self.note(TouchKind::DoubleTap, vec![at]);
        if !self.touch(at, Want::Double) {
            self.touch(at, Want::Tap);
            self.touch(at, Want::Tap);
        }
    }

    /// Touches and holds. Less than half a second is a tap; longer, what does not know being held does nothing, except
    /// keys, which write once.
    pub fn long_press(&mut self, at: Point, hold: Duration) {
        self.note(TouchKind::LongPress, vec![at]);
        self.hold(at, hold);
    }

    /// Moves one finger. Lists follow by exactly the finger's way, sliders jump to its end; from the left edge it goes
    /// back, from the bottom edge home, or to the running apps when that takes 0.8 s or more.
    pub fn swipe(&mut self, swipe: Swipe) {
        self.note(TouchKind::Swipe, vec![swipe.from, swipe.to]);
        self.drag(swipe);
    }

    /// Moves several fingers. One is a tap, a long press or a swipe; two on the picture of the browser zoom it, and
    /// elsewhere scroll.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] when there is no finger, one has no path, or its times go backwards.
    pub fn gesture(&mut self, fingers: &[Finger]) -> Result<()> {
        let bad = |message: &str| Err(Error::new(ErrorKind::InvalidArgument, message));
        if fingers.is_empty() || fingers.iter().any(|finger| finger.path.is_empty()) {
            return bad("a gesture needs at least one finger with a path");
        }
        if !fingers.iter().all(|finger| finger.path.is_sorted_by_key(|place| place.at_ms)) {
            return bad("the times of a finger's path must not go backwards");
        }
        let points = fingers.iter().flat_map(|finger| &finger.path).map(|place| place.point);
        self.note(TouchKind::Gesture, points.collect());
        let Some(pinch) = touch::pinch(fingers) else {
            let path = &fingers[0].path;
            let (first, last) = (path[0], path[path.len() - 1]);
            // How long it rests before it moves.
            let rest = path.iter().take_while(|place| touch::distance(first.point, place.point) <= SLOP).last();
            let hold = Duration::from_millis(rest.unwrap_or(&first).at_ms - first.at_ms);
            let duration = Duration::from_millis(last.at_ms - first.at_ms) - hold;
            self.drag(Swipe { from: first.point, to: last.point, hold, duration });
            return Ok(());
        };
        if self.alert().is_some() || self.is_locked() {
            return Ok(());
        }
        let layout = self.laid_out();
        let picture = layout.elements.iter().find(|element| element.role == Role::Image && element.double.is_some());
        let on_picture = picture.is_some_and(|picture| picture.touched(pinch.from));
        if on_picture && (pinch.factor - 1.0).abs() > 0.05 {
            self.apps.browser.pinch(pinch.factor);
            self.changed();
        } else {
            self.scroll(pinch.from, pinch.to);
        }
        Ok(())
    }

    /// Types into the field that has the focus, letter for letter as people see letters. A line break presses the return
    /// key; `\u{8}` and `\u{7f}` delete backwards.
    ///
    /// # Errors
    /// [`ErrorKind::NothingFocused`], also when the return key took the focus away before the end (then with an unknown
    /// outcome); [`ErrorKind::Locked`]; [`ErrorKind::AlertInFront`].
    pub fn type_text(&mut self, text: &str) -> Result<()> {
        if self.is_locked() {
            return Err(Error::new(ErrorKind::Locked, "the phone is locked"));
        }
        if self.alert().is_some() {
            return Err(Error::new(ErrorKind::AlertInFront, "an alert is in front"));
        }
        for (n, cluster) in text.graphemes(true).enumerate() {
            if self.focus.is_none() {
                self.changed();
                let error = Error::new(ErrorKind::NothingFocused, format!("nothing has the focus after {n} letters"));
                return Err(if n == 0 { error } else { error.with_outcome(Outcome::Unknown) });
            }
            match cluster {
                "\n" | "\r" | "\r\n" => self.key(Key::Return),
                "\u{8}" | "\u{7f}" => self.key(Key::Delete),
                _ => {
                    // The capital that the keyboard proposed is used up by any letter.
                    if self.keyboard.shift == Shift::Once {
                        self.keyboard.shift = Shift::Off;
                    }
                    self.write(cluster);
                }
            }
        }
        if text.is_empty() && self.focus.is_none() {
            return Err(Error::new(ErrorKind::NothingFocused, "nothing has the focus"));
        }
        self.changed();
        Ok(())
    }

    /// Presses a button. On the lock screen only the volume buttons do something; behind an alert, nothing but they does.
    /// Back hides the keyboard first, and goes home where an app has no way back.
    pub fn press(&mut self, button: Button) {
        match button {
            Button::VolumeUp => self.volume(1.0 / 16.0),
            Button::VolumeDown => self.volume(-1.0 / 16.0),
            _ if self.is_locked() || self.alert().is_some() => {}
            Button::Back => self.step_back(true),
            Button::AppSwitcher => self.show_running(),
            Button::Enter => {
                if self.focus.is_some() {
                    self.key(Key::Return);
                }
            }
        }
        self.changed();
    }

    fn volume(&mut self, by: f64) {
        let volume = &mut self.apps.settings.volume;
        *volume = (*volume + by).clamp(0.0, 1.0);
        let words = format!("Volume {}", crate::widgets::percent(*volume));
        self.show_toast(words);
    }

    fn show_toast(&mut self, words: String) {
        let until = self.now() + Duration::from_millis(self.options.toast_ms);
        self.toast = Some((words, until));
    }

    fn show_running(&mut self) {
        self.set_focus(None);
        self.offsets.remove("switcher");
        self.front = Front::Switcher;
    }

    fn note(&mut self, kind: TouchKind, points: Vec<Point>) {
        // What time changed before the touch is on the screen that it meets.
        self.laid_out();
        let at_ms = self.now().as_millis() as u64;
        self.log.add(Touch { kind, points, at_ms, target: None });
    }

    /// Hands a touch to what it hits; answers whether something took it.
    fn touch(&mut self, at: Point, want: Want) -> bool {
        let layout = self.laid_out();
        let Some(index) = layout.hit(at, want) else { return false };
        let element = &layout.elements[index];
        let action = match want {
            Want::Tap => element.tap.clone(),
            Want::Hold => element.hold.clone(),
            Want::Double => element.double.clone(),
        };
        let rect = element.rect;
        // The keys of a password would tell it.
        let name = element.identifier.clone().or_else(|| element.label.clone()).filter(|_| element.role != Role::Key);
        if let Some(last) = self.log.last_mut() {
            last.target = name;
        }
        if let Some(action) = action {
            self.act(action, at, rect);
            self.changed();
        }
        true
    }

    fn hold(&mut self, at: Point, hold: Duration) {
        if hold < HELD {
            self.touch(at, Want::Tap);
        } else if !self.touch(at, Want::Hold) {
            let layout = self.laid_out();
            let key = layout.hit(at, Want::Tap).filter(|index| layout.elements[*index].role == Role::Key);
            if key.is_some() {
                self.touch(at, Want::Tap);
            }
        }
    }

    fn drag(&mut self, swipe: Swipe) {
        let (from, to) = (swipe.from, swipe.to);
        if touch::distance(from, to) < SLOP {
            self.hold(from, swipe.hold + swipe.duration);
            return;
        }
        if self.alert().is_some() {
            return;
        }
        let screen = self.screen();
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        if let Some(lock) = &self.lock {
            if dy < -80.0 && !lock.pad {
                self.wake();
                self.changed();
            }
            return;
        }
        if from.y >= screen.height - EDGE && dy < -100.0 {
            if swipe.duration + swipe.hold >= SLOW {
                self.show_running();
            } else {
                self.open(AppId::Home);
            }
            self.changed();
            return;
        }
        if from.x <= EDGE && dx > 80.0 && dx > dy.abs() {
            self.step_back(false);
            self.changed();
            return;
        }
        if swipe.hold >= HELD && self.touch(from, Want::Hold) {
            return;
        }
        let layout = self.laid_out();
        if let Some(index) = layout.hit(from, Want::Tap)
            && layout.elements[index].role == Role::Slider
        {
            self.touch_at(index, to);
            return;
        }
        self.scroll(from, to);
    }

    /// Drags an element to a point that may lie outside it.
    fn touch_at(&mut self, index: usize, at: Point) {
        let element = &self.laid_out().elements[index];
        let (action, rect) = (element.tap.clone(), element.rect);
        if let Some(action) = action {
            self.act(action, at, rect);
            self.changed();
        }
    }

    /// Moves the list under a finger.
    fn scroll(&mut self, from: Point, to: Point) {
        let Some(scroll) = self.laid_out().scroll_at(from) else { return };
        let (name, max) = (scroll.name, scroll.max);
        let offset = self.offsets.entry(name).or_default();
        let moved = (*offset + from.y - to.y).clamp(0.0, max);
        if moved != *offset {
            *offset = moved;
            self.changed();
        }
    }

    fn act(&mut self, action: Action, at: Point, rect: Rect) {
        let share = ((at.x - rect.x) / rect.width).clamp(0.0, 1.0);
        let world = self.world();
        let mut wishes = Wishes::default();
        match action {
            Action::Open(app) => self.open(app),
            Action::Wake => self.wake(),
            Action::Digit(digit) => self.digit(digit),
            Action::PadDelete => {
                if let Some(lock) = &mut self.lock {
                    lock.entered.pop();
                }
            }
            Action::PadCancel => self.lock = Some(Lock::default()),
            Action::Back => self.step_back(false),
            Action::Focus(field) => self.set_focus(Some(field)),
            Action::Clear(field) => {
                if let Some(text) = self.apps.text_mut(field) {
                    text.clear();
                }
                self.apps.edited(field, &mut wishes);
            }
            Action::HideKeyboard => self.set_focus(None),
            Action::Key(key) => self.key(key),
            Action::Answer(n) => self.answer(n),
            Action::Board => {
                let land = self.orientation.is_landscape();
                self.apps.game.touch(at, &rect, land);
            }
            Action::Settings(act) => self.apps.settings.act(&act, share, world, &mut wishes),
            Action::Notes(act) => self.apps.notes.act(&act, &mut wishes),
            Action::Contacts(act) => self.apps.contacts.act(&act, &mut wishes),
            Action::SignIn(act) => self.apps.sign_in.act(&act, &mut wishes),
            Action::Browser(act) => self.apps.browser.act(&act, world, &mut wishes),
        }
        self.grant(wishes);
    }

    /// Does what an app asked for.
    pub(crate) fn grant(&mut self, wishes: Wishes) {
        for name in wishes.tops {
            self.offsets.remove(name);
        }
        if let Some(focus) = wishes.focus {
            self.set_focus(focus);
        }
        if let Some(words) = wishes.toast {
            self.show_toast(words);
        }
        if let Some(raised) = wishes.alert {
            self.alerts.push_back(raised);
        }
    }

    /// Brings an app to the front and starts it if it does not run.
    pub(crate) fn open(&mut self, app: AppId) {
        self.set_focus(None);
        self.front = Front::App(app);
        if app == AppId::Home {
            return;
        }
        if !self.running.contains(&app) {
            self.apps.restart(app);
        }
        self.running.retain(|other| *other != app);
        self.running.insert(0, app);
    }

    /// Ends an app; answers whether it ran.
    pub(crate) fn end(&mut self, app: AppId) -> bool {
        let ran = self.running.contains(&app);
        if ran {
            self.running.retain(|other| *other != app);
            if self.front == Front::App(app) {
                self.open(AppId::Home);
            }
            let lists = match app {
                AppId::SignIn => "sign-in".to_string(),
                _ => app.name().to_lowercase(),
            };
            self.offsets.retain(|name, _| !name.starts_with(&lists));
            self.apps.restart(app);
        }
        ran
    }

    /// One step back; `home` says whether an app without a way back is left.
    fn step_back(&mut self, home: bool) {
        if home && self.focus.is_some() {
            self.set_focus(None);
            return;
        }
        if self.front == Front::Switcher {
            self.open(AppId::Home);
            return;
        }
        let mut wishes = Wishes::default();
        let world = self.world();
        let went = self.apps.back(self.shown_app(), world, &mut wishes);
        self.grant(wishes);
        if !went && home {
            self.open(AppId::Home);
        }
    }

    /// The lock screen was swiped or touched.
    pub(crate) fn wake(&mut self) {
        if let Some(lock) = &mut self.lock {
            if self.options.passcode.is_some() {
                lock.pad = true;
            } else {
                self.lock = None;
            }
            self.dirty = true;
        }
    }

    fn digit(&mut self, digit: char) {
        let (Some(lock), Some(passcode)) = (&mut self.lock, &self.options.passcode) else { return };
        lock.wrong = false;
        lock.entered.push(digit);
        if lock.entered.chars().count() >= passcode.chars().count() {
            if lock.entered == *passcode {
                self.lock = None;
            } else {
                *lock = Lock { pad: true, entered: String::new(), wrong: true };
            }
        }
    }

    /// Presses a button of the alert in front.
    pub(crate) fn answer(&mut self, n: usize) {
        let Some(raised) = self.alerts.pop_front() else { return };
        if raised.purpose != Purpose::Other
            && let Some(label) = raised.alert.buttons.get(n)
        {
            self.apps.settings.answered(raised.purpose, label);
        }
    }

    /// Gives a field the focus, or takes it away, and puts the keyboard back to its letters.
    pub(crate) fn set_focus(&mut self, field: Option<Field>) {
        if field == self.focus {
            return;
        }
        if self.focus == Some(Field::Address) {
            self.apps.browser.leave_address();
        }
        self.focus = field;
        self.keyboard = Keyboard::default();
        match field {
            Some(Field::Address) => self.apps.browser.enter_address(),
            Some(Field::NoteBody) => self.capital(),
            _ => {}
        }
    }

    /// Notes begin with a capital.
    fn capital(&mut self) {
        if self.apps.text_mut(Field::NoteBody).is_some_and(|text| text.is_empty()) {
            self.keyboard.shift = Shift::Once;
        }
    }

    fn key(&mut self, key: Key) {
        let Some(field) = self.focus else { return };
        if self.keyboard.own(key) {
            return;
        }
        match key {
            Key::Char(ch) => {
                let text = self.keyboard.write(ch);
                self.write(&text);
            }
            Key::Space => self.write(" "),
            Key::Delete => {
                let mut wishes = Wishes::default();
                if let Some(text) = self.apps.text_mut(field) {
                    let end = text.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
                    text.truncate(end);
                }
                self.apps.edited(field, &mut wishes);
                self.grant(wishes);
            }
            Key::Return if field.multiline() => self.write("\n"),
            Key::Return => {
                let mut wishes = Wishes::default();
                let world = self.world();
                self.apps.submit(field, world, &mut wishes);
                self.grant(wishes);
            }
            Key::Shift | Key::Show(_) => {}
        }
        self.dirty = true;
    }

    /// Puts text behind what stands in the field.
    fn write(&mut self, words: &str) {
        let Some(field) = self.focus else { return };
        if let Some(text) = self.apps.text_mut(field) {
            text.push_str(words);
        }
        let mut wishes = Wishes::default();
        self.apps.edited(field, &mut wishes);
        self.grant(wishes);
        self.dirty = true;
    }
}
