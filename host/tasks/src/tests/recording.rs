//! Many at once: every change is answered by itself, and nobody who waits for news is forgotten.

use super::{finished, memory, note, task};
use crate::write::Change;
use crate::{Kind, Limits, MemoryError, NewEvent, Recorder};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_task_has_its_numbers_without_gaps() {
    let (_folder, memory) = memory(Limits::default());
    let memory = Arc::new(memory);
    let recorder = Recorder::start(memory.clone()).unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..40 {
        let recorder = recorder.clone();
        writers.spawn(async move {
            let id = recorder.create(task(&format!("goal {number}"))).await.unwrap().id;
            for n in 2..52 {
                let numbers = recorder.append(&id, vec![note(json!({ "number": number }))]).await.unwrap();
                assert_eq!(numbers, n..n + 1);
            }
            (number, id)
        });
    }
    for (number, id) in writers.join_all().await {
        let events = memory.events(&id, 1, 1000).unwrap();
        assert!(events.iter().map(|event| event.n).eq(2..52));
        assert!(events.iter().all(|event| event.data["number"] == number));
    }
    assert_eq!(recorder.with(|memory| memory.unfinished()).await.unwrap().len(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_refusal_among_others_refuses_only_itself() {
    let (_folder, memory) = memory(Limits::default());
    let recorder = Recorder::start(Arc::new(memory)).unwrap();
    let id = recorder.create(task("x")).await.unwrap().id;
    let ends: Vec<_> = (0..20).map(|_| recorder.append(&id, vec![finished()])).collect();
    let mut won = 0;
    for end in ends {
        match end.await {
            Ok(_) => won += 1,
            Err(error) => assert!(matches!(error, MemoryError::Finished { .. }), "{error}"),
        }
    }
    assert_eq!(won, 1);
    let error = recorder.append("nobody", vec![]).await.unwrap_err();
    assert_eq!(error, MemoryError::NotFound { task: "nobody".into() });
}

/// The writer appends as fast as it can while the readers follow, each event anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_follows_sees_every_event() {
    let (_folder, memory) = memory(Limits::default());
    let memory = Arc::new(memory);
    let recorder = Recorder::start(memory.clone()).unwrap();
    let id = recorder.create(task("x")).await.unwrap().id;
    let followers: Vec<_> = (0..4)
        .map(|_| {
            let (memory, id) = (memory.clone(), id.clone());
            tokio::spawn(async move {
                let mut last = 0;
                while last < 301 {
                    let mut news = memory.follow(&id).unwrap();
                    let known = news.after(last).await.unwrap();
                    let events = memory.events(&id, last, 1000).unwrap();
                    assert!(events.iter().map(|event| event.n).eq(last + 1..last + 1 + events.len() as u32));
                    last += events.len() as u32;
                    assert!(last >= known);
                }
            })
        })
        .collect();
    for _ in 0..300 {
        recorder.append(&id, vec![NewEvent::new(Kind::Observation, json!({}))]).await.unwrap();
    }
    for follower in followers {
        tokio::time::timeout(Duration::from_secs(60), follower).await.unwrap().unwrap();
    }
}

/// The one moment in which news could be lost: it is told before the follower is known, and committed after it has read. Here
/// the follower is held up where it makes itself known.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_that_was_told_before_the_follower_was_known_is_read() {
    let (_folder, memory) = memory(Limits::default());
    let memory = Arc::new(memory);
    let id = memory.create(task("x")).unwrap().id;
    let follower = {
        let held = memory.hub.followed();
        let (also, task) = (memory.clone(), id.clone());
        let follower = tokio::task::spawn_blocking(move || also.follow(&task).unwrap());
        std::thread::sleep(Duration::from_millis(100));
        assert!(held.is_empty(), "telling now reaches nobody");
        memory.commit(vec![Change::Append(id, vec![note(json!({}))])]).unwrap();
        follower
    };
    let mut news = follower.await.unwrap();
    assert_eq!(tokio::time::timeout(Duration::from_secs(20), news.after(1)).await, Ok(Some(2)));
}

#[tokio::test]
async fn a_limit_is_news_too() {
    let (_folder, memory) = memory(Limits { events: 1, ..Limits::default() });
    let id = memory.create(task("x")).unwrap().id;
    let mut news = memory.follow(&id).unwrap();
    assert_eq!(news.after(0).await, Some(1));
    for _ in 0..2 {
        memory.append(&id, vec![note(json!({}))]).unwrap_err();
        assert_eq!(news.after(1).await, Some(2));
    }
}
