//! Which files the host takes for plugins: every bad one gets one clear sentence and leaves the host running.

use e2e::host::{Host, Setup, library};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// `fingertip plugin check FILE`: whether it is taken, and the sentence.
async fn check(setup: &Setup, file: &Path) -> (bool, String) {
    let output = setup.run(&["plugin", "check", &file.display().to_string()]).await;
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(text).expect("text"))
}

/// A library that is no plugin: one of the compiler's own, which this build has made.
fn other_library() -> PathBuf {
    let folder = e2e::host::plugin_dir();
    let name = format!("{}serde_derive-", std::env::consts::DLL_PREFIX);
    std::fs::read_dir(folder)
        .expect("readable")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name))
                && path.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
        })
        .expect("serde_derive was built for this test")
}

/// The first bytes of a plugin's file.
fn truncated(setup: &Setup, bytes: u64) -> PathBuf {
    use std::io::Read;
    let mut content = Vec::new();
    let source = std::fs::File::open(library("custom_driver")).expect("readable");
    source.take(bytes).read_to_end(&mut content).expect("read");
    written(setup, &format!("truncated-{bytes}.so"), &content)
}

fn written(setup: &Setup, name: &str, content: &[u8]) -> PathBuf {
    let file = setup.folder().join(name);
    std::fs::write(&file, content).expect("written");
    file
}

#[tokio::test]
async fn plugins_of_this_and_of_the_next_minor_version_are_taken() {
    let setup = Setup::new("");
    for (package, name, api) in [
        ("custom_driver", "custom-driver", "1.0.0"),
        ("plugin_next", "custom-driver", "1.1.0"),
        ("fingertip_virtual", "virtual", "1.0.0"),
        ("fingertip_wda", "wda", "1.0.0"),
    ] {
        let (taken, text) = check(&setup, &library(package)).await;
        assert!(taken, "{package}: {text}");
        assert_eq!(text, format!("{name} 0.1.0 (driver API {api}) can be used\n"));
    }
}

#[tokio::test]
async fn every_bad_file_gets_one_sentence() {
    let setup = Setup::new("");
    let cases = [
        (
            library("plugin_major"),
            "it was built for driver API 2.0.0 and this host has driver API 1.0.0: the first number must be the same",
        ),
        (library("plugin_altered"), "its interface differs from this host's"),
        (other_library(), "it is a library, but not a driver plugin"),
        (written(&setup, "empty.so", b""), "it is empty"),
        (written(&setup, "text.so", b"This is not a library, it is a letter.\n"), "it is not a library"),
        (truncated(&setup, 64), "damaged"),
        (truncated(&setup, 4096), "damaged"),
        (truncated(&setup, 1 << 20), "damaged"),
        (setup.folder().join("absent.so"), "cannot be read"),
        (setup.folder().to_owned(), "cannot be read"),
    ];
    for (file, expected) in cases {
        let (taken, text) = check(&setup, &file).await;
        assert!(!taken, "{} was taken", file.display());
        assert!(text.contains(expected), "{}: {text}", file.display());
        assert_eq!(text.trim().lines().count(), 1, "{text}");
    }
}

#[tokio::test]
async fn the_sentence_on_a_changed_layout_names_what_differs() {
    let setup = Setup::new("");
    let (_, text) = check(&setup, &library("plugin_altered")).await;
    assert!(text.contains("y: type f64 here, f32 in the plugin"), "{text}");
}

#[tokio::test]
async fn a_server_with_nothing_but_bad_plugins_lives_and_says_why() {
    let setup = Setup::new("");
    let files = [
        truncated(&setup, 4096),
        truncated(&setup, 1 << 20),
        written(&setup, "empty.so", b""),
        library("plugin_major"),
    ];
    let plugins: String =
        files.iter().map(|file| format!("[[plugin]]\npath = {:?}\n", file.display().to_string())).collect();
    let host = Setup::new(&format!("{plugins}[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n"))
        .serve()
        .await;
    let (status, answer) = host.get("/plugins").await;
    assert_eq!(status, 200);
    let rows = answer["plugins"].as_array().expect("rows");
    assert_eq!(rows.len(), 5);
    assert!(rows[..4].iter().all(|row| row["error"].is_string()), "{answer}");
    assert_eq!(rows[4]["devices"][0], "phone");
    let (status, answer) = host.get("/devices").await;
    assert_eq!((status, answer["devices"][0]["status"].as_str()), (200, Some("idle")));
}

#[tokio::test]
async fn only_the_pinned_file_is_loaded() {
    let file = library("custom_driver");
    let hash: String =
        Sha256::digest(std::fs::read(&file).expect("read")).iter().map(|byte| format!("{byte:02x}")).collect();
    let plugin = |pin: &str| {
        format!(
            "[[plugin]]\npath = {:?}\nsha256 = {pin:?}\n[[plugin.device]]\nid = \"pad\"\n",
            file.display().to_string()
        )
    };
    let host = Host::with(&plugin(&hash)).await;
    assert_eq!(host.get("/plugins").await.1["plugins"][0]["sha256"], hash.as_str());
    assert_eq!(host.get("/devices").await.1["devices"][0]["id"], "pad");

    let host = Host::with(&plugin(&"0".repeat(64))).await;
    let (_, answer) = host.get("/plugins").await;
    let error = answer["plugins"][0]["error"].as_str().expect("an error");
    assert!(error.contains(&hash) && error.contains("refused"), "{error}");
    assert_eq!(host.get("/devices").await.1["devices"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn replacing_a_loaded_file_in_place_does_no_harm() {
    let setup = Setup::new("");
    let file = setup.folder().join("plugin.so");
    std::fs::copy(library("custom_driver"), &file).expect("copied");
    let plugin = format!("[[plugin]]\npath = {:?}\n[[plugin.device]]\nid = \"pad\"\n", file.display().to_string());
    let host = Host::with(&plugin).await;
    // Cutting a mapped file off would kill the process at its next call.
    std::fs::write(&file, b"gone").expect("written");
    for _ in 0..3 {
        let (status, answer) = host.post("/devices/pad/tap", serde_json::json!({ "x": 0.5, "y": 0.5 })).await;
        assert_eq!(status, 200, "{answer}");
    }
}

#[tokio::test]
async fn the_list_shows_every_file_with_its_version_or_its_fault() {
    let setup = Setup::new("");
    let folder = setup.folder().join("plugins");
    std::fs::create_dir(&folder).expect("made");
    let name = |stem: &str| format!("{}{stem}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::fs::copy(library("custom_driver"), folder.join(name("good"))).expect("copied");
    std::fs::write(folder.join(name("bad")), b"no").expect("written");
    let config = format!("[server]\ndata_dir = \"data\"\nplugin_dirs = [{:?}]\n", folder.display().to_string());
    std::fs::write(setup.folder().join("fingertip.toml"), config).expect("written");
    let output = setup.run(&["plugin", "list"]).await;
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success() && text.contains("custom-driver 0.1.0 (driver API 1.0.0)"), "{text}");
    assert!(text.contains("refused: ") && text.contains("it is not a library"), "{text}");
}

#[tokio::test]
async fn a_plugin_that_never_starts_does_not_keep_the_host_from_starting() {
    let host = Host::with(
        "[[plugin]]\nname = \"plugin-unruly\"\n[plugin.options]\nblock = true\n\
         [[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n",
    )
    .await;
    let (_, answer) = host.get("/plugins").await;
    let error = answer["plugins"][0]["error"].as_str().expect("an error");
    assert!(error.contains("did not start within 10 seconds"), "{error}");
    assert_eq!(host.get("/devices").await.1["devices"][0]["id"], "phone");
}
