//! A word that only the operator and the callers he trusts may know.
//!
//! Knows how to make one, compare one and keep it out of logs. Does not know what it opens.

use sha2::{Digest, Sha256};
use std::fmt;

/// A token or the like. It never prints itself, neither by `Debug` nor by accident: only [`expose`](Secret::expose) shows it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a word that came from outside.
    pub fn new(word: impl Into<String>) -> Self {
        Secret(word.into())
    }

    /// 32 bytes from the operating system's random source, in hex.
    ///
    /// # Errors
    /// When the operating system has no random source, which no fallback could replace.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Secret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The word itself, to be sent and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is the same word, in a time that tells nothing about how much of it is right.
    pub fn matches(&self, offered: &str) -> bool {
        // Of the digests even an early end of the comparison would tell nothing useful; the fold costs nothing either.
        let (ours, theirs) = (Sha256::digest(self.0.as_bytes()), Sha256::digest(offered.as_bytes()));
        ours.iter().zip(theirs.iter()).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_prints_itself() {
        let secret = Some(Secret::new("hunter2"));
        assert_eq!(format!("{secret:?}"), "Some(Secret(…))");
        assert!(!format!("{secret:#?}").contains("hunter2"));
    }

    #[test]
    fn matches_only_the_whole_word() {
        let secret = Secret::new("hunter2");
        assert!(secret.matches("hunter2"));
        for wrong in ["", "hunter", "hunter22", "Hunter2", "hunter3"] {
            assert!(!secret.matches(wrong), "{wrong}");
        }
    }

    #[test]
    fn random_ones_are_long_and_differ() {
        let (one, other) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(one.expose().len(), 64);
        assert!(one.expose().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.expose(), other.expose());
    }
}
