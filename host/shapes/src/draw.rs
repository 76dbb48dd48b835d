//! Draws the shapes of the table. Knows SVG bodies; does not know what they mean.

use crate::ink::Ink;
use resvg::{tiny_skia, usvg};

/// Side of a drawing in pixels: enough that the finest stroke is more than one pixel wide.
const SIDE: u32 = 60;

/// The ink of a body drawn in one colour, or nothing where it cannot be read.
pub(crate) fn draw(body: &str, size: [f32; 2]) -> Option<Ink> {
    let [width, height] = size;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" color=\"#000\">{body}</svg>"
    );
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).ok()?;
    let by = SIDE as f32 / width.max(height).max(1.0);
    let mut canvas = tiny_skia::Pixmap::new(SIDE, SIDE)?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(by, by), &mut canvas.as_mut());
    let values = canvas.pixels().iter().map(|pixel| f32::from(pixel.alpha()) / 255.0).collect();
    Some(Ink { width: SIDE as usize, height: SIDE as usize, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_strokes_and_fills_and_refuses_what_is_no_body() {
        let ink = draw("<path fill=\"currentColor\" d=\"M0 0h12v24H0z\"/>", [24.0, 24.0]).expect("a body");
        assert_eq!(ink.bounds(), Some([0.0, 0.0, 30.0, 60.0]));
        let line =
            draw("<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" d=\"M4 12h16\"/>", [24.0, 24.0]);
        let [left, top, right, bottom] = line.and_then(|ink| ink.bounds()).expect("a body");
        for (found, wanted) in [(left, 10.0), (top, 27.5), (right, 50.0), (bottom, 32.5)] {
            assert!((found - wanted).abs() < 0.05, "{found} is not {wanted}");
        }
        assert!(draw("<path", [24.0, 24.0]).is_none());
        assert!(draw("", [24.0, 24.0]).is_some_and(|ink| ink.bounds().is_none()));
    }
}
