//! What an element is, apart from where it lies: the key by which a ref finds it again.
//!
//! Knows role, label, identifier and the words around it. Does not know refs or places; a scroll or another layout
//! changes none of what is compared first.

use super::text::likeness;
use crate::neutral::Role;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What makes an element itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// What it is.
    pub role: Role,
    /// Its folded label, or the first text inside where it has none; empty for an element without words. Its value is
    /// not part of it, since values change.
    pub name: String,
    /// The developer's name for it; empty where there is none.
    pub identifier: String,
    /// Hash of the nearest named line above; 0 for none.
    pub ancestor: u64,
    /// Hash of the named line above that; 0 for none.
    pub elder: u64,
    /// Hash of the nearest named line before it; 0 for none.
    pub before: u64,
    /// Hash of the nearest named line after it; 0 for none.
    pub after: u64,
    /// How many elements before it have the same role, name and identifier.
    pub ordinal: u32,
}

/// The hash of a name as signatures keep it; 0 for an empty one.
pub(super) fn name_hash(name: &str) -> u64 {
    if name.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish() | 1
}

impl Signature {
    /// A hash over role, name and identifier: equal for elements that can only be told apart by what is around them.
    pub fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.role, &self.name, &self.identifier).hash(&mut hasher);
        hasher.finish()
    }

    /// How alike the surroundings are, from 0 (nothing) to 1 (the same neighbours and ancestors).
    pub fn surroundings(&self, other: &Signature) -> f64 {
        let mut sum = 0.0;
        let mut total = 0.0;
        for (a, b, weight) in [
            (self.ancestor, other.ancestor, 0.35),
            (self.elder, other.elder, 0.15),
            (self.before, other.before, 0.25),
            (self.after, other.after, 0.25),
        ] {
            if a != 0 || b != 0 {
                total += weight;
                if a == b {
                    sum += weight;
                }
            }
        }
        if total == 0.0 { 1.0 } else { sum / total }
    }

    /// How likely both are one element, from 0 to 1. 1 is the same in everything; an element whose label changed but
    /// whose identifier and surroundings did not stays above 0.6; unlike elements of one role stay below 0.5.
    pub fn score(&self, other: &Signature) -> f64 {
        let mut sum = 0.0;
        let mut total = 0.0;
        let mut add = |weight: f64, part: f64| {
            total += weight;
            sum += weight * part;
        };
        add(0.15, f64::from(u8::from(self.role == other.role)));
        if !self.identifier.is_empty() || !other.identifier.is_empty() {
            add(0.25, f64::from(u8::from(self.identifier == other.identifier)));
        }
        if !self.name.is_empty() || !other.name.is_empty() {
            add(0.4, likeness(&self.name, &other.name).powi(2));
        }
        add(0.2, self.surroundings(other));
        let apart = self.ordinal.abs_diff(other.ordinal).min(10);
        add(0.05, 1.0 - f64::from(apart) / 10.0);
        sum / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(role: Role, name: &str, identifier: &str) -> Signature {
        Signature {
            role,
            name: name.into(),
            identifier: identifier.into(),
            ancestor: 1,
            elder: 0,
            before: 3,
            after: 5,
            ordinal: 0,
        }
    }

    #[test]
    fn the_same_scores_one_and_the_unlike_low() {
        let a = signature(Role::Button, "sign in", "");
        assert_eq!(a.score(&a), 1.0);
        let other = Signature { ancestor: 9, before: 11, after: 13, ..signature(Role::Button, "delete", "") };
        assert!(a.score(&other) < 0.5, "{}", a.score(&other));
    }

    #[test]
    fn a_changed_label_with_the_same_identifier_stays_likely() {
        let a = signature(Role::Button, "follow", "follow-button");
        let b = signature(Role::Button, "following", "follow-button");
        let c = signature(Role::Button, "unsubscribe", "follow-button");
        assert!(a.score(&b) > 0.7);
        assert!(a.score(&c) > 0.6);
    }
}
