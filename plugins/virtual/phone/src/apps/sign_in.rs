//! Sign-in: two fields, a button that waits for both, an error in the page, and a page behind it.

use crate::action::{Action, Field};
use crate::apps::Wishes;
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::Style;
use crate::theme::Color;
use crate::widgets::{FieldLook, STRONG};
use driver_api::{Rect, Role};

/// The account that exists.
const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "lovelace1";

/// What a touch asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Remember,
    SignIn,
    SignOut,
}

/// The state of Sign-in.
#[derive(Debug, Default)]
pub(crate) struct SignIn {
    pub(crate) email: String,
    pub(crate) password: String,
    remember: bool,
    wrong: bool,
    inside: bool,
}

impl SignIn {
    /// Ending the app keeps only what the user asked it to remember.
    pub(crate) fn restart(&mut self) {
        self.leave();
    }

    fn leave(&mut self) {
        self.inside = false;
        self.wrong = false;
        self.password.clear();
        if !self.remember {
            self.email.clear();
        }
    }

    pub(crate) fn edited(&mut self) {
        self.wrong = false;
    }

    fn complete(&self) -> bool {
        !self.email.trim().is_empty() && !self.password.is_empty()
    }

    pub(crate) fn submit(&mut self, wishes: &mut Wishes) {
        if !self.complete() {
            return;
        }
        if self.email.trim().eq_ignore_ascii_case(EMAIL) && self.password == PASSWORD {
            self.inside = true;
            self.wrong = false;
            self.password.clear();
            wishes.focus = Some(None);
        } else {
            self.wrong = true;
        }
    }

    pub(crate) fn act(&mut self, act: &Act, wishes: &mut Wishes) {
        match act {
            Act::Remember => self.remember = !self.remember,
            Act::SignIn => self.submit(wishes),
            Act::SignOut => self.leave(),
        }
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>) {
        if self.inside { self.welcome(ui) } else { self.form(ui) }
    }

    fn form(&self, ui: &mut Ui<'_>) {
        let theme = ui.theme;
        ui.background(theme.page);
        let top = ui.nav_bar("Sign in", None, &[]);
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top);
        ui.scroll("sign-in", viewport, Element::decor(viewport), |ui, y| {
            let (x, width) = ui.column();
            let words = "Use the account that you made for this phone.";
            let place = (x, y + 12.0, width);
            let mut y = ui.paragraph(place, words, Style::regular(15.0), theme.secondary, Align::Left) + 18.0;
            let look = FieldLook {
                field: Field::Email,
                label: "Email",
                id: "email",
                placeholder: "name@example.com",
                text: &self.email,
                secure: false,
                icon: None,
            };
            ui.field(Rect::new(x, y, width, 50.0), &look, theme.card, 12.0);
            y += 62.0;
            let look = FieldLook {
                field: Field::Password,
                label: "Password",
                id: "password",
                placeholder: "Password",
                text: &self.password,
                secure: true,
                icon: None,
            };
            let rect = Rect::new(x, y, width, 50.0);
            ui.field(rect, &look, theme.card, 12.0);
            if self.wrong {
                let edge = Shape::Border { rect, radius: 12.0, width: 1.5, color: theme.danger };
                ui.add(Element::decor(rect).shape(edge));
            }
            y += 58.0;
            if self.wrong {
                let place = (x + 4.0, y, width - 8.0);
                let words = "The email or the password is wrong.";
                y = ui.paragraph(place, words, Style::semibold(14.0), theme.danger, Align::Left);
            }
            y += 6.0;
            let row = Rect::new(x, y, width, 44.0);
            let words = Rect::new(x + 4.0, y, width - 70.0, 44.0);
            ui.line(words, "Remember me", Style::regular(17.0), theme.text, Align::Left);
            let switch = Rect::new(row.right() - 55.0, row.center().y - 15.5, 51.0, 31.0);
            let action = Action::SignIn(Act::Remember);
            ui.switch(switch, "Remember me", Some("remember".into()), self.remember, true, action);
            y += 60.0;
            let rect = Rect::new(x, y, width, 50.0);
            let action = Action::SignIn(Act::SignIn);
            ui.button(rect, "Sign in", "sign-in", (true, self.complete()), theme.accent, action);
            rect.bottom() + 24.0 + ui.safe.bottom
        });
    }

    fn welcome(&self, ui: &mut Ui<'_>) {
        let theme = ui.theme;
        ui.background(theme.page);
        let top = ui.nav_bar("Welcome", None, &[]);
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top);
        ui.scroll("sign-in.welcome", viewport, Element::decor(viewport), |ui, y| {
            let (x, width) = ui.column();
            let card = Rect::new(x, y + 8.0, width, 176.0);
            let middle = card.center().x;
            let round = Rect::new(middle - 32.0, card.y + 22.0, 64.0, 64.0);
            let check = Rect::new(middle - 16.0, round.y + 16.0, 32.0, 32.0);
            let badge = Element::decor(card)
                .fill(theme.card, 16.0)
                .shape(Shape::Fill { rect: round, radius: 32.0, color: theme.good })
                .shape(Shape::Icon { rect: check, icon: Icon::Check, color: Color::WHITE });
            ui.add(badge);
            let line = |y: f64, high: f64| Rect::new(x + 16.0, y, width - 32.0, high);
            ui.line(line(round.bottom() + 14.0, 28.0), "Hello, Ada", Style::bold(22.0), theme.text, Align::Center);
            let words = format!("Signed in as {}", self.email.trim());
            ui.line(line(round.bottom() + 46.0, 22.0), &words, Style::regular(15.0), theme.secondary, Align::Center);
            let rect = Rect::new(x, card.bottom() + 20.0, width, 50.0);
            let action = Action::SignIn(Act::SignOut);
            ui.add(
                Element::new(Role::Button, rect)
                    .label("Sign out")
                    .id("sign-out")
                    .tap(action)
                    .fill(theme.card, 12.0)
                    .text("Sign out", STRONG, theme.danger, Align::Center),
            );
            rect.bottom() + 24.0
        });
    }
}
