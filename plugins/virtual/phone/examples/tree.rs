//! Prints the tree of an app: `cargo run -p virtual-phone --example tree -- Settings`.

use driver_api::Launch;
use virtual_phone::{Phone, PhoneOptions};

fn main() {
    let mut words = std::env::args().skip(1);
    let app = words.next().unwrap_or_else(|| "Home".into());
    let mut phone = Phone::new(PhoneOptions::default());
    let launch = Launch { app, fresh: false, arguments: words.collect() };
    if let Err(error) = phone.launch(&launch) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    let tree = phone.tree();
    let mut depths = vec![0; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        depths[index] = node.parent.map_or(0, |parent| depths[parent as usize] + 1);
        let bounds = node.bounds.unwrap_or_default();
        println!(
            "{:indent$}{} {:?} value={:?} id={:?} [{} {} {}x{}]{}{}",
            "",
            node.role.name(),
            node.label.as_deref().unwrap_or_default(),
            node.value.as_deref().unwrap_or_default(),
            node.identifier.as_deref().unwrap_or_default(),
            bounds.x,
            bounds.y,
            bounds.width,
            bounds.height,
            if node.enabled { "" } else { " disabled" },
            if node.visible { "" } else { " hidden" },
            indent = depths[index] * 2,
        );
    }
}
