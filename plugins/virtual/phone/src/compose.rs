//! One layout of the whole screen: the app or the lock screen, and what the phone lays over it. It asks the apps for their
//! content and changes nothing.

use crate::apps::{AppId, home, switcher};
use crate::element::{Align, Element, Layer, Shape};
use crate::icons::Icon;
use crate::keyboard;
use crate::layout::{Layout, Ui};
use crate::phone::{Front, Phone};
use crate::text::{self, Style};
use crate::theme::Color;
use driver_api::{Rect, Role};

impl Phone {
    /// Lays everything out with the lists as they are scrolled.
    pub(crate) fn lay_out(&self) -> Layout {
        let screen = self.screen();
        let dark = self.apps.settings.dark;
        let covered = if self.focus.is_some() { keyboard::height(&screen) } else { 0.0 };
        let mut ui = Ui::new(screen, dark, self.focus, covered, &self.offsets);
        let all = ui.all();
        let name = match (&self.lock, self.front) {
            (Some(_), _) => "Lock screen",
            (None, Front::Switcher) => "Running apps",
            (None, Front::App(app)) => app.name(),
        };
        ui.with(Element::new(Role::Window, all).label(name), |ui| {
            match (&self.lock, self.front) {
                (Some(lock), _) => {
                    let digits = self.options.passcode.as_ref().map_or(0, |code| code.chars().count());
                    lock.layout(ui, &self.clock, home::DATE, digits);
                }
                (None, Front::Switcher) => switcher::layout(ui, &self.running),
                (None, Front::App(app)) => self.apps.layout(app, ui, self.world()),
            }
            let bright =
                self.lock.is_some() || matches!(self.front, Front::Switcher | Front::App(AppId::Home | AppId::Game));
            let color = if bright { Color::WHITE } else { ui.theme.text };
            ui.on(Layer::Bars, |ui| self.status_bar(ui, color));
            if let Some(field) = self.focus {
                self.keyboard.layout(ui, field.return_label());
            }
            let home = Rect::new(all.width / 2.0 - 68.0, all.height - 13.0, 136.0, 5.0);
            ui.on(Layer::Toast, |ui| {
                ui.add(Element::decor(home).fill(color.alpha(210), 2.5));
                if let Some((words, _)) = &self.toast {
                    toast(ui, words);
                }
            });
            if let (None, Some(raised)) = (&self.lock, self.alerts.front()) {
                raised.layout(ui);
            }
        });
        ui.finish()
    }

    /// The clock, the signal and the battery: drawn, but not part of any app's tree.
    fn status_bar(&self, ui: &mut Ui<'_>, color: Color) {
        let land = ui.screen.orientation.is_landscape();
        let edge = ui.safe.side + if land { 16.0 } else { 30.0 };
        let (y, high) = if land { (3.0, 20.0) } else { (14.0, 22.0) };
        let all = ui.all();
        let clock = Rect::new(edge, y, 60.0, high);
        ui.add(Element::decor(clock).text(&self.clock, Style::semibold(16.0), color, Align::Left));
        let icon = |n: f64| Rect::new(all.width - edge - 24.0 * n, y + high / 2.0 - 9.0, 18.0, 18.0);
        for (n, picture) in [(1.0, Icon::Battery), (2.05, Icon::Waves), (3.05, Icon::Bars)] {
            ui.add(Element::decor(icon(n)).icon(picture, 18.0, color));
        }
        let full = Rect::new(icon(1.0).x + 3.0, y + high / 2.0 - 2.6, 8.6, 4.6);
        ui.add(Element::decor(full).fill(color, 1.0));
    }
}

/// A short message over everything but alerts; touches go through it.
fn toast(ui: &mut Ui<'_>, words: &str) {
    let style = Style::semibold(15.0);
    let room = ui.screen.width - 2.0 * ui.safe.side - 80.0;
    let line = text::fit(words, style, room);
    let width = text::width(&line, style) + 36.0;
    // Clear of tab bars, of the dock and of the words on the lock screen.
    let bottom = ui.screen.height - (ui.safe.bottom + 96.0).max(ui.keyboard + 14.0);
    let rect = Rect::new((ui.screen.width - width) / 2.0, bottom - 42.0, width, 42.0);
    let (back, front) =
        if ui.dark { (Color::rgb(0xE8EBF2), Color::BLACK) } else { (Color::rgb(0x272C37), Color::WHITE) };
    let rect_words = Rect::new(rect.x + 18.0, rect.y, width - 36.0, rect.height);
    let shape = Shape::Text { rect: rect_words, line, style, color: front, align: Align::Center, caret: None };
    ui.add(Element::new(Role::Text, rect).label(words).id("toast").fill(back, 21.0).shape(shape));
}
