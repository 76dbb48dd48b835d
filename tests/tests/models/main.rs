//! What becomes of a question to a language model, against a *scripted* one. No real model was asked.

mod providers;

use e2e::model_sim::{INPUT_TOKENS, ModelSim, OUTPUT_TOKENS, Turn};
use fingertip_models::{
    Answers, Decision, Failed, Model, ModelConfig, ModelError, Picture, Price, Question, Tool, Unfit, Usage,
};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const KEY: &str = "sk-of-this-test";
/// Longer than any test: what waits for it has failed.
const FOREVER: Duration = Duration::from_secs(600);
const LONG: Duration = Duration::from_secs(30);

fn config(sim: &ModelSim) -> ModelConfig {
    ModelConfig {
        model: "little".to_owned(),
        base_url: Some(sim.base_url()),
        api_key: Some(KEY.to_owned()),
        answers: Answers::Auto,
        pictures: true,
        timeout: LONG,
        retries: 2,
        max_tokens: 500,
        price: Some(Price { input: 1.0, output: 10.0 }),
    }
}

fn model(config: ModelConfig) -> Model {
    Model::with_backoff(config, Duration::from_millis(1)).expect("a model")
}

fn question() -> Question {
    let tool = |name: &str, schema: Value| Tool { name: name.to_owned(), description: format!("To {name}."), schema };
    let tap = json!({ "type": "object", "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } }, "required": ["x"] });
    Question {
        system: "You decide.".to_owned(),
        user: "What now?".to_owned(),
        picture: None,
        tools: vec![tool("tap", tap), tool("back", json!({ "type": "object", "properties": {} }))],
    }
}

/// A tap needs a number x.
fn check(tool: &str, arguments: &Map<String, Value>) -> Result<(), Unfit> {
    match (tool, arguments.get("x")) {
        ("tap", Some(Value::Number(_))) | ("back", None) => Ok(()),
        ("tap", _) => Err("x must be a number".to_owned().into()),
        _ => Err("it takes no arguments".to_owned().into()),
    }
}

async fn asked(model: &Model) -> Result<Decision, Failed> {
    let result = model.decide(&question(), LONG, &check).await;
    let told = match &result {
        Ok(decision) => format!("{decision:?}"),
        Err(failed) => format!("{failed} {failed:?}"),
    };
    assert!(!told.contains(KEY), "{told}");
    result
}

async fn decided(model: &Model) -> Decision {
    asked(model).await.expect("a decision")
}

async fn failed(model: &Model) -> Failed {
    asked(model).await.expect_err("no decision")
}

fn tap(x: i64) -> Turn {
    Turn::act("tap", json!({ "x": x }))
}

fn json_tap(fenced: bool) -> Turn {
    Turn::Json { tool: "tap".to_owned(), arguments: json!({ "x": 1 }), fenced }
}

fn usage(requests: u32) -> Usage {
    let (input, output) = (INPUT_TOKENS * u64::from(requests), OUTPUT_TOKENS * u64::from(requests));
    Usage { input, output, usd: (input as f64 + 10.0 * output as f64) / 1e6, requests }
}

fn same(one: Usage, other: Usage) {
    let near = (one.usd - other.usd).abs() < 1e-12;
    assert!(near && Usage { usd: 0.0, ..one } == Usage { usd: 0.0, ..other }, "{one:?} {other:?}");
}

/// The texts of all messages of a request.
fn texts(request: &Value) -> String {
    request["messages"].as_array().expect("messages").iter().map(|message| format!("{message}\n")).collect()
}

#[tokio::test]
async fn a_tool_call_is_a_decision() {
    let sim = ModelSim::start(vec![tap(7)]).await;
    let model = model(config(&sim));
    let decision = decided(&model).await;
    assert_eq!((decision.tool.as_str(), &decision.arguments["x"]), ("tap", &json!(7)));
    assert_eq!((decision.said.as_str(), decision.repaired), ("", None));
    same(decision.usage, usage(1));
    let requests = sim.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((&request["model"], &request["max_tokens"]), (&json!("little"), &json!(500)));
    assert_eq!(request["tools"][0]["function"]["parameters"], question().tools[0].schema);
    assert!(request.get("response_format").is_none() && request.get("reasoning_effort").is_none(), "{request}");
    assert_eq!(sim.keys(), [Some(format!("Bearer {KEY}"))]);
    assert_eq!(sim.paths(), ["/v1/chat/completions"]);
    assert_eq!((model.name(), model.takes_pictures()), ("little", true));
}

#[tokio::test]
async fn a_server_without_a_key_is_sent_none_and_the_whole_name() {
    let sim = ModelSim::start(vec![tap(1)]).await;
    decided(&model(ModelConfig { api_key: None, model: "little-high".to_owned(), ..config(&sim) })).await;
    assert_eq!(sim.keys(), [None]);
    assert_eq!(sim.requests()[0]["model"], "little-high");
}

#[tokio::test]
async fn the_first_of_several_calls_counts_with_what_was_said() {
    let call = |name: &str, arguments: &str| json!({ "id": name, "type": "function", "function": { "name": name, "arguments": arguments } });
    let calls = [call("tap", "{\"x\": 2}"), call("back", "{}")];
    let message = json!({ "role": "assistant", "content": "<think>Hm.</think>So be it.", "tool_calls": calls });
    let sim = ModelSim::start(vec![Turn::Body(json!({ "choices": [{ "message": message }] }))]).await;
    let decision = decided(&model(config(&sim))).await;
    assert_eq!((decision.tool.as_str(), decision.said.as_str()), ("tap", "So be it."));
    let used = decision.usage;
    assert!(used.input > 50 && used.output > 5 && used.usd > 0.0, "reckoned: {used:?}");
}

#[tokio::test]
async fn json_in_the_text_is_a_decision_too() {
    let thought = "<think>{\"tool\": \"back\"}?</think>\nYes: {\"tool\": \"tap\", \"arguments\": \"{\\\"x\\\": 1}\"}";
    let wrapped = "{\"call\": {\"tool\": \"tap\", \"arguments\": {\"x\": 1}}}";
    for (turn, said) in [
        (json_tap(false), ""),
        (json_tap(true), "Well."),
        (Turn::Text(thought.to_owned()), "Yes:"),
        (Turn::Text(wrapped.to_owned()), ""),
    ] {
        for answers in [Answers::Auto, Answers::Tools, Answers::Schema, Answers::Text] {
            let sim = ModelSim::start(vec![turn.clone()]).await;
            let decision = decided(&model(ModelConfig { answers, ..config(&sim) })).await;
            assert_eq!((decision.tool.as_str(), &decision.arguments["x"]), ("tap", &json!(1)), "{answers} {turn:?}");
            assert_eq!((decision.said.as_str(), decision.usage.requests), (said, 1), "{answers} {turn:?}");
        }
    }
}

#[tokio::test]
async fn each_form_is_sent_as_configured() {
    let sim = ModelSim::start(vec![tap(1), tap(1)]).await;
    decided(&model(ModelConfig { answers: Answers::Schema, ..config(&sim) })).await;
    decided(&model(ModelConfig { answers: Answers::Text, ..config(&sim) })).await;
    let requests = sim.requests();
    let format = &requests[0]["response_format"];
    assert_eq!(format["type"], "json_schema");
    // OpenAI takes no schema whose root is not an object.
    let schema = &format["json_schema"]["schema"];
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["call"])));
    let calls = schema["properties"]["call"]["anyOf"].as_array().expect("anyOf");
    assert_eq!(calls[0]["properties"]["tool"]["const"], "tap");
    assert_eq!(calls[0]["properties"]["arguments"], question().tools[0].schema);
    assert!(requests[1].get("response_format").is_none());
    for request in &requests {
        let texts = texts(request);
        assert!(
            request.get("tools").is_none() && texts.contains("To tap.") && texts.contains("You decide."),
            "{texts}"
        );
    }
}

