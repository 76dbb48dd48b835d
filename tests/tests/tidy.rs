//! Holds the table of ARCHITECTURE.md over the source: which layer names which.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace").to_owned()
}

/// Every Rust file below a folder, with its path from the workspace's root.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("UTF-8");
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                found.push((name, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// The code without comments and strings' content does not matter here: only lines that are not comments.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// `use` trees written out, so that `use crate::{a::B, c}` names `crate::a::B` and `crate::c`.
fn flat(code: &str) -> String {
    let mut out = code.to_owned();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        rest = &rest[at + 4..];
        let Some(end) = rest.find(';') else { break };
        let (mut prefixes, mut current) = (vec![String::new()], String::new());
        for c in rest[..end].chars() {
            match c {
                '{' => {
                    prefixes.push(format!("{}{}", prefixes.last().expect("one"), std::mem::take(&mut current).trim()))
                }
                ',' | '}' => {
                    if !current.trim().is_empty() {
                        out.push_str(&format!("\n{}{}", prefixes.last().expect("one"), current.trim()));
                    }
                    current.clear();
                    if c == '}' && prefixes.len() > 1 {
                        prefixes.pop();
                    }
                }
                c => current.push(c),
            }
        }
        rest = &rest[end..];
    }
    out
}

fn names(text: &str, word: &str) -> bool {
    let code = flat(&code(text));
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part(before) && !part(after)
    })
}

#[test]
fn nested_imports_are_seen() {
    let text = "use crate::{\n    device::{Device, Manager},\n    neutral::Point,\n};";
    assert!(names(text, "crate::device") && names(text, "crate::device::Manager") && !names(text, "crate::plugin"));
}

#[test]
fn each_layer_names_only_what_it_may_know() {
    let layers: [(&str, &[&str]); 9] = [
        (
            "host/src/plugin",
            &[
                "crate::device",
                "crate::capability",
                "crate::gateway",
                "crate::perception",
                "crate::app",
                "axum",
                "rmcp",
            ],
        ),
        (
            "host/src/device",
            &[
                "crate::capability",
                "crate::gateway",
                "crate::perception",
                "crate::plugin",
                "crate::config",
                "serde_json",
                "axum",
                "rmcp",
                "http",
            ],
        ),
        (
            "host/src/perception",
            &[
                "crate::device",
                "crate::capability",
                "crate::gateway",
                "crate::plugin",
                "driver_api",
                "axum",
                "rmcp",
                "tokio",
            ],
        ),
        (
            "host/src/capability",
            &[
                "crate::gateway",
                "crate::plugin",
                "crate::config",
                "driver_api",
                "abi_stable",
                "axum",
                "rmcp",
                "http",
                "reqwest",
            ],
        ),
        (
            "host/src/vision",
            &["crate::device", "crate::capability", "crate::perception", "crate::gateway", "crate::plugin"],
        ),
        (
            "host/src/agent",
            &[
                "crate::device",
                "crate::plugin",
                "crate::gateway",
                "crate::perception",
                "driver_api",
                "axum",
                "rmcp",
                "http",
            ],
        ),
        ("host/tasks/src", &["fingertip", "driver_api", "axum", "rmcp", "http", "reqwest"]),
        ("host/models/src", &["fingertip", "fingertip_tasks", "driver_api", "axum", "rmcp", "rusqlite", "tracing"]),
        (
            "host/src/gateway",
            &["crate::device", "crate::plugin", "crate::perception", "crate::neutral", "crate::config", "driver_api"],
        ),
    ];
    for (folder, forbidden) in layers {
        for (file, text) in sources(folder) {
            for word in forbidden {
                assert!(!names(&text, word), "{file} names {word}, which its layer must not know");
            }
        }
    }
}

#[test]
fn abi_stable_is_named_at_the_boundary_only() {
    let allowed =
        ["driver-api/src/abi.rs", "driver-api/src/export.rs", "driver-api/src/handle.rs", "host/src/plugin/load.rs"];
    for folder in ["driver-api/src", "host/src", "plugins", "examples"] {
        for (file, text) in sources(folder) {
            assert!(!names(&text, "abi_stable") || allowed.contains(&file.as_str()), "{file} names abi_stable");
        }
    }
}

#[test]
fn plugins_forbid_unsafe_code_and_know_neither_host_nor_each_other() {
    for library in [
        "plugins/virtual/src/lib.rs",
        "plugins/virtual/phone/src/lib.rs",
        "plugins/wda/src/lib.rs",
        "examples/custom-driver/src/lib.rs",
    ] {
        let text = fs::read_to_string(root().join(library)).expect(library);
        assert!(text.contains("#![forbid(unsafe_code)]"), "{library} does not forbid unsafe code");
    }
    for (file, text) in sources("plugins") {
        assert!(!code(&text).contains("fingertip::"), "{file} names the host");
    }
    for (file, text) in sources("plugins/wda/src") {
        assert!(!names(&text, "virtual_phone"), "{file} names another plugin");
    }
}

/// Only what has to do with the library boundary, and the tests of it, may be unsafe.
#[test]
fn unsafe_code_stands_at_the_boundary_only() {
    let allowed = ["driver-api/src/abi.rs", "driver-api/src/export.rs", "host/src/plugin/load.rs"];
    for folder in ["driver-api/src", "host/src", "host/models/src", "host/tasks/src", "plugins", "examples"] {
        for (file, text) in sources(folder) {
            let code = code(&text);
            let unsafe_code = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe("]
                .iter()
                .any(|word| code.contains(word));
            assert!(!unsafe_code || allowed.contains(&file.as_str()), "{file} has unsafe code");
        }
    }
}

#[test]
fn every_file_says_what_it_knows() {
    for folder in
        ["driver-api/src", "host/src", "host/models", "host/tasks", "plugins", "examples", "tests/src", "tests/tests"]
    {
        for (file, text) in sources(folder) {
            assert!(text.starts_with("//!"), "{file} does not open with a //! comment");
        }
    }
}

/// Unfinished work must not look finished.
#[test]
fn nothing_is_left_to_do_in_the_code() {
    for folder in ["driver-api", "host", "plugins", "examples", "tests"] {
        for (file, text) in sources(folder) {
            for mark in [
                concat!("todo", "!("),
                concat!("unimplemented", "!("),
                concat!("#[ign", "ore"),
                concat!("FIX", "ME"),
                concat!("TO", "DO"),
            ] {
                assert!(!text.contains(mark), "{file} has {mark}");
            }
        }
    }
}
