//! Fingers, as current and as old servers take them.

use super::*;

#[tokio::test]
async fn a_tap_is_one_request_with_the_point_as_given() {
    let (server, driver) = connected(|_| None).await;
    driver.tap(Point::new(12.5, 700.0)).await.unwrap();
    let requests = server.take();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].line, "POST /session/S-1/actions");
    let body: Value = serde_json::from_str(&requests[0].body).unwrap();
    let finger = &body["actions"][0];
    assert_eq!((&finger["type"], &finger["parameters"]["pointerType"]), (&json!("pointer"), &json!("touch")));
    let kinds: Vec<_> =
        finger["actions"].as_array().unwrap().iter().map(|step| step["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["pointerMove", "pointerDown", "pause", "pointerUp"]);
    assert_eq!((&finger["actions"][0]["x"], &finger["actions"][0]["y"]), (&json!(12.5), &json!(700.0)));
    assert_eq!(driver.tap(Point::new(f64::NAN, 0.0)).await.unwrap_err().kind, ErrorKind::InvalidArgument);
    assert!(server.take().is_empty());
}

#[tokio::test]
async fn a_swipe_tells_its_time_in_the_movement_and_its_hold_in_a_pause() {
    let (server, driver) = connected(|_| None).await;
    let swipe = Swipe {
        from: Point::new(1.0, 2.0),
        to: Point::new(3.0, 4.0),
        hold: Duration::from_millis(500),
        duration: Duration::from_millis(300),
    };
    driver.swipe(swipe).await.unwrap();
    driver.swipe(Swipe { hold: Duration::ZERO, ..swipe }).await.unwrap();
    driver.long_press(Point::new(1.0, 2.0), Duration::from_secs(2)).await.unwrap();
    let steps: Vec<Vec<(String, u64)>> = server
        .take()
        .iter()
        .map(|request| {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let steps = body["actions"][0]["actions"].as_array().unwrap();
            steps
                .iter()
                .map(|step| (step["type"].as_str().unwrap().to_owned(), step["duration"].as_u64().unwrap_or(0)))
                .collect()
        })
        .collect();
    let step = |name: &str, time| (name.to_owned(), time);
    let (start, end) = ([step("pointerMove", 0), step("pointerDown", 0)], step("pointerUp", 0));
    let all = |middle: &[(String, u64)]| [&start[..], middle, std::slice::from_ref(&end)].concat();
    assert_eq!(
        steps,
        [
            all(&[step("pause", 500), step("pointerMove", 300)]),
            all(&[step("pointerMove", 300)]),
            all(&[step("pause", 2000)])
        ]
    );
}

#[tokio::test]
async fn several_fingers_are_several_sources() {
    let (server, driver) = connected(|_| None).await;
    let path = |places: &[(u64, f64)]| Finger {
        path: places.iter().map(|&(at_ms, x)| PathPoint { at_ms, point: Point::new(x, 5.0) }).collect(),
    };
    driver.gesture(vec![path(&[(0, 1.0), (100, 1.0), (300, 9.0)]), path(&[(50, 4.0)])]).await.unwrap();
    let body: Value = serde_json::from_str(&server.take()[0].body).unwrap();
    assert_eq!((&body["actions"][0]["id"], &body["actions"][1]["id"]), (&json!("finger1"), &json!("finger2")));
    assert_eq!(body["actions"][0]["actions"][2], json!({"type": "pause", "duration": 100}));
    assert_eq!(body["actions"][0]["actions"][3]["duration"], 200);
    assert_eq!(body["actions"][1]["actions"][0]["duration"], 50);
    for fingers in [vec![], vec![Finger::default()], vec![path(&[(5, 1.0), (4, 1.0)])]] {
        assert_eq!(driver.gesture(fingers).await.unwrap_err().kind, ErrorKind::InvalidArgument);
    }
    assert!(server.take().is_empty());
}

#[tokio::test]
async fn older_servers_get_the_commands_that_they_have_and_the_choice_is_kept() {
    for (has, first) in [("/wda/tap", 2), ("/wda/tap/0", 3)] {
        let (server, driver) = connected(move |request| {
            let touch = request.line.contains("/actions") || request.line.contains("/wda/tap");
            (touch && !request.line.ends_with(has)).then(|| refuse(404, "unknown command", ""))
        })
        .await;
        driver.tap(Point::new(1.0, 2.0)).await.unwrap();
        assert_eq!(server.take().len(), first);
        driver.tap(Point::new(1.0, 2.0)).await.unwrap();
        let again = server.take();
        assert_eq!((again.len(), again[0].body.as_str()), (1, r#"{"x":1.0,"y":2.0}"#));
        let swipe = Swipe {
            from: Point::default(),
            to: Point::new(0.0, 9.0),
            hold: Duration::from_millis(1500),
            duration: Duration::from_secs(1),
        };
        driver.swipe(swipe).await.unwrap();
        driver.swipe(swipe).await.unwrap();
        let requests = server.take();
        assert_eq!(requests.len(), 3);
        let drag: Value = serde_json::from_str(&requests[2].body).unwrap();
        assert!(requests[2].line.ends_with("/wda/dragfromtoforduration"));
        assert_eq!(drag["duration"], 1.5);
    }
}

#[tokio::test]
async fn row_58_a_point_that_the_phone_cannot_make_is_tried_the_other_way() {
    let words = "Invalid parameter not satisfying: point.x != INFINITY && point.y != INFINITY";
    let (server, driver) = connected(refuses("/actions", 500, "unknown error", words)).await;
    driver.tap(Point::new(179.0, 449.0)).await.unwrap();
    driver.tap(Point::new(179.0, 449.0)).await.unwrap();
    assert_eq!(server.lines().len(), 4);
}
