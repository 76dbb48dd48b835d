//! Prints how long the phone takes for its work: `cargo run --release -p virtual-phone --example speed`.

use driver_api::{Button, Launch, Orientation, Point};
use std::hint::black_box;
use std::time::{Duration, Instant};
use virtual_phone::{Phone, PhoneOptions};

fn time(name: &str, times: u32, mut work: impl FnMut()) {
    let mut best = Duration::MAX;
    let start = Instant::now();
    for _ in 0..times {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    println!("{name:<44} mean {:>10.1?}  best {best:>10.1?}", start.elapsed() / times);
}

fn main() {
    time("new phone", 100, || {
        black_box(Phone::new(PhoneOptions::default()));
    });
    let mut phone = Phone::new(PhoneOptions { manual_clock: true, ..PhoneOptions::default() });
    time("first layout (reads the font)", 1, || {
        black_box(phone.tree());
    });
    for app in ["Home", "Settings", "Contacts", "Notes", "Sign-in"] {
        phone.launch(&Launch { app: app.into(), ..Launch::default() }).expect("it exists");
        time(&format!("tree of {app}, unchanged"), 200, || {
            black_box(phone.tree());
        });
        time(&format!("turn twice with tree, {app}"), 100, || {
            phone.set_orientation(Orientation::LandscapeLeft).expect("it turns");
            phone.set_orientation(Orientation::Portrait).expect("it turns");
            black_box(phone.tree());
        });
        time(&format!("two whole drawings of {app}"), 10, || {
            phone.set_orientation(Orientation::LandscapeLeft).expect("it turns");
            phone.pixels();
            phone.set_orientation(Orientation::Portrait).expect("it turns");
            phone.pixels();
        });
    }
    time("volume button and picture", 10, || {
        phone.press(Button::VolumeUp);
        phone.press(Button::VolumeDown);
        phone.advance(Duration::from_millis(1));
        black_box(phone.picture());
    });
    time("picture, unchanged", 100, || {
        black_box(phone.picture());
    });
    time("tap on nothing", 1_000, || phone.tap(Point::new(200.0, 700.0)));
    phone.open_url("demo:1000").expect("it opens");
    phone.picture();
    time("tree of 1,000 rows, unchanged", 50, || {
        black_box(phone.tree());
    });
    time("tap on a row of 1,000, with layout", 50, || phone.tap(Point::new(200.0, 400.0)));
    time("tap on a row, pixels", 20, || {
        phone.tap(Point::new(200.0, 400.0));
        phone.pixels();
    });
    time("tap on a row, picture", 20, || {
        phone.tap(Point::new(200.0, 400.0));
        phone.picture();
    });
    phone.open_url("demo:article").expect("it opens");
    phone.picture();
    time("photo zoom, pixels", 10, || {
        phone.double_tap(Point::new(200.0, 300.0));
        phone.pixels();
    });
    println!("picture of {} bytes", phone.picture().bytes.len());
}
