//! The parts that several apps are built from: bars, rows, fields, switches, sheets. They know the theme, not the apps.

use crate::action::{Action, Field};
use crate::element::{Align, Element, Layer, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::{self, Style};
use crate::theme::Color;
use driver_api::{Rect, Role};

pub(crate) const BODY: Style = Style::regular(17.0);
pub(crate) const STRONG: Style = Style::semibold(17.0);
pub(crate) const SMALL: Style = Style::regular(13.0);

/// A button of a bar.
pub(crate) struct BarButton {
    pub(crate) icon: Icon,
    pub(crate) label: &'static str,
    pub(crate) id: &'static str,
    pub(crate) action: Action,
    pub(crate) enabled: bool,
}

/// What stands at the right end of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Nothing,
    Chevron,
    Check(bool),
    Switch(bool),
}

/// One row of a grouped list.
pub(crate) struct Row {
    pub(crate) icon: Option<(Icon, Color)>,
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) end: End,
    pub(crate) enabled: bool,
    pub(crate) color: Option<Color>,
    pub(crate) id: Option<String>,
    pub(crate) action: Option<Action>,
    pub(crate) hold: Option<Action>,
}

impl Row {
    pub(crate) fn new(title: impl Into<String>) -> Row {
        Row {
            icon: None,
            title: title.into(),
            subtitle: None,
            value: None,
            end: End::Nothing,
            enabled: true,
            color: None,
            id: None,
            action: None,
            hold: None,
        }
    }

    pub(crate) fn icon(mut self, icon: Icon, color: u32) -> Row {
        self.icon = Some((icon, Color::rgb(color)));
        self
    }

    pub(crate) fn value(mut self, value: impl Into<String>) -> Row {
        self.value = Some(value.into());
        self
    }

    pub(crate) fn subtitle(mut self, subtitle: impl Into<String>) -> Row {
        self.subtitle = Some(subtitle.into());
        self
    }

    pub(crate) fn end(mut self, end: End) -> Row {
        self.end = end;
        self
    }

    pub(crate) fn disabled(mut self) -> Row {
        self.enabled = false;
        self
    }

    pub(crate) fn color(mut self, color: Color) -> Row {
        self.color = Some(color);
        self
    }

    pub(crate) fn id(mut self, id: impl Into<String>) -> Row {
        self.id = Some(id.into());
        self
    }

    pub(crate) fn action(mut self, action: Action) -> Row {
        self.action = Some(action);
        self
    }

    pub(crate) fn hold(mut self, action: Action) -> Row {
        self.hold = Some(action);
        self
    }

    fn height(&self) -> f64 {
        if self.subtitle.is_some() { 64.0 } else { 48.0 }
    }
}

/// What a text field looks like.
pub(crate) struct FieldLook<'t> {
    pub(crate) field: Field,
    pub(crate) label: &'static str,
    pub(crate) id: &'static str,
    pub(crate) placeholder: &'static str,
    pub(crate) text: &'t str,
    pub(crate) secure: bool,
    pub(crate) icon: Option<Icon>,
}

/// A text as a secure field shows it.
pub(crate) fn bullets(text: &str) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    "•".repeat(text.graphemes(true).count())
}

