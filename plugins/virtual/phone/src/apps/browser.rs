//! The browser: an address field, a history, pages that may take a while to load, and a picture that can be zoomed.

use crate::action::{Action, Field};
use crate::apps::pages::{ARTICLE, Page, Part, START};
use crate::apps::{Wishes, World};
use crate::element::{Align, Element, Layer, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::{self, Style};
use crate::widgets::{BODY, BarButton, End, FieldLook, Row, STRONG, percent};
use driver_api::{Rect, Role};
use std::time::Duration;

const START_ADDRESS: &str = "demo:start";
const COLORS: [&str; 7] = ["Amber", "Birch", "Cobalt", "Dove", "Elm", "Fern", "Garnet"];

/// What a touch asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Open(String),
    Back,
    Forward,
    Start,
    Reload,
    Choose(usize),
    /// Zoom in, or out again.
    Zoom,
}

/// The state of the browser.
#[derive(Debug)]
pub(crate) struct Browser {
    history: Vec<String>,
    place: usize,
    /// What stands in the address field.
    pub(crate) address: String,
    loading: Option<(Duration, Duration)>,
    chosen: Option<usize>,
    zoom: f64,
}

impl Default for Browser {
    fn default() -> Self {
        Browser {
            history: vec![START_ADDRESS.into()],
            place: 0,
            address: START_ADDRESS.into(),
            loading: None,
            chosen: None,
            zoom: 1.0,
        }
    }
}

impl Browser {
    /// Opens an address as a new place in the history.
    pub(crate) fn open(&mut self, address: &str, world: World, wishes: &mut Wishes) {
        self.history.truncate(self.place + 1);
        self.history.push(address.trim().to_string());
        self.place = self.history.len() - 1;
        self.load(world, wishes);
    }

    fn load(&mut self, world: World, wishes: &mut Wishes) {
        self.address = self.history[self.place].clone();
        self.chosen = None;
        self.zoom = 1.0;
        self.loading = (!world.load.is_zero()).then_some((world.now, world.now + world.load));
        wishes.focus = Some(None);
        wishes.tops.push("browser");
    }

    /// The address field got the focus: what is typed replaces the address, as if all of it had been selected.
    pub(crate) fn enter_address(&mut self) {
        self.address.clear();
    }

    /// The address field lost the focus without the return key.
    pub(crate) fn leave_address(&mut self) {
        self.address = self.history[self.place].clone();
    }

    pub(crate) fn submit(&mut self, world: World, wishes: &mut Wishes) {
        let address = self.address.trim().to_string();
        if address.is_empty() {
            self.address = self.history[self.place].clone();
            wishes.focus = Some(None);
        } else {
            self.open(&address, world, wishes);
        }
    }

    pub(crate) fn back(&mut self, world: World, wishes: &mut Wishes) -> bool {
        let can = self.place > 0;
        if can {
            self.place -= 1;
            self.load(world, wishes);
        }
        can
    }

    pub(crate) fn tick(&mut self, now: Duration) -> bool {
        match self.loading {
            Some((_, until)) if now >= until => {
                self.loading = None;
                true
            }
            Some(_) => true,
            None => false,
        }
    }

    pub(crate) fn act(&mut self, act: &Act, world: World, wishes: &mut Wishes) {
        match act {
            Act::Open(address) => self.open(address, world, wishes),
            Act::Back => {
                self.back(world, wishes);
            }
            Act::Forward => {
                if self.place + 1 < self.history.len() {
                    self.place += 1;
                    self.load(world, wishes);
                }
            }
            Act::Start => self.open(START_ADDRESS, world, wishes),
            Act::Reload => self.load(world, wishes),
            Act::Choose(row) => self.chosen = if self.chosen == Some(*row) { None } else { Some(*row) },
            Act::Zoom => self.zoom = if self.zoom > 1.0 { 1.0 } else { 2.0 },
        }
    }

