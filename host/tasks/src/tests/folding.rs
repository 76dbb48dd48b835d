//! What events add up to, in order and in any order.

use crate::{Event, Kind, Status, Task, Used};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Events with the given kinds and data, a second apart, numbered from 1.
fn events(list: &[(Kind, Value)]) -> Vec<Event> {
    (1..)
        .zip(list)
        .map(|(n, (kind, data))| Event {
            n,
            at: i64::from(n) * 1000,
            kind: kind.clone(),
            step: None,
            data: data.clone(),
        })
        .collect()
}

fn statuses(kinds: &[Kind]) -> Vec<Status> {
    let list: Vec<_> = kinds.iter().map(|kind| (kind.clone(), json!({}))).collect();
    let mut task = Task::new("t");
    events(&list)
        .iter()
        .map(|event| {
            task.apply(event);
            task.status
        })
        .collect()
}

#[test]
fn statuses_have_one_name() {
    for status in Status::ALL {
        assert_eq!(json!(status), status.as_str());
    }
}

#[test]
fn each_pair_ends_only_itself() {
    use {Kind::*, Status as S};
    let (kinds, expected): (Vec<_>, Vec<_>) = [
        (Created, S::Queued),
        (Started, S::Running),
        (Planned, S::Running),
        (Waiting, S::WaitingDevice),
        (Paused, S::Paused),
        (Started, S::Paused),
        (Resumed, S::Running),
        (Asked, S::NeedsHuman),
        (Paused, S::Paused),
        (Resumed, S::NeedsHuman),
        (Waiting, S::NeedsHuman),
        (Answered, S::WaitingDevice),
        (Started, S::Running),
        (Finished, S::Failed),
        (Resumed, S::Failed),
    ]
    .into_iter()
    .unzip();
    assert_eq!(statuses(&kinds), expected);
}

#[test]
fn a_task_from_beginning_to_end() {
    let mut list = events(&[
        (Kind::Created, json!({"goal": "switch Wi-Fi off"})),
        (Kind::Started, json!({"device_id": "phone"})),
        (Kind::Planned, json!({"plan": ["open Settings", "switch"]})),
        (Kind::StepStarted, json!({})),
        (Kind::Usage, json!({"tokens": 120, "usd": 0.25})),
        (Kind::Intent, json!({"tool": "tap", "arguments": {}})),
        (Kind::Effect, json!({"effect": "changed"})),
        (Kind::Verified, json!({})),
        (Kind::Intent, json!({"tool": "tap", "arguments": {}})),
        (Kind::Effect, json!({"intent": 6})),
        (Kind::Finished, json!({"status": "succeeded", "result": "off"})),
        (Kind::Usage, json!({"tokens": 3, "usd": -1})),
    ]);
    list[3].step = Some(1);
    let task = Task::fold("t", &list);
    assert_eq!((task.goal.as_str(), task.device_id.as_deref()), ("switch Wi-Fi off", Some("phone")));
    assert_eq!((task.status, task.result, task.error), (Status::Succeeded, Some(json!("off")), None));
    assert_eq!((task.step, task.verified), (Some(1), Some(1)));
    assert_eq!(task.used, Used { steps: 1, tokens: 123, usd: 0.25, seconds: 9.0 });
    assert_eq!(task.intent.map(|intent| intent.n), Some(9), "the late effect was another action's");
    assert_eq!((task.created_at, task.updated_at, task.last), (1000, 12_000, 12));
}

#[test]
fn time_counts_only_at_work() {
    let mut list = events(&[
        (Kind::Created, json!({})),
        (Kind::Started, json!({})),
        (Kind::Note, json!({})),
        (Kind::Started, json!({})),
        (Kind::Note, json!({})),
    ]);
    // The program was away for an hour, and then the clock was turned back.
    list[3].at += 3_600_000;
    assert_eq!(Task::fold("t", &list).used.seconds, 1.0);
}

/// Any event, with the data that the fold reads, of the right shape or not.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let kinds: Vec<Kind> = Kind::KNOWN.iter().cloned().chain([Kind::Other("dreamt".into())]).collect();
    let value = prop_oneof![
        Just(json!("succeeded")),
        Just(json!("events")),
        Just(json!(1e308)),
        any::<u64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        (0_u32..9).prop_map(|number| json!(number)),
        any::<bool>().prop_map(|yes| json!(yes)),
    ];
    let key = proptest::sample::select(vec!["goal", "status", "tokens", "usd", "what", "plan", "intent", "ok"]);
    let data = prop_oneof![
        9 => proptest::collection::btree_map(key, value, 0..4).prop_map(|map| json!(map)),
        1 => Just(json!([1])),
    ];
    (any::<u32>(), any::<i64>(), proptest::sample::select(kinds), any::<Option<u32>>(), data)
        .prop_map(|(n, at, kind, step, data)| Event { n, at, kind, step, data })
}

proptest! {
    #[test]
    fn folding_in_parts_is_folding_all(list in proptest::collection::vec(any_event(), 0..40), at in any::<prop::sample::Index>()) {
        let at = at.index(list.len() + 1);
        let mut task = Task::fold("t", &list[..at]);
        // What is kept between the parts is kept as text.
        task = serde_json::from_str(&serde_json::to_string(&task).unwrap()).unwrap();
        list[at..].iter().for_each(|event| task.apply(event));
        prop_assert_eq!(task, Task::fold("t", &list));
    }

    #[test]
    fn the_end_is_for_ever(list in proptest::collection::vec(any_event(), 0..40)) {
        let mut task = Task::new("t");
        for event in &list {
            let before = task.clone();
            task.apply(event);
            if before.status.is_finished() {
                prop_assert_eq!(task.status, before.status);
                prop_assert_eq!((&task.result, &task.error, &task.plan), (&before.result, &before.error, &before.plan));
            }
        }
    }
}
