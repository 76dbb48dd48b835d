//! Why a picture could not be read.
//!
//! Knows the kinds and their wording; how a caller reports them is the caller's.

/// Why a picture could not be read, or a recogniser not be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OcrError {
    /// A side is zero.
    #[error("the picture is empty: {width}×{height} pixels")]
    Empty {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// More pixels than are read.
    #[error("the picture of {width}×{height} pixels is too large to read: at most {most} pixels")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Most pixels that are read.
        most: u64,
    },
    /// Neither RGB nor RGBA.
    #[error("a picture of {channels} bytes a pixel: 3 or 4 can be read")]
    Channels {
        /// Bytes a pixel.
        channels: u8,
    },
    /// Size and data do not fit.
    #[error("the picture has {actual} bytes where its size asks for {expected}")]
    Length {
        /// Bytes by its size.
        expected: u64,
        /// Bytes that there are.
        actual: u64,
    },
    /// A recogniser given by the caller cannot be used.
    #[error("the text recogniser {name} cannot be used: {reason}")]
    Recogniser {
        /// What it was called.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A model failed.
    #[error("text recognition failed: {0}")]
    Model(String),
}
