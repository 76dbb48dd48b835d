//! Points, picture pixels and fractions: one place on the screen in three spaces.
//!
//! Knows sizes. Does not know frames (whether a picture is the one that was meant), taps or devices. Nothing is ever
//! clamped: a place outside is an error that names the bounds.
//!
//! All coordinates are continuous: the point (x, y) of a screen W×H lies at pixel (x·w/W, y·h/H) of its picture w×h, and
//! both axes have their own factor, so that odd picture sizes do not drift.

use crate::neutral::{Point, Rect, Screen};
use thiserror::Error;

/// In what coordinates are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// Points of the current orientation.
    #[default]
    Point,
    /// Pixels of a given picture.
    Image,
    /// Fractions of the screen's width and height, from 0 to 1.
    Fraction,
}

/// The size of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelSize {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Why coordinates are refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GeometryError {
    /// The place lies outside.
    #[error("({x}, {y}) is outside: {what} reaches from (0, 0) to ({width}, {height})")]
    OutOfBounds {
        /// As it was given.
        x: f64,
        /// As it was given.
        y: f64,
        /// What the place lies outside of: the screen, the picture, the range of fractions.
        what: &'static str,
        /// Width of that, in the coordinates given.
        width: f64,
        /// Height of that.
        height: f64,
    },
    /// A coordinate is not a finite number.
    #[error("a coordinate is not a finite number")]
    NotFinite,
    /// Pixels were given without a picture, or the picture or the screen has no area.
    #[error("{0} has no size to count in")]
    NoSize(&'static str),
}

fn inside(x: f64, y: f64, width: f64, height: f64, what: &'static str) -> Result<(), GeometryError> {
    if !x.is_finite() || !y.is_finite() {
        return Err(GeometryError::NotFinite);
    }
    if !(width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite()) {
        return Err(GeometryError::NoSize(what));
    }
    if x < 0.0 || y < 0.0 || x >= width || y >= height {
        return Err(GeometryError::OutOfBounds { x, y, what, width, height });
    }
    Ok(())
}

/// A product that stays below `limit` where rounding would reach it.
fn below(value: f64, limit: f64) -> f64 {
    if value >= limit { limit.next_down() } else { value }
}

/// The point for `x`, `y` given in `space`. The edges right and below are outside, except that a fraction of exactly 1 is
/// the last place inside. `picture` is needed for [`Space::Image`] only.
pub fn to_point(
    space: Space,
    x: f64,
    y: f64,
    screen: &Screen,
    picture: Option<PixelSize>,
) -> Result<Point, GeometryError> {
    match space {
        Space::Point => {
            inside(x, y, screen.width, screen.height, "the screen")?;
            Ok(Point::new(x, y))
        }
        Space::Image => {
            let picture = picture.ok_or(GeometryError::NoSize("the picture"))?;
            let (width, height) = (f64::from(picture.width), f64::from(picture.height));
            inside(x, y, width, height, "the picture")?;
            inside(0.0, 0.0, screen.width, screen.height, "the screen")?;
            Ok(Point::new(
                below(x * screen.width / width, screen.width),
                below(y * screen.height / height, screen.height),
            ))
        }
        Space::Fraction => {
            if !x.is_finite() || !y.is_finite() {
                return Err(GeometryError::NotFinite);
            }
            if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
                return Err(GeometryError::OutOfBounds {
                    x,
                    y,
                    what: "the range of fractions",
                    width: 1.0,
                    height: 1.0,
                });
            }
            inside(0.0, 0.0, screen.width, screen.height, "the screen")?;
            Ok(Point::new(below(x * screen.width, screen.width), below(y * screen.height, screen.height)))
        }
    }
}

/// Where `point` lies in a picture of the screen, in pixels. The point must be on the screen.
pub fn to_pixel(point: Point, screen: &Screen, picture: PixelSize) -> Result<Point, GeometryError> {
    inside(point.x, point.y, screen.width, screen.height, "the screen")?;
    let (width, height) = (f64::from(picture.width), f64::from(picture.height));
    if picture.width == 0 || picture.height == 0 {
        return Err(GeometryError::NoSize("the picture"));
    }
    Ok(Point::new(below(point.x * width / screen.width, width), below(point.y * height / screen.height, height)))
}

/// Where `point` lies as fractions of the screen. The point must be on the screen.
pub fn to_fraction(point: Point, screen: &Screen) -> Result<Point, GeometryError> {
    inside(point.x, point.y, screen.width, screen.height, "the screen")?;
    Ok(Point::new(below(point.x / screen.width, 1.0), below(point.y / screen.height, 1.0)))
}

/// A rectangle in points as one in pixels of a picture of the screen. It may lie outside the picture.
pub fn rect_to_pixels(rect: &Rect, screen: &Screen, picture: PixelSize) -> Rect {
    let (kx, ky) = (factor(picture.width, screen.width), factor(picture.height, screen.height));
    Rect::new(rect.x * kx, rect.y * ky, rect.width * kx, rect.height * ky)
}

/// A rectangle in pixels of a picture of the screen as one in points.
pub fn rect_to_points(rect: &Rect, screen: &Screen, picture: PixelSize) -> Rect {
    let (kx, ky) = (factor(picture.width, screen.width), factor(picture.height, screen.height));
    if kx <= 0.0 || ky <= 0.0 {
        return Rect::default();
    }
    Rect::new(rect.x / kx, rect.y / ky, rect.width / kx, rect.height / ky)
}

