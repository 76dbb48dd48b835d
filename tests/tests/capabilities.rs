//! What can be done with a phone beside touching it, and scrolling until something is there: on the virtual phone, and through
//! the *simulated* iPhone.

use driver_api::Alert;
use e2e::{
    host::{Host, library_device},
    mcp::Mcp,
    phones::{BOTH, ok, phones, refused},
    wda_sim::WdaSim,
};
use serde_json::{Value, json};

/// The simulated browser's own pages, and an address that nothing takes, beside what is usual; and a third device.
fn settings() -> String {
    let tools = "[tools]\nurl_schemes = [\"https\", \"demo\", \"gopher\"]\n";
    tools.to_owned() + &library_device("custom_driver", "pad")
}

async fn app(host: &Host, device: &str) -> Value {
    let (_, tree) = host.get(&format!("/devices/{device}/tree")).await;
    tree["app"]["id"].clone()
}

/// Brings up an alert that the phone raises by itself.
async fn ask(host: &Host, device: &str) {
    ok(host, device, "launch", json!({ "app": "com.fingertip.settings", "fresh": true })).await;
    ok(host, device, "tap", json!({ "text": "General" })).await;
    ok(host, device, "scroll-to", json!({ "text": "Reset All Settings" })).await;
    ok(host, device, "tap", json!({ "text": "Reset All Settings" })).await;
}

#[tokio::test]
async fn a_url_opens_in_the_app_that_takes_it() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "press", json!({ "button": "home" })).await;
        let opened = ok(&host, device, "open-url", json!({ "url": "https://example.com/a", "observe": "tree" })).await;
        assert_eq!(opened["effect"]["state"], "changed", "{device}: {opened}");
        assert_eq!(opened["effect"]["cause"], Value::Null, "{device}: it was meant to leave the app: {opened}");
        assert!(opened["text"].as_str().is_some_and(|text| text.contains("example.com")), "{device}: {opened}");
        assert_eq!(app(&host, device).await, "com.fingertip.browser", "{device}");
        for bad in ["example.com", "not a url", ":", "https:", "https://exa mple.com"] {
            let error = refused(&host, device, "open-url", json!({ "url": bad }), "invalid_arguments").await;
            assert_eq!(error["outcome"], "not_done", "{device} {bad}: {error}");
        }
        let quick = ok(&host, device, "open-url", json!({ "url": "https://example.com/b", "verify": false })).await;
        assert_eq!(quick["effect"]["state"], "unknown", "{device}: {quick}");
    }
    // No app of the phone takes it.
    refused(&host, "virtual", "open-url", json!({ "url": "gopher://example.com" }), "invalid_arguments").await;
    let error = refused(&host, "virtual", "open-url", json!({ "url": "javascript:alert(1)" }), "forbidden").await;
    assert_eq!(error["outcome"], "not_done", "{error}");
    refused(&host, "pad", "open-url", json!({ "url": "https://example.com" }), "unsupported").await;
}

#[tokio::test]
async fn an_alert_is_answered_by_label_or_by_what_it_means() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        let none = refused(&host, device, "alert", json!({ "action": "accept" }), "element_not_found").await;
        assert!(none["message"].as_str().is_some_and(|text| text.contains("no alert")), "{device}: {none}");

        ask(&host, device).await;
        refused(&host, device, "tap", json!({ "text": "About" }), "alert_in_front").await;
        refused(&host, device, "open-url", json!({ "url": "https://example.com" }), "alert_in_front").await;
        refused(&host, device, "scroll-to", json!({ "text": "About" }), "alert_in_front").await;
        let wrong = refused(&host, device, "alert", json!({ "button": "Perhaps" }), "element_not_found").await;
        assert_eq!(wrong["details"]["buttons"], json!(["Cancel", "Reset"]), "{device}: {wrong}");
        assert_eq!(wrong["outcome"], "not_done", "{device}: {wrong}");
        for both in [json!({}), json!({ "button": "Cancel", "action": "dismiss" })] {
            refused(&host, device, "alert", both, "invalid_arguments").await;
        }
        let answered = ok(&host, device, "alert", json!({ "action": "dismiss", "observe": "diff" })).await;
        assert_eq!(answered["alert"]["buttons"], json!(["Cancel", "Reset"]), "{device}: {answered}");
        assert!(answered["alert"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{device}: {answered}");
        assert_eq!(answered["effect"]["state"], "changed", "{device}: {answered}");
        assert!(answered["diff"].as_str().is_some_and(|diff| diff.contains("- ")), "{device}: {answered}");

        ok(&host, device, "tap", json!({ "text": "Reset All Settings" })).await;
        // Case does not matter.
        ok(&host, device, "alert", json!({ "button": "cancel" })).await;
        refused(&host, device, "alert", json!({ "button": "Cancel" }), "element_not_found").await;
    }
    refused(&host, "pad", "alert", json!({ "action": "accept" }), "unsupported").await;
}

