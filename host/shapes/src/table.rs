//! The bundled table of shapes: the prints of the drawings that show each concept.
//!
//! Knows the form of the drawings' file. Does not know pictures, or words that mean a concept.

use crate::{concepts::concepts, draw::draw, print::Print};
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
    shapes: Vec<Body>,
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    set: String,
    #[serde(default)]
    filled: bool,
    size: [f32; 2],
    body: String,
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
    pub(crate) shapes: Vec<Shape>,
}

impl Table {
    /// Reads the file and draws its shapes but those of the set `without`, on two threads. The file is part of the program
    /// and checked by a test, so what cannot be read in it is left out rather than reported.
    pub(crate) fn load(without: Option<&str>) -> Table {
        let file: File = serde_json::from_str(DATA).unwrap_or(File { concepts: Vec::new(), letters: Vec::new() });
        let mut bodies: Vec<(Option<usize>, bool, &Body)> = Vec::new();
        for line in &file.concepts {
            let Some(index) = concepts().iter().position(|concept| concept.name == line.name) else { continue };
            let held = line.shapes.iter().filter(|body| Some(body.set.as_str()) != without);
            bodies.extend(held.map(|body| (Some(index), concepts()[index].mirrors, body)));
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
        Table { shapes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_of_the_file_can_be_drawn() {
        let file: File = serde_json::from_str(DATA).expect("the bundled file");
        let bodies = file.concepts.iter().map(|line| line.shapes.len()).sum::<usize>() + file.letters.len();
        let table = Table::load(None);
        assert_eq!(table.shapes.len(), bodies);
        assert!(table.shapes.len() < usize::from(u16::MAX), "shapes are counted in 16 bits");
    }
}
