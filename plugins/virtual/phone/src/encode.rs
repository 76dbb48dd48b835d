//! Pixels as a PNG. It knows nothing of phones.

/// Encodes opaque RGBA pixels, quickly rather than small.
pub(crate) fn png(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut rgb = Vec::with_capacity(pixels.len() / 4 * 3);
    for [r, g, b, _] in pixels.as_chunks::<4>().0 {
        rgb.extend_from_slice(&[*r, *g, *b]);
    }
    let mut bytes = Vec::with_capacity(256 * 1024);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    // Most rows of a screen equal the one above.
    encoder.set_filter(png::Filter::Up);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&rgb)?;
        writer.finish()
    });
    written.expect("a picture of a valid size is written to memory");
    bytes
}
