//! The bundled table: which concepts there are, which words mean them, and the prints of their shapes.
//!
//! Knows the data file's form. Does not know pictures.

use crate::{draw::draw, print::Print};
use serde::Deserialize;

const DATA: &str = include_str!("../../assets/icons/icons.json");

#[derive(Deserialize)]
struct File {
    concepts: Vec<ConceptLine>,
    letters: Vec<Body>,
}

#[derive(Deserialize)]
struct ConceptLine {
    name: String,
    mirrors: bool,
    words: Vec<String>,
    shapes: Vec<Body>,
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    filled: bool,
    size: [f32; 2],
    body: String,
}

/// What an icon means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concept {
    /// The name that answers carry.
    pub name: String,
    /// Further words that mean it, lower case, the most telling first.
    pub words: Vec<String>,
    /// Whether it is drawn the other way round on screens that are read from right to left.
    pub mirrors: bool,
}

/// One drawing of a concept, or of a letter.
pub(crate) struct Shape {
    /// Index of the concept; letters and digits have none.
    pub(crate) concept: Option<usize>,
    pub(crate) filled: bool,
    pub(crate) mirrors: bool,
    pub(crate) print: Print,
}

pub(crate) struct Table {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) shapes: Vec<Shape>,
}

impl Table {
    /// Reads the file and draws its shapes, on two threads. The file is part of the program and checked by a test, so
    /// what cannot be read in it is left out rather than reported.
    pub(crate) fn load() -> Table {
        let file: File = serde_json::from_str(DATA).unwrap_or(File { concepts: Vec::new(), letters: Vec::new() });
        let mut bodies: Vec<(Option<usize>, bool, &Body)> = Vec::new();
        for (index, line) in file.concepts.iter().enumerate() {
            bodies.extend(line.shapes.iter().map(|body| (Some(index), line.mirrors, body)));
        }
        bodies.extend(file.letters.iter().map(|body| (None, false, body)));
        let shape = |(concept, mirrors, body): &(Option<usize>, bool, &Body)| {
            let print = Print::of(&draw(&body.body, body.size)?)?;
            Some(Shape { concept: *concept, filled: body.filled, mirrors: *mirrors, print })
        };
        let (first, second) = bodies.split_at(bodies.len() / 2);
        let shapes = std::thread::scope(|scope| {
            let other = scope.spawn(|| second.iter().filter_map(shape).collect::<Vec<_>>());
            let mut shapes: Vec<Shape> = first.iter().filter_map(shape).collect();
            shapes.extend(other.join().unwrap_or_default());
            shapes
        });
        let concepts = file
            .concepts
            .into_iter()
            .map(|line| Concept { name: line.name, words: line.words, mirrors: line.mirrors })
            .collect();
        Table { concepts, shapes }
    }

    /// The concept of this name, else the first that has this word.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        let name = name.trim().to_lowercase();
        let by_name = self.concepts.iter().position(|concept| concept.name == name);
        by_name.or_else(|| self.concepts.iter().position(|concept| concept.words.contains(&name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_of_the_file_can_be_drawn() {
        let file: File = serde_json::from_str(DATA).expect("the bundled file");
        let bodies = file.concepts.iter().map(|line| line.shapes.len()).sum::<usize>() + file.letters.len();
        let table = Table::load();
        assert_eq!(table.shapes.len(), bodies);
        assert!(table.shapes.len() < usize::from(u16::MAX), "shapes are counted in 16 bits");
    }

    #[test]
    fn names_come_before_words_and_case_does_not_matter() {
        let table = Table::load();
        let named = |name: &str| table.named(name).map(|index| table.concepts[index].name.as_str());
        // A word of `back` and a concept of its own.
        assert_eq!(named("chevron left"), Some("chevron left"));
        assert_eq!(named(" Gear "), Some("settings"));
        assert_eq!(named("no such icon"), None);
    }
}
