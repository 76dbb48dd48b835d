//! What a key promises: the same answer, and nothing done twice.

use super::*;
use crate::capability::Image;
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A ledger, and a call that counts how often it was really made.
#[derive(Default)]
struct Bench {
    ledger: Ledger,
    made: Arc<AtomicUsize>,
}

fn caller(client: &str, session: Option<&str>) -> Caller {
    Caller { session: session.map(str::to_owned), client: client.to_owned(), picture_limit: None }
}

fn keyed(key: &str) -> Map<String, Value> {
    arguments(json!({ "device_id": "phone", "x": 1, KEY: key }))
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn answer(number: usize, picture: usize) -> Result<Answer, Error> {
    let image = (picture > 0).then(|| Image { media_type: "image/png", bytes: vec![0; picture].into() });
    Ok(Answer { body: arguments(json!({ "number": number })), image })
}

impl Bench {
    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }

    /// A tap by ann; it answers its number, after some time.
    async fn tap(&self, arguments: &Map<String, Value>) -> Result<Answer, Error> {
        self.call("tap", &caller("ann", None), arguments, |number| answer(number, 0)).await
    }

    async fn call(
        &self,
        tool: &'static str,
        caller: &Caller,
        arguments: &Map<String, Value>,
        end: impl FnOnce(usize) -> Result<Answer, Error> + Send + 'static,
    ) -> Result<Answer, Error> {
        let made = self.made.clone();
        let run = move || -> BoxFuture<'static, Result<Answer, Error>> {
            Box::pin(async move {
                let number = made.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
                end(number)
            })
        };
        self.ledger.once(tool, caller, arguments, run).await
    }
}

fn number(answer: Result<Answer, Error>) -> Value {
    answer.unwrap().body["number"].clone()
}

#[tokio::test]
async fn a_repeat_answers_the_same_and_does_nothing() {
    let bench = Bench::default();
    for _ in 0..3 {
        assert_eq!(number(bench.tap(&keyed("a")).await), 1);
    }
    assert_eq!(bench.made(), 1);
    assert_eq!(number(bench.tap(&keyed("b")).await), 2);
    // Two at once: the second waits for the first.
    let (keyed, other) = (keyed("c"), keyed("c"));
    let (one, two) = tokio::join!(bench.tap(&keyed), bench.tap(&other));
    assert_eq!((number(one), number(two), bench.made()), (json!(3), json!(3), 3));
}

#[tokio::test]
async fn without_a_key_every_call_is_made() {
    let bench = Bench::default();
    let plain = arguments(json!({ "device_id": "phone", "x": 1 }));
    assert_eq!((number(bench.tap(&plain).await), number(bench.tap(&plain).await)), (json!(1), json!(2)));
}

#[tokio::test]
async fn a_key_counts_for_one_caller_tool_and_device() {
    let bench = Bench::default();
    let (ann, session, bob) = (caller("ann", None), caller("ann", Some("s1")), caller("bob", None));
    let end = |number| answer(number, 0);
    let elsewhere = arguments(json!({ "device_id": "pad", "x": 1, KEY: "a" }));
    let calls = [
        ("tap", &ann, keyed("a")),
        ("swipe", &ann, keyed("a")),
        ("tap", &session, keyed("a")),
        ("tap", &bob, keyed("a")),
    ];
    for (index, (tool, caller, arguments)) in calls.iter().enumerate() {
        assert_eq!(number(bench.call(tool, caller, arguments, end).await), index + 1);
    }
    assert_eq!(number(bench.call("tap", &ann, &elsewhere, end).await), 5);
    assert_eq!(number(bench.call("tap", &ann, &keyed("a"), end).await), 1);
}

#[tokio::test]
async fn other_arguments_under_the_same_key_are_refused() {
    let bench = Bench::default();
    bench.tap(&keyed("a")).await.unwrap();
    let other = arguments(json!({ "device_id": "phone", "x": 2, KEY: "a" }));
    let error = bench.tap(&other).await.unwrap_err();
    assert_eq!((error.code, error.outcome, bench.made()), (Code::InvalidArguments, Outcome::NotDone, 1));
    assert!(error.message.contains(KEY), "{}", error.message);
    assert_eq!(number(bench.tap(&keyed("a")).await), 1);
}

#[tokio::test]
async fn a_caller_that_left_midway_finds_the_answer() {
    let bench = Bench::default();
    let left = tokio::time::timeout(Duration::from_millis(1), bench.tap(&keyed("a"))).await;
    assert!(left.is_err());
    assert_eq!(number(bench.tap(&keyed("a")).await), 1);
    assert_eq!(bench.made(), 1);
}

