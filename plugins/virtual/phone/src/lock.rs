//! The lock screen and its passcode pad. It knows how many digits the code has, not the code.

use crate::action::Action;
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Rect, Role};

/// What the lock screen shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lock {
    /// Whether the pad is up.
    pub(crate) pad: bool,
    /// The digits entered so far.
    pub(crate) entered: String,
    /// Whether the last code was wrong.
    pub(crate) wrong: bool,
}

impl Lock {
    /// Draws the lock screen; `digits` is how long the passcode is.
    pub(crate) fn layout(&self, ui: &mut Ui<'_>, clock: &str, date: &str, digits: usize) {
        let theme = ui.theme;
        let all = ui.all();
        let (top, bottom) = (theme.wall_top, theme.wall_bottom);
        if self.pad {
            let (top, bottom) = (top.mix(Color::BLACK, 0.45), bottom.mix(Color::BLACK, 0.45));
            ui.add(Element::decor(all).shape(Shape::Gradient { rect: all, radius: 0.0, top, bottom }).opaque());
            self.pad(ui, digits);
            return;
        }
        let wall = Element::new(Role::Other, all)
            .label("Locked")
            .id("lock-screen")
            .tap(Action::Wake)
            .shape(Shape::Gradient { rect: all, radius: 0.0, top, bottom })
            .opaque();
        ui.with(wall, |ui| {
            let land = ui.screen.orientation.is_landscape();
            let size = if land { 72.0 } else { 92.0 };
            let middle = all.width / 2.0;
            let mut y = ui.safe.top + if land { 18.0 } else { 60.0 };
            let icon = Rect::new(middle - 12.0, y, 24.0, 24.0);
            ui.add(Element::decor(icon).icon(Icon::Lock, 22.0, Color::WHITE));
            y += 34.0;
            let line = |y: f64, high: f64| Rect::new(16.0, y, all.width - 32.0, high);
            ui.line(line(y, 28.0), date, Style::semibold(21.0), Color::WHITE, Align::Center);
            y += 30.0;
            ui.line(line(y, size), clock, Style::bold(size as f32), Color::WHITE, Align::Center);
            let y = all.height - ui.safe.bottom - 48.0;
            ui.line(line(y, 22.0), "Swipe up to unlock", Style::semibold(15.0), Color::WHITE, Align::Center);
        });
    }

    fn pad(&self, ui: &mut Ui<'_>, digits: usize) {
        let all = ui.all();
        let land = ui.screen.orientation.is_landscape();
        let (side, gap) = if land { (56.0, 14.0) } else { (76.0, 22.0) };
        // In landscape the words stand beside the pad, because both do not fit one below the other.
        let grid = 4.0 * side + 3.0 * gap * 0.8;
        let (words, left, top) = if land {
            let left = all.width * 0.72 - 1.5 * side - gap;
            (Rect::new(ui.safe.side, all.height * 0.3, all.width * 0.4, 0.0), left, (all.height - grid) / 2.0 + 6.0)
        } else {
            let top = (all.height - grid) * 0.56;
            (Rect::new(16.0, top - 120.0, all.width - 32.0, 0.0), all.width / 2.0 - 1.5 * side - gap, top)
        };
        let line = |y: f64, high: f64| Rect::new(words.x, words.y + y, words.width, high);
        let title = if self.wrong { "Wrong passcode" } else { "Enter passcode" };
        ui.line(line(0.0, 26.0), title, Style::semibold(20.0), Color::WHITE, Align::Center);
        let middle = words.x + words.width / 2.0;
        let step = 28.0_f64.min((words.width - 20.0) / digits.max(1) as f64);
        let start = middle - step * digits as f64 / 2.0;
        let row = Rect::new(start, words.y + 42.0, step * digits as f64, 24.0);
        let filled = self.entered.chars().count();
        let mut dots = Element::new(Role::SecureField, row).label("Passcode").id("passcode").value("•".repeat(filled));
        if filled == 0 {
            dots.value = None;
        }
        for n in 0..digits {
            let rect = Rect::new(start + step * (n as f64 + 0.5) - 6.5, row.center().y - 6.5, 13.0, 13.0);
            dots = dots.shape(Shape::Border { rect, radius: 6.5, width: 1.5, color: Color::WHITE });
            if n < filled {
                dots = dots.shape(Shape::Fill { rect, radius: 6.5, color: Color::WHITE });
            }
        }
        ui.add(dots);
        let cell = |column: usize, row: usize| {
            let x = left + column as f64 * (side + gap);
            Rect::new(x, top + row as f64 * (side + gap * 0.8), side, side)
        };
        for n in 1..=9_u32 {
            let rect = cell((n as usize - 1) % 3, (n as usize - 1) / 3);
            ui.add(digit(rect, char::from_digit(n, 10).unwrap_or('0')));
        }
        ui.add(digit(cell(1, 3), '0'));
        let word = |rect: Rect, label: &str, id: &str, action: Action| {
            Element::new(Role::Button, rect).label(label).id(id).tap(action).text(
                label,
                Style::regular(17.0),
                Color::WHITE,
                Align::Center,
            )
        };
        ui.add(word(cell(0, 3), "Cancel", "passcode-cancel", Action::PadCancel));
        let delete = word(cell(2, 3), "Delete", "passcode-delete", Action::PadDelete);
        ui.add(delete);
    }
}

fn digit(rect: Rect, digit: char) -> Element {
    Element::new(Role::Button, rect)
        .label(digit.to_string())
        .tap(Action::Digit(digit))
        .fill(Color::WHITE.alpha(56), rect.width / 2.0)
        .text(digit.to_string(), Style::regular(32.0), Color::WHITE, Align::Center)
}
