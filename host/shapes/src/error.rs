//! What can be wrong with a request for shapes. Does not know what is told to a user about it.

/// Why a picture was not looked at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not what the size says.
    #[error("a picture of {width}×{height} with {channels} bytes a pixel has {expected} bytes, not {found}")]
    Length {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes a pixel.
        channels: u8,
        /// How many bytes it must have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// Pixels are grey, RGB or RGBA.
    #[error("pixels have 1, 3 or 4 bytes, not {0}")]
    Channels(u8),
    /// It has no pixels.
    #[error("the picture is empty")]
    Empty,
    /// It has more pixels than are looked at.
    #[error("the picture has {0} pixels; at most {limit} are looked at", limit = crate::picture::MAX_PIXELS)]
    TooLarge(u64),
    /// The number of pixels a point is no usable number.
    #[error("{0} pixels a point is no scale between 0.25 and 8")]
    Scale(f32),
    /// The reference picture is too small, too large for the picture, or shows one plain colour.
    #[error("the reference picture cannot be looked for: {0}")]
    Reference(&'static str),
    /// No concept has this name or means this word.
    #[error("no icon is known by the name {0:?}")]
    Unknown(String),
}