fn factor(pixels: u32, points: f64) -> f64 {
    if points > 0.0 && points.is_finite() { f64::from(pixels) / points } else { 0.0 }
}

/// Pixels a point of a picture of this size, by its width; 0 for a screen without one.
pub fn scale_of(picture: PixelSize, screen: &Screen) -> f64 {
    factor(picture.width, screen.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::Orientation;
    use proptest::prelude::*;

    fn screen(width: f64, height: f64, scale: f64) -> Screen {
        Screen { width, height, scale, orientation: Orientation::Portrait }
    }

    #[test]
    fn outside_is_an_error_and_never_clamped() {
        let screen = screen(390.0, 844.0, 3.0);
        let picture = Some(PixelSize { width: 390, height: 844 });
        for (x, y) in [(-0.1, 0.0), (390.0, 10.0), (10.0, 844.0), (1e9, 1.0)] {
            assert!(matches!(to_point(Space::Point, x, y, &screen, None), Err(GeometryError::OutOfBounds { .. })));
            assert!(matches!(to_point(Space::Image, x, y, &screen, picture), Err(GeometryError::OutOfBounds { .. })));
        }
        assert_eq!(to_point(Space::Point, f64::NAN, 0.0, &screen, None), Err(GeometryError::NotFinite));
        assert_eq!(to_point(Space::Image, 1.0, 1.0, &screen, None), Err(GeometryError::NoSize("the picture")));
        assert!(to_point(Space::Fraction, 1.01, 0.5, &screen, None).is_err());
        let last = to_point(Space::Fraction, 1.0, 1.0, &screen, None).unwrap();
        assert!(screen.bounds().contains(last));
        let empty = super::tests::screen(0.0, 0.0, 1.0);
        assert!(to_point(Space::Fraction, 0.5, 0.5, &empty, None).is_err());
    }

    fn orientations() -> impl Strategy<Value = Orientation> {
        prop_oneof![
            Just(Orientation::Portrait),
            Just(Orientation::LandscapeLeft),
            Just(Orientation::LandscapeRight),
            Just(Orientation::PortraitUpsideDown),
        ]
    }

    proptest! {
        /// The middle of an element, read off a picture of any scale and size, lies in the element.
        #[test]
        fn the_middle_of_an_element_survives_every_space(
            // Plus and mini panels, display zoom and Android's densities have no whole numbers.
            scale in prop::sample::select(vec![1.0, 2.0, 2.6087, 2.625, 2.88, 3.0, 3.65625]),
            orientation in orientations(),
            short in 240u32..900, long in 400u32..1400,
            shrink in 0.2f64..1.0,
            fx in 0.0f64..0.9, fy in 0.0f64..0.9, fw in 0.02f64..0.1, fh in 0.02f64..0.1,
        ) {
            let (width, height) = if orientation.is_landscape() { (long, short) } else { (short, long) };
            let screen = Screen { width: f64::from(width), height: f64::from(height), scale, orientation };
            let picture = PixelSize {
                width: ((f64::from(width) * scale * shrink).round() as u32).max(1),
                height: ((f64::from(height) * scale * shrink).round() as u32).max(1),
            };
            let rect = Rect::new(fx * screen.width, fy * screen.height, fw * screen.width, fh * screen.height);
            let middle = rect.center();
            let pixel = to_pixel(middle, &screen, picture).unwrap();
            let back = to_point(Space::Image, pixel.x, pixel.y, &screen, Some(picture)).unwrap();
            prop_assert!((back.x - middle.x).abs() < 1e-6 && (back.y - middle.y).abs() < 1e-6);
            // A model reads whole pixels.
            let whole = to_point(Space::Image, pixel.x.floor(), pixel.y.floor(), &screen, Some(picture)).unwrap();
            let slack = f64::max(screen.width / f64::from(picture.width), screen.height / f64::from(picture.height));
            prop_assert!((whole.x - middle.x).abs() <= slack && (whole.y - middle.y).abs() <= slack);
            let fraction = to_fraction(middle, &screen).unwrap();
            let back = to_point(Space::Fraction, fraction.x, fraction.y, &screen, None).unwrap();
            prop_assert!((back.x - middle.x).abs() < 1e-6 && (back.y - middle.y).abs() < 1e-6);
            let there = rect_to_points(&rect_to_pixels(&rect, &screen, picture), &screen, picture);
            prop_assert!((there.x - rect.x).abs() < 1e-6 && (there.height - rect.height).abs() < 1e-6);
        }

        #[test]
        fn every_place_is_inside_or_an_error(x in any::<f64>(), y in any::<f64>(), w in any::<f64>(), h in any::<f64>(), pw in any::<u32>(), ph in any::<u32>()) {
            let screen = screen(w, h, 2.0);
            let picture = PixelSize { width: pw, height: ph };
            for space in [Space::Point, Space::Image, Space::Fraction] {
                if let Ok(point) = to_point(space, x, y, &screen, Some(picture)) {
                    prop_assert!(screen.bounds().contains(point));
                }
            }
            rect_to_points(&Rect::new(x, y, w, h), &screen, picture);
        }
    }
}
