//! Tasks that the **scripted** model decides, under hosts that are killed. The model knows only what it is asked with, so that it
//! decides by the screen and by what the host tells of before.

use super::{Work, kill_under};
use e2e::{
    model_sim::{ModelSim, Turn},
    tasks::History,
};
use serde_json::{Value, json};

const SWITCH: &str = "switch \"Show Previews\"";

/// Where the phone's right half begins, in points; of all that is touched, only the switch stands there.
const MIDDLE: f64 = 195.0;

/// A switch is to be turned on, or off.
struct Goals;

/// What the switch is to show after a round. A phone begins with it on.
fn wanted(round: usize) -> &'static str {
    if round.is_multiple_of(2) { "off" } else { "on" }
}

/// The next step by what stands in the question.
fn decide(question: &str) -> Turn {
    let says = |text: &str| question.contains(Value::from(text).to_string().trim_matches('"'));
    let wanted = if says("Turn previews off") { "off" } else { "on" };
    let tap = |element: &str| Turn::act("tap", json!({ "element": element }));
    if !says("launch_app {") {
        Turn::act("launch_app", json!({ "app": "com.fingertip.settings", "fresh": true }))
    } else if says(&format!("{SWITCH} {wanted}")) {
        Turn::act("finish", json!({ "success": true, "summary": format!("previews are {wanted}") }))
    } else if says(SWITCH) {
        tap(SWITCH)
    } else if says("cell \"Notifications\"") {
        tap("cell \"Notifications\"")
    } else {
        Turn::act("launch_app", json!({ "app": "com.fingertip.settings", "fresh": true }))
    }
}

impl Work for Goals {
    fn order(&self, round: usize) -> Value {
        json!({ "goal": format!("Turn previews {}", wanted(round)) })
    }

    /// Where the model wants to do it again, the screen shows that it was not done.
    fn answer(&self, _: &History, _: usize) -> String {
        "yes".to_owned()
    }

    /// The phone felt what is recorded as done, and at most what nobody knows of; the switch, once.
    fn check(&self, history: &History, touches: &[Value]) {
        let told = || format!("{touches:?}: {}", history.told());
        assert!(touches.len() >= history.uses("tap").1, "{}", told());
        let switch = touches.iter().filter(|touch| touch["tap"]["x"].as_f64() > Some(MIDDLE)).count();
        assert_eq!(switch, 1, "{}", told());
    }
}

#[tokio::test]
async fn hosts_are_killed_under_goals() {
    let model = ModelSim::deciding(|request, _| decide(&request["messages"].to_string())).await;
    kill_under(&Goals, &format!("[agent]\nmodel = \"scripted\"\nbase_url = {:?}\n", model.base_url())).await;
}
