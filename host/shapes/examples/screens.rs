//! Prints which icons are found by name in pictures of screens: `screens FILE.. [--scale N] [--mirrored] [--names a,b]`.
//!
//! Without `--names` it names all places that surely show an icon; with them, `+` marks what is accepted and `-` what is near.

use fingertip_shapes::{Hit, Picture, Shapes, View};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut files, mut scale, mut mirrored, mut names) = (Vec::new(), None, false, String::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--scale" => scale = arguments.next().and_then(|n| n.parse::<f32>().ok()),
            "--mirrored" => mirrored = true,
            "--names" => names = arguments.next().unwrap_or_default(),
            _ => files.push(argument),
        }
    }
    let shapes = Shapes::bundled();
    for file in files {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        let decoded = if bytes.starts_with(&[0xff, 0xd8]) {
            fingertip_pixels::jpeg_size(&bytes)
                .and_then(|(width, height)| fingertip_pixels::decode_jpeg(&bytes).map(|data| (width, height, 3, data)))
        } else {
            fingertip_pixels::decode_png(&bytes, 1 << 28).map(|raw| (raw.width, raw.height, raw.channels, raw.data))
        };
        let (width, height, channels, data) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        // Phones are about 390 points wide, whichever way they are held.
        let scale = scale.unwrap_or(width.min(height) as f32 / 390.0);
        let view = View { picture: Picture { width, height, channels, data: &data }, scale, mirrored, ignore: &[] };
        let started = std::time::Instant::now();
        let look = match shapes.look(&view) {
            Ok(look) => look,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        println!("{file}: {width}x{height} at {scale:.2}, {} glyphs, {:?}", look.glyphs().len(), started.elapsed());
        if names.is_empty() {
            look.icons().iter().for_each(|hit| print('+', hit));
        }
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match look.find(name) {
                Ok(found) => {
                    found.accepted.iter().for_each(|hit| print('+', hit));
                    found.near.iter().take(3).for_each(|hit| print('-', hit));
                }
                Err(error) => println!("  {error}"),
            }
        }
    }
}

fn print(mark: char, hit: &Hit) {
    let Hit { concept, area, score, filled } = hit;
    let form = if *filled { " filled" } else { "" };
    let (x, y, width, height) = (area.x, area.y, area.width, area.height);
    println!("  {mark} {concept}: {score:.2} at {x:.0},{y:.0} {width:.0}x{height:.0}{form}");
}