#[tokio::test]
async fn accept_presses_the_last_button_and_the_only_one_is_both() {
    let (sim, host) = phones(&settings()).await;
    let raise = |buttons: &[&str]| {
        let buttons = buttons.iter().map(|button| (*button).to_owned()).collect();
        sim.phone().raise_alert(Alert { text: "May I?".to_owned(), buttons });
    };
    for (buttons, action) in [(&["No", "Yes"][..], "accept"), (&["OK"][..], "accept"), (&["OK"][..], "dismiss")] {
        raise(buttons);
        let answered = ok(&host, "iphone", "alert", json!({ "action": action })).await;
        assert_eq!(answered["alert"], json!({ "text": "May I?", "buttons": buttons }));
        assert!(sim.phone().alert().is_none());
    }
    raise(&["Don\u{2019}t Allow", "Allow"]);
    ok(&host, "iphone", "alert", json!({ "button": "Don't allow" })).await;
    assert!(sim.phone().alert().is_none());
}

#[tokio::test]
async fn turning_the_screen_makes_older_frames_stale() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.settings" })).await;
        let before = ok(&host, device, "screenshot", json!({})).await;
        assert_eq!(before["orientation"], "portrait", "{device}");
        for (orientation, size) in [
            ("landscape_left", (844.0, 390.0)),
            ("landscape_right", (844.0, 390.0)),
            ("portrait_upside_down", (390.0, 844.0)),
            ("portrait", (390.0, 844.0)),
            ("landscape_left", (844.0, 390.0)),
        ] {
            let turned = ok(&host, device, "orientation", json!({ "orientation": orientation })).await;
            let screen = &turned["screen"];
            assert_eq!((screen["width"].as_f64(), screen["height"].as_f64()), (Some(size.0), Some(size.1)), "{device}");
            assert_eq!(screen["orientation"], orientation, "{device}: {turned}");
            assert_eq!(turned["effect"]["state"], "changed", "{device} {orientation}: {turned}");
        }
        let again = ok(&host, device, "orientation", json!({ "orientation": "landscape_left" })).await;
        assert_eq!(again["effect"]["state"], "unchanged", "{device}: {again}");
        let (_, status) = host.get(&format!("/devices/{device}")).await;
        assert_eq!(status["screen"]["orientation"], "landscape_left", "{device}: {status}");
        let tap = json!({ "x": 200, "y": 300, "space": "image", "frame": before["frame"] });
        let stale = refused(&host, device, "tap", tap, "stale_frame").await;
        assert_eq!(stale["details"]["width"].as_f64(), Some(844.0), "{device}: {stale}");
        refused(&host, device, "orientation", json!({ "orientation": "sideways" }), "invalid_arguments").await;
    }
    refused(&host, "pad", "orientation", json!({ "orientation": "portrait" }), "unsupported").await;
}

#[tokio::test]
async fn the_clipboard_is_read_by_all_written_by_the_holder_and_logged_by_nobody() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        let secret = format!("correct horse battery {device} ✓");
        let put = ok(&host, device, "clipboard", json!({ "text": secret })).await;
        assert_eq!(put, json!({ "text": secret }), "{device}");
        let (status, body) =
            host.post_as("somebody-else", &format!("/devices/{device}/clipboard"), json!({ "text": "mine" })).await;
        assert_eq!((status, &body["code"]), (409, &json!("device_busy")), "{device}: {body}");
        let (status, read) = host.post_as("somebody-else", &format!("/devices/{device}/clipboard"), json!({})).await;
        assert_eq!((status, &read["text"]), (200, &json!(secret)), "{device}: {read}");
        assert!(!host.log().contains("correct horse"), "{device}");
        ok(&host, device, "clipboard", json!({ "text": "" })).await;
        assert_eq!(ok(&host, device, "clipboard", json!({})).await["text"], "", "{device}");

        let (_, connected) = host.post_as("alice", &format!("/devices/{device}/disconnect"), json!({})).await;
        assert_eq!(connected["code"], "device_busy", "{device}: {connected}");
        let lost = json!({ "text": "x", "lease": "none" });
        refused(&host, device, "clipboard", lost, "lease_lost").await;
    }
    refused(&host, "pad", "clipboard", json!({}), "unsupported").await;
    refused(&host, "pad", "clipboard", json!({ "text": "x" }), "unsupported").await;
}

/// The last swipes of the virtual phone behind the simulator.
fn swipes(sim: &WdaSim) -> u64 {
    sim.phone().touch_count()
}

