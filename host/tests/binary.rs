//! The binary by itself. That this file is here makes cargo build the binary whenever the workspace's tests run.

use std::process::Command;

fn fingertip(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fingertip")).args(arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn it_tells_its_version() {
    let (ok, stdout, _) = fingertip(&["--version"]);
    assert!(ok);
    assert_eq!(stdout, format!("fingertip {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_command_is_refused_with_the_usage() {
    let (ok, _, stderr) = fingertip(&["tapp"]);
    assert!(!ok && stderr.contains("tapp") && stderr.contains("Usage"), "{stderr}");
}

#[test]
fn a_settings_file_that_is_not_there_is_named() {
    let (ok, _, stderr) = fingertip(&["--config", "no-such-file.toml", "devices"]);
    assert!(!ok && stderr.contains("no-such-file.toml"), "{stderr}");
    assert_eq!(stderr.trim().lines().count(), 1, "{stderr}");
}
