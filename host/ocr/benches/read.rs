//! How long a phone's screen takes to read: `cargo bench -p fingertip-ocr`. Figures of an idle machine go into the README.
//!
//! The screen is the virtual phone's, 1170×2532. Peak memory is printed once at the end, where the system tells it.

use driver_api::Launch;
use fingertip_ocr::{Picture, Reader, Reading};
use std::time::{Duration, Instant};
use virtual_phone::{Phone, PhoneOptions};

fn main() {
    loading();
    divan::main();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory of the benches: {peak}");
    }
}

/// What the first reading of a process takes beyond the second: the networks are loaded with it.
fn loading() {
    let mut phone = Phone::new(PhoneOptions { width: 240.0, height: 480.0, scale: 1.0, ..PhoneOptions::default() });
    let (width, height, data) = phone.pixels();
    let picture = Picture { width, height, channels: 4, data };
    let reader = Reader::new();
    let mut took = [Duration::ZERO; 2];
    for took in &mut took {
        let start = Instant::now();
        reader.read(&picture, None).expect("it can be read");
        *took = start.elapsed();
    }
    println!("loading the networks: {:.0?}", took[0].saturating_sub(took[1]));
}

struct Screen {
    width: u32,
    height: u32,
    data: Vec<u8>,
}

impl Screen {
    fn settings() -> Screen {
        let mut phone = Phone::new(PhoneOptions::default());
        phone.launch(&Launch { app: "Settings".into(), fresh: true, arguments: Vec::new() }).expect("the app exists");
        let (width, height, data) = phone.pixels();
        Screen { width, height, data: data.to_vec() }
    }

    fn picture(&self) -> Picture<'_> {
        Picture { width: self.width, height: self.height, channels: 4, data: &self.data }
    }

    /// Another text in the row of the Wi-Fi network: a copy of the row below it.
    fn changed(&self) -> Screen {
        let mut data = self.data.clone();
        let row = self.width as usize * 4;
        let (from, to, rows) = (890 * row, 746 * row, 134 * row);
        data.copy_within(from..from + rows, to);
        Screen { data, ..*self }
    }
}

fn read(reader: &Reader, screen: &Screen, previous: Option<&Reading>) -> Reading {
    reader.read(&screen.picture(), previous).expect("it can be read")
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn new_picture(bencher: divan::Bencher<'_, '_>) {
    let (reader, screen) = (Reader::new(), Screen::settings());
    let lines = read(&reader, &screen, None).lines.len();
    assert!((20..=35).contains(&lines), "{lines} lines");
    bencher.bench_local(|| read(&reader, &screen, None));
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn unchanged_picture(bencher: divan::Bencher<'_, '_>) {
    let (reader, screen) = (Reader::new(), Screen::settings());
    let before = read(&reader, &screen, None);
    bencher.bench_local(|| read(&reader, &screen, Some(&before)));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn one_row_changed(bencher: divan::Bencher<'_, '_>) {
    let (reader, screen) = (Reader::new(), Screen::settings());
    let before = read(&reader, &screen, None);
    let after = screen.changed();
    assert_ne!(read(&reader, &after, Some(&before)).lines, before.lines);
    bencher.bench_local(|| read(&reader, &after, Some(&before)));
}
