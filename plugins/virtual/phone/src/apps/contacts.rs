//! Contacts: tabs, a long list with a search field, and a page for one person.

use crate::action::{Action, Field};
use crate::apps::Wishes;
use crate::apps::people::{Person, people};
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::{self, Style};
use crate::theme::Color;
use crate::widgets::{BODY, BarButton, FieldLook, Row, STRONG};
use driver_api::{Rect, Role};

/// A tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Favourites,
    Contacts,
    Recents,
}

/// What a touch asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Tab(Tab),
    Show(usize),
    Call,
    EndCall,
    Message,
    Mail,
    Favourite,
}

/// The state of Contacts. People are named by their number in the list.
#[derive(Debug)]
pub(crate) struct Contacts {
    tab: Tab,
    open: Option<usize>,
    calling: bool,
    favourites: Vec<usize>,
    /// The last called first.
    recents: Vec<usize>,
    pub(crate) search: String,
}

impl Default for Contacts {
    fn default() -> Self {
        Contacts {
            tab: Tab::Contacts,
            open: None,
            calling: false,
            favourites: vec![0, 41],
            recents: Vec::new(),
            search: String::new(),
        }
    }
}

impl Contacts {
    pub(crate) fn restart(&mut self) {
        self.tab = Tab::Contacts;
        self.open = None;
        self.calling = false;
        self.search.clear();
    }

    pub(crate) fn back(&mut self, wishes: &mut Wishes) -> bool {
        if std::mem::take(&mut self.calling) {
            return true;
        }
        if self.open.is_some() {
            wishes.focus = Some(None);
        }
        self.open.take().is_some()
    }

    pub(crate) fn act(&mut self, act: &Act, wishes: &mut Wishes) {
        match act {
            Act::Tab(tab) => {
                self.tab = *tab;
                self.open = None;
                wishes.focus = Some(None);
            }
            Act::Show(n) => {
                self.open = Some(*n);
                wishes.focus = Some(None);
                wishes.tops.push("contacts.person");
            }
            Act::Call => {
                if let Some(open) = self.open {
                    self.calling = true;
                    self.recents.retain(|n| *n != open);
                    self.recents.insert(0, open);
                }
            }
            Act::EndCall => self.calling = false,
            Act::Message => wishes.toast = Some("Messages is not set up".into()),
            Act::Mail => wishes.toast = Some("Mail is not set up".into()),
            Act::Favourite => {
                if let Some(open) = self.open {
                    let before = self.favourites.len();
                    self.favourites.retain(|n| *n != open);
                    if self.favourites.len() == before {
                        self.favourites.push(open);
                    }
                }
            }
        }
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>) {
        let tab = |icon, label, tab| (icon, label, self.tab == tab, Action::Contacts(Act::Tab(tab)));
        let tabs = [
            tab(Icon::Star, "Favourites", Tab::Favourites),
            tab(Icon::Person, "Contacts", Tab::Contacts),
            tab(Icon::Clock, "Recents", Tab::Recents),
        ];
        match self.open {
            Some(open) => self.person(ui, open),
            None => self.list(ui),
        }
        ui.tab_bar(&tabs);
        if let (true, Some(open)) = (self.calling, self.open) {
            let person = &people()[open];
            let end = ("End Call", "end-call", true, Action::Contacts(Act::EndCall));
            ui.sheet(&format!("Calling {}", person.name), &person.phone, &[end], None);
        }
    }