#[tokio::test]
async fn prose_is_asked_again_by_schema_which_then_stays() {
    let sim = ModelSim::start(vec![Turn::Text("I would tap.".to_owned()), tap(1), tap(2)]).await;
    let model = model(config(&sim));
    let decision = decided(&model).await;
    assert_eq!(decision.repaired.as_deref(), Some("it calls no tool"));
    same(decision.usage, usage(2));
    assert_eq!(decided(&model.clone()).await.arguments["x"], 2);
    let forms: Vec<bool> = sim.requests().iter().map(|request| request.get("response_format").is_some()).collect();
    assert_eq!(forms, [false, true, true]);
    assert!(sim.requests()[1].get("tools").is_none());
}

#[tokio::test]
async fn a_model_known_to_call_tools_is_asked_again_for_a_call() {
    let sim = ModelSim::start(vec![tap(1), Turn::Text("Hm.".to_owned()), tap(2)]).await;
    let model = model(config(&sim));
    decided(&model).await;
    assert_eq!(decided(&model).await.arguments["x"], 2);
    assert!(sim.requests().iter().all(|request| request.get("tools").is_some()));
}

#[tokio::test]
async fn a_server_that_takes_no_tools_is_asked_otherwise() {
    let sim = ModelSim::deciding(|request, _| {
        if request.get("tools").is_some() {
            Turn::Refuse(400, "little does not support tools".to_owned())
        } else if request.get("response_format").is_some() {
            Turn::Refuse(400, "response_format is unknown".to_owned())
        } else {
            tap(1)
        }
    })
    .await;
    let auto = model(config(&sim));
    let decision = decided(&auto).await;
    assert_eq!((decision.repaired, decision.usage.requests), (None, 3));
    assert_eq!(decided(&auto).await.usage.requests, 1);
    let fixed = failed(&model(ModelConfig { answers: Answers::Tools, ..config(&sim) })).await;
    assert!(fixed.to_string().contains("Set answers to"), "{fixed}");
    assert_eq!(fixed.usage.requests, 1);
}