impl Ui<'_> {
    /// A line of text as an element of its own; its bounds are as wide as the text.
    pub(crate) fn line(&mut self, rect: Rect, line: &str, style: Style, color: Color, align: Align) {
        let fitted = text::fit(line, style, rect.width);
        let width = text::width(&fitted, style).min(rect.width).ceil();
        let x = match align {
            Align::Left => rect.x,
            Align::Center => rect.x + (rect.width - width) / 2.0,
            Align::Right => rect.right() - width,
        };
        let bounds = Rect::new(x, rect.y, width, rect.height);
        self.add(Element::new(Role::Text, bounds).label(line).text(fitted, style, color, align));
    }

    /// A paragraph; answers its bottom.
    pub(crate) fn paragraph(
        &mut self,
        (x, y, width): (f64, f64, f64),
        words: &str,
        style: Style,
        color: Color,
        align: Align,
    ) -> f64 {
        let lines = text::wrap(words, style, width);
        let step = style.line_height();
        let bounds = Rect::new(x, y, width, step * lines.len() as f64);
        let mut element = Element::new(Role::Text, bounds).label(words);
        for (n, line) in lines.into_iter().enumerate() {
            let rect = Rect::new(x, y + n as f64 * step, width, step);
            let line = line.trim_end().to_string();
            element = element.shape(Shape::Text { rect, line, style, color, align, caret: None });
        }
        self.add(element);
        bounds.bottom()
    }

    /// The page's background; touches on it go nowhere.
    pub(crate) fn background(&mut self, color: Color) {
        let all = self.all();
        self.add(Element::decor(all).fill(color, 0.0).opaque());
    }

    /// The bar with the screen's title; answers its bottom. A page without a way back gets a large title.
    pub(crate) fn nav_bar(&mut self, title: &str, back: Option<&str>, buttons: &[BarButton]) -> f64 {
        let theme = self.theme;
        let height = if back.is_none() { 56.0 } else { 46.0 };
        let rect = Rect::new(0.0, 0.0, self.screen.width, self.safe.top + height);
        let row = Rect::new(self.safe.side + 16.0, self.safe.top, rect.width - 2.0 * self.safe.side - 32.0, height);
        let line = Rect::new(0.0, rect.bottom() - 0.5, rect.width, 0.5);
        self.on(Layer::Bars, |ui| {
            let bar = Element::new(Role::NavBar, rect).label(title).fill(theme.bar, 0.0).opaque();
            let bar = if back.is_some() {
                bar.shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator })
            } else {
                bar
            };
            ui.with(bar, |ui| {
                if let Some(back) = back {
                    let width = (text::width(back, BODY) + 34.0).min(140.0);
                    let rect = Rect::new(row.x - 8.0, row.y + 1.0, width, height - 2.0);
                    let icon = Rect::new(rect.x + 2.0, rect.center().y - 11.0, 22.0, 22.0);
                    let words = Rect::new(rect.x + 25.0, rect.y, rect.width - 25.0, rect.height);
                    let button = Element::new(Role::Button, rect)
                        .label(back)
                        .id("back")
                        .tap(Action::Back)
                        .shape(Shape::Icon { rect: icon, icon: Icon::Back, color: theme.accent })
                        .shape(Shape::Text {
                            rect: words,
                            line: text::fit(back, BODY, words.width),
                            style: BODY,
                            color: theme.accent,
                            align: Align::Left,
                            caret: None,
                        });
                    ui.add(button);
                    // The title stands in the middle where the sides leave it room.
                    let (left, right) = (width - 2.0, 44.0 * buttons.len() as f64);
                    let side = left.max(right);
                    let (x, room) = if text::width(title, STRONG) <= row.width - 2.0 * side {
                        (row.x + side, row.width - 2.0 * side)
                    } else {
                        (row.x + left, row.width - left - right)
                    };
                    ui.line(Rect::new(x, row.y, room, height), title, STRONG, theme.text, Align::Center);
                } else {
                    let room = row.width - 44.0 * buttons.len() as f64;
                    let rect = Rect::new(row.x, row.y, room, height);
                    ui.line(rect, title, Style::bold(30.0), theme.text, Align::Left);
                }
                for (n, button) in buttons.iter().rev().enumerate() {
                    let x = row.right() + 10.0 - 44.0 * (n + 1) as f64;
                    let rect = Rect::new(x, row.y + (height - 44.0) / 2.0, 44.0, 44.0);
                    ui.bar_button(rect, button);
                }
            });
        });
        rect.bottom()
    }

    /// An icon that is a button.
    pub(crate) fn bar_button(&mut self, rect: Rect, button: &BarButton) {
        let color = if button.enabled { self.theme.accent } else { self.theme.faint };
        self.add(
            Element::new(Role::Button, rect)
                .label(button.label)
                .id(button.id)
                .enabled(button.enabled)
                .tap(button.action.clone())
                .icon(button.icon, 24.0, color),
        );
    }

    /// A bar at the bottom with buttons; answers its top.
    pub(crate) fn tool_bar(&mut self, buttons: &[BarButton]) -> f64 {
        let theme = self.theme;
        let height = 50.0 + self.safe.bottom;
        let rect = Rect::new(0.0, self.screen.height - height, self.screen.width, height);
        let line = Rect::new(0.0, rect.y, rect.width, 0.5);
        self.on(Layer::Bars, |ui| {
            let bar = Element::new(Role::Other, rect)
                .label("Toolbar")
                .fill(theme.bar, 0.0)
                .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator })
                .opaque();
            ui.with(bar, |ui| {
                let room = rect.width - 2.0 * ui.safe.side;
                let step = room / buttons.len() as f64;
                for (n, button) in buttons.iter().enumerate() {
                    let x = ui.safe.side + step * (n as f64 + 0.5) - 32.0;
                    ui.bar_button(Rect::new(x, rect.y + 3.0, 64.0, 44.0), button);
                }
            });
        });
        rect.y
    }

    /// The tabs at the bottom: icon, label, whether chosen, action. Answers the bar's top.
    pub(crate) fn tab_bar(&mut self, tabs: &[(Icon, &'static str, bool, Action)]) -> f64 {
        let theme = self.theme;
        let height = 52.0 + self.safe.bottom;
        let rect = Rect::new(0.0, self.screen.height - height, self.screen.width, height);
        let line = Rect::new(0.0, rect.y, rect.width, 0.5);
        self.on(Layer::Bars, |ui| {
            let bar = Element::new(Role::Other, rect)
                .label("Tab bar")
                .fill(theme.bar, 0.0)
                .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator })
                .opaque();
            ui.with(bar, |ui| {
                let step = (rect.width - 2.0 * ui.safe.side) / tabs.len() as f64;
                for (n, (icon, label, chosen, action)) in tabs.iter().enumerate() {
                    let color = if *chosen { theme.accent } else { theme.secondary };
                    let tab = Rect::new(ui.safe.side + step * n as f64, rect.y + 1.0, step, 51.0);
                    let icon_rect = Rect::new(tab.center().x - 13.0, tab.y + 5.0, 26.0, 26.0);
                    let words = Rect::new(tab.x, tab.y + 33.0, tab.width, 14.0);
                    let tab = Element::new(Role::Tab, tab)
                        .label(*label)
                        .selected(*chosen)
                        .tap(action.clone())
                        .shape(Shape::Icon { rect: icon_rect, icon: *icon, color })
                        .shape(Shape::Text {
                            rect: words,
                            line: (*label).into(),
                            style: Style::semibold(11.0),
                            color,
                            align: Align::Center,
                            caret: None,
                        });
                    ui.add(tab);
                }
            });
        });
        rect.y
    }

    /// The left edge and the width of grouped content.
    pub(crate) fn column(&self) -> (f64, f64) {
        let x = self.safe.side + 16.0;
        (x, self.screen.width - 2.0 * x)
    }

    /// A card of rows with an optional heading and footnote; answers the y below it.
    pub(crate) fn group(&mut self, y: f64, heading: Option<&str>, rows: &[Row], footnote: Option<&str>) -> f64 {
        let theme = self.theme;
        let (x, width) = self.column();
        let mut y = y;
        if let Some(heading) = heading {
            let rect = Rect::new(x + 16.0, y, width - 32.0, 24.0);
            self.line(rect, heading, Style::semibold(13.0), theme.secondary, Align::Left);
            y += 28.0;
        }
        let height: f64 = rows.iter().map(Row::height).sum();
        let card = Rect::new(x, y, width, height);
        if height > 0.0 {
            self.add(Element::decor(card).fill(theme.card, 12.0));
        }
        for (n, row) in rows.iter().enumerate() {
            let rect = Rect::new(x, y, width, row.height());
            self.row(rect, row, n + 1 < rows.len());
            y = rect.bottom();
        }
        if let Some(footnote) = footnote {
            y = self.paragraph((x + 16.0, y + 8.0, width - 32.0), footnote, SMALL, theme.secondary, Align::Left);
        }
        y + 22.0
    }

    /// One row; `line` draws a line below it.
    pub(crate) fn row(&mut self, rect: Rect, row: &Row, line: bool) {
        let theme = self.theme;
        let color = match row.color {
            _ if !row.enabled => theme.faint,
            Some(color) => color,
            None => theme.text,
        };
        let mut cell = Element::new(Role::Cell, rect).label(row.title.as_str()).enabled(row.enabled);
        cell.value = row.value.clone().or_else(|| row.subtitle.clone());
        cell.identifier = row.id.clone();
        cell.tap = row.action.clone();
        cell.hold = row.hold.clone();
        match row.end {
            End::Check(on) => cell.selected = on,
            // A row with a switch can be touched anywhere; the switch in it tells the state.
            End::Switch(on) => cell.checked = Some(on),
            _ => {}
        }
        let mut left = rect.x + 16.0;
        let mut right = rect.right() - 16.0;
        let middle = rect.center().y;
        if let Some((icon, color)) = row.icon {
            let tile = Rect::new(left - 2.0, middle - 15.0, 30.0, 30.0);
            let inner = Rect::new(tile.x + 6.0, tile.y + 6.0, 18.0, 18.0);
            let color = if row.enabled { color } else { color.mix(theme.card, 0.5) };
            cell = cell.shape(Shape::Fill { rect: tile, radius: 8.0, color }).shape(Shape::Icon {
                rect: inner,
                icon,
                color: Color::WHITE,
            });
            left += 42.0;
        }
        match row.end {
            End::Chevron => {
                let icon = Rect::new(right - 14.0, middle - 9.0, 18.0, 18.0);
                cell = cell.shape(Shape::Icon { rect: icon, icon: Icon::Chevron, color: theme.faint });
                right -= 20.0;
            }
            End::Check(on) => {
                if on {
                    let icon = Rect::new(right - 20.0, middle - 10.0, 20.0, 20.0);
                    cell = cell.shape(Shape::Icon { rect: icon, icon: Icon::Check, color: theme.accent });
                }
                right -= 28.0;
            }
            End::Switch(_) => right -= 62.0,
            End::Nothing => {}
        }
        if line {
            let rect = Rect::new(left, rect.bottom() - 0.5, rect.right() - left, 0.5);
            cell = cell.shape(Shape::Fill { rect, radius: 0.0, color: theme.separator });
        }
        self.with(cell, |ui| {
            let mut words = right;
            let mut value = None;
            if let Some(shown) = &row.value {
                // A long value gives way to the title, and the title to at least some of the value.
                let title = text::width(&row.title, BODY);
                let room = (right - left - title - 12.0).max((right - left) * 0.35);
                let width = text::width(shown, BODY).min(room).ceil();
                let rect = Rect::new(right - width, middle - 12.0, width, 24.0);
                words = rect.x - 8.0;
                value = Some((rect, shown));
            }
            let room = words - left;
            if let Some(subtitle) = &row.subtitle {
                let rect = Rect::new(left, rect.y + 10.0, room, 24.0);
                ui.line(rect, &row.title, STRONG, color, Align::Left);
                let rect = Rect::new(left, rect.bottom(), room, 20.0);
                ui.line(rect, subtitle, Style::regular(14.0), theme.secondary, Align::Left);
            } else {
                ui.line(Rect::new(left, middle - 12.0, room, 24.0), &row.title, BODY, color, Align::Left);
            }
            if let Some((rect, shown)) = value {
                let color = if row.enabled { theme.secondary } else { theme.faint };
                ui.line(rect, shown, BODY, color, Align::Right);
            }
            if let (End::Switch(on), Some(action)) = (row.end, &row.action) {
                let id = row.id.as_ref().map(|id| format!("{id}-switch"));
                let rect = Rect::new(rect.right() - 16.0 - 51.0, middle - 15.5, 51.0, 31.0);
                ui.switch(rect, &row.title, id, on, row.enabled, action.clone());
            }
        });
    }

    /// A switch.
    pub(crate) fn switch(
        &mut self,
        rect: Rect,
        label: &str,
        id: Option<String>,
        on: bool,
        enabled: bool,
        action: Action,
    ) {
        let theme = self.theme;
        let track = if on { theme.good } else { theme.fill.mix(theme.faint, 0.35) };
        let track = if enabled { track } else { track.mix(theme.card, 0.5) };
        let x = if on { rect.right() - 29.0 } else { rect.x + 2.0 };
        let knob = Rect::new(x, rect.y + 2.0, 27.0, 27.0);
        let mut element = Element::new(Role::Switch, rect)
            .label(label)
            .checked(on)
            .enabled(enabled)
            .tap(action)
            .fill(track, 15.5)
            .shape(Shape::Fill { rect: knob, radius: 13.5, color: Color::WHITE });
        element.identifier = id;
        self.add(element);
    }

    /// A slider in a card of its own row; `share` is 0 to 1.
    pub(crate) fn slider(&mut self, rect: Rect, label: &str, id: &str, share: f64, action: Action) {
        let theme = self.theme;
        let middle = rect.center().y;
        let track = Rect::new(rect.x, middle - 2.0, rect.width, 4.0);
        let filled = Rect::new(rect.x, middle - 2.0, rect.width * share, 4.0);
        let knob = Rect::new(rect.x + (rect.width - 28.0) * share, middle - 14.0, 28.0, 28.0);
        let element = Element::new(Role::Slider, rect)
            .label(label)
            .id(id)
            .value(percent(share))
            .tap(action)
            .shape(Shape::Fill { rect: track, radius: 2.0, color: theme.fill.mix(theme.faint, 0.35) })
            .shape(Shape::Fill { rect: filled, radius: 2.0, color: theme.accent })
            .shape(Shape::Fill { rect: knob, radius: 14.0, color: theme.faint })
            .shape(Shape::Fill {
                rect: Rect::new(knob.x + 0.5, knob.y + 0.5, 27.0, 27.0),
                radius: 13.5,
                color: Color::WHITE,
            });
        self.add(element);
    }

    /// A wide button; `filled` paints it in the accent colour.
    pub(crate) fn button(
        &mut self,
        rect: Rect,
        label: &str,
        id: &str,
        (filled, enabled): (bool, bool),
        color: Color,
        action: Action,
    ) {
        let theme = self.theme;
        let (back, front) = match (filled, enabled) {
            (true, true) => (color, if self.dark { theme.page } else { Color::WHITE }),
            (true, false) => (theme.fill, theme.faint),
            (false, true) => (theme.fill, color),
            (false, false) => (theme.fill, theme.faint),
        };
        self.add(
            Element::new(Role::Button, rect).label(label).id(id).enabled(enabled).tap(action).fill(back, 12.0).text(
                label,
                STRONG,
                front,
                Align::Center,
            ),
        );
    }

    /// A text field of one line, with its background.
    pub(crate) fn field(&mut self, rect: Rect, look: &FieldLook<'_>, background: Color, radius: f64) {
        let theme = self.theme;
        let focused = self.focus == Some(look.field);
        let role = if look.secure { Role::SecureField } else { Role::TextField };
        let shown = if look.secure { bullets(look.text) } else { look.text.to_string() };
        let mut element = Element::new(role, rect)
            .label(look.label)
            .id(look.id)
            .tap(Action::Focus(look.field))
            .fill(background, radius);
        element.placeholder = Some(look.placeholder.into());
        element.focused = focused;
        let mut words = Rect::new(rect.x + 14.0, rect.y, rect.width - 28.0, rect.height);
        if let Some(icon) = look.icon {
            let place = Rect::new(rect.x + 10.0, rect.center().y - 9.0, 18.0, 18.0);
            element = element.shape(Shape::Icon { rect: place, icon, color: theme.secondary });
            words.x += 20.0;
            words.width -= 20.0;
        }
        let clear = focused && !look.text.is_empty();
        if clear {
            words.width -= 26.0;
        }
        let caret = focused.then_some(theme.accent);
        if look.text.is_empty() {
            // The caret stands before the placeholder, so it is a shape of its own.
            let (style, align) = (BODY, Align::Left);
            let line = text::fit(look.placeholder, style, words.width);
            element = element.shape(Shape::Text {
                rect: words,
                line,
                style,
                color: theme.secondary.mix(theme.faint, 0.6),
                align,
                caret: None,
            });
            if caret.is_some() {
                let rect = Rect::new(words.x - 2.0, words.y, 0.0, words.height);
                let line = String::new();
                element = element.shape(Shape::Text { rect, line, style, color: theme.text, align, caret });
            }
        } else {
            let line = if focused {
                text::tail(&shown, BODY, words.width - 4.0)
            } else {
                text::fit(&shown, BODY, words.width)
            };
            element = element.value(shown).shape(Shape::Text {
                rect: words,
                line,
                style: BODY,
                color: theme.text,
                align: Align::Left,
                caret,
            });
        }
        self.with(element, |ui| {
            if clear {
                let rect = Rect::new(rect.right() - 36.0, rect.y, 36.0, rect.height);
                let dot = Rect::new(rect.x + 8.0, rect.center().y - 9.0, 18.0, 18.0);
                let cross = Rect::new(dot.x + 4.0, dot.y + 4.0, 10.0, 10.0);
                ui.add(
                    Element::new(Role::Button, rect)
                        .label("Clear text")
                        .id(format!("{}-clear", look.id))
                        .tap(Action::Clear(look.field))
                        .shape(Shape::Fill { rect: dot, radius: 9.0, color: theme.faint })
                        .shape(Shape::Icon { rect: cross, icon: Icon::Clear, color: background }),
                );
            }
        });
    }

    /// A panel from below with buttons over a dimmed screen: label, identifier, whether it destroys something, action. With
    /// `cancel` it has one more button, and a touch beside the panel does the same.
    pub(crate) fn sheet(
        &mut self,
        title: &str,
        message: &str,
        buttons: &[(&str, &str, bool, Action)],
        cancel: Option<Action>,
    ) {
        let theme = self.theme;
        let all = self.all();
        self.on(Layer::Sheet, |ui| {
            let mut dim = Element::decor(all).fill(Color::BLACK.alpha(90), 0.0).opaque();
            dim.tap = cancel.clone();
            ui.add(dim);
            let count = buttons.len() + usize::from(cancel.is_some());
            let width = (all.width - 2.0 * ui.safe.side - 16.0).min(480.0);
            let x = (all.width - width) / 2.0;
            let body = text::wrap(message, SMALL, width - 48.0).len() as f64 * SMALL.line_height();
            let height = 20.0 + 26.0 + body + 14.0 + count as f64 * 58.0 + 10.0;
            let rect = Rect::new(x, all.height - ui.safe.bottom - height, width, height);
            let panel = Element::new(Role::Sheet, rect).label(title).fill(theme.panel, 22.0).opaque();
            ui.with(panel, |ui| {
                let mut y = rect.y + 20.0;
                let inner = Rect::new(x + 24.0, y, width - 48.0, 24.0);
                ui.line(inner, title, STRONG, theme.text, Align::Center);
                y += 26.0;
                let place = (inner.x, y, inner.width);
                y = ui.paragraph(place, message, SMALL, theme.secondary, Align::Center) + 14.0;
                let row = |y: f64| Rect::new(x + 16.0, y, width - 32.0, 50.0);
                for (label, id, destroys, action) in buttons {
                    let color = if *destroys { theme.danger } else { theme.accent };
                    ui.button(row(y), label, id, (true, true), color, action.clone());
                    y += 58.0;
                }
                if let Some(cancel) = cancel {
                    ui.button(row(y), "Cancel", "cancel", (false, true), theme.text, cancel);
                }
            });
        });
    }

    /// What a list shows when it is empty.
    pub(crate) fn empty(&mut self, area: Rect, icon: Icon, title: &str, message: &str) {
        let theme = self.theme;
        let middle = area.center();
        let place = Rect::new(middle.x - 24.0, middle.y - 70.0, 48.0, 48.0);
        self.add(Element::decor(place).icon(icon, 48.0, theme.faint));
        let rect = Rect::new(area.x + 24.0, middle.y - 8.0, area.width - 48.0, 28.0);
        self.line(rect, title, Style::semibold(20.0), theme.text, Align::Center);
        let rect = Rect::new(rect.x, rect.bottom() + 4.0, rect.width, 22.0);
        self.line(rect, message, Style::regular(15.0), theme.secondary, Align::Center);
    }
}

/// A share of one as people read it.
pub(crate) fn percent(share: f64) -> String {
    format!("{}%", (share * 100.0).round())
}