    fn title(&self) -> &'static str {
        match self.tab {
            Tab::Favourites => "Favourites",
            Tab::Contacts => "Contacts",
            Tab::Recents => "Recents",
        }
    }

    fn list(&self, ui: &mut Ui<'_>) {
        let theme = ui.theme;
        ui.background(theme.card);
        let mut top = ui.nav_bar(self.title(), None, &[]);
        let bar = 52.0 + ui.safe.bottom;
        let (x, width) = ui.column();
        if self.tab == Tab::Contacts {
            let look = FieldLook {
                field: Field::ContactSearch,
                label: "Search",
                id: "search",
                placeholder: "Search",
                text: &self.search,
                secure: false,
                icon: Some(Icon::Search),
            };
            let strip = Rect::new(0.0, top, ui.screen.width, 52.0);
            ui.on(crate::element::Layer::Bars, |ui| {
                let line = Rect::new(0.0, strip.bottom() - 0.5, strip.width, 0.5);
                let back = Element::decor(strip)
                    .fill(theme.bar, 0.0)
                    .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator })
                    .opaque();
                ui.add(back);
                ui.field(Rect::new(x, top + 4.0, width, 38.0), &look, theme.fill, 10.0);
            });
            top = strip.bottom();
        }
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top - bar);
        let shown: Vec<usize> = match self.tab {
            Tab::Favourites => self.favourites.clone(),
            Tab::Recents => self.recents.clone(),
            Tab::Contacts => {
                let wanted = self.search.trim().to_lowercase();
                let fits = |n: &usize| people()[*n].name.to_lowercase().contains(&wanted);
                (0..people().len()).filter(fits).collect()
            }
        };
        if shown.is_empty() {
            match self.tab {
                Tab::Favourites => ui.empty(viewport, Icon::Star, "No favourites", "Mark people you call often."),
                Tab::Recents => ui.empty(viewport, Icon::Clock, "No recent calls", "Calls you make appear here."),
                Tab::Contacts => ui.empty(viewport, Icon::Search, "No results", "Try another name."),
            }
            return;
        }
        let name = match self.tab {
            Tab::Favourites => "contacts.favourites",
            Tab::Contacts => "contacts.list",
            Tab::Recents => "contacts.recents",
        };
        let list = Element::new(Role::List, viewport).label(self.title());
        ui.scroll(name, viewport, list, |ui, mut y| {
            let mut letter = None;
            for n in shown {
                let person = &people()[n];
                let first = person.name.chars().next();
                if self.tab == Tab::Contacts && first != letter {
                    letter = first;
                    let strip = Rect::new(0.0, y, ui.screen.width, 28.0);
                    ui.add(Element::decor(strip).fill(theme.page, 0.0));
                    let words: String = first.into_iter().collect();
                    let rect = Rect::new(x, y, 40.0, 28.0);
                    ui.line(rect, &words, Style::semibold(14.0), theme.secondary, Align::Left);
                    y = strip.bottom();
                }
                cell(ui, Rect::new(0.0, y, ui.screen.width, 52.0), person, n);
                y += 52.0;
            }
            y + 8.0
        });
    }

    fn person(&self, ui: &mut Ui<'_>, open: usize) {
        let theme = ui.theme;
        ui.background(theme.page);
        let person = &people()[open];
        let favourite = self.favourites.contains(&open);
        let star = BarButton {
            icon: if favourite { Icon::StarFilled } else { Icon::Star },
            label: if favourite { "Remove from favourites" } else { "Add to favourites" },
            id: "favourite",
            action: Action::Contacts(Act::Favourite),
            enabled: true,
        };
        let top = ui.nav_bar("Contact", Some(self.title()), &[star]);
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top - 52.0 - ui.safe.bottom);
        let list = Element::new(Role::List, viewport).label("Contact");
        ui.scroll("contacts.person", viewport, list, |ui, y| {
            let middle = ui.screen.width / 2.0;
            let (x, width) = ui.column();
            let round = Rect::new(middle - 46.0, y + 20.0, 92.0, 92.0);
            ui.add(avatar(round, person, open).label(format!("Photo of {}", person.name)));
            let mut y = round.bottom() + 12.0;
            ui.line(Rect::new(x, y, width, 34.0), &person.name, Style::bold(26.0), theme.text, Align::Center);
            y += 50.0;
            let gap = 10.0;
            let wide = (width - 2.0 * gap) / 3.0;
            let acts = [
                (Icon::Bubble, "Message", Act::Message),
                (Icon::Phone, "Call", Act::Call),
                (Icon::Envelope, "Mail", Act::Mail),
            ];
            for (n, (icon, label, act)) in acts.into_iter().enumerate() {
                let rect = Rect::new(x + n as f64 * (wide + gap), y, wide, 62.0);
                let picture = Rect::new(rect.center().x - 12.0, rect.y + 9.0, 24.0, 24.0);
                let words = Rect::new(rect.x, rect.y + 37.0, wide, 18.0);
                ui.add(
                    Element::new(Role::Button, rect)
                        .label(label)
                        .id(label.to_lowercase())
                        .tap(Action::Contacts(act))
                        .fill(theme.card, 12.0)
                        .shape(Shape::Icon { rect: picture, icon, color: theme.accent })
                        .shape(Shape::Text {
                            rect: words,
                            line: label.into(),
                            style: Style::semibold(13.0),
                            color: theme.accent,
                            align: Align::Center,
                            caret: None,
                        }),
                );
            }
            y += 84.0;
            let rows = [
                Row::new("Phone").value(person.phone.as_str()).id("phone").action(Action::Contacts(Act::Call)),
                Row::new("Mail").value(person.mail.as_str()).id("mail-address").action(Action::Contacts(Act::Mail)),
            ];
            ui.group(y, None, &rows, None)
        });
    }
}

fn cell(ui: &mut Ui<'_>, rect: Rect, person: &Person, n: usize) {
    let theme = ui.theme;
    let x = ui.safe.side + 16.0;
    let mut cell = Element::new(Role::Cell, rect).label(person.name.as_str()).tap(Action::Contacts(Act::Show(n)));
    if ui.sees(&rect) {
        let round = Rect::new(x, rect.y + 8.0, 36.0, 36.0);
        cell.shapes = avatar(round, person, n).shapes;
        let words = Rect::new(x + 50.0, rect.y, rect.width - x - 66.0, rect.height);
        let line = Rect::new(words.x, rect.bottom() - 0.5, rect.width - words.x, 0.5);
        cell = cell
            .shape(Shape::Text {
                rect: words,
                line: text::fit(&person.name, BODY, words.width),
                style: BODY,
                color: theme.text,
                align: Align::Left,
                caret: None,
            })
            .shape(Shape::Fill { rect: line, radius: 0.0, color: theme.separator });
    }
    ui.add(cell);
}

/// A round picture with a person's initials.
fn avatar(rect: Rect, person: &Person, n: usize) -> Element {
    const COLORS: [u32; 6] = [0x5B74B5, 0x4F9A7A, 0xB5685B, 0x8A62B0, 0xB08A3C, 0x4A8FA3];
    let initials: String = person.name.split(' ').filter_map(|word| word.chars().next()).collect();
    let style = Style { size: (rect.width * 0.38) as f32, ..STRONG };
    Element::new(Role::Image, rect).fill(Color::rgb(COLORS[n % COLORS.len()]), rect.width / 2.0).text(
        initials,
        style,
        Color::WHITE,
        Align::Center,
    )
}
