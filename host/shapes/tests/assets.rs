//! The bundled files are those that were written down, and the table is as rich as it is said to be.

use fingertip_shapes::{Shapes, concept, concepts};
use sha2::{Digest, Sha256};
use std::{collections::HashSet, fs, path::Path};

#[test]
fn files_have_their_checksums() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/icons");
    let sums = fs::read_to_string(folder.join("SHA256SUMS")).expect("the list of checksums");
    let mut listed = HashSet::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").expect("a sum and a name");
        let bytes = fs::read(folder.join(name)).expect("the file that is listed");
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, sum, "{name}");
        listed.insert(name.to_owned());
    }
    for name in [
        "icons.json",
        "concepts.txt",
        "build.py",
        "LICENSE-f7",
        "LICENSE-material-symbols",
        "LICENSE-tabler",
        "LICENSE-ph",
    ] {
        assert!(listed.contains(name), "{name} has no checksum");
    }
}

#[test]
fn the_table_has_what_it_must() {
    let shapes = Shapes::bundled();
    assert!(concepts().len() >= 150, "{}", concepts().len());
    for concept in concepts() {
        let (outline, filled) = shapes.shape_count(concept.name).expect("its own name means it");
        assert!(outline >= 1, "{} has no outline", concept.name);
        assert!(outline + filled <= 16, "{} has {} shapes", concept.name, outline + filled);
    }
    let usual = ["gear", "hamburger", "magnifying glass", "trash", "paperplane", "返回", "einstellungen", "kebab"];
    for (word, name) in
        usual.iter().zip(["settings", "menu", "search", "delete", "send", "back", "settings", "more vertical"])
    {
        assert_eq!(concept(word).map(|concept| concept.name), Some(name), "{word}");
    }
    for name in ["back", "forward", "send", "reply", "undo", "list", "log out"] {
        assert!(concept(name).is_some_and(|concept| concept.mirrors), "{name}");
    }
    for name in ["close", "search", "play", "chevron left"] {
        assert!(concept(name).is_some_and(|concept| !concept.mirrors), "{name}");
    }
}