#[tokio::test]
async fn scrolling_finds_what_is_further_down_or_up_and_what_is_there_already() {
    let (sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.contacts", "fresh": true })).await;
        let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
        let cells: Vec<&Value> =
            tree["elements"].as_array().expect("elements").iter().filter(|element| element["role"] == "cell").collect();
        let first = cells[0]["label"].as_str().expect("a name").to_owned();

        let touches = swipes(&sim);
        let here = ok(&host, device, "scroll-to", json!({ "text": first, "observe": "diff" })).await;
        assert_eq!(here["effect"], json!({ "state": "unchanged" }), "{device}: {here}");
        assert_eq!(here["match"]["text"], first, "{device}: {here}");
        assert_eq!(swipes(&sim), touches, "{device}: it was there");

        let far = ok(&host, device, "scroll-to", json!({ "text": "Grace Hopper", "max_swipes": 30 })).await;
        assert_eq!(far["effect"]["state"], "changed", "{device}: {far}");
        assert_eq!(far["match"]["text"], "Grace Hopper", "{device}: {far}");
        let center = &far["match"]["center"];
        ok(&host, device, "tap", json!({ "x": center["x"], "y": center["y"] })).await;
        let met = ok(&host, device, "wait", json!({ "text": "grace.hopper@example.com" })).await;
        assert_eq!(met["met"], true, "{device}: the place is where it can be touched: {met}");
        ok(&host, device, "tap", json!({ "element": "button \"Contacts\"" })).await;

        // Back up, by its words and then by its ref: the phone knows only of the rows that it shows.
        let words = json!({ "element": format!("cell {first:?}"), "direction": "down", "max_swipes": 30 });
        let up = ok(&host, device, "scroll-to", words).await;
        assert!(up["match"]["element"].as_str().is_some_and(|found| found.contains(&first)), "{device}: {up}");
        ok(&host, device, "scroll-to", json!({ "text": "Grace Hopper", "max_swipes": 30 })).await;
        let by_ref = json!({ "element": up["match"]["ref"], "direction": "down", "max_swipes": 30 });
        let by_ref = ok(&host, device, "scroll-to", by_ref).await;
        assert_eq!(by_ref["match"]["ref"], up["match"]["ref"], "{device}: {by_ref}");
    }
}

#[tokio::test]
async fn at_the_end_of_a_list_it_turns_round_unless_a_direction_was_given() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.contacts", "fresh": true })).await;
        ok(&host, device, "scroll-to", json!({ "text": "Grace Hopper", "max_swipes": 30 })).await;
        let only = json!({ "text": "Ada Lovelace", "direction": "up", "max_swipes": 50, "timeout_ms": 120_000 });
        let error = refused(&host, device, "scroll-to", only, "element_not_found").await;
        assert_eq!(error["details"]["end_reached"], true, "{device}: {error}");
        let found = json!({ "text": "Ada Lovelace", "max_swipes": 50, "timeout_ms": 120_000 });
        let found = ok(&host, device, "scroll-to", found).await;
        assert_eq!(found["match"]["text"], "Ada Lovelace", "{device}: {found}");
    }
}

#[tokio::test]
async fn what_the_phone_knows_to_be_off_the_screen_is_scrolled_to_the_right_way() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "open-url", json!({ "url": "demo:500" })).await;
        for row in ["Row 60", "Row 1", "Row 45"] {
            let found = ok(&host, device, "scroll-to", json!({ "element": format!("cell {row:?}") })).await;
            let found = &found["match"];
            assert!(found["element"].as_str().is_some_and(|element| element.contains(row)), "{device}: {found}");
            let tap = json!({ "x": found["center"]["x"], "y": found["center"]["y"] });
            ok(&host, device, "tap", tap).await;
            let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
            let chosen: Vec<&Value> = tree["elements"]
                .as_array()
                .expect("elements")
                .iter()
                .filter(|element| element["role"] == "cell" && element["selected"] == true)
                .collect();
            assert!(chosen.len() == 1 && chosen[0]["label"] == row, "{device} {row}: {chosen:?}");
        }
    }
}

