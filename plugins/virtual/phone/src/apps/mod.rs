//! The apps: their ids and names, their state, and the one place that hands work to the right one.

pub(crate) mod browser;
pub(crate) mod contacts;
pub(crate) mod game;
pub(crate) mod home;
pub(crate) mod notes;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod switcher;

use crate::action::Field;
use crate::alert::Raised;
use crate::icons::Icon;
use crate::layout::Ui;
use crate::options::PhoneOptions;
use driver_api::App;
use std::time::Duration;

/// An app of the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppId {
    Home,
    Settings,
    Notes,
    Contacts,
    SignIn,
    Browser,
    Game,
}

impl AppId {
    /// The apps that one can start, in the order of the home screen.
    pub(crate) const ALL: [AppId; 6] =
        [AppId::Settings, AppId::Notes, AppId::SignIn, AppId::Game, AppId::Contacts, AppId::Browser];

    pub(crate) fn id(self) -> &'static str {
        match self {
            AppId::Home => "com.fingertip.home",
            AppId::Settings => "com.fingertip.settings",
            AppId::Notes => "com.fingertip.notes",
            AppId::Contacts => "com.fingertip.contacts",
            AppId::SignIn => "com.fingertip.signin",
            AppId::Browser => "com.fingertip.browser",
            AppId::Game => "com.fingertip.game",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            AppId::Home => "Home",
            AppId::Settings => "Settings",
            AppId::Notes => "Notes",
            AppId::Contacts => "Contacts",
            AppId::SignIn => "Sign-in",
            AppId::Browser => "Browser",
            AppId::Game => "Game",
        }
    }

    /// Its icon and the colours of the tile behind it, top and bottom.
    pub(crate) fn face(self) -> (Icon, u32, u32) {
        match self {
            AppId::Home => (Icon::House, 0x8A94A8, 0x667085),
            AppId::Settings => (Icon::Sliders, 0x7C879C, 0x4B5568),
            AppId::Notes => (Icon::Note, 0xF6B73C, 0xDE8A12),
            AppId::Contacts => (Icon::Person, 0x4FB286, 0x1F8A5F),
            AppId::SignIn => (Icon::Key, 0xE8657A, 0xC23A5B),
            AppId::Browser => (Icon::Globe, 0x4F9BF0, 0x2B63E3),
            AppId::Game => (Icon::Grid, 0x8E6BE8, 0x6240C4),
        }
    }

    /// The app of this id, or of this name in any case.
    pub(crate) fn find(app: &str) -> Option<AppId> {
        let app = app.trim();
        [AppId::Home]
            .into_iter()
            .chain(AppId::ALL)
            .find(|known| known.id() == app || known.name().eq_ignore_ascii_case(app))
    }

    pub(crate) fn app(self) -> App {
        App { id: self.id().into(), name: Some(self.name().into()) }
    }
}

/// What an app asks the phone to do after it has handled something.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// Give this field the focus, or take it away.
    pub(crate) focus: Option<Option<Field>>,
    /// Show a short message.
    pub(crate) toast: Option<String>,
    /// Ask something.
    pub(crate) alert: Option<Raised>,
    /// Start these lists at their top.
    pub(crate) tops: Vec<&'static str>,
}

/// What an app needs to know of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    /// Time since the phone was made.
    pub(crate) now: Duration,
    /// How long loading takes.
    pub(crate) load: Duration,
}

/// The state of all apps.
#[derive(Debug)]
pub(crate) struct Apps {
    pub(crate) settings: settings::Settings,
    pub(crate) notes: notes::Notes,
    pub(crate) contacts: contacts::Contacts,
    pub(crate) sign_in: sign_in::SignIn,
    pub(crate) browser: browser::Browser,
    pub(crate) game: game::Game,
}

impl Apps {
    pub(crate) fn new(options: &PhoneOptions) -> Apps {
        Apps {
            settings: settings::Settings::new(&options.name, options.dark),
            notes: notes::Notes::default(),
            contacts: contacts::Contacts::default(),
            sign_in: sign_in::SignIn::default(),
            browser: browser::Browser::default(),
            game: game::Game::default(),
        }
    }

    /// Draws an app.
    pub(crate) fn layout(&self, app: AppId, ui: &mut Ui<'_>, world: World) {
        match app {
            AppId::Home => home::layout(ui),
            AppId::Settings => self.settings.layout(ui, world),
            AppId::Notes => self.notes.layout(ui),
            AppId::Contacts => self.contacts.layout(ui),
            AppId::SignIn => self.sign_in.layout(ui),
            AppId::Browser => self.browser.layout(ui, world),
            AppId::Game => self.game.layout(ui),
        }
    }

    /// Puts an app back to where it starts. What it has stored stays.
    pub(crate) fn restart(&mut self, app: AppId) {
        match app {
            AppId::Home => {}
            AppId::Settings => self.settings.restart(),
            AppId::Notes => self.notes.restart(),
            AppId::Contacts => self.contacts.restart(),
            AppId::SignIn => self.sign_in.restart(),
            AppId::Browser => self.browser = browser::Browser::default(),
            AppId::Game => self.game = game::Game::default(),
        }
    }

    /// One step back; answers whether there was one.
    pub(crate) fn back(&mut self, app: AppId, world: World, wishes: &mut Wishes) -> bool {
        match app {
            AppId::Settings => self.settings.back(),
            AppId::Notes => self.notes.back(wishes),
            AppId::Contacts => self.contacts.back(wishes),
            AppId::Browser => self.browser.back(world, wishes),
            AppId::Home | AppId::SignIn | AppId::Game => false,
        }
    }

    /// The text of a field.
    pub(crate) fn text_mut(&mut self, field: Field) -> Option<&mut String> {
        match field {
            Field::NoteBody => self.notes.body_mut(),
            Field::ContactSearch => Some(&mut self.contacts.search),
            Field::Email => Some(&mut self.sign_in.email),
            Field::Password => Some(&mut self.sign_in.password),
            Field::Address => Some(&mut self.browser.address),
        }
    }

    /// The text of a field was changed.
    pub(crate) fn edited(&mut self, field: Field, wishes: &mut Wishes) {
        match field {
            Field::ContactSearch => wishes.tops.push("contacts.list"),
            Field::Email | Field::Password => self.sign_in.edited(),
            Field::NoteBody | Field::Address => {}
        }
    }

    /// The return key was pressed in a field that does not write line breaks.
    pub(crate) fn submit(&mut self, field: Field, world: World, wishes: &mut Wishes) {
        match field {
            Field::NoteBody => {}
            Field::ContactSearch => wishes.focus = Some(None),
            Field::Email => wishes.focus = Some(Some(Field::Password)),
            Field::Password => self.sign_in.submit(wishes),
            Field::Address => self.browser.submit(world, wishes),
        }
    }

    /// Lets timed changes happen; answers whether anything visible changed.
    pub(crate) fn tick(&mut self, now: Duration) -> bool {
        let browser = self.browser.tick(now);
        self.settings.tick(now) || browser
    }

    /// Where an app starts when it is launched with arguments.
    pub(crate) fn arguments(&mut self, app: AppId, arguments: &[String], world: World, wishes: &mut Wishes) {
        if let (AppId::Browser, Some(address)) = (app, arguments.first()) {
            self.browser.open(address, world, wishes);
        }
    }
}
