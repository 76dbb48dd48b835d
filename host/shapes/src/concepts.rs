//! The one table of what icons mean: the concepts' names and the words for them, whether or not a shape is looked at.
//!
//! Knows the form of the words in the data file. Does not know drawings: what is asked here draws none.

use std::sync::OnceLock;

const DATA: &str = include_str!("../../assets/icons/concepts.txt");
/// Stands beside the name of a concept that is drawn the other way round.
const MIRRORS: &str = "[mirrors]";

/// What an icon means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concept {
    /// The name that answers carry.
    pub name: &'static str,
    /// Further words that mean it, lower case, the most telling first. Some mean other concepts too.
    pub words: Vec<&'static str>,
    /// Whether it is drawn the other way round on screens that are read from right to left.
    pub mirrors: bool,
}

impl Concept {
    /// How far from the front a word stands, where the name itself is the front; nothing if it does not mean the concept.
    pub fn place(&self, word: &str) -> Option<usize> {
        std::iter::once(&self.name).chain(&self.words).position(|own| *own == word)
    }
}

/// All concepts. The table is read at the first call.
pub fn concepts() -> &'static [Concept] {
    static CONCEPTS: OnceLock<Vec<Concept>> = OnceLock::new();
    CONCEPTS.get_or_init(|| DATA.lines().filter_map(read).collect())
}

/// Index of the concept that a name or word means most likely.
pub(crate) fn index(word: &str) -> Option<usize> {
    let word = word.trim().to_lowercase();
    let places = concepts().iter().enumerate().filter_map(|(index, concept)| Some((concept.place(&word)?, index)));
    places.min().map(|(_, index)| index)
}

/// The concept that a name or word means most likely; case does not matter.
pub fn concept(word: &str) -> Option<&'static Concept> {
    concepts().get(index(word)?)
}

/// The concept that a line tells; the other lines tell of drawings or are remarks.
fn read(line: &'static str) -> Option<Concept> {
    if line.starts_with([' ', '#']) {
        return None;
    }
    let (head, words) = line.split_once(':')?;
    let name = head.trim_end().strip_suffix(MIRRORS);
    Some(Concept {
        name: name.unwrap_or(head).trim_end(),
        words: words.split(',').map(str::trim).filter(|word| !word.is_empty()).collect(),
        mirrors: name.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_come_before_words_and_case_does_not_matter() {
        let named = |word: &str| concept(word).map(|concept| concept.name);
        // A word of `back` and a concept of its own.
        assert_eq!(named("chevron left"), Some("chevron left"));
        assert_eq!(named(" Gear "), Some("settings"));
        // Nearer to the front of one than of the other, which stands earlier in the table.
        assert_eq!(named("kebab"), Some("more vertical"));
        assert_eq!(named("no such icon"), None);
    }

    #[test]
    fn every_concept_has_a_name_of_its_own_and_clean_words() {
        let mut names = HashSet::new();
        for concept in concepts() {
            assert!(names.insert(concept.name), "{} is there twice", concept.name);
            let mut own = HashSet::new();
            for word in std::iter::once(&concept.name).chain(&concept.words) {
                assert!(own.insert(word), "{word} stands twice at {}", concept.name);
                assert_eq!(*word, word.to_lowercase());
                assert!(!word.is_empty() && !word.contains(['[', ':', '#']), "{word} at {}", concept.name);
            }
        }
    }
}
