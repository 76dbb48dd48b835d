//! Several calls as one, on the virtual phone and through the *simulated* iPhone: how far the steps come, who holds the phone
//! meanwhile, and what the operator forbids.

use base64::Engine;
use e2e::{
    host::{Host, Setup},
    mcp::Mcp,
    phones::{BOTH, ok, phones, refused},
};
use serde_json::{Value, json};
use std::time::Duration;

fn login(password: &str) -> Value {
    json!([
        { "tool": "launch_app", "arguments": { "app": "com.fingertip.signin", "fresh": true },
          "expect": { "text": "Remember me" } },
        { "tool": "input_text", "arguments": { "element": "text_field \"Email\"", "text": "ada@example.com" } },
        { "tool": "input_text", "arguments": { "element": "secure_field \"Password\"", "text": password, "submit": true },
          "expect": { "text": "Hello, Ada", "timeout_ms": 1500 } },
        { "tool": "find_text", "arguments": { "text": "Sign out" } },
        { "tool": "tap", "arguments": { "text": "Sign out" }, "expect": { "gone": "Hello, Ada" } },
    ])
}

#[tokio::test]
async fn a_login_in_one_call() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        let mut steps = login("lovelace1");
        let sign_out = steps.as_array_mut().expect("a list").pop();
        let ran = ok(&host, device, "steps", json!({ "steps": steps, "observe": "tree", "timeout_ms": 60_000 })).await;
        assert_eq!(ran["stopped_at"], Value::Null, "{device}: {ran}");
        let results = ran["results"].as_array().expect("results");
        let tools: Vec<&str> = results.iter().filter_map(|result| result["tool"].as_str()).collect();
        assert_eq!(tools, ["launch_app", "input_text", "input_text", "find_text"], "{device}");
        assert!(results.iter().all(|result| result["ok"] == true && result["error"].is_null()), "{device}: {ran}");
        assert_eq!(results[1]["result"]["entered"], json!({ "text": "ada@example.com", "verified": true }), "{device}");
        assert_eq!(results[2]["result"]["entered"]["length"], 9, "{device}");
        assert_eq!(results[3]["result"]["matches"][0]["text"], "Sign out", "{device}");
        assert!(!ran.to_string().contains("lovelace1"), "{device}");
        assert!(ran["text"].as_str().is_some_and(|text| text.contains("Hello, Ada")), "{device}: {ran}");
        assert!(ran["frame"].is_string(), "{device}: {ran}");
        let out = ok(&host, device, "steps", json!({ "steps": [sign_out] })).await;
        assert_eq!((&out["results"][0]["ok"], &out["stopped_at"]), (&json!(true), &Value::Null), "{device}: {out}");
    }
}

#[tokio::test]
async fn a_miss_stops_and_is_no_error() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        let ran = ok(&host, device, "steps", json!({ "steps": login("wrong"), "timeout_ms": 60_000 })).await;
        assert_eq!(ran["stopped_at"], 2, "{device}: {ran}");
        let results = ran["results"].as_array().expect("results");
        assert_eq!(results.len(), 3, "{device}: {ran}");
        // What the step did is told, and what was waited for.
        let missed = &results[2];
        assert!(missed["ok"] == false && missed["result"].is_object() && missed["error"].is_null(), "{device}: {ran}");
        assert_eq!(missed["expect"]["met"], false, "{device}: {ran}");
        assert!(ran["reason"].as_str().is_some_and(|reason| reason.contains("not on the screen")), "{device}: {ran}");
        assert!(results[0]["ok"] == true && results[1]["ok"] == true, "{device}: {ran}");
    }
}

