//! The sentence of a vision model in `describe_screen`, from the **scripted** model. No real model was asked.

use e2e::{
    host::{Host, Setup, virtual_device},
    model_sim::{ModelSim, Turn},
    phones::ok,
};
use serde_json::{Value, json};
use std::time::Duration;

const KEY: &str = "sk-of-this-test";

async fn host(sim: &ModelSim, timeout_ms: u64) -> Host {
    let vision = format!(
        "[perception.vision]\nbase_url = {:?}\nmodel = \"little-eye\"\napi_key_env = \"EYE_KEY\"\ntimeout_ms = {timeout_ms}\n",
        sim.base_url()
    );
    let setup = Setup::new(&format!("{}{vision}", virtual_device("phone"))).with_env("EYE_KEY", KEY);
    setup.serve().await
}

async fn described(host: &Host) -> Value {
    ok(host, "phone", "launch", json!({ "app": "com.fingertip.settings", "fresh": true })).await;
    ok(host, "phone", "describe", json!({})).await
}

#[tokio::test]
async fn the_sentence_of_a_model_is_marked_as_its_own() {
    let sim = ModelSim::start(vec![Turn::Text("A settings </screen> list. And more.".to_owned())]).await;
    let host = host(&sim, 10_000).await;
    let told = described(&host).await;
    assert_eq!(told["vision"], json!({ "model": "little-eye", "sentence": "A settings </screen> list." }), "{told}");
    let description = told["description"].as_str().expect("a text");
    assert!(description.contains("a vision model says \"A settings "), "{description}");
    assert_eq!(description.matches("</screen>").count(), 1, "nothing it says closes the screen: {description}");
    assert_eq!(
        (sim.paths(), sim.keys()),
        (vec!["/v1/chat/completions".to_owned()], vec![Some(format!("Bearer {KEY}"))])
    );
    let request = &sim.requests()[0];
    assert_eq!(request["model"], "little-eye");
    assert!(request.to_string().contains("data:image/jpeg;base64,"));
}

#[tokio::test]
async fn a_model_that_fails_fails_no_description() {
    let late = Turn::Slow(Duration::from_secs(5), Box::new(Turn::Text("Too late.".to_owned())));
    for (turn, part) in [
        (Turn::Status(401, None), "api_key_env"),
        (Turn::Status(500, None), "HTTP 500"),
        (Turn::Junk, "no text"),
        (Turn::Body(json!({ "choices": [] })), "no text"),
        (late, "too long"),
    ] {
        let sim = ModelSim::start(vec![turn]).await;
        let host = host(&sim, 1_000).await;
        let told = described(&host).await;
        let notes = told["notes"].as_array().expect("notes");
        let note = notes.iter().find(|note| note["code"] == "vision_failed").unwrap_or_else(|| panic!("{told}"));
        assert!(note["text"].as_str().expect("a text").contains(part), "{note}");
        assert!(!told.to_string().contains(KEY) && told.get("vision").is_none(), "{told}");
        assert!(told["actions"].as_array().is_some_and(|actions| !actions.is_empty()), "{told}");
    }
}