#[tokio::test]
async fn a_call_that_did_nothing_may_be_repeated_and_one_that_may_have_done_something_may_not() {
    let bench = Bench::default();
    let ann = caller("ann", None);
    let fails = |outcome| move |_| Err(Error::new(Code::DeviceOffline, "away", "Wait.").outcome(outcome));
    let nothing = bench.call("tap", &ann, &keyed("a"), fails(Outcome::NotDone)).await.unwrap_err();
    assert_eq!(nothing.outcome, Outcome::NotDone);
    assert_eq!(number(bench.tap(&keyed("a")).await), 2);
    for (key, outcome) in [("b", Outcome::Unknown), ("c", Outcome::Done)] {
        let first = bench.call("tap", &ann, &keyed(key), fails(outcome)).await.unwrap_err();
        assert_eq!(bench.tap(&keyed(key)).await.unwrap_err(), first);
    }
    assert_eq!(bench.made(), 4);
}

#[tokio::test]
async fn a_call_that_breaks_is_not_made_again() {
    let bench = Bench::default();
    let breaks = |_| -> Result<Answer, Error> { panic!("as a broken tool does") };
    let error = bench.call("tap", &caller("ann", None), &keyed("a"), breaks).await.unwrap_err();
    assert_eq!((error.code, error.outcome), (Code::Internal, Outcome::Unknown));
    assert_eq!(bench.tap(&keyed("a")).await.unwrap_err(), error);
    assert_eq!(bench.made(), 1);
}

#[tokio::test]
async fn no_key_is_forgotten_to_make_room_for_another() {
    let bench = Bench::default();
    let keys: Vec<Map<String, Value>> = (0..=MOST.0).map(|number| keyed(&format!("k{number}"))).collect();
    futures_util::future::join_all(keys[..MOST.0].iter().map(|arguments| bench.tap(arguments))).await;
    assert_eq!(bench.tap(&keys[MOST.0]).await.unwrap_err().code, Code::Overloaded);
    assert_eq!((bench.made(), bench.ledger.entries().len()), (MOST.0, MOST.0));
    bench.tap(&keys[0]).await.unwrap();
    assert_eq!(bench.made(), MOST.0, "the oldest is remembered too");
    // Somebody else's keys are no one's trouble.
    let bob = bench.call("tap", &caller("bob", None), &keyed("mine"), |number| answer(number, 0)).await;
    assert_eq!(number(bob), MOST.0 + 1);
}

#[tokio::test]
async fn of_answers_beyond_the_bound_it_is_remembered_that_they_were_done() {
    let bench = Bench::default();
    let ann = caller("ann", None);
    let large = |_| {
        let body = arguments(json!({ "text": "x".repeat(MOST_BYTES / 3) }));
        Ok(Answer { body, image: None })
    };
    for key in ["a", "b", "c", "d", "e", "f"] {
        bench.call("tap", &ann, &keyed(key), large).await.unwrap();
    }
    let error = bench.call("tap", &ann, &keyed("a"), large).await.unwrap_err();
    assert_eq!((error.outcome, error.retryable), (Outcome::Done, false));
    assert!(bench.call("tap", &ann, &keyed("f"), large).await.is_ok());
    assert_eq!(bench.made(), 6);
}

#[tokio::test]
async fn how_long_it_may_take_and_by_which_lease_is_no_other_call() {
    let bench = Bench::default();
    for (timeout, lease) in [(1000, "one"), (2000, "two")] {
        let mut asked = keyed("a");
        asked.insert("timeout_ms".to_owned(), timeout.into());
        asked.insert("lease".to_owned(), lease.into());
        assert_eq!(number(bench.tap(&asked).await), 1);
    }
}

#[tokio::test]
async fn pictures_are_kept_within_their_own_bound_and_what_was_done_beyond_it() {
    let bench = Bench::default();
    let ann = caller("ann", None);
    let large = |number| answer(number, MOST_BYTES / 4);
    for key in ["a", "b", "c", "d", "e", "f"] {
        bench.call("tap", &ann, &keyed(key), large).await.unwrap();
    }
    let kept: usize = bench.ledger.entries().iter().map(|entry| entry.size().0).sum();
    // The newest was still on its way when room was made.
    assert!(kept <= MOST_BYTES + MOST_BYTES / 4, "{kept}");
    assert!(bench.call("tap", &ann, &keyed("f"), large).await.unwrap().image.is_some());
    assert!(bench.call("tap", &ann, &keyed("a"), large).await.unwrap().image.is_none());
    assert_eq!(bench.made(), 6);
}

#[tokio::test]
async fn an_answer_is_kept_for_its_time_only() {
    let bench = Bench::default();
    bench.tap(&keyed("a")).await.unwrap();
    // A machine that has just been started cannot look back so far.
    let Some(long_ago) = Instant::now().checked_sub(KEPT) else { return };
    bench.ledger.entries().front_mut().unwrap().at = long_ago;
    assert_eq!(number(bench.tap(&keyed("a")).await), 2);
}
