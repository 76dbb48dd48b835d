//! The screen: its picture, its size, which way up it is.
//!
//! It knows how the phone tells these, and that its answers can disagree. It decodes no picture; size and format stand in
//! the first bytes.

use crate::{
    error::{Fault, Purpose},
    session::{SHORT, Session},
};
use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use driver_api::{Error, ErrorKind, Orientation, Picture, PictureFormat, Result, Screen};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a picture may take.
const PICTURE: Duration = Duration::from_secs(25);

/// The phone writes padding, others leave it out.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A picture of the whole screen.
pub(crate) async fn screenshot(session: &Session) -> Result<Picture> {
    let value = session.get_plain("/screenshot", PICTURE).await.map_err(|fault| fault.into_error(Purpose::Picture))?;
    let picture = picture(value)?;
    learn_scale(session, &picture);
    Ok(picture)
}

/// What the phone says of its scale is wrong for panels that draw more pixels than they have, and with display zoom; its
/// pictures are not. One that lies the other way than the last known size tells nothing.
fn learn_scale(session: &Session, picture: &Picture) {
    let Some((width, height)) = session.known().size else { return };
    let across = f64::from(picture.width) / width;
    let down = f64::from(picture.height) / height;
    if (across - down).abs() < 0.02 * across {
        session.learn(|known| known.scale = Some(across));
    }
}

/// Remembers the size in points that the phone says; `None` when it says none.
pub(crate) fn learn_size(session: &Session, told: &Value) -> Option<(f64, f64)> {
    let length = |key: &str| told.get(key).and_then(Value::as_f64).filter(|length| length.is_finite() && *length > 0.0);
    let size = length("width").zip(length("height"))?;
    session.learn(|known| known.size = Some(size));
    Some(size)
}

fn picture(value: Value) -> Result<Picture> {
    let Value::String(text) = value else {
        return Err(Error::new(ErrorKind::PictureUnavailable, "the iPhone sent no picture of its screen"));
    };
    let bytes = decode(text).ok_or_else(broken)?;
    let (format, width, height) = head(&bytes).ok_or_else(broken)?;
    let whole = match format {
        PictureFormat::Png => bytes.windows(8).rev().take(64).any(|window| window.starts_with(b"IEND")),
        PictureFormat::Jpeg => bytes.windows(2).rev().take(64).any(|window| window == [0xFF, 0xD9]),
    };
    if !whole {
        return Err(broken());
    }
    Ok(Picture { bytes: bytes.into(), format, width, height })
}

fn broken() -> Error {
    Error::new(ErrorKind::PictureUnavailable, "the iPhone's picture arrived incomplete")
}

/// Base64 with or without line breaks.
pub(crate) fn decode(text: String) -> Option<Vec<u8>> {
    let blank = |byte: u8| byte.is_ascii_whitespace();
    if text.bytes().any(blank) {
        let bytes: Vec<u8> = text.bytes().filter(|byte| !blank(*byte)).collect();
        BASE64.decode(bytes).ok()
    } else {
        BASE64.decode(text).ok()
    }
}

/// Format, width and height from a picture's first bytes.
pub(crate) fn head(bytes: &[u8]) -> Option<(PictureFormat, u32, u32)> {
    let number = |at: usize, length: usize| -> Option<u32> {
        Some(bytes.get(at..at + length)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    };
    let (format, width, height) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        (PictureFormat::Png, number(16, 4)?, number(20, 4)?)
    } else if bytes.starts_with(&[0xFF, 0xD8]) {
        let mut at = 2;
        loop {
            match (*bytes.get(at)?, *bytes.get(at + 1)?) {
                (0xFF, 0xFF) => at += 1,
                // The segments that hold the size: all of C0 to CF but three.
                (0xFF, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF) => {
                    break (PictureFormat::Jpeg, number(at + 7, 2)?, number(at + 5, 2)?);
                }
                (0xFF, 0x01 | 0xD0..=0xD8) => at += 2,
                (0xFF, 0xD9 | 0xDA) => return None,
                (0xFF, _) => at += 2 + (number(at + 2, 2)?.max(2) as usize),
                _ => return None,
            }
        }
    } else {
        return None;
    };
    (width > 0 && height > 0).then_some((format, width, height))
}

