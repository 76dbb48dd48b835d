//! Acting never reports what did not happen: text in the wrong field, touches that an alert swallows, arguments that say
//! nothing. On the virtual phone, and through the *simulated* iPhone.

use driver_api::Alert;
use e2e::{
    host::Host,
    phones::{BOTH, ok, phones, refused},
};
use serde_json::{Value, json};

/// What the field with this label holds.
async fn value(host: &Host, device: &str, label: &str) -> Value {
    let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
    let elements = tree["elements"].as_array().expect("elements");
    elements.iter().find(|element| element["label"] == label).map_or(Value::Null, |element| element["value"].clone())
}

#[tokio::test]
async fn text_goes_into_the_field_that_was_named_or_nowhere() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.signin" })).await;
        let typed = ok(&host, device, "input", json!({ "element": "text_field \"Email\"", "text": "ann" })).await;
        assert_eq!(typed["entered"], json!({ "text": "ann", "verified": true }), "{device}");
        // Email has the focus. What is named is no field, so that nothing may land in Email.
        let wrong = json!({ "element": "nav_bar \"Sign in\"", "text": "secret", "secret": true });
        let error = refused(&host, device, "input", wrong, "text_not_entered").await;
        assert_eq!(error["outcome"], "unknown", "the tap was sent: {error}");
        assert_eq!(value(&host, device, "Email").await, "ann", "{device}");
        let more = ok(&host, device, "input", json!({ "text": "@example.com" })).await;
        assert_eq!(more["entered"], json!({ "text": "ann@example.com", "verified": true }), "{device}");
        let fresh = json!({ "element": "text_field \"Email\"", "text": "bob", "clear": true });
        assert_eq!(ok(&host, device, "input", fresh).await["entered"], json!({ "text": "bob", "verified": true }));
        let hidden = json!({ "element": "secure_field \"Password\"", "text": "lovelace1" });
        let hidden = ok(&host, device, "input", hidden).await;
        assert_eq!(hidden["entered"], json!({ "length": 9, "verified": true }), "{device}");
    }
}

#[tokio::test]
async fn nothing_focused_is_said_and_nothing_is_typed() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "press", json!({ "button": "home" })).await;
        let error = refused(&host, device, "input", json!({ "text": "lost" }), "text_not_entered").await;
        assert_eq!(error["outcome"], "not_done", "{device}");
    }
}

#[tokio::test]
async fn an_alert_lets_only_its_own_buttons_be_tapped() {
    let (sim, host) = phones("").await;
    let alert = || Alert { text: "Allow this?".to_owned(), buttons: vec!["No".to_owned(), "Yes".to_owned()] };
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.settings" })).await;
    sim.phone().raise_alert(alert());
    for target in [json!({ "text": "General" }), json!({ "element": "cell \"General\"" })] {
        let error = refused(&host, "iphone", "tap", target, "alert_in_front").await;
        assert_eq!(error["details"]["buttons"], json!(["No", "Yes"]), "{error}");
    }
    ok(&host, "iphone", "tap", json!({ "text": "Yes" })).await;
    assert!(sim.phone().alert().is_none());
    ok(&host, "iphone", "tap", json!({ "text": "General" })).await;
}

#[tokio::test]
async fn coordinates_that_are_not_there_need_no_space() {
    let (_sim, host) = phones("").await;
    ok(&host, "virtual", "launch", json!({ "app": "Settings" })).await;
    for (what, body) in [
        ("tap", json!({ "text": "General", "frame": "f999" })),
        ("tap", json!({ "element": "cell \"General\"", "space": "image" })),
        ("swipe", json!({ "direction": "up", "space": "fraction" })),
        ("input", json!({ "text": "x", "frame": "f1" })),
    ] {
        refused(&host, "virtual", what, body, "invalid_arguments").await;
    }
}

#[tokio::test]
async fn a_wait_uses_its_time_and_says_what_is_there_instead() {
    let (_sim, host) = phones("").await;
    ok(&host, "virtual", "launch", json!({ "app": "Settings" })).await;
    let missed = ok(&host, "virtual", "wait", json!({ "text": "Airplane Modes", "timeout_ms": 300 })).await;
    assert_eq!(missed["met"], false);
    assert!(missed["waited_ms"].as_u64().is_some_and(|waited| waited >= 250), "{missed}");
    assert!(missed["reason"].as_str().is_some_and(|reason| reason.contains("Airplane Mode")), "{missed}");
    let met = ok(&host, "virtual", "wait", json!({ "idle": true })).await;
    assert!(met["met"] == true && met["frame"].is_string(), "{met}");
    let same = ok(&host, "virtual", "wait", json!({ "changed": true, "frame": met["frame"], "timeout_ms": 200 })).await;
    assert_eq!(same["met"], false, "{same}");
    ok(&host, "virtual", "tap", json!({ "text": "General" })).await;
    let changed = ok(&host, "virtual", "wait", json!({ "changed": true, "frame": met["frame"] })).await;
    assert_eq!(changed["met"], true, "{changed}");
}

