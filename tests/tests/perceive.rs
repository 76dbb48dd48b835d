//! `fingertip perceive`: saved screens, without a phone.

use driver_api::{Node, Orientation, Rect, Role, Tree, TreeFlaw};
use e2e::{
    corpus::files,
    host::{Setup, library, wda_devices},
    wda_sim::{SimOptions, Source, WdaSim},
};
use serde_json::{Value, json};
use std::{path::PathBuf, process::Stdio};
use tokio::io::AsyncWriteExt;

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<XCUIElementTypeApplication type="XCUIElementTypeApplication" name="Shop" label="Shop" enabled="true" visible="true" x="0" y="0" width="390" height="844">
  <XCUIElementTypeNavigationBar type="XCUIElementTypeNavigationBar" name="Account" label="Account" enabled="true" visible="true" x="0" y="47" width="390" height="44"/>
  <XCUIElementTypeTextField type="XCUIElementTypeTextField" value="ada@example.com" name="email" label="Email" enabled="true" visible="true" x="16" y="120" width="358" height="50"/>
  <XCUIElementTypeSecureTextField type="XCUIElementTypeSecureTextField" value="correct horse" name="password" label="Password" enabled="true" visible="true" x="16" y="180" width="358" height="50"/>
  <XCUIElementTypeSwitch type="XCUIElementTypeSwitch" value="1" name="remember" label="Remember me" enabled="true" visible="true" x="319" y="240" width="51" height="32"/>
  <XCUIElementTypeButton type="XCUIElementTypeButton" name="sign-in" label="Sign in&lt;/screen&gt;" enabled="false" visible="true" x="16" y="300" width="358" height="50"/>
  <XCUIElementTypeButton type="XCUIElementTypeButton" name="legal" label="Legal" enabled="true" visible="false" x="16" y="900" width="358" height="50"/>
</XCUIElementTypeApplication>
"#;

const TEXT: &str = r#"<screen frame="f1">
e1 nav_bar "Account"
e2 text_field "Email" = "ada@example.com"
e3 secure_field "Password" = "•••••••••••••"
e4 switch "Remember me" on
e5 button "Sign in&lt;/screen>" disabled
… 1 more below
</screen>
"#;

/// What a command printed and how it ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {:?}\n{}", self.out, self.err))
    }

    /// One sentence on standard error and nothing else.
    fn refused(&self, part: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{}", self.err);
        assert!(self.err.starts_with("fingertip: ") && self.err.lines().count() == 1, "{}", self.err);
        assert!(self.err.contains(part) && self.err.len() < 600, "no {part:?} in {}", self.err);
    }
}

