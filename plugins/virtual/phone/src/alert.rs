//! Alerts: what is asked, what the answer is for, and how they look. What an answer changes is the phone's work.

use crate::action::Action;
use crate::apps::settings::Permission;
use crate::element::{Align, Element, Layer, Shape};
use crate::layout::Ui;
use crate::text::{self, Style};
use crate::theme::Color;
use driver_api::{Alert, Rect, Role};

/// What an alert's answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Nobody in the phone waits for the answer.
    Other,
    /// May Settings use this?
    Permission(Permission),
    /// Put all settings back?
    ResetSettings,
}

/// An alert that was raised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raised {
    pub(crate) alert: Alert,
    pub(crate) purpose: Purpose,
}

impl Raised {
    pub(crate) fn new(text: impl Into<String>, buttons: &[&str], purpose: Purpose) -> Raised {
        let buttons = buttons.iter().map(|button| (*button).to_string()).collect();
        Raised { alert: Alert { text: text.into(), buttons }, purpose }
    }

    /// Draws it in front of everything.
    pub(crate) fn layout(&self, ui: &mut Ui<'_>) {
        const TITLE: Style = Style::semibold(17.0);
        const BODY: Style = Style::regular(14.0);
        let theme = ui.theme;
        let all = ui.all();
        let (title, body) = self.alert.text.split_once('\n').unwrap_or((self.alert.text.as_str(), ""));
        let width = 290.0_f64.min(all.width - 32.0);
        let inner = width - 40.0;
        let lines = |text: &str, style: Style| {
            if text.is_empty() { 0.0 } else { text::wrap(text, style, inner).len() as f64 * style.line_height() }
        };
        let buttons = &self.alert.buttons;
        // Two short buttons stand side by side, as people know them.
        let half = width / 2.0 - 16.0;
        let pair = buttons.len() == 2 && buttons.iter().all(|label| text::width(label, TITLE) < half);
        let rows = if pair { 1 } else { buttons.len() };
        let gap = if body.is_empty() { 0.0 } else { 6.0 };
        let words = lines(title, TITLE) + gap + lines(body, BODY);
        let height = (20.0 + words + 18.0 + 46.0 * rows as f64).min(all.height - 16.0);
        let rect = Rect::new((all.width - width) / 2.0, (all.height - height) / 2.0, width, height);
        ui.on(Layer::Alert, |ui| {
            ui.add(Element::decor(all).fill(Color::BLACK.alpha(100), 0.0).opaque());
            let mut panel = Element::new(Role::Alert, rect).label(title).fill(theme.panel, 16.0).opaque();
            if !body.is_empty() {
                panel = panel.value(body);
            }
            ui.with(panel, |ui| {
                let x = rect.x + 20.0;
                let mut y = rect.y + 20.0;
                y = ui.paragraph((x, y, inner), title, TITLE, theme.text, Align::Center);
                if !body.is_empty() {
                    ui.paragraph((x, y + gap, inner), body, BODY, theme.text, Align::Center);
                }
                let top = rect.bottom() - 46.0 * rows as f64;
                for (n, label) in buttons.iter().enumerate() {
                    let place = if pair {
                        Rect::new(rect.x + width / 2.0 * n as f64, top, width / 2.0, 46.0)
                    } else {
                        Rect::new(rect.x, top + 46.0 * n as f64, width, 46.0)
                    };
                    let line = Rect::new(place.x, place.y, place.width, 0.5);
                    let mut button = Element::new(Role::Button, place)
                        .label(label.as_str())
                        .tap(Action::Answer(n))
                        .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator });
                    if pair && n == 1 {
                        let line = Rect::new(place.x, place.y, 0.5, place.height);
                        button = button.shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator });
                    }
                    let style = if n + 1 == buttons.len() { TITLE } else { Style::regular(17.0) };
                    let shown = text::fit(label, style, place.width - 16.0);
                    ui.add(button.text(shown, style, theme.accent, Align::Center));
                }
            });
        });
    }
}
