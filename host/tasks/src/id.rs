//! Names of tasks: in the order of their making, and not to be guessed.
//!
//! Knows how a name is made. Does not know what it names.

use std::time::{SystemTime, UNIX_EPOCH};

const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Milliseconds since 1970, UTC.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// A ULID in small letters: 48 bits of time and 80 random ones in 26 digits, so that names sort by the millisecond in which
/// they were made.
///
/// # Errors
/// When the operating system has no random source, which no fallback could replace.
pub(crate) fn new(at: i64) -> std::io::Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random[6..]).map_err(std::io::Error::other)?;
    let bits = u128::from_be_bytes(random) | (at as u128) << 80;
    Ok((0..26).rev().map(|digit| DIGITS[(bits >> (5 * digit)) as usize & 31] as char).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sorts_by_time_and_never_repeats() {
        let times = [0, 1, 31, 32, 1_764_000_000_000, 1_764_000_000_001, (1 << 48) - 1];
        let ids: Vec<String> = times.iter().map(|at| new(*at).unwrap()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 26));
        let same: HashSet<String> = (0..1000).map(|_| new(7).unwrap()).collect();
        assert_eq!(same.len(), 1000);
    }
}