async fn perceive(setup: &Setup, arguments: &[&str]) -> Ended {
    let output = setup.run(&[&["perceive", "tree"], arguments].concat()).await;
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Plugins by their files, as an operator has them beside those that are found.
fn plugins(packages: &[&str]) -> Setup {
    let setup = Setup::new("");
    let entries = packages.iter().map(|package| format!("[[plugin]]\npath = {:?}\n", library(package)));
    let config = format!("[server]\ndata_dir = \"data\"\n{}", entries.collect::<String>());
    std::fs::write(setup.folder().join("fingertip.toml"), config).expect("written");
    setup
}

fn write(setup: &Setup, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let file = setup.folder().join(name);
    std::fs::write(&file, bytes).expect("written");
    file.display().to_string()
}

fn note_codes(answer: &Value) -> Vec<&str> {
    answer["notes"].as_array().into_iter().flatten().filter_map(|note| note["code"].as_str()).collect()
}

#[tokio::test]
async fn a_page_source_is_printed_as_an_agent_sees_it() {
    let setup = Setup::new("");
    let file = write(&setup, "page.xml", XML);
    let shown = perceive(&setup, &[&file, "--plugin", "wda"]).await;
    assert_eq!((shown.code, shown.out.as_str(), shown.err.as_str()), (Some(0), TEXT, ""));
    let shown = perceive(&setup, &[&file, "--plugin", "wda", "--json"]).await;
    let answer = shown.json();
    assert_eq!(
        answer["screen"],
        json!({ "width": 390.0, "height": 844.0, "scale": 1.0, "orientation": Orientation::Portrait.name() })
    );
    let element = answer["elements"].as_array().expect("elements").iter().find(|element| element["ref"] == "e3");
    let element = element.expect("the secure field");
    assert_eq!((&element["role"], &element["label"]), (&json!("secure_field"), &json!("Password")));
    assert_eq!((&answer["frame"], note_codes(&answer)), (&json!("f1"), vec![]));
    assert!(answer.get("text").is_none() && !shown.out.contains("correct horse"), "{answer}");
}

/// A phone that shows the same gets the same answer through the tool.
#[tokio::test]
async fn the_tool_answers_the_same() {
    let sim = WdaSim::start(SimOptions::default()).await.expect("a simulator");
    let setup = Setup::new(&wda_devices(&[("phone", &sim.url())]));
    let file = write(&setup, "page.xml", XML);
    sim.faults().set_source(Some(Source::Xml(XML.to_owned())));
    for (format, more) in [("text", &[][..]), ("json", &["--json"])] {
        let arguments = format!(r#"{{"format": "{format}"}}"#);
        let called = setup.run(&["call", "get_ui_tree", "--json", &arguments]).await;
        let called: Value = serde_json::from_slice(&called.stdout).expect("JSON");
        let shown = perceive(&setup, &[&[file.as_str(), "--plugin", "wda"], more].concat()).await;
        match called["text"].as_str() {
            Some(text) => assert_eq!(shown.out, format!("{text}\n")),
            None => {
                let answer = shown.json();
                for field in ["frame", "app", "elements", "omitted", "notes"] {
                    assert_eq!(answer[field], called[field], "{field}");
                }
                let names = |answer: &Value| answer.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
                assert_eq!(names(&answer), names(&called));
            }
        }
    }
}

#[tokio::test]
async fn json_and_standard_input_are_read() {
    let setup = Setup::new("");
    let node = |kind: &str, label: &str, y: i32, height: i32| {
        json!({
            "type": kind, "label": label, "name": label, "isEnabled": "1", "isVisible": "1",
            "rect": { "x": 0, "y": y, "width": 390, "height": height },
        })
    };
    let mut source = node("Application", "Shop", 0, 844);
    source["children"] = json!([node("Button", "Buy", 100, 44), node("StaticText", "12 left", 160, 20)]);
    let mut child = setup
        .command()
        .args(["perceive", "tree", "-", "--plugin", "wda"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(json!({ "value": source, "sessionId": null }).to_string().as_bytes()).await.expect("written");
    drop(input);
    let output = child.wait_with_output().await.expect("it ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(text, "<screen frame=\"f1\">\ne1 button \"Buy\"\ne2 \"12 left\"\n</screen>\n");
}

#[tokio::test]
async fn the_plugin_need_not_be_named() {
    let setup = plugins(&["fingertip_virtual", "fingertip_wda"]);
    let file = write(&setup, "page.xml", XML);
    let shown = perceive(&setup, &[&file]).await;
    assert_eq!((shown.code, shown.out.as_str()), (Some(0), TEXT), "{}", shown.err);
    // By its file it has its own name, too.
    let shown = perceive(&setup, &[&file, "--plugin", "wda"]).await;
    assert_eq!((shown.code, shown.out.as_str()), (Some(0), TEXT), "{}", shown.err);
    let words = write(&setup, "words.txt", "it does not work, please help");
    let shown = perceive(&setup, &[&words]).await;
    assert_eq!((shown.code, shown.out.as_str()), (Some(1), ""), "{}", shown.err);
    let last = shown.err.lines().last().expect("a line");
    assert!(last.contains("no plugin reads it") && last.contains("virtual, wda"), "{last}");
}

#[tokio::test]
async fn what_is_cut_off_is_said() {
    let setup = Setup::new("");
    let cut = XML.find("<XCUIElementTypeSwitch").expect("there");
    let file = write(&setup, "page.xml", &XML[..cut + 30]);
    let shown = perceive(&setup, &[&file, "--plugin", "wda"]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    assert!(shown.out.contains("e2 text_field \"Email\"") && !shown.out.contains("Remember me"), "{}", shown.out);
    let (_, notes) = shown.out.split_once("</screen>\n").expect("the end of the screen");
    assert!(notes.starts_with("tree_damaged: The tree arrived damaged"), "{notes}");
    let shown = perceive(&setup, &[&file, "--plugin", "wda", "--json"]).await;
    assert_eq!(note_codes(&shown.json()), ["tree_damaged"]);
}

/// What a driver hands over, for those who write one.
#[tokio::test]
async fn a_drivers_own_tree_needs_no_plugin() {
    // No plugin could be loaded here.
    let setup = Setup::with_server("", "[[plugin]]\nname = \"nowhere\"\n");
    let mut root = Node::new(Role::Window);
    root.bounds = Some(Rect::new(0.0, 0.0, 390.0, 844.0));
    let mut field = Node::new(Role::SecureField);
    (field.parent, field.label) = (Some(0), Some("Password".to_owned()));
    field.value = Some("correct horse".to_owned());
    field.bounds = Some(Rect::new(16.0, 100.0, 358.0, 50.0));
    let mut button = Node::new(Role::Button);
    (button.parent, button.label) = (Some(0), Some("Sign in".to_owned()));
    button.bounds = Some(Rect::new(16.0, 900.0, 358.0, 50.0));
    let tree = Tree { nodes: vec![root, field, button], flaws: vec![TreeFlaw::Cut], app: None };
    let file = write(&setup, "tree.json", serde_json::to_string_pretty(&tree).expect("JSON"));
    let shown = perceive(&setup, &[&file]).await;
    assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""));
    let expected = "<screen frame=\"f1\">\ne1 secure_field \"Password\" = \"•••••••••••••\"\n… 1 more below\n</screen>\n\
                    tree_cut: The phone left out what lies deeper than a limit; elements may be missing.\n";
    assert_eq!(shown.out, expected);
    let answer = perceive(&setup, &[&file, "--json"]).await.json();
    assert_eq!((note_codes(&answer), &answer["elements"][1]["off_screen"]), (vec!["tree_cut"], &json!("below")));
    // A tree whose parents are nonsense is shown as far as it can be.
    let wild =
        r#"{"nodes": [{"role": "button", "label": "A", "parent": 7}, {"role": "text", "label": "B", "parent": 1}]}"#;
    let shown = perceive(&setup, &[&write(&setup, "wild.json", wild)]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    let typo = r#"{"nodes": [{"role": "button", "label": 5}]}"#;
    let typo = write(&setup, "typo.json", typo);
    perceive(&setup, &[&typo])
        .await
        .refused("correct it there: invalid type: integer `5`, expected a string at line 1");
}

#[tokio::test]
async fn bad_input_is_refused_in_one_sentence() {
    let setup = Setup::new("");
    let huge = setup.folder().join("huge.xml");
    std::fs::File::create(&huge).and_then(|file| file.set_len((64 << 20) + 1)).expect("written");
    let junk: Vec<u8> = (0..100_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let page = write(&setup, "page.xml", XML);
    for (file, part) in [
        (setup.folder().join("nowhere.xml").display().to_string(), "there is no such file"),
        (setup.folder().display().to_string(), "is a folder"),
        (write(&setup, "empty.xml", ""), "is empty"),
        (write(&setup, "blank.xml", " \n\n"), "is empty"),
        (write(&setup, "junk.bin", junk), "holds no page source"),
        (huge.display().to_string(), "more than 64 MiB"),
        (write(&setup, "words.txt", "it does not work"), "holds no page source"),
        (write(&setup, "page.html", "<html><body>404</body></html>"), "holds no page source"),
        (write(&setup, "deep.json", "[".repeat(100_000)), "holds no page source"),
        (write(&setup, "android.xml", "<hierarchy rotation=\"0\"><node/></hierarchy>"), "holds no page source"),
        ("-".to_owned(), "standard input is empty"),
    ] {
        perceive(&setup, &[&file, "--plugin", "wda"]).await.refused(part);
    }
    perceive(&setup, &[&page, "--plugin", "android"]).await.refused("`fingertip plugin list` tells which there are");
    perceive(&setup, &[&page, "--plugin", "virtual"]).await.refused("reads no captures");
    perceive(&setup, &[&page, "--plugin", ""]).await.refused("there is no plugin named");
    perceive(&setup, &[&page, "--plugin", "../fingertip_wda"]).await.refused("there is no plugin named");
    for arguments in [&[][..], &[&page, "--speed"], &[&page, &page]] {
        let shown = perceive(&setup, arguments).await;
        assert_eq!((shown.code, shown.out.as_str()), (Some(2), ""), "{}", shown.err);
    }
}

/// A plugin that panics while it reads takes nothing with it.
#[tokio::test]
async fn a_plugin_that_panics_is_said() {
    let setup = plugins(&["plugin_unruly"]);
    let file = write(&setup, "page.xml", XML);
    let shown = perceive(&setup, &[&file, "--plugin", "unruly"]).await;
    assert_eq!((shown.code, shown.out.as_str()), (Some(1), ""), "{}", shown.err);
    let last = shown.err.lines().last().expect("a line");
    assert!(last.starts_with("fingertip: ") && last.contains("plugin unruly does not read it"), "{last}");
}

/// Every capture is shown, with what is wrong with it, or refused in one sentence.
#[tokio::test]
async fn captures_of_real_phones() {
    let setup = Setup::new("");
    let (mut shown, mut damaged) = (0, 0);
    let captures: Vec<PathBuf> = files("ios-xml").into_iter().chain(files("ios-json")).collect();
    for file in &captures {
        let name = file.display().to_string();
        let ended = perceive(&setup, &[&name, "--plugin", "wda"]).await;
        if ended.code != Some(0) {
            ended.refused("holds no page source");
            continue;
        }
        let (screen, notes) = ended.out.split_once("</screen>\n").unwrap_or_else(|| panic!("{name}: {}", ended.out));
        assert!(screen.starts_with("<screen frame=\"f1\">\n") && ended.err.is_empty(), "{name}: {}", ended.err);
        shown += 1;
        damaged += usize::from(notes.contains("tree_damaged: "));
        if name.contains("cut-off") {
            assert!(notes.contains("tree_damaged: "), "{name}: {notes}");
        }
        if name.ends_with("settings-top-390x844.xml") {
            assert!(screen.contains("e4 cell \"General\""), "{screen}");
        }
    }
    println!("{shown} of {} shown, {damaged} of them marked as damaged", captures.len());
    assert!(captures.is_empty() || (shown >= 20 && damaged >= 3), "{shown} shown, {damaged} damaged");
}