#[tokio::test]
async fn one_refusal_takes_no_form_from_a_model_that_answered_in_it() {
    let no = Turn::Refuse(400, "tools are not supported with this question".to_owned());
    let sim = ModelSim::start(vec![tap(1), no, tap(2)]).await;
    let model = model(config(&sim));
    decided(&model).await;
    assert!(failed(&model).await.to_string().contains("not supported"));
    assert_eq!(decided(&model).await.arguments["x"], 2);
    assert!(sim.requests().len() == 3 && sim.requests().iter().all(|request| request.get("tools").is_some()));
}

#[tokio::test]
async fn an_error_that_only_names_functions_is_no_refusal_of_tools() {
    let full = "maximum context length is 8192 tokens, you requested 9000 (500 in the functions)";
    let sim = ModelSim::start(vec![Turn::Refuse(400, full.to_owned()), tap(2)]).await;
    let model = model(config(&sim));
    let error = failed(&model).await.to_string();
    assert!(error.contains("8192") && error.contains("max_tokens"), "{error}");
    assert_eq!(decided(&model).await.usage.requests, 1);
    assert!(sim.requests().iter().all(|request| request.get("tools").is_some()));
}

#[tokio::test]
async fn a_call_is_demanded_of_servers_that_take_that() {
    let sim = ModelSim::start(vec![tap(1)]).await;
    decided(&model(config(&sim))).await;
    assert_eq!(sim.requests()[0]["tool_choice"], "required");
    let sim = ModelSim::deciding(|request, _| match request.get("tool_choice") {
        Some(_) => Turn::Refuse(400, "this model does not support tool_choice \"required\"".to_owned()),
        None => tap(2),
    })
    .await;
    for answers in [Answers::Auto, Answers::Tools] {
        let model = model(ModelConfig { answers, ..config(&sim) });
        let decision = decided(&model).await;
        assert_eq!((decision.repaired, decision.usage.requests), (None, 2), "{answers}");
        assert_eq!(decided(&model).await.usage.requests, 1, "{answers}: it is known by then");
    }
    assert!(sim.requests().iter().all(|request| request.get("tools").is_some()));
}

#[tokio::test]
async fn a_call_that_the_server_could_not_read_is_a_wrong_answer() {
    let error = json!({
        "message": "Failed to call a function. Please adjust your prompt.", "code": "tool_use_failed",
        "failed_generation": "<function=tap>{x}</function>",
    });
    let turn = Turn::Error(400, json!({ "error": error }));
    let sim = ModelSim::start(vec![turn.clone(), tap(3), turn.clone(), turn, tap(4)]).await;
    let model = model(config(&sim));
    let decision = decided(&model).await;
    assert!(decision.arguments["x"] == 3 && decision.repaired.is_some(), "{decision:?}");
    assert!(decision.usage.input > INPUT_TOKENS, "the model worked for it: {:?}", decision.usage);
    assert!(texts(&sim.requests()[1]).contains("<function=tap>"), "{}", sim.requests()[1]);
    assert!(matches!(failed(&model).await.error, ModelError::Malformed { .. }));
    assert!(sim.requests().len() == 4 && sim.requests().iter().all(|request| request.get("tools").is_some()));
}

#[tokio::test]
async fn an_answer_that_is_used_up_by_thinking_needs_more_tokens() {
    let message = json!({ "role": "assistant", "content": "" });
    let cut = Turn::Body(json!({ "choices": [{ "message": message, "finish_reason": "length" }] }));
    let sim = ModelSim::deciding(move |_, _| cut.clone()).await;
    let failed = failed(&model(config(&sim))).await;
    assert!(matches!(failed.error, ModelError::Malformed { .. }), "{failed:?}");
    let told = failed.to_string();
    assert!(told.contains("max_tokens") && told.contains("thinking") && !told.contains("brief"), "{told}");
}