    /// Two fingers moved apart by this factor on the picture.
    pub(crate) fn pinch(&mut self, factor: f64) {
        self.zoom = ((self.zoom * factor).clamp(1.0, 4.0) * 100.0).round() / 100.0;
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>, world: World) {
        let theme = ui.theme;
        ui.background(theme.card);
        let page = Page::of(&self.history[self.place]);
        let (x, width) = ui.column();
        let bar = Rect::new(0.0, 0.0, ui.screen.width, ui.safe.top + 54.0);
        ui.on(Layer::Bars, |ui| {
            let line = Rect::new(0.0, bar.bottom() - 0.5, bar.width, 0.5);
            let back = Element::new(Role::NavBar, bar)
                .label(page.title())
                .fill(theme.bar, 0.0)
                .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator })
                .opaque();
            ui.with(back, |ui| {
                let look = FieldLook {
                    field: Field::Address,
                    label: "Address",
                    id: "address",
                    placeholder: "Search or enter an address",
                    text: &self.address,
                    secure: false,
                    icon: Some(Icon::Globe),
                };
                ui.field(Rect::new(x, ui.safe.top + 6.0, width - 48.0, 40.0), &look, theme.fill, 12.0);
                let reload = BarButton {
                    icon: Icon::Reload,
                    label: "Reload",
                    id: "reload",
                    action: Action::Browser(Act::Reload),
                    enabled: self.loading.is_none(),
                };
                ui.bar_button(Rect::new(x + width - 40.0, ui.safe.top + 4.0, 44.0, 44.0), &reload);
                if let Some((from, until)) = self.loading {
                    let share = world.now.saturating_sub(from).as_secs_f64() / (until - from).as_secs_f64();
                    // Steps of a fifth: finer ones would make every picture a new one.
                    let share = ((share * 5.0).floor() / 5.0).clamp(0.1, 1.0);
                    let rect = Rect::new(0.0, bar.bottom() - 3.0, bar.width, 3.0);
                    let filled = Rect::new(0.0, rect.y, rect.width * share, 3.0);
                    ui.add(
                        Element::new(Role::Other, rect)
                            .label("Progress")
                            .id("progress")
                            .value(percent(share))
                            .shape(Shape::Fill { rect: filled, radius: 0.0, color: theme.accent }),
                    );
                }
            });
        });
        let button =
            |icon, label, id, act, enabled| BarButton { icon, label, id, action: Action::Browser(act), enabled };
        let bottom = ui.tool_bar(&[
            button(Icon::Back, "Back", "browser-back", Act::Back, self.place > 0),
            button(Icon::Forward, "Forward", "browser-forward", Act::Forward, self.place + 1 < self.history.len()),
            button(Icon::House, "Start page", "browser-start", Act::Start, true),
        ]);
        let viewport = Rect::new(0.0, bar.bottom(), ui.screen.width, bottom - bar.bottom());
        let web = Element::new(Role::WebView, viewport).label(page.title()).id("web");
        if self.loading.is_some() {
            ui.with(web, |ui| {
                let line = Rect::new(x, viewport.center().y - 40.0, width, 26.0);
                ui.line(line, "Loading…", Style::semibold(17.0), theme.secondary, Align::Center);
            });
            return;
        }
        ui.scroll("browser", viewport, web, |ui, y| match &page {
            Page::Start => start(ui, y),
            Page::Article => self.article(ui, y),
            Page::Photo => self.photo(ui, y, viewport.height),
            Page::Rows(count) => self.rows(ui, y, *count),
            Page::Deep(levels) => deep(ui, y, *levels),
            Page::Site(address) => site(ui, y, address),
            Page::Search(words) => search(ui, y, words),
        });
    }

    fn picture(&self, ui: &mut Ui<'_>, rect: Rect, radius: f64) {
        let mut picture = Element::new(Role::Image, rect)
            .label("Mountain lake at dawn")
            .id("photo")
            .value(format!("Zoom {}", percent(self.zoom)))
            .shape(Shape::Photo { rect, radius, zoom: self.zoom });
        picture.double = Some(Action::Browser(Act::Zoom));
        ui.add(picture);
    }

    fn article(&self, ui: &mut Ui<'_>, y: f64) -> f64 {
        let theme = ui.theme;
        let (x, width) = ui.column();
        let mut y = y + 18.0;
        for (n, part) in ARTICLE.iter().enumerate() {
            match part {
                Part::Heading(words) => {
                    let style = Style::bold(if n == 0 { 28.0 } else { 21.0 });
                    y = ui.paragraph((x, y + 6.0, width), words, style, theme.text, Align::Left) + 8.0;
                }
                Part::Text(words) => {
                    let (style, color) =
                        if n == 1 { (Style::regular(14.0), theme.secondary) } else { (BODY, theme.text) };
                    y = ui.paragraph((x, y, width), words, style, color, Align::Left) + 14.0;
                }
                Part::Link(words, address) => y = link(ui, x, y, words, address) + 14.0,
                Part::Photo => {
                    let wide = width.min(500.0);
                    let rect = Rect::new(x, y, wide, wide * 0.6);
                    self.picture(ui, rect, 12.0);
                    y = rect.bottom() + 16.0;
                }
            }
        }
        y + 20.0
    }

    fn photo(&self, ui: &mut Ui<'_>, y: f64, room: f64) -> f64 {
        let theme = ui.theme;
        let (x, width) = ui.column();
        let height = (width * 0.75).min(room - 90.0).max(120.0);
        let wide = width.min(height * 5.0 / 3.0);
        let rect = Rect::new(x + (width - wide) / 2.0, y + 20.0, wide, height);
        self.picture(ui, rect, 12.0);
        let place = (x, rect.bottom() + 12.0, width);
        let words = "Mountain lake at dawn. Double tap or pinch to zoom.";
        ui.paragraph(place, words, Style::regular(14.0), theme.secondary, Align::Center) + 20.0
    }

    fn rows(&self, ui: &mut Ui<'_>, y: f64, count: usize) -> f64 {
        let theme = ui.theme;
        let (x, width) = ui.column();
        let title = Page::Rows(count).title();
        let y = ui.paragraph((x, y + 16.0, width), &title, Style::bold(24.0), theme.text, Align::Left) + 10.0;
        let high = 44.0;
        let table = Rect::new(0.0, y, ui.screen.width, high * count as f64);
        ui.with(Element::new(Role::List, table).label("Table"), |ui| {
            for n in 0..count {
                let rect = Rect::new(0.0, y + high * n as f64, table.width, high);
                let (label, color) = (format!("Row {}", n + 1), COLORS[n % COLORS.len()]);
                let chosen = self.chosen == Some(n);
                let mut cell =
                    Element::new(Role::Cell, rect).value(color).selected(chosen).tap(Action::Browser(Act::Choose(n)));
                if ui.sees(&rect) {
                    let words = Rect::new(x, rect.y, width, high);
                    let text = |line: String, color, align| Shape::Text {
                        rect: words,
                        line,
                        style: BODY,
                        color,
                        align,
                        caret: None,
                    };
                    if chosen {
                        cell = cell.fill(theme.accent.alpha(45), 0.0);
                    } else if n % 2 == 0 {
                        cell = cell.fill(theme.page, 0.0);
                    }
                    cell = cell.shape(text(label.clone(), theme.text, Align::Left)).shape(text(
                        color.into(),
                        theme.secondary,
                        Align::Right,
                    ));
                }
                ui.add(cell.label(label));
            }
        });
        table.bottom()
    }
}

