//! Telling a picture that is black all over: what an app that forbids capture leaves.
//!
//! Knows pixels. Does not know why.

use super::Pixels;

/// Brightest channel value that still counts as black.
const DARKEST: u8 = 8;

impl Pixels {
    /// Whether no pixel is brighter than nearly black. A dark screen with any text on it is not black all over.
    pub fn is_black(&self) -> bool {
        match self.channels {
            4 => self.data.as_chunks::<4>().0.iter().all(|p| p[0] <= DARKEST && p[1] <= DARKEST && p[2] <= DARKEST),
            _ => self.data.iter().all(|v| *v <= DARKEST),
        }
    }
}
