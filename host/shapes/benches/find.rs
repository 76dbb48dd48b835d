//! How long a screen of 1170 by 2532 pixels takes: finding by name, by a reference picture, and naming a button.

use divan::{Bencher, black_box};
use driver_api::Launch;
use fingertip_shapes::{Area, Picture, Shapes, View, concepts, find_reference};
use virtual_phone::{Phone, PhoneOptions};

fn main() {
    // The table is drawn once in a process; the other figures are without it.
    let started = std::time::Instant::now();
    let count = concepts().len();
    println!("names of {count} concepts ready in {:?}", started.elapsed());
    let started = std::time::Instant::now();
    Shapes::bundled();
    println!("their shapes ready in {:?}", started.elapsed());
    divan::main();
}

struct Screen {
    width: u32,
    height: u32,
    channels: u8,
    data: Vec<u8>,
}

fn screen(app: &str) -> Screen {
    let mut phone = Phone::new(PhoneOptions { manual_clock: true, ..PhoneOptions::default() });
    phone.launch(&Launch { app: app.into(), fresh: true, arguments: Vec::new() }).expect("the phone has the app");
    let (width, height, data) = phone.pixels();
    let channels = (data.len() / (width as usize * height as usize)) as u8;
    Screen { width, height, channels, data: data.to_vec() }
}

impl Screen {
    fn view(&self) -> View<'_> {
        let picture = Picture { width: self.width, height: self.height, channels: self.channels, data: &self.data };
        View { picture, scale: 3.0, mirrored: false, ignore: &[] }
    }
}

#[divan::bench(args = ["Settings", "Contacts", "Game"])]
fn find_by_name(bencher: Bencher<'_, '_>, app: &str) {
    let screen = screen(app);
    bencher.bench_local(|| Shapes::bundled().find(black_box(&screen.view()), "notification"));
}

#[divan::bench]
fn find_another_on_the_same_screen(bencher: Bencher<'_, '_>) {
    let screen = screen("Settings");
    let look = Shapes::bundled().look(&screen.view()).expect("a picture");
    bencher.bench_local(|| look.find(black_box("search")));
}

#[divan::bench]
fn find_by_reference(bencher: Bencher<'_, '_>) {
    let screen = screen("Settings");
    let view = screen.view();
    // A part of the screen itself, somewhere in the middle of the rows' icons.
    let (left, top, side) = (100usize, 1180usize, 72usize);
    let bytes = usize::from(screen.channels);
    let rows = (top..top + side).flat_map(|y| {
        let start = (y * screen.width as usize + left) * bytes;
        screen.data[start..start + side * bytes].iter().copied()
    });
    let data: Vec<u8> = rows.collect();
    let reference = Picture { width: side as u32, height: side as u32, channels: screen.channels, data: &data };
    bencher.bench_local(|| find_reference(black_box(&view.picture), &reference));
}

#[divan::bench]
fn name_all(bencher: Bencher<'_, '_>) {
    let screen = screen("Settings");
    let look = Shapes::bundled().look(&screen.view()).expect("a picture");
    bencher.bench_local(|| black_box(&look).icons());
}

#[divan::bench]
fn name_a_button(bencher: Bencher<'_, '_>) {
    let screen = screen("Settings");
    let area = Area { x: 60.0, y: 1150.0, width: 150.0, height: 130.0 };
    bencher.bench_local(|| Shapes::bundled().icon_in(black_box(&screen.view()), &area));
}
