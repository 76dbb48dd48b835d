//! Prints which icons are found by name in pictures of screens: `screens FILE.. [--scale N] [--mirrored] [--names a,b]`.
//!
//! Without `--names`, names whatever it can: each glyph's best concepts, accepted ones marked.

use fingertip_shapes::{Picture, Shapes, View, concepts};

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
    let all: Vec<String> = concepts().iter().map(|concept| concept.name.to_owned()).collect();
    let wanted: Vec<String> =
        if names.is_empty() { all } else { names.split(',').map(|name| name.trim().to_owned()).collect() };
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
        for name in &wanted {
            let found = match look.find(name) {
                Ok(found) => found,
                Err(error) => {
                    println!("  {error}");
                    continue;
                }
            };
            let near = if names.is_empty() { 0 } else { 3 };
            let hits =
                found.accepted.iter().map(|hit| ('+', hit)).chain(found.near.iter().take(near).map(|hit| ('-', hit)));
            for (mark, hit) in hits {
                let area = hit.area;
                println!(
                    "  {mark} {name}: {:.2} at {:.0},{:.0} {:.0}x{:.0}{}",
                    hit.score,
                    area.x,
                    area.y,
                    area.width,
                    area.height,
                    if hit.filled { " filled" } else { "" }
                );
            }
        }
    }
}