#[tokio::test]
async fn what_is_no_chat_answer_costs_nothing() {
    for turn in [Turn::Junk, Turn::Page, Turn::Body(json!({ "answer": 42 }))] {
        let sim = ModelSim::deciding(move |_, _| turn.clone()).await;
        let failed = failed(&model(config(&sim))).await;
        assert_eq!(failed.usage, Usage { requests: 3, ..Usage::default() }, "{failed}");
    }
}

#[tokio::test]
async fn a_wrong_answer_is_asked_again_with_what_was_wrong() {
    let call = |tool: &str, arguments: Value| Turn::Call { tool: tool.to_owned(), arguments };
    for (turn, part) in [
        (call("dance", json!({})), "no tool \"dance\""),
        (call("tap", json!({ "x": "left" })), "x must be a number"),
        (call("tap", json!("{\"x\": 1")), "cut off"),
        (call("tap", json!("[1]")), "no JSON object"),
        (Turn::Text("{\"tool\": \"tap\", \"arguments\": {".to_owned()), "cut off"),
        (Turn::Text("{\"x\": 1}".to_owned()), "no call"),
    ] {
        let sim = ModelSim::start(vec![turn.clone(), tap(3)]).await;
        let decision = decided(&model(config(&sim))).await;
        assert!(
            decision.arguments["x"] == 3 && decision.repaired.as_deref().is_some_and(|why| why.contains(part)),
            "{decision:?}"
        );
        same(decision.usage, usage(2));
        let second = &sim.requests()[1];
        let roles: Vec<_> =
            second["messages"].as_array().expect("messages").iter().map(|one| one["role"].clone()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        assert!(texts(second).contains("cannot be used"), "{second}");
    }
}

#[tokio::test]
async fn a_second_wrong_answer_is_the_last() {
    let dance = Turn::act("dance", json!({}));
    let sim = ModelSim::start(vec![Turn::Text("Hm.".to_owned()), dance, tap(1)]).await;
    let failed = failed(&model(config(&sim))).await;
    assert!(matches!(&failed.error, ModelError::Malformed { reason, .. } if reason.contains("dance")), "{failed}");
    same(failed.usage, usage(2));
    assert_eq!(sim.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_refuses_or_stays_mute_has_refused() {
    let choice = |choice: Value| Turn::Body(json!({ "choices": [choice] }));
    for (turns, part) in [
        (vec![choice(json!({ "message": { "content": null, "refusal": "I must not." } }))], "I must not."),
        (vec![choice(json!({ "message": { "content": "" }, "finish_reason": "content_filter" }))], "content_filter"),
        (vec![Turn::Text(String::new()), Turn::Text(" ".to_owned())], "twice"),
        (vec![Turn::Refuse(400, "content_filter".to_owned())], "content_filter"),
    ] {
        let sim = ModelSim::start(turns).await;
        let failed = failed(&model(config(&sim))).await;
        assert!(matches!(failed.error, ModelError::Refused { .. }) && failed.to_string().contains(part), "{failed}");
    }
}

#[tokio::test]
async fn a_server_that_fails_is_tried_again() {
    for turn in [Turn::Status(500, None), Turn::Status(503, Some(0)), Turn::Half, Turn::Junk, Turn::Page] {
        let sim = ModelSim::start(vec![turn.clone(), tap(1)]).await;
        let decision = decided(&model(config(&sim))).await;
        assert_eq!((decision.usage.requests, decision.repaired), (2, None), "{turn:?}");
        // Of a server that breaks off it is not known how much it worked; one that says that it failed did not.
        let counted = decision.usage.output > OUTPUT_TOKENS;
        assert_eq!(counted, matches!(turn, Turn::Half), "{turn:?} {:?}", decision.usage);
    }
}

#[tokio::test]
async fn the_server_says_when_to_come_again() {
    // The pause of ours would outlast the time.
    let sim = ModelSim::start(vec![Turn::Status(429, Some(0)), tap(1)]).await;
    let patient = Model::with_backoff(config(&sim), FOREVER).expect("a model");
    assert_eq!(decided(&patient).await.usage.requests, 2);
    // Who wants to be left alone for longer than there is time is not waited for.
    let sim = ModelSim::start(vec![Turn::Status(429, Some(3600)), tap(1)]).await;
    let begun = Instant::now();
    let failed = failed(&model(config(&sim))).await;
    assert!(failed.to_string().contains("in 3600 s") && begun.elapsed() < LONG, "{failed}");
    assert_eq!(sim.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_fails_forever_is_given_up() {
    for (turn, part) in [
        (Turn::Status(500, None), "HTTP 500"),
        (Turn::Status(429, None), "HTTP 429"),
        (Turn::Half, "connection broke"),
        (Turn::Junk, "base_url"),
        (Turn::Body(json!({ "answer": 42 })), "base_url"),
        (Turn::Body(json!({ "error": { "code": 502, "message": "no luck" } })), "no luck"),
    ] {
        let sim = ModelSim::deciding(move |_, _| turn.clone()).await;
        let failed = failed(&model(config(&sim))).await;
        assert!(matches!(failed.error, ModelError::Unavailable { .. }), "{failed}");
        assert!(failed.to_string().contains(part), "{failed}");
        assert_eq!((failed.usage.requests, sim.requests().len()), (3, 3), "{failed}");
    }
}

#[tokio::test]
async fn what_trying_again_cannot_help_is_not_tried_again() {
    for (turn, part) in [
        (Turn::Status(401, None), "API key"),
        (Turn::Status(403, None), "API key"),
        (Turn::Status(404, None), "no such model"),
        (Turn::Status(302, None), "final address"),
        (Turn::Status(400, None), "HTTP 400"),
    ] {
        let sim = ModelSim::start(vec![turn, tap(1)]).await;
        let failed = failed(&model(config(&sim))).await;
        assert!(matches!(failed.error, ModelError::Unavailable { .. }), "{failed}");
        assert!(failed.to_string().contains(part) && failed.to_string().contains("little"), "{failed}");
        assert_eq!(sim.requests().len(), 1);
    }
    let nobody =
        ModelConfig { base_url: Some("http://127.0.0.1:1/v1".to_owned()), ..config(&ModelSim::start(vec![]).await) };
    let failed = failed(&model(nobody)).await;
    assert!(failed.to_string().contains("cannot be reached") && failed.usage.requests == 3, "{failed}");
}

#[tokio::test]
async fn a_server_that_hangs_ends_in_time() {
    let slow = Turn::Slow(FOREVER, Box::new(tap(1)));
    for turn in [Turn::Hang, slow] {
        let sim = ModelSim::deciding(move |_, _| turn.clone()).await;
        let short = Duration::from_millis(200);
        let hasty = model(ModelConfig { timeout: short, ..config(&sim) });
        let late = failed(&hasty).await;
        assert!(matches!(late.error, ModelError::TimedOut { within, .. } if within == short), "{late}");
        assert!(late.usage.requests == 1 && late.usage.output == 500, "it may be counted: {:?}", late.usage);
        let late = model(config(&sim)).decide(&question(), short, &check).await.expect_err("no time");
        assert!(matches!(late.error, ModelError::TimedOut { within, .. } if within == short), "{late}");
        let none = model(config(&sim)).decide(&question(), Duration::ZERO, &check).await.expect_err("no time");
        assert!(matches!(none.error, ModelError::TimedOut { .. }) && none.usage.requests == 0, "{none}");
    }
}

#[tokio::test]
async fn a_slow_answer_in_time_is_one() {
    let sim = ModelSim::start(vec![Turn::Slow(Duration::from_millis(50), Box::new(tap(1)))]).await;
    decided(&model(config(&sim))).await;
}

#[tokio::test]
async fn a_picture_is_sent_when_there_is_one_and_the_model_takes_it() {
    let sim = ModelSim::deciding(|_, _| tap(1)).await;
    let picture = Picture { media_type: "image/jpeg".to_owned(), bytes: b"picture".as_slice().into() };
    let with = Question { picture: Some(picture), ..question() };
    let seeing = model(config(&sim));
    let blind = model(ModelConfig { pictures: false, ..config(&sim) });
    seeing.decide(&with, LONG, &check).await.expect("a decision");
    seeing.decide(&question(), LONG, &check).await.expect("a decision");
    blind.decide(&with, LONG, &check).await.expect("a decision");
    let sent: Vec<bool> = sim
        .requests()
        .iter()
        .map(|request| request.to_string().contains("data:image/jpeg;base64,cGljdHVyZQ=="))
        .collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn without_a_price_nothing_costs() {
    let sim = ModelSim::start(vec![tap(1)]).await;
    let decision = decided(&model(ModelConfig { price: None, ..config(&sim) })).await;
    assert_eq!(decision.usage, Usage { usd: 0.0, ..usage(1) });
}

#[tokio::test]
async fn when_the_turns_run_out_the_count_shows_it() {
    let sim = ModelSim::start(vec![]).await;
    let failed = failed(&model(ModelConfig { retries: 0, ..config(&sim) })).await;
    assert!(failed.to_string().contains("no turn left") && sim.requests().len() == 1, "{failed}");
}