fn start(ui: &mut Ui<'_>, y: f64) -> f64 {
    let theme = ui.theme;
    let (x, width) = ui.column();
    let words = "Pages in this phone";
    let mut y = ui.paragraph((x, y + 20.0, width), words, Style::bold(26.0), theme.text, Align::Left) + 12.0;
    for (words, address) in START {
        y = link(ui, x, y, words, address) + 12.0;
    }
    let words = "Any other address opens a page that only repeats it. Nothing here leaves the phone.";
    ui.paragraph((x, y + 10.0, width), words, Style::regular(14.0), theme.secondary, Align::Left) + 20.0
}

fn site(ui: &mut Ui<'_>, y: f64, address: &str) -> f64 {
    let theme = ui.theme;
    let (x, width) = ui.column();
    let title = Page::Site(address.into()).title();
    let y = ui.paragraph((x, y + 20.0, width), &title, Style::bold(28.0), theme.text, Align::Left) + 10.0;
    let words = format!("This page exists only in this phone. You asked for {address}.");
    let y = ui.paragraph((x, y, width), &words, BODY, theme.text, Align::Left) + 14.0;
    link(ui, x, y, "Back to the start page", START_ADDRESS) + 20.0
}

fn search(ui: &mut Ui<'_>, y: f64, words: &str) -> f64 {
    let theme = ui.theme;
    let (x, width) = ui.column();
    let title = format!("Results for “{words}”");
    let y = ui.paragraph((x, y + 20.0, width), &title, Style::bold(22.0), theme.text, Align::Left) + 10.0;
    let rows: Vec<Row> = START
        .iter()
        .map(|(title, address)| {
            let open = Action::Browser(Act::Open((*address).into()));
            Row::new(*title).subtitle(*address).end(End::Chevron).action(open)
        })
        .collect();
    ui.group(y, None, &rows, None)
}

fn deep(ui: &mut Ui<'_>, y: f64, levels: usize) -> f64 {
    let theme = ui.theme;
    let (x, width) = ui.column();
    let title = Page::Deep(levels).title();
    let y = ui.paragraph((x, y + 20.0, width), &title, Style::bold(24.0), theme.text, Align::Left) + 10.0;
    let rect = Rect::new(x, y, width, 56.0);
    for level in 0..levels {
        ui.begin(Element::new(Role::Other, rect).label(format!("Level {}", level + 1)));
    }
    let open = Action::Browser(Act::Open(START_ADDRESS.into()));
    ui.add(
        Element::new(Role::Button, rect).label("Deepest button").id("deepest").tap(open).fill(theme.fill, 12.0).text(
            "Deepest button",
            STRONG,
            theme.accent,
            Align::Center,
        ),
    );
    ui.end(levels);
    rect.bottom() + 20.0
}

/// A link on a line of its own; answers its bottom.
fn link(ui: &mut Ui<'_>, x: f64, y: f64, words: &str, address: &str) -> f64 {
    let theme = ui.theme;
    let width = text::width(words, BODY).ceil() + 2.0;
    let rect = Rect::new(x, y, width, 30.0);
    let line = Rect::new(x, y + 25.0, width - 2.0, 1.0);
    ui.add(
        Element::new(Role::Link, rect)
            .label(words)
            .tap(Action::Browser(Act::Open(address.into())))
            .text(words, BODY, theme.accent, Align::Left)
            .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.accent.alpha(110) }),
    );
    rect.bottom()
}