#[tokio::test]
async fn a_step_that_fails_stops_and_says_why() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        let steps = json!([
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings" } },
            { "tool": "tap", "arguments": { "element": "button \"Nothing\"" } },
            { "tool": "press_button", "arguments": { "button": "home" } },
        ]);
        let ran = ok(&host, device, "steps", json!({ "steps": steps, "observe": "tree" })).await;
        assert_eq!((&ran["stopped_at"], ran["results"].as_array().map(Vec::len)), (&json!(1), Some(2)), "{ran}");
        let error = &ran["results"][1]["error"];
        assert_eq!((&error["code"], &error["outcome"]), (&json!("element_not_found"), &json!("not_done")), "{ran}");
        assert!(error["hint"].is_string() && ran["reason"] == error["message"], "{ran}");
        // The observation is of where it stopped.
        assert!(ran["text"].as_str().is_some_and(|text| text.contains("General")), "{device}: {ran}");
    }
}

#[tokio::test]
async fn a_bad_step_is_refused_before_anything_is_done() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.settings" })).await;
    sim.clear_log();
    let tap = json!({ "tool": "tap", "arguments": { "x": 200, "y": 400 } });
    for (bad, said) in [
        (json!({ "tool": "tap", "arguments": { "x": "left" } }), "steps[1]"),
        (json!({ "tool": "tap", "arguments": { "x": 1, "y": 1, "device_id": "virtual" } }), "device_id"),
        (json!({ "tool": "fly", "arguments": {} }), "fly"),
        (json!({ "tool": "run_steps", "arguments": { "steps": [tap] } }), "run_steps"),
        (json!({ "tool": "connect_device", "arguments": {} }), "connect_device"),
        (json!({ "tool": "disconnect_device", "arguments": {} }), "disconnect_device"),
        (json!({ "tool": "start_task", "arguments": { "goal": "x" } }), "start_task"),
        (json!({ "tool": "tap", "arguments": { "x": 1, "y": 1 }, "expect": {} }), "steps[1].expect"),
        (json!({ "tool": "tap", "arguments": { "x": 1, "y": 1 }, "expected": {} }), "expected"),
        (json!({ "arguments": {} }), "tool"),
    ] {
        let error = refused(&host, "iphone", "steps", json!({ "steps": [tap, bad] }), "invalid_arguments").await;
        assert_eq!(error["outcome"], "not_done");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(said)), "{said}: {error}");
    }
    for count in [0, 51] {
        let steps = vec![tap.clone(); count];
        refused(&host, "iphone", "steps", json!({ "steps": steps }), "invalid_arguments").await;
    }
    assert!(sim.touches().is_empty(), "the phone was touched: {:?}", sim.touches());
    // The lease is as it was; fifty steps are not too many.
    let looks = vec![json!({ "tool": "device_status" }); 50];
    let ran = ok(&host, "iphone", "steps", json!({ "steps": looks })).await;
    assert_eq!(ran["results"].as_array().map(Vec::len), Some(50));
}

#[tokio::test]
async fn nobody_else_gets_the_phone_between_two_steps() {
    let (sim, host) = phones("").await;
    for device in BOTH {
        // The first steps only look, and would leave the phone to anybody.
        let steps = json!([
            { "tool": "wait_for", "arguments": { "idle": true } },
            { "tool": "wait_for", "arguments": { "idle": true } },
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings" },
              "expect": { "text": "General" } },
        ]);
        let path = format!("/devices/{device}/steps");
        let batch = host.post_as("ann", &path, json!({ "steps": steps }));
        let other = async {
            host.until(&format!("/devices/{device}"), |body| body["lease"]["holder"].is_string()).await;
            let (status, body) =
                host.post_as("bob", &format!("/devices/{device}/press"), json!({ "button": "home" })).await;
            assert_eq!((status, &body["code"]), (409, &json!("device_busy")), "{device}: {body}");
            let (status, body) = host.post_as("bob", &path, json!({ "steps": steps })).await;
            assert_eq!((status, &body["code"]), (409, &json!("device_busy")), "{device}: {body}");
        };
        let ((status, ran), ()) = tokio::join!(batch, other);
        assert_eq!((status, &ran["stopped_at"]), (200, &Value::Null), "{device}: {ran}");
    }
    assert_eq!(sim.phone().active_app().id, "com.fingertip.settings");
}

