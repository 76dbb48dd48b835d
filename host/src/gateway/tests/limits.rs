//! The doors' own limits: in time, in number, in sessions.

use super::fixture;
use crate::{
    capability::{Answer, Caller, Code, Error, Outcome},
    gateway::{calls::Calls, metrics::Door},
};
use serde_json::{Value, json};
use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};

async fn run(calls: &Calls, tool: &str, arguments: Value) -> Result<Answer, Error> {
    let capability = calls.catalogue().get(tool).unwrap();
    let caller = Caller { session: None, client: "tester".into(), picture_limit: None };
    calls.run(Door::Mcp, capability, arguments.as_object().unwrap().clone(), caller).await
}

#[tokio::test]
async fn a_call_that_does_not_end_is_stopped() {
    let (catalogue, seen) = fixture::catalogue();
    let calls = Calls::new(catalogue).with_limits(Duration::from_millis(50), 10);
    let error = run(&calls, "wait_for", json!({"ms": 60_000})).await.unwrap_err();
    assert_eq!((error.code, error.outcome), (Code::Timeout, Outcome::NotDone));
    assert_eq!(seen.dropped.load(SeqCst), 1);
}

#[tokio::test]
async fn too_many_calls_are_turned_away() {
    let (catalogue, seen) = fixture::catalogue();
    let calls = Arc::new(Calls::new(catalogue).with_limits(Duration::from_secs(9), 2));
    let running: Vec<_> = (0..2)
        .map(|_| {
            let calls = calls.clone();
            tokio::spawn(async move { run(&calls, "wait_for", json!({"ms": 300})).await })
        })
        .collect();
    while seen.begun.load(SeqCst) < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(run(&calls, "list_devices", json!({})).await.unwrap_err().code, Code::Overloaded);
    for call in running {
        call.await.unwrap().unwrap();
    }
    run(&calls, "list_devices", json!({})).await.unwrap();
    let text = calls.metrics().text();
    assert!(text.contains(r#"fingertip_calls_total{tool="list_devices",door="mcp",code="overloaded"} 1"#), "{text}");
}