/// The screen in its current orientation. The size belongs to the app in front and decides between upright and lying; which
/// of the two is for the device's own orientation to say, where it agrees.
pub(crate) async fn info(session: &Session) -> Result<Screen> {
    let look = |fault: Fault| fault.into_error(Purpose::Look);
    let size = session.get("/window/size", SHORT).await.map_err(look)?;
    let Some((width, height)) = learn_size(session, &size) else {
        return Err(Error::new(ErrorKind::Other, "the iPhone did not tell the size of its screen"));
    };
    let scale = match session.known().scale {
        Some(scale) => scale,
        None => {
            let screen = session.get_plain("/wda/screen", SHORT).await.map_err(look)?;
            let scale = screen.get("scale").and_then(Value::as_f64).filter(|scale| *scale > 0.0);
            let scale =
                scale.ok_or_else(|| Error::new(ErrorKind::Other, "the iPhone did not tell the scale of its screen"))?;
            session.learn(|known| known.scale = Some(scale));
            scale
        }
    };
    let exact = device_orientation(session).await.map_err(look)?;
    Ok(Screen { width, height, scale, orientation: agree(exact, width > height) })
}

/// Which way up the content is.
pub(crate) async fn orientation(session: &Session) -> Result<Orientation> {
    let look = |fault: Fault| fault.into_error(Purpose::Look);
    let content = session.get("/orientation", SHORT).await.map_err(look)?;
    let lying = content.as_str().is_some_and(|name| name.to_ascii_uppercase().contains("LANDSCAPE"));
    Ok(agree(device_orientation(session).await.map_err(look)?, lying))
}

fn agree(device: Option<Orientation>, lying: bool) -> Orientation {
    let plain = if lying { Orientation::LandscapeLeft } else { Orientation::Portrait };
    device.filter(|device| device.is_landscape() == lying).unwrap_or(plain)
}

/// How the device is held, where the server can tell and the device does not lie flat.
async fn device_orientation(session: &Session) -> Result<Option<Orientation>, Fault> {
    if !session.known().exact_orientation {
        return Ok(None);
    }
    match session.get_plain("/wda/deviceOrientation", SHORT).await {
        Ok(value) => Ok(value.as_str().and_then(|name| match name {
            "UIDeviceOrientationPortrait" => Some(Orientation::Portrait),
            "UIDeviceOrientationPortraitUpsideDown" => Some(Orientation::PortraitUpsideDown),
            "UIDeviceOrientationLandscapeLeft" => Some(Orientation::LandscapeLeft),
            "UIDeviceOrientationLandscapeRight" => Some(Orientation::LandscapeRight),
            _ => None,
        })),
        Err(Fault::Refused(_)) => {
            session.learn(|known| known.exact_orientation = false);
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// Turns the content.
pub(crate) async fn turn(session: &Session, orientation: Orientation) -> Result<()> {
    let name = match orientation {
        Orientation::Portrait => "PORTRAIT",
        Orientation::LandscapeLeft => "LANDSCAPE",
        Orientation::LandscapeRight => "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
        Orientation::PortraitUpsideDown => "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN",
    };
    let sent = session.post("/orientation", &json!({"orientation": name}), SHORT).await;
    sent.map(drop).map_err(|fault| fault.into_error(Purpose::Turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a PNG of 1170 by 2532 pixels, and an end.
    const PNG: &[u8] =
        b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x04\x92\0\0\x09\xe4\x08\x06\0\0\0....\0\0\0\0IEND\xae\x42\x60\x82";
    const JPEG: &[u8] =
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08\x03\x4c\x01\x86\x03\xff\xda..\xff\xd9";

    #[test]
    fn sizes_stand_in_the_head() {
        assert_eq!(head(PNG), Some((PictureFormat::Png, 1170, 2532)));
        assert_eq!(head(JPEG), Some((PictureFormat::Jpeg, 390, 844)));
        for bytes in [&PNG[..20], &JPEG[..24], b"GIF89a", b"", b"\xff\xd8\xff\xd9"] {
            assert_eq!(head(bytes), None);
        }
    }

    #[test]
    fn line_breaks_are_skipped_and_half_a_picture_is_none() {
        let mut text = BASE64.encode(PNG);
        text.insert_str(20, "\r\n");
        assert_eq!(picture(Value::from(text.clone())).unwrap().width, 1170);
        text.truncate(52);
        for value in [Value::from(text), Value::from("!!"), Value::from(""), Value::Null, json!({})] {
            assert_eq!(picture(value).unwrap_err().kind, ErrorKind::PictureUnavailable);
        }
    }

    #[test]
    fn the_content_decides_between_upright_and_lying() {
        assert_eq!(agree(Some(Orientation::LandscapeRight), true), Orientation::LandscapeRight);
        assert_eq!(agree(Some(Orientation::LandscapeRight), false), Orientation::Portrait);
        assert_eq!(agree(Some(Orientation::PortraitUpsideDown), false), Orientation::PortraitUpsideDown);
        assert_eq!(agree(None, true), Orientation::LandscapeLeft);
    }
}