#[tokio::test]
async fn a_lease_that_is_given_is_used_kept_and_missed() {
    let host = Host::with_virtual_phone().await;
    let (_, connected) = host.post_as("ann", "/devices/phone/connect", json!({ "ttl_s": 1 })).await;
    let lease = connected["lease"]["id"].as_str().expect("a lease");
    // Longer than the lease stands by itself, and as another client.
    let rest = json!({ "tool": "wait_for", "arguments": { "idle": true } });
    let steps = json!([rest, rest, rest, { "tool": "press_button", "arguments": { "button": "home" } }]);
    let (status, ran) = host.post_as("bob", "/devices/phone/steps", json!({ "steps": steps, "lease": lease })).await;
    assert_eq!((status, &ran["stopped_at"]), (200, &Value::Null), "{ran}");
    let (_, body) = host.post_as("bob", "/devices/phone/steps", json!({ "steps": steps, "lease": "made up" })).await;
    assert_eq!((&body["code"], &body["outcome"]), (&json!("lease_lost"), &json!("not_done")), "{body}");

    // Its holder gives it back while the steps are on their way.
    let batch = host.post_as("ann", "/devices/phone/steps", json!({ "steps": steps, "lease": lease }));
    let end = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let (status, body) = host.post_as("ann", "/devices/phone/disconnect", json!({ "lease": lease })).await;
        assert_eq!(status, 200, "{body}");
    };
    let ((status, ran), ()) = tokio::join!(batch, end);
    assert_eq!(status, 200, "{ran}");
    let stopped = ran["stopped_at"].as_u64().expect("it stopped") as usize;
    assert_eq!(ran["results"][stopped]["error"]["code"], "lease_lost", "{ran}");
}

#[tokio::test]
async fn one_observation_of_each_kind() {
    let (_sim, host) = phones("").await;
    for device in BOTH {
        let steps = || {
            json!([
                { "tool": "launch_app", "arguments": { "app": "com.fingertip.settings", "fresh": true } },
                { "tool": "take_screenshot" },
                { "tool": "tap", "arguments": { "text": "General", "observe": "screenshot" },
                  "expect": { "text": "About" } },
            ])
        };
        let none = ok(&host, device, "steps", json!({ "steps": steps() })).await;
        assert_eq!(none["stopped_at"], Value::Null, "{device}: {none}");
        for field in ["frame", "diff", "text", "picture"] {
            assert!(none[field].is_null(), "{device} {field}: {none}");
        }
        // Pictures of steps stay away; their frames can be used.
        assert!(!none.to_string().contains("base64") && none.to_string().len() < 4000, "{device}: {none}");
        assert!(none["results"][1]["result"]["frame"].is_string(), "{device}: {none}");
        assert!(none["results"][2]["result"]["frame"].is_string(), "{device}: {none}");

        let tree = ok(&host, device, "steps", json!({ "steps": steps(), "observe": "tree" })).await;
        assert!(tree["text"].as_str().is_some_and(|text| text.contains("About")), "{device}: {tree}");

        ok(&host, device, "launch", json!({ "app": "com.fingertip.signin", "fresh": true })).await;
        let diff = ok(&host, device, "steps", json!({ "steps": steps(), "observe": "diff" })).await;
        let said = diff["diff"].as_str().unwrap_or_else(|| panic!("{device}: {diff}"));
        // From before the first step to after the last one.
        assert!(said.contains("- ") && said.contains("Remember me"), "{device}: {said}");
        assert!(said.contains("+ ") && said.contains("About"), "{device}: {said}");
        assert!(diff["text"].is_null() && diff["frame"].is_string(), "{device}: {diff}");

        let shot = ok(&host, device, "steps", json!({ "steps": steps(), "observe": "screenshot" })).await;
        let picture = shot["picture"]["data"].as_str().expect("a picture");
        let picture = base64::engine::general_purpose::STANDARD.decode(picture).expect("base64");
        assert!(picture.starts_with(&[0xff, 0xd8]) && shot["frame"].is_string(), "{device}");
    }
}

