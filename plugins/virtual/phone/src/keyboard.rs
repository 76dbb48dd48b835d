//! The on-screen keyboard: its layers, where its keys lie, and what a key means. It does not know what is typed into.

use crate::action::Action;
use crate::element::{Align, Element, Layer, Shape};
use crate::icons::Icon;
use crate::layout::{Insets, Ui};
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Rect, Role, Screen};

/// Which letters are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Letters,
    Numbers,
    Symbols,
}

/// Whether the next letter is a capital.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Off,
    Once,
    Locked,
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Shift,
    Delete,
    Show(Page),
    Space,
    Return,
}

/// What the keyboard shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keyboard {
    pub(crate) page: Page,
    pub(crate) shift: Shift,
}

impl Default for Keyboard {
    fn default() -> Self {
        Keyboard { page: Page::Letters, shift: Shift::Off }
    }
}

/// How high it is, in points, with the room under it.
pub(crate) fn height(screen: &Screen) -> f64 {
    let row = if screen.orientation.is_landscape() { 38.0 } else { 54.0 };
    4.0 * row + 12.0 + Insets::of(screen).bottom
}

impl Keyboard {
    /// A key that changes only the keyboard itself; answers whether it was one.
    pub(crate) fn own(&mut self, key: Key) -> bool {
        match key {
            Key::Shift => {
                self.shift = match self.shift {
                    Shift::Off => Shift::Once,
                    Shift::Once => Shift::Locked,
                    Shift::Locked => Shift::Off,
                };
                true
            }
            Key::Show(page) => {
                self.page = page;
                true
            }
            _ => false,
        }
    }

    /// What a letter key writes; a single shift is used up.
    pub(crate) fn write(&mut self, ch: char) -> String {
        let text = self.shown(ch);
        if self.shift == Shift::Once {
            self.shift = Shift::Off;
        }
        text
    }

    fn shown(&self, ch: char) -> String {
        if self.page == Page::Letters && self.shift != Shift::Off {
            ch.to_uppercase().collect()
        } else {
            ch.to_string()
        }
    }

    fn rows(&self) -> [&'static str; 3] {
        match self.page {
            Page::Letters => ["qwertyuiop", "asdfghjkl", "zxcvbnm"],
            Page::Numbers => ["1234567890", "-/:;()£&@\"", ".,?!'"],
            Page::Symbols => ["[]{}#%^*+=", "_\\|~<>€$¥•", ".,?!'"],
        }
    }

    /// Draws it over the bottom of the screen. `done` is what the return key says.
    pub(crate) fn layout(&self, ui: &mut Ui<'_>, done: &str) {
        let theme = ui.theme;
        let screen = ui.screen;
        let high = height(&screen);
        let rect = Rect::new(0.0, screen.height - high, screen.width, high);
        let row = (high - 12.0 - ui.safe.bottom) / 4.0;
        let left = ui.safe.side + 3.0;
        let width = screen.width - 2.0 * left;
        let unit = width / 10.0;
        let gap = 6.0;
        ui.on(Layer::Keyboard, |ui| {
            let board = Element::new(Role::Keyboard, rect).label("Keyboard").fill(theme.keyboard, 0.0).opaque();
            ui.with(board, |ui| {
                let mut key = |x: f64, line: usize, units: f64, key: Key, label: &str, face: Face<'_>| {
                    let y = rect.y + 6.0 + row * line as f64;
                    let cap = Rect::new(x + gap / 2.0, y + 4.0, units * unit - gap, row - 9.0);
                    ui.add(cap_of(ui, cap, key, label, face));
                };
                for (line, letters) in self.rows().into_iter().enumerate() {
                    let count = letters.chars().count() as f64;
                    // Five signs between the two wide keys are wider than letters.
                    let units = if count == 5.0 { 1.4 } else { 1.0 };
                    let start = left + (width - count * units * unit) / 2.0;
                    for (n, ch) in letters.chars().enumerate() {
                        let label = self.shown(ch);
                        key(start + n as f64 * units * unit, line, units, Key::Char(ch), &label, Face::Letter(&label));
                    }
                }
                let (mode, label, caption) = match self.page {
                    Page::Letters => (Key::Shift, "shift", ""),
                    Page::Numbers => (Key::Show(Page::Symbols), "symbols", "#+="),
                    Page::Symbols => (Key::Show(Page::Numbers), "numbers", "123"),
                };
                let face = match (self.page, self.shift) {
                    (Page::Letters, Shift::Off) => Face::Icon(Icon::Shift, false),
                    (Page::Letters, _) => Face::Icon(Icon::ShiftFilled, true),
                    _ => Face::Word(caption),
                };
                key(left, 2, 1.35, mode, label, face);
                key(left + width - 1.35 * unit, 2, 1.35, Key::Delete, "delete", Face::Icon(Icon::Backspace, false));
                let (page, label, caption) = match self.page {
                    Page::Letters => (Page::Numbers, "numbers", "123"),
                    _ => (Page::Letters, "letters", "ABC"),
                };
                key(left, 3, 2.5, Key::Show(page), label, Face::Word(caption));
                key(left + 2.5 * unit, 3, 5.0, Key::Space, "space", Face::Plain("space"));
                key(left + 7.5 * unit, 3, 2.5, Key::Return, done, Face::Word(done));
            });
        });
    }
}

/// What is drawn on a key.
enum Face<'t> {
    Letter(&'t str),
    /// A word on a light key.
    Plain(&'t str),
    /// A word on a dark key.
    Word(&'t str),
    /// An icon on a dark key, or on a light one while the key is held on.
    Icon(Icon, bool),
}

fn cap_of(ui: &Ui<'_>, cap: Rect, key: Key, label: &str, face: Face<'_>) -> Element {
    let theme = ui.theme;
    let shade = Rect::new(cap.x, cap.y + 1.2, cap.width, cap.height);
    let light = matches!(face, Face::Letter(_) | Face::Plain(_) | Face::Icon(_, true));
    let color = if light { theme.key } else { theme.key_special };
    let element = Element::new(Role::Key, cap)
        .label(label)
        .tap(Action::Key(key))
        .selected(matches!(face, Face::Icon(_, true)))
        .shape(Shape::Fill { rect: shade, radius: 6.0, color: Color::BLACK.alpha(60) })
        .fill(color, 6.0);
    match face {
        Face::Letter(letter) => element.text(letter, Style::regular(22.0), theme.text, Align::Center),
        Face::Plain(word) | Face::Word(word) => element.text(word, Style::regular(16.0), theme.text, Align::Center),
        Face::Icon(icon, _) => element.icon(icon, 22.0, theme.text),
    }
}