#[tokio::test]
async fn row_65_text_that_is_lost_on_the_way_is_typed_once_more() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.signin" })).await;
    ok(&host, "iphone", "tap", json!({ "element": "text_field \"Email\"" })).await;
    // The phone says that it typed, and did not.
    sim.faults().answer_next("POST /wda/keys", 200, r#"{"value":null,"sessionId":"A"}"#);
    let typed = ok(&host, "iphone", "input", json!({ "text": "ann@example.com" })).await;
    assert_eq!(typed["entered"], json!({ "text": "ann@example.com", "verified": true }), "{typed}");
    // Once: a phone that never types is told as that.
    sim.faults().answer("POST /wda/keys", 200, r#"{"value":null,"sessionId":"A"}"#);
    let error = refused(&host, "iphone", "input", json!({ "text": "x" }), "text_not_entered").await;
    assert_eq!(error["outcome"], "unknown", "{error}");
    sim.faults().clear_all();
    assert_eq!(value(&host, "iphone", "Email").await, "ann@example.com");
}

#[tokio::test]
async fn what_is_observed_comes_with_the_act() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.settings", "fresh": true })).await;
        let diff = ok(&host, device, "tap", json!({ "element": "#airplane", "observe": "diff" })).await;
        let lines = diff["diff"].as_str().expect("a diff");
        assert!(lines.contains("~ ") && lines.contains("Airplane Mode"), "{device}: {lines}");
        assert!(lines.lines().count() < 12, "{device}: {lines}");
        let tree = ok(&host, device, "tap", json!({ "text": "Sounds", "observe": "tree" })).await;
        assert!(tree["text"].as_str().is_some_and(|text| text.starts_with("<screen frame=\"f")), "{device}: {tree}");
        let shot = ok(&host, device, "press", json!({ "button": "home", "observe": "screenshot" })).await;
        assert_eq!(shot["picture"]["media_type"], "image/jpeg", "{device}");
        // A place can be read off the picture and tapped.
        let tap = json!({ "x": 195, "y": 200, "space": "image", "frame": shot["frame"] });
        ok(&host, device, "tap", tap).await;
        let nothing = ok(&host, device, "press", json!({ "button": "volume_up", "observe": "none" })).await;
        assert!(nothing.get("frame").is_none() && nothing.get("text").is_none(), "{device}: {nothing}");
    }
}

#[tokio::test]
async fn a_repeated_key_does_nothing_twice() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.settings" })).await;
    sim.clear_log();
    let tap = json!({ "element": "#airplane", "idempotency_key": "turn-it" });
    let first = ok(&host, "iphone", "tap", tap.clone()).await;
    let again = ok(&host, "iphone", "tap", tap).await;
    assert_eq!(first, again);
    assert_eq!(sim.touches().len(), 1);
    let other = json!({ "x": 5, "y": 5, "idempotency_key": "turn-it" });
    refused(&host, "iphone", "tap", other, "invalid_arguments").await;
    // A call that surely did nothing may be made again.
    let missed = json!({ "text": "Nosuch", "idempotency_key": "other" });
    refused(&host, "iphone", "tap", missed.clone(), "element_not_found").await;
    refused(&host, "iphone", "tap", missed, "element_not_found").await;
    ok(&host, "iphone", "tap", json!({ "text": "General", "idempotency_key": "other" })).await;
    // A caller that left midway finds what became of it.
    sim.clear_log();
    let hasty = json!({ "element": "nav_bar \"General\"", "idempotency_key": "hasty" });
    let url = host.url("/devices/iphone/tap");
    let left = host.client().post(url).timeout(std::time::Duration::from_millis(60)).json(&hasty).send().await;
    assert!(left.is_err(), "it did not leave in time");
    ok(&host, "iphone", "tap", hasty).await;
    assert_eq!(sim.touches().len(), 1);
}
