//! The list of running apps.

use crate::action::Action;
use crate::apps::{AppId, home};
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Rect, Role};

/// Draws one card for each running app, the last used first.
pub(crate) fn layout(ui: &mut Ui<'_>, running: &[AppId]) {
    let theme = ui.theme;
    let all = ui.all();
    let top = theme.wall_top.mix(Color::BLACK, 0.4);
    let bottom = theme.wall_bottom.mix(Color::BLACK, 0.4);
    ui.add(
        Element::decor(all)
            .shape(Shape::Gradient { rect: all, radius: 0.0, top, bottom })
            .tap(Action::Open(AppId::Home))
            .opaque(),
    );
    let (x, width) = ui.column();
    let title = Rect::new(x, ui.safe.top + 14.0, width, 36.0);
    ui.line(title, "Running apps", Style::bold(26.0), Color::WHITE, Align::Left);
    if running.is_empty() {
        let line = Rect::new(x, all.height / 2.0 - 12.0, width, 24.0);
        ui.line(line, "No app is running", Style::regular(17.0), Color::WHITE, Align::Center);
        return;
    }
    let viewport = Rect::new(0.0, title.bottom() + 10.0, all.width, all.height - title.bottom() - 10.0);
    let list = Element::new(Role::List, viewport).label("Running apps");
    ui.scroll("switcher", viewport, list, |ui, mut y| {
        for app in running {
            let rect = Rect::new(x, y, width, 84.0);
            let square = Rect::new(x + 16.0, y + 18.0, 48.0, 48.0);
            let words = Rect::new(x + 80.0, y, width - 130.0, 84.0);
            let chevron = Rect::new(rect.right() - 36.0, rect.center().y - 10.0, 20.0, 20.0);
            let mut card = Element::new(Role::Cell, rect)
                .label(app.name())
                .id(app.id())
                .tap(Action::Open(*app))
                .fill(theme.card, 20.0);
            card.shapes.extend(home::tile(square, *app));
            let (style, color) = (Style::semibold(19.0), theme.text);
            let line = app.name().to_string();
            card = card
                .shape(Shape::Text { rect: words, line, style, color, align: Align::Left, caret: None })
                .shape(Shape::Icon { rect: chevron, icon: Icon::Chevron, color: theme.faint });
            ui.add(card);
            y += 96.0;
        }
        y + ui.safe.bottom
    });
}