#[tokio::test]
async fn scrolling_ends_where_the_list_ends_and_after_so_many_swipes() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "launch", json!({ "app": "com.fingertip.settings", "fresh": true })).await;
        let missing = json!({ "text": "Generel", "max_swipes": 30 });
        let error = refused(&host, device, "scroll-to", missing, "element_not_found").await;
        assert_eq!(error["details"]["end_reached"], true, "{device}: {error}");
        assert!(error["details"]["near"].as_array().is_some_and(|near| near.contains(&json!("General"))), "{error}");
        assert_eq!(error["outcome"], "unknown", "{device}: it was scrolled: {error}");
        let swipes = error["details"]["swipes"].as_u64().expect("a number");
        assert!((1..30).contains(&swipes), "{device}: {error}");

        // Nothing is known of the way, so that it goes to one end and then to the other.
        assert!(error["message"].as_str().is_some_and(|text| text.contains("one end and the other")), "{error}");

        let element = json!({ "element": "cell \"Generel\"", "direction": "down" });
        let error = refused(&host, device, "scroll-to", element, "element_not_found").await;
        assert_eq!(error["details"]["end_reached"], true, "{device}: {error}");
        assert!(error["details"]["near"].to_string().contains("General"), "{device}: {error}");

        ok(&host, device, "open-url", json!({ "url": "demo:500" })).await;
        let error =
            refused(&host, device, "scroll-to", json!({ "text": "Row 9000", "max_swipes": 2 }), "element_not_found");
        let error = error.await;
        assert_eq!(
            (&error["details"]["end_reached"], &error["details"]["swipes"]),
            (&json!(false), &json!(2)),
            "{device}: {error}"
        );
        let short = json!({ "text": "Row 9000", "max_swipes": 50, "timeout_ms": 1500 });
        let error = refused(&host, device, "scroll-to", short, "timeout").await;
        assert_ne!(error["outcome"], "done", "{device}: {error}");
        let (_, status) = host.get(&format!("/devices/{device}")).await;
        assert_eq!(status["device"]["status"], "busy", "{device}: a caller's own limit marks nothing: {status}");

        refused(&host, device, "scroll-to", json!({ "element": "e99999" }), "element_stale").await;
        for bad in [json!({}), json!({ "text": "a", "element": "e1" }), json!({ "text": "a", "max_swipes": 51 })] {
            refused(&host, device, "scroll-to", bad, "invalid_arguments").await;
        }
    }
}

/// How far the browser's photograph is zoomed.
async fn zoom(host: &Host, device: &str) -> String {
    let (_, tree) = host.get(&format!("/devices/{device}/tree?format=json")).await;
    let elements = tree["elements"].as_array().expect("elements");
    let photo = elements.iter().find(|element| element["identifier"] == "photo").expect("the photo");
    photo["value"].as_str().expect("a zoom").to_owned()
}

#[tokio::test]
async fn two_fingers_pinch() {
    let (_sim, host) = phones(&settings()).await;
    for device in BOTH {
        ok(&host, device, "open-url", json!({ "url": "demo:photo" })).await;
        let spread = ok(&host, device, "swipe", json!({ "pinch": 2, "element": "image #photo" })).await;
        assert_eq!(spread["effect"]["state"], "changed", "{device}: {spread}");
        assert_eq!(zoom(&host, device).await, "Zoom 200%", "{device}");
        let photo = ok(&host, device, "scroll-to", json!({ "element": "image #photo" })).await;
        let center = &photo["match"]["center"];
        let close = json!({ "pinch": 0.5, "from_x": center["x"], "from_y": center["y"], "duration_ms": 200 });
        ok(&host, device, "swipe", close).await;
        assert_eq!(zoom(&host, device).await, "Zoom 100%", "{device}");
        ok(&host, device, "swipe", json!({ "pinch": 1.5 })).await;
        for bad in [
            json!({ "pinch": 2, "direction": "up" }),
            json!({ "pinch": 2, "from_x": 100, "from_y": 100, "to_x": 200, "to_y": 200 }),
            json!({ "pinch": 2, "hold_ms": 100 }),
            json!({ "pinch": 2, "from_x": 100 }),
            json!({ "pinch": 2, "from_x": 100, "from_y": 100, "element": "image #photo" }),
            json!({ "pinch": 0.05 }),
            json!({ "pinch": 11 }),
        ] {
            let error = refused(&host, device, "swipe", bad, "invalid_arguments").await;
            assert_eq!(error["outcome"], "not_done", "{device}: {error}");
        }
        let corner = json!({ "pinch": 2, "from_x": 2, "from_y": 2 });
        refused(&host, device, "swipe", corner, "out_of_bounds").await;
    }
    refused(&host, "pad", "swipe", json!({ "pinch": 2 }), "unsupported").await;
}

#[tokio::test]
async fn the_status_lists_every_tool_that_a_device_can_serve() {
    let (_sim, host) = phones(&settings()).await;
    let listed = Mcp::new(&host, "reader").tools().await;
    let names = listed.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str());
    let mut tools: Vec<String> = names.map(str::to_owned).collect();
    tools.sort();
    for device in BOTH {
        let (_, status) = host.get(&format!("/devices/{device}")).await;
        let mut features: Vec<&str> =
            status["features"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        features.sort_unstable();
        assert_eq!(features, tools, "{device}");
    }
    let (_, status) = host.get("/devices/pad").await;
    let features = status["features"].to_string();
    assert!(features.contains("scroll_to") && !features.contains("open_url"), "{status}");
}