#[tokio::test]
async fn a_repeated_batch_is_done_once() {
    let (sim, host) = phones("").await;
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.settings" })).await;
    sim.clear_log();
    let steps = json!([{ "tool": "tap", "arguments": { "x": 195, "y": 20 } }]);
    let call = json!({ "steps": steps, "idempotency_key": "one" });
    let first = ok(&host, "iphone", "steps", call.clone()).await;
    let touches = sim.touches().len();
    assert!(touches > 0);
    assert_eq!(ok(&host, "iphone", "steps", call).await, first);
    assert_eq!(sim.touches().len(), touches);
    let other = json!({ "steps": [steps[0], steps[0]], "idempotency_key": "one" });
    refused(&host, "iphone", "steps", other, "invalid_arguments").await;
    ok(&host, "iphone", "steps", json!({ "steps": steps, "idempotency_key": "two" })).await;
    assert_eq!(sim.touches().len(), 2 * touches);
}

#[tokio::test]
async fn the_time_is_that_of_all_steps() {
    let host = Host::with_virtual_phone().await;
    let rest = json!({ "tool": "wait_for", "arguments": { "idle": true } });
    let started = std::time::Instant::now();
    let call = json!({ "steps": [rest, rest, rest, { "tool": "press_button", "arguments": { "button": "home" } }],
        "timeout_ms": 1000 });
    let ran = ok(&host, "phone", "steps", call).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    // The first wait has its time. One that runs out of it stops what comes after.
    assert_eq!((&ran["results"][0]["result"]["met"], &ran["results"][0]["ok"]), (&json!(true), &json!(true)), "{ran}");
    let stopped = ran["stopped_at"].as_u64().expect("stopped") as usize;
    assert!((1..3).contains(&stopped) && ran["results"].as_array().map(Vec::len) == Some(stopped + 1), "{ran}");
    assert!(ran["results"][stopped]["ok"] == false && ran["reason"].is_string(), "{ran}");
}

#[tokio::test]
async fn a_phone_that_is_not_there_is_the_calls_own_error() {
    let devices = e2e::host::wda_devices(&[("away", "http://127.0.0.1:1")]);
    let host = Setup::new(&devices).serve().await;
    for observe in ["none", "diff"] {
        let call = json!({ "steps": [{ "tool": "get_ui_tree" }], "observe": observe, "idempotency_key": "a" });
        let (status, body) = host.post("/devices/away/steps", call).await;
        assert_eq!((status, &body["code"], &body["outcome"]), (503, &json!("device_offline"), &json!("not_done")));
    }
}

