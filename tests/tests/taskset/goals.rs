//! The goals: what is asked for, how it shows on the phone that it was done, and one way to it.

use serde_json::{Value, json};

/// A goal on the virtual phone.
pub struct Goal {
    /// What the model is asked for.
    pub words: &'static str,
    /// Which app tells whether it was done; none for the screen as it was left.
    pub look: Option<Look>,
    /// What the screen then shows.
    pub shows: &'static [&'static str],
    /// What it does not show.
    pub hides: &'static [&'static str],
    /// Calls that reach it, for the scripted model.
    pub way: Value,
}

/// Where the end state is looked at: an app as it is opened afresh, and what is tapped there.
pub struct Look {
    pub app: &'static str,
    pub tap: Option<&'static str>,
}

const fn at(app: &'static str) -> Option<Look> {
    Some(Look { app, tap: None })
}

const fn behind(app: &'static str, tap: &'static str) -> Option<Look> {
    Some(Look { app, tap: Some(tap) })
}

fn open(app: &str) -> Value {
    json!(["launch_app", { "app": app, "fresh": true }])
}

fn tap(element: &str) -> Value {
    json!(["tap", { "element": element }])
}

fn find(element: &str) -> Value {
    json!(["scroll_to", { "element": element }])
}

fn write(element: &str, text: &str) -> Value {
    json!(["input_text", { "element": element, "text": text }])
}

/// All goals.
pub fn all() -> Vec<Goal> {
    let settings = |row: &str, then: Value| json!([open("Settings"), tap(row), then]);
    let goal = |words, look, shows, hides, way| Goal { words, look, shows, hides, way };
    vec![
        goal(
            "Switch on airplane mode.",
            at("Settings"),
            &["switch \"Airplane Mode\" on"],
            &[],
            json!([open("Settings"), tap("switch \"Airplane Mode\"")]),
        ),
        goal(
            "Switch Bluetooth off.",
            behind("Settings", "cell \"Bluetooth\""),
            &["switch \"Bluetooth\" off"],
            &[],
            settings("cell \"Bluetooth\"", tap("switch \"Bluetooth\"")),
        ),
        goal(
            "Join the Wi-Fi network Cafe Lumen.",
            at("Settings"),
            &["cell \"Wi-Fi\" = \"Cafe Lumen\""],
            &[],
            settings("cell \"Wi-Fi\"", tap("cell \"Cafe Lumen\"")),
        ),
        goal(
            "Turn off vibration in the sound settings.",
            behind("Settings", "cell \"Sounds\""),
            &["switch \"Vibration\" off"],
            &[],
            settings("cell \"Sounds\"", tap("switch \"Vibration\"")),
        ),
        goal(
            "Do not show previews of notifications.",
            behind("Settings", "cell \"Notifications\""),
            &["switch \"Show Previews\" off"],
            &[],
            settings("cell \"Notifications\"", tap("switch \"Show Previews\"")),
        ),
        goal(
            "Connect the phone with the Travel Headphones.",
            behind("Settings", "cell \"Bluetooth\""),
            &["cell \"Travel Headphones\" = \"Connected\""],
            &[],
            settings("cell \"Bluetooth\"", tap("cell \"Travel Headphones\"")),
        ),
        goal(
            "Open the page of the settings that tells about the phone (General, About).",
            None,
            &["nav_bar \"About\""],
            &[],
            settings("cell \"General\"", tap("cell \"About\"")),
        ),
        goal(
            "Set the phone's language to Deutsch.",
            None,
            &["cell \"Deutsch\" selected"],
            &[],
            json!([open("Settings"), tap("cell \"General\""), tap("cell \"Language\""), tap("cell \"Deutsch\"")]),
        ),
        goal(
            "Allow Settings to use the camera (under Privacy).",
            None,
            &["cell \"Camera\" = \"Allowed\""],
            &[],
            json!([
                open("Settings"),
                tap("cell \"Privacy\""),
                tap("cell \"Camera\""),
                ["answer_alert", { "button": "Allow" }]
            ]),
        ),
        goal(
            "Write a note that says: Buy plums",
            at("Notes"),
            &["Buy plums"],
            &[],
            json!([open("Notes"), tap("button \"New note\""), write("text_field \"Note\"", "Buy plums")]),
        ),
        goal(
            "Add the line \"and honey\" at the end of the note Shopping list.",
            behind("Notes", "cell \"Shopping list\""),
            &["and honey", "Bread, olives"],
            &[],
            json!([open("Notes"), tap("cell \"Shopping list\""), write("text_field \"Note\"", "\nand honey")]),
        ),
        goal(
            "Open the note about the train to Leeds.",
            None,
            &["Seat 23A"],
            &[],
            json!([open("Notes"), tap("cell \"Train to Leeds\"")]),
        ),
        goal(
            "Open the contact Ada Lovelace.",
            None,
            &["ada.lovelace@example.com"],
            &[],
            json!([open("Contacts"), tap("cell \"Ada Lovelace\"")]),
        ),
        goal(
            "Search the contacts for Turing and open the contact that is found.",
            None,
            &["alan.turing@example.com"],
            &[],
            json!([open("Contacts"), write("text_field \"Search\"", "Turing"), tap("cell \"Alan Turing\"")]),
        ),
        goal(
            "Make Grace Hopper a favourite.",
            None,
            &["Remove from favourites", "Grace Hopper"],
            &[],
            json!([
                open("Contacts"),
                write("text_field \"Search\"", "Grace Hopper"),
                tap("cell \"Grace Hopper\""),
                tap("button #favourite")
            ]),
        ),
        goal(
            "Sign in with the email ada@example.com and the password lovelace1.",
            None,
            &["Hello, Ada"],
            &[],
            json!([
                open("Sign-in"),
                write("text_field \"Email\"", "ada@example.com"),
                ["input_text", { "element": "secure_field \"Password\"", "text": "lovelace1", "submit": true, "secret": true }]
            ]),
        ),
        goal(
            "Try to sign in with the email ada@example.com and the password wrong, and stop at the message that this gives.",
            None,
            &["The email or the password is wrong."],
            &[],
            json!([
                open("Sign-in"),
                write("text_field \"Email\"", "ada@example.com"),
                ["input_text", { "element": "secure_field \"Password\"", "text": "wrong", "submit": true, "secret": true }]
            ]),
        ),
        goal(
            "Have the sign-in page remember me.",
            None,
            &["switch \"Remember me\" on"],
            &[],
            json!([open("Sign-in"), tap("switch \"Remember me\"")]),
        ),
        goal(
            "Open the news page in the browser.",
            None,
            &["nav_bar \"news.example\""],
            &[],
            json!([open("Browser"), tap("link \"News\"")]),
        ),
        goal(
            "Open the table with 300 rows in the browser and go on until row 30 can be seen.",
            None,
            &["Row 30"],
            &[],
            json!([open("Browser"), tap("link \"Table with 300 rows\""), find("cell \"Row 30\"")]),
        ),
    ]
}
