//! Writes a picture of every screen into a folder: `cargo run -p virtual-phone --example pictures -- OUTDIR`.

use driver_api::{Alert, Button, Launch, Orientation, Point, Swipe};
use std::path::{Path, PathBuf};
use std::time::Duration;
use virtual_phone::{Phone, PhoneOptions};

struct Album {
    folder: PathBuf,
    suffix: &'static str,
    phone: Phone,
}

impl Album {
    fn keep(&mut self, name: &str) {
        let file = self.folder.join(format!("{name}{}.png", self.suffix));
        std::fs::write(&file, self.phone.picture().bytes).expect("the folder can be written");
    }

    fn open(&mut self, app: &str) {
        let launch = Launch { app: app.into(), fresh: true, arguments: Vec::new() };
        self.phone.launch(&launch).expect("the app exists");
    }

    /// Touches the first node with this label or identifier, scrolling down to it.
    fn touch(&mut self, name: &str) {
        for _ in 0..40 {
            let screen = self.phone.screen();
            let tree = self.phone.tree();
            let is = |text: &Option<String>| text.as_deref() == Some(name);
            let node = tree.nodes.iter().find(|node| is(&node.identifier) || is(&node.label));
            let at = node.and_then(|node| node.bounds).unwrap_or_else(|| panic!("no {name}")).center();
            if at.y < screen.height - 110.0 || node.is_some_and(|node| node.visible && at.y < screen.height - 20.0) {
                self.phone.tap(at);
                return;
            }
            let middle = Point::new(screen.width / 2.0, screen.height / 2.0);
            let to = Point::new(middle.x, middle.y - 120.0);
            let swipe = Swipe { from: middle, to, hold: Duration::ZERO, duration: Duration::from_millis(300) };
            self.phone.swipe(swipe);
        }
    }

    fn settings(&mut self) {
        self.open("Settings");
        self.keep("settings");
        for page in ["wifi", "bluetooth", "notifications", "sounds", "display", "privacy"] {
            self.touch(page);
            self.keep(&format!("settings-{page}"));
            self.phone.press(Button::Back);
        }
        self.touch("general");
        self.keep("settings-general");
        for page in ["about", "language", "software-update"] {
            self.touch(page);
            self.keep(&format!("settings-{page}"));
            self.phone.press(Button::Back);
        }
        self.phone.press(Button::Back);
        self.touch("privacy");
        self.touch("privacy-location");
        self.keep("alert-three");
        self.phone.answer_alert("Allow Once").expect("the alert has it");
        let text = "Low battery\n10% of battery is left.".into();
        self.phone.raise_alert(Alert { text, buttons: vec!["Later".into(), "OK".into()] });
        self.keep("alert-two");
        self.phone.answer_alert("OK").expect("the alert has it");
    }

    fn notes(&mut self) {
        self.open("Notes");
        self.keep("notes");
        self.touch("Train to Leeds");
        self.keep("notes-read");
        self.touch("delete");
        self.keep("notes-sheet");
        self.touch("delete-note");
        self.keep("notes-toast");
        self.touch("new-note");
        self.keep("notes-new");
        self.phone
            .type_text("Hello 👋 world ❤️\nA second line that is long enough to be broken in two ⭐")
            .expect("focus");
        self.keep("notes-written");
        self.phone.press(Button::Back);
        self.phone.press(Button::Back);
        for _ in 0..3 {
            let first = self.phone.tree().nodes.iter().find(|node| node.role == driver_api::Role::Cell).cloned();
            let at = first.and_then(|node| node.bounds).expect("a note").center();
            self.phone.long_press(at, Duration::from_secs(1));
            self.touch("delete-note");
        }
        self.phone.advance(Duration::from_secs(3));
        self.keep("notes-empty");
    }

    fn contacts(&mut self) {
        self.open("Contacts");
        self.keep("contacts");
        self.touch("search");
        self.phone.type_text("or").expect("focus");
        self.keep("contacts-search");
        self.touch("search-clear");
        self.phone.press(Button::Enter);
        self.touch("Ada Lovelace");
        self.keep("contacts-person");
        self.touch("call");
        self.keep("contacts-call");
        self.touch("end-call");
        self.touch("Favourites");
        self.keep("contacts-favourites");
        self.touch("Recents");
        self.keep("contacts-recents");
    }

    fn sign_in(&mut self) {
        self.open("Sign-in");
        self.keep("signin");
        self.touch("email");
        self.phone.type_text("ada@example.com\nwrong").expect("focus");
        self.keep("signin-filled");
        self.phone.press(Button::Enter);
        self.phone.hide_keyboard();
        self.keep("signin-wrong");
        self.touch("remember");
        self.touch("password");
        self.phone.type_text(&"\u{8}".repeat(5)).expect("focus");
        self.phone.type_text("lovelace1\n").expect("focus");
        self.keep("signin-welcome");
    }

    fn browser(&mut self) {
        self.open("Browser");
        self.keep("browser-start");
        for page in ["article", "photo", "1000", "deep:3000"] {
            self.phone.open_url(&format!("demo:{page}")).expect("the browser opens it");
            self.keep(&format!("browser-{}", page.replace(':', "-")));
        }
        self.phone.open_url("https://news.example/today").expect("the browser opens it");
        self.keep("browser-site");
        self.touch("address");
        self.phone.type_text("lake house").expect("focus");
        self.keep("browser-typing");
        self.phone.press(Button::Enter);
        self.keep("browser-search");
    }

    fn rest(&mut self) {
        self.open("Game");
        self.keep("game");
        self.phone.press(Button::AppSwitcher);
        self.keep("switcher");
        self.phone.home();
        self.keep("home");
        self.phone.press(Button::VolumeUp);
        self.keep("home-volume");
        self.phone.lock();
        self.keep("lock");
        self.phone.unlock().expect_err("it wants a passcode");
        self.keep("lock-pad");
        self.phone.enter_passcode("0000").expect_err("it is wrong");
        self.keep("lock-wrong");
        self.phone.enter_passcode("1379").expect("it is right");
    }
}

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "pictures".into());
    let folder = Path::new(&folder).to_path_buf();
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (suffix, dark, orientation) in [
        ("", false, Orientation::Portrait),
        ("-dark", true, Orientation::Portrait),
        ("-land", false, Orientation::LandscapeLeft),
    ] {
        let options =
            PhoneOptions { dark, passcode: Some("1379".into()), manual_clock: true, ..PhoneOptions::default() };
        let mut album = Album { folder: folder.clone(), suffix, phone: Phone::new(options) };
        album.phone.set_orientation(orientation).expect("it turns");
        album.settings();
        album.notes();
        album.contacts();
        album.sign_in();
        album.browser();
        album.rest();
    }
}