#[tokio::test]
async fn a_denied_app_is_neither_started_nor_ended_nor_touched() {
    let deny =
        "[tools]\ndeny_apps = [\"COM.FINGERTIP.SIGNIN\", \"com.apple.Pref*\", \"com.fingertip.set*\", \"Notes\"]\n";
    let (sim, host) = phones(deny).await;
    let denied = |error: &Value, outcome: &str| {
        assert_eq!(error["outcome"], outcome, "{error}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("deny_apps")), "{error}");
    };
    for device in BOTH {
        ok(&host, device, "press", json!({ "button": "home" })).await;
        for what in ["launch", "terminate"] {
            for app in ["com.fingertip.signin", "com.fingertip.settings", "notes", " Notes "] {
                denied(&refused(&host, device, what, json!({ "app": app }), "forbidden").await, "not_done");
            }
        }
        // In a batch too; what was done before stays done.
        let steps = json!([
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.contacts" } },
            { "tool": "launch_app", "arguments": { "app": "com.fingertip.signin" } },
        ]);
        let ran = ok(&host, device, "steps", json!({ "steps": steps })).await;
        assert_eq!(
            (&ran["stopped_at"], &ran["results"][1]["error"]["code"]),
            (&json!(1), &json!("forbidden")),
            "{ran}"
        );
    }
    // The virtual phone tells its apps, so that a name is known for a denied id.
    for (what, app) in [("launch", "Sign-in"), ("terminate", "sign-in"), ("launch", "Settings")] {
        denied(&refused(&host, "virtual", what, json!({ "app": app }), "forbidden").await, "not_done");
    }
    assert_eq!(host.get("/devices/virtual").await.1["app"]["id"], "com.fingertip.contacts");
    // The other one does not, so that it is told afterwards, and nothing is done in it.
    denied(&refused(&host, "iphone", "launch", json!({ "app": "Settings" }), "forbidden").await, "done");
    sim.clear_log();
    for (what, body) in [
        ("tap", json!({ "x": 100, "y": 400, "verify": false })),
        ("tap", json!({ "text": "General" })),
        ("swipe", json!({ "direction": "up" })),
        ("input", json!({ "text": "x" })),
        ("steps", json!({ "steps": [{ "tool": "tap", "arguments": { "x": 1, "y": 1 } }] })),
    ] {
        denied(&refused(&host, "iphone", what, body, "forbidden").await, "not_done");
    }
    assert!(sim.requests().is_empty() && sim.touches().is_empty(), "the phone was asked for something");
    // It can be left, and then all is as ever.
    ok(&host, "iphone", "press", json!({ "button": "home" })).await;
    ok(&host, "iphone", "swipe", json!({ "direction": "left" })).await;
    denied(&refused(&host, "iphone", "launch", json!({ "app": "Settings" }), "forbidden").await, "done");
    ok(&host, "iphone", "press", json!({ "button": "home", "verify": false })).await;
    ok(&host, "iphone", "tap", json!({ "x": 5, "y": 5, "verify": false })).await;
    denied(&refused(&host, "iphone", "launch", json!({ "app": "Settings" }), "forbidden").await, "done");
    ok(&host, "iphone", "launch", json!({ "app": "com.fingertip.contacts" })).await;
    ok(&host, "iphone", "swipe", json!({ "direction": "up" })).await;
    // Looking is allowed, and tells when somebody has left the app.
    sim.phone().home();
    let (status, _) = host.get("/devices/iphone/tree").await;
    assert_eq!(status, 200);
    ok(&host, "iphone", "wait", json!({ "app": "com.apple.springboard", "timeout_ms": 1000 })).await;
    ok(&host, "iphone", "tap", json!({ "x": 195, "y": 20 })).await;
}

#[tokio::test]
async fn what_is_not_offered_is_no_step_either() {
    let phone = e2e::host::virtual_device("phone");
    let host = Host::with(&format!("{phone}[tools]\nread_only = true\n")).await;
    let mcp = Mcp::new(&host, "reader");
    let tools = mcp.tools().await.to_string();
    assert!(tools.contains("get_ui_tree") && !tools.contains("run_steps"), "{tools}");
    let (status, body) = host.post("/devices/phone/steps", json!({ "steps": [{ "tool": "get_ui_tree" }] })).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_found")), "{body}");

    let host = Host::with(&format!("{phone}[tools]\ntools = [\"run_steps\", \"press_button\"]\n")).await;
    let home = json!({ "tool": "press_button", "arguments": { "button": "home" } });
    ok(&host, "phone", "steps", json!({ "steps": [home] })).await;
    for bad in [
        json!({ "tool": "tap", "arguments": { "x": 1, "y": 1 } }),
        json!({ "tool": "press_button", "arguments": { "button": "home" }, "expect": { "idle": true } }),
    ] {
        let error = refused(&host, "phone", "steps", json!({ "steps": [home, bad] }), "invalid_arguments").await;
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with("steps[1]")), "{error}");
    }
}
