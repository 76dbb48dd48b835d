//! Parts of a picture at the size that a model wants, as its input.
//!
//! Knows resizing and the models' way of writing colours: planes of blue, green and red from -1 to 1. Does not know what a
//! part shows.

use crate::{Area, OcrError, Picture};
use fast_image_resize::{
    FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::{U8x3, U8x4},
};

/// The value of a pixel that belongs to no picture: mid grey, as in the models' training.
const GREY: f32 = 0.0;

/// Three planes with `width * height` values each.
pub(crate) struct Planes {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<f32>,
}

/// Makes planes out of parts of pictures. Keeps its buffers from one part to the next.
#[derive(Default)]
pub(crate) struct Scaler(Resizer);

impl Scaler {
    /// The part at a size of `inner`, filled up with grey to the right and below to `outer`.
    pub(crate) fn planes(
        &mut self,
        picture: &Picture<'_>,
        part: &Area,
        inner: (usize, usize),
        outer: (usize, usize),
    ) -> Result<Planes, OcrError> {
        let channels = usize::from(picture.channels);
        let pixels = match channels {
            4 => self.resized::<U8x4>(picture, part, inner)?,
            _ => self.resized::<U8x3>(picture, part, inner)?,
        };
        let (width, height) = (outer.0.max(inner.0), outer.1.max(inner.1));
        let mut data = vec![GREY; 3 * width * height];
        for (plane, channel) in data.chunks_exact_mut(width * height).zip([2, 1, 0]) {
            for (to, from) in plane.chunks_exact_mut(width).zip(pixels.chunks_exact(inner.0 * channels)) {
                for (to, from) in to.iter_mut().zip(from.chunks_exact(channels)) {
                    *to = f32::from(from[channel]) / 127.5 - 1.0;
                }
            }
        }
        Ok(Planes { width, height, data })
    }

    // By the pixel's type: the way that finds the type out at run time is compiled for all sixteen there are.
    fn resized<P: PixelTrait>(
        &mut self,
        picture: &Picture<'_>,
        part: &Area,
        (width, height): (usize, usize),
    ) -> Result<Vec<u8>, OcrError> {
        let failed = |error: &dyn std::fmt::Display| OcrError::Model(error.to_string());
        let source = TypedImageRef::<P>::from_buffer(picture.width, picture.height, picture.data)
            .map_err(|error| failed(&error))?;
        let mut data = vec![0; width * height * usize::from(picture.channels)];
        let mut target =
            TypedImage::<P>::from_buffer(width as u32, height as u32, &mut data).map_err(|error| failed(&error))?;
        // A screenshot is opaque; its alpha channel is only carried along.
        let options = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::Bilinear))
            .use_alpha(false)
            .crop(part.x, part.y, part.width, part.height);
        self.0.resize_typed(&source, &mut target, &options).map_err(|error| failed(&error))?;
        drop(target);
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_part_of_any_picture_fills_its_planes(
            (width, height, channels) in (1u32..90, 1u32..90, 3u8..=4),
            (left, top, right, bottom) in (0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0),
            inner in (1usize..70, 1usize..70),
            more in (0usize..40, 0usize..40),
        ) {
            let data = vec![255; (width * height * u32::from(channels)) as usize];
            let picture = Picture { width, height, channels, data: &data };
            let (x, y) = (left.min(right) * f64::from(width), top.min(bottom) * f64::from(height));
            let (across, down) = ((left - right).abs() * f64::from(width), (top - bottom).abs() * f64::from(height));
            let part = Area { x, y, width: across.max(0.01), height: down.max(0.01) };
            let part = part.common(&Area::between(0.0, 0.0, f64::from(width), f64::from(height)));
            let outer = (inner.0 + more.0, inner.1 + more.1);
            let planes = Scaler::default().planes(&picture, &part, inner, outer).unwrap();
            prop_assert_eq!((planes.width, planes.height), outer);
            for plane in planes.data.chunks_exact(outer.0 * outer.1) {
                for (at, value) in plane.iter().enumerate() {
                    let within = at % outer.0 < inner.0 && at / outer.0 < inner.1;
                    prop_assert_eq!(*value, if within { 1.0 } else { GREY });
                }
            }
        }
    }
}
