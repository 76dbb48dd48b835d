//! The home screen: a card with the date, the icons of the apps and a dock.

use crate::action::Action;
use crate::apps::AppId;
use crate::element::{Align, Element, Shape};
use crate::layout::Ui;
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Rect, Role};

/// The day on which the phone lives.
pub(crate) const DATE: &str = "Tuesday 9 June";

const SIDE: f64 = 62.0;

/// Draws it.
pub(crate) fn layout(ui: &mut Ui<'_>) {
    let theme = ui.theme;
    let all = ui.all();
    let wall = Shape::Gradient { rect: all, radius: 0.0, top: theme.wall_top, bottom: theme.wall_bottom };
    ui.add(Element::decor(all).shape(wall).opaque());
    let land = ui.screen.orientation.is_landscape();
    let margin = ui.safe.side + 22.0;
    let dock = if land { 84.0 } else { 96.0 };
    let dock = Rect::new(
        ui.safe.side + 12.0,
        all.height - dock - if land { 14.0 } else { 22.0 },
        all.width - 2.0 * ui.safe.side - 24.0,
        dock,
    );

    let card = if land {
        Rect::new(margin, ui.safe.top + 22.0, 230.0, 128.0)
    } else {
        Rect::new(margin, ui.safe.top + 22.0, all.width - 2.0 * margin, 128.0)
    };
    ui.add(Element::decor(card).fill(Color::WHITE.alpha(46), 22.0));
    let row = |y: f64, high: f64| Rect::new(card.x + 20.0, card.y + y, card.width - 40.0, high);
    let (weekday, day) = DATE.split_once(' ').unwrap_or((DATE, ""));
    ui.line(row(18.0, 20.0), weekday, Style::semibold(16.0), Color::WHITE, Align::Left);
    ui.line(row(40.0, 40.0), day, Style::bold(34.0), Color::WHITE, Align::Left);
    ui.line(row(88.0, 22.0), "No events today", Style::regular(15.0), Color::WHITE, Align::Left);

    let area = if land {
        Rect::new(card.right() + 20.0, card.y, all.width - margin - card.right() - 20.0, card.height)
    } else {
        Rect::new(margin - 8.0, card.bottom() + 26.0, all.width - 2.0 * margin + 16.0, 400.0)
    };
    let step = area.width / 4.0;
    for (n, app) in AppId::ALL[..4].iter().enumerate() {
        let x = area.x + step * (n % 4) as f64 + (step - SIDE) / 2.0;
        let y = area.y + 100.0 * (n / 4) as f64 + if land { 22.0 } else { 0.0 };
        icon(ui, *app, x, y, true);
    }

    let panel = Element::new(Role::Other, dock).label("Dock").fill(Color::WHITE.alpha(60), 30.0);
    ui.with(panel, |ui| {
        let step = dock.width.min(380.0) / 4.0;
        let start = dock.center().x - step;
        for (n, app) in AppId::ALL[4..].iter().enumerate() {
            let x = start + step * n as f64 + (step - SIDE) / 2.0;
            icon(ui, *app, x, dock.y + (dock.height - SIDE) / 2.0, false);
        }
    });
}

/// The tile of an app without its name.
pub(crate) fn tile(rect: Rect, app: AppId) -> [Shape; 2] {
    let (icon, top, bottom) = app.face();
    let inset = rect.width * 0.23;
    let inner = Rect::new(rect.x + inset, rect.y + inset, rect.width - 2.0 * inset, rect.height - 2.0 * inset);
    [
        Shape::Gradient { rect, radius: rect.width * 0.24, top: Color::rgb(top), bottom: Color::rgb(bottom) },
        Shape::Icon { rect: inner, icon, color: Color::WHITE },
    ]
}

fn icon(ui: &mut Ui<'_>, app: AppId, x: f64, y: f64, named: bool) {
    let square = Rect::new(x, y, SIDE, SIDE);
    let bounds = if named { Rect::new(x - 8.0, y, SIDE + 16.0, SIDE + 22.0) } else { square };
    let mut element = Element::new(Role::Icon, bounds).label(app.name()).id(app.id()).tap(Action::Open(app));
    element.shapes.extend(tile(square, app));
    if named {
        element = element.shape(Shape::Text {
            rect: Rect::new(bounds.x, y + SIDE + 5.0, bounds.width, 16.0),
            line: app.name().into(),
            style: Style::semibold(12.0),
            color: Color::WHITE,
            align: Align::Center,
            caret: None,
        });
    }
    ui.add(element);
}
