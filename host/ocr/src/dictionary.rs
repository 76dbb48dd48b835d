//! What a recogniser's classes stand for.
//!
//! Knows the order that these recognisers share: nothing first, then the dictionary's lines, then a space.

/// The characters of a recogniser.
pub(crate) struct Dictionary {
    entries: Vec<String>,
}

impl AsRef<Dictionary> for Dictionary {
    fn as_ref(&self) -> &Dictionary {
        self
    }
}

impl Dictionary {
    /// One character a line.
    pub(crate) fn new(text: &str) -> Dictionary {
        // Only line feeds end a line: some dictionaries have rarer line separators as characters.
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
        let mut entries: Vec<String> = lines.map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect();
        entries.push(" ".into());
        Dictionary { entries }
    }

    /// Whether it has this character.
    pub(crate) fn has(&self, ch: &str) -> bool {
        self.entries.iter().any(|entry| entry == ch)
    }

    /// Number of classes of the recogniser that it belongs to.
    pub(crate) fn classes(&self) -> usize {
        self.entries.len() + 1
    }

    /// What a class stands for; nothing for the class between characters.
    pub(crate) fn get(&self, class: usize) -> Option<&str> {
        class.checked_sub(1).and_then(|index| self.entries.get(index)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_class_is_nothing_and_the_last_a_space() {
        let dictionary = Dictionary::new("a\r\nb\n");
        assert_eq!(dictionary.classes(), 4);
        assert_eq!(dictionary.get(0), None);
        assert_eq!(dictionary.get(1), Some("a"));
        assert_eq!(dictionary.get(3), Some(" "));
        assert_eq!(dictionary.get(4), None);
    }
}
