//! Trees captured from real phones, served by the *simulated* iPhone, through the real plugin and the real host.
//!
//! The files are not part of the project: `FINGERTIP_CORPUS` names their folder, and without it there is nothing to do.

use e2e::{
    corpus::files,
    host::Host,
    wda_sim::{SimOptions, Source, WdaSim},
};
use std::path::PathBuf;

/// Each capture is a tree with elements, a marked part of one, or a clear error: never a panic, and the host goes on.
#[tokio::test]
async fn every_capture_comes_through_the_tree_tool() {
    let captures: Vec<PathBuf> = files("ios-xml").into_iter().chain(files("ios-json")).collect();
    if captures.is_empty() {
        return;
    }
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let host = Host::with(&format!(
        "[[plugin]]\nname = \"wda\"\n[[plugin.device]]\nid = \"phone\"\naddress = {:?}\n",
        sim.url()
    ))
    .await;
    let (mut whole, mut marked, mut refused) = (0, 0, 0);
    for file in captures {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("readable")).into_owned();
        // The server sends XML as a string and JSON as an object; JSON that is cut off is a body that is cut off.
        let source = match (name.ends_with(".xml"), serde_json::from_str(&text)) {
            (true, _) => Source::Xml(text),
            (false, Ok(tree)) => Source::Json(tree),
            (false, Err(_)) => Source::Raw(text),
        };
        sim.faults().set_source(Some(source));
        let (status, answer) = host.get("/devices/phone/tree").await;
        let notes: Vec<&str> =
            answer["notes"].as_array().into_iter().flatten().filter_map(|note| note["code"].as_str()).collect();
        match status {
            200 if notes.iter().any(|note| ["tree_damaged", "tree_cut"].contains(note)) => marked += 1,
            200 => {
                assert!(answer["text"].as_str().is_some_and(|text| text.lines().count() > 2), "{name}: {answer}");
                whole += 1;
            }
            500 => {
                assert_eq!(answer["code"], "perception_failed", "{name}: {answer}");
                refused += 1;
            }
            _ => panic!("{name}: {status} {answer}"),
        }
        println!("{name}: {status} {notes:?}");
    }
    println!("{whole} whole, {marked} marked as cut or damaged, {refused} refused");
    assert!(whole >= 10 && marked >= 1, "{whole} whole, {marked} marked, {refused} refused");
    sim.faults().set_source(None);
    let (status, answer) = host.get("/devices/phone/tree").await;
    assert_eq!(status, 200, "{answer}");
}
